//! What comparisons ask: what answers stand, what carries.

use super::code::{Code, Loop, reached};
use super::flows::LONGEST;
use crate::evidence::{Arithmetic, Operand, OperandFrom, Register, RegisterFile};
use cuda_binary::Class;
use cuda_binary::op::Computes;

/// What compares values.
pub(super) const COMPARES: [Class; 2] = [Class::IntegerCompare, Class::FpCompare];

impl Code<'_> {
    /// Whether what a row of a loop leaves is chosen by a flag that asks what it has let be chosen itself, against a value from outside of the
    /// loop: the first turn that it holds for sets the answer, and no later one does.
    pub(in crate::analysis) fn is_chosen_once(&self, row: usize, cycle: &Loop) -> bool {
        let turns = |row: &usize| self.is_in(*row, cycle);
        let copied = |at: usize| if self.word(at).is_copy() { self.operands(at) } else { &[] };
        let sources = |at: usize| copied(at).iter().flat_map(|(_, rows)| rows).copied().filter(turns);
        let chain = reached([row], sources).into_iter().chain([row]);
        let mut choices = chain.filter(|at| !self.word(*at).is_copy()).peekable();
        // Of two values that are compared one hangs on the comparison, and the other on no turn.
        let asks = |flag: usize| {
            let values = self.operands(flag).iter().filter(|(own, _)| own.is_value());
            let (own, others): (Vec<&[usize]>, Vec<&[usize]>) =
                values.map(|(_, rows)| &rows[..]).partition(|rows| self.behind(vec![rows], LONGEST).contains(&flag));
            let is_outside = !others.concat().iter().any(turns);
            (!own.is_empty()).then_some(own.len() == 1 && is_outside)
        };
        let is_once = |choice: usize| {
            let has_guard = !self.word(choice).is_unconditional;
            let is_choice = has_guard || self.op(choice).computes() == Some(Computes::Selected);
            let values = self.operands(choice).iter().filter(|(own, _)| own.is_value());
            let of_itself = values.filter(|(_, rows)| self.behind(vec![rows], LONGEST).contains(&choice));
            let of_itself: Vec<Register> = of_itself.map(|(own, _)| *own).collect();
            // What was there is what a guard leaves, and what a selection takes.
            let is_kept = of_itself.len() == usize::from(!has_guard);
            let flags = self.behind_flags(choice).into_iter().filter(turns);
            let asked: Vec<usize> = flags.filter(|flag| self.op(*flag).is_of(&COMPARES)).collect();
            // Joined with another condition by `and` the answer is taken where both hold, and by what a guard that is turned over leaves
            // where either does not.
            let is_alone = |flag: &usize| self.registers(*flag).read().all(|own| own.is_value());
            let is_both = match of_itself[..] {
                [own] => self.word(choice).leaves(own),
                _ => has_guard && !self.word(choice).guard().1,
            };
            let is_sure = asked
                .iter()
                .filter(|flag| asks(**flag).is_some())
                .all(|flag| is_alone(flag) || is_both && self.word(*flag).joins_by_and());
            let asked: Vec<bool> = asked.into_iter().filter_map(asks).collect();
            is_choice && is_kept && is_sure && !asked.is_empty() && asked.iter().all(|own| *own)
        };
        choices.peek().is_some() && choices.all(is_once)
    }

    /// Whether one of the two values that a row compares is a sum into which the other went.
    pub(in crate::analysis) fn compares_with_part(&self, row: usize) -> bool {
        let from = |row: usize, number: u8| {
            let own =
                self.operands(row).iter().find(|(own, _)| own.file == RegisterFile::General && own.number == number);
            own.map(|(_, rows)| rows)
        };
        let is_one = |operand: &Operand| operand.from == OperandFrom::Immediate(1);
        let added = |row: usize| -> Vec<u8> {
            let parts = match self.word(row).arithmetic {
                Arithmetic::Sum(parts) => parts.to_vec(),
                Arithmetic::MultiplyAdd([own, times, added]) if is_one(&times) => vec![own, added],
                Arithmetic::MultiplyAdd([.., added]) => vec![added],
                _ => Vec::new(),
            };
            let register = |part: Operand| match part.from {
                OperandFrom::Register(RegisterFile::General, number) if !part.is_negative => Some(number),
                _ => None,
            };
            parts.into_iter().filter_map(register).collect()
        };
        let [a, b] = match &self
            .operands(row)
            .iter()
            .filter(|(own, _)| own.file == RegisterFile::General)
            .collect::<Vec<_>>()[..]
        {
            [a, b] => [&a.1, &b.1],
            _ => return false,
        };
        // Of a sum with a carry another row may take the carry back.
        let is_sum = |sum: &Vec<usize>, part: &Vec<usize>| {
            let takes = |row: &usize| added(*row).into_iter().any(|own| from(*row, own) == Some(part));
            sum.iter().any(|row| !self.word(*row).is_copy()) && !part.is_empty() && sum.iter().all(takes)
        };
        is_sum(a, b) || is_sum(b, a)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::phases::by_hand::{P, back, ended, r, word};
    use crate::evidence::MachineWord;
    use cuda_binary::Op;

    /// A loop that loads R4, compares what is asked, makes R8 by that, and what comes of R8 behind it.
    fn turn(asked: &[Register], made: MachineWord, behind: MachineWord) -> Vec<crate::evidence::Instruction> {
        ended(&[
            word(Op::MOV, &[r(8)], &[]),
            word(Op::LDG, &[r(4)], &[r(2)]),
            word(Op::ISETP, &[P], asked),
            made,
            word(Op::IADD3, &[r(2)], &[r(2)]),
            back(1),
            behind,
        ])
    }

    fn counted(rows: &[crate::evidence::Instruction]) -> Code<'_> {
        Code::counted(rows, vec![1; rows.len()], None)
    }

    #[test]
    fn the_first_that_is_found_stands_and_the_best_one_does_not() {
        let once = |asked: &[Register], reads: &[Register]| {
            let chosen = MachineWord { is_unconditional: false, ..word(Op::MOV, &[r(8)], reads) };
            let rows = turn(asked, chosen, word(Op::STG, &[], &[r(6), r(8)]));
            let code = counted(&rows);
            code.is_chosen_once(3, &code.loops[0])
        };
        assert!(once(&[r(8)], &[P, r(4)]), "if (found < 0) found = x");
        assert!(!once(&[r(8), r(4)], &[P, r(4)]), "if (x > best) best = x");
        assert!(!once(&[r(8)], &[P, r(8)]), "if (n < most) n = n + 1");
        assert!(!once(&[r(4)], &[P, r(4)]), "the last one");
    }
}
