//! The survey of fields that this reader does not know.
//!
//! A message that has been decoded is encoded again and compared with its original, field by field: what did not
//! come back is unknown. So the known fields are stated once, in [`super::message`]. A field that is kept as raw bytes
//! comes back whole; what lies inside it is surveyed where it is decoded, or not at all.

use super::wire::split_field;
use std::collections::BTreeMap;

/// How deep messages may nest before the survey stops looking.
const DEPTH: usize = 16;

/// Unknown fields by path (`ProfileResult.38`, `ReportSessionDetails.10.3`), with how often each was met.
#[derive(Default)]
pub(super) struct Survey(BTreeMap<String, u64>);

/// The contents of length-delimited fields, or nothing for other wire types, by field number in the order of the file.
type Fields<'a> = BTreeMap<u32, Vec<Option<&'a [u8]>>>;

impl Survey {
    /// Compares a message with what is left of it after decoding and encoding.
    pub(super) fn compare(&mut self, message: &str, original: &[u8], known: &[u8]) {
        self.level(message, original, known, DEPTH);
    }

    fn level(&mut self, path: &str, original: &[u8], known: &[u8], depth: usize) {
        let (Some(original), Some(known)) = (fields(original), fields(known)) else { return };
        for (number, values) in original {
            match known.get(&number) {
                None => *self.0.entry(format!("{path}.{number}")).or_default() += values.len() as u64,
                Some(kept) if kept.len() == values.len() && depth > 0 => {
                    for pair in values.iter().zip(kept) {
                        if let (Some(value), Some(kept)) = pair
                            && value != kept
                        {
                            self.level(&format!("{path}.{number}"), value, kept, depth - 1);
                        }
                    }
                }
                Some(_) => {}
            }
        }
    }

    /// The counts, sorted by path.
    pub(super) fn finish(self) -> Vec<(String, u64)> {
        self.0.into_iter().collect()
    }
}

/// Splits a message; `None` when it is none.
fn fields(mut message: &[u8]) -> Option<Fields<'_>> {
    let mut fields = Fields::new();
    while !message.is_empty() {
        let (field, rest) = split_field(message)?;
        message = rest;
        fields.entry(field.number).or_default().push(field.contents());
    }
    Some(fields)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_that_did_not_come_back_are_counted_with_their_path() {
        // 1: varint 7, 2: {1: varint 1, 9: varint 3}, 5: four bytes, 5: four bytes
        let original = [0x08, 7, 0x12, 4, 0x08, 1, 0x48, 3, 0x2d, 0, 0, 0, 0, 0x2d, 1, 0, 0, 0];
        let known = [0x08, 7, 0x12, 2, 0x08, 1];
        let mut survey = Survey::default();
        survey.compare("Message", &original, &known);
        assert_eq!(survey.finish(), [("Message.2.9".to_owned(), 1), ("Message.5".to_owned(), 2)]);
    }

    #[test]
    fn a_message_that_came_back_whole_has_no_unknown_fields() {
        let mut survey = Survey::default();
        survey.compare("Message", &[0x08, 7, 0x12, 2, 0x08, 1], &[0x12, 2, 0x08, 1, 0x08, 7]);
        assert_eq!(survey.finish(), []);
    }
}
