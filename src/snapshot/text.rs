//! JSON as snapshots spell it, in which a whole number has no decimal point, and the hash of their content, which does not depend on
//! white space.

use serde_json::ser::Formatter;
use sha2::{Digest, Sha256};
use std::io::{self, Write};

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

/// From here on a double does not tell every whole number from the next.
const WHOLE: f64 = 9_007_199_254_740_992.0;

struct Short;

impl Formatter for Short {
    fn write_f64<W: Write + ?Sized>(&mut self, out: &mut W, value: f64) -> io::Result<()> {
        let is_whole = value.fract() == 0.0 && value.abs() < WHOLE && !(value == 0.0 && value.is_sign_negative());
        if is_whole { write!(out, "{}", value as i64) } else { serde_json::ser::CompactFormatter.write_f64(out, value) }
    }
}

/// A value as JSON on one line.
pub(super) fn text<T: serde::Serialize>(value: &T) -> serde_json::Result<String> {
    let mut bytes = Vec::new();
    value.serialize(&mut serde_json::Serializer::with_formatter(&mut bytes, Short))?;
    String::from_utf8(bytes).map_err(serde::ser::Error::custom)
}

#[cfg(test)]
mod tests {
    use super::{content, text};

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

    #[test]
    fn every_number_comes_back_as_it_was() {
        let all: [f64; 10] =
            [0.0, -0.0, 1.0, -3.0, 0.1, 1e300, 5e-324, 9_007_199_254_740_991.0, 9_007_199_254_740_993.0, 1e15 + 0.5];
        let written = text(&all).expect("JSON");
        assert!(written.starts_with("[0,-0.0,1,-3,0.1,1e+300,"), "{written}");
        let read: Vec<f64> = serde_json::from_str(&written).expect("numbers");
        assert!(read.iter().zip(all).all(|(read, was)| read.to_bits() == was.to_bits()), "{written}");
    }
}
