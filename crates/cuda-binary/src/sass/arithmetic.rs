//! The arithmetic of addresses, by the bits of an instruction.
//!
//! Read off listings of nvdisasm 13.2 for sm_90a, as the registers are. An operand lies at bit 24, 32 or 64; the kind of operands (bits
//! 9 to 11) says what lies at 32, and whether it is the second operand or the third. Bits 72, 63 and 75 are the signs at these places.

use super::machine_word::{Arithmetic, RegisterFile, ZERO, bits};
use super::operand::{Operand, OperandFrom};
use crate::op::{Computes, Op};

/// The register of the warp that holds zero.
const UNIFORM_ZERO: u128 = 63;
/// The constant bank of the kernel's arguments.
const ARGUMENTS: u128 = 0;

/// Bits of an instruction, and whether it is one of the warp.
#[derive(Clone, Copy)]
struct Bits(u128, bool);

impl Bits {
    fn at(self, from: u32, count: u32) -> u128 {
        bits(self.0, from, count)
    }

    fn is_set(self, at: u32) -> bool {
        self.at(at, 1) == 1
    }

    fn register(self, from: u32, sign: u32) -> Operand {
        let place = match self.at(from, 8) {
            _ if self.1 => self.uniform(from),
            ZERO => OperandFrom::Immediate(0),
            number => OperandFrom::Register(RegisterFile::General, number as u8),
        };
        Operand { is_negative: self.is_set(sign), ..place.into() }
    }

    fn uniform(self, from: u32) -> OperandFrom {
        match self.at(from, 6) {
            UNIFORM_ZERO => OperandFrom::Immediate(0),
            number => OperandFrom::Register(RegisterFile::Uniform, number as u8),
        }
    }

    /// The byte of a word in the bank of the arguments; `None` in another bank.
    fn constant(self) -> Option<u16> {
        (self.at(54, 5) == ARGUMENTS).then_some(4 * self.at(40, 14) as u16)
    }

    /// What lies at bit 32.
    fn middle(self) -> Operand {
        let place = match self.at(9, 3) {
            2 | 4 => OperandFrom::Immediate(self.at(32, 32) as u32),
            3 | 5 => self.constant().map_or(OperandFrom::Other, OperandFrom::Constant),
            6 | 7 => self.uniform(32),
            _ => return self.register(32, 63),
        };
        let is_literal = matches!(place, OperandFrom::Immediate(_));
        Operand { is_negative: !is_literal && self.is_set(63), ..place.into() }
    }

    /// The three operands in their order.
    fn operands(self) -> [Operand; 3] {
        let (first, middle, last) = (self.register(24, 72), self.middle(), self.register(64, 75));
        match self.at(9, 3) {
            2 | 3 | 7 => [first, last, middle],
            _ => [first, middle, last],
        }
    }
}

/// What an instruction computes.
pub(super) fn of(op: Op, word: u128) -> Arithmetic {
    let bits = Bits(word, op.is_uniform());
    let [a, b, c] = bits.operands();
    let literal = |operand: Operand| match operand.from {
        OperandFrom::Immediate(value) if value < 32 => Some(value as u8),
        _ => None,
    };
    // With a carry of another instruction a result is the upper half of a longer number.
    let has_carry = bits.is_set(74);
    match op.computes() {
        Some(Computes::MultiplyAdd) if matches!(bits.at(0, 9), 0x024 | 0x025 | 0x0a4 | 0x0a5) && !has_carry => {
            Arithmetic::MultiplyAdd([a, b, c])
        }
        Some(Computes::Sum) if !has_carry => Arithmetic::Sum([a, b, c]),
        Some(Computes::SumOfTwo) => Arithmetic::Sum([a, bits.middle(), Operand::default()]),
        Some(Computes::CopiedToWarp) if !bits.1 => Arithmetic::Sum([a, Operand::default(), Operand::default()]),
        Some(Computes::Copied | Computes::CopiedToWarp) => {
            Arithmetic::Sum([bits.middle(), Operand::default(), Operand::default()])
        }
        Some(Computes::ShiftAdd) if !has_carry && !bits.is_set(80) => {
            Arithmetic::ShiftAdd(a, bits.at(75, 5) as u8, bits.middle())
        }
        Some(Computes::Logic) => {
            // The table lies over the signs.
            Arithmetic::Logic(bits.at(72, 8) as u8, [a, b, c].map(unsigned))
        }
        Some(Computes::Shift | Computes::ShiftOfWarp) => match (literal(b), bits.is_set(76)) {
            (Some(by), true) if unsigned(a) == Operand::default() => Arithmetic::ShiftRight(unsigned(c), by),
            (Some(by), false) if !bits.is_set(80) => Arithmetic::ShiftLeft(unsigned(a), by),
            _ => Arithmetic::Other,
        },
        // A load for the warp has no register of an index where one of a lane names that which reads as zero.
        Some(Computes::Argument) if bits.at(24, 8) == if bits.1 { 0 } else { ZERO } => {
            bits.constant().map_or(Arithmetic::Other, Arithmetic::Constant)
        }
        _ => Arithmetic::Other,
    }
}

fn unsigned(operand: Operand) -> Operand {
    Operand { is_negative: false, ..operand }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sass::Instruction;
    use crate::sass::word::of_listings;

    /// The operands behind the result as the listing spells them, predicates left out.
    fn spelt(instruction: &Instruction) -> Vec<Operand> {
        let operands = instruction.operands().filter(|own| !own.is_predicate() && own.from != OperandFrom::Other);
        operands.skip(1).collect()
    }

    #[test]
    fn listings_agree() {
        let mut seen = 0;
        for (instruction, word) in &of_listings() {
            let number = |value: u8| Operand::from(OperandFrom::Immediate(value.into()));
            let found = match word.arithmetic {
                Arithmetic::Other => continue,
                Arithmetic::Constant(byte) => vec![OperandFrom::Constant(byte).into()],
                Arithmetic::MultiplyAdd(operands) => operands.to_vec(),
                Arithmetic::Sum(operands) => operands[..spelt(instruction).len()].to_vec(),
                Arithmetic::ShiftAdd(value, by, add) => vec![value, add, number(by)],
                Arithmetic::ShiftLeft(value, by) => vec![value, number(by), spelt(instruction)[2]],
                Arithmetic::ShiftRight(value, by) => vec![Operand::default(), number(by), value],
                Arithmetic::Logic(table, [a, b, c]) => vec![a, b, c, number(table)],
            };
            assert_eq!(found, spelt(instruction), "{instruction:?}");
            seen += 1;
        }
        assert!(seen > 100, "{seen}");
    }
}
