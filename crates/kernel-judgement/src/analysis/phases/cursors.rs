//! Accesses that go through a list by steps of their own.

use super::code::Code;
use super::flows::address;
use crate::evidence::{Arithmetic, Operand, OperandFrom, Register};
use crate::quantity::SECTOR_BYTES;
use cuda_binary::op::Computes;
use std::collections::{BTreeMap, BTreeSet};

/// What a step is made of, each with its factor; `None` of what is neither a sum nor scaled by a number.
fn parts(arithmetic: Arithmetic) -> Option<Vec<(Operand, u32)>> {
    let all = match arithmetic {
        Arithmetic::Sum(parts) => parts.map(|part| (part, 1)).to_vec(),
        Arithmetic::MultiplyAdd([a, b, add]) => match b.from {
            OperandFrom::Immediate(by) => vec![(a, by), (add, 1)],
            _ if [a, b].contains(&Operand::default()) => vec![(add, 1)],
            _ => return None,
        },
        Arithmetic::ShiftAdd(value, by, add) => vec![(value, 1_u32.checked_shl(by.into())?), (add, 1)],
        Arithmetic::ShiftLeft(value, by) => vec![(value, 1_u32.checked_shl(by.into())?)],
        _ => return None,
    };
    let is_open = |part: &Operand| *part != Operand::default() && !matches!(part.from, OperandFrom::Immediate(_));
    Some(all.into_iter().filter(|(part, _)| is_open(part)).collect())
}

/// Whether a row is among those that it is made of.
fn comes_back(made_of: &BTreeMap<usize, Vec<usize>>, row: usize) -> bool {
    let (mut open, mut seen) = (vec![row], BTreeSet::new());
    while let Some(own) = open.pop() {
        open.extend(made_of.get(&own).into_iter().flatten().filter(|from| seen.insert(**from)));
    }
    seen.contains(&row)
}

