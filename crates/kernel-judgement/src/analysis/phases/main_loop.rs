//! The main loops: the cycles that do the work of the pacing role.

use super::code::{Code, Loop};
use crate::analysis::lines::Attribution;
use std::collections::BTreeSet;

#[derive(Clone, Debug)]
pub(super) struct MainLoop {
    pub(super) cycle: Loop,
    /// The loop inside it that it grew from.
    pub(super) inner: Option<Loop>,
    /// `e`: executions that a block of every turn has.
    pub(super) turns: u64,
    /// Whether it holds tensor instructions.
    pub(super) has_tensor: bool,
}

/// The main loops among the loops of a region. With tensor instructions: the smallest loop with 90 % of their executions, or
/// disjoint loops with 10 % each, also where these are the alternatives of that loop; without: the smallest with half of the samples.
pub(super) fn main_loops(code: &Code<'_>, samples: &Attribution<'_>, region: &BTreeSet<usize>) -> Vec<MainLoop> {
    let mut candidates: Vec<&Loop> = code.loops.iter().filter(|cycle| region.contains(&cycle.header)).collect();
    candidates.sort_by_key(|cycle| (code.rows_of(&cycle.blocks).count(), cycle.header));
    let tensor = |blocks: &BTreeSet<usize>| -> u64 {
        code.rows_of(blocks).filter(|row| code.is_tensor(*row)).map(|row| code.executed[row]).sum()
    };
    let all = tensor(region);
    if all > 0 {
        let apart = |inside: &dyn Fn(&Loop) -> bool| {
            let mut found: Vec<&Loop> = Vec::new();
            for cycle in candidates.iter().copied().filter(|cycle| inside(cycle)) {
                let is_apart = found.iter().all(|other| other.blocks.is_disjoint(&cycle.blocks));
                if is_apart && 10 * tensor(&cycle.blocks) >= all {
                    found.push(cycle);
                }
            }
            found.sort_by_key(|cycle| cycle.header);
            found
        };
        let is_most = |cycles: &[&Loop]| 10 * cycles.iter().map(|cycle| tensor(&cycle.blocks)).sum::<u64>() >= 9 * all;
        let found = match candidates.iter().find(|cycle| is_most(&[cycle])) {
            Some(whole) => {
                let inside = apart(&|cycle| cycle.header != whole.header && cycle.blocks.is_subset(&whole.blocks));
                if is_most(&inside) && are_alternatives(code, &inside) { inside } else { vec![*whole] }
            }
            None => apart(&|_| true),
        };
        return found.into_iter().map(|cycle| grown(code, cycle, true)).collect();
    }
    let count = |blocks: &BTreeSet<usize>| -> u64 { code.rows_of(blocks).map(|row| samples.all[row]).sum() };
    let all = count(region);
    let found = candidates.into_iter().find(|cycle| 2 * count(&cycle.blocks) >= all);
    found.map(|cycle| grown(code, cycle, false)).into_iter().collect()
}

/// Whether a turn of the loop around some loops runs one of them alone.
pub(super) fn are_alternatives(code: &Code<'_>, cycles: &[&Loop]) -> bool {
    let ahead = |cycle: &Loop| code.flow.reach(cycle.header, |from, to| !code.is_back(from, to));
    cycles.iter().all(|cycle| {
        let ahead = ahead(cycle);
        cycles.iter().all(|other| other.header == cycle.header || !ahead.contains(&other.header))
    })
}

/// A loop, or the one around it while that brings data or meets at a barrier every turn and stores nothing outside the inner one.
fn grown(code: &Code<'_>, cycle: &Loop, has_tensor: bool) -> MainLoop {
    let mut whole = cycle;
    while let Some(around) = around(code, whole) {
        let every_turn = code.entries(around.header).div_ceil(2);
        let between = || code.rows_of(&around.blocks).filter(|row| !code.is_in(*row, whole));
        let works = |row: usize| {
            code.executed[row] >= every_turn && (code.is_block_barrier(row) || code.op(row).reads_global())
        };
        if !between().any(works) || between().any(|row| code.op(row).writes_global() && code.executed[row] > 0) {
            break;
        }
        whole = around;
    }
    let inner = (whole != cycle).then(|| cycle.clone());
    let tensor = code.rows_of(&whole.blocks).filter(|row| code.is_tensor(*row)).map(|row| code.executed[row]).max();
    let turns = tensor.filter(|_| inner.is_none()).unwrap_or_else(|| code.entries(whole.header));
    MainLoop { cycle: whole.clone(), inner, turns, has_tensor }
}

fn around<'c>(code: &'c Code<'_>, cycle: &Loop) -> Option<&'c Loop> {
    let holds = |other: &&Loop| other.blocks.len() > cycle.blocks.len() && other.blocks.is_superset(&cycle.blocks);
    code.loops.iter().filter(holds).min_by_key(|other| other.blocks.len())
}
