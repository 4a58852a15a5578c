//! An instruction's 128 bits: opcode, guard, scoreboards and branch target, without a disassembler.
//!
//! Bits 12 to 15 are the guard. The scheduling fields of the top bits are those that Jia et al. describe ("Dissecting the
//! NVIDIA Volta GPU Architecture via Microbenchmarking", 2018, section 2.1). Tests hold it against listings.

use super::machine_word::{ALWAYS, MachineWord, bits};
use super::{act, arithmetic, registers};
use crate::op::{Control, of_bits};

/// The opcode of a call of an absolute address, as of `malloc`: `0x7343` with a register, as `nvcc` 13.0 writes it.
const CALL_ABS: u128 = 0x143;

/// Decodes an instruction of 16 bytes, which compute capability 7.0 introduced. `offset` is its byte offset.
pub fn decode(word: u128, offset: u64, capability: (u32, u32)) -> MachineWord {
    let bits = |from: u32, count: u32| bits(word, from, count);
    let op = of_bits(word, capability);
    // A scoreboard number of 7 is none.
    let held = |from: u32| 1_u8.checked_shl(bits(from, 3) as u32).filter(|_| bits(from, 3) != 7).unwrap_or(0);
    let meets = op.control() == Some(Control::MeetAt) && op.sync().is_none();
    let names_place = meets || matches!(op.control(), Some(Control::Branch | Control::Call));
    // `CALL.ABS` names no place of its section.
    let is_absolute = op.control() == Some(Control::Call) && bits(0, 9) == CALL_ABS;
    let named = (names_place && !is_absolute).then(|| target(word, offset, capability)).flatten();
    MachineWord {
        bits: word,
        op,
        is_unconditional: bits(12, 4) == ALWAYS,
        sets: held(110) | held(113),
        waits: bits(116, 6) as u8,
        target: named.filter(|_| op.control() != Some(Control::Call)),
        flow: act::flow(op, word, named),
        sync: act::sync(op, word),
        is_strong: op.loads_global() && is_strong(bits(77, 4), capability),
        registers: registers::of(op, word),
        arithmetic: arithmetic::of(op, word),
    }
}

/// The compute capability of an architecture, (9, 0) of `sm_90a`; `None` before 7.0, whose bits mean something else.
pub(super) fn capability(arch: &str) -> Option<(u32, u32)> {
    let number: u32 = arch.strip_prefix("sm_")?.trim_end_matches(|c: char| c.is_ascii_lowercase()).parse().ok()?;
    (number >= 70).then_some((number / 10, number % 10))
}

/// Whether an order is strong. Since 8.0 it is 0 for weak, 4 for constant, and another number for each scope of a strong one; before,
/// its upper two bits are 2 for strong.
fn is_strong(order: u128, capability: (u32, u32)) -> bool {
    if capability >= (8, 0) { !matches!(order, 0 | 4) } else { order >> 2 == 2 }
}

/// The signed distance from the next instruction, in units of 4 bytes: 48 bits from bit 34; since 9.0 eight lower bits
/// lie at bit 16.
fn target(word: u128, offset: u64, capability: (u32, u32)) -> Option<u64> {
    let upper = (((word >> 34) as u64) << 16) as i64 >> 16;
    let distance = if capability >= (9, 0) { upper << 8 | (word >> 16) as i64 & 0xff } else { upper };
    offset.checked_add(16)?.checked_add_signed(distance.checked_mul(4)?)
}

/// The functions of the listings for sm_90a among the fixtures.
#[cfg(test)]
pub(crate) fn listed() -> Vec<super::SassFunction> {
    let of = |file: &str| std::fs::read(format!("{}/../../tests/fixtures/{file}", env!("CARGO_MANIFEST_DIR")));
    let packed = zstd::decode_all(of("h200/devset.sass.zst").expect("a listing").as_slice()).expect("packed");
    let read = |text: Vec<u8>| super::read(&text, crate::Origin::default(), "").expect("readable").functions;
    [packed, of("sass/tiny.sass").expect("a listing")].into_iter().flat_map(read).collect()
}

