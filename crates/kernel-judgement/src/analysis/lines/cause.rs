//! What a waiting instruction waits for, traced through the machine code.
//!
//! The sampler names the instruction that cannot issue, which stands behind its cause. Two kinds of waits can be traced
//! with the bits of the code: a warp waits behind the nearest barrier before it (a barrier that defers its blocking lets
//! independent instructions pass), and for a scoreboard that the nearest instruction before it, along any path, holds. Several
//! may hold one; the nearest with a register in common is the cause.

use crate::analysis::sass::ControlFlow;
use crate::evidence::{Instruction, SourceView};
use cuda_binary::op::Sync;
use std::cell::OnceCell;

/// Instructions looked at for one wait.
const FARTHEST: usize = 4096;

/// The kinds of waits that can be traced.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::analysis) enum Trace {
    /// To the barrier in front.
    Barrier,
    /// To an access that goes through L1 (global, local, texture), or to the question to an mbarrier. A store holds its
    /// scoreboard until it has read its registers.
    Long,
    /// To anything else that holds a scoreboard.
    Short,
}

impl Trace {
    /// The trace of a reason, by the catalog's id.
    pub(in crate::analysis) fn of(reason: &str) -> Option<Trace> {
        match reason {
            "barrier" => Some(Trace::Barrier),
            "long_scoreboard" => Some(Trace::Long),
            "short_scoreboard" => Some(Trace::Short),
            _ => None,
        }
    }
}

/// Whether an instruction uses what an earlier one delivers, or writes what that one still reads.
fn depends(waiting: &Instruction, holder: &Instruction) -> bool {
    let (Some(waiting), Some(holder)) = (&waiting.word, &holder.word) else { return false };
    let (own, other) = (waiting.registers, holder.registers);
    own.read().any(|one| other.written().any(|two| one.meets(&two)))
        || own.written().any(|one| other.written().chain(other.read()).any(|two| one.meets(&two)))
}

/// The ways through the code of a view.
pub(in crate::analysis) struct Causes<'v> {
    view: &'v SourceView,
    /// The rows that control can come from to each row, the one in front first.
    ways: Vec<Vec<usize>>,
    /// What each row waits for by each trace, once it was asked for.
    known: Vec<[OnceCell<Option<usize>>; 3]>,
}

