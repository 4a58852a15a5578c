//! What one line of a disassembly is.

/// A line, by what it tells.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Line<'a> {
    /// An instruction: its offset, its text up to the `;`, and the encoding word after it.
    Instruction { offset: u64, text: &'a str, word: Option<u64> },
    /// The second encoding word of the instruction before.
    Word(u64),
    /// `//## File "x.cu", line 9`, with the call it was inlined into.
    Place { at: (&'a str, u32), inlined_at: Option<(&'a str, u32)> },
    /// `.L_x_0:`, and the name of a function at its start.
    Label(&'a str),
    /// The beginning of a function's code.
    Function(&'a str),
    /// The beginning of a section that holds no code.
    OtherSection,
    /// The architecture of what follows.
    Arch(&'a str),
    /// The architecture as a number, from a header flag.
    ArchNumber(&'a str),
    /// Nothing that evidence needs.
    Known,
    /// Anything else.
    Unrecognised,
}

/// Headings of `cuobjdump`, by their beginning.
const HEADINGS: &[&str] = &[
    "Fatbin ",
    "======",
    "code version",
    "producer",
    "host =",
    "compile_size",
    "identifier",
    "compressed",
    "has debug",
    "....",
    "ptxasOptions",
    "Member ",
    "debug ",
];

/// What a line is.
pub(super) fn classify(line: &str) -> Line<'_> {
    let text = without_life_ranges(line).trim();
    let bytes = text.as_bytes();
    match bytes {
        [] => Line::Known,
        [b'/', b'*', ..] => coded(text),
        [b'/', b'/', b'#', b'#', ..] => place(text).unwrap_or(Line::Unrecognised),
        [b'/', b'/', ..] => Line::Known,
        [b'.', ..] if text.ends_with(':') && !text.contains(char::is_whitespace) => label(text),
        [b'.', ..] => directive(text),
        _ => {
            if let Some(name) = text.strip_prefix("Function : ") {
                Line::Function(name.trim())
            } else if let Some(arch) = text.strip_prefix("code for ").or(text.strip_prefix("arch = ")) {
                Line::Arch(arch.trim())
            } else if text.ends_with(':') && !text.contains(char::is_whitespace) {
                label(text)
            } else if HEADINGS.iter().any(|heading| text.starts_with(heading)) || text == "}" || text == "{" {
                Line::Known
            } else {
                Line::Unrecognised
            }
        }
    }
}

/// A line without the columns of registers in use that `nvdisasm -plr` prints behind every one.
fn without_life_ranges(line: &str) -> &str {
    let columns = |at: &usize| matches!(line.as_bytes().get(at + 3), Some(b'|' | b'+'));
    line.match_indices("// ").map(|(at, _)| at).find(columns).map_or(line, |at| &line[..at])
}

fn label(text: &str) -> Line<'_> {
    let name = text.trim_end_matches(':');
    if name.starts_with(".text.") { Line::Known } else { Line::Label(name) }
}

fn directive(text: &str) -> Line<'_> {
    let mut words = text.split_whitespace();
    match (words.next(), words.next()) {
        (Some(".section"), Some(section)) => {
            match section.split(',').next().and_then(|name| name.strip_prefix(".text.")) {
                Some(name) => Line::Function(name),
                None => Line::OtherSection,
            }
        }
        (Some(".target"), Some(arch)) => Line::Arch(arch),
        (Some(".headerflags"), Some(_)) => text
            .split_once("EF_CUDA_SM")
            .map(|(_, rest)| rest.split(|c: char| !c.is_ascii_digit()).next().unwrap_or_default())
            .filter(|number| !number.is_empty())
            .map_or(Line::Known, Line::ArchNumber),
        _ => Line::Known,
    }
}

/// `/*0010*/ S2R R7, SR_TID.X ; /* 0x... */`, or `/* 0x... */` alone. Data of other sections looks like the former and
/// holds a directive.
fn coded(text: &str) -> Line<'_> {
    let Some((comment, rest)) = text[2..].split_once("*/") else { return Line::Unrecognised };
    if comment.starts_with(' ') {
        return word(text).map_or(Line::Unrecognised, Line::Word);
    }
    let Ok(offset) = u64::from_str_radix(comment, 16) else { return Line::Unrecognised };
    let rest = rest.trim_start();
    if rest.starts_with('.') {
        return Line::Known;
    }
    match rest.split_once(';') {
        Some((text, after)) => Line::Instruction { offset, text: text.trim_end(), word: word(after) },
        None => Line::Unrecognised,
    }
}

