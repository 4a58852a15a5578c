//! The assembler's statements in a log: where each begins and what it says.
//!
//! Statements are searched in the whole text with any white space between words, so a wrapped line reads like a whole one.

use regex::{Captures, Regex};
use std::borrow::Cow;
use std::sync::LazyLock;

/// One item of the usage line beside the registers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Usage {
    /// `used 1 barriers`.
    Barriers(u64),
    /// `776 bytes cumulative stack size`.
    CumulativeStack(u64),
    /// `8448 bytes smem`.
    Shared(u64),
    /// `16 bytes lmem`.
    Local(u64),
    /// `364 bytes cmem[0]`.
    Constant(u32, u64),
    /// Textures, surfaces, samplers and global memory, which the record has no place for.
    Other,
    /// An item of another shape.
    Unknown(String),
    /// The line does not end where its items do: the log was cut there, or another program's text begins.
    Cut,
}

/// What a statement says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Said<'a> {
    /// `Compiling entry function 'X' for 'sm_90a'`.
    Entry { mangled: &'a str, arch: &'a str },
    /// `Function properties for X`.
    Properties { mangled: &'a str },
    /// `0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads`.
    Frame { stack: u64, stores: u64, loads: u64 },
    /// `Used 31 registers, ...`.
    Used { registers: u64, usage: Vec<Usage> },
    /// A warning, an error, or a remark that voids something the programmer asked for.
    Warning(String),
    /// A line of the assembler that fits none of the above.
    Unrecognised(String),
}

/// A statement and the line at which it begins, from 1.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Statement<'a> {
    pub(super) line: u64,
    pub(super) said: Said<'a>,
}

/// White space, digits, word characters and word boundaries are ASCII: the log's are, and the fast engines of `regex`
/// need it.
fn compiled(pattern: &str) -> Regex {
    let ascii = [r"\s", r"\d", r"\w", r"\b"]
        .iter()
        .fold(pattern.to_owned(), |pattern, class| pattern.replace(class, &format!("(?-u:{class})")));
    Regex::new(&ascii).expect("the pattern is a constant and was compiled in a test")
}

/// What the assembler puts before a statement.
pub(super) static PREFIX: LazyLock<Regex> =
    LazyLock::new(|| compiled(r"(?m)\bptxas\s+(?:[^\n]*?,\s+line\s+\d+;\s+)?(?:info|warning|error|fatal)\s*:"));

static STATEMENT: LazyLock<Regex> = LazyLock::new(|| {
    compiled(concat!(
        r"\bptxas\s+info\s*:\s+Compiling\s+entry\s+function\s+'(?<entry>[^'\n]*)'\s+for\s+'(?<arch>[^'\n]*)'",
        r"|\bptxas\s+info\s*:\s+Function\s+properties\s+for\s+(?<function>\S+)",
        r"|\b(?<stack>\d+)\s+bytes\s+stack\s+frame,\s+(?<stores>\d+)\s+bytes\s+spill\s+stores,",
        r"\s+(?<loads>\d+)\s+bytes\s+spill\s+loads",
        r"|\bptxas\s+info\s*:\s+Used\s+(?<registers>\d+)\s+registers",
        r"(?<usage>(?:\s*,\s+(?:used\s+)?\d[0-9+]*\s+(?:bytes\s+cumulative\s+stack\s+size|bytes\s+[A-Za-z0-9_\[\]]+|\w+))*)",
        r"|\bptxas\s+info\s*:\s+(?<quiet>Compile\s+time\s*=\s*[0-9.]+\s+\w+|\d+\s+bytes\s+gmem(?:,\s+\d+\s+bytes\s+\S+)*)",
        r"|(?m:\bptxas\s+(?:(?<file>[^\n]*?),\s+line\s+(?<at>\d+);\s+)?(?<level>info|warning|error|fatal)\s*:",
        r"[ \t]*(?<message>[^\n]*(?:\n[ \t]+\.\w[^\n]*)?)$)",
        r"|(?m:^\s*ptxas[ \t]+(?<strange>[^-\n][^\n]*)$)",
    ))
});

