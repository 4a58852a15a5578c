//! Loads that wait for themselves: the address of a load is its own value one turn back (rule 14 of the verdict).

use super::detail::Chain;
use super::point::point;
use super::study::Study;
use crate::analysis::lines::Trace;
use std::collections::BTreeSet;

/// The chain of dependent loads that warps wait for the most; `None` without one.
pub(super) fn chain(study: &Study<'_>) -> Option<Chain> {
    let (code, causes) = (&study.code, study.causes.as_ref()?);
    let waits = study.samples.reasons.get("long_scoreboard")?;
    let loads = (0..code.rows.len()).filter(|row| code.executed[*row] > 0 && code.op(*row).loads_global());
    let circular: BTreeSet<usize> = loads.filter(|row| is_circular(study, *row)).collect();
    let mut counts: Vec<(usize, u64)> = Vec::new();
    for row in (0..code.rows.len()).filter(|row| waits[*row] > 0 && !circular.is_empty()) {
        if let Some(load) = causes.cause(Trace::Long, row).filter(|load| circular.contains(load)) {
            match counts.iter_mut().find(|(other, _)| *other == load) {
                Some((_, count)) => *count += waits[row],
                None => counts.push((load, waits[row])),
            }
        }
    }
    let all: u64 = counts.iter().map(|(_, count)| count).sum();
    let (load, _) = counts.into_iter().max_by_key(|(_, count)| *count)?;
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
