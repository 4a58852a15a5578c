//! The source view: code line by line with its costs, and the instructions beside it, as finished strings.

use crate::analysis::{LineCost, Listing};
use crate::quantity::{format, glance};
use crate::words::Words;
use crate::{catalog, words};

/// Stall reasons named for one line.
const REASONS: usize = 3;

/// Costs of a line or an instruction; empty where nothing is to be said.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CostText {
    /// Share of all warp samples.
    pub samples: String,
    /// How many samples beside the line with the most, 0 to 9; empty for none.
    pub heat: String,
    /// Share of the old side's samples at the line of the same text, and its heat there; empty where that has none.
    pub old: (String, String),
    /// What its samples wait for.
    pub waits: String,
    /// Sectors of global memory.
    pub sectors: String,
    /// Sectors beyond what the bytes need.
    pub excess: String,
    /// Warp-level executions.
    pub executed: String,
    /// The counts behind these words, and those of each stall reason: `Samples 120;Executed 4096;Long scoreboard 96`.
    pub counts: String,
}

/// A line of source, or an instruction.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CodeRow {
    /// Identifies the line of source on the page, `f0-25`: its own, or an instruction's; empty where none is known.
    pub line: String,
    /// Line number, or byte offset: `25`, `0x1f0`.
    pub at: String,
    /// The text with its indentation; empty for an instruction that no disassembler was at hand for.
    pub text: String,
    /// The calls that it was inlined at, `gemm.cu:294, gemm.cu:310`; empty for code that is where it was written.
    pub callers: String,
    pub cost: CostText,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SourceFile {
    pub name: String,
    pub rows: Vec<CodeRow>,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SourceText {
    /// What is shown and what is not; empty where a page has no source view.
    pub note: Words,
    /// Whether lines have the samples of an old side.
    pub has_old: bool,
    pub files: Vec<SourceFile>,
    /// Instructions; empty where the page is made without them.
    pub code: Vec<CodeRow>,
}

pub(crate) fn source_text(listing: &Listing) -> SourceText {
    let costs = || listing.files.iter().flat_map(|file| &file.lines).filter_map(|line| line.cost.as_ref());
    let most = costs().filter_map(|cost| cost.samples).max().unwrap_or(0);
    let (old, most_old) = listing.old_samples.unzip();
    let hottest = listing.instructions.iter().filter_map(|one| one.cost.samples).max().unwrap_or(0);
    let id = |file: usize, line: u32| format!("f{file}-{line}");
    let cost = |cost: &LineCost| CostText {
        old: heated(cost.old, old, most_old.unwrap_or_default()),
        ..written(cost, listing.samples, most)
    };
    let files = listing.files.iter().enumerate().map(|(at, file)| {
        let rows = file.lines.iter().map(|line| CodeRow {
            line: id(at, line.number),
            at: line.number.to_string(),
            text: verbatim(&line.text),
            callers: line.callers.join(", "),
            cost: line.cost.as_ref().map(cost).unwrap_or_default(),
        });
        SourceFile { name: file.name.clone(), rows: rows.collect() }
    });
    let code = listing.instructions.iter().map(|one| CodeRow {
        line: one.line.map(|(file, line)| id(file, line)).unwrap_or_default(),
        at: format!("{:#x}", one.offset),
        text: verbatim(&one.text),
        callers: String::new(),
        cost: written(&one.cost, listing.samples, hottest),
    });
    let has_old = old.is_some();
    SourceText { note: note(listing), has_old, files: files.collect(), code: code.collect() }
}

fn note(listing: &Listing) -> Words {
    let mut parts = Vec::new();
    parts.push(if listing.files.is_empty() {
        words!("No source lines: the code has no line information, or the report holds no code. Build with `nvcc -lineinfo` and profile with `--import-source yes`.")
    } else {
        words!("Launch {}, each instruction at the line that it belongs to.", listing.launch.to_string())
    });
    if !listing.is_whole {
        parts.push(words!("From the snapshot: opcodes without operands, and the text of the lines that the page names; a page made from the report shows all."));
    }
    parts.push(match listing.samples {
        Some(all) => words!(
            "Shares are of {} warp samples; the sampler names the instruction that waits, which comes after its cause.",
            format::integer(all)
        ),
        None => words!("The report holds no warp samples by instruction."),
    });
    if let Some((old, _)) = listing.old_samples {
        parts.push(words!(
            "Old: the share of the old side's {} samples at its line of the same text, or at the one in its place.",
            format::integer(old)
        ));
    }
    if listing.is_whole && !listing.has_operands {
        parts.push(words!("Opcodes are read from the machine code in the report; operands come from a build whose code is the one that ran (`source` or `cubin` in audit.toml)."));
    }
    words::join(parts, " ")
}

fn percent(part: u64, whole: u64, digits: usize) -> String {
    format!("{} %", format::fixed(100.0 * part as f64 / whole as f64, digits))
}

/// The share of some samples in all, and how many they are beside the most, 0 to 9; empty for none.
fn heated(own: Option<u64>, all: Option<u64>, most: u64) -> (String, String) {
    let both = own.filter(|n| *n > 0).zip(all.filter(|n| *n > 0));
    both.map(|(own, all)| (percent(own, all, 1), (9 * own / most.max(1)).min(9).to_string())).unwrap_or_default()
}

fn written(cost: &LineCost, all: Option<u64>, most: u64) -> CostText {
    let count = |value: Option<u64>| value.filter(|n| *n > 0).map(format::integer).unwrap_or_default();
    let short = |value: Option<u64>| value.filter(|n| *n > 0).map(|n| glance::short(n as f64)).unwrap_or_default();
    let samples = cost.samples.filter(|n| *n > 0);
    let label = |id: &str| catalog::stall(id).map_or(id.to_owned(), |row| row.label.to_owned());
    let waits = samples.map(|own| {
        let large = cost.reasons.iter().filter(|(_, n)| 10 * n >= own).take(REASONS);
        large.map(|(id, n)| format!("{} {}", label(id), percent(*n, own, 0))).collect::<Vec<_>>().join(", ")
    });
    let named =
        [("Samples", cost.samples), ("Executed", cost.executed), ("Sectors", cost.sectors), ("Excess", cost.excess)];
    let named = named.into_iter().filter_map(|(name, count)| Some((name.to_owned(), count.filter(|n| *n > 0)?)));
    let counts = named.chain(cost.reasons.iter().map(|(id, n)| (label(id), *n)));
    let (share, heat) = heated(cost.samples, all, most);
    CostText {
        counts: counts.map(|(name, n)| format!("{name} {n}")).collect::<Vec<_>>().join(";"),
        samples: share,
        heat,
        old: Default::default(),
        waits: waits.unwrap_or_default(),
        sectors: short(cost.sectors),
        excess: short(cost.excess),
        executed: count(cost.executed),
    }
}

/// A line of code with its indentation: tabs as four spaces, control characters as U+FFFD.
fn verbatim(text: &str) -> String {
    let shown = |c: char| if c.is_control() { '\u{fffd}' } else { c };
    text.trim_end().replace('\t', "    ").chars().map(shown).collect()
}
