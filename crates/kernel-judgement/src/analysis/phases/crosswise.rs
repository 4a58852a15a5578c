//! What threads and blocks have in common: the numbers of theirs that are behind a place.

use super::code::Code;
use super::flows::{BLOCK, LONGEST, THREAD};
use crate::evidence::{Arithmetic, Register};
use std::collections::{BTreeMap, BTreeSet};

impl Code<'_> {
    /// The numbers of the thread and the block that are behind the address of an access.
    pub(super) fn numbers(&self, row: usize) -> BTreeSet<u8> {
        let special = self.address_behind(row).iter().filter_map(|row| self.registers(*row).special);
        special.filter(|number| THREAD.contains(number) || BLOCK.contains(number)).collect()
    }

    /// The first instruction that asks which block this is.
    pub(in crate::analysis) fn asks_for_block(&self) -> Option<usize> {
        self.run().find(|row| self.registers(*row).special.is_some_and(|number| BLOCK.contains(&number)))
    }

    /// By which of the thread's numbers, in x, y and z, the address of an access differs, itself and the loads of global memory that pick it;
    /// by all where something else does.
    pub(in crate::analysis) fn numbers_of_thread(&self, row: usize) -> [bool; 3] {
        let all: Vec<usize> = self.loads_behind(row).iter().copied().chain([row]).collect();
        let is_other = |row: &usize| self.op(*row).brings_from_memory() && !self.op(*row).loads_global();
        if all.iter().flat_map(|row| self.address_behind(*row)).any(is_other) {
            return [true; 3];
        }
        let numbers: BTreeSet<u8> = all.into_iter().flat_map(|row| self.numbers(row)).collect();
        THREAD.map(|number| numbers.contains(&number))
    }

    /// How many blocks in a row along x, y and z have the same address for an access, itself and the loads that pick it: one where the number
    /// of the block is behind it, 2ⁿ where only that shifted right by n is, all where it is not. What a block finds in shared memory or by an
    /// atomic is its own.
    pub(in crate::analysis) fn blocks_alike(&self, row: usize) -> [u64; 3] {
        let mut alike = [u64::MAX; 3];
        let mut seen: BTreeMap<usize, u64> = BTreeMap::new();
        let mut open: Vec<(usize, u64)> = self.address_of(row).into_iter().flatten().map(|row| (*row, 1)).collect();
        if open.is_empty() {
            return [1; 3];
        }
        while let Some((row, blocks)) = open.pop() {
            if seen.get(&row).is_some_and(|known| *known <= blocks) {
                continue;
            }
            seen.insert(row, blocks);
            let special = self.registers(row).special;
            if let Some(at) = BLOCK.iter().position(|number| special == Some(*number)) {
                alike[at] = alike[at].min(blocks);
            }
            let (op, word) = (self.op(row), self.word(row));
            if op.brings_from_memory() && !op.loads_global() {
                return [1; 3];
            }
            // What is loaded, or multiplied before it is shifted, differs as its own parts do.
            let blocks = match word.arithmetic {
                Arithmetic::ShiftRight(_, by) => blocks.saturating_mul(1 << by.min(31)),
                Arithmetic::Sum(_) | Arithmetic::Other if !op.loads_global() => blocks,
                _ if word.is_copy() => blocks,
                _ => 1,
            };
            // What nothing is known to make may be made of anything.
            if self.operands(row).iter().any(|(own, rows)| own.is_value() && rows.is_empty()) {
                return [1; 3];
            }
            let behind = self.operands_of(row).map(|row| (row, blocks));
            open.extend(behind);
        }
        alike
    }

    /// Whether two registers of a row hold elements of a row and of a column: each is loaded from a place that differs by a number of a
    /// thread or a block by which that of the other does not.
    pub(in crate::analysis) fn is_crossed(&self, row: usize, factors: [Register; 2]) -> bool {
        let numbers = |factor: Register| -> BTreeSet<u8> {
            let behind = self.behind(vec![&self.definitions(row, factor)], LONGEST);
            let loads = behind.into_iter().filter(|row| self.op(*row).loads_global());
            // What a loaded value picks differs by what picked that.
            let picks = |load: usize| self.loads_behind(load).iter().copied().chain([load]);
            loads.flat_map(picks).flat_map(|load| self.numbers(load)).collect()
        };
        let [one, other] = factors.map(numbers);
        !one.is_subset(&other) && !other.is_subset(&one)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::phases::by_hand::{self, r, rows, special};
    use crate::evidence::MachineWord;
    use cuda_binary::Op;

    fn word(op: Op, writes: u8, reads: &[u8]) -> MachineWord {
        by_hand::word(op, &[r(writes)], &reads.iter().map(|number| r(*number)).collect::<Vec<_>>())
    }

    /// Blocks along y that load the same from R4, which is made of the block's number in R5.
    fn alike(made: &[MachineWord]) -> u64 {
        let rows = rows(&[&[special(5, BLOCK[1])][..], made, &[word(Op::LDG, 8, &[4])]].concat());
        let code = Code::counted(&rows, vec![1; rows.len()], None);
        code.blocks_alike(rows.len() - 1)[1]
    }

    #[test]
    fn blocks_of_one_quotient_load_the_same_whatever_is_loaded_on_the_way() {
        let of = |arithmetic, own| MachineWord { arithmetic, ..own };
        let quarter = |to, from| of(Arithmetic::ShiftRight(Default::default(), 2), word(Op::of("SHF"), to, &[from]));
        let scaled = |to, from| of(Arithmetic::MultiplyAdd(Default::default()), word(Op::of("IMAD"), to, &[from]));
        assert_eq!(alike(&[word(Op::MOV, 4, &[])]), u64::MAX, "the same for all");
        assert_eq!(alike(&[quarter(6, 5), scaled(4, 6)]), 4, "y / 4 · n");
        assert_eq!(alike(&[quarter(6, 5), word(Op::LDG, 4, &[6])]), 4, "list[y / 4]");
        assert_eq!(alike(&[scaled(6, 5), quarter(4, 6)]), 1, "y · n / 4");
        assert_eq!(alike(&[word(Op::LDG, 6, &[5]), quarter(4, 6)]), 1, "list[y] / 4");
        assert_eq!(alike(&[quarter(6, 5), word(Op::IADD3, 4, &[5, 6])]), 1, "y + y / 4");
        assert_eq!(alike(&[word(Op::LDS, 4, &[9])]), 1, "what one of its threads took for the block");
    }

    #[test]
    fn the_row_of_one_thread_and_the_column_of_another_cross() {
        let crossed = |one: u8, other: u8| {
            let rows = rows(&[
                special(2, THREAD[0]),
                special(3, THREAD[1]),
                word(Op::LDG, 7, &[3]),
                word(Op::LDG, 4, &[one]),
                word(Op::LDG, 5, &[other]),
                word(Op::FFMA, 6, &[4, 5, 6]),
            ]);
            let code = Code::counted(&rows, vec![1; rows.len()], None);
            code.is_crossed(5, [r(4), r(5)])
        };
        assert!(crossed(2, 3), "a[x] · b[y]");
        assert!(crossed(2, 7), "a[x] · b[list[y]]");
        assert!(!crossed(2, 2), "a[x] · b[x]");
        assert!(!crossed(2, 9), "a[x] · b[k]");
    }
}