impl Code<'_> {
    /// Whether an access in a loop goes on by numbers of the code, of less than a sector: what a turn loads may choose which, as where two
    /// lists are merged, and is no part of the address.
    pub(in crate::analysis) fn goes_on(&self, row: usize) -> bool {
        let Some(cycle) = self.innermost(row) else { return false };
        let low = |register: Register| Register { count: 1, ..register };
        let inside = |row: usize, register: Register| {
            self.definitions(row, register).into_iter().filter(|from| self.is_in(*from, cycle))
        };
        let is_selected = |row: usize| self.op(row).computes() == Some(Computes::Selected);
        let values = |row: usize| self.registers(row).read().filter(Register::is_value).map(low);
        // One of several numbers.
        let is_number = |row: usize| is_selected(row) && values(row).next().is_none();
        let mut open = Vec::from_iter(address(self, row).map(|own| (row, low(own), 1_u32)));
        let (mut seen, mut made_of, mut sums) = (BTreeSet::new(), BTreeMap::<_, Vec<usize>>::new(), Vec::new());
        while let Some((reads, register, factor)) = open.pop() {
            for from in inside(reads, register) {
                made_of.entry(reads).or_default().push(from);
                let word = self.word(from);
                let parts = parts(word.arithmetic);
                let is_step = is_selected(from) || matches!(word.arithmetic, Arithmetic::Sum(_));
                let step = if is_step { word.literal().unwrap_or(1) } else { 1 };
                if parts.is_none() && !is_selected(from) || step.saturating_mul(factor) >= SECTOR_BYTES {
                    return false;
                }
                if !seen.insert((from, factor)) {
                    continue;
                }
                let Some(parts) = parts.filter(|_| !is_selected(from)) else {
                    open.extend(values(from).map(|own| (from, own, factor)));
                    continue;
                };
                let registers = parts.iter().filter_map(|(part, by)| match part.from {
                    OperandFrom::Register(file, number) => Some((Register { file, number, count: 1 }, *by)),
                    _ => None,
                });
                let registers: Vec<_> = registers.collect();
                let is_of_numbers = |(own, _): &&(Register, u32)| {
                    let mut all = self.definitions(from, *own).into_iter();
                    all.len() > 0 && all.all(|from| self.is_in(from, cycle) && is_number(from))
                };
                if parts.len() > 1 + registers.iter().filter(is_of_numbers).count() {
                    sums.push(from);
                }
                open.extend(registers.into_iter().map(|(own, by)| (from, own, factor.saturating_mul(by))));
            }
        }
        // What comes from elsewhere is where a list begins, and no step of it.
        !seen.is_empty() && !sums.into_iter().any(|row| comes_back(&made_of, row))
    }

    /// Whether data choose on each turn which of several lists goes on, each by steps of its own, as where two are merged.
    pub(in crate::analysis) fn merges(&self, row: usize) -> bool {
        let (places, cycle) = (self.places(), self.innermost(row));
        let is_cursor = |row: usize| self.op(row).loads_global() && self.depends_on_load(row) && self.goes_on(row);
        let is_other = |other: usize| places.get(&other).zip(places.get(&row)).is_some_and(|(a, b)| !a.is_beside(b));
        let others = cycle.map_or(Vec::new(), |cycle| self.run_in(cycle));
        is_cursor(row) && others.into_iter().any(|other| is_cursor(other) && is_other(other))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::phases::by_hand::{P, back, r, rows, special, word};
    use crate::analysis::phases::flows::THREAD;
    use crate::evidence::{MachineWord, RegisterFile};
    use cuda_binary::Op;

    /// Two cursors, of which each turn takes one on where a comparison of what it loads says so.
    #[test]
    fn data_choose_whether_a_list_goes_on_and_not_by_how_much() {
        let general = |number: u8| Operand::from(OperandFrom::Register(RegisterFile::General, number));
        let none = Operand::default();
        let of = |step: &dyn Fn(Operand) -> Arithmetic, reads: &[Register]| {
            let step = |write: u8, read: u8| {
                let reads = [&[r(read)], reads].concat();
                MachineWord { arithmetic: step(general(read)), ..word(Op::IADD3, &[r(write)], &reads) }
            };
            let chosen = |write: u8, read: u8| {
                let copy = Arithmetic::Sum([general(read), none, none]);
                MachineWord { arithmetic: copy, is_unconditional: false, ..word(Op::MOV, &[r(write)], &[P, r(read)]) }
            };
            let load = |writes: u8, reads: u8| word(Op::LDG, &[r(writes)], &[r(reads)]);
            let compare = word(Op::ISETP, &[P], &[r(20), r(21)]);
            let front = [special(2, THREAD[1]), special(3, THREAD[0]), load(20, 2), load(21, 3), compare];
            let turn = [step(6, 2), chosen(2, 6), step(7, 3), chosen(3, 7), back(2), word(Op::EXIT, &[], &[])];
            let rows = rows(&[&front[..], &turn].concat());
            let code = Code::counted(&rows, vec![1; rows.len()], None);
            [code.goes_on(2), code.merges(2)]
        };
        let number = |value: u32| Operand::from(OperandFrom::Immediate(value));
        assert_eq!(of(&|own| Arithmetic::Sum([own, number(4), none]), &[]), [true; 2]);
        assert_eq!(of(&|own| Arithmetic::Sum([own, general(20), none]), &[r(20)]), [false; 2], "by what is loaded");
        let stride = Operand::from(OperandFrom::Constant(0x220));
        assert_eq!(of(&|own| Arithmetic::Sum([own, stride, none]), &[]), [false; 2], "by an argument");
        assert_eq!(of(&|own| Arithmetic::Sum([own, general(9), none]), &[r(9)]), [false; 2], "by one in a register");
        assert_eq!(of(&|own| Arithmetic::ShiftAdd(own, 1, number(1)), &[]), [false; 2], "down a tree");
    }
}
