//! What all text readers share: bytes to text, and readable C++ names.

use std::borrow::Cow;

/// Text of a log or table: UTF-8 with or without a byte-order mark, or UTF-16 with one (a Windows shell writes that on
/// redirection). Bytes that are not text become the replacement character.
pub(crate) fn decode(bytes: &[u8]) -> Cow<'_, str> {
    let utf16 = |bytes: &[u8], unit: fn([u8; 2]) -> u16| {
        let units = bytes.chunks_exact(2).map(|pair| unit([pair[0], pair[1]]));
        char::decode_utf16(units).map(|c| c.unwrap_or(char::REPLACEMENT_CHARACTER)).collect::<String>()
    };
    match bytes {
        [0xff, 0xfe, rest @ ..] => Cow::Owned(utf16(rest, u16::from_le_bytes)),
        [0xfe, 0xff, rest @ ..] => Cow::Owned(utf16(rest, u16::from_be_bytes)),
        [0xef, 0xbb, 0xbf, rest @ ..] => String::from_utf8_lossy(rest),
        _ => String::from_utf8_lossy(bytes),
    }
}

/// The readable form of a C++ symbol; the symbol itself where it is not a mangled C++ name.
pub(crate) fn demangle(symbol: &str) -> String {
    cpp_demangle::Symbol::new(symbol)
        .ok()
        .and_then(|parsed| parsed.demangle().ok())
        .unwrap_or_else(|| symbol.to_owned())
}

/// Bytes as lower-case hexadecimal digits.
pub(crate) fn hexadecimal(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_comes_from_utf8_and_utf16() {
        assert_eq!(decode(b"ptxas"), "ptxas");
        assert_eq!(decode(b"\xef\xbb\xbfptxas"), "ptxas");
        assert_eq!(decode(b"\xff\xfep\0t\0"), "pt");
        assert_eq!(decode(b"\xfe\xff\0p\0t\0"), "pt");
        assert_eq!(decode(b"a\xffb"), "a\u{fffd}b");
    }

    #[test]
    fn names_that_are_not_mangled_stay() {
        assert_eq!(demangle("_Z6spillsIfLi64EEvPKT_PS0_i"), "void spills<float, 64>(float const*, float*, int)");
        assert_eq!(demangle("plain_kernel"), "plain_kernel");
    }
}
