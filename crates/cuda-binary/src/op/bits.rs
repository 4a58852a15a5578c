//! Opcodes by the bits of an instruction: the low nine tell the opcode, three bits more the kind of operands.

use super::row::Code;
use super::table::{Op, ROWS};
use std::sync::LazyLock;

const CODES: usize = 1 << 9;

/// The opcodes that a value of the low nine bits can mean, each with what else has to hold.
static BY_BITS: LazyLock<Vec<Vec<(Code, Op)>>> = LazyLock::new(|| {
    let mut found = vec![Vec::new(); CODES];
    for op in Op::ALL {
        for code in ROWS[*op as usize].does.codes {
            found[usize::from(code.bits)].push((*code, *op));
        }
    }
    found
});

/// The opcode of an instruction on a chip of some compute capability.
pub fn of_bits(word: u128, capability: (u32, u32)) -> Op {
    let (bits, kind) = ((word & 0x1ff) as usize, (word >> 9 & 7) as u8);
    let chip = 10 * capability.0 + capability.1;
    let holds = |code: &Code| {
        code.kind.is_none_or(|own| own == kind) && u32::from(code.chips.0) <= chip && chip < u32::from(code.chips.1)
    };
    BY_BITS[bits].iter().find(|(code, _)| holds(code)).map_or(Op::Unknown, |(_, op)| *op)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_bits_mean_two_opcodes_on_one_chip() {
        for (bits, codes) in BY_BITS.iter().enumerate() {
            for (at, (one, op)) in codes.iter().enumerate() {
                for (other, second) in &codes[..at] {
                    let apart = one.kind != other.kind && one.kind.is_some() && other.kind.is_some()
                        || one.chips.1 <= other.chips.0
                        || other.chips.1 <= one.chips.0;
                    assert!(apart, "{bits:#05x} is {op:?} and {second:?}");
                }
            }
        }
    }

    #[test]
    fn chips_and_kinds_tell_the_same_bits_apart() {
        let of = |bits: u128, chip| of_bits(bits, chip);
        assert_eq!([of(0x18e, (8, 9)), of(0x18e, (9, 0))], [Op::RED, Op::REDG]);
        assert_eq!([of(0x035, (9, 0)), of(0x035, (10, 0)), of(0x035, (12, 0))], [Op::HFMA2, Op::Unknown, Op::IADD]);
        assert_eq!(
            [of(0x9c7, (9, 0)), of(0xdc7, (9, 0)), of(0x3c7, (9, 0))].map(Op::name),
            ["UCGABAR_ARV", "UCGABAR_WAIT", ""]
        );
    }

    /// `OMMA.SF.16864.F32.E2M1.E2M1.UE4M3.4X`, as nvdisasm prints what ptxas makes of `mma.sync` with `kind::mxf4nvf4` for sm_120a.
    #[test]
    fn the_product_of_fp4_by_hand() {
        assert_eq!(of_bits(0x004f_de00_0004_3e0c << 64 | 0x70b0_0008_0404_747f, (12, 0)), Op::OMMA);
    }
}
