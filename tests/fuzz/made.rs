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
