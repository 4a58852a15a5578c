//! An instruction's 128 bits: opcode, guard, scoreboards and branch target, without a disassembler.
//!
//! NVIDIA does not publish the encoding. The opcodes were read off the listings of nvdisasm 13.0 for sm_75, sm_80, sm_89,
//! sm_90a, sm_100a and sm_120a: in all of them the low nine bits tell the opcode, three bits more the kind of operands.
//! Bits 12 to 15 are the guard. The scheduling fields of the top bits are those that Jia et al. describe ("Dissecting the
//! NVIDIA Volta GPU Architecture via Microbenchmarking", 2018, section 2.1). Tests hold it against listings.

use super::{act, arithmetic, registers};
use crate::evidence::{MachineWord, SassInstruction};

/// Opcodes by the low nine bits, ascending; those that differ between chips are in [`base`]. `UTCMMA` stands for UTCHMMA,
/// UTCIMMA, UTCOMMA and UTCQMMA, which these bits do not tell apart.
#[rustfmt::skip]
const OPCODES: [(u16, &str); 151] = [
    (0x002, "MOV"), (0x005, "CS2R"), (0x006, "VOTE"), (0x007, "SEL"), (0x008, "FSEL"), (0x009, "FMNMX"),
    (0x00b, "FSETP"), (0x00c, "ISETP"), (0x010, "IADD3"), (0x011, "LEA"), (0x012, "LOP3"), (0x013, "IABS"),
    (0x014, "VABSDIFF"), (0x015, "VABSDIFF4"), (0x016, "PRMT"), (0x019, "SHF"), (0x01c, "PLOP3"), (0x020, "FMUL"),
    (0x021, "FADD"), (0x023, "FFMA"), (0x024, "IMAD"), (0x025, "IMAD"), (0x026, "IDP"), (0x027, "IMAD"),
    (0x028, "DMUL"), (0x029, "DADD"), (0x02a, "DSETP"), (0x02b, "DFMA"), (0x02d, "PREEXIT"), (0x02e, "ACQBULK"),
    (0x02f, "ELECT"), (0x030, "HADD2"), (0x031, "HFMA2"), (0x032, "HMUL2"), (0x033, "HSET2"), (0x034, "HSETP2"),
    (0x036, "VIADD"), (0x037, "IMMA"), (0x03b, "LDSM"), (0x03c, "HMMA"), (0x03e, "F2FP"), (0x03f, "DMMA"),
    (0x044, "STSM"), (0x045, "I2FP"), (0x046, "VIADDMNMX"), (0x048, "VIMNMX"), (0x049, "FFMA2"),
    (0x04c, "UVIRTCOUNT"), (0x05a, "UI2F"), (0x076, "FMNMX3"), (0x07a, "QMMA"), (0x082, "UMOV"), (0x086, "VOTEU"),
    (0x08c, "UISETP"), (0x090, "UIADD3"), (0x091, "ULEA"), (0x092, "ULOP3"), (0x096, "UPRMT"), (0x099, "USHF"),
    (0x09c, "UPLOP3"), (0x0a4, "UIMAD"), (0x0a5, "UIMAD"), (0x0b9, "ULDC"), (0x0bd, "UFLO"), (0x0bf, "UPOPC"),
    (0x0ca, "R2UR"), (0x0cc, "CREDUX"), (0x100, "FLO"), (0x101, "BREV"), (0x105, "F2I"), (0x106, "I2F"),
    (0x108, "MUFU"), (0x109, "POPC"), (0x110, "F2F"), (0x111, "F2I"), (0x112, "I2F"), (0x118, "NOP"), (0x119, "S2R"),
    (0x11a, "DEPBAR"), (0x11b, "ENDCOLLECTIVE"), (0x11c, "B2R"), (0x11d, "BAR"), (0x141, "BSYNC"), (0x144, "CALL"),
    (0x145, "BSSY"), (0x146, "YIELD"), (0x147, "BRA"), (0x148, "WARPSYNC"), (0x149, "BRX"), (0x14d, "EXIT"), (0x150, "RET"),
    (0x155, "BMOV"), (0x15c, "BPT"), (0x15d, "NANOSLEEP"), (0x160, "TEX"), (0x166, "TLD"), (0x17e, "LDG"),
    (0x17f, "STG"), (0x180, "LD"), (0x181, "LDG"), (0x182, "LDC"), (0x183, "LDL"), (0x184, "LDS"), (0x185, "ST"),
    (0x186, "STG"), (0x187, "STL"), (0x188, "STS"), (0x189, "SHFL"), (0x18c, "ATOMS"), (0x18d, "ATOMS"),
    (0x18f, "CCTL"), (0x192, "MEMBAR"), (0x1a1, "MATCH"), (0x1a3, "ATOMG"), (0x1a5, "LDGMC"), (0x1a6, "REDG"),
    (0x1a7, "SYNCS"), (0x1a8, "ATOMG"), (0x1a9, "ATOMG"), (0x1ac, "LDCU"), (0x1ae, "LDGSTS"), (0x1af, "LDGDEPBAR"),
    (0x1b0, "ARRIVES"), (0x1b1, "SYNCS"), (0x1b2, "SYNCS"), (0x1b4, "UTMALDG"), (0x1b5, "UTMASTG"),
    (0x1b6, "UTMAREDG"), (0x1b7, "UTMACMDFLUSH"), (0x1b8, "UTMAPF"), (0x1b9, "UTMACCTL"), (0x1ba, "UBLKCP"),
    (0x1bb, "UBLKRED"), (0x1bc, "UBLKPF"), (0x1bd, "STAS"), (0x1c3, "S2UR"), (0x1c4, "REDUX"), (0x1c5, "WARPGROUP"),
    (0x1c6, "FENCE"), (0x1c8, "USETMAXREG"), (0x1ca, "UGETNEXTWORKID"), (0x1e3, "UTCATOMSWS"), (0x1e6, "UTCSHIFT"),
    (0x1e7, "UTCCP"), (0x1e9, "UTCBAR"), (0x1ea, "UTCMMA"), (0x1ed, "STTM"), (0x1ee, "LDTM"), (0x1f0, "HGMMA"),
    (0x1f1, "IGMMA"), (0x1f3, "QGMMA"),
];

