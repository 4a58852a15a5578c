//! A loop of which each turn computes a tile: products, then the results of all of them.

use super::{code::Code, main_loop::MainLoop};
use crate::analysis::lines::Attribution;
use crate::evidence::WarpSync;
use cuda_binary::op::Act;
use std::collections::BTreeSet;

/// Warps of a warpgroup, which multiply together.
pub(super) const WARPGROUP: u64 = 4;

/// What tells where waits come from.
pub(super) struct Traces<'s, 'v> {
    pub(super) samples: &'s Attribution<'v>,
    /// Questions to mbarriers at which the pacing warps wait for each other.
    pub(super) turns: BTreeSet<usize>,
}

/// The rows of such a loop that are no step of products.
#[derive(Debug, Default)]
pub(super) struct TileEnds {
    /// Waits for the turn of these warps, in front of the first product.
    pub(super) turn: Vec<usize>,
    /// The wait for the last products.
    pub(super) drain: Vec<usize>,
    /// What turns sums into results and stores them.
    pub(super) stores: Vec<usize>,
    /// Waits at the head of the loop until the stores of the tile before have read their registers.
    pub(super) store_wait: Vec<usize>,
}

impl TileEnds {
    /// The ends of the tile among the rows that every turn runs, in the order of the code; nothing where neither one of them stores to
    /// global memory behind the last products, nor a thread of each warpgroup starts a bulk store on every turn.
    pub(super) fn of(code: &Code<'_>, traces: &Traces<'_, '_>, main: &MainLoop, rows: &[usize]) -> TileEnds {
        let mut ends = TileEnds::default();
        let is_drain = |row: &usize| code.sync(*row) == WarpSync::ProductsWait { pending: 0 };
        let last = rows.iter().rposition(|row| code.is_tensor(*row)).filter(|_| main.inner.is_none());
        let Some(last) = last else { return ends };
        let drain = rows[last..].iter().position(is_drain).map(|at| last + at);
        let behind = &rows[drain.unwrap_or(last) + 1..];
        let stores = |row: &usize| code.op(*row).writes_global() && code.executed[*row] > 0;
        let starts = |row: usize| {
            code.op(row).writes_global() && code.op(row).is_bulk() && WARPGROUP * code.executed[row] >= main.turns
        };
        if !behind.iter().any(stores) && !code.rows_of(&main.cycle.blocks).any(starts) {
            return ends;
        }
        ends.drain.extend(drain.map(|at| rows[at]));
        ends.stores.extend(behind.iter().filter(|row| code.sync(**row) != WarpSync::MbarrierArrive));
        let own: BTreeSet<usize> = ends.stores.iter().copied().collect();
        let first = rows.iter().position(|row| code.is_tensor(*row)).unwrap_or_default();
        let head = &rows[..first];
        let waits_for_stores = |row: &&usize| {
            let is_store = |row: usize| own.contains(&row) && code.op(row).act() == Some(Act::Store);
            let mut causes = ["long_scoreboard", "short_scoreboard"]
                .into_iter()
                .filter_map(|reason| traces.samples.cause(reason, **row));
            causes.any(is_store)
        };
        ends.store_wait.extend(head.iter().filter(waits_for_stores));
        let is_turn = |row: &&usize| {
            let question = code.question_of(**row);
            question.is_some_and(|question| traces.turns.contains(&question)) || traces.turns.contains(row)
        };
        ends.turn.extend(head.iter().filter(is_turn));
        ends
    }
}
