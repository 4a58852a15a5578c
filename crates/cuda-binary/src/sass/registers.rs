//! The registers of an instruction, by the fields of its bits.
//!
//! Read off listings of nvdisasm 13.2 for sm_80 and sm_90a. The result lies at bit 16, operands at 24, 32 and 64, predicates at
//! 12 (guard), 81 and 84 (results) and 87 and 77 (operands). The kind of operands (bits 9 to 11) tells which of the latter two is a
//! constant or a uniform register.

use super::machine_word::{Register, RegisterFile, Registers, ZERO, bits};
use crate::op::{Act, Class, Computes, Op, Results, Shape, Space, Sync};

/// Registers of a lane's element in memory.
fn width(word: u128) -> u8 {
    match (word >> 73) & 7 {
        5 => 2,
        6 => 4,
        _ => 1,
    }
}

/// Collects registers into a list of fixed length.
struct List<const N: usize> {
    found: [Register; N],
    count: usize,
}

impl<const N: usize> List<N> {
    fn new() -> List<N> {
        List { found: [Register::default(); N], count: 0 }
    }

    fn add(&mut self, file: RegisterFile, number: u128, count: u8) {
        let none = match file {
            RegisterFile::General => ZERO,
            RegisterFile::Uniform => 63,
            RegisterFile::Predicate | RegisterFile::UniformPredicate => 7,
        };
        if number != none && count > 0 && self.count < N {
            self.found[self.count] = Register { file, number: number as u8, count };
            self.count += 1;
        }
    }
}