/// Every instruction of [`listed`], with what its bits say.
#[cfg(test)]
pub(super) fn of_listings() -> Vec<(super::Instruction, MachineWord)> {
    let all = listed().into_iter().flat_map(|one| one.instructions);
    let with_word = |own: super::Instruction| own.word.map(|word| (own, word)).expect("bits");
    all.map(with_word).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sass::Instruction;
    use crate::{Class, Op};

    /// Upper halves as nvdisasm prints them beside loads of a listing for each.
    #[test]
    fn strong_loads_by_hand() {
        let is_strong = |high: u64, capability| decode(u128::from(high) << 64 | 0x7981, 0, capability).is_strong;
        // LDG.E, .CONSTANT; .STRONG.SYS, .STRONG.GPU, .STRONG.SM.
        let (weak, strong) = ([0xc1e1900, 0xc1e9900], [0xc1f5900, 0xc1ef900, 0xc1eb900]);
        assert_eq!(weak.map(|high| is_strong(high, (9, 0))), [false; 2]);
        assert_eq!(strong.map(|high| is_strong(high, (9, 0))), [true; 3]);
        // LDG.E.SYS, .CONSTANT.SYS; .STRONG.SYS, .STRONG.GPU, .STRONG.CTA.
        let (weak, strong) = ([0xc1ee900, 0xc1e6900], [0xc1f6900, 0xc1f4900, 0xc1f0900]);
        assert_eq!(weak.map(|high| is_strong(high, (7, 5))), [false; 2]);
        assert_eq!(strong.map(|high| is_strong(high, (7, 5))), [true; 3]);
    }

    #[test]
    fn comparisons_are_as_nvdisasm_names_them() {
        let mut seen = [0; 2];
        for (own, word) in of_listings().into_iter().filter(|(_, word)| word.op == Op::ISETP) {
            let name = own.opcode.expect("of a listing");
            let is = |modifiers: &[&str]| name.split('.').any(|own| modifiers.contains(&own));
            assert_eq!([word.asks_for_equal(), word.turns_over()], [is(&["EQ", "NE"]), is(&["XOR"])], "{name}");
            seen[usize::from(word.asks_for_equal())] += 1;
        }
        assert!(seen.iter().all(|count| *count > 0), "{seen:?}");
    }

    /// Bits as nvdisasm prints them beside a copy and the product behind it.
    #[test]
    fn copies_for_a_product_by_hand() {
        let [copy, sum, product] = [
            // IMAD.MOV.U32 R80, RZ, RZ, R20; IMAD.SHL.U32 R0, R2, 0x4, RZ; IMMA.16832.S8.S8 R76, R28.reuse.ROW, R80.COL, R76.
            0x002fe400078e0014_000000ffff507224,
            0x004fca00078e00ff_0000000402007824,
            0x044fe20000405c4c_000000501c4c7237,
        ]
        .map(|word| decode(word, 0, (9, 0)));
        assert_eq!([copy, sum, product].map(|word| word.is_copy()), [true, false, false]);
        let [left, factor] = product.factors().expect("a product of a warp");
        assert_eq!([left, factor].map(|own| (own.number, own.count)), [(28, 4), (80, 2)]);
        assert!(copy.registers.writes[0].meets(&factor) && copy.factors().is_none());
    }

    /// Bits as nvdisasm prints them for sm_90.
    #[test]
    fn additions_and_reciprocals_by_hand() {
        let adds = |high: u64, low: u64| decode(u128::from(high) << 64 | u128::from(low), 0, (9, 0)).adds_float();
        assert!(adds(0x0001e2000c10f384, 0x00000015100079a6), "REDG.E.ADD.F32.FTZ.RN.STRONG.GPU");
        assert!(!adds(0x0001e6000c10e184, 0x000000030800798e), "REDG.E.ADD.STRONG.GPU");
        assert!(!adds(0x0001e8000c10ff84, 0x0000000e0c0079a6), "REDG.E.ADD.F64.RN.STRONG.GPU");
        assert!(!adds(0x0001e8000c10f784, 0x00384004140079a6), "REDG.E.ADD.F32x4.FTZ.RN.STRONG.GPU");
        let stays =
            |high: u64, low: u64| decode(u128::from(high) << 64 | u128::from(low), 0, (9, 0)).may_change_nothing();
        assert!(!stays(0x0001e6000c10e184, 0x000000030800798e), "REDG.E.ADD.STRONG.GPU");
        assert!(stays(0x004fe8000c90e384, 0x000000150400798e), "REDG.E.MIN.S32.STRONG.GPU");
        assert!(stays(0x000fe2000f10e184, 0x000100150600798e), "REDG.E.OR.STRONG.GPU");
        assert!(!stays(0x000fe8000f90e184, 0x000200150600798e), "REDG.E.XOR.STRONG.GPU");
        assert!(stays(0x000ee800091ee3c4, 0x00074015041179a8), "ATOMG.E.MAX.S32.STRONG.GPU");
        assert!(!stays(0x000f28000c1ee1c4, 0x000af015041279a8), "ATOMG.E.EXCH.STRONG.GPU");
        let swaps = |high: u64, low: u64| decode(u128::from(high) << 64 | u128::from(low), 0, (9, 0)).swaps_if_equal();
        assert!(swaps(0x001ea400001ee107, 0x00000006020573a9), "ATOMG.E.CAS.STRONG.GPU");
        assert!(!swaps(0x000ee800091ee3c4, 0x00074015041179a8), "ATOMG.E.MAX.S32.STRONG.GPU");
        // HMUL2 R6, R5.H0_H0, R5.H0_H0; HMUL2 R6, R5, R5.
        let halves = [0x020fc60000000800_2000000505067232, 0x020fe20000000000_0000000505067232];
        assert_eq!(halves.map(|word| decode(word, 0, (9, 0)).takes_one_half()), [true, false]);
        for (bits, class) in [
            (0x008fe40000004100_20000006ff067230, Class::Conversion), // HADD2.F32 R6, -RZ, R6.H0_H0
            (0x004fe40000004800_a00000ff00007230, Class::Conversion), // HADD2.F32 R0, R0.H0_H0, -RZ.H0_H0
            (0x004fca0000000900_a00000ff0c117230, Class::Move),       // HADD2 R17, -R12.H0_H0, -RZ.H0_H0
            (0x008fe2000030090c_200000ffff0f7231, Class::Move),       // HFMA2.BF16_V2 R15, -RZ.H0_H0, RZ.H0_H0, -R12
            (0x000fe200000001ff_00000002ff0f7435, Class::Move), // HFMA2.MMA R15, -RZ, RZ, 0, 1.1920928955078125e-07
            (0x008fca0000000800_3e003e0000007430, Class::Fp16), // HADD2 R0, R0.H0_H0, 1.5, 1.5
            (0x004fc4000000000f_3c003c000a0f7835, Class::Fp16), // HFMA2.MMA R15, R10, 1, 1, R15
            (0x004fd00000000000_0000000d000d7230, Class::Fp16), // HADD2 R13, R0, R13
        ] {
            let word = Some(decode(bits, 0, (9, 0)));
            assert_eq!(Instruction { word, ..Instruction::default() }.class(), Some(class), "{bits:x}");
        }
        let functions = [0x000e240000001000_0000000000057308, 0x000e620000001400_0000001200157308];
        assert_eq!(functions.map(|word| decode(word, 0, (9, 0)).function()), ["RCP", "RSQ"]);
        let integers = [0x000e_2400_0020_d800_0000_0006_0006_7311_u128, 0x0000_6400_0021_f000_0000_0004_0005_7305];
        assert_eq!(integers.map(|word| decode(word, 0, (9, 0)).is_long_integer()), [true, false], "F2I.U64, F2I.U32");
    }

    /// Bits as nvdisasm prints them beside `LDG.E.CONSTANT R2, desc[UR4][R2.64]`, which holds scoreboard 2, and beside
    /// `IMAD.SHL.U32 R0, R2, 0x4, RZ`, which waits for it.
    #[test]
    fn scoreboards_by_hand() {
        let load = decode(0x000ea2000c1e9900_0000000402027981, 0xc0, (9, 0));
        assert_eq!((load.op, load.sets, load.waits, load.is_unconditional), (Op::LDG, 0b100, 0, true));
        let use_of_it = decode(0x004fca00078e00ff_0000000402007824, 0xe0, (9, 0));
        assert_eq!((use_of_it.op, use_of_it.sets, use_of_it.waits), (Op::IMAD, 0, 0b100));
    }

    /// The same loop of a kernel built for chips of both encodings.
    #[test]
    fn branches_by_hand() {
        let hopper = decode(0x000fea000383ffff_fffffffc00e80947, 0xf0, (9, 0));
        assert_eq!((hopper.op, hopper.target, hopper.is_unconditional), (Op::BRA, Some(0xa0), false));
        let ampere = decode(0x001fea000383ffff_ffffff9000000947, 0xc0, (8, 0));
        assert_eq!(ampere.target, Some(0x60));
        assert_eq!(decode(0x000fc0000383ffff_fffffffc00fc7947, 0x140, (9, 0)).target, Some(0x140));
    }

    /// From the listing of the fenced product in `kernels/`.
    #[test]
    fn barriers_of_a_cluster_by_hand() {
        let of = |low: u64| decode(0x000f_e200_0800_0000 << 64 | u128::from(low), 0x280, (9, 0)).op;
        assert_eq!(
            [of(0x79c7), of(0x7dc7), of(0x79ab), of(0x85ab)],
            [Op::UCGABAR_ARV, Op::UCGABAR_WAIT, Op::ERRBAR, Op::CGAERRBAR]
        );
    }

    #[test]
    fn listings_agree() {
        let (mut known, mut all, mut branches) = (0, 0, 0);
        for (instruction, word) in of_listings() {
            all += 1;
            known += usize::from(word.op.is_known());
            assert!(!word.op.is_known() || word.op == instruction.op(), "{instruction:?}");
            assert_eq!(word.is_unconditional, instruction.guard().is_none(), "{instruction:?}");
            if instruction.op() == Op::BRA {
                branches += 1;
                assert_eq!(word.target.as_slice(), instruction.targets(), "{instruction:?}");
            }
        }
        assert!(known * 100 > all * 99 && branches > 3, "{known} of {all}, {branches} branches");
    }
}
