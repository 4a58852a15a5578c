//! How far apart the lanes of a warp address memory, by the arithmetic of the address in the machine code.
//! What cannot be followed for certain gives nothing.

use super::code::Code;
use super::detail::{LaneStep, Reach, SectorAccess};
use super::flows::{BLOCK, LANE, THREAD};
use super::lane_value::{BITS, LANES, Value};
use crate::analysis::sass::access_width;
use crate::evidence::{Arithmetic, Instruction, Operand, OperandFrom, Register, RegisterFile};
use crate::quantity::SECTOR_BYTES;
use cuda_binary::Class;
use cuda_binary::op::Act;
use std::collections::{BTreeSet, HashMap};

/// Bytes of a line.
const LINE: u64 = 128;
/// Instructions behind each other that are followed.
const DEEPEST: usize = 64;
/// Sectors for a request by which the counters may differ from the arithmetic: part of it, and one for alignment.
const SLACK: f64 = 0.1;

/// The lanes of a kernel's accesses.
pub(super) struct Lanes<'a, 'c> {
    code: &'a Code<'c>,
    /// Threads of a block in x, y and z.
    block: [u64; 3],
    /// Threads from one lane to the next: 1 in a warp, more where the lanes stand for threads of a whole row of a block.
    apart: usize,
    seen: HashMap<(usize, u8), Option<Value>>,
}

impl<'a, 'c> Lanes<'a, 'c> {
    pub(super) fn new(code: &'a Code<'c>, block: [u64; 3]) -> Lanes<'a, 'c> {
        Lanes { code, block, apart: 1, seen: HashMap::new() }
    }

    /// Threads of a whole row of a block, as lanes that lie far apart.
    pub(super) fn of_row(code: &'a Code<'c>, block: [u64; 3]) -> Lanes<'a, 'c> {
        Lanes { apart: (block[0] as usize / LANES).max(1), ..Lanes::new(code, block) }
    }

    /// The address of an access, without what is the same for all lanes.
    fn address(&mut self, row: usize) -> Option<Value> {
        let register = self.code.registers(row).read().find(|own| own.file == RegisterFile::General)?;
        Some(self.register(row, register.number, 0)?.folded())
    }

    /// What the lanes of an access of so many bytes touch; `None` where the code does not say.
    fn reach(&mut self, row: usize, bytes: u64) -> Option<Reach> {
        let value = self.address(row).filter(|value| value.times.is_none())?;
        let [sectors, lines] = [u64::from(SECTOR_BYTES), LINE].map(|unit| touched(&value.lane, bytes, unit));
        let apart = step(&value.lane).filter(|step| step.group == 1).map(|step| step.bytes);
        Some(Reach { sectors, lines, apart })
    }

    /// How many bytes the first lane of an access is past a multiple of what a lane moves, its constant apart, in a buffer that begins at
    /// one, and whether some lane is elsewhere; `None` where the code does not say.
    fn past(&mut self, row: usize, bytes: u32) -> Option<(u32, bool)> {
        let register = self.code.registers(row).read().find(|own| own.file == RegisterFile::General)?;
        let value = self.register(row, register.number, 0)?;
        let is_of_buffer = value.times.is_none_or(|(_, times)| times == [1; LANES]);
        let is_whole = 1_u32.checked_shl(value.zeros).is_none_or(|base| base.is_multiple_of(bytes));
        let past = value.lane.map(|lane| lane % bytes);
        (is_of_buffer && is_whole).then(|| (past[0], past.iter().any(|own| *own != past[0])))
    }

    /// Whether an access of so many bits takes bytes side by side, whatever place they begin at; `None` where the code does not say.
    pub(super) fn row_of(&mut self, row: usize, bits: u64) -> Option<bool> {
        let value = self.address(row).filter(|value| value.times.is_none())?;
        let is_row = |step: LaneStep| step.group == 1 && 8 * step.bytes.unsigned_abs() == bits * self.apart as u64;
        Some(step(&value.lane).is_some_and(is_row))
    }

