//! The hash of a snapshot's content, which does not depend on the white space of its JSON.

use sha2::{Digest, Sha256};

/// SHA-256 over JSON texts without white space, each followed by a line end, as lower-case hexadecimal.
pub(super) fn content(texts: &[&str]) -> String {
    let mut hasher = Sha256::new();
    for text in texts {
        without_space(text, |piece| hasher.update(piece));
        hasher.update(b"\n");
    }
    format!("{:x}", hasher.finalize())
}

/// Hands out the pieces of a JSON text between the white space that stands outside of its strings.
fn without_space(text: &str, mut each: impl FnMut(&[u8])) {
    let bytes = text.as_bytes();
    let (mut in_string, mut is_escaped, mut start) = (false, false, 0);
    for (at, byte) in bytes.iter().enumerate() {
        match byte {
            _ if is_escaped => is_escaped = false,
            b'\\' => is_escaped = in_string,
            b'"' => in_string = !in_string,
            b' ' | b'\t' | b'\n' | b'\r' if !in_string => {
                each(&bytes[start..at]);
                start = at + 1;
            }
            _ => {}
        }
    }
    each(&bytes[start..]);
}

#[cfg(test)]
mod tests {
    use super::content;

    #[test]
    fn layout_does_not_count_and_content_does() {
        let compact = r#"{"a":1,"b":[2.5,"x \" y"]}"#;
        assert_eq!(content(&[compact]), content(&["{ \"a\": 1,\n \"b\": [ 2.5, \"x \\\" y\" ]\r\n}"]));
        assert_ne!(content(&[compact]), content(&[r#"{"a":1,"b":[2.5,"x\" y"]}"#]), "a space in a string");
        assert_ne!(content(&["1", "2"]), content(&["[1,2]"]));
        // printf '{"a":1}\n' | sha256sum
        let known = "e346432021b04179518d9614f3560ccd71354a4ee101ddcb893d6959a9d6301c";
        assert_eq!(content(&[r#"{"a":1}"#]), known);
    }
}
