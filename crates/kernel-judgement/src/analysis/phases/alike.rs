//! Values that neighbouring threads make as well: each thread makes the same of elements from its own on, which lie side by side, so that what
//! one makes of its second element the next one makes of its first.

use super::code::{Code, Loop};
use super::flows::{BLOCK, address};
use super::lane_value::LANES;
use super::lanes::Lanes;
use super::study::Study;
use crate::evidence::{Arithmetic, MachineWord, Operand, OperandFrom, Register, RegisterFile};
use cuda_binary::op::{Act, Computes};
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::hash::{DefaultHasher, Hash, Hasher};

/// Tables of `LOP3` that set each bit which one of two or three operands has.
pub(in crate::analysis) const OR: [u8; 4] = [0xFC, 0xFA, 0xEE, 0xFE];

/// Bytes of a register.
const REGISTER: i64 = 4;

/// What a value is made of: how, and where one of its elements is, by the row that they lie in and the byte there.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Shape {
    what: u64,
    at: Option<(u64, i64)>,
    /// Bits by which it lets elements in, the oldest of which fall out; 0 of an element itself.
    lets_in: Option<u8>,
    /// Bits by which it was made room in for the next one.
    has_room: Option<u8>,
}

/// Bits of a register.
const BITS: u64 = 32;

impl Shape {
    fn of(what: impl Hash, at: Option<(u64, i64)>) -> Shape {
        Shape { what: hashed(what), at, lets_in: None, has_room: None }
    }
}

fn hashed(what: impl Hash) -> u64 {
    let mut hasher = DefaultHasher::new();
    what.hash(&mut hasher);
    hasher.finish()
}

/// What neighbouring threads make as well.
pub(in crate::analysis) struct Alike {
    /// The rows that make it, and the loads for nothing else, each with the part that stays where each value is made once for a block: by a
    /// thread for itself, and at least, where it makes several that lie side by side.
    pub(in crate::analysis) stays: BTreeMap<usize, [f64; 2]>,
    /// The rows of it whose values others take.
    pub(in crate::analysis) handed_on: BTreeSet<usize>,
}

/// The bits of an instruction that say what it does to its operands: no registers, guards and waits.
fn kind(word: &MachineWord) -> u128 {
    let ones = |from: u32, to: u32| ((1_u128 << (to - from)) - 1) << from;
    let middle = match word.bits >> 9 & 7 {
        2..=5 => 0,
        _ => ones(32, 40),
    };
    word.bits & !(ones(12, 32) | middle | ones(64, 72) | ones(81, 90) | ones(105, 128))
}

/// The bits by which an instruction shifts its first operand to the left.
fn shifts(arithmetic: Arithmetic) -> Option<u8> {
    match arithmetic {
        Arithmetic::ShiftLeft(_, by) | Arithmetic::ShiftAdd(_, by, _) => Some(by),
        Arithmetic::MultiplyAdd([_, Operand { from: OperandFrom::Immediate(by), .. }, _]) if by.is_power_of_two() => {
            Some(by.ilog2() as u8)
        }
        _ => None,
    }
}

struct Shapes<'a, 'c> {
    code: &'a Code<'c>,
    /// Bits of a lane's element of a load, where they are known.
    bits: &'a dyn Fn(usize) -> Option<u64>,
    lanes: Lanes<'a, 'c>,
    /// Barriers of the block, by row: what lies in shared memory behind one is another value.
    barriers: Vec<usize>,
    seen: HashMap<(usize, RegisterFile, u8), Option<Shape>>,
    /// By the row in memory the bytes of an element, and its first load.
    elements: BTreeMap<u64, (i64, usize)>,
}

impl Shapes<'_, '_> {
    /// What a row leaves in a register; `None` where another thread with the same elements may have another value.
    fn written(&mut self, row: usize, file: RegisterFile, number: u8) -> Option<Shape> {
        if let Some(known) = self.seen.get(&(row, file, number)) {
            return known.clone();
        }
        self.seen.insert((row, file, number), None);
        let found = self.made(row, file, number);
        self.seen.insert((row, file, number), found.clone());
        found
    }

