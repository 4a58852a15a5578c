//! What addresses are made of, so that two accesses that begin at one place are known for such.

use super::code::{Code, Loop};
use super::flows::{LONGEST, address};
use super::values::{ARGUMENT, LOADED, Place};
use crate::evidence::{Arithmetic, Operand, OperandFrom, Register, RegisterFile};
use cuda_binary::Op;
use cuda_binary::op::Act;
use std::collections::{BTreeMap, HashMap};
use std::hash::{DefaultHasher, Hash, Hasher};

/// Instructions behind each other that are followed.
const DEEPEST: usize = 64;

/// Bytes of a register.
const REGISTER: f64 = 4.0;

impl Code<'_> {
    /// Where each access of global memory, and load of shared memory, that is executed begins, by row.
    pub(in crate::analysis) fn places(&self) -> &BTreeMap<usize, Place> {
        self.flows.places.get_or_init(|| {
            let mut places = Places { code: self, seen: HashMap::new() };
            let is_own = |op: Op| op.reads_global() || op.writes_global() || op.loads_shared();
            let accesses = self.run().filter(|row| is_own(self.op(*row)));
            accesses.filter_map(|row| Some((row, places.of(row, 0)?))).collect()
        })
    }

    /// The loads in front of a loop that say where each lane of an access in it begins: it walks over a list of its own.
    fn starts<'a>(&'a self, row: usize, cycle: &'a Loop) -> impl Iterator<Item = usize> + 'a {
        let is_start = |start: &usize| self.differs_by_lane(*start, false) && !self.is_in(*start, cycle);
        self.loads_behind(row).iter().copied().filter(is_start)
    }

    /// Whether each turn of a loop around an access has the same address for it: whatever is behind that comes from outside of the loop, or is
    /// made in it again on each turn.
    pub(in crate::analysis) fn stands(&self, row: usize, cycle: &Loop) -> bool {
        let behind = self.address_behind(row);
        let is_inside = |row: &usize| self.is_in(*row, cycle);
        let stays = |(_, rows): &(Register, Vec<usize>)| rows.iter().all(is_inside) || !rows.iter().any(is_inside);
        let address = address(self, row);
        let of_access = self.operands(row).iter().filter(|(register, _)| Some(*register) == address);
        let of_others = behind.iter().filter(|row| is_inside(row)).flat_map(|row| self.operands(*row));
        // What a turn loads is another value than the turn before had, unless it comes from the same address.
        let is_loaded = |row: &usize| is_inside(row) && self.op(*row).brings_from_memory();
        let is_same = |other: &usize| {
            // What lanes exchange in shared memory, or count by atomics, is another value on each turn.
            let is_own = self.op(*other).loads_global() && !self.op(*other).is_l2_atomic();
            is_own && !self.address_behind(*other).iter().any(is_loaded) && self.stands(*other, cycle)
        };
        let mut loads = behind.iter().filter(|row| is_loaded(row));
        behind.len() < LONGEST && is_inside(&row) && of_access.chain(of_others).all(stays) && loads.all(is_same)
    }

    /// The loop around the loop of an access of which each turn goes through the same places, and its turns, in the mean of those who enter
    /// it: of several the one of most.
    pub(in crate::analysis) fn over(&self, row: usize) -> Option<(&Loop, f64)> {
        let own = self.innermost(row)?;
        let is_same = |cycle: &&Loop| cycle.blocks.len() > own.blocks.len() && self.stands(row, cycle);
        let same = self.loops.iter().filter(is_same).filter_map(|cycle| Some((cycle, self.turns_of(cycle)?)));
        same.max_by(|(_, a), (_, b)| a.total_cmp(b))
    }

    /// Those turns; 1 without such a loop.
    pub(in crate::analysis) fn turns_over(&self, row: usize) -> f64 {
        self.over(row).map_or(1.0, |(_, turns)| turns.max(1.0))
    }

    /// The bytes of that list, in the mean of the lanes that have one; `None` where lanes do not begin at loaded places.
    pub(in crate::analysis) fn walked(&self, row: usize) -> Option<f64> {
        let lanes = self.lanes.as_ref()?;
        let cycle = self.innermost(row)?;
        let places = self.places();
        let own = places.get(&row)?;
        let mut starts = self.starts(row, cycle).peekable();
        starts.peek()?;
        // Loads of one turn that begin side by side are steps of one walk.
        let is_inside = |row: usize| self.is_in(row, cycle);
        let steps =
            places.iter().filter(|(other, place)| is_inside(**other) && place.is_beside(own)).map(|(row, _)| *row);
        let general = |row: usize| self.registers(row).written().filter(|own| own.file == RegisterFile::General);
        let width = |row: usize| REGISTER * general(row).map(|own| f64::from(own.count)).sum::<f64>();
        let bytes: f64 = steps.map(|row| lanes[row] as f64 * width(row)).sum();
        let walked = starts.map(|start| bytes / lanes[start] as f64);
        walked.filter(|bytes| *bytes > 0.0).reduce(f64::min)
    }
}