static ITEM: LazyLock<Regex> = LazyLock::new(|| {
    compiled(concat!(
        r"(?:used\s+)?(?<first>\d+)(?:\+(?<second>\d+))?\s+",
        r"(?:(?<barriers>barriers?)|bytes\s+(?:(?<stack>cumulative\s+stack\s+size)|(?<shared>smem)|(?<local>lmem)",
        r"|cmem\[(?<bank>\d+)\]|(?<global>gmem))|(?<texture>textures?|surfaces?|samplers?))$"
    ))
});

/// A remark of the level `info` that tells of something voided or doubtful, by words seen in real logs.
static REMARK: LazyLock<Regex> = LazyLock::new(|| {
    compiled(r"^\(C\d+\)|ignored|Potential Performance|Overriding|out of range|[Cc]annot be|adjusting|spilled")
});

/// Takes colours, carriage returns and the prefix of continued lines out, without moving a line.
pub(super) fn flatten(text: &str) -> String {
    static COLOUR: LazyLock<Regex> = LazyLock::new(|| compiled("\u{1b}\\[[0-9;]*[A-Za-z]|\r"));
    static CONTINUED: LazyLock<Regex> = LazyLock::new(|| compiled(r"(?m)\bptxas[ \t]+\.[ \t]"));
    let plain = if text.contains(['\u{1b}', '\r']) { COLOUR.replace_all(text, "") } else { Cow::Borrowed(text) };
    CONTINUED.replace_all(&plain, " ").into_owned()
}

/// Every statement of the assembler, in the order of the text.
pub(super) fn statements(text: &str) -> impl Iterator<Item = Statement<'_>> {
    let (mut line, mut counted) = (1, 0);
    STATEMENT.captures_iter(text).filter_map(move |found| {
        let start = found.get(0)?.start();
        line += text[counted..start].bytes().filter(|byte| *byte == b'\n').count() as u64;
        counted = start;
        let mut said = said(&found)?;
        if let Said::Used { usage, .. } = &mut said
            && !ends_line(&text[found.get(0)?.end()..])
        {
            usage.push(Usage::Cut);
        }
        Some(Statement { line, said })
    })
}

/// Whether a line ends here.
fn ends_line(rest: &str) -> bool {
    rest.split_once('\n').is_some_and(|(line, _)| line.trim().is_empty())
}

/// What a match says; `None` for what carries no evidence (compile time, module-wide memory).
fn said<'a>(found: &Captures<'a>) -> Option<Said<'a>> {
    let text = |name| found.name(name).map(|group| group.as_str());
    // A number too large for 64 bits is no number of bytes or registers: the whole statement is then not understood.
    let number = |name| text(name).and_then(|digits| digits.parse::<u64>().ok());
    let unrecognised = || Said::Unrecognised(one_line(&found[0]));
    Some(if let (Some(mangled), Some(arch)) = (text("entry"), text("arch")) {
        Said::Entry { mangled, arch }
    } else if let Some(mangled) = text("function") {
        Said::Properties { mangled }
    } else if text("stack").is_some() {
        match (number("stack"), number("stores"), number("loads")) {
            (Some(stack), Some(stores), Some(loads)) => Said::Frame { stack, stores, loads },
            _ => unrecognised(),
        }
    } else if text("registers").is_some() {
        match number("registers") {
            Some(registers) => Said::Used { registers, usage: usage(text("usage").unwrap_or_default()) },
            None => unrecognised(),
        }
    } else if text("quiet").is_some() {
        return None;
    } else if let (Some(level), Some(message)) = (text("level"), text("message")) {
        let message = one_line(message);
        let place = text("file").map(|file| {
            let base = file.rsplit(['/', '\\']).next().unwrap_or(file);
            format!("{base}, line {}: ", text("at").unwrap_or_default())
        });
        match level {
            "info" if !REMARK.is_match(&message) => unrecognised(),
            "info" | "warning" => Said::Warning(format!("{}{message}", place.unwrap_or_default())),
            _ => Said::Warning(format!("{level}: {}{message}", place.unwrap_or_default())),
        }
    } else {
        unrecognised()
    })
}