    /// The same, where it does for certain.
    pub(super) fn is_row(&mut self, row: usize, bits: u64) -> bool {
        self.row_of(row, bits) == Some(true)
    }

    /// How far apart the lanes of an access are; `None` where the code does not say, or the counters disagree.
    pub(super) fn step(&mut self, row: usize, access: &SectorAccess) -> Option<LaneStep> {
        let value = self.address(row)?;
        let step = match value.times {
            None => step(&value.lane)?,
            Some((byte, times)) if value.is_even() => match step(&times)? {
                LaneStep { group: 1, bytes, .. } => LaneStep { group: 1, bytes, argument: Some(byte) },
                _ => return None,
            },
            Some(_) => return None,
        };
        self.agrees(row, &value, access).then_some(step)
    }

    /// Whether the counters touch as many sectors as lanes at these places do.
    fn agrees(&self, row: usize, value: &Value, access: &SectorAccess) -> bool {
        let (Some(width), Some(lanes)) = (access.width_bits, self.code.lanes.as_ref()) else { return false };
        let is_full = lanes[row] == LANES as u64 * self.code.executed[row];
        let counted = access.sectors as f64 / access.requests.max(1) as f64;
        let expected = touched(&value.lane, width / 8, u64::from(SECTOR_BYTES)) as f64;
        match value.times {
            Some(_) => true,
            None if is_full => (counted - expected).abs() <= 1.0 + SLACK * expected,
            None => counted <= 1.0 + (1.0 + SLACK) * expected,
        }
    }

    /// The value of a register of each lane in front of a row.
    fn register(&mut self, row: usize, number: u8, depth: usize) -> Option<Value> {
        if depth > DEEPEST {
            return None;
        }
        if let Some(known) = self.seen.get(&(row, number)) {
            return *known;
        }
        self.seen.insert((row, number), None);
        let wanted = Register { file: RegisterFile::General, number, count: 1 };
        let all = self.code.definitions(row, wanted);
        let (turns, starts): (Vec<usize>, Vec<usize>) =
            all.into_iter().partition(|at| self.is_turn(*at, number, row, depth));
        let value = match starts.as_slice() {
            // Lanes may leave a loop on different turns.
            [start] if self.code.around(*start).all(|cycle| self.code.is_in(row, cycle)) => {
                self.written(*start, number, depth)
            }
            _ => None,
        };
        let value = value.map(|value| if turns.is_empty() { value } else { Value { zeros: 0, ..value } });
        self.seen.insert((row, number), value);
        value
    }

    /// Whether a row adds what is the same for all lanes to what it left in the register, on each turn of a loop that the reader is in.
    fn is_turn(&mut self, at: usize, number: u8, reader: usize, depth: usize) -> bool {
        let in_loop = self.code.around(at).any(|cycle| self.code.is_in(reader, cycle));
        let Some(word) = self.code.rows[at].word.filter(|word| in_loop && word.is_unconditional) else { return false };
        let Arithmetic::Sum(parts) = word.arithmetic else { return false };
        // Itself, or a copy of it.
        let (code, wanted) = (self.code, Register { file: RegisterFile::General, number, count: 1 });
        let is_left = |row: usize| {
            code.registers(row).read().any(|own| own == wanted) && code.definitions(row, wanted).contains(&at)
        };
        let is_own = |part: &Operand| {
            let OperandFrom::Register(file @ RegisterFile::General, other) = part.from else { return false };
            let copies = || code.definitions(at, Register { file, number: other, count: 1 });
            !part.is_negative
                && if other == number {
                    is_left(at)
                } else {
                    matches!(copies()[..], [copy] if code.word(copy).is_copy() && is_left(copy))
                }
        };
        let steps: Vec<Operand> = parts.into_iter().filter(|part| !is_own(part)).collect();
        steps.len() == 2
            && steps.iter().all(|step| self.operand(at, step, depth).is_some_and(|value| value.is_uniform()))
    }

