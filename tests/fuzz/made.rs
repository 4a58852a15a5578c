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

/// Changes the columns of instructions that are packed into a text of a snapshot, each number for number, and packs them again.
pub(crate) fn columns(random: &mut Random, value: &mut serde_json::Value) {
    use base64::Engine as _;
    use base64::engine::general_purpose::STANDARD;
    match value {
        serde_json::Value::Object(parts) => {
            for (name, part) in parts {
                let packed = part.as_str().filter(|_| name == "rows").and_then(|text| STANDARD.decode(text).ok());
                let Some(mut bytes) = packed.and_then(|packed| zstd::decode_all(packed.as_slice()).ok()) else {
                    columns(random, part);
                    continue;
                };
                for _ in 0..random.below(7) {
                    let at = random.below(bytes.len());
                    // Seven bits a byte: a number begins behind a byte without the eighth.
                    let start = bytes[..at].iter().rposition(|byte| *byte < 128).map_or(0, |last| last + 1);
                    let length = bytes[start..].iter().position(|byte| *byte < 128).map_or(0, |last| last + 1);
                    let mut number = Vec::new();
                    for _ in 0..[0, 1, 1, 1, 40][random.below(5)] {
                        prost::encoding::encode_varint(random.edge(), &mut number);
                    }
                    drop(bytes.splice(start..start + length, number));
                }
                let packed = match random.below(12) {
                    0 => zstd::encode_all(&vec![0; 1 << random.below(28)][..], 1).unwrap_or_default(),
                    1 => random.changed(&zstd::encode_all(bytes.as_slice(), 1).unwrap_or_default(), &[]),
                    _ => zstd::encode_all(bytes.as_slice(), 1).unwrap_or_default(),
                };
                let mut text = STANDARD.encode(packed);
                if random.one_in(12) {
                    text = String::from_utf8_lossy(&random.changed(text.as_bytes(), &["=", "A", "/"])).into_owned();
                }
                *part = text.into();
            }
        }
        serde_json::Value::Array(parts) => parts.iter_mut().for_each(|part| columns(random, part)),
        _ => {}
    }
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
    match (random.below(11), value) {
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
        (8, value) => *value = (0..random.below(130)).fold(value.take(), |inner, _| Value::Array(vec![inner])),
        (9, value) => {
            let word = ["9", "(", "a.", "../", "1_000", "é"][random.below(6)];
            *value = Value::String(word.repeat(1 << random.below(16)));
        }
        (_, value) => *value = serde_json::json!({}),
    }
}

/// A file of settings whose tables are inline: well formed, with parts changed, numbers of any size and any depth.
pub(crate) fn toml(random: &mut Random, whole: &serde_json::Value) -> Vec<u8> {
    let mut value = whole.clone();
    for _ in 0..=random.below(4) {
        change(random, &mut value);
    }
    let serde_json::Value::Object(parts) = value else { return inline(random, &value).into_bytes() };
    parts.iter().map(|(key, part)| format!("{key} = {}\n", inline(random, part))).collect::<String>().into_bytes()
}

fn inline(random: &mut Random, value: &serde_json::Value) -> String {
    use serde_json::Value;
    const OTHERS: [&str; 7] =
        ["nan", "-inf", "1979-05-27", "0x7fffffffffffffff", "9e999", "''", "99999999999999999999"];
    match value {
        Value::Null => random.pick(&OTHERS).to_owned(),
        Value::Array(parts) => {
            format!("[{}]", parts.iter().map(|part| inline(random, part)).collect::<Vec<_>>().join(", "))
        }
        Value::Object(parts) => {
            let parts = parts.iter().map(|(key, part)| format!("{key:?} = {}", inline(random, part)));
            format!("{{{}}}", parts.collect::<Vec<_>>().join(", "))
        }
        other => other.to_string(),
    }
}

/// A template of blocks inside each other.
pub(crate) fn template(random: &mut Random) -> Vec<u8> {
    nested(random, 8).into_bytes()
}

fn nested(random: &mut Random, deep: usize) -> String {
    const OPEN: [(&str, &str); 7] = [
        ("{{#each sections}}", "{{/each}}"),
        ("{{#each ../sections}}", "{{/each}}"),
        ("{{#if title}}", "{{else}}x{{/if}}"),
        ("{{#with this}}", "{{/with}}"),
        ("{{#unless (eq title \"x\")}}", "{{/unless}}"),
        ("{{#each this}}", "{{/each}}"),
        ("{{#*inline \"y\"}}", "{{/inline}}{{> y}}"),
    ];
    const LEAVES: [&str; 9] = [
        "text\n",
        "{{title}}",
        "{{section \"stalls\"}}\n",
        "{{block \"stalls.issue\"}}\n",
        "{{> partials/x}}",
        "{{this}}",
        "{{lookup this @index}}",
        "{{heading 16219676841774117306}}",
        "{{#if (and (or (not title)))}}{{/if}}",
    ];
    let part = |random: &mut Random| match deep > 0 && random.one_in(2) {
        true => {
            let (open, close) = OPEN[random.below(OPEN.len())];
            format!("{open}{}{close}", nested(random, deep - 1))
        }
        false => random.pick(&LEAVES).to_owned(),
    };
    (0..=random.below(3)).map(|_| part(random)).collect()
}