fn usage(items: &str) -> Vec<Usage> {
    items.split(',').map(one_line).filter(|item| !item.is_empty()).map(|item| usage_item(&item)).collect()
}

/// One item. `8+16 bytes smem` (compilers before CUDA 5) is the kernel's own and the system's share: the sum is in use.
fn usage_item(item: &str) -> Usage {
    let unknown = || Usage::Unknown(item.to_owned());
    let Some(found) = ITEM.captures(item) else { return unknown() };
    let number = |name| found.name(name).map_or(Some(0), |digits| digits.as_str().parse::<u64>().ok());
    let Some(value) = number("first").zip(number("second")).and_then(|(a, b)| a.checked_add(b)) else {
        return unknown();
    };
    let has = |name| found.name(name).is_some();
    if has("barriers") {
        Usage::Barriers(value)
    } else if has("stack") {
        Usage::CumulativeStack(value)
    } else if has("shared") {
        Usage::Shared(value)
    } else if has("local") {
        Usage::Local(value)
    } else if has("global") || has("texture") {
        Usage::Other
    } else {
        match found.name("bank").and_then(|bank| bank.as_str().parse().ok()) {
            Some(bank) => Usage::Constant(bank, value),
            None => unknown(),
        }
    }
}

fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all(text: &str) -> Vec<Said<'_>> {
        statements(text).map(|statement| statement.said).collect()
    }

    #[test]
    fn usage_items_come_in_any_order_and_wrapped() {
        let text = "ptxas info : Used 28 registers, 24 bytes cumulative stack size, \n      512 bytes cmem[0], used 2 barriers, 3 textures, 8+16 bytes smem, 9 zorks\n";
        let expected = vec![
            Usage::CumulativeStack(24),
            Usage::Constant(0, 512),
            Usage::Barriers(2),
            Usage::Other,
            Usage::Shared(24),
            Usage::Unknown("9 zorks".into()),
        ];
        assert_eq!(all(text), [Said::Used { registers: 28, usage: expected }]);
    }

    #[test]
    fn a_linker_statement_is_not_the_assemblers() {
        assert_eq!(
            all("nvlink info    : Function properties for 'k':\nnvlink info    : used 8 registers, 0 stack\n"),
            []
        );
    }

    #[test]
    fn a_command_line_is_not_a_statement() {
        assert_eq!(all("/opt/cuda/bin/ptxas -v -arch=sm_90a x.ptx\n#$ ptxas --gpu-name=sm_80\nptxas -v a.ptx\n"), []);
    }

    #[test]
    fn levels_and_places_are_told_apart() {
        let text = "ptxas /build/x/a.ptx, line 14; warning : .minnctapersm is ignored.\nptxas fatal   : Unresolved extern function 'f'\nptxas info    : something new\nptxas says hello\n";
        assert_eq!(
            all(text),
            [
                Said::Warning("a.ptx, line 14: .minnctapersm is ignored.".into()),
                Said::Warning("fatal: Unresolved extern function 'f'".into()),
                Said::Unrecognised("ptxas info : something new".into()),
                Said::Unrecognised("ptxas says hello".into()),
            ]
        );
    }

    #[test]
    fn a_number_beyond_64_bits_is_not_understood() {
        let text = "99999999999999999999 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads";
        assert!(matches!(all(text)[..], [Said::Unrecognised(_)]));
    }

    #[test]
    fn lines_are_counted_from_one_through_wraps() {
        let text = flatten(
            "noise\nptxas info    : Function properties for\n k\nptxas         .     8 bytes stack frame, 0 bytes spill stores,\n 0 bytes spill loads\n",
        );
        let found: Vec<_> = statements(&text).collect();
        assert_eq!(found[0], Statement { line: 2, said: Said::Properties { mangled: "k" } });
        assert_eq!(found[1], Statement { line: 4, said: Said::Frame { stack: 8, stores: 0, loads: 0 } });
    }
}
