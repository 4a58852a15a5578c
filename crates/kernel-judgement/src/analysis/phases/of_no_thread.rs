//! Values that every thread of a block makes alike: of arguments and counters, with no number of a thread behind them.

use super::code::{Code, reached};
use super::flows::{LANE, THREAD};
use super::runs::OF_A_FLOAT;
use cuda_binary::Class;
use cuda_binary::op::Act;
use std::collections::BTreeSet;

/// Lanes of a warp that has no branch of its own: some are off at the edges of the work.
const MOST: u64 = 28;

/// Values of floats that no thread makes as its own.
pub(in crate::analysis) struct OfNoThread {
    /// What makes them, in loops.
    pub(in crate::analysis) made: BTreeSet<usize>,
    /// Constants and counts of these loops, some of which are there for what is made.
    pub(in crate::analysis) beside: BTreeSet<usize>,
    /// What is made and something else takes.
    pub(in crate::analysis) handed_on: BTreeSet<usize>,
}

impl Code<'_> {
    /// What turns of loops make of floats that is the same for all threads of a block, and what goes with it; no sums, of which each turn needs
    /// the one before.
    pub(in crate::analysis) fn of_no_thread(&self) -> OfNoThread {
        let readers = self.readers();
        let own = self.of_threads(&readers);
        let is_common = |row: &usize| !own.contains(row) && self.innermost(*row).is_some();
        // What is made of nothing is a constant.
        let is_alike = |row: &usize| {
            let is_value = self.operands_of(*row).next().is_some() && !self.op(*row).is_uniform();
            is_value && is_common(row) && !self.behind_row(*row).contains(row)
        };
        // The reciprocal of an integer is a part of its division.
        let of_integer = |row: usize| self.operands_of(row).any(|from| self.op(from) == OF_A_FLOAT[0]);
        let is_float = |row: &usize| match self.op(*row).class() {
            Some(Class::SpecialFunction) => is_alike(row) && !of_integer(*row),
            Some(Class::Fp32 | Class::Fp64 | Class::Fp16) => is_alike(row),
            _ => false,
        };
        let is_made = |row: &usize| is_alike(row) && self.op(*row).act().is_none() && self.op(*row).control().is_none();
        let floats: Vec<usize> = self.run().filter(is_float).collect();
        let near = |row: usize| {
            let around = self.innermost(row);
            let is_here = move |other: &usize| around.is_some_and(|cycle| self.is_in(*other, cycle)) && is_made(other);
            self.operands_of(row).chain(readers[row].iter().copied()).filter(is_here).collect::<Vec<usize>>()
        };
        let made: BTreeSet<usize> = reached(floats.iter().copied(), near).into_iter().chain(floats).collect();
        // A branch that asks for one goes with it.
        let takes = |by: &usize| !made.contains(by) && self.op(*by).control().is_none();
        let is_taken = |row: &usize| readers[*row].iter().any(takes);
        let handed_on = made.iter().copied().filter(is_taken).collect();
        let cycles: BTreeSet<usize> = made.iter().flat_map(|row| self.around(*row)).map(|cycle| cycle.header).collect();
        let has_made = |row: &usize| self.innermost(*row).is_some_and(|cycle| cycles.contains(&cycle.header));
        let is_beside =
            |row: &usize| is_common(row) && has_made(row) && !made.contains(row) && self.op(*row).control().is_none();
        let beside = self.run().filter(is_beside).collect();
        OfNoThread { made, beside, handed_on }
    }

    /// The rows that a number of a thread is behind, or what differs by it: memory at a place of the thread, results of atomics, and what
    /// only some lanes make.
    fn of_threads(&self, readers: &[Vec<usize>]) -> BTreeSet<usize> {
        let is_thread = |number: u8| number == LANE || THREAD.contains(&number);
        let is_own_memory = |row: usize| {
            let op = self.op(row);
            op.brings_from_memory() && (op.act() != Some(Act::Load) || self.differs_by_lane(row, false))
        };
        let is_of_some = |row: usize| self.lanes.as_ref().is_none_or(|lanes| lanes[row] < MOST * self.executed[row]);
        let is_own = |row: &usize| {
            self.registers(*row).special.is_some_and(is_thread) || is_own_memory(*row) || is_of_some(*row)
        };
        let own: Vec<usize> = self.run().filter(is_own).collect();
        reached(own.iter().copied(), |row| readers[row].iter().copied()).into_iter().chain(own).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::phases::by_hand::{back, ended, r, special, word};
    use cuda_binary::Op;

    /// How many instructions of a turn are made alike where a sine is of this register: 2 counts the turns, 1 is of the thread.
    fn alike(of: u8) -> usize {
        let rows = ended(&[
            special(1, THREAD[0]),
            word(Op::I2FP, &[r(3)], &[r(of)]),
            word(Op::FMUL, &[r(3)], &[r(3)]),
            word(Op::MUFU, &[r(4)], &[r(3)]),
            word(Op::FFMA, &[r(5)], &[r(4), r(1), r(5)]),
            word(Op::IADD3, &[r(2)], &[r(2)]),
            back(1),
        ]);
        Code::counted(&rows, vec![1; rows.len()], Some(vec![32; rows.len()])).of_no_thread().made.len()
    }

    #[test]
    fn a_function_of_the_turn_is_the_same_for_all_threads_and_one_of_the_thread_is_not() {
        assert_eq!([alike(2), alike(1)], [3, 0]);
    }
}
