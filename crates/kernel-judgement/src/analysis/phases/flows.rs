//! Where values come from: definitions that reach a use, and what is behind them.

use super::code::Code;
use super::values::{Flows, Known, Origin};
use crate::evidence::{Instruction, Register, RegisterFile};
use crate::quantity::SECTOR_BYTES;
use cuda_binary::Op;
use cuda_binary::op::{Act, Space, Sync};
use std::cell::OnceCell;
use std::collections::{BTreeMap, BTreeSet};

/// Blocks looked at for one definition.
const FARTHEST: usize = 512;
/// Instructions behind one value that are looked at.
pub(super) const LONGEST: usize = 256;
/// The special registers that hold the thread's number in its block.
pub(super) const THREAD: [u8; 3] = [0x21, 0x22, 0x23];
/// The special registers that hold the block's number in the grid.
pub(super) const BLOCK: [u8; 3] = [0x25, 0x26, 0x27];
/// The special register that holds the lane's number in its warp.
pub(super) const LANE: u8 = 0x00;
/// Files of registers, and the registers that one may have.
const FILES: usize = 4;
const NUMBERS: usize = 256;

impl<'v> Code<'v> {
    /// The code of rows that all have their bits, with its counts.
    pub(in crate::analysis) fn counted(
        rows: &'v [Instruction],
        executed: Vec<u64>,
        lanes: Option<Vec<u64>>,
    ) -> Code<'v> {
        let mut code = Code::bare(rows, executed, lanes);
        let mut writes = vec![Vec::new(); FILES * NUMBERS];
        for row in 0..rows.len() {
            for written in code.registers(row).written() {
                slots(written).for_each(|slot| writes[slot].push(row));
            }
        }
        let is_memory = (0..rows.len()).map(|row| code.op(row).brings_from_memory()).collect();
        let known = rows.iter().map(|_| Known::default()).collect();
        code.flows = Flows { writes, is_memory, rows: known, splits: splits(&code), places: OnceCell::new() };
        code
    }

    /// Whether the order of an access's addresses is the data's: its address depends on a value loaded in the same loop, or on any
    /// where it is in none, is made anew of such values by each turn, or goes on from one for no more than a sector.
    pub(in crate::analysis) fn is_inherent(&self, row: usize) -> bool {
        let is_access = || self.executed[row] > 0 && (self.op(row).reads_global() || self.op(row).writes_global());
        // A walk over a list of its own for no more bytes than a sector holds: nothing of another lane's fits into its sectors.
        let is_short = || self.walked(row).is_some_and(|bytes| bytes <= f64::from(SECTOR_BYTES));
        is_access() && (self.depends_on_load(row) && !self.goes_on(row) || self.is_made_anew(row) || is_short())
    }

    /// The first load of the access that a load was split from; `None` for one that stands alone.
    pub(in crate::analysis) fn split_of(&self, row: usize) -> Option<usize> {
        self.flows.splits.get(&row).copied()
    }

    /// Whether a row runs wherever a later one of its block does, or wherever that does not: it has no guard, or the same or its opposite,
    /// which is not written between them. `None` where that is not known.
    fn runs_with(&self, row: usize, later: usize) -> Option<bool> {
        let [Some(own), Some(other)] = [row, later].map(|row| self.rows[row].word.as_ref()) else { return Some(true) };
        let is_kept = |guard: Register| {
            slots(guard).all(|slot| !self.flows.writes[slot].iter().any(|write| (row..later).contains(write)))
        };
        let ((guard, is_not), (same, is_not_of_later)) = (own.guard(), other.guard());
        let is_one = guard == same
            && self.block_of[row] == self.block_of[later]
            && row < later
            && own.registers.read().next().is_some_and(is_kept);
        if own.is_unconditional { Some(true) } else { is_one.then_some(is_not == is_not_of_later) }
    }

    /// Adds the last row of a block before `end` that writes one register for certain where `reader` runs, and the guarded ones behind it;
    /// whether there is a certain one.
    fn in_block(&self, (block, reader): (usize, usize), end: usize, slot: usize, found: &mut Vec<usize>) -> bool {
        let start = self.flow.blocks[block].instructions.start;
        let (rows, first) = (&self.flows.writes[slot], found.len());
        let before = rows[..rows.partition_point(|row| *row < end)].iter().rev();
        for row in before.copied().take_while(|row| *row >= start) {
            // Of two with opposite guards one runs.
            let is_either = found[first..].iter().any(|later| self.runs_with(row, *later) == Some(false));
            found.push(row);
            if is_either || self.runs_with(row, reader) == Some(true) {
                return true;
            }
        }
        false
    }

    /// The rows that define a register for a row, along every way, ascending. One with a guard of its own may leave the value of an
    /// earlier one, but for two with opposite guards. Each register of several is looked for by itself: one may be written in a block in which the others are not.
    pub(in crate::analysis) fn definitions(&self, row: usize, register: Register) -> Vec<usize> {
        self.definitions_for(row, register, row)
    }

    /// The same where a later row takes what comes of it. What never ran leaves nothing to what did.
    fn definitions_for(&self, row: usize, register: Register, reader: usize) -> Vec<usize> {
        let mut found = Vec::new();
        let has_run = |row: usize| self.executed[row] > 0;
        let leads = |block: &&usize| !has_run(row) || has_run(self.flow.blocks[**block].instructions.start);
        for slot in slots(register) {
            let (mut open, mut end) = (vec![self.block_of[row]], Some(row));
            let mut seen = BTreeSet::new();
            while let (Some(block), true) = (open.pop(), seen.len() < FARTHEST) {
                // The row's own block counts as seen only once it is entered again from its end.
                if end.is_some() || seen.insert(block) {
                    let end = end.take().unwrap_or(self.flow.blocks[block].instructions.end);
                    if !self.in_block((block, reader), end, slot, &mut found) {
                        open.extend(self.predecessors[block].iter().filter(leads));
                    }
                }
            }
        }
        found.sort_unstable();
        found.dedup();
        found
    }

    /// The registers that a row reads, each with the rows that define it.
    pub(super) fn operands(&self, row: usize) -> &[(Register, Vec<usize>)] {
        let defined = |register| (register, self.definitions(row, register));
        self.flows.rows[row].operands.get_or_init(|| self.registers(row).read().map(defined).collect())
    }

    /// The rows behind some registers at some rows, at most so many, ascending. Values from memory and answers of mbarriers end the
    /// search: their addresses are other values. The guard of the one row that a value can come from is nothing that it is made of.
    pub(super) fn behind<'f>(&'f self, mut open: Vec<&'f [usize]>, most: usize) -> Vec<usize> {
        let [mut seen, mut chosen] = [(); 2].map(|()| vec![false; self.flows.rows.len()]);
        let mut found = Vec::new();
        while let Some(definitions) = open.pop() {
            for row in definitions.iter().copied() {
                let is_first = found.len() < most && !std::mem::replace(&mut seen[row], true);
                if is_first {
                    found.push(row);
                }
                if !seen[row] || self.flows.is_memory[row] || self.op(row).sync() == Some(Sync::Mbarrier) {
                    continue;
                }
                let has_guard = !self.word(row).is_unconditional;
                let (guard, made_of) = self.operands(row).split_at(usize::from(has_guard));
                // A guard chooses where the value can come from another row, at whichever use that is.
                let chooses = definitions.len() > 1 && !std::mem::replace(&mut chosen[row], true);
                let parts = [(guard, chooses), (made_of, is_first)].into_iter().filter(|(_, is_own)| *is_own);
                open.extend(parts.flat_map(|(operands, _)| operands).map(|(_, rows)| &rows[..]));
            }
        }
        found.sort_unstable();
        found
    }

    pub(in crate::analysis) fn behind_row(&self, row: usize) -> BTreeSet<usize> {
        let operands = self.operands(row).iter().map(|(_, rows)| &rows[..]).collect();
        self.behind(operands, LONGEST).into_iter().collect()
    }

    /// The rows that define the address of an access; `None` without one.
    pub(in crate::analysis) fn address_of(&self, row: usize) -> Option<&[usize]> {
        let address = address(self, row)?;
        self.operands(row).iter().find(|(register, _)| *register == address).map(|(_, rows)| &rows[..])
    }

    /// The rows behind the addresses of some accesses.
    pub(in crate::analysis) fn behind_addresses(&self, rows: &BTreeSet<usize>) -> Vec<usize> {
        self.behind(rows.iter().filter_map(|row| self.address_of(*row)).collect(), usize::MAX)
    }

    /// The rows behind the address of any access that is executed.
    pub(in crate::analysis) fn behind_any_address(&self) -> Vec<usize> {
        self.behind_addresses(&self.run().filter(|row| self.op(*row).space().is_some()).collect())
    }

    /// Whether a value from memory is behind a register that a row reads, whatever was made of it.
    pub(in crate::analysis) fn is_from_memory(&self, row: usize, register: Register) -> bool {
        let own = self.operands(row).iter().filter(|(other, _)| *other == register);
        let behind = self.behind(own.map(|(_, rows)| &rows[..]).collect(), LONGEST);
        behind.iter().any(|row| self.flows.is_memory[*row])
    }

    /// Takes those away from some rows that bring a value from memory or depend on one of the rows that do.
    pub(in crate::analysis) fn remove_from_memory(&self, rows: &mut Vec<usize>) {
        let mut is_from_memory = self.flows.is_memory.clone();
        // A value is written in front of most of its uses, so that one pass finds nearly all; loops take a few more.
        let mut is_done = false;
        while !is_done {
            is_done = true;
            for row in rows.iter().copied() {
                if !is_from_memory[row] && self.operands_of(row).any(|operand| is_from_memory[operand]) {
                    (is_from_memory[row], is_done) = (true, false);
                }
            }
        }
        rows.retain(|row| !is_from_memory[*row]);
    }

    /// The rows behind the flags that a row reads: its guard, or of a branch its condition.
    pub(in crate::analysis) fn behind_flags(&self, row: usize) -> Vec<usize> {
        let flags = self.operands(row).iter().filter(|(register, _)| !register.is_value());
        self.behind(flags.map(|(_, rows)| &rows[..]).collect(), LONGEST)
    }

    /// What is behind the guard of a row; for a branch its condition.
    pub(in crate::analysis) fn origin_of_guard(&self, row: usize) -> Origin {
        *self.flows.rows[row].guard.get_or_init(|| {
            let rows = self.behind_flags(row);
            let mut origin = Origin { unknown: rows.is_empty(), ..Origin::default() };
            for row in rows {
                let special = self.registers(row).special;
                origin.thread |= special.is_some_and(|number| THREAD.contains(&number) || number == LANE);
                origin.block |= special.is_some_and(|number| BLOCK.contains(&number));
                origin.memory |= self.flows.is_memory[row] || self.op(row).sync() == Some(Sync::Mbarrier);
                origin.elected |= self.op(row) == Op::ELECT;
            }
            origin
        })
    }

    /// Whether the address of an access depends on a value that was loaded in the same loop; outside of loops, on any loaded value.
    pub(super) fn depends_on_load(&self, row: usize) -> bool {
        let around = || self.around(row);
        let is_near = |other: &usize| around().next().is_none() || around().any(|cycle| self.is_in(*other, cycle));
        self.loads_behind(row).iter().any(is_near)
    }

    /// The rows behind the address of an access.
    pub(in crate::analysis) fn address_behind(&self, row: usize) -> &[usize] {
        let find = || self.behind(self.address_of(row).into_iter().collect(), LONGEST);
        self.flows.rows[row].address_behind.get_or_init(find)
    }

    /// The rows that take what each row leaves.
    pub(in crate::analysis) fn readers(&self) -> Vec<Vec<usize>> {
        let mut readers = vec![Vec::new(); self.rows.len()];
        self.run().for_each(|row| self.operands_of(row).for_each(|from| readers[from].push(row)));
        readers
    }

    /// The rows that define what a row reads.
    pub(in crate::analysis) fn operands_of(&self, row: usize) -> impl Iterator<Item = usize> {
        self.operands(row).iter().flat_map(|(_, rows)| rows).copied()
    }

    /// The same without the address of an access.
    pub(in crate::analysis) fn data_of(&self, row: usize) -> impl Iterator<Item = usize> {
        let address = address(self, row);
        let data = self.operands(row).iter().filter(move |(register, _)| Some(*register) != address);
        data.flat_map(|(_, rows)| rows).copied()
    }

    /// Whether the address of an access can differ from lane to lane: the number of a thread or a lane is behind it, a value from
    /// memory, or something that is not traced. Where each row of a block is whole warps, a row's number is the same for all lanes.
    pub(in crate::analysis) fn differs_by_lane(&self, row: usize, rows_are_warps: bool) -> bool {
        let differs = |number: u8| number == LANE || number == THREAD[0] || THREAD.contains(&number) && !rows_are_warps;
        let behind = self.address_behind(row);
        address(self, row).is_some()
            && (behind.is_empty()
                || behind
                    .iter()
                    .any(|row| self.registers(*row).special.is_some_and(differs) || self.flows.is_memory[*row]))
    }

    /// Whether values from memory choose the address of an access, and no number of a thread or a lane does where the access runs.
    pub(in crate::analysis) fn is_chosen_by_data(&self, row: usize) -> bool {
        let (mut open, mut seen) = (Vec::from_iter(address(self, row).map(|own| (row, own))), BTreeSet::new());
        let mut is_from_memory = false;
        while let Some((reads, register)) = open.pop() {
            let mut found = self.definitions_for(reads, register, row);
            found.retain(|row| seen.insert(*row));
            for behind in found {
                let registers = self.registers(behind);
                if registers.special.is_some_and(|number| number == LANE || THREAD.contains(&number)) {
                    return false;
                }
                is_from_memory |= self.flows.is_memory[behind];
                if !self.flows.is_memory[behind] && seen.len() < LONGEST {
                    open.extend(registers.read().filter(|own| own.is_value()).map(|own| (behind, own)));
                }
            }
        }
        is_from_memory
    }

    /// Whether each value of an access is one block's alone, in a grid of so many blocks in x, y and z, and read once there: the numbers
    /// of the block are behind its address, and it is in no loop, or the number of the thread is behind it as well.
    pub(in crate::analysis) fn is_read_once(&self, row: usize, grid: [u64; 3]) -> bool {
        let behind = self.address_behind(row);
        let has = |number: u8| behind.iter().any(|row| self.registers(*row).special == Some(number));
        let turns = self.innermost(row).is_some();
        grid.into_iter().zip(BLOCK).all(|(blocks, number)| blocks == 1 || has(number))
            && (!turns || has(LANE) || THREAD.into_iter().any(has))
    }

    /// The loads whose values the address of an access is made of.
    pub(in crate::analysis) fn loads_behind(&self, row: usize) -> &[usize] {
        let is_load = |other: &usize| {
            let op = self.op(*other);
            matches!(op.space(), Some(Space::Global | Space::Shared))
                && matches!(op.act(), Some(Act::Load | Act::Atomic))
        };
        let find = || self.address_behind(row).iter().copied().filter(is_load).collect();
        self.flows.rows[row].loads_behind.get_or_init(find)
    }
}

