//! An instruction as it is walked: its operands as the listing prints them, and what it computes.

use super::value::Value;
use crate::evidence::{Instruction, Operand, OperandFrom, Register, RegisterFile};
use cuda_binary::Op;
use cuda_binary::op::{Act, Computes, Space, Sync};

/// Registers of lanes, of the warp, and both kinds of predicates, in one file.
pub(super) const FILE: usize = 528;
const UNIFORM: usize = 256;
pub(super) const PREDICATE: usize = 512;
const UNIFORM_PREDICATE: usize = 520;

/// The place of a register; `None` for the predicate that always holds.
pub(super) fn slot(file: RegisterFile, number: u8) -> Option<usize> {
    let is_constant = number == 7 && matches!(file, RegisterFile::Predicate | RegisterFile::UniformPredicate);
    let from = [0, UNIFORM, PREDICATE, UNIFORM_PREDICATE][file as usize];
    (!is_constant).then_some(from + usize::from(number))
}

/// Whether a register is the warp's.
pub(super) fn is_of_warp(slot: usize) -> bool {
    (UNIFORM..PREDICATE).contains(&slot) || slot >= UNIFORM_PREDICATE
}

/// An instruction with its operands.
#[derive(Clone, Debug)]
pub(super) struct Step<'l> {
    pub(super) op: Op,
    pub(super) computes: Option<Computes>,
    pub(super) modifiers: Vec<&'l str>,
    pub(super) guard: Option<Operand>,
    /// Registers that it writes, the value before predicates; those behind them are only known to be written.
    pub(super) results: Vec<Option<usize>>,
    pub(super) sources: Vec<Operand>,
    /// What its bits give as a number of 32 bits.
    literal: Option<u32>,
}

