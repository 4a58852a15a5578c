//! The hash of a snapshot's content, which does not depend on how its JSON is laid out.

use serde_json::Value;
use sha2::{Digest, Sha256};
use std::fmt::Write as _;

/// SHA-256 over the canonical form of some values, as lower-case hexadecimal: compact JSON with the keys of every object
/// in ascending order of their bytes, as `serde_json` keeps them, each value followed by a line end.
pub(super) fn content(values: &[&Value]) -> String {
    let mut hasher = Sha256::new();
    for value in values {
        hasher.update(value.to_string());
        hasher.update(b"\n");
    }
    hasher.finalize().iter().fold(String::new(), |mut text, byte| {
        // Writing to a string cannot fail.
        let _ = write!(text, "{byte:02x}");
        text
    })
}

#[cfg(test)]
mod tests {
    use super::content;
    use serde_json::json;

    #[test]
    fn layout_does_not_count_and_content_does() {
        let parse = |text: &str| serde_json::from_str::<serde_json::Value>(text).expect("JSON");
        let same = [parse(r#"{"a":1,"b":[2.5,"x"]}"#), parse("{ \"b\": [ 2.5, \"x\" ],\n \"a\": 1 }")];
        assert_eq!(content(&[&same[0]]), content(&[&same[1]]));
        assert_ne!(content(&[&same[0]]), content(&[&json!({"a": 2, "b": [2.5, "x"]})]));
        assert_ne!(content(&[&json!(1), &json!(2)]), content(&[&json!([1, 2])]));
        // printf '{"a":1}\n' | sha256sum
        let known = "e346432021b04179518d9614f3560ccd71354a4ee101ddcb893d6959a9d6301c";
        assert_eq!(content(&[&json!({"a": 1})]), known);
    }
}