/// The places of some registers in a table of all.
fn slots(register: Register) -> impl Iterator<Item = usize> {
    let numbers = register.number..register.number.saturating_add(register.count);
    numbers.map(move |number| register.file as usize * NUMBERS + usize::from(number))
}

/// The register that a memory access takes its address from: that of the lanes, else a uniform one.
pub(in crate::analysis) fn address(code: &Code<'_>, row: usize) -> Option<Register> {
    let read = || code.registers(row).read();
    let of = |file: RegisterFile| read().find(|register| register.file == file);
    let op = code.op(row);
    let is_store = matches!(op.space(), Some(Space::Local | Space::Shared)) && op.act() == Some(Act::Store);
    // The data of a store are registers of the lanes as well, and stand behind its address.
    let uniform = of(RegisterFile::Uniform);
    let general = read().filter(|register| register.file == RegisterFile::General).count();
    if is_store && uniform.is_some() && general < 2 { uniform } else { of(RegisterFile::General).or(uniform) }
}

/// Loads of one block with one address register that is not written between them, whose offsets lie in the same 32 bytes: by row
/// the first of them.
fn splits(code: &Code<'_>) -> BTreeMap<usize, usize> {
    let mut found = BTreeMap::new();
    for block in &code.flow.blocks {
        // (address register, offset) of the first load of each access.
        let mut open: Vec<(Register, i32, usize)> = Vec::new();
        for row in block.instructions.clone() {
            let Some(word) = &code.rows[row].word else { continue };
            let is_load = code.op(row).loads_global();
            if let Some(register) = is_load.then(|| address(code, row)).flatten() {
                let offset = word.registers.offset;
                let same =
                    open.iter().find(|(other, first, _)| *other == register && offset.abs_diff(*first) < SECTOR_BYTES);
                match same {
                    Some((_, _, first)) => found.extend([(row, *first), (*first, *first)]),
                    None => open.push((register, offset, row)),
                }
            }
            open.retain(|(register, ..)| !word.registers.written().any(|own| own.meets(register)));
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::phases::by_hand::{P, back, ended, r, word};
    use crate::evidence::MachineWord;

    const fn general(number: u8, count: u8) -> Register {
        Register { file: RegisterFile::General, number, count }
    }

    /// A loop that makes the low half of an address anew each turn, the high half once in front of it, and behind the access overwrites
    /// the low half with a loaded value.
    #[test]
    fn halves_of_a_pair_are_looked_for_apart() {
        let (own, pair) = (|write: Register, read: Register| word(Op::MOV, &[write], &[read]), general(26, 2));
        let none = general(0, 0);
        let rows = ended(&[
            own(general(27, 1), none),
            own(general(26, 1), none),
            own(general(6, 2), pair),
            own(general(26, 1), general(6, 2)),
            back(1),
            own(none, pair),
        ]);
        let code = Code::counted(&rows, vec![1; rows.len()], None);
        assert_eq!(code.definitions(2, pair), [0, 1], "not the load at 3, which 1 hides");
        assert_eq!(code.definitions(5, pair), [0, 3], "the last of each half behind the loop");
    }

    /// A value, then one of two by a flag and its opposite, and a reader; between them the flag may be made again.
    #[test]
    fn of_two_writes_with_opposite_guards_one_is_certain() {
        let own = r(9);
        let guarded = |is_not: bool| {
            let bits = u128::from(is_not) << 15;
            MachineWord { bits, is_unconditional: false, ..word(Op::MOV, &[own], &[P]) }
        };
        let of = |is_not: [bool; 2], remade: &[Register]| {
            let (always, between) = (word(Op::MOV, &[own], &[]), word(Op::ISETP, remade, &[]));
            let rows = ended(&[always, guarded(is_not[0]), between, guarded(is_not[1]), word(Op::MOV, &[], &[own])]);
            Code::counted(&rows, vec![1; rows.len()], None).definitions(4, own)
        };
        assert_eq!(of([true, false], &[]), [1, 3]);
        assert_eq!(of([false, false], &[]), [0, 1, 3], "both run, or neither");
        assert_eq!(of([true, false], &[P]), [0, 1, 3], "another flag");
    }
}
