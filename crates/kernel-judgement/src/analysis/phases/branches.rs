//! What the bits of a branch and the counts behind it tell of the warps that go each way.

use super::code::Code;
use super::flows::THREAD;
use crate::evidence::{Register, RegisterFile};
use cuda_binary::Class;
use cuda_binary::op::{Computes, Control};

/// What an instruction makes of the number of the thread.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Made {
    /// It reads it.
    Thread,
    /// A copy, also into a register of the warp.
    Same(Register),
    /// What another lane of the warp has.
    OfLane(Register),
    /// Moved to the right by so many bits.
    Shifted(Register, u32),
    /// Whether a value is less than (1), equal to (2) or greater than (4) a number.
    Compared(Register, u8, u32),
}

/// What counts say of the two ways of a branch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum OnWays {
    Nothing,
    /// No warp goes one of them.
    Unused,
    /// So many warps of each block go each of them, by something that differs between threads.
    Warps([u64; 2]),
}

/// What the bits of some code and its counts tell of the warps that a branch parts.
pub(super) struct Branches<'a, 'v> {
    pub(super) code: &'a Code<'v>,
    /// Blocks of the grid; 0 where nothing was counted.
    pub(super) grid: u64,
}

impl Branches<'_, '_> {
    fn bits(&self, row: usize, from: u32, count: u32) -> u32 {
        let word = self.code.rows[row].word.map_or(0, |word| word.bits);
        (word >> from & ((1 << count) - 1)) as u32
    }
}

/// The kinds of operands (bits 9 to 11) of which the second is a register of the same file, and a literal.
const REGISTER: u32 = 1;
const LITERAL: u32 = 4;
/// The kind of a branch by a predicate of the warp (`BRA.U`).
const OF_WARP: u32 = 2;
/// The predicate that always holds.
const ALWAYS: u32 = 7;

impl Branches<'_, '_> {
    /// The predicate that a branch depends on alone, and whether it is taken where that is false.
    pub(super) fn condition(&self, row: usize) -> Option<(Register, bool)> {
        let flag = |file, from| match self.bits(row, from, 4) {
            ALWAYS => None,
            bits => Some((Register { file, number: bits as u8 & 7, count: 1 }, bits >> 3 == 1)),
        };
        let operand = match self.bits(row, 9, 3) {
            OF_WARP => flag(RegisterFile::UniformPredicate, 24),
            _ => flag(RegisterFile::Predicate, 87),
        };
        let is_branch = self.code.op(row).control() == Some(Control::Branch);
        match (flag(RegisterFile::Predicate, 12), operand) {
            (Some(only), None) | (None, Some(only)) if is_branch => Some(only),
            _ => None,
        }
    }

    /// The one instruction that defines a register for the one at `row`, whatever a guard holds; `None` where several may.
    pub(super) fn definition(&self, row: usize, register: Register) -> Option<usize> {
        let found = self.code.definitions(row, register);
        let [only] = found[..] else { return None };
        self.code.word(only).is_unconditional.then_some(only)
    }

    pub(super) fn made(&self, row: usize) -> Option<Made> {
        let (registers, op, kind) = (self.code.registers(row), self.code.op(row), self.bits(row, 9, 3));
        if registers.special == Some(THREAD[0]) {
            return Some(Made::Thread);
        }
        let mut values = registers.read().filter(Register::is_value);
        let value = values.next().filter(|_| values.next().is_none())?;
        match op.computes() {
            Some(Computes::Copied | Computes::CopiedToWarp) => Some(Made::Same(value)),
            Some(Computes::Exchanged) => Some(Made::OfLane(value)),
            // To the right (bit 76) by a literal; with one register, the upper half is the zero.
            Some(Computes::Shift | Computes::ShiftOfWarp) if self.bits(row, 76, 1) == 1 && kind == LITERAL => {
                Some(Made::Shifted(value, self.bits(row, 32, 32)))
            }
            _ if op.class() == Some(Class::IntegerCompare) => {
                // One result (84), joined with nothing (87, 90 and 74), not the upper half of a longer number (72).
                let is_plain = [(84, 3), (87, 4)].iter().all(|(from, count)| self.bits(row, *from, *count) == ALWAYS)
                    && [(72, 1), (74, 2)].iter().all(|(from, count)| self.bits(row, *from, *count) == 0);
                let is_left = self.bits(row, 24, 6) == u32::from(value.number & 63);
                let number = match kind {
                    LITERAL => self.bits(row, 32, 32),
                    REGISTER => 0,
                    _ => return None,
                };
                let orders = self.bits(row, 76, 3) as u8;
                (is_plain && is_left).then_some(Made::Compared(value, orders, number))
            }
            _ => None,
        }
    }

    /// What was counted on the ways from a block to two others. Counts alone say that a branch parts warps where it stands in no loop, depends on the number of the thread, and both ways are run
    /// by a whole number of warps for each block of the grid.
    pub(super) fn counted(&self, block: usize, ways: [usize; 2]) -> OnWays {
        let (code, grid) = (self.code, self.grid);
        let last = code.flow.blocks[block].instructions.end - 1;
        let all = code.executed[last];
        if ways.iter().any(|way| code.entries(*way) == 0) || all == 0 {
            return OnWays::Unused;
        }
        let counts = ways.map(|way| code.way(block, way));
        let is_whole = |count: &u64| *count > 0 && count.is_multiple_of(grid);
        let turns = || code.innermost(last).is_some();
        if grid == 0 || counts.iter().sum::<u64>() != all || !counts.iter().all(is_whole) || turns() {
            return OnWays::Nothing;
        }
        let origin = self.code.origin_of_guard(last);
        if origin.thread || origin.unknown { OnWays::Warps(counts.map(|count| count / grid)) } else { OnWays::Nothing }
    }
}
