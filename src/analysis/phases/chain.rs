//! Loads that wait for themselves: the address of a load is its own value one turn back (rule 14 of the verdict).

use super::detail::Chain;
use super::point::point;
use super::study::Study;
use std::collections::BTreeSet;

impl Study<'_> {
    /// The chain of dependent loads that warps wait for the most; `None` where no load's address is its own value.
    pub(in crate::analysis) fn chain(&self) -> Option<&Chain> {
        self.chain.get_or_init(|| chain(self)).as_ref()
    }
}

fn chain(study: &Study<'_>) -> Option<Chain> {
    let code = &study.code;
    let waits = study.samples.at_causes("long_scoreboard");
    let is_awaited = |row: &usize| code.executed[*row] > 0 && waits[*row] > 0 && code.op(*row).loads_global();
    let circular = (0..code.rows.len()).filter(is_awaited).filter(|row| is_circular(study, *row));
    let circular: Vec<usize> = circular.collect();
    let load = circular.iter().copied().max_by_key(|row| waits[*row])?;
    let all: u64 = circular.iter().map(|row| waits[*row]).sum();
    Some(Chain { load: point(study, load), share: all as f64 / study.samples.sum as f64 })
}

/// Whether the address of a load depends on its own value, by itself or through other loads.
pub(super) fn is_circular(study: &Study<'_>, load: usize) -> bool {
    let mut seen = BTreeSet::new();
    let mut open = vec![load];
    while let Some(row) = open.pop() {
        for behind in study.flows.loads_behind(&study.code, row).iter().copied() {
            if behind == load {
                return true;
            }
            if seen.insert(behind) {
                open.push(behind);
            }
        }
    }
    false
}