    /// The value of a register that some rows write, in front of another.
    fn read(&mut self, reader: usize, register: Register, from: &[usize]) -> Option<Shape> {
        let code = self.code;
        let comes_round = |from: usize| from >= reader && code.around(from).any(|cycle| code.is_in(reader, cycle));
        let is_run = |from: &&usize| code.executed[**from] > 0;
        let (round, starts): (Vec<usize>, Vec<usize>) =
            from.iter().filter(is_run).partition(|from| comes_round(**from));
        let mut found: Vec<Shape> =
            starts.into_iter().map(|from| self.written(from, register.file, register.number)).collect::<Option<_>>()?;
        found.sort();
        found.dedup();
        let one = match found.len() {
            1 => found.pop()?,
            _ => self.joined("either", found)?,
        };
        // What a turn hands on is forgotten where it only lets elements in.
        let is_letting = one.lets_in.is_some_and(|by| by > 0);
        let lets_in = |from: &usize| {
            code.op(*from).computes() == Some(Computes::Logic) || shifts(code.word(*from).arithmetic).is_some()
        };
        (round.is_empty() || is_letting && round.iter().all(lets_in)).then_some(one)
    }

    /// What is made of some values, by how they lie to each other.
    fn joined(&self, how: impl Hash, operands: Vec<Shape>) -> Option<Shape> {
        let at = operands.iter().filter_map(|own| own.at).min();
        let away = |own: &Shape| (own.what, own.at.zip(at).map(|((row, at), (_, first))| (row, at - first)));
        let mut all: Vec<_> = operands.iter().map(away).collect();
        all.sort_unstable();
        Some(Shape::of((how, all), at))
    }

    fn made(&mut self, row: usize, file: RegisterFile, number: u8) -> Option<Shape> {
        let (code, word, op) = (self.code, self.code.word(row), self.code.op(row));
        if let Some(special) = word.registers.special {
            return BLOCK.contains(&special).then(|| Shape::of(special, None));
        }
        if matches!(word.arithmetic, Arithmetic::Constant(_)) {
            return Some(Shape::of(kind(&word), None));
        }
        if op.act() == Some(Act::Load) {
            return self.loaded(row, file, number);
        }
        let is_lanes = op.is_shuffle() || op.sync().is_some() || op.computes() == Some(Computes::Voted);
        if op.act().is_some() || is_lanes || op.is_product() || op.control().is_some() {
            return None;
        }
        let mut operands = Vec::new();
        for (register, from) in code.operands(row) {
            operands.push(self.read(row, *register, from)?);
        }
        if op.is_uniform() && operands.iter().any(|own| own.at.is_some()) {
            return None;
        }
        let bytes = |own: &Shape| Some(self.elements.get(&own.at?.0)?.0);
        match (&operands[..], word.arithmetic) {
            ([own], _) if word.is_copy() => return Some(own.clone()),
            ([own], arithmetic) if shifts(arithmetic).is_some() && own.lets_in.is_some() => {
                let has_room = shifts(arithmetic).filter(|by| [Some(0), Some(*by)].contains(&own.lets_in));
                let shape = Shape::of(("left", shifts(arithmetic), own.what), own.at);
                return Some(Shape { has_room, ..shape });
            }
            ([Shape { at: Some((at, byte)), lets_in: Some(by), .. }], Arithmetic::ShiftRight(_, right))
                if *by > 0 && right % by == 0 =>
            {
                let older = i64::from(right / by) * bytes(&operands[0])?;
                return Some(Shape { lets_in: Some(*by), ..Shape::of(("window", by), Some((*at, byte - older))) });
            }
            ([a, b], arithmetic) => {
                let is_or = matches!(arithmetic, Arithmetic::Logic(table, _) if OR.contains(&table));
                let by = |own: &Shape| {
                    if is_or {
                        own.has_room
                    } else {
                        shifts(arithmetic).filter(|by| [Some(0), Some(*by)].contains(&own.lets_in))
                    }
                };
                let follows = |own: &Shape, next: &Shape| {
                    let ((row, at), (other, byte)) = own.at.zip(next.at)?;
                    let is_next = row == other && byte - at == bytes(next)? && next.lets_in == Some(0);
                    by(own).filter(|_| is_next).map(|by| (by, next.at))
                };
                if let Some((by, at)) = follows(a, b).or_else(|| follows(b, a).filter(|_| is_or)) {
                    return Some(Shape { lets_in: Some(by), ..Shape::of(("window", by), at) });
                }
            }
            _ => (),
        }
        self.joined((kind(&word), file), operands)
    }

    /// Whether another turn of a loop finds other values where a load reads.
    fn is_written(&self, load: usize, cycle: &Loop) -> bool {
        let mut barriers = self.barriers.iter();
        self.code.op(load).loads_shared() && barriers.any(|barrier| self.code.is_in(*barrier, cycle))
    }

