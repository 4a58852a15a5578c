//! The lines that make the work of the part that limits.

use super::accesses::EXECUTED;
use super::spot::{Groups, Place, Spot};
use crate::analysis::derive::coalescing::{self, WAVEFRONTS};
use crate::analysis::derive::data_stage::{DataStage, SHARED as SHARED_PART, WHOLE};
use crate::analysis::{KernelSummary, Limits};
use crate::catalog::{Code, Counter, InstructionWork, Threshold};
use crate::evidence::SourceView;
use crate::quantity::format;
use crate::words;
use crate::words::Words;
use cuda_binary::Op;

const LINES: usize = 5;

/// Sectors of accesses that are not to shared memory, by instruction.
pub(super) const SECTORS: [Counter; 2] = [coalescing::SECTORS, Counter::MemoryL2TheoreticalSectorsLocal];

/// What is counted by line.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Counted {
    /// Sectors that global and local accesses ask of L2.
    Sectors,
    /// Wavefronts of shared accesses.
    Wavefronts,
    /// The same sectors, of an L1 data stage that they fill more of than shared accesses do.
    StageSectors,
    Executions,
    /// Executed bulk copies, where they bring most of what L2 sends: what they bring nobody counts by instruction.
    BulkCopies,
    /// Executed instructions of the unit.
    UnitExecutions,
}

/// What the limiting part's work is made of, by line.
#[derive(Clone, Debug, PartialEq, serde::Serialize)]
pub struct LimitingLines {
    pub limiter: Code,
    pub counted: Counted,
    /// Of what fills the L1 data stage, where that limits: the counted part and the whole, in percent of the stage's peak.
    pub stage: Option<(f64, f64)>,
    /// (line, its count over the whole kernel's in percent), largest first.
    pub lines: Vec<(Spot, f64)>,
}

impl LimitingLines {
    /// The line that makes the most of it.
    pub(in crate::analysis) fn first(&self) -> Option<Place> {
        self.lines.first().map(|(spot, _)| spot.place.clone()).filter(|place| place.line > 0)
    }

    /// `None` where no counter by instruction stands for the part, or none was collected. Of lines that
    /// tie for the most those come first that warps wait for. Rows that all blocks read the same bytes with count where no other does.
    pub(super) fn of(
        (limiter, once): (Code, &[usize]),
        view: &SourceView,
        groups: &Groups<'_>,
        kernel: &KernelSummary<'_>,
        (awaited, limits): (&[&Spot], &Limits),
    ) -> Option<LimitingLines> {
        let Code::Unit(part) = limiter else { return None };
        let sum = |names: &[Counter]| {
            let columns: Vec<Vec<u64>> = names.iter().filter_map(|name| view.counts(name)).collect();
            let rows = 0..view.instructions.len();
            (!columns.is_empty()).then(|| rows.map(|row| columns.iter().map(|c| c[row]).sum()).collect::<Vec<u64>>())
        };
        let row = part.row()?;
        let (counted, counts) = match &row.by_instruction {
            InstructionWork::None => return None,
            InstructionWork::Sectors if is_bulk(kernel) => {
                (Counted::BulkCopies, executions(view, |op| op.is_bulk() && op.copies_global())?)
            }
            InstructionWork::Sectors => (Counted::Sectors, sum(&SECTORS)?),
            InstructionWork::Wavefronts => (Counted::Wavefronts, sum(&[WAVEFRONTS])?),
            InstructionWork::DataStage => (Counted::StageSectors, sum(&SECTORS)?),
            InstructionWork::Executions => (Counted::Executions, view.counts(EXECUTED)?),
            InstructionWork::Pipe(_) => {
                let capability = kernel.device().compute_capability;
                (Counted::UnitExecutions, executions(view, |op| row.runs(op, capability))?)
            }
        };
        let others =
            || (0..counts.len()).map(|row| if once.contains(&row) { 0 } else { counts[row] }).collect::<Vec<u64>>();
        let counts = Some(others()).filter(|others| others.iter().any(|own| *own > 0)).unwrap_or(counts);
        let mut lines = groups.shares(&counts, counts.iter().sum(), LINES);
        break_ties(&mut lines, awaited, limits);
        let stage = DataStage::of(kernel).filter(|_| counted == Counted::StageSectors);
        let stage = stage.map(|stage| (stage.other(), stage.whole));
        (!lines.is_empty()).then_some(LimitingLines { limiter, counted, stage, lines })
    }

    /// What is counted, and of how much of the data stage it tells, where that limits.
    pub fn say(&self) -> Words {
        let what = match self.counted {
            Counted::Sectors => "L2 sectors of global and local accesses",
            Counted::Wavefronts => "wavefronts of shared accesses",
            Counted::StageSectors => "sectors of global and local accesses",
            Counted::Executions => "executed instructions",
            Counted::BulkCopies => "executed bulk copies",
            Counted::UnitExecutions => "executed instructions of that unit",
        };
        let Some((part, whole)) = self.stage else { return what.into() };
        words!(
            "{}, which take {} of the {} points of the L1 data stage (`{}`, `{}`)",
            what,
            format::fixed(part, 2),
            format::fixed(whole, 2),
            WHOLE.name(),
            SHARED_PART.name()
        )
    }
}

/// Whether bulk copies bring most of what the SMs receive, of a kernel that writes less than it reads.
fn is_bulk(kernel: &KernelSummary<'_>) -> bool {
    let is_more = |more: Counter, than: Counter, times: f64| {
        kernel.value(more).zip(kernel.value(than)).is_some_and(|(more, than)| times * more > than)
    };
    is_more(Counter::L1texMXbar2l1texReadBytesMemGlobalOpTmaLdSum, Counter::L1texMXbar2l1texReadBytesSum, 2.0)
        && is_more(Counter::DramBytesReadSum, Counter::DramBytesWriteSum, 1.0)
}

/// Executions of the opcodes that fit, by row.
fn executions(view: &SourceView, fits: impl Fn(Op) -> bool) -> Option<Vec<u64>> {
    let counts = view.counts(EXECUTED)?;
    let of = |(row, count): (usize, u64)| if fits(view.instructions[row].op()) { count } else { 0 };
    Some(counts.into_iter().enumerate().map(of).collect())
}

/// The lines that execute the most atomics on memory, each with its share in percent. Empty where there are none, or
/// where neither a listing nor the code's bits tell the opcodes.
pub(super) fn atomics(view: &SourceView, groups: &Groups<'_>) -> Vec<(Spot, f64)> {
    let counts = executions(view, Op::is_l2_atomic);
    counts.map(|counts| groups.shares(&counts, counts.iter().sum(), LINES)).unwrap_or_default()
}

/// Of lines that tie for the most, puts those first that warps wait for, in the order of `awaited`.
fn break_ties(lines: &mut [(Spot, f64)], awaited: &[&Spot], limits: &Limits) {
    let Some((_, top)) = lines.first() else { return };
    let tied = lines.iter().take_while(|(_, share)| top - share < limits[Threshold::LineTie]).count();
    let rank = |spot: &Spot| awaited.iter().position(|other| spot.is_same_place(other)).unwrap_or(usize::MAX);
    lines[..tied].sort_by_key(|(spot, _)| rank(spot));
}
