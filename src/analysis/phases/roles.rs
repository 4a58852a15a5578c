//! Roles: how the warps of a block part, by the bits of the code and by its counts.

use super::code::Code;
use super::flows::{Flows, THREAD};
use crate::analysis::sass::{Dispatch, Evidence, Made, OnWays, RoleCode, dispatches_by};
use crate::evidence::{Register, RegisterFile};
use cuda_binary::Class;
use cuda_binary::op::{Computes, Control};
use std::collections::BTreeSet;

/// How the warps of a block part.
#[derive(Clone, Debug)]
pub(super) struct Split {
    /// The roles, in the order of their code, functions that they call included; one where all warps run the same.
    pub(super) roles: Vec<RoleCode>,
    /// Blocks in front of the split.
    pub(super) front: BTreeSet<usize>,
    /// Blocks behind the place where the roles meet.
    pub(super) behind: BTreeSet<usize>,
}

impl Split {
    /// The roles of a kernel whose grid has `grid` blocks: those that execute the most, where warps part in several places.
    pub(super) fn of(code: &Code<'_>, flows: &Flows, grid: u64) -> Split {
        let heads = code.loops.iter().map(|cycle| cycle.header).filter(|header| code.entries(*header) > 0);
        let heads: Vec<usize> = heads.collect();
        let executed = |dispatch: &Dispatch| -> u64 {
            dispatch.roles.iter().flat_map(|role| code.rows_of(&role.blocks)).map(|row| code.executed[row]).sum()
        };
        let found = dispatches_by(&code.flow, &heads, &Launched { code, flows, grid });
        let Some(Dispatch { mut roles, mut behind, .. }) = found.into_iter().max_by_key(executed) else {
            let all = RoleCode { blocks: (0..code.flow.blocks.len()).collect(), ..RoleCode::default() };
            return Split { roles: vec![all], front: BTreeSet::new(), behind: BTreeSet::new() };
        };
        for role in &mut roles {
            role.blocks.extend(code.called_by(&role.blocks));
        }
        let owned: BTreeSet<usize> = roles.iter().flat_map(|role| &role.blocks).copied().collect();
        behind.retain(|block| !owned.contains(block));
        let is_front = |block: &usize| !owned.contains(block) && !behind.contains(block);
        let front = (0..code.flow.blocks.len()).filter(is_front).collect();
        Split { roles, front, behind }
    }

    /// Whether all warps run the same.
    pub(super) fn is_one(&self) -> bool {
        self.roles.len() == 1
    }
}

/// What the bits of a launch's code and its counts tell of the warps that a branch parts.
struct Launched<'a, 'v> {
    code: &'a Code<'v>,
    flows: &'a Flows,
    grid: u64,
}

impl Launched<'_, '_> {
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

impl Evidence for Launched<'_, '_> {
    fn condition(&self, row: usize) -> Option<(Register, bool)> {
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

    fn definition(&self, row: usize, register: Register) -> Option<usize> {
        let found = self.flows.definitions(self.code, row, register);
        let [only] = found[..] else { return None };
        self.code.rows[only].word.is_some_and(|word| word.is_unconditional).then_some(only)
    }

    fn made(&self, row: usize) -> Option<Made> {
        let (registers, op, kind) = (self.code.registers(row), self.code.op(row), self.bits(row, 9, 3));
        if registers.special == Some(THREAD[0]) {
            return Some(Made::Thread);
        }
        let is_value = |register: &Register| matches!(register.file, RegisterFile::General | RegisterFile::Uniform);
        let mut values = registers.read().filter(is_value);
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

    /// Counts alone say that a branch parts warps where it stands in no loop, depends on the number of the thread, and both ways are run
    /// by a whole number of warps for each block of the grid.
    fn counted(&self, block: usize, ways: [usize; 2]) -> OnWays {
        let (code, grid) = (self.code, self.grid);
        let last = code.flow.blocks[block].instructions.end - 1;
        let all = code.executed[last];
        if ways.iter().any(|way| code.entries(*way) == 0) || all == 0 {
            return OnWays::Unused;
        }
        let counts = ways.map(|way| code.way(block, way));
        let is_whole = |count: &u64| *count > 0 && count.is_multiple_of(grid);
        let turns = || code.loops.iter().any(|cycle| cycle.blocks.contains(&block));
        if grid == 0 || counts.iter().sum::<u64>() != all || !counts.iter().all(is_whole) || turns() {
            return OnWays::Nothing;
        }
        let origin = self.flows.origin_of_guard(code, last);
        if origin.thread || origin.unknown { OnWays::Warps(counts.map(|count| count / grid)) } else { OnWays::Nothing }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::sass::Listed;
    use crate::evidence::Instruction;

    /// The same of each instruction from its bits as from its text.
    #[test]
    fn bits_and_text_agree() {
        let mut seen = 0;
        for file in ["h200/devset.sass", "sass/tiny.sass"] {
            let path = format!("{}/tests/fixtures/{file}", env!("CARGO_MANIFEST_DIR"));
            let listing = cuda_binary::sass::read(&std::fs::read(path).unwrap(), Default::default(), "sm_90").unwrap();
            for function in &listing.functions {
                let listed = Listed::of(function);
                let word = |own: &Instruction| Instruction { word: own.word, ..Instruction::default() };
                let rows: Vec<Instruction> = listed.code.iter().map(word).collect();
                let code = Code::counted(&rows, vec![1; rows.len()], None);
                let launched = Launched { code: &code, flows: &Flows::of(&code), grid: 1 };
                for (row, own) in listed.code.iter().enumerate() {
                    let found = (launched.made(row), launched.condition(row));
                    assert_eq!(found, (listed.made(row), listed.condition(row)), "{own:?}");
                    seen += usize::from(found.0.is_some());
                }
            }
        }
        assert!(seen > 40, "{seen}");
    }
}
