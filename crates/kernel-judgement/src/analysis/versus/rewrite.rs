//! What a change did to the code: the opcodes and accesses that came, went, or run another number of times, and where.

use crate::analysis::phases::{Run, Stand, Study};
use crate::catalog::Counter;
use crate::evidence::{Instruction, WarpSync};
use cuda_binary::Op;
use cuda_binary::op::{Act, Told};

/// A count that changed by less, as a factor, is the same code on about the same work.
const MOVED: f64 = 1.1;
/// What moves data, multiplies matrices or sets warps apart is told from this part of the old side's instructions on.
const LEAST: f64 = 0.0003;
/// Everything else from this part on.
const LARGE: f64 = 0.02;
/// The part of a change that one place must hold to be where it is.
const MOST: f64 = 0.75;

/// An opcode whose executions changed.
#[derive(Clone, Debug, PartialEq, serde::Serialize)]
pub struct OpcodeMove {
    /// `LDG.32`: the opcode, with the width of a lane's element where both sides tell it.
    pub opcode: String,
    #[serde(skip)]
    pub op: Op,
    /// Bits of a lane's element, where both sides tell them.
    #[serde(skip)]
    pub width: Option<u64>,
    /// Warp instructions, old and new.
    pub executed: (u64, u64),
    /// Where most of the change is: on the new side where the count rose, on the old side where it fell.
    pub stand: Option<Stand>,
}

impl OpcodeMove {
    /// Whether a reader of the source looks for the opcode: it multiplies matrices, moves data, or fetches it ahead.
    pub fn is_sought(&self) -> bool {
        is_sought(self.op)
    }

    pub fn rose(&self) -> bool {
        self.executed.1 > self.executed.0
    }

    pub fn by(&self) -> u64 {
        self.executed.0.abs_diff(self.executed.1)
    }
}

/// What moved between two launches by instruction, what a reader looks for first, then by size; empty where both run the same.
pub(in crate::analysis) fn moves(new: &Study<'_>, old: &Study<'_>) -> Vec<OpcodeMove> {
    let has_widths = new.has_widths() && old.has_widths();
    between(&old.runs(), &new.runs(), has_widths)
}

/// Initialisations of mbarriers in a launch, by lane: so many mbarriers times its blocks. A stage of a ring has two, one that is full and
/// one that is free. `None` where lanes were not counted by instruction.
pub(in crate::analysis) fn mbarriers(study: &Study<'_>) -> Option<u64> {
    let lanes = study.view.counts(Counter::ThreadInstExecutedTrue)?;
    let rows = study.view.instructions.iter().zip(lanes);
    let is_init = |row: &Instruction| row.word.is_some_and(|word| word.sync == WarpSync::MbarrierInit);
    Some(rows.filter(|(row, _)| is_init(row)).map(|(_, lanes)| lanes).sum())
}

fn between(old: &[Run], new: &[Run], has_widths: bool) -> Vec<OpcodeMove> {
    let all: u64 = old.iter().map(|run| run.executed).sum();
    let key = |run: &Run| (run.op, run.width.filter(|_| has_widths));
    let mut keys: Vec<(Op, Option<u64>)> = old.iter().chain(new).map(key).collect();
    keys.sort_unstable();
    keys.dedup();
    let mut found: Vec<OpcodeMove> = Vec::new();
    for own in keys {
        let of = |runs: &[Run]| runs.iter().filter(|run| key(run) == own).copied().collect::<Vec<Run>>();
        let (was, is) = (of(old), of(new));
        let sum = |runs: &[Run]| runs.iter().map(|run| run.executed).sum::<u64>();
        let executed = (sum(&was), sum(&is));
        let (low, high) = (executed.0.min(executed.1) as f64, executed.0.max(executed.1) as f64);
        let by = high - low;
        let least = if is_sought(own.0) { LEAST } else { LARGE };
        if high < MOVED * low || by < least * all as f64 || by == 0.0 {
            continue;
        }
        let stand = if executed.1 > executed.0 { stand(&is, &was, by) } else { stand(&was, &is, by) };
        let width = own.1.map(|bits| format!(".{bits}")).unwrap_or_default();
        found.push(OpcodeMove { opcode: format!("{}{width}", own.0.name()), op: own.0, width: own.1, executed, stand });
    }
    found.sort_by_key(|one| (!is_sought(one.op), std::cmp::Reverse(one.by())));
    found
}

fn is_sought(op: Op) -> bool {
    op.is_product() || op.told() == Told::Move || op.act() == Some(Act::Prefetch)
}

/// The place that holds most of what one side has more than the other.
fn stand(more: &[Run], less: &[Run], by: f64) -> Option<Stand> {
    let is_alike = |a: Stand, b: Stand| match (a, b) {
        (Stand::Role(_), Stand::Role(_)) => true,
        _ => a == b,
    };
    let at = |runs: &[Run], place: Stand| -> u64 {
        runs.iter().filter(|run| run.stand.is_some_and(|own| is_alike(own, place))).map(|run| run.executed).sum()
    };
    let places = more.iter().filter_map(|run| run.stand);
    let surplus = |place: Stand| at(more, place).saturating_sub(at(less, place)) as f64;
    places.max_by(|a, b| surplus(*a).total_cmp(&surplus(*b))).filter(|place| surplus(*place) >= MOST * by)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::phases::PhaseKind;

    fn run(op: Op, width: Option<u64>, stand: Stand, executed: u64) -> Run {
        Run { op, width, stand: Some(stand), executed }
    }

    #[test]
    fn what_came_went_and_moved_is_told_with_its_place() {
        let main = Stand::Phase(PhaseKind::MainLoop);
        let end = Stand::Phase(PhaseKind::Epilogue);
        let old = [
            run(Op::LDG, Some(32), end, 4_000),
            run(Op::FADD, None, end, 50_000),
            run(Op::FADD, None, main, 40_000),
            run(Op::QGMMA, None, main, 6_000),
        ];
        let new = [
            run(Op::LDG, Some(128), end, 1_000),
            run(Op::FADD, None, end, 10_000),
            run(Op::FADD, None, main, 40_000),
            run(Op::QGMMA, None, main, 6_300),
            run(Op::UTMAPF, None, Stand::Role(1), 300),
        ];
        let found = between(&old, &new, true);
        let told: Vec<_> = found.iter().map(|one| (one.opcode.as_str(), one.executed, one.stand)).collect();
        // 6,000 → 6,300 products are the same work.
        assert_eq!(
            told,
            [
                ("LDG.32", (4_000, 0), Some(end)),
                ("LDG.128", (0, 1_000), Some(end)),
                ("UTMAPF", (0, 300), Some(Stand::Role(1))),
                ("FADD", (90_000, 50_000), Some(end)),
            ]
        );
        // Widths that one side does not tell make no two opcodes of one.
        assert_eq!(between(&old, &new, false)[0].executed, (4_000, 1_000));
    }
}