/// The guard that always holds: PT, not negated.
const ALWAYS: u128 = 7;

/// Decodes an instruction of 16 bytes, which compute capability 7.0 introduced. `offset` is its byte offset.
pub(in crate::source) fn decode(word: u128, offset: u64, capability: (u32, u32)) -> MachineWord {
    let bits = |from: u32, count: u32| (word >> from) & ((1_u128 << count) - 1);
    let base = base(bits(0, 9) as u16, bits(9, 3) as u8, capability);
    // A scoreboard number of 7 is none.
    let held = |from: u32| 1_u8.checked_shl(bits(from, 3) as u32).filter(|_| bits(from, 3) != 7).unwrap_or(0);
    let named = matches!(base, "BRA" | "CALL").then(|| target(word, offset, capability)).flatten();
    MachineWord {
        base,
        is_unconditional: bits(12, 4) == ALWAYS,
        sets: held(110) | held(113),
        waits: bits(116, 6) as u8,
        target: named.filter(|_| base == "BRA"),
        flow: act::flow(base, word, named),
        sync: act::sync(base, word),
        registers: registers::of(base, word),
        arithmetic: arithmetic::of(base, word),
    }
}

/// What the bits of a listed instruction say; `None` for a listing without bits.
pub(crate) fn word_of(instruction: &SassInstruction, capability: (u32, u32)) -> Option<MachineWord> {
    let [low, high] = instruction.encoding?;
    Some(decode(u128::from(high) << 64 | u128::from(low), instruction.offset, capability))
}

/// The opcode without modifiers; empty where it is not known.
fn base(code: u16, kind: u8, capability: (u32, u32)) -> &'static str {
    match code {
        // The next three bits tell these apart (sm_90a, nvdisasm 13.2).
        0x1ab if kind == 4 => "ERRBAR",
        0x1ab if kind == 2 => "CGAERRBAR",
        0x1c7 if kind == 4 => "UCGABAR_ARV",
        0x1c7 if kind == 6 => "UCGABAR_WAIT",
        0x18e if capability >= (9, 0) => "REDG",
        0x18e => "RED",
        0x035 if capability < (10, 0) => "HFMA2",
        0x035 if capability >= (12, 0) => "IADD",
        _ => OPCODES.binary_search_by_key(&code, |(code, _)| *code).map_or("", |at| OPCODES[at].1),
    }
}

