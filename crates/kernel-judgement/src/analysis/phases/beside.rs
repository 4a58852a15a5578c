//! What a kernel executes beside the arithmetic of its result, by what it is for.

use super::code::Code;
use super::study::Study;
use cuda_binary::op::{Class, Computes, Control};
use std::collections::BTreeSet;

/// What instructions are for that are no work of the result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::analysis) enum Beside {
    /// Places in memory, of no loaded values.
    Addresses,
    /// Whether a loop goes on.
    Turns,
    /// Whether something is done.
    Tests,
    /// The same value in another type.
    Conversions,
    /// The same value in another register, and numbers, but those of doubles.
    Moves,
    /// Loads of less than a word, side by side.
    Narrow,
    /// Differences of which nothing but the square is taken.
    Squares,
}

impl Code<'_> {
    /// Whether a row leaves what it is given, or a number.
    fn moves(&self, row: usize) -> bool {
        self.word(row).is_copy() || matches!(self.op(row).computes(), Some(Computes::Copied | Computes::CopiedToWarp))
    }

    /// What moves for arithmetic on doubles: mostly the numbers of the code that it takes, which floats have in the instruction.
    pub(in crate::analysis) fn numbers_of_doubles(&self) -> Vec<usize> {
        let readers = self.readers();
        let is_double = |row: &usize| self.op(*row).is_of(&[Class::Fp64]);
        self.run().filter(|row| self.moves(*row) && readers[*row].iter().any(is_double)).collect()
    }

    /// Some rows, and what makes values for nothing else.
    fn with_what_serves(&self, mut own: BTreeSet<usize>, readers: &[Vec<usize>]) -> BTreeSet<usize> {
        loop {
            let serves = |row: &usize| {
                let mut others = readers[*row].iter().filter(|reader| *reader != row).peekable();
                self.op(*row).act().is_none() && others.peek().is_some() && others.all(|reader| own.contains(reader))
            };
            let more: Vec<usize> = self.run().filter(|row| !own.contains(row) && serves(row)).collect();
            if more.is_empty() {
                return own;
            }
            own.extend(more);
        }
    }

    /// Whether a row multiplies what another leaves by itself.
    fn squares(&self, row: usize, of: usize) -> bool {
        let registers = self.registers(row);
        let mut factors = registers.read().filter(|own| own.is_value());
        let [a, b] = [factors.next(), factors.next()];
        let is_square = self.op(row).is_of(&[Class::Fp32]) && a.is_some() && a == b;
        is_square && self.registers(of).written().any(|own| Some(own) == a)
    }
}

impl Study<'_> {
    /// What was executed beside the work, each row once.
    pub(in crate::analysis) fn beside(&self) -> [(Beside, BTreeSet<usize>); 7] {
        let code = &self.code;
        let readers = code.readers();
        let rows = |is_meant: &dyn Fn(usize) -> bool| code.run().filter(|row| is_meant(*row)).collect();
        let is_branch = |row: usize| code.op(row).control() == Some(Control::Branch);
        let goes_back = |row: usize| {
            let from = code.block_of[row];
            is_branch(row) && code.flow.blocks[from].successors.iter().any(|to| code.is_back(from, *to))
        };
        let asks = |row: usize| {
            code.op(row).is_of(&[Class::IntegerCompare, Class::FpCompare, Class::Predicate])
                && code.registers(row).written().all(|own| !own.is_value())
        };
        let lets_run = |row: usize| is_branch(row) || asks(row) || !code.word(row).is_unconditional;
        let tests = |row: usize| {
            let meets = matches!(code.op(row).control(), Some(Control::Meet | Control::MeetAt));
            meets || is_branch(row) || asks(row) && readers[row].iter().all(|reader| lets_run(*reader))
        };
        let converts = |row: usize| {
            code.op(row).is_of(&[Class::Conversion]) || code.op(row).computes() == Some(Computes::Permuted)
        };
        let of_doubles = code.numbers_of_doubles();
        let is_difference = |row: usize| {
            let is_squared = readers[row].iter().all(|reader| code.squares(*reader, row));
            code.op(row).is_of(&[Class::Fp32]) && !readers[row].is_empty() && is_squared
        };
        let mut seen = BTreeSet::new();
        let kinds: [(Beside, BTreeSet<usize>); 7] = [
            (Beside::Addresses, self.index_arithmetic().rows.iter().copied().collect()),
            (Beside::Turns, code.with_what_serves(rows(&goes_back), &readers)),
            (Beside::Tests, rows(&tests)),
            (Beside::Conversions, rows(&converts)),
            (Beside::Moves, rows(&|row| code.moves(row) && !of_doubles.contains(&row))),
            (Beside::Narrow, self.as_words().into_keys().collect()),
            (Beside::Squares, rows(&is_difference)),
        ];
        kinds.map(|(kind, own)| (kind, own.into_iter().filter(|row| seen.insert(*row)).collect()))
    }
}

#[cfg(test)]
mod tests {
    use super::super::by_hand::{P, back, ended, r, word};
    use super::*;
    use cuda_binary::Op;

    #[test]
    fn what_only_steers_a_loop_is_its_control() {
        let turn =
            [word(Op::IADD3, &[r(2)], &[r(2)]), word(Op::ISETP, &[P], &[r(2)]), word(Op::FADD, &[r(4)], &[r(4)])];
        let rows = ended(&[&turn[..], &[back(0)]].concat());
        let code = Code::counted(&rows, vec![8; rows.len()], None);
        assert_eq!(code.with_what_serves(BTreeSet::from([3]), &code.readers()), BTreeSet::from([0, 1, 3]));
    }

    #[test]
    fn a_square_takes_one_value_twice() {
        let squares = |factors: &[_]| {
            let rows = ended(&[word(Op::FADD, &[r(2)], &[r(3), r(4)]), word(Op::FFMA, &[r(5)], factors)]);
            Code::counted(&rows, vec![1; rows.len()], None).squares(1, 0)
        };
        assert!(squares(&[r(2), r(2), r(5)]) && !squares(&[r(2), r(6), r(5)]));
    }
}