    fn operand(&mut self, row: usize, operand: &Operand, depth: usize) -> Option<Value> {
        let value = match operand.from {
            OperandFrom::Immediate(value) => Value::known(value),
            OperandFrom::Register(RegisterFile::General, number) => self.register(row, number, depth + 1)?,
            OperandFrom::Register(_, number) => self.of_warp(row, number),
            OperandFrom::Constant(byte) => Value::argument(byte),
            _ => Value::uniform(),
        };
        Some(if operand.is_negative { value.scaled(u32::MAX) } else { value })
    }

    /// The value of a register of the warp: an argument of the kernel, or what is not known.
    fn of_warp(&self, row: usize, number: u8) -> Value {
        let wanted = Register { file: RegisterFile::Uniform, number, count: 1 };
        let word = match self.code.definitions(row, wanted)[..] {
            [from] => self.code.rows[from].word,
            _ => None,
        };
        let is_first = word.is_some_and(|word| word.registers.written().next().is_some_and(|own| own.number == number));
        match word.map(|word| word.arithmetic) {
            Some(Arithmetic::Constant(byte)) if is_first => Value::argument(byte),
            _ => Value::uniform(),
        }
    }

    /// What a row leaves in a register.
    fn written(&mut self, row: usize, number: u8, depth: usize) -> Option<Value> {
        let word = self.code.rows[row].word?;
        let first = word.registers.written().find(|own| own.file == RegisterFile::General)?;
        if let Some(special) = word.registers.special {
            return self.special(special);
        }
        // Lanes that load from one place have one value; what a constant bank gives may be an argument.
        if self.code.op(row).act() == Some(Act::Load) && !matches!(word.arithmetic, Arithmetic::Constant(_)) {
            let address = word.registers.read().find(|own| own.file == RegisterFile::General);
            let place = address.map(|own| self.register(row, own.number, depth + 1));
            return place.is_none_or(|place| place.is_some_and(|place| place.is_uniform())).then(Value::uniform);
        }
        if first.number != number {
            return None;
        }
        let mut of = |operand: &Operand| self.operand(row, operand, depth);
        match word.arithmetic {
            Arithmetic::Other => self.is_of_uniforms(row, depth).then(Value::uniform),
            Arithmetic::Constant(byte) => Some(Value::argument(byte)),
            Arithmetic::MultiplyAdd([a, b, c]) => of(&a)?.multiply(of(&b)?)?.add(of(&c)?),
            Arithmetic::Sum([a, b, c]) => of(&a)?.add(of(&b)?)?.add(of(&c)?),
            Arithmetic::ShiftAdd(value, by, add) => of(&value)?.scaled(1 << by).add(of(&add)?),
            Arithmetic::ShiftLeft(value, by) => Some(of(&value)?.scaled(1 << by)),
            Arithmetic::ShiftRight(value, by) => of(&value)?.shifted_right(by.into()),
            Arithmetic::Logic(table, [a, b, c]) => Value::logic(table, [of(&a)?, of(&b)?, of(&c)?]),
        }
    }

    /// Whether an instruction computes from values alone that are the same for all lanes.
    fn is_of_uniforms(&mut self, row: usize, depth: usize) -> bool {
        let Some(word) = self.code.rows[row].word.filter(|word| word.is_unconditional) else { return false };
        let is_arithmetic = self.code.op(row).is_of(&[Class::Integer, Class::Logic, Class::Move]);
        is_arithmetic
            && word.registers.read().all(|own| match own.file {
                RegisterFile::General => (own.number..own.number.saturating_add(own.count))
                    .all(|number| self.register(row, number, depth + 1).is_some_and(|value| value.is_uniform())),
                RegisterFile::Uniform | RegisterFile::UniformPredicate => true,
                RegisterFile::Predicate => false,
            })
    }