impl<'l> Step<'l> {
    pub(super) fn of(instruction: &'l Instruction) -> Step<'l> {
        let op = instruction.op();
        let all: Vec<Operand> = instruction.operands().collect();
        // What the warp computes for all lanes at once is named like what a lane computes.
        let of_lanes = op.name().strip_prefix('U').map_or(op, Op::of);
        let is_argument = op.is_in(Space::Constant) && op.act() == Some(Act::Load);
        let computes = op.computes().or(of_lanes.computes()).or(is_argument.then_some(Computes::Argument));
        let (mut values, mut predicates, mut taken) = (Vec::new(), Vec::new(), 0);
        let is_branch = op.control().is_some();
        let is_store = matches!(op.sync(), Some(Sync::Block | Sync::Commit));
        for part in all.iter().filter(|_| !is_branch && !is_store) {
            let is_flag = part.is_predicate() && !part.is_inverted && predicates.len() < 2;
            let is_value = values.is_empty() && computes != Some(Computes::Compared) && !part.is_predicate();
            match part.from {
                OperandFrom::Register(file, number) if is_flag => predicates.push(slot(file, number)),
                OperandFrom::Register(file, number) if is_value && !part.is_negative => values.push(slot(file, number)),
                OperandFrom::Immediate(0) if is_value => values.push(None),
                _ => break,
            }
            taken += 1;
            if computes == Some(Computes::Voted) {
                break;
            }
        }
        let first = values.first().copied().flatten();
        let mut results: Vec<Option<usize>> = match first.filter(|_| instruction.is("WIDE")) {
            Some(first) => vec![Some(first), Some(first + 1)],
            None => values.into_iter().chain(predicates).collect(),
        };
        let written: Vec<Register> = instruction.word.iter().flat_map(|word| word.registers.written()).collect();
        let words = instruction.modifiers().find_map(words);
        let words = words.unwrap_or(if computes.is_some() || !written.is_empty() { 1 } else { 2 });
        let others = first.map_or(0..0, |first| first + 1..(first + words).min(FILE));
        let general = written.iter().filter(|own| own.file == RegisterFile::General);
        let general = general.flat_map(|own| (0..own.count).map(|at| usize::from(own.number) + usize::from(at)));
        for slot in others.chain(general).map(Some) {
            if !results.contains(&slot) {
                results.push(slot);
            }
        }
        Step {
            op,
            computes,
            modifiers: instruction.modifiers().collect(),
            guard: instruction.guard(),
            results,
            sources: all[taken..].to_vec(),
            literal: instruction.word.map(|word| (word.bits >> 32) as u32),
        }
    }

    pub(super) fn is(&self, modifier: &str) -> bool {
        self.modifiers.contains(&modifier)
    }

    /// Where among its sources an address is.
    pub(super) fn address(&self) -> Option<usize> {
        self.sources.iter().position(|own| matches!(own.from, OperandFrom::Memory(..)))
    }

    /// What it computes from its sources, for its results in their order; those that are missing are not known.
    pub(super) fn compute(&self, read: &dyn Fn(&Operand) -> Value) -> Vec<Value> {
        let source = |at: usize| self.sources.get(at).map_or(Value::UNKNOWN, read);
        let [a, b, c] = [source(0), source(1), source(2)];
        // With a carry a result is the upper half of a longer number.
        if self.is("X") || self.is("EX") {
            return Vec::new();
        }
        let wrapping = |by: u32, value: u32, left: bool| match (by, left) {
            (32.., _) => 0,
            (_, true) => value << by,
            (_, false) => value >> by,
        };
        match self.computes {
            Some(Computes::MultiplyAdd) if self.is("WIDE") || self.is("HI") => {
                if !self.is("U32") {
                    return Vec::new();
                }
                let high = match self.sources.get(2) {
                    Some(Operand {
                        from: OperandFrom::Register(file, number),
                        is_negative: false,
                        is_inverted: false,
                    }) => read(&OperandFrom::Register(*file, number + 1).into()),
                    _ => Value::all(0),
                };
                let whole = |[a, b, c, high]: [u32; 4]| {
                    (u64::from(a) * u64::from(b)).wrapping_add(u64::from(c) | u64::from(high) << 32)
                };
                let (low, upper) = (
                    Value::of([a, b, c, high], |all| whole(all) as u32),
                    Value::of([a, b, c, high], |all| (whole(all) >> 32) as u32),
                );
                if self.is("HI") {
                    vec![Value::of([a, b, c], |[a, b, c]| {
                        whole([a, b, 0, 0]).wrapping_add(u64::from(c) << 32).wrapping_shr(32) as u32
                    })]
                } else {
                    vec![low, upper]
                }
            }
            Some(Computes::MultiplyAdd) => {
                vec![Value::of([a, b, c], |[a, b, c]| a.wrapping_mul(b).wrapping_add(c))]
            }
            Some(Computes::Sum | Computes::SumOfTwo) => {
                let third = if self.sources.len() > 2 { c } else { Value::all(0) };
                vec![Value::of([a, b, third], |[a, b, c]| a.wrapping_add(b).wrapping_add(c))]
            }
            Some(Computes::Copied | Computes::Argument) => vec![a],
            Some(Computes::ShiftAdd) if self.is("HI") => {
                let by = source(3);
                vec![Value::of([a, b, c, by], |[a, b, c, by]| {
                    let long = u64::from(c) << 32 | u64::from(a);
                    (((long << by.min(31)) >> 32) as u32).wrapping_add(b)
                })]
            }
            Some(Computes::ShiftAdd) => {
                vec![Value::of([a, b, c], |[a, b, by]| wrapping(by, a, true).wrapping_add(b))]
            }
            Some(Computes::Logic) => {
                let table = source(3);
                let made = Value::of([a, b, c, table], |[a, b, c, table]| {
                    (0..8).filter(|case| table >> case & 1 == 1).fold(0, |found, case| {
                        let side = |value: u32, bit: u32| if case & bit == 0 { !value } else { value };
                        found | side(a, 4) & side(b, 2) & side(c, 1)
                    })
                });
                let joined = Value::of([made, source(4)], |[made, other]| u32::from(made != 0 || other != 0));
                vec![made, joined]
            }
            Some(Computes::Shift | Computes::ShiftOfWarp) if self.is("U32") || self.is("S32") => {
                let made = match (self.is("L"), self.is("R") && self.is("HI"), self.is("S32")) {
                    (true, _, _) => Value::of([a, b], |[a, by]| wrapping(by, a, true)),
                    (_, true, false) => Value::of([b, c], |[by, c]| wrapping(by, c, false)),
                    (_, true, true) => Value::of([b, c], |[by, c]| ((c as i32) >> by.min(31)) as u32),
                    _ => return Vec::new(),
                };
                vec![made]
            }
            Some(Computes::Compared) => {
                let is_signed = !self.is("U32");
                let order = |a: u32, b: u32| if is_signed { (a as i32).cmp(&(b as i32)) } else { a.cmp(&b) };
                let Some(holds) = self.modifiers.iter().find_map(|own| comparison(own)) else { return Vec::new() };
                let made = Value::of([a, b, c], |[a, b, other]| {
                    let own = holds(order(a, b));
                    u32::from(if self.is("OR") {
                        own || other != 0
                    } else if self.is("XOR") {
                        own != (other != 0)
                    } else {
                        own && other != 0
                    })
                });
                vec![made]
            }
            Some(Computes::Selected) => {
                vec![Value::of([a, b, c], |[a, b, is_first]| if is_first != 0 { a } else { b })]
            }
            Some(Computes::Bounded) => {
                let is_signed = !self.is("U32");
                let is_of_sum = self.sources.len() > 3;
                let sum = Value::of([a, b], |[a, b]| a.wrapping_add(b));
                let [a, b, c] = if is_of_sum { [sum, c, source(3)] } else { [a, b, c] };
                vec![Value::of([a, b, c], |[a, b, least]| {
                    let is_less = if is_signed { (a as i32) < b as i32 } else { a < b };
                    if is_less == (least != 0) { a } else { b }
                })]
            }
            Some(Computes::Permuted) => {
                vec![Value::of([a, b, if b == Value::all(LOW_HALF) { c.or_zero() } else { c }], |[a, picks, c]| {
                    let bytes = (u64::from(c) << 32 | u64::from(a)).to_le_bytes();
                    u32::from_le_bytes(std::array::from_fn(|at| {
                        let pick = picks >> (4 * at) & 15;
                        let byte = bytes[(pick & 7) as usize];
                        if pick & 8 == 0 { byte } else { ((byte as i8) >> 7) as u8 }
                    }))
                })]
            }
            // A division, as the compiler makes it: from a reciprocal, with corrections that make an error of its last bits good.
            Some(Computes::ToFloat) if self.is("U32") && self.is("RP") => vec![Value::of([a], |[a]| {
                let near = a as f32;
                near.to_bits() + u32::from(f64::from(near) < f64::from(a))
            })],
            Some(Computes::Special) if self.is("RCP") => {
                vec![Value::of([a], |[a]| f32::from_bits(a).recip().to_bits())]
            }
            Some(Computes::ToInteger) if self.is("U32") && self.is("TRUNC") => {
                vec![Value::of([a], |[a]| f32::from_bits(a) as u32)]
            }
            Some(Computes::Joined) => {
                let table = source(3);
                vec![Value::of([a, b, c, table], |[a, b, c, table]| table >> (4 * a + 2 * b + c) & 1)]
            }
            None if self.sources == [Operand::default()] => vec![Value::all(0); 2],
            // A constant as the compiler makes it of halves: zero times zero and a number.
            _ if self.sources.len() == 4 && self.sources[..2] == [Operand::default(); 2] => {
                vec![self.literal.map_or(Value::UNKNOWN, Value::all)]
            }
            _ => Vec::new(),
        }
    }
}

/// Bytes that a move of 16 bits picks: what stays above them is never read by itself.
const LOW_HALF: u32 = 0x7610;

/// How many registers a modifier says that a result has: `128` is of bits, `x32` of words.
fn words(modifier: &str) -> Option<usize> {
    match modifier.strip_prefix('x') {
        Some(words) => words.parse().ok(),
        None => Some(modifier.parse::<usize>().ok()? / 32),
    }
    .filter(|words| (1..=64).contains(words))
}

fn comparison(modifier: &str) -> Option<fn(std::cmp::Ordering) -> bool> {
    Some(match modifier {
        "EQ" => std::cmp::Ordering::is_eq,
        "NE" => std::cmp::Ordering::is_ne,
        "LT" => std::cmp::Ordering::is_lt,
        "LE" => std::cmp::Ordering::is_le,
        "GT" => std::cmp::Ordering::is_gt,
        "GE" => std::cmp::Ordering::is_ge,
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_predicate_behind_two_results_is_a_source() {
        let printed = Instruction::printed("PLOP3.LUT", "P0, PT, P1, PT, PT, 0x8, 0x80");
        let step = Step::of(&printed);
        assert_eq!((&step.results[..], step.sources.len()), (&[Some(PREDICATE), None][..], 5));
        let of = |one: u32| {
            let read = |own: &Operand| match own.from {
                OperandFrom::Immediate(number) => Value::all(number),
                OperandFrom::Register(_, 7) => Value::all(1),
                _ => Value::all(one),
            };
            step.compute(&read)
        };
        assert_eq!([of(0), of(1)], [vec![Value::all(1)], vec![Value::all(0)]], "turned over");
    }
}
