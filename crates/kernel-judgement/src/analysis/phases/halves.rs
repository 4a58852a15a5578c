//! Loops that look for a root by halves of an interval.

use super::code::Code;
use cuda_binary::Class;
use cuda_binary::op::Computes;
use std::collections::BTreeSet;

/// Half of a float, and the upper word of half of a double.
const HALF: [u32; 2] = [0x3f00_0000, 0x3fe0_0000];

impl Code<'_> {
    /// The middles of intervals that loops halve, turn by turn: half the sum of two ends, of which each is what it was or a middle.
    pub(in crate::analysis) fn middles(&self) -> Vec<usize> {
        let is_half = |row: &usize| {
            let is_number = self.word(*row).literal().is_some_and(|number| HALF.contains(&number));
            is_number && self.op(*row).is_of(&[Class::Fp32, Class::Fp64]) && self.innermost(*row).is_some()
        };
        let halves: BTreeSet<usize> = self.run().filter(is_half).collect();
        let picks = |row: &usize| {
            let is_pick = self.word(*row).is_copy()
                || matches!(self.op(*row).computes(), Some(Computes::Selected | Computes::Picked));
            is_pick && self.operands_of(*row).any(|from| halves.contains(&from))
        };
        let is_middle = |half: &usize| {
            let turns = |row: &usize| self.innermost(*half).is_some_and(|cycle| self.is_in(*row, cycle));
            let is_end = |rows: &Vec<usize>| rows.iter().any(turns) && rows.iter().filter(|row| turns(row)).all(picks);
            let mut sums = self.operands_of(*half).filter(turns);
            sums.any(|sum| {
                let values = self.operands(sum).iter().filter(|(register, _)| register.is_value());
                values.filter(|(_, rows)| is_end(rows)).count() == 2
            })
        };
        halves.iter().filter(|half| is_middle(half)).copied().collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::phases::by_hand::{P, back, ended, r, word};
    use crate::evidence::MachineWord;
    use cuda_binary::Op;

    #[test]
    fn an_interval_is_halved_where_both_ends_are_what_they_were_or_the_middle() {
        // Bits 9 to 11: a number in the code, in bits 32 to 63.
        let half = MachineWord { bits: 4 << 9 | u128::from(HALF[0]) << 32, ..word(Op::FMUL, &[r(4)], &[r(4)]) };
        let middles = |other: u8| {
            let rows = ended(&[
                word(Op::MOV, &[r(2)], &[]),
                word(Op::MOV, &[r(3)], &[]),
                word(Op::FADD, &[r(4)], &[r(2), r(3)]),
                half,
                word(Op::FSETP, &[P], &[r(4)]),
                word(Op::FSEL, &[r(2)], &[r(2), r(4), P]),
                word(Op::FSEL, &[r(3)], &[r(other), r(3), P]),
                back(2),
            ]);
            Code::counted(&rows, vec![28; rows.len()], None).middles()
        };
        assert_eq!(middles(4), [3]);
        assert!(middles(5).is_empty(), "an end that is neither");
    }
}