/// The number in `/* 0x00000a00ff017b82 */`.
fn word(text: &str) -> Option<u64> {
    let digits = text.trim().trim_end_matches('}').trim().strip_prefix("/* 0x")?.strip_suffix("*/")?;
    u64::from_str_radix(digits.trim_end(), 16).ok()
}

fn place(text: &str) -> Option<Line<'_>> {
    let (at, rest) = file_and_line(text.split_once("File ")?.1)?;
    let inlined_at = rest.split_once("inlined at ").and_then(|(_, call)| file_and_line(call)).map(|(call, _)| call);
    Some(Line::Place { at, inlined_at })
}

/// `"x.cu", line 9 ...`: file, line, and what follows.
fn file_and_line(text: &str) -> Option<((&str, u32), &str)> {
    let (file, rest) = text.trim_start().strip_prefix('"')?.split_once('"')?;
    let rest = rest.trim_start_matches([',', ' ']).strip_prefix("line ")?;
    let digits = rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len());
    Some(((file, rest[..digits].parse().ok()?), &rest[digits..]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_of_both_disassemblers_are_told_apart() {
        for (text, line) in [
            (
                "        /*0010*/                   S2R R7, SR_TID.X ;     /* 0x0000000000077919 */",
                Line::Instruction { offset: 16, text: "S2R R7, SR_TID.X", word: Some(0x77919) },
            ),
            ("        /*0080*/                   NOP;", Line::Instruction { offset: 128, text: "NOP", word: None }),
            ("                 /* 0x000fe20000000800 */", Line::Word(0x000f_e200_0000_0800)),
            ("        /*0000*/ \t.byte\t0x04, 0x2f", Line::Known),
            (".L_x_7:", Line::Label(".L_x_7")),
            ("$tiny$_Z4slowPKfi:", Line::Label("$tiny$_Z4slowPKfi")),
            (".text.tiny:", Line::Known),
            ("\t.section\t.text.tiny,\"ax\",@progbits", Line::Function("tiny")),
            ("\t.section\t.nv.info,\"\",@\"SHT_CUDA_INFO\"", Line::OtherSection),
            ("\t\tFunction : _Z1kv", Line::Function("_Z1kv")),
            ("\tcode for sm_90a", Line::Arch("sm_90a")),
            ("\t.headerflags\t@\"EF_CUDA_TEXMODE_UNIFIED EF_CUDA_SM80\"", Line::ArchNumber("80")),
            ("\t.headerflags\t@\"EF_CUDA_ACCELERATORS EF_CUDA_SM\"", Line::Known),
            ("\t//## File \"a b.cu\", line 9", Line::Place { at: ("a b.cu", 9), inlined_at: None }),
            (
                "\t//## File \"a.h\", line 4 inlined at \"b.cu\", line 15",
                Line::Place { at: ("a.h", 4), inlined_at: Some(("b.cu", 15)) },
            ),
            ("//--------------------- .text.tiny ----", Line::Known),
            ("\t\t..........", Line::Known),
            (".L_x_1:        // |  1   ^      |", Line::Label(".L_x_1")),
            (
                "  /*0080*/   EXIT ;     /* 0x1 */   // |  1   :    |",
                Line::Instruction { offset: 128, text: "EXIT", word: Some(1) },
            ),
            ("    // +------+-----+", Line::Known),
            ("/*00", Line::Unrecognised),
            ("hello world", Line::Unrecognised),
        ] {
            assert_eq!(classify(text), line, "{text}");
        }
    }
}
