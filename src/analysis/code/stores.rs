//! How far the stores of a warp reach, for code that was not run.

use super::flow::line_of;
use crate::analysis::phases::reach_of_stores;
use crate::analysis::sass::{access_width, body};
use crate::catalog;
use crate::evidence::{CodeInstruction, SassFunction};
use crate::source::sass::word_of;
use std::collections::BTreeMap;

/// Global stores of one line, width and reach.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct StoreReach {
    /// Line of the subject's source, where known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub line: Option<u32>,
    /// Bits of a lane.
    pub bits: u32,
    /// Instructions.
    pub count: usize,
    /// Sectors of 32 bytes that a warp touches with one of them.
    pub sectors: u64,
    /// Lines of 128 bytes, where the first lane begins one.
    pub lines: u64,
}

/// The stores whose addresses the code shows, by line; `block` is its threads along x and across.
pub(super) fn stores(function: &SassFunction, arch: &str, block: [u64; 3], file: &str) -> Vec<StoreReach> {
    let Some(chip) = catalog::chip_of_arch(arch) else { return Vec::new() };
    let code = body(function);
    let rows: Vec<CodeInstruction> = code
        .iter()
        .map(|instruction| CodeInstruction {
            function: function.mangled.clone(),
            offset: instruction.offset,
            sass: None,
            opcode: Some(instruction.opcode.clone()),
            word: word_of(instruction, chip.cc),
            places: instruction.places.clone(),
        })
        .collect();
    let mut found: BTreeMap<(Option<u32>, u32, [u64; 2]), usize> = BTreeMap::new();
    for (row, reach) in reach_of_stores(&rows, block) {
        let bits = access_width(&code[row].opcode).unwrap_or_default();
        *found.entry((line_of(&code[row], file), bits, reach)).or_default() += 1;
    }
    let reach = |((line, bits, [sectors, lines]), count): ((_, _, [u64; 2]), _)| StoreReach {
        line,
        bits,
        count,
        sectors,
        lines,
    };
    found.into_iter().map(reach).collect()
}
