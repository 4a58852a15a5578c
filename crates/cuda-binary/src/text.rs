//! What all text readers share: bytes to text, and readable C++ names.

use arcstr::ArcStr;
use bytes::Bytes;
use rustc_hash::FxHashSet;
use std::borrow::Cow;
use std::fmt::{self, Write};

/// Bytes of a readable C++ name.
const NAME: usize = 64 << 10;

/// Hands out one shared copy of each distinct text.
#[derive(Default)]
pub struct Texts(FxHashSet<ArcStr>);

impl Texts {
    /// The shared copy of a text.
    pub fn of(&mut self, text: &str) -> ArcStr {
        if let Some(known) = self.0.get(text) {
            return known.clone();
        }
        let kept: ArcStr = text.into();
        self.0.insert(kept.clone());
        kept
    }

    /// The same of bytes; those that are not UTF-8 become replacement characters.
    pub fn of_bytes(&mut self, text: &[u8]) -> ArcStr {
        self.of(&lossy(text))
    }

    /// The text of a field; an absent field is the empty text.
    pub fn of_field(&mut self, field: Option<&Bytes>) -> ArcStr {
        self.of_bytes(field.map_or(&[], |bytes| bytes.as_ref()))
    }
}

/// The text of bytes, as [`String::from_utf8_lossy`] gives it, which reads byte by byte; nearly all text is UTF-8.
pub fn lossy(bytes: &[u8]) -> Cow<'_, str> {
    std::str::from_utf8(bytes).map_or_else(|_| String::from_utf8_lossy(bytes), Cow::Borrowed)
}

/// Text of a log or table: UTF-8 with or without a byte-order mark, or UTF-16 with one (a Windows shell writes that on
/// redirection). Bytes that are not text become the replacement character.
pub fn decode(bytes: &[u8]) -> Cow<'_, str> {
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

/// The readable form of a C++ symbol; the symbol itself where it is not a mangled C++ name, or one that grows without
/// bound.
pub fn demangle(symbol: &str) -> String {
    let Ok(parsed) = cpp_demangle::Symbol::new(symbol) else { return symbol.to_owned() };
    let mut readable = Bounded(String::new());
    match parsed.structured_demangle(&mut readable, &cpp_demangle::DemangleOptions::new()) {
        Ok(()) => readable.0,
        Err(_) => symbol.to_owned(),
    }
}

/// Text of at most [`NAME`] bytes: a substitution of a mangled name doubles what stands before it with two letters.
struct Bounded(String);

impl Write for Bounded {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        if self.0.len() + text.len() > NAME {
            return Err(fmt::Error);
        }
        self.0.push_str(text);
        Ok(())
    }
}

/// Bytes as lower-case hexadecimal digits.
pub fn hexadecimal(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// The function of a demangled name: `reduce` of `void ns::reduce<float, 4>(float const*)`.
pub fn function_name(name: &str) -> &str {
    const ANONYMOUS: &str = "(anonymous namespace)";
    let (mut depth, mut start, mut end) = (0_i32, 0, None);
    let mut inside_anonymous = 0;
    for (at, c) in name.char_indices() {
        if at < inside_anonymous {
            continue;
        }
        match c {
            '(' if depth == 0 && name[at..].starts_with(ANONYMOUS) => inside_anonymous = at + ANONYMOUS.len(),
            '(' if depth == 0 => {
                end = end.or(Some(at));
                break;
            }
            '<' | '(' => {
                if depth == 0 {
                    end = Some(at);
                }
                depth += 1;
            }
            '>' | ')' => depth -= 1,
            ':' | ' ' if depth == 0 => (start, end) = (at + 1, None),
            _ => {}
        }
    }
    &name[start..end.unwrap_or(name.len()).max(start)]
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
    fn a_name_that_doubles_with_every_letter_stays_as_it_is() {
        // Parameters that are each a template of the one before, twice.
        let parameters = |levels: usize| -> String {
            "0123456789ABCDEFGHIJKLMNOPQRST".chars().take(levels).map(|id| format!("S_IS{id}_S{id}_E")).collect()
        };
        let symbol = |levels| format!("_Z1f1AIiE{}", parameters(levels));
        assert_eq!(demangle(&symbol(2)), "f(A<int>, A<A<int>, A<int> >, A<A<A<int>, A<int> >, A<A<int>, A<int> > >)");
        assert_eq!(demangle(&symbol(30)), symbol(30));
    }

    #[test]
    fn names_that_are_not_mangled_stay() {
        assert_eq!(demangle("_Z6spillsIfLi64EEvPKT_PS0_i"), "void spills<float, 64>(float const*, float*, int)");
        assert_eq!(demangle("plain_kernel"), "plain_kernel");
    }

    #[test]
    fn function_names_lose_parameters_templates_and_namespaces() {
        for (name, function) in [
            ("gemm_bias_v1(const float *, int)", "gemm_bias_v1"),
            ("void ns::reduce<float, ns::Op<3>>(float const*)", "reduce"),
            ("void cutlass::Kernel<a::B<(int)4>>(T1::Params)", "Kernel"),
            ("void (anonymous namespace)::fill<int>(int*)", "fill"),
            ("void <unnamed>::scale<float>(float)", "scale"),
            ("void at::native::elementwise<4, at::f(at::T&)::{lambda(int)#1}>(int, T3)", "elementwise"),
            ("void a::(anonymous namespace)::fill<int>(int*)", "fill"),
            ("plain", "plain"),
            ("triton_poi_fused_0d1d2", "triton_poi_fused_0d1d2"),
            ("", ""),
        ] {
            assert_eq!(function_name(name), function, "{name}");
        }
    }
}
