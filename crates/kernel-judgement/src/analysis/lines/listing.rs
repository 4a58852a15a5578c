//! The code of one launch line by line, each line and each instruction with its costs.

use super::spot::{Groups, shortened};
use super::{accesses::EXECUTED, attribution::Attribution};
use crate::catalog::Counter;
use crate::evidence::{Instruction, SourceView};
use similar::{Algorithm, DiffOp, capture_diff_slices};
use std::collections::{BTreeMap, BTreeSet};

/// Files up to this many lines are listed whole; of longer ones, lines with costs and those around them.
const WHOLE: usize = 400;
/// Lines shown around one with costs where a file is not listed whole.
const AROUND: u32 = 3;
/// What a line or an instruction costs; `None` where the report does not count it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct LineCost {
    /// Warp samples, issuing ones included.
    pub samples: Option<u64>,
    /// Those of the old side's line of the same text; `None` where that has no such line, and for an instruction.
    pub old: Option<u64>,
    /// Stall reasons: (the catalog's id, samples), the most first; issuing and not being selected are left out.
    pub reasons: Vec<(String, u64)>,
    /// Sectors of global memory that were moved.
    pub sectors: Option<u64>,
    /// Σ |moved − needed| over its instructions, in sectors.
    pub excess: Option<u64>,
    /// Warp-level executions.
    pub executed: Option<u64>,
}

/// A line of a file.
#[derive(Clone, Debug, PartialEq)]
pub struct ListedLine {
    /// From 1.
    pub number: u32,
    /// The text; empty where neither the report embeds the file nor the snapshot keeps the line.
    pub text: String,
    /// `file:line` of the calls that its costliest instructions were inlined at.
    pub callers: Vec<String>,
    /// What its instructions cost; `None` for a line without instructions.
    pub cost: Option<LineCost>,
}

/// A file, or the parts of it that matter.
#[derive(Clone, Debug, PartialEq)]
pub struct ListedFile {
    /// Name without folders.
    pub name: String,
    /// Lines in order; numbers may leave gaps.
    pub lines: Vec<ListedLine>,
}

#[derive(Clone, Debug, PartialEq)]
pub struct ListedInstruction {
    /// Byte offset in its function.
    pub offset: u64,
    /// As a disassembler prints it, else opcode and target by the bits; empty for an opcode that is not known.
    pub text: String,
    /// Position in [`Listing::files`] and line; `None` where no line is known.
    pub line: Option<(usize, u32)>,
    pub cost: LineCost,
}

/// The code of one launch.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Listing {
    /// The launch: row of the report.
    pub launch: u32,
    /// All warp samples; `None` where the report has none by instruction.
    pub samples: Option<u64>,
    /// All of the old side, and those of its hottest line; `None` without one whose samples are known by line.
    pub old_samples: Option<(u64, u64)>,
    /// Whether texts are those of the files, and not those of the lines alone that the page of a kept launch shows.
    pub is_whole: bool,
    /// Files, the one with the most samples first.
    pub files: Vec<ListedFile>,
    /// Whether instructions have their operands.
    pub has_operands: bool,
    /// Instructions in the order of the code.
    pub instructions: Vec<ListedInstruction>,
}

/// The counters of a view, by instruction.
struct Counters<'v> {
    executed: Option<Vec<u64>>,
    sectors: Option<Vec<u64>>,
    excess: Option<Vec<u64>>,
    samples: Option<Attribution<'v>>,
}

impl<'v> Counters<'v> {
    fn of(view: &'v SourceView) -> Counters<'v> {
        let sectors = view.counts(Counter::MemoryL2TheoreticalSectorsGlobal);
        let ideal = view.counts(Counter::MemoryL2TheoreticalSectorsGlobalIdeal);
        let excess =
            |(moved, ideal): (&Vec<u64>, Vec<u64>)| moved.iter().zip(ideal).map(|(a, b)| a.abs_diff(b)).collect();
        Counters {
            executed: view.counts(EXECUTED),
            excess: sectors.as_ref().zip(ideal).map(excess),
            sectors,
            samples: Attribution::of(view),
        }
    }

    fn callers(&self, groups: &Groups<'_>, rows: &[usize]) -> Vec<String> {
        groups.spot(rows, &|row| self.cost(&[row]).samples.unwrap_or(0)).place.inlined_at
    }

    fn cost(&self, rows: &[usize]) -> LineCost {
        let sum = |counts: &Vec<u64>| rows.iter().map(|row| counts[*row]).sum::<u64>();
        let samples = self.samples.as_ref();
        let waits = samples.into_iter().flat_map(|samples| samples.waits(rows));
        LineCost {
            samples: samples.map(|samples| samples.at(rows)),
            old: None,
            reasons: waits.map(|(reason, count)| (reason.to_owned(), count)).collect(),
            sectors: self.sectors.as_ref().map(sum),
            excess: self.excess.as_ref().map(sum),
            executed: self.executed.as_ref().map(sum),
        }
    }
}

impl Listing {
    /// The listing of a launch; lines are attributed as in [`SourceLines`](super::SourceLines).
    pub fn of(view: &SourceView) -> Listing {
        let (groups, counters) = (Groups::of(view), Counters::of(view));
        let mut files: BTreeMap<&str, BTreeMap<u32, Vec<usize>>> = BTreeMap::new();
        for rows in &groups.all {
            if let Some(place) = rows.first().and_then(|row| groups.place(*row)) {
                files.entry(&place.file).or_default().entry(place.line).or_default().extend(rows);
            }
        }
        let samples = |lines: &BTreeMap<u32, Vec<usize>>| -> u64 {
            lines.values().filter_map(|rows| counters.cost(rows).samples).sum()
        };
        let mut order: Vec<(u64, &str)> = files.iter().map(|(file, lines)| (samples(lines), *file)).collect();
        order.sort_by(|a, b| b.0.cmp(&a.0).then_with(|| a.1.cmp(b.1)));
        let listed = order.iter().map(|(_, file)| ListedFile {
            name: groups.short_name(file),
            lines: lines(&groups, file, &files[file], &counters),
        });
        let position = |file: &str| order.iter().position(|(_, other)| *other == file);
        let instructions = view.instructions.iter().enumerate().map(|(row, instruction)| ListedInstruction {
            offset: instruction.offset,
            text: match &instruction.text {
                Some(text) => instruction.with_operands(&text.operands),
                None => by_bits(instruction),
            },
            line: groups.place(row).and_then(|place| Some((position(&place.file)?, place.line))),
            cost: counters.cost(&[row]),
        });
        let all: Vec<usize> = (0..view.instructions.len()).collect();
        Listing {
            launch: view.launch,
            samples: counters.cost(&all).samples,
            old_samples: None,
            is_whole: view.shown.is_empty(),
            has_operands: view.instructions.iter().any(|one| one.text.is_some()),
            files: listed.collect(),
            instructions: instructions.collect(),
        }
    }

