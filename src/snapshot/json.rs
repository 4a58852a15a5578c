//! JSON as snapshots spell it: a whole number has no decimal point.

use serde_json::ser::Formatter;
use std::io::{self, Write};

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
    use super::text;

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
