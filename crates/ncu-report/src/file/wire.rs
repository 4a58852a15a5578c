//! The fields of an encoded message, one after the other, without decoding what they hold.
//!
//! A report is thousands of small messages of which most are looked at and left; this walk copies nothing. Messages
//! that are wanted whole are decoded with `prost`. Encoding: <https://protobuf.dev/programming-guides/encoding/>.

/// What a field holds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum WireValue<'a> {
    Varint(u64),
    SixtyFourBit([u8; 8]),
    ThirtyTwoBit([u8; 4]),
    Bytes(&'a [u8]),
}

/// One field.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Field<'a> {
    pub(super) number: u32,
    pub(super) value: WireValue<'a>,
    /// Key and value.
    pub(super) whole: &'a [u8],
}

impl<'a> Field<'a> {
    /// The contents of a length-delimited field; `None` for a number.
    pub(super) fn contents(&self) -> Option<&'a [u8]> {
        match self.value {
            WireValue::Bytes(contents) => Some(contents),
            WireValue::Varint(_) | WireValue::SixtyFourBit(_) | WireValue::ThirtyTwoBit(_) => None,
        }
    }
}

/// Takes a number off the front; `None` when it is cut or longer than 64 bits.
#[inline]
fn varint(rest: &mut &[u8]) -> Option<u64> {
    match **rest {
        [byte, ref after @ ..] if byte < 0x80 => {
            *rest = after;
            Some(u64::from(byte))
        }
        [low, high, ref after @ ..] if high < 0x80 => {
            *rest = after;
            Some(u64::from(low & 0x7f) | u64::from(high) << 7)
        }
        _ => long_varint(rest),
    }
}

fn long_varint(rest: &mut &[u8]) -> Option<u64> {
    let mut value = 0;
    for (at, byte) in rest.iter().take(10).enumerate() {
        let bits = u64::from(byte & 0x7f);
        if at == 9 && bits > 1 {
            return None;
        }
        value |= bits << (7 * at);
        if byte & 0x80 == 0 {
            *rest = &rest[at + 1..];
            return Some(value);
        }
    }
    None
}

/// Splits the first field off a message; `None` when there is none or it is malformed. Every byte that is read passes
/// here, and a caller that looks at one kind of field needs a part of it.
#[inline(always)]
pub(super) fn split_field(message: &[u8]) -> Option<(Field<'_>, &[u8])> {
    let mut rest = message;
    let key = varint(&mut rest)?;
    let number = u32::try_from(key >> 3).ok().filter(|number| *number > 0)?;
    let value = match key & 7 {
        0 => WireValue::Varint(varint(&mut rest)?),
        1 => {
            let (value, after) = rest.split_first_chunk()?;
            rest = after;
            WireValue::SixtyFourBit(*value)
        }
        2 => {
            let size = usize::try_from(varint(&mut rest)?).ok()?;
            let (value, after) = rest.split_at_checked(size)?;
            rest = after;
            WireValue::Bytes(value)
        }
        5 => {
            let (value, after) = rest.split_first_chunk()?;
            rest = after;
            WireValue::ThirtyTwoBit(*value)
        }
        _ => return None,
    };
    Some((Field { number, value, whole: &message[..message.len() - rest.len()] }, rest))
}

/// The number that a message begins with, where its first field is this one, of a tag below 16.
#[inline]
pub(super) fn first_number(message: &[u8], field: u32) -> Option<u64> {
    let (key, mut rest) = message.split_first()?;
    if u32::from(*key) == field << 3 { varint(&mut rest) } else { None }
}

/// Hands out what the fields hold that a message begins with, as long as they are length-delimited and of one tag below
/// 16; what follows them is left.
#[inline]
pub(super) fn each_of<'a>(mut message: &'a [u8], field: u8, each: &mut impl FnMut(&'a [u8])) -> &'a [u8] {
    let key = field << 3 | 2;
    while let Some((first, mut rest)) = message.split_first()
        && *first == key
        && let Some((contents, after)) =
            varint(&mut rest).and_then(|size| rest.split_at_checked(usize::try_from(size).ok()?))
    {
        each(contents);
        message = after;
    }
    message
}

/// Calls `each` for the fields of a message in order; `None` when it is malformed.
#[inline]
pub(super) fn walk<'a>(mut message: &'a [u8], mut each: impl FnMut(Field<'a>)) -> Option<()> {
    while !message.is_empty() {
        let (field, rest) = split_field(message)?;
        each(field);
        message = rest;
    }
    Some(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_are_split_by_their_wire_type() {
        let message = [0x08, 0x96, 0x01, 0x12, 2, 7, 8, 0x2d, 0, 0, 0x80, 0x3f, 0x19, 0, 0, 0, 0, 0, 0, 0xf0, 0x3f];
        let mut found = Vec::new();
        walk(&message, |field| found.push((field.number, field.value, field.whole.len()))).expect("well formed");
        let expected = [
            (1, WireValue::Varint(150), 3),
            (2, WireValue::Bytes(&[7, 8]), 4),
            (5, WireValue::ThirtyTwoBit(1f32.to_le_bytes()), 5),
            (3, WireValue::SixtyFourBit(1f64.to_le_bytes()), 9),
        ];
        assert_eq!(found, expected);
    }

    #[test]
    fn what_is_cut_or_too_long_is_no_field() {
        let endless = [0x08, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 1];
        let too_large = [0x08, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 2];
        for malformed in [&[0x08][..], &[0x12, 3, 1], &[0x2d, 0], &[0x0b], &[0x00, 1], &endless, &too_large] {
            assert_eq!(split_field(malformed), None, "{malformed:?}");
        }
        let largest = [0x08, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 1];
        assert_eq!(split_field(&largest).map(|(field, _)| field.value), Some(WireValue::Varint(u64::MAX)));
    }
}