    /// An element of a row that lanes go through side by side, or what all of them load.
    fn loaded(&mut self, row: usize, file: RegisterFile, number: u8) -> Option<Shape> {
        let code = self.code;
        if !(code.op(row).loads_global() || code.op(row).loads_shared()) || code.word(row).is_strong {
            return None;
        }
        let first = code.registers(row).written().find(|own| own.file == file)?;
        let bits = (self.bits)(row).unwrap_or(32 * u64::from(first.count));
        let place = code.places().get(&row);
        let is_shared = code.op(row).loads_shared();
        if self.lanes.is_row(row, bits) {
            let behind = self.barriers.partition_point(|barrier| is_shared && *barrier < row);
            let (parts, at) = place.and_then(|place| Some((hashed((place.all(), behind)), place.bytes()?)))?;
            let word = REGISTER * i64::from(number.wrapping_sub(first.number));
            self.elements.entry(parts).or_insert((bits as i64 / 8, row));
            let shape = Shape::of(("element", bits, word), Some((parts, i64::from(at as i32))));
            return Some(Shape { lets_in: Some(0), ..shape });
        }
        // What all of them load on one turn is another value on the next one where the place goes on, or others write there.
        let stays = |cycle: &Loop| !self.is_written(row, cycle) && code.stands(row, cycle);
        let is_one = !code.differs_by_lane(row, false) && code.innermost(row).is_none_or(stays);
        is_one.then(|| Shape::of((place.map(|own| (own.all(), own.bytes())), row, number), None))
    }
}

/// Bytes by which each turn of a loop goes on from the address of an access, where that is a number of the code.
fn turn(code: &Code<'_>, row: usize, cycle: &Loop) -> Option<i64> {
    let (mut reads, mut register, mut factor) = (row, address(code, row)?, 1_i64);
    for _ in 0..REGISTER {
        let low = Register { count: 1, ..register };
        let from: Vec<usize> =
            code.definitions(reads, low).into_iter().filter(|from| code.is_in(*from, cycle)).collect();
        let [from] = from[..] else { return None };
        let word = code.word(from);
        let number = |own: &Operand| match own.from {
            OperandFrom::Immediate(value) => Some(i64::from(value as i32)),
            _ => None,
        };
        let own = word.registers.read().find(Register::is_value)?;
        match word.arithmetic {
            Arithmetic::Sum(parts) if code.definitions(from, Register { count: 1, ..own }).contains(&from) => {
                return parts.iter().filter_map(number).map(|step| factor * step).find(|step| *step != 0);
            }
            Arithmetic::MultiplyAdd([_, by, _]) => factor *= number(&by)?,
            Arithmetic::ShiftLeft(_, by) | Arithmetic::ShiftAdd(_, by, _) => factor <<= by,
            _ if word.is_copy() => (),
            _ => return None,
        }
        (reads, register) = (from, own);
    }
    None
}

impl Study<'_> {
    /// What neighbouring threads make as well; `None` without any.
    pub(in crate::analysis) fn alike(&self) -> Option<Alike> {
        alike(&self.code, self.block?, &|row| self.width(row).or_else(|| self.narrow(row)))
    }
}

