//! Products in flight: what runs beside those of its own warps.

use super::code::Code;
use crate::analysis::lines::Attribution;
use crate::evidence::WarpSync;
use cuda_binary::op::ProductBy;
use std::collections::BTreeSet;

/// The rows that may run while asynchronous products are in flight: those that a walk from a tensor instruction reaches before
/// a wait for all of them. Products of `mma.sync` are done when their registers are read, and reach nowhere.
pub(super) fn late_rows(code: &Code<'_>) -> BTreeSet<usize> {
    let is_synchronous = |row: usize| code.op(row).product_by() == Some(ProductBy::Warp);
    let mut late = BTreeSet::new();
    let mut open: Vec<usize> =
        (0..code.rows.len()).filter(|row| code.is_tensor(*row) && !is_synchronous(*row)).collect();
    let mut seen: BTreeSet<usize> = open.iter().copied().collect();
    while let Some(row) = open.pop() {
        let block = code.block_of[row];
        let range = &code.flow.blocks[block].instructions;
        let next: Vec<usize> = if row + 1 < range.end {
            vec![row + 1]
        } else {
            code.flow.blocks[block].successors.iter().map(|to| code.flow.blocks[*to].instructions.start).collect()
        };
        for next in next {
            if code.sync(next) != (WarpSync::ProductsWait { pending: 0 }) && seen.insert(next) {
                late.insert(next);
                open.push(next);
            }
        }
    }
    late
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
