//! Products in flight: what runs beside those of its own warps.

use super::code::{Code, reached};
use crate::analysis::lines::Attribution;
use crate::evidence::WarpSync;
use cuda_binary::op::ProductBy;
use std::collections::BTreeSet;

/// The rows that may run while asynchronous products are in flight: those that a walk from a tensor instruction reaches before
/// a wait for all of them. Products of `mma.sync` are done when their registers are read, and reach nowhere.
pub(super) fn late_rows(code: &Code<'_>) -> BTreeSet<usize> {
    let is_synchronous = |row: usize| code.op(row).product_by() == Some(ProductBy::Warp);
    let starts = (0..code.rows.len()).filter(|row| code.is_tensor(*row) && !is_synchronous(*row));
    let next = |row: usize| -> Vec<usize> {
        let block = &code.flow.blocks[code.block_of[row]];
        let mut next = match row + 1 < block.instructions.end {
            true => vec![row + 1],
            false => block.successors.iter().map(|to| code.flow.blocks[*to].instructions.start).collect(),
        };
        next.retain(|row| code.sync(*row) != WarpSync::ProductsWait { pending: 0 });
        next
    };
    reached(starts, next)
}

/// Whether products of the warps themselves are in flight for most samples of some rows: they issue some, wait for some, or run
/// before a wait for all. `None` without products that run beside their warps.
pub(super) fn in_flight(
    code: &Code<'_>,
    samples: &Attribution<'_>,
    late: &BTreeSet<usize>,
    rows: &[usize],
) -> Option<bool> {
    let is_beside = |row: &usize| {
        code.is_tensor(*row) || late.contains(row) || matches!(code.sync(*row), WarpSync::ProductsWait { .. })
    };
    let beside: u64 = rows.iter().filter(|row| is_beside(row)).map(|row| samples.all[*row]).sum();
    (!late.is_empty() && !rows.is_empty()).then(|| 2 * beside > samples.at(rows))
}