    /// The numbers of thread and block: warps are threads that follow each other, x first.
    fn special(&self, number: u8) -> Option<Value> {
        let [x, y, _] = self.block.map(|threads| threads as usize);
        let by = |of: fn(usize, usize) -> usize| std::array::from_fn(|lane| of(lane * self.apart, x) as u32);
        let zeros = (LANES / x.clamp(1, LANES)).trailing_zeros();
        let is_row = x.is_multiple_of(LANES);
        let is_part = x > 0 && LANES.is_multiple_of(x) && (x * y).is_multiple_of(LANES);
        match THREAD.iter().position(|own| *own == number) {
            _ if number == LANE => Some(Value { zeros: BITS, lane: by(|lane, _| lane % LANES), times: None }),
            Some(0) if self.apart > 1 => Some(Value { zeros: BITS, lane: by(|lane, _| lane), times: None }),
            Some(0) if is_row => Some(Value { zeros: 5, lane: by(|lane, _| lane), times: None }),
            Some(0) if is_part => Some(Value { zeros: BITS, lane: by(|lane, x| lane % x), times: None }),
            Some(_) if is_row => Some(Value::uniform()),
            Some(1) if is_part => Some(Value { zeros, lane: by(|lane, x| lane / x), times: None }),
            Some(2) if is_part => Some(Value::uniform()),
            _ if BLOCK.contains(&number) => Some(Value::uniform()),
            _ => None,
        }
    }
}

/// For each store to global memory whose address the code shows: its row, and what a warp with all lanes on
/// touches with it, by the arithmetic alone: no launch is needed. It is read as on sm_90a; seven kernels of `kernels/`
/// whose stores it follows come out the same built for sm_100a, and as their sources say. `block` is the threads of a block in x, y and z.
pub(in crate::analysis) fn reach_of_stores(rows: &[Instruction], block: [u64; 3]) -> Vec<(usize, Reach)> {
    of_stores(rows, block, |lanes, row, bytes| lanes.reach(row, bytes.into()))
}

/// For each such store what [`Lanes::past`] has.
pub(in crate::analysis) fn past_of_stores(rows: &[Instruction], block: [u64; 3]) -> Vec<(usize, (u32, bool))> {
    of_stores(rows, block, |lanes, row, bytes| lanes.past(row, bytes))
}

fn of_stores<T>(
    rows: &[Instruction],
    block: [u64; 3],
    of: impl Fn(&mut Lanes<'_, '_>, usize, u32) -> Option<T>,
) -> Vec<(usize, T)> {
    if rows.is_empty() || rows.iter().any(|row| row.word.is_none()) {
        return Vec::new();
    }
    let code = Code::counted(rows, vec![1; rows.len()], None);
    let mut lanes = Lanes::new(&code, block);
    let of_store = |row: usize| Some((row, of(&mut lanes, row, access_width(rows[row].opcode.as_deref()?)? / 8)?));
    (0..rows.len()).filter(|row| rows[*row].op().stores_global()).filter_map(of_store).collect()
}

/// Sectors or lines that lanes touch with so many bytes each, counted from the first lane.
fn touched(lane: &[u32; LANES], bytes: u64, unit: u64) -> u64 {
    let units = |own: &u32| {
        let first = u64::from(own.wrapping_sub(lane[0]));
        first / unit..=(first + bytes - 1) / unit
    };
    lane.iter().flat_map(units).collect::<BTreeSet<u64>>().len() as u64
}

