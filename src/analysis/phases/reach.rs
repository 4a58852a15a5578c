//! What the stores of a kernel touch, by the arithmetic of their addresses alone: no launch is needed.
//!
//! The arithmetic is read as on sm_90a. Seven kernels of `kernels/` whose stores it follows come out the same built for sm_100a, and
//! as their sources say.

use super::code::Code;
use super::flows::Flows;
use super::lanes::Lanes;
use crate::analysis::sass::access_width;
use crate::evidence::CodeInstruction;

/// For each store to global memory whose address the code shows: its row, and the sectors and lines that a warp with
/// all lanes on touches with it. `block` is the threads of a block in x, y and z.
pub(in crate::analysis) fn stores(rows: &[CodeInstruction], block: [u64; 3]) -> Vec<(usize, [u64; 2])> {
    if rows.is_empty() || rows.iter().any(|row| row.word.is_none()) {
        return Vec::new();
    }
    let code = Code::counted(rows, vec![1; rows.len()], None);
    let flows = Flows::of(&code);
    let mut lanes = Lanes::new(&code, &flows, block);
    let of_store = |row: usize| {
        let bytes = access_width(rows[row].opcode.as_deref()?)? / 8;
        Some((row, lanes.reach(row, bytes.into())?))
    };
    (0..rows.len()).filter(|row| rows[*row].op().stores_global()).filter_map(of_store).collect()
}
