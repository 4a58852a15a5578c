//! The author's tile arithmetic against the stores that were executed.

use crate::analysis::Tiles;
use crate::analysis::derive::mix::{InstructionMix, PER_OPCODE};
use crate::evidence::Reading;
use crate::quantity::{Quantity, Unit};
use cuda_binary::Op;

#[derive(Clone, Debug, PartialEq, serde::Serialize)]
pub struct StoreCount {
    pub tiles: Tiles,
    /// `count × stores per warp × warps`; `None` beyond 64 bits.
    pub expected: Option<u64>,
    /// Executed global store instructions of warps (`STG`).
    pub executed: Reading,
}

impl StoreCount {
    /// The stores of a kernel against its tiles.
    pub(in crate::analysis) fn of(tiles: Tiles, mix: &InstructionMix) -> StoreCount {
        let stores = mix.count(Op::stores_global).and_then(|count| Quantity::new(count, Unit::INST));
        StoreCount {
            tiles,
            expected: tiles.count.checked_mul(tiles.stores_per_warp).and_then(|n| n.checked_mul(tiles.warps)),
            executed: stores.map_or_else(
                || Reading::not_collected(PER_OPCODE),
                |quantity| Reading::derived(quantity, vec![PER_OPCODE.into()], "executions of STG"),
            ),
        }
    }

    /// Executed over expected; `None` where either is missing or nothing is expected.
    pub fn ratio(&self) -> Option<f64> {
        let expected = self.expected.filter(|n| *n > 0)?;
        Some(self.executed.value()? / expected as f64)
    }
}