/// The distance of neighbouring lanes, or of groups of lanes side by side; `None` for another order.
fn step(lane: &[u32; LANES]) -> Option<LaneStep> {
    let far = |from: usize, to: usize| i64::from(lane[to].wrapping_sub(lane[from]) as i32);
    let groups = [1, 2, 4, 8, 16].into_iter().find_map(|group: usize| {
        let (inner, outer) = (far(0, 1), far(0, group));
        let is_so = |at: usize| {
            let inside = if group == 1 { 0 } else { (at % group) as i64 * inner };
            far(0, at) == (at / group) as i64 * outer + inside
        };
        (0..LANES).all(is_so).then_some((group, outer))
    });
    groups.filter(|(_, bytes)| *bytes != 0).map(|(group, bytes)| LaneStep { group: group as u8, bytes, argument: None })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::phases::by_hand::{back, ended, r, special, word};
    use crate::evidence::MachineWord;
    use cuda_binary::Op;

    fn lanes(of: impl Fn(u32) -> u32) -> Value {
        Value { zeros: 5, lane: std::array::from_fn(|lane| of(lane as u32)), times: None }
    }

    #[test]
    fn bytes_side_by_side_are_a_row_wherever_they_begin() {
        let mut load = word(Op::LDG, &[r(4)], &[r(2)]);
        load.registers.offset = 5;
        let rows = ended(&[special(2, THREAD[0]), load]);
        let code = Code::counted(&rows, vec![1; rows.len()], None);
        let is_row = |bits| Lanes::new(&code, [64, 1, 1]).is_row(1, bits);
        assert!(is_row(8) && !is_row(16));
        assert!(!Lanes::new(&code, [16, 16, 1]).is_row(1, 8), "two rows of 16");
    }

    #[test]
    fn a_loop_that_goes_on_by_way_of_a_copy_keeps_its_lanes_side_by_side() {
        let general = |number: u8| Operand::from(OperandFrom::Register(RegisterFile::General, number));
        let sum = |to: u8, from: u8, by: u32| {
            let arithmetic = Arithmetic::Sum([general(from), OperandFrom::Immediate(by).into(), Operand::default()]);
            MachineWord { arithmetic, ..word(Op::IADD3, &[r(to)], &[r(from)]) }
        };
        let is_row = |copied: MachineWord| {
            let turn = [copied, word(Op::LDG, &[r(4)], &[r(3)]), sum(2, 3, 256), back(1)];
            let rows = ended(&[&[special(2, THREAD[0])][..], &turn].concat());
            Lanes::new(&Code::counted(&rows, vec![1; rows.len()], None), [64, 1, 1]).is_row(2, 8)
        };
        assert!(is_row(sum(3, 2, 0)));
        assert!(!is_row(word(Op::MUFU, &[r(3)], &[r(2)])));
    }

    #[test]
    fn arithmetic_by_hand() {
        // threadIdx.x of whole warps: `x >> 2` is eight quads, `x & 3` the place in one.
        let x = lanes(|lane| lane);
        let row = x.shifted_right(2).expect("known");
        assert_eq!((row.zeros, row.lane[31]), (3, 7));
        let and = |value: Value, mask: u32| Value::logic(0xc0, [value, Value::known(mask), Value::known(0)]);
        let column = and(x, 3).expect("known");
        assert_eq!((column.zeros, column.lane[30]), (BITS, 2));
        // Rows of 768 BF16 values, 16 bytes a lane: quads side by side, 1,536 bytes apart.
        let address = row.scaled(1536).add(column.scaled(16)).expect("a sum");
        assert_eq!(step(&address.lane), Some(LaneStep { group: 4, bytes: 1536, argument: None }));
        assert_eq!(step(&x.scaled(1536).lane), Some(LaneStep { group: 1, bytes: 1536, argument: None }));
        // A row a lane: 32 bytes in each of 32 lines; side by side 8 lines hold them.
        assert_eq!([u64::from(SECTOR_BYTES), LINE].map(|unit| touched(&x.scaled(1536).lane, 32, unit)), [32, 32]);
        assert_eq!([u64::from(SECTOR_BYTES), LINE].map(|unit| touched(&x.scaled(32).lane, 32, unit)), [32, 8]);
        // `x · n · 4` with an argument n.
        let far = x.multiply(Value::argument(0x220)).expect("a product").scaled(4).folded();
        assert_eq!(far.times.map(|(byte, times)| (byte, times[2])), Some((0x220, 8)));
        // The number of a block is not known, and its product with a lane nothing that can be said.
        assert_eq!(x.multiply(Value::uniform()), None);
        assert!(x.shifted_right(5).is_some_and(|warp| warp.is_uniform()));
    }
}
