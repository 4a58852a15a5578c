//! What turns of a loop hand on: sums that only grow and largest and least values, of which nothing is asked but whether they pass a bound, and
//! values that are a step of the code apart.

use super::code::{Code, Loop, reached};
use super::compares::COMPARES;
use crate::evidence::{Arithmetic, MachineWord, Operand, OperandFrom, Register};
use cuda_binary::Class;
use cuda_binary::op::Computes;
use std::collections::BTreeSet;

impl Code<'_> {
    /// The values that a row takes, each with the rows that define it.
    pub(in crate::analysis) fn taken(&self, row: usize) -> impl Iterator<Item = &(Register, Vec<usize>)> {
        self.operands(row).iter().filter(|(own, _)| own.is_value())
    }

    /// Rows of a loop by which what a row leaves comes back to it turn by turn, itself among them; none where nothing does.
    fn handed_on(&self, row: usize, cycle: &Loop) -> BTreeSet<usize> {
        let inside = |at: usize| {
            let from = self.taken(at).flat_map(|(_, rows)| rows).copied();
            from.filter(|from| self.is_in(*from, cycle) && !self.op(*from).brings_from_memory())
        };
        reached([row], inside).into_iter().filter(|from| reached([*from], inside).contains(&row)).collect()
    }

    /// Whether a row of a loop goes on from what it left itself, turn by turn, and only up, or only down: it adds counts, numbers of the code and
    /// squares, or takes the largest or the least.
    fn goes_one_way(&self, row: usize, cycle: &Loop, is_up: bool) -> bool {
        let own = self.handed_on(row, cycle);
        !own.is_empty() && own.iter().all(|row| self.keeps_to_it(*row, &own, is_up))
    }

    /// Whether a row leaves one of some values, or goes up or down from it.
    fn keeps_to_it(&self, row: usize, own: &BTreeSet<usize>, is_up: bool) -> bool {
        let is_own = |rows: &Vec<usize>| rows.iter().any(|row| own.contains(row));
        let word = self.word(row);
        let from = |operand: &Operand| {
            let is_it = |own: &Register| operand.from == OperandFrom::Register(own.file, own.number);
            self.taken(row).find(|(own, _)| is_it(own)).map(|(_, rows)| rows)
        };
        // Bits, or a flag as a number.
        let is_counted = |row: &usize| match self.op(*row).computes() {
            Some(Computes::Selected) => self.word(*row).literal() == Some(1) && self.taken(*row).next().is_none(),
            computes => computes == Some(Computes::Counted),
        };
        let is_no_less = |operand: &Operand| match operand.from {
            OperandFrom::Immediate(number) => number as i32 >= 0,
            _ => !operand.is_negative && from(operand).is_some_and(|rows| rows.iter().all(is_counted)),
        };
        let is_one = |operand: &Operand| operand.from == OperandFrom::Immediate(1);
        let (sum, factors): (&[Operand], &[Operand]) = match &word.arithmetic {
            Arithmetic::Sum(parts) => (parts, &[]),
            Arithmetic::MultiplyAdd([a, times, added]) if is_one(times) => (&[*a, *added], &[]),
            Arithmetic::MultiplyAdd(parts) => (&parts[2..], &parts[..2]),
            _ => {
                let (op, taken): (_, Vec<_>) = (self.op(row), self.taken(row).collect());
                let is_signed = !op.is_of(&[Class::Integer]) && word.turns_sign();
                let is_extreme = op.folds() && op.is_of(&[Class::Integer, Class::FpCompare]) && word.selects_always();
                return match taken[..] {
                    _ if is_signed => false,
                    [a, b, added] if op.is_of(&[Class::Fp32]) => is_up && a.0 == b.0 && is_own(&added.1),
                    _ if is_extreme => word.selects_other() == is_up && taken.iter().any(|(_, rows)| is_own(rows)),
                    _ => op.computes() == Some(Computes::Selected) && taken.iter().all(|(_, rows)| is_own(rows)),
                };
            }
        };
        let is_square = || factors[0] == factors[1];
        let (before, others): (Vec<&Operand>, Vec<&Operand>) =
            sum.iter().partition(|operand| from(operand).is_some_and(is_own));
        let is_sum = before.len() == 1 && !before[0].is_negative && others.into_iter().all(is_no_less);
        is_sum && (is_up || word.is_copy()) && (factors.iter().all(is_no_less) || is_square())
    }

    /// Whether a row of a loop leaves what only grows, or only falls, and what stands behind the loop asks nothing of it but how it compares with
    /// values of no turn, or takes it where such a comparison says that it has not passed: the turn that passes the bound sets the answer.
    pub(in crate::analysis) fn is_only_bounded(&self, row: usize, cycle: &Loop) -> bool {
        let is_behind = |other: &usize| !self.is_in(*other, cycle) && self.operands_of(*other).any(|from| from == row);
        let (asks, takes): (Vec<usize>, Vec<usize>) =
            self.run().filter(is_behind).partition(|row| self.op(*row).is_of(&COMPARES));
        let is_own = |(_, rows): &&(Register, Vec<usize>)| rows.contains(&row);
        let is_bound = |ask: &usize| {
            let others = self.taken(*ask).filter(|taken| !is_own(taken));
            others.flat_map(|(_, rows)| rows).all(|from| !self.is_in(*from, cycle))
        };
        // Whether a comparison holds once a larger value has passed the bound.
        let holds = |ask: usize| {
            let is_alone = self.registers(ask).read().all(|own| own.is_value());
            let is_first = self.taken(ask).next().as_ref().is_some_and(is_own);
            self.word(ask).asks_for_larger().filter(|_| is_alone).map(|larger| larger == is_first)
        };
        let takes_before = |taker: &usize, is_up: bool| {
            let Some((test, runs_if)) = self.chosen_by(*taker, is_own) else { return false };
            let flags = self.operands(test).iter().filter(|(own, _)| !own.is_value());
            let asked: Vec<usize> = flags.flat_map(|(_, rows)| rows).copied().collect();
            // What most take has passed for few.
            let is_selected = self.op(*taker).computes() == Some(Computes::Selected);
            let is_rare = |ask: usize| is_selected || 2 * self.lanes_of(*taker) <= self.lanes_of(ask);
            matches!(asked[..], [ask] if asks.contains(&ask) && is_rare(ask) && holds(ask) == Some(runs_if != is_up))
        };
        let passes =
            |is_up: bool| self.goes_one_way(row, cycle, is_up) && takes.iter().all(|row| takes_before(row, is_up));
        !asks.is_empty() && asks.iter().all(is_bound) && [true, false].into_iter().any(passes)
    }

    /// The largest number of the code by which a loop goes on where it hands on least or largest ones of values that it has made so (`min(a, b) + 1`),
    /// and the part of all instructions by which a turn makes these: neighbouring ones differ by no more. `None` where it hands on nothing of the
    /// kind, or something else with it.
    pub(in crate::analysis) fn step(&self) -> Option<(u32, f64)> {
        let is_bounded = |row: &usize| self.op(*row).computes() == Some(Computes::Bounded);
        // Of one value and a bound that stays there are no neighbours.
        let is_of_two = |row: &usize| {
            let in_turn = |rows: &Vec<usize>| {
                rows.iter().any(|from| self.innermost(*row).is_some_and(|own| self.is_in(*from, own)))
            };
            self.taken(*row).filter(|(_, rows)| in_turn(rows)).count() > 1
        };
        let most = self.run().filter(|row| is_bounded(row) && is_of_two(row)).max_by_key(|row| self.executed[*row])?;
        let cycle = self.innermost(most)?;
        let own = self.handed_on(most, cycle);
        let is_register = |part: &&Operand| matches!(part.from, OperandFrom::Register(..));
        let step = |row: usize| match self.word(row).arithmetic {
            _ if self.word(row).is_copy() => Some(0),
            Arithmetic::Sum(parts) if parts.iter().filter(is_register).count() == 1 => self.word(row).literal(),
            _ => is_bounded(&row).then(|| self.word(row).literal().unwrap_or_default()),
        };
        let steps: Option<Vec<u32>> = own.iter().copied().map(step).collect();
        let step = steps?.into_iter().max().filter(|step| *step > 0)?;
        let behind = reached(own, |row| self.operands_of(row).filter(|from| self.is_in(*from, cycle)));
        Some((step, self.sum(behind) as f64 / self.executed.iter().sum::<u64>() as f64))
    }

    /// What has the flag by which a row takes a value, and whether that must hold.
    fn chosen_by(&self, row: usize, is_own: impl Fn(&&(Register, Vec<usize>)) -> bool) -> Option<(usize, bool)> {
        if self.op(row).computes() == Some(Computes::Selected) {
            let is_first = self.taken(row).next().as_ref().is_some_and(is_own);
            return Some((row, is_first != self.word(row).selects_other()));
        }
        let test = self.lets_run(row)?;
        let start = self.flow.blocks[self.block_of[row]].start;
        let is_meant = |word: MachineWord| test == row || word.target == Some(start);
        let word = self.word(test);
        Some((test, is_meant(word) != word.guard().1))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::phases::by_hand::{P, back, ended, r, word};
    use cuda_binary::Op;

    /// A loop that loads R4 and makes R5 and R8 of it, and what asks of R8 behind it.
    fn turn(made: [MachineWord; 2], behind: &[MachineWord]) -> Code<'static> {
        let first = [word(Op::MOV, &[r(8)], &[]), word(Op::LDG, &[r(4)], &[r(2)])];
        let ends = [word(Op::ISETP, &[P], &[r(2)]), back(1)];
        let rows = ended(&[&first[..], &made, &ends, behind].concat()).leak();
        Code::counted(rows, vec![1; rows.len()], None)
    }

    fn of(number: u8) -> Operand {
        OperandFrom::Register(crate::evidence::RegisterFile::General, number).into()
    }

    fn sum(parts: [Operand; 3]) -> MachineWord {
        MachineWord { arithmetic: Arithmetic::Sum(parts), ..word(Op::IADD3, &[r(8)], &[r(5), r(8)]) }
    }

    #[test]
    fn counts_grow_and_differences_may_not() {
        let grows = |op: Op, parts: [Operand; 3]| {
            let code = turn([word(op, &[r(5)], &[r(4)]), sum(parts)], &[]);
            code.goes_one_way(3, &code.loops[0], true)
        };
        let (none, before) = (Operand::default(), of(8));
        assert!(grows(Op::POPC, [of(5), before, none]));
        assert!(!grows(Op::MOV, [of(5), before, none]), "any value");
        assert!(!grows(Op::POPC, [Operand { is_negative: true, ..of(5) }, before, none]));
        assert!(!grows(Op::POPC, [of(5), OperandFrom::Immediate(1).into(), none]), "made anew");
    }

    #[test]
    fn a_largest_value_goes_one_way_and_a_square_up() {
        let way = |made: MachineWord| {
            let code = turn([word(Op::MOV, &[r(5)], &[r(4)]), made], &[]);
            [true, false].map(|is_up| code.goes_one_way(3, &code.loops[0], is_up))
        };
        let extreme = |bits: u128| MachineWord { bits: 1 << 9 | bits, ..word(Op::FMNMX, &[r(8)], &[r(5), r(8)]) };
        assert_eq!(way(extreme(15 << 87)), [true, false]);
        assert_eq!(way(extreme(7 << 87)), [false, true]);
        let others = [8 << 87, 15 << 87 | 1 << 72, 15 << 87 | 1 << 63];
        assert_eq!(others.map(|bits| way(extreme(bits))), [[false; 2]; 3], "by a flag, or of the other sign");
        let product = |times: u8| MachineWord { bits: 1 << 9, ..word(Op::FFMA, &[r(8)], &[r(5), r(times), r(8)]) };
        assert_eq!([way(product(5)), way(product(4))], [[true, false], [false; 2]]);
        assert_eq!(way(MachineWord { bits: 1 << 9 | 1 << 72, ..product(5) }), [false; 2], "a square is taken away");
    }

    #[test]
    fn neighbours_differ_by_what_a_turn_adds_to_the_least_of_them() {
        let step = |added: Operand, other: u8| {
            let literal = 4 << 9 | 1 << 32;
            let add = MachineWord {
                bits: literal,
                arithmetic: Arithmetic::Sum([of(8), added, Operand::default()]),
                ..word(Op::VIADD, &[r(5)], &[r(8), r(4)])
            };
            turn([add, word(Op::VIMNMX, &[r(8)], &[r(5), r(other)])], &[]).step()
        };
        let one = OperandFrom::Immediate(1).into();
        assert_eq!(step(one, 4), Some((1, 3.0 / 7.0)));
        assert_eq!(step(of(4), 4), None, "by a loaded value");
        assert_eq!(step(one, 9), None, "a place that stops at a bound");
    }

    #[test]
    fn what_is_taken_where_the_bound_is_not_passed_may_stop_there() {
        // R6 = R8 > R9 ? other : R8, by a flag of that kind, and by the first or the second of two.
        let stops = |kind: u128, reads: [Register; 2], is_other: bool| {
            let asked = MachineWord { bits: kind << 76, ..word(Op::ISETP, &[P], &[r(8), r(9)]) };
            let chosen =
                MachineWord { bits: u128::from(is_other) << 90, ..word(Op::SEL, &[r(6)], &[reads[0], reads[1], P]) };
            let counts = [word(Op::POPC, &[r(5)], &[r(4)]), sum([of(5), of(8), Operand::default()])];
            let code = turn(counts, &[asked, chosen]);
            code.is_only_bounded(3, &code.loops[0])
        };
        let (greater, less, equal) = (4, 1, 2);
        assert!(stops(greater, [r(8), r(10)], true) && stops(greater, [r(10), r(8)], false));
        assert!(stops(less, [r(8), r(10)], false));
        assert!(!stops(greater, [r(8), r(10)], false), "the sum itself beyond the bound");
        assert!(!stops(equal, [r(8), r(10)], false));
        assert!(stops(equal, [r(10), r(11)], false), "nothing but the answer");
    }
}