impl<'v> Causes<'v> {
    /// `None` where the report lacks the code's bits.
    pub(in crate::analysis) fn of(view: &'v SourceView) -> Option<Causes<'v>> {
        let code = &view.instructions;
        code.iter().find(|instruction| instruction.word.is_some())?;
        let mut ways = vec![Vec::new(); code.len()];
        let mut start = 0;
        for function in code.chunk_by(|one, next| one.function == next.function) {
            let flow = ControlFlow::of(function);
            let last = |block: usize| start + flow.blocks[block].instructions.end - 1;
            for (block, before) in flow.blocks.iter().zip(flow.predecessors()) {
                let rows = start + block.instructions.start..start + block.instructions.end;
                rows.clone().skip(1).for_each(|row| ways[row].push(row - 1));
                let first = rows.start;
                ways[first] = before.into_iter().map(last).collect();
                ways[first].sort_by_key(|from| (*from + 1 != first, *from));
            }
            start += function.len();
        }
        Some(Causes { view, ways, known: vec![Default::default(); code.len()] })
    }

    /// The row that the waiting row waits for; `None` where the code does not tell.
    pub(in crate::analysis) fn cause(&self, trace: Trace, row: usize) -> Option<usize> {
        *self.known[row][trace as usize].get_or_init(|| self.traced(trace, row))
    }

    fn traced(&self, trace: Trace, row: usize) -> Option<usize> {
        let waiting = &self.view.instructions[row];
        // Waits for the products of a warpgroup and for a cluster are sampled as barriers, at the instruction that waits.
        if trace == Trace::Barrier && matches!(waiting.op().sync(), Some(Sync::Products | Sync::ClusterWait)) {
            return Some(row);
        }
        let mask = waiting.word.as_ref()?.waits;
        // The wait for groups of asynchronous copies is sampled at the instruction behind it.
        let op = |at: &usize| self.view.instructions[*at].op();
        let is_behind_copies =
            trace == Trace::Long && self.ways[row].iter().any(|at| op(at).sync() == Some(Sync::Outstanding));
        if mask == 0 && trace != Trace::Barrier && !is_behind_copies {
            return None;
        }
        let holds = |at: usize| {
            let instruction = &self.view.instructions[at];
            match trace {
                Trace::Barrier => instruction.op().sync() == Some(Sync::Block),
                Trace::Long if is_behind_copies && op(&at).copies_global() && !op(&at).is_bulk() => true,
                Trace::Long | Trace::Short => {
                    instruction.word.as_ref().is_some_and(|word| word.sets & mask != 0)
                        && trace != Trace::Barrier
                        && instruction.op().is_long() == (trace == Trace::Long)
                }
            }
        };
        // The rows that the wait may be for, in the order in which they are reached, each once.
        let mut ahead: Vec<usize> = Vec::new();
        let mut is_ahead = vec![false; self.ways.len()];
        let mut go_on = |from: usize, ahead: &mut Vec<usize>| {
            for at in &self.ways[from] {
                if !std::mem::replace(&mut is_ahead[*at], true) {
                    ahead.push(*at);
                }
            }
        };
        go_on(row, &mut ahead);
        let (mut nearest, mut seen) = (None, 0);
        while let Some(at) = ahead.get(seen).copied().filter(|_| seen < FARTHEST) {
            seen += 1;
            if holds(at) {
                if trace == Trace::Barrier || depends(waiting, &self.view.instructions[at]) {
                    return Some(at);
                }
                nearest = nearest.or(Some(at));
            }
            if trace == Trace::Barrier && !self.view.instructions[at].op().passes_barriers() {
                continue;
            }
            go_on(at, &mut ahead);
        }
        nearest
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::evidence::{Flow, MachineWord, Register};
    use cuda_binary::Op;

    fn row(offset: u64, op: Op, sets: u8, waits: u8, target: Option<u64>) -> Instruction {
        let flow = match op {
            Op::EXIT => Flow::End { conditional: false },
            _ => target.map_or(Flow::Next, |_| Flow::Jump { conditional: true }),
        };
        let word = MachineWord { op, flow, sets, waits, target, ..MachineWord::default() };
        Instruction { function: "k".into(), offset, word: Some(word), ..Instruction::default() }
    }

    fn view(instructions: Vec<Instruction>) -> SourceView {
        SourceView { instructions, ..SourceView::default() }
    }

    #[test]
    fn a_wait_is_traced_to_the_nearest_holder_of_its_scoreboard() {
        let view = view(vec![
            row(0, Op::LDG, 0b100, 0, None),
            row(16, Op::LDG, 0b100, 0, None),
            row(32, Op::LDS, 0b100, 0, None),
            row(48, Op::FADD, 0, 0b100, None),
            row(64, Op::BAR, 0, 0, None),
            row(80, Op::FADD, 0, 0, None),
            row(96, Op::LDS, 0, 0, None),
            row(112, Op::FADD, 0, 0, None),
            row(128, Op::WARPGROUP, 0, 0, None),
        ]);
        let causes = Causes::of(&view).unwrap();
        assert_eq!(causes.cause(Trace::Long, 3), Some(1));
        assert_eq!(causes.cause(Trace::Short, 3), Some(2));
        assert_eq!(causes.cause(Trace::Long, 5), None);
        assert_eq!(causes.cause(Trace::Barrier, 5), Some(4));
        assert_eq!(causes.cause(Trace::Barrier, 6), Some(4), "a barrier lets independent instructions pass");
        assert_eq!(causes.cause(Trace::Barrier, 7), None, "and none that touches memory");
        assert_eq!(causes.cause(Trace::Barrier, 8), Some(8), "the products of a warpgroup are waited for here");
        assert_eq!(causes.cause(Trace::Barrier, 4), None);
    }

    #[test]
    fn of_several_holders_the_one_with_a_common_register_is_the_cause() {
        let with = |mut row: Instruction, reads: u8, writes: u8| {
            let one = |number| Register { number, count: 1, ..Register::default() };
            let word = row.word.as_mut().unwrap();
            word.registers.reads[0] = one(reads);
            word.registers.writes[0] = one(writes);
            row
        };
        let view = view(vec![
            with(row(0, Op::LDL, 0b1, 0, None), 1, 9),
            with(row(16, Op::STL, 0b1, 0, None), 7, 8),
            with(row(32, Op::FADD, 0, 0b1, None), 9, 5),
            with(row(48, Op::FADD, 0, 0b1, None), 4, 7),
            with(row(64, Op::FADD, 0, 0b1, None), 2, 3),
        ]);
        let causes = Causes::of(&view).unwrap();
        assert_eq!(causes.cause(Trace::Long, 2), Some(0), "what the load delivers");
        assert_eq!(causes.cause(Trace::Long, 3), Some(1), "what the store still reads");
        assert_eq!(causes.cause(Trace::Long, 4), Some(1), "the nearest, where none has a register in common");
    }

    #[test]
    fn a_wait_for_copies_is_traced_to_the_nearest_of_them() {
        let view = view(vec![
            row(0, Op::LDGSTS, 0, 0, None),
            row(16, Op::LDGDEPBAR, 0, 0, None),
            row(32, Op::DEPBAR, 0, 0, None),
            row(48, Op::LDS, 0b1, 0, None),
            row(64, Op::FADD, 0, 0b1, None),
        ]);
        let causes = Causes::of(&view).unwrap();
        assert_eq!(causes.cause(Trace::Long, 3), Some(0));
        assert_eq!((causes.cause(Trace::Long, 4), causes.cause(Trace::Short, 4)), (None, Some(3)));
    }

    #[test]
    fn a_wait_in_a_loop_is_traced_through_the_jump_back() {
        let view = view(vec![
            row(0, Op::EXIT, 0, 0, None),
            row(16, Op::FADD, 0, 0b1, None),
            row(32, Op::LDG, 0b1, 0, None),
            row(48, Op::BRA, 0, 0, Some(16)),
        ]);
        let causes = Causes::of(&view).unwrap();
        assert_eq!(causes.cause(Trace::Long, 1), Some(2));
        assert_eq!(causes.cause(Trace::Long, 2), None);
    }
}