    /// The same with the samples of the old side at the lines whose text both have, in their order, and at those that took a line's place.
    #[must_use]
    pub fn beside(mut self, old: &SourceView) -> Listing {
        let old = Listing::of(old);
        let Some(all) = old.samples.filter(|all| *all > 0 && self.samples.is_some()) else { return self };
        let costs = || old.files.iter().flat_map(|file| &file.lines).filter_map(|line| line.cost.as_ref()?.samples);
        let all = (all, costs().max().unwrap_or_default());
        for (at, file) in self.files.iter_mut().enumerate() {
            // A file of another name is that of another version where it is the costliest of both.
            let named = old.files.iter().find(|before| before.name == file.name);
            let Some(before) = named.or(old.files.first().filter(|_| at == 0)) else { continue };
            let texts =
                |lines: &[ListedLine]| -> Vec<String> { lines.iter().map(|line| shortened(&line.text)).collect() };
            let diff = capture_diff_slices(Algorithm::Myers, &texts(&before.lines), &texts(&file.lines));
            for kept in diff.iter().filter(|kept| !matches!(kept, DiffOp::Delete { .. } | DiffOp::Insert { .. })) {
                let (was, is) = (&before.lines[kept.old_range()], &mut file.lines[kept.new_range()]);
                for (at, was) in was.iter().enumerate() {
                    let is = &mut is[at.min(kept.new_range().len() - 1)];
                    let samples = was.cost.as_ref().and_then(|cost| cost.samples).filter(|samples| *samples > 0);
                    let Some(samples) = samples.filter(|_| !is.text.trim().is_empty()) else { continue };
                    *is.cost.get_or_insert_default().old.get_or_insert_default() += samples;
                    self.old_samples = Some(all);
                }
            }
        }
        self
    }
}

/// What is known of an instruction without its operands: `BRA 0x1f0`.
fn by_bits(instruction: &Instruction) -> String {
    let name = instruction.named();
    match instruction.word.as_ref().and_then(|word| word.target) {
        _ if !instruction.op().is_known() => String::new(),
        Some(target) => format!("{name} {target:#x}"),
        None => name.to_owned(),
    }
}

/// The lines of a file that are shown.
fn lines(
    groups: &Groups<'_>,
    file: &str,
    costs: &BTreeMap<u32, Vec<usize>>,
    counters: &Counters<'_>,
) -> Vec<ListedLine> {
    let SourceView { texts, shown: kept, .. } = groups.view;
    let embedded = texts.iter().find(|text| text.file.as_str() == file);
    let texts: Vec<&str> = embedded.map(|text| text.text.lines().collect()).unwrap_or_default();
    let kept: BTreeMap<u32, &str> = kept
        .iter()
        .filter(|(place, _)| place.file.as_str() == file)
        .map(|(place, text)| (place.line, text.as_str()))
        .collect();
    let count = texts.len() as u32;
    let shown: BTreeSet<u32> = if texts.len() <= WHOLE {
        (1..=count).chain(costs.keys().copied()).collect()
    } else {
        let near = |line: &u32| line.saturating_sub(AROUND).max(1)..=line.saturating_add(AROUND).min(count.max(*line));
        costs.keys().flat_map(near).collect()
    };
    let line = |number: u32| ListedLine {
        number,
        text: texts.get(number as usize - 1).or(kept.get(&number)).map(|text| (*text).to_owned()).unwrap_or_default(),
        callers: costs.get(&number).map(|rows| counters.callers(groups, rows)).unwrap_or_default(),
        cost: costs.get(&number).map(|rows| counters.cost(rows)),
    };
    shown.into_iter().filter(|number| *number > 0).map(line).collect()
}
