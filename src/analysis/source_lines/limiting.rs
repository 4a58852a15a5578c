//! The lines that make the work of the part that limits.

use super::accesses::EXECUTED;
use super::spot::{Groups, Spot};
use crate::analysis::summary::KernelSummary;
use crate::catalog::{self, InstructionWork};
use crate::evidence::SourceView;
use crate::quantity::format;

/// Lines kept.
const LINES: usize = 5;
/// Shares closer than this tie, in percentage points.
const TIE: f64 = 0.5;

/// Wavefronts of the L1 data stage for shared memory, and those that the tag stage passes on for the other spaces.
const SHARED_WAVEFRONTS: &str = "l1tex__data_pipe_lsu_wavefronts_mem_shared.sum";
const OTHER_WAVEFRONTS: [&str; 4] = [
    "l1tex__t_output_wavefronts_pipe_lsu_mem_global_op_ld.sum",
    "l1tex__t_output_wavefronts_pipe_lsu_mem_global_op_st.sum",
    "l1tex__t_output_wavefronts_pipe_lsu_mem_local_op_ld.sum",
    "l1tex__t_output_wavefronts_pipe_lsu_mem_local_op_st.sum",
];
/// Wavefronts of shared accesses, and sectors of the others, by instruction.
pub(super) const SHARED: &str = "memory_l1_wavefronts_shared";
pub(super) const SECTORS: [&str; 2] = ["memory_l2_theoretical_sectors_global", "memory_l2_theoretical_sectors_local"];

/// What the limiting part's work is made of, by line.
#[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct LimitingLines {
    /// The limiter's code.
    pub limiter: String,
    /// What is counted.
    pub what: String,
    /// (line, its count over the whole kernel's in percent), largest first.
    pub lines: Vec<(Spot, f64)>,
}

/// Metrics of whole kernels that decide which counter stands for the L1 data stage.
pub(in crate::analysis) fn decisive() -> impl Iterator<Item = &'static str> {
    [SHARED_WAVEFRONTS].into_iter().chain(OTHER_WAVEFRONTS)
}

impl LimitingLines {
    /// `None` where no counter by instruction stands for the part, or none was collected.
    pub(super) fn of(
        limiter: &str,
        view: &SourceView,
        groups: &Groups<'_>,
        kernel: &KernelSummary<'_>,
    ) -> Option<LimitingLines> {
        let sum = |names: &[&str]| {
            let columns: Vec<Vec<u64>> = names.iter().filter_map(|name| view.counts(name)).collect();
            let rows = 0..view.instructions.len();
            (!columns.is_empty()).then(|| rows.map(|row| columns.iter().map(|c| c[row]).sum()).collect::<Vec<u64>>())
        };
        let mut part = None;
        let (what, counts) = match &catalog::subsystem(limiter)?.by_instruction {
            InstructionWork::None => return None,
            InstructionWork::Sectors => ("L2 sectors of global and local accesses", sum(&SECTORS)?),
            InstructionWork::Wavefronts => ("wavefronts of shared accesses", sum(&[SHARED])?),
            InstructionWork::DataStage => {
                let (shared, other) = data_stage(kernel)?;
                part = Some(100.0 * shared.max(other) / (shared + other)).filter(|share| share.is_finite());
                if shared >= other {
                    ("wavefronts of shared accesses", sum(&[SHARED])?)
                } else {
                    ("sectors of global and local accesses", sum(&SECTORS)?)
                }
            }
            InstructionWork::Executions => ("executed instructions", view.counts(EXECUTED)?),
            InstructionWork::Opcodes(opcodes) => (
                "executed instructions of that unit",
                executions(view, |base| opcodes.contains(&base))?,
            ),
        };
        let lines = leading(groups, &counts);
        let what = match part {
            Some(share) => format!(
                "{what}, {} % of the L1 data stage's wavefronts (`{SHARED_WAVEFRONTS}` against `l1tex__t_output_wavefronts_pipe_lsu_mem_*`)",
                format::fixed(share, 1)
            ),
            None => what.into(),
        };
        (!lines.is_empty()).then(|| LimitingLines { limiter: limiter.into(), what, lines })
    }
}

/// Wavefronts of the L1 data stage: those of shared memory, and those of global and local accesses. `None` without the
/// first.
pub(in crate::analysis) fn data_stage(kernel: &KernelSummary<'_>) -> Option<(f64, f64)> {
    let other = OTHER_WAVEFRONTS.iter().filter_map(|name| kernel.value(name)).sum();
    Some((kernel.value(SHARED_WAVEFRONTS)?, other))
}

/// Executions of the opcodes that fit, by row.
fn executions(view: &SourceView, fits: impl Fn(&str) -> bool) -> Option<Vec<u64>> {
    let counts = view.counts(EXECUTED)?;
    let of = |(row, count): (usize, u64)| if fits(view.instructions[row].base()) { count } else { 0 };
    Some(counts.into_iter().enumerate().map(of).collect())
}

/// The lines with the most, each with its share in percent.
fn leading(groups: &Groups<'_>, counts: &[u64]) -> Vec<(Spot, f64)> {
    let all: u64 = counts.iter().sum();
    let mut lines: Vec<(u64, &[usize])> =
        groups.all.iter().map(|g| (g.rows.iter().map(|row| counts[*row]).sum(), &g.rows[..])).collect();
    lines.retain(|(sum, _)| *sum > 0);
    lines.sort_by_key(|(sum, rows)| (std::cmp::Reverse(*sum), rows[0]));
    lines.truncate(LINES);
    let spot =
        |(sum, rows): (u64, &[usize])| (groups.spot(rows, |row| counts[row]), 100.0 * sum as f64 / all.max(1) as f64);
    lines.into_iter().map(spot).collect()
}

/// Opcodes of atomics that L2 does.
const ATOMICS: [&str; 4] = ["RED", "REDG", "ATOM", "ATOMG"];

/// The lines that execute the most atomics on memory, each with its share in percent. Empty where there are none, or
/// where neither a listing nor the code's bits tell the opcodes.
pub(super) fn atomics(view: &SourceView, groups: &Groups<'_>) -> Vec<(Spot, f64)> {
    let counts = executions(view, |base| ATOMICS.contains(&base));
    counts.map(|counts| leading(groups, &counts)).unwrap_or_default()
}

/// Of lines that tie for the most, puts those first that warps wait for, in the order of `awaited`.
pub(super) fn break_ties(lines: &mut [(Spot, f64)], awaited: &[(Spot, f64)]) {
    let Some((_, top)) = lines.first() else { return };
    let tied = lines.iter().take_while(|(_, share)| top - share < TIE).count();
    let rank = |spot: &Spot| awaited.iter().position(|(other, _)| spot.is_same_place(other)).unwrap_or(usize::MAX);
    lines[..tied].sort_by_key(|(spot, _)| rank(spot));
}