/// The registers of an instruction.
pub(super) fn of(op: Op, word: u128) -> Registers {
    use RegisterFile::{General, Predicate, Uniform, UniformPredicate};
    let bits = |from: u32, count: u32| bits(word, from, count);
    let (does, kind, shape) = (op.does(), bits(9, 3), op.shape());
    let (own, flags) = if op.is_uniform() { (Uniform, UniformPredicate) } else { (General, Predicate) };
    let field = |from: u32| if own == Uniform { bits(from, 6) } else { bits(from, 8) };
    let is_wide = matches!(bits(0, 9), 0x025 | 0x0a5);
    let pair = if does.is_double { 2 } else { 1 };
    let is_memory = matches!(shape, Shape::First | Shape::Store) && op.act().is_some();
    let is_copy = op.act() == Some(Act::Copy);
    let (mut writes, mut reads) = (List::new(), List::new());

    let results = match does.results {
        Results::None => 0,
        Results::ByWidth => width(word),
        Results::One if !is_wide => 1,
        Results::One | Results::Two => 2,
    };
    let file = if does.to_uniform { Uniform } else { own };
    writes.add(file, if file == Uniform { bits(16, 6) } else { field(16) }, results);
    if does.flags > 0 || op.sync() == Some(Sync::Mbarrier) && kind == 2 && bits(0, 9) == 0x1a7 {
        writes.add(flags, bits(81, 3), 1);
    }
    if does.flags > 1 {
        writes.add(flags, bits(84, 3), 1);
    }

    reads.add(flags, bits(12, 3), 1);
    let address = if op.is_in(Space::Global) && (bits(72, 1) == 1 || is_copy) { 2 } else { 1 };
    if matches!(shape, Shape::Two | Shape::Apart | Shape::Three | Shape::First | Shape::Store) {
        reads.add(own, field(24), if is_memory { address } else { pair });
    }
    // Addresses of shared and local memory have a uniform part, behind that of the lanes, where this bit says so.
    if op.is_by_lane() && matches!(op.space(), Some(Space::Local | Space::Shared)) && bits(91, 1) == 1 {
        reads.add(Uniform, if shape == Shape::Store { bits(64, 6) } else { bits(32, 6) }, 1);
    }
    let second = matches!(shape, Shape::Unary | Shape::Two | Shape::Three | Shape::Store);
    match (shape, kind) {
        (Shape::Store, _) if is_copy => reads.add(own, field(16), 1),
        (Shape::Store, _) => reads.add(own, field(32), width(word)),
        (_, 1) if second => reads.add(own, field(32), pair),
        (_, 6 | 7) if second => reads.add(Uniform, bits(32, 6), pair),
        _ => {}
    }
    // Of an mbarrier the address alone, of which either part may be the register that reads as zero.
    let is_mbarrier = op.sync() == Some(Sync::Mbarrier) && bits(0, 9) == 0x1a7;
    if is_mbarrier {
        reads.add(own, field(24), 1);
        if bits(91, 1) == 1 {
            reads.add(Uniform, bits(64, 6), 1);
        }
    }
    if shape == Shape::Three || shape == Shape::Apart && kind == 1 {
        reads.add(own, field(64), if is_wide && kind != 2 { 2 } else { pair });
    }
    if does.asks {
        // A vote is one of the lanes.
        reads.add(if does.computes == Some(Computes::Voted) { Predicate } else { flags }, bits(87, 3), 1);
    }
    // What the low halves of two long integers compare to, for their high halves.
    if op.class() == Some(Class::IntegerCompare) && bits(72, 1) == 1 {
        reads.add(flags, bits(68, 3), 1);
    }
    if shape == Shape::Flags {
        reads.add(flags, bits(77, 3), 1);
        let file = if bits(67, 1) == 1 { UniformPredicate } else { flags };
        reads.add(file, bits(68, 3), 1);
    }
    let signed = ((bits(40, 24) as i32) << 8) >> 8;
    Registers {
        writes: writes.found,
        reads: reads.found,
        special: (shape == Shape::Special).then(|| bits(72, 8) as u8),
        offset: if is_memory || is_mbarrier { signed } else { 0 },
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sass::Instruction;
    use crate::sass::word::{decode, of_listings};

    /// The registers that the operands of a listing name, in order: `R2`, `UR4`, `P0`; those of an address twice as wide.
    fn named(instruction: &Instruction) -> Vec<(RegisterFile, u8)> {
        let is_name = |c: char| c.is_ascii_alphanumeric();
        let guard = instruction.text.iter().flat_map(|text| &text.guard).map(|guard| guard.replace('!', ""));
        let operands = instruction.spelt().split(|c| !is_name(c)).map(str::to_owned);
        let number = |digits: &str| digits.parse::<u8>().ok();
        let register = |name: String| {
            [
                ("UR", RegisterFile::Uniform),
                ("UP", RegisterFile::UniformPredicate),
                ("R", RegisterFile::General),
                ("P", RegisterFile::Predicate),
            ]
            .into_iter()
            .find_map(|(prefix, file)| Some((file, number(name.strip_prefix(prefix)?)?)))
        };
        guard.chain(operands).filter_map(register).collect()
    }

    /// Words as nvdisasm prints them beside the instruction, for sm_90a.
    #[test]
    fn uniform_addresses_by_hand() {
        let reads = |high: u64, low: u64| {
            let registers = decode(u128::from(high) << 64 | u128::from(low), 0, (9, 0)).registers;
            let own = registers.read();
            (own.map(|register| (register.file, register.number)).collect::<Vec<_>>(), registers.offset)
        };
        use RegisterFile::{General, Uniform};
        // LDL R4, [UR22+-0x14]; STL [UR28], R6; STL.64 [R1+0x8], R4.
        assert_eq!(reads(0x000ea80008100800, 0xffffec16ff047983), (vec![(Uniform, 22)], -0x14));
        assert_eq!(reads(0x0041e8000810081c, 0x00000006ff007987), (vec![(Uniform, 28), (General, 6)], 0));
        assert_eq!(reads(0x0081e80000100a00, 0x0000080401007387), (vec![(General, 1), (General, 4)], 8));
        // SYNCS.PHASECHK.TRANS64.TRYWAIT P1, [R2+UR16], R3; the same at [UR9+0x38000]; SYNCS.ARRIVE.TRANS64.A1T0 RZ, [R3+UR16+0x30020].
        assert_eq!(reads(0x000e220008020150, 0x00000003020075a7), (vec![(General, 2), (Uniform, 16)], 0));
        assert_eq!(reads(0x000e240008000149, 0x03800002ff0075a7), (vec![(Uniform, 9)], 0x38000));
        assert_eq!(reads(0x0001e60008100010, 0x030020ff03ff79a7), (vec![(General, 3), (Uniform, 16)], 0x30020));
    }

    #[test]
    fn a_comparison_of_long_integers_goes_by_that_of_their_low_halves() {
        // ISETP.NE.AND.EX P0, PT, RZ, RZ, PT, P0; ISETP.GE.AND P1, PT, R2, UR4, PT. For sm_90a.
        let reads = |high: u64, low: u64| {
            let registers = decode(u128::from(high) << 64 | u128::from(low), 0, (9, 0)).registers;
            registers.read().map(|register| (register.file, register.number)).collect::<Vec<_>>()
        };
        assert_eq!(reads(0x000fe40003f05300, 0x000000ffff00720c), [(RegisterFile::Predicate, 0)]);
        assert_eq!(
            reads(0x000fda000bf26270, 0x0000000402007c0c),
            [(RegisterFile::General, 2), (RegisterFile::Uniform, 4)]
        );
    }

    #[test]
    fn a_vote_is_of_the_lanes_and_for_them_or_their_warp() {
        let of = |high: u64, low: u64| {
            let registers = decode(u128::from(high) << 64 | u128::from(low), 0, (9, 0)).registers;
            let named = |own: Register| (own.file, own.number);
            [registers.written().map(named).collect::<Vec<_>>(), registers.read().map(named).collect()]
        };
        use RegisterFile::{General, Predicate, Uniform};
        // VOTE.ANY P1, !P1; VOTE.ANY R0, PT, P0; VOTEU.ANY UR4, UPT, P1. For sm_90a.
        assert_eq!(of(0x000fe40004820100, 0x0000000000ff7806), [[(Predicate, 1)], [(Predicate, 1)]]);
        assert_eq!(of(0x000fe400000e0100, 0x0000000000007806), [[(General, 0)], [(Predicate, 0)]]);
        assert_eq!(of(0x000fe400008e0100, 0x0000000000047886), [[(Uniform, 4)], [(Predicate, 1)]]);
    }

    /// Every register that the decoder finds is named by the listing, and of the usual opcodes none is missed.
    #[test]
    fn listings_agree() {
        let mut seen = 0;
        for (instruction, word) in of_listings() {
            let named = named(&instruction);
            let found: Vec<Register> = word.registers.written().chain(word.registers.read()).collect();
            for register in &found {
                assert!(named.contains(&(register.file, register.number)), "{instruction:?} {register:?}");
            }
            // Uniform registers of the address of a global access are not decoded.
            if !matches!(word.op.shape(), Shape::Other | Shape::First | Shape::Store | Shape::Flags) {
                for (file, number) in named {
                    let one = Register { file, number, count: 1 };
                    assert!(found.iter().any(|register| register.meets(&one)), "{instruction:?} misses {one:?}");
                }
                seen += 1;
            }
        }
        assert!(seen > 300, "{seen}");
    }
}
