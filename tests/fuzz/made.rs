//! Tables that are well formed on the outside and hold anything.

use crate::change::Random;

/// A table of nsys, ncu or another tool with cells of any kind under known columns.
pub(crate) fn csv(random: &mut Random, columns: &[&str]) -> Vec<u8> {
    let cell = |random: &mut Random| match random.below(6) {
        0 => format!("\"{}\"", random.value()),
        1 => random.edge().to_string(),
        2 => "\"a,b\n\"\"c\"".to_owned(),
        3 => format!("({}, {}, {})", random.edge(), random.edge(), random.edge()),
        4 => String::new(),
        _ => format!("{:e}", random.value()),
    };
    let mut text = columns.iter().map(|column| format!("\"{column}\"")).collect::<Vec<_>>().join(",") + "\n";
    for _ in 0..random.below(20) {
        let row: Vec<String> = columns.iter().map(|_| cell(random)).collect();
        text += &(row.join(",") + "\n");
    }
    text.into_bytes()
}

/// A JSON value with some of its parts changed for others of any kind: what stays is well formed.
pub(crate) fn json(random: &mut Random, whole: &serde_json::Value) -> Vec<u8> {
    let mut value = whole.clone();
    for _ in 0..=random.below(4) {
        change(random, &mut value);
    }
    value.to_string().into_bytes()
}

/// Changes a part somewhere below.
fn change(random: &mut Random, value: &mut serde_json::Value) {
    use serde_json::Value;
    let goes_down = !random.one_in(8);
    match value {
        Value::Object(parts) if goes_down && !parts.is_empty() => {
            let at = random.below(parts.len());
            if let Some(part) = parts.values_mut().nth(at) {
                return change(random, part);
            }
        }
        Value::Array(parts) if goes_down && !parts.is_empty() => {
            let at = random.below(parts.len());
            return change(random, &mut parts[at]);
        }
        _ => {}
    }
    match (random.below(9), value) {
        (0, Value::Array(parts)) if !parts.is_empty() => parts.extend(vec![parts[0].clone(); random.below(300)]),
        (1, Value::Array(parts)) => drop(parts.pop()),
        (2, Value::Object(parts)) => {
            let name = parts.keys().nth(random.below(parts.len().max(1))).cloned();
            name.and_then(|name| parts.remove(&name));
        }
        (3, value) => *value = Value::Null,
        (4, value) => *value = random.edge().into(),
        (5, value) => *value = random.value().into(),
        (6, value) => {
            *value = Value::String(random.pick(&["", "NaN", "2026-01-01", "../x", "@0", "\u{1b}[2J"]).to_owned())
        }
        (7, value) => *value = serde_json::json!([]),
        (_, value) => *value = serde_json::json!({}),
    }
}