/// The signed distance from the next instruction, in units of 4 bytes: 48 bits from bit 34; since 9.0 eight lower bits
/// lie at bit 16.
fn target(word: u128, offset: u64, capability: (u32, u32)) -> Option<u64> {
    let upper = (((word >> 34) as u64) << 16) as i64 >> 16;
    let distance = if capability >= (9, 0) { upper << 8 | (word >> 16) as i64 & 0xff } else { upper };
    offset.checked_add(16)?.checked_add_signed(distance.checked_mul(4)?)
}

/// Every instruction of the listings for sm_90a among the fixtures, with what its bits say.
#[cfg(test)]
pub(super) fn of_listings() -> Vec<(crate::evidence::SassInstruction, MachineWord)> {
    let read = |file: &str| {
        let path = format!("{}/tests/fixtures/{file}", env!("CARGO_MANIFEST_DIR"));
        let text = std::fs::read(path).expect("a listing");
        super::read(&text, crate::evidence::Origin::default()).expect("readable").functions
    };
    let all = ["h200/devset.sass", "sass/tiny.sass"].into_iter().flat_map(read).flat_map(|one| one.instructions);
    let decoded = |instruction: crate::evidence::SassInstruction| {
        let [low, high] = instruction.encoding.expect("bits");
        let word = decode(u128::from(high) << 64 | u128::from(low), instruction.offset, (9, 0));
        (instruction, word)
    };
    all.map(decoded).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn opcodes_are_sorted() {
        assert!(OPCODES.is_sorted_by(|a, b| a.0 < b.0));
    }

    /// Bits as nvdisasm prints them beside `LDG.E.CONSTANT R2, desc[UR4][R2.64]`, which holds scoreboard 2, and beside
    /// `IMAD.SHL.U32 R0, R2, 0x4, RZ`, which waits for it.
    #[test]
    fn scoreboards_by_hand() {
        let load = decode(0x000ea2000c1e9900_0000000402027981, 0xc0, (9, 0));
        assert_eq!((load.base, load.sets, load.waits, load.is_unconditional), ("LDG", 0b100, 0, true));
        let use_of_it = decode(0x004fca00078e00ff_0000000402007824, 0xe0, (9, 0));
        assert_eq!((use_of_it.base, use_of_it.sets, use_of_it.waits), ("IMAD", 0, 0b100));
    }

    /// The same loop of a kernel built for chips of both encodings.
    #[test]
    fn branches_by_hand() {
        let hopper = decode(0x000fea000383ffff_fffffffc00e80947, 0xf0, (9, 0));
        assert_eq!((hopper.base, hopper.target, hopper.is_unconditional), ("BRA", Some(0xa0), false));
        let ampere = decode(0x001fea000383ffff_ffffff9000000947, 0xc0, (8, 0));
        assert_eq!(ampere.target, Some(0x60));
        assert_eq!(decode(0x000fc0000383ffff_fffffffc00fc7947, 0x140, (9, 0)).target, Some(0x140));
    }

    /// From the listing of the fenced product in `kernels/`.
    #[test]
    fn barriers_of_a_cluster_by_hand() {
        let of = |low: u64| decode(0x000f_e200_0800_0000 << 64 | u128::from(low), 0x280, (9, 0)).base;
        assert_eq!(
            [of(0x79c7), of(0x7dc7), of(0x79ab), of(0x85ab)],
            ["UCGABAR_ARV", "UCGABAR_WAIT", "ERRBAR", "CGAERRBAR"]
        );
    }

    #[test]
    fn listings_agree() {
        let (mut known, mut all, mut branches) = (0, 0, 0);
        for (instruction, word) in of_listings() {
            all += 1;
            known += usize::from(!word.base.is_empty());
            assert!(word.base.is_empty() || word.base == instruction.base(), "{}", instruction.opcode);
            assert_eq!(word.is_unconditional, instruction.predicate.is_none(), "{instruction:?}");
            if instruction.base() == "BRA" {
                branches += 1;
                assert_eq!(word.target.as_slice(), &instruction.targets[..], "{instruction:?}");
            }
        }
        assert!(known * 100 > all * 99 && branches > 3, "{known} of {all}, {branches} branches");
    }
}
