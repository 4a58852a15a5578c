//! What a change did to the code: the opcodes and accesses that came, went, or run another number of times, and where.

use crate::analysis::phases::{Run, Stand, Study};
use crate::catalog::Counter;
use crate::evidence::{Instruction, WarpSync};
use cuda_binary::Op;
use cuda_binary::op::{Act, Pipe, Space, Sync, Told};

/// A count that changed by less, as a factor, is the same code on about the same work.
const MOVED: f64 = 1.1;
/// The part of the old side's instructions from which an opcode is told, by its rank: what a reader of the source looks for, what stands
/// for a line of it, and addresses, constants and jumps.
const LEAST: [f64; 5] = [0.0003, 0.0003, 0.0003, 0.02, 0.02];
/// A count that fell to less than this part, or rose from it, was none: a lane of a warp that is left over.
const NONE: f64 = 0.001;
/// The part of a change that one place must hold to be where it is.
const MOST: f64 = 0.75;

/// An opcode whose executions changed.
#[derive(Clone, Debug, PartialEq, serde::Serialize)]
pub struct OpcodeMove {
    /// `LDG.32`: the opcode, with the width of a lane's element where both sides tell it; `UTMALDG.MULTICAST`.
    pub opcode: String,
    #[serde(skip)]
    pub op: Op,
    /// Bits of a lane's element, where both sides tell them.
    #[serde(skip)]
    pub width: Option<u64>,
    /// Warp instructions, old and new; of [`sectors()`] the sectors that they ask for.
    pub executed: (u64, u64),
    /// Where most of the change is: on the new side where the count rose, on the old side where it fell.
    pub stand: Option<Stand>,
}

impl OpcodeMove {
    /// Whether a reader of the source looks for the opcode.
    pub fn is_sought(&self) -> bool {
        self.rank() <= SOUGHT
    }

    /// How near to the source the opcode is, the nearest first.
    pub fn rank(&self) -> usize {
        rank(self.op)
    }

    /// Words of 32 bits of a lane that the change moves; of what moves none its instructions.
    fn words(&self) -> u64 {
        self.by() * self.width.unwrap_or(32).div_ceil(32)
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

/// What moved of the sectors that accesses to global memory ask for, by opcode; `None` where a side did not count them by instruction.
pub(in crate::analysis) fn sectors(new: &Study<'_>, old: &Study<'_>) -> Option<Vec<OpcodeMove>> {
    let of = |study: &Study<'_>| -> Option<Vec<Run>> {
        let asked = |run: Run| Some(Run { executed: run.sectors?, ..run });
        study.runs().into_iter().map(asked).collect()
    };
    Some(between(&of(old)?, &of(new)?, new.has_widths() && old.has_widths()))
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
    let key = |run: &Run| (run.op, run.width.filter(|_| has_widths), run.is_multicast);
    let mut keys: Vec<(Op, Option<u64>, bool)> = old.iter().chain(new).map(key).collect();
    keys.sort_unstable();
    keys.dedup();
    let mut found: Vec<OpcodeMove> = Vec::new();
    for own in keys {
        let of = |runs: &[Run]| runs.iter().filter(|run| key(run) == own).copied().collect::<Vec<Run>>();
        let (was, is) = (of(old), of(new));
        let sum = |runs: &[Run]| runs.iter().map(|run| run.executed).sum::<u64>();
        let executed = (sum(&was), sum(&is));
        let least = NONE * executed.0.max(executed.1) as f64;
        let counted = |count: u64| if count as f64 >= least { count } else { 0 };
        let executed = (counted(executed.0), counted(executed.1));
        let (low, high) = (executed.0.min(executed.1) as f64, executed.0.max(executed.1) as f64);
        let by = high - low;
        if high < MOVED * low || by < LEAST[rank(own.0)] * all as f64 || by == 0.0 {
            continue;
        }
        let stand = if executed.1 > executed.0 { stand(&is, &was, by) } else { stand(&was, &is, by) };
        let width = own.1.map(|bits| format!(".{bits}")).unwrap_or_default();
        let multicast = if own.2 { ".MULTICAST" } else { "" };
        let opcode = format!("{}{multicast}{width}", own.0.name());
        found.push(OpcodeMove { opcode, op: own.0, width: own.1, executed, stand });
    }
    found.sort_by_key(|one| (one.rank(), std::cmp::Reverse(one.words())));
    found
}

/// The last rank that a reader of the source looks for.
const SOUGHT: usize = 2;

/// Products of matrices, what L2 adds up and what should be in registers; what moves data, fetches it ahead or holds a block together;
/// what orders memory; what else stands for a line of source, or goes to a pipe that is narrow; the rest.
fn rank(op: Op) -> usize {
    let moves = op.told() == Told::Move || matches!(op.act(), Some(Act::Prefetch | Act::Atomic | Act::Reduction));
    match op.told() {
        _ if op.is_product() || op.is_l2_atomic() || op.is_in(Space::Local) => 0,
        _ if moves || op.sync() == Some(Sync::Block) => 1,
        _ if op.is_fence() => SOUGHT,
        Told::Line | Told::Move => 3,
        Told::No if matches!(op.pipe(), Some(Pipe::Fp64 | Pipe::Xu)) => 3,
        Told::No => 4,
    }
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
        Run { op, width, is_multicast: false, stand: Some(stand), executed, sectors: None }
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

    #[test]
    fn copies_to_several_blocks_are_an_opcode_of_their_own() {
        // `UTMALDG.2D [UR8], [UR4]` and `UTMALDG.2D.MULTICAST [UR4], [UR12], UR8`, as nvdisasm prints them of sm_90a.
        let words = [0x0001_d800_0800_8000_0000_0008_0400_75b4, 0x0001_f200_0800_8808_0000_0004_0c00_73b4];
        let [one, all] = words.map(|bits| {
            let word = cuda_binary::sass::decode(bits, 0, (9, 0));
            Run { is_multicast: word.is_multicast(), ..run(word.op, None, Stand::Role(1), 348_096) }
        });
        let found = between(&[one], &[all], true);
        let told: Vec<_> = found.iter().map(|one| (one.opcode.as_str(), one.executed)).collect();
        assert_eq!(told, [("UTMALDG", (348_096, 0)), ("UTMALDG.MULTICAST", (0, 348_096))]);
    }

    #[test]
    fn what_stands_near_to_the_source_comes_first_and_a_lane_left_over_is_none() {
        let main = Stand::Phase(PhaseKind::MainLoop);
        let old = [
            run(Op::LEA, None, main, 5_000_000),
            run(Op::REDG, Some(32), main, 1_000_000),
            run(Op::LDG, Some(32), main, 589_824),
        ];
        let new = [
            run(Op::LEA, None, main, 9_000_000),
            run(Op::DFMA, None, main, 400_000),
            run(Op::ATOMS, Some(32), main, 500_000),
            run(Op::LDG, Some(32), main, 1),
            run(Op::HMMA, None, main, 3_000),
        ];
        let found = between(&old, &new, true);
        let told: Vec<_> = found.iter().map(|one| (one.opcode.as_str(), one.executed)).collect();
        assert_eq!(
            told,
            [
                ("REDG.32", (1_000_000, 0)),
                ("HMMA", (0, 3_000)),
                ("LDG.32", (589_824, 0)),
                ("ATOMS.32", (0, 500_000)),
                ("DFMA", (0, 400_000)),
                ("LEA", (5_000_000, 9_000_000)),
            ]
        );
    }
}