/// A value while it is followed: parts, and a number.
#[derive(Clone, Debug, Default, PartialEq, Hash)]
struct Sum {
    parts: BTreeMap<u64, u32>,
    number: u32,
    /// Whether the number is one of several.
    varies: bool,
}

impl Sum {
    fn number(number: u32) -> Sum {
        Sum { number, ..Sum::default() }
    }

    /// A part by what it is.
    fn part(what: impl Hash) -> Sum {
        Sum::made(what, 0)
    }

    /// The same with a mark.
    fn made(what: impl Hash, mark: u64) -> Sum {
        let mut hasher = DefaultHasher::new();
        what.hash(&mut hasher);
        let key = hasher.finish() & !(LOADED | ARGUMENT) | mark;
        Sum { parts: BTreeMap::from([(key, 1)]), ..Sum::default() }
    }

    /// The mark of what is made of it.
    fn mark(&self) -> u64 {
        self.parts.keys().fold(0, |mark, key| mark | key & LOADED)
    }

    fn add(mut self, other: Sum) -> Sum {
        for (part, factor) in other.parts {
            let own = self.parts.entry(part).or_default();
            *own = own.wrapping_add(factor);
        }
        self.parts.retain(|_, factor| *factor != 0);
        Sum { number: self.number.wrapping_add(other.number), varies: self.varies | other.varies, ..self }
    }

    fn scaled(mut self, by: u32) -> Sum {
        self.parts.values_mut().for_each(|factor| *factor = factor.wrapping_mul(by));
        self.parts.retain(|_, factor| *factor != 0);
        Sum { number: self.number.wrapping_mul(by), ..self }
    }

    fn times(self, other: Sum) -> Sum {
        match (self.parts.is_empty(), other.parts.is_empty()) {
            (true, _) => other.scaled(self.number),
            (_, true) => self.scaled(other.number),
            _ => {
                let mark = self.mark() | other.mark();
                let mut both = [&self, &other].map(|own| Sum::part(own).parts);
                both.sort();
                Sum::made(("product", both), mark)
            }
        }
    }
}

/// The places of a kernel's accesses.
struct Places<'a, 'c> {
    code: &'a Code<'c>,
    seen: HashMap<(usize, RegisterFile, u8), Sum>,
}

impl<'a, 'c> Places<'a, 'c> {
    /// Where the first turn of an access is, by the low half of its address; `None` without an address.
    fn of(&mut self, row: usize, depth: usize) -> Option<Place> {
        let Register { file, number, .. } = address(self.code, row)?;
        let Sum { parts, number, varies } = self.register(row, file, number, depth);
        let bytes = number.wrapping_add_signed(self.code.registers(row).offset);
        Some(Place { parts, bytes: (!varies).then_some(bytes) })
    }

    /// The value of a register in front of a row, on the first turn of the loops that both are in.
    fn register(&mut self, row: usize, file: RegisterFile, number: u8, depth: usize) -> Sum {
        if let Some(known) = self.seen.get(&(row, file, number)) {
            return known.clone();
        }
        let mut all = self.code.definitions(row, Register { file, number, count: 1 });
        all.retain(|from| self.code.executed[*from] > 0);
        // A value that is only followed round a loop is none that is known.
        let unknown = Sum::part((&all, number));
        self.seen.insert((row, file, number), unknown.clone());
        let comes_round = |from: usize| from >= row && self.code.around(from).any(|cycle| self.code.is_in(row, cycle));
        all.retain(|from| !comes_round(*from));
        let starts: Vec<Sum> = match depth < DEEPEST {
            true => all.into_iter().map(|start| self.written(start, file, number, depth)).collect(),
            false => Vec::new(),
        };
        let value = match starts.split_first() {
            Some((first, others)) if others.iter().all(|other| other.parts == first.parts) => {
                let varies = first.varies || others.iter().any(|other| other != first);
                Sum { varies, ..first.clone() }
            }
            _ => unknown,
        };
        self.seen.insert((row, file, number), value.clone());
        value
    }

    fn operand(&mut self, row: usize, operand: &Operand, depth: usize) -> Sum {
        let value = match operand.from {
            OperandFrom::Immediate(value) => Sum::number(value),
            OperandFrom::Constant(byte) => Sum::made(("argument", byte), ARGUMENT),
            OperandFrom::Register(file, number) => self.register(row, file, number, depth + 1),
            _ => Sum::part(("bank", row)),
        };
        if operand.is_negative { value.scaled(u32::MAX) } else { value }
    }

