//! The fields of an encoded message, without decoding them.

use prost::encoding::{WireType, decode_key, decode_varint};

/// One field.
pub(super) struct Field<'a> {
    pub(super) number: u32,
    /// The contents of a length-delimited field; `None` for a number.
    pub(super) contents: Option<&'a [u8]>,
    /// Key and value.
    pub(super) whole: &'a [u8],
}

/// Splits the first field off a message; `None` when there is none or it is malformed.
pub(super) fn split_field(message: &[u8]) -> Option<(Field<'_>, &[u8])> {
    let mut rest = message;
    let (number, wire_type) = decode_key(&mut rest).ok()?;
    let size = match wire_type {
        WireType::Varint => {
            decode_varint(&mut rest).ok()?;
            0
        }
        WireType::SixtyFourBit => 8,
        WireType::ThirtyTwoBit => 4,
        WireType::LengthDelimited => usize::try_from(decode_varint(&mut rest).ok()?).ok()?,
        WireType::StartGroup | WireType::EndGroup => return None,
    };
    let (value, rest) = rest.split_at_checked(size)?;
    let contents = (wire_type == WireType::LengthDelimited).then_some(value);
    Some((Field { number, contents, whole: &message[..message.len() - rest.len()] }, rest))
}

/// The bytes of the first field, key included.
pub(super) fn first_field(message: &[u8]) -> Option<&[u8]> {
    split_field(message).map(|(field, _)| field.whole)
}
