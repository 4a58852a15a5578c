//! What an instruction's bits say about control flow and about other warps.
//!
//! Read off the listings of nvdisasm 13.0 for sm_90a, sm_100a and sm_120a, as the opcodes are; a test holds each field against
//! words of a listing.

use super::machine_word::{ALWAYS, Flow, WarpSync, bits};
use crate::op::{Control, Op, Sync};

/// Where control goes behind an instruction. `target` is the place that its bits name.
pub(super) fn flow(op: Op, word: u128, target: Option<u64>) -> Flow {
    let guarded = bits(word, 12, 4) != ALWAYS;
    match op.control() {
        // A branch depends on its guard, on a predicate among its operands, on a uniform one, which another kind of operands tells,
        // or on whether the warp is together (`BRA.DIV`, `BRA.CONV`).
        Some(Control::Branch) => {
            let by_lanes = bits(word, 32, 2) != 0;
            let conditional = guarded || by_lanes || bits(word, 87, 4) != ALWAYS || bits(word, 9, 3) != 4;
            if target.is_some() { Flow::Jump { conditional } } else { Flow::Unseen { conditional } }
        }
        Some(Control::Indirect) => Flow::Unseen { conditional: guarded },
        Some(Control::Call) => Flow::Call(target),
        Some(Control::Exit | Control::Return) => Flow::End { conditional: guarded },
        _ => Flow::Next,
    }
}

/// What an instruction does between warps.
pub(super) fn sync(op: Op, word: u128) -> WarpSync {
    let kind = bits(word, 9, 3);
    match op.sync() {
        Some(Sync::Block) if bits(word, 77, 2) == 1 => WarpSync::BlockArrive,
        // The number of threads is an immediate at bit 42 (0: all), or a register where the kind of operands says so.
        Some(Sync::Block) => WarpSync::BlockBarrier { all: kind == 2 || kind == 5 && bits(word, 42, 12) == 0 },
        Some(Sync::Products) if bits(word, 47, 1) == 1 => WarpSync::ProductsWait { pending: bits(word, 72, 8) as u8 },
        Some(Sync::Products) => WarpSync::WarpgroupArrive,
        Some(Sync::Outstanding) => WarpSync::CopiesWait { pending: bits(word, 38, 6) as u8 },
        Some(Sync::Mbarrier) if bits(word, 0, 9) == 0x1a7 && bits(word, 70, 1) == 1 => WarpSync::MbarrierTest,
        Some(Sync::Mbarrier) if bits(word, 0, 9) == 0x1a7 => WarpSync::MbarrierArrive,
        Some(Sync::Mbarrier) if bits(word, 0, 9) == 0x1b2 => WarpSync::MbarrierInit,
        Some(Sync::Fence) => WarpSync::Fence { beyond_block: bits(word, 76, 3) != 0 },
        _ => WarpSync::None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sass::decode;

    fn word(high: u64, low: u64) -> u128 {
        u128::from(high) << 64 | u128::from(low)
    }

    /// Words as nvdisasm prints them beside the instruction, for sm_90a.
    #[test]
    fn barriers_by_hand() {
        for (high, low, op, expected) in [
            (0x000fec0000010000, 0x0000000000007b1d, Op::BAR, WarpSync::BlockBarrier { all: true }),
            (0x000fe20000010000, 0x00c1000000007b1d, Op::BAR, WarpSync::BlockBarrier { all: false }),
            (0x0003e20000010000, 0x000000090000751d, Op::BAR, WarpSync::BlockBarrier { all: true }),
            (0x0003e40000010000, 0x000000080000731d, Op::BAR, WarpSync::BlockBarrier { all: false }),
            (0x000fec0000014800, 0x0000000000007b1d, Op::BAR, WarpSync::BlockBarrier { all: true }),
            (0x000ff00000002000, 0x0084000000007b1d, Op::BAR, WarpSync::BlockArrive),
            (0x0005ec0000002000, 0x000000080000731d, Op::BAR, WarpSync::BlockArrive),
            (0x000fe20000000000, 0x00000000000079c5, Op::WARPGROUP, WarpSync::WarpgroupArrive),
            (0x000fe40000010100, 0x00008000000079c5, Op::WARPGROUP, WarpSync::ProductsWait { pending: 1 }),
            (0x000fe40000010300, 0x00008000000079c5, Op::WARPGROUP, WarpSync::ProductsWait { pending: 3 }),
            (0x000fc80000000000, 0x000080000000791a, Op::DEPBAR, WarpSync::CopiesWait { pending: 0 }),
            (0x000fc80000000000, 0x000080400000791a, Op::DEPBAR, WarpSync::CopiesWait { pending: 1 }),
            (0x000e24000800017f, 0x030020070a0075a7, Op::SYNCS, WarpSync::MbarrierTest),
            (0x000e240008000147, 0x03000005ff0075a7, Op::SYNCS, WarpSync::MbarrierTest),
            (0x000e64000800007f, 0x000000020b0075a7, Op::SYNCS, WarpSync::MbarrierTest),
            (0x0001e2000810043f, 0x000000ff02ff89a7, Op::SYNCS, WarpSync::MbarrierArrive),
            (0x0001e2000800003f, 0x030000090aff79a7, Op::SYNCS, WarpSync::MbarrierArrive),
            (0x0010700008000100, 0x03000004083f75b2, Op::SYNCS, WarpSync::MbarrierInit),
            (0x0001ec0000008000, 0x0000000000008992, Op::MEMBAR, WarpSync::Fence { beyond_block: false }),
            (0x001fec000000a000, 0x0000000000008992, Op::MEMBAR, WarpSync::Fence { beyond_block: true }),
            (0x0005ec0000000000, 0x0000000000007992, Op::MEMBAR, WarpSync::Fence { beyond_block: false }),
            (0x004fec0000003000, 0x0000000000007992, Op::MEMBAR, WarpSync::Fence { beyond_block: true }),
        ] {
            let decoded = decode(word(high, low), 0x100, (9, 0));
            assert_eq!((decoded.op, decoded.sync), (op, expected), "{high:016x} {low:016x}");
        }
    }

    #[test]
    fn ways_on_by_hand() {
        let of = |high, low| decode(word(high, low), 0x100, (9, 0)).flow;
        assert_eq!(of(0x000fec0003800000, 0x0000001000c47947), Flow::Jump { conditional: false });
        assert_eq!(of(0x000fea0003800000, 0x0000000000949947), Flow::Jump { conditional: true });
        assert_eq!(of(0x000fea000083ffff, 0xfffffffc00cc7947), Flow::Jump { conditional: true }, "BRA P1");
        assert_eq!(of(0x000fea000b800000, 0x0000000209a07947), Flow::Jump { conditional: true }, "BRA.DIV UR9");
        assert_eq!(of(0x000fec000b800000, 0x000000337f007947), Flow::Jump { conditional: true }, "BRA.CONV ~URZ");
        assert_eq!(of(0x000fea000383ffff, 0xfffffffc027c7949), Flow::Unseen { conditional: false });
        assert_eq!(of(0x000fea0003c00000, 0x0000000800507944), Flow::Call(Some(0x100 + 16 + 0x940)));
        assert_eq!(of(0x000fea0003800000, 0x000000000000094d), Flow::End { conditional: true });
        assert_eq!(of(0x002fea0003c3ffff, 0xffffffec0e587950), Flow::End { conditional: false });
        assert_eq!(of(0x000fe80003800000, 0x000013f000007945), Flow::Next);
    }
}