    fn written(&mut self, row: usize, file: RegisterFile, number: u8, depth: usize) -> Sum {
        let word = self.code.word(row);
        if let Some(special) = word.registers.special {
            return Sum::part(("special", special));
        }
        let first = word.registers.written().find(|own| own.file == file).map(|own| own.number);
        let is_first = word.registers.written().any(|own| own.file == file && own.number == number);
        let is_argument = matches!(word.arithmetic, Arithmetic::Constant(_));
        let is_known = is_first && (is_argument || self.code.op(row).act() != Some(Act::Load));
        // What is loaded from one place is one value.
        if self.code.op(row).loads_global()
            && let Some(place) = self.of(row, depth + 1)
        {
            return Sum::made(
                ("loaded", place.parts, place.bytes, first.map(|first| number.wrapping_sub(first))),
                LOADED,
            );
        }
        let mut of = |operand: &Operand| self.operand(row, operand, depth);
        match word.arithmetic {
            Arithmetic::Constant(byte) if is_known => Sum::made(("argument", byte), ARGUMENT),
            Arithmetic::MultiplyAdd([a, b, c]) if is_known => of(&a).times(of(&b)).add(of(&c)),
            Arithmetic::Sum([a, b, c]) if is_known => of(&a).add(of(&b)).add(of(&c)),
            Arithmetic::ShiftAdd(value, by, add) if is_known => of(&value).scaled(1 << by).add(of(&add)),
            Arithmetic::ShiftLeft(value, by) if is_known => of(&value).scaled(1 << by),
            Arithmetic::ShiftRight(value, by) if is_known => {
                let value = of(&value);
                let mark = value.mark();
                Sum::made(("right", value, by), mark)
            }
            Arithmetic::Logic(table, operands) if is_known => {
                let operands = operands.map(|operand| of(&operand));
                let mark = operands.iter().fold(0, |mark, own| mark | own.mark());
                Sum::made((table, operands), mark)
            }
            _ => Sum::part(("row", row, number)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::phases::by_hand::{r, rows, special, word};
    use crate::analysis::phases::flows::THREAD;
    use crate::evidence::MachineWord;

    fn of(from: OperandFrom) -> Operand {
        from.into()
    }

    fn general(number: u8) -> Operand {
        of(OperandFrom::Register(RegisterFile::General, number))
    }

    fn made(op: Op, writes: u8, reads: u8, arithmetic: Arithmetic) -> MachineWord {
        MachineWord { arithmetic, ..word(op, &[r(writes)], &[r(reads)]) }
    }

    fn load(writes: u8, reads: u8) -> MachineWord {
        word(Op::LDG, &[r(writes)], &[r(reads)])
    }

    #[test]
    fn sums_that_are_made_in_other_ways_begin_at_one_place() {
        let (x, zero) = (general(2), Operand::default());
        let (four, base) = (of(OperandFrom::Immediate(4)), of(OperandFrom::Constant(0x210)));
        let mut words = vec![
            special(2, THREAD[0]),
            // x · 4 + p
            made(Op::of("IMAD"), 6, 2, Arithmetic::MultiplyAdd([x, four, base])),
            load(20, 6),
            // (x << 2) + p
            made(Op::of("SHF"), 8, 2, Arithmetic::ShiftLeft(x, 2)),
            made(Op::IADD3, 10, 8, Arithmetic::Sum([general(8), base, zero])),
            load(21, 10),
            load(22, 10),
            // Another argument.
            made(Op::IADD3, 12, 8, Arithmetic::Sum([general(8), of(OperandFrom::Constant(0x218)), zero])),
            load(23, 12),
            // What was loaded from one place, and from another, as an index.
            made(Op::of("IMAD"), 14, 20, Arithmetic::MultiplyAdd([general(20), four, base])),
            load(24, 14),
            made(Op::of("IMAD"), 16, 21, Arithmetic::MultiplyAdd([general(21), four, base])),
            load(25, 16),
            made(Op::of("IMAD"), 18, 22, Arithmetic::MultiplyAdd([general(22), four, base])),
            load(26, 18),
        ];
        words[6].registers.offset = 64;
        let rows = rows(&words);
        let code = Code::counted(&rows, vec![1; rows.len()], None);
        let places = code.places();
        assert!(places[&2].is_at(&places[&5]));
        assert!(places[&5].is_beside(&places[&6]) && !places[&5].is_at(&places[&6]), "64 bytes on");
        assert!(!places[&5].is_beside(&places[&8]), "another argument");
        assert!(
            places[&10].is_at(&places[&12]) && !places[&10].is_beside(&places[&14]),
            "by one index, and by another"
        );
    }

    #[test]
    fn planes_one_behind_the_other_are_a_row_and_corners_of_a_cell_are_none() {
        let place =
            |factors: &[(u64, u32)], bytes| Place { parts: factors.iter().copied().collect(), bytes: Some(bytes) };
        let (index, pitch, plane) = (LOADED | 1, 2, 3);
        let first = place(&[(index, 4)], 0);
        let planes = [place(&[(index, 4), (plane, 8)], 0), place(&[(index, 4), (plane, 4)], 0)];
        assert!(first.is_row_with(&planes.iter().collect::<Vec<_>>()));
        let corners = [place(&[(index, 4), (pitch, 4)], 0), place(&[(index, 4), (plane, 4)], 0)];
        assert!(!first.is_row_with(&corners.iter().collect::<Vec<_>>()));
        assert_eq!(planes[0].index(), [(index, 4)]);
    }
}