/// The same of blocks of so many threads in x, y and z.
fn alike(code: &Code<'_>, block: [u64; 3], bits: &dyn Fn(usize) -> Option<u64>) -> Option<Alike> {
    let mut row_of_block = Lanes::of_row(code, block);
    let (lanes, seen, elements) = (Lanes::new(code, block), HashMap::new(), BTreeMap::new());
    let barriers = code.run().filter(|row| code.is_block_barrier(*row)).collect();
    let mut shapes = Shapes { code, bits, lanes, barriers, seen, elements };
    let mut by: BTreeMap<_, Vec<(i64, usize)>> = BTreeMap::new();
    for row in code.run() {
        let Some(own) = code.registers(row).written().next() else { continue };
        let shape = shapes.written(row, own.file, own.number);
        if let Some((shape, (place, at))) = shape.and_then(|shape| Some((shape.clone(), shape.at?))) {
            let cycle = code.innermost(row).map(|cycle| cycle.header);
            // A value that lets elements in takes as many as it holds where no other went before.
            let holds = shape.lets_in.max(shape.has_room).filter(|by| *by > 0).map_or(1, |by| BITS / u64::from(by));
            by.entry((shape.what, place, cycle, holds)).or_default().push((at, row));
        }
    }
    let mut stays = BTreeMap::new();
    for ((_, place, .., holds), own) in by {
        let (bytes, load) = shapes.elements[&place];
        let places: BTreeSet<i64> = own.iter().map(|(at, _)| *at).filter(|at| (at - own[0].0) % bytes == 0).collect();
        let reach = (places.last()? - places.first()?) / bytes + 1;
        let around = code.innermost(own[0].1).filter(|cycle| code.is_in(load, cycle));
        let around = around.filter(|cycle| !shapes.is_written(load, cycle));
        let turns = around.and_then(|cycle| {
            let goes_on = turn(code, load, cycle)? == bytes * places.len() as i64;
            code.turns_of(cycle).filter(|_| goes_on)
        });
        let turns = turns.unwrap_or(1.0);
        let (times, reach) = (turns * places.len() as f64, turns * reach as f64);
        // Lanes of a warp lie side by side; warps may be elsewhere.
        let is_whole = row_of_block.is_row(load, 8 * bytes as u64);
        let threads = if is_whole { block[0].max(LANES as u64) } else { LANES as u64 } as f64;
        if times > 1.0 && reach < threads {
            let left = [holds as f64, 1.0].map(|each| ((threads + reach) / threads * each / times).min(1.0));
            stays.extend(own.iter().map(|(_, row)| (*row, left)));
        }
    }
    let is_load = |row: &usize| code.op(*row).act() == Some(Act::Load);
    // An element is loaded for each value that it is let into.
    let taken: Vec<(usize, [f64; 2])> =
        stays.iter().flat_map(|(row, left)| code.operands_of(*row).map(|from| (from, *left))).collect();
    for (from, left) in taken.into_iter().filter(|(from, _)| is_load(from)) {
        stays.entry(from).and_modify(|own: &mut [f64; 2]| own[0] = own[0].max(left[0]));
    }
    let others = code.run().filter(|row| !stays.contains_key(row)).flat_map(|row| code.operands_of(row));
    let mut handed_on: BTreeSet<usize> = others.filter(|from| stays.contains_key(from)).collect();
    // A load whose element others take as well stays.
    stays.retain(|row, _| !is_load(row) || !handed_on.contains(row));
    handed_on.retain(|row| !is_load(row));
    (!handed_on.is_empty()).then_some(Alike { stays, handed_on })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::phases::by_hand::{ended, r, special, word};
    use crate::analysis::phases::flows::THREAD;
    use cuda_binary::Op;

    /// The sum of what is made of two elements side by side, and perhaps of a number of the thread's own.
    #[test]
    fn what_is_made_of_elements_alone_the_next_thread_makes_of_its_first() {
        let of = |own: Option<u8>, far: i32| {
            let lane = |from: u8| Operand::from(OperandFrom::Register(RegisterFile::General, from));
            let and = Arithmetic::Logic(0xC0, [lane(1), OperandFrom::Immediate(31).into(), Operand::default()]);
            let lane = MachineWord { arithmetic: and, ..word(Op::LOP3, &[r(2)], &[r(1)]) };
            let start =
                if far > 1 { [special(1, THREAD[0]), lane] } else { [special(1, BLOCK[0]), special(2, THREAD[0])] };
            let load = |write: u8, offset: i32| {
                let mut load = word(Op::LDG, &[r(write)], &[r(2)]);
                load.registers.offset = offset;
                load
            };
            let reads = |from: u8| Vec::from_iter([r(from)].into_iter().chain(own.map(r)));
            let made = |write: u8, from: u8| word(Op::MUFU, &[r(write)], &reads(from));
            let sum = word(Op::FADD, &[r(8)], &[r(6), r(7)]);
            let rows = ended(&[&start[..], &[load(4, 0), load(5, far), made(6, 4), made(7, 5), sum]].concat());
            let code = Code::counted(&rows, vec![1; rows.len()], None);
            alike(&code, [64, 1, 1], &|_| Some(8)).map(|own| (own.stays.into_iter().collect::<Vec<_>>(), own.handed_on))
        };
        let (stays, handed_on) = of(None, 1).expect("alike");
        assert_eq!(stays, [2, 3, 4, 5].map(|row| (row, [66.0 / 128.0; 2])));
        assert_eq!(handed_on, BTreeSet::from([4, 5]));
        assert_eq!(of(Some(2), 1), None, "with the thread's number");
        assert!(of(None, 8).is_some_and(|(stays, _)| stays[0].1 == [41.0 / 64.0; 2]), "in a warp");
        assert_eq!(of(None, 32), None, "a warp's next elements are none of the next warp's");
    }
}
