//! What the warps of a phase wait for, and what causes it.

use super::detail::{Wait, WaitGroup};
use super::point::point;
use super::study::Study;
use crate::analysis::lines::{Trace, place};
use crate::evidence::WarpSync;
use cuda_binary::Op;
use std::collections::BTreeMap;

/// Waits below this share of a phase are not told.
const LEAST_OF_PHASE: f64 = 0.10;
/// Waits told of a phase.
const WAITS: usize = 3;
/// Groups below this share of a wait are not told.
const LEAST_OF_WAIT: f64 = 0.25;
/// Groups told of a wait.
const GROUPS: usize = 2;

/// Whether a reason is a wait: a warp that issues, or is ready while another one is picked, waits for nothing.
pub(super) fn is_wait(reason: &str) -> bool {
    !matches!(reason, "selected" | "not_selected")
}

/// The waits of some rows, largest first, each by what it waits for.
pub(super) fn waits(study: &Study<'_>, rows: &[usize]) -> Vec<Wait> {
    let all = study.samples.at(rows);
    let mut found: Vec<Wait> = study
        .samples
        .reasons
        .iter()
        .filter(|(reason, _)| is_wait(reason))
        .filter_map(|(reason, counts)| {
            let sum: u64 = rows.iter().map(|row| counts[*row]).sum();
            let share = sum as f64 / all.max(1) as f64;
            let groups = || groups(study, reason, counts, rows, LEAST_OF_WAIT, GROUPS);
            (share >= LEAST_OF_PHASE && sum > 0).then(|| Wait { reason: reason.clone(), share, groups: groups() })
        })
        .collect();
    found.sort_by(|a, b| b.share.total_cmp(&a.share));
    found.truncate(WAITS);
    found
}

/// The samples of one reason by the opcode that waits, its line and the opcode that is waited for; the largest groups.
pub(super) fn groups(
    study: &Study<'_>,
    reason: &str,
    counts: &[u64],
    rows: &[usize],
    least: f64,
    most: usize,
) -> Vec<WaitGroup> {
    let sum: u64 = rows.iter().map(|row| counts[*row]).sum();
    let mut by: BTreeMap<((Op, bool), u32, bool), Group> = BTreeMap::new();
    for row in rows.iter().copied().filter(|row| counts[*row] > 0) {
        let cause = cause(study, reason, row);
        let key = match cause {
            Some(cause) => (what(study, cause), 0, true),
            None => (what(study, row), line(study, row), false),
        };
        let group = by.entry(key).or_default();
        group.count += counts[row];
        group.here.add(row, counts[row]);
        if let Some(cause) = cause {
            group.there.add(cause, counts[row]);
        }
    }
    let mut found: Vec<Group> = by.into_values().collect();
    found.sort_by_key(|group| (std::cmp::Reverse(group.count), group.here.row()));
    let share = |count: u64| count as f64 / sum.max(1) as f64;
    found
        .into_iter()
        .filter(|group| share(group.count) >= least)
        .take(most)
        .filter_map(|group| {
            Some(WaitGroup {
                share: share(group.count),
                at: point(study, group.here.row()?),
                cause: group.there.row().map(|row| point(study, row)),
            })
        })
        .collect()
}

/// Samples of one opcode at one line, or of all waits for one opcode.
#[derive(Default)]
struct Group {
    count: u64,
    /// Where the warps wait.
    here: Lead,
    /// What they wait for.
    there: Lead,
}

/// The row with the most samples of a group.
#[derive(Default)]
struct Lead {
    counts: BTreeMap<usize, u64>,
}

impl Lead {
    fn add(&mut self, row: usize, count: u64) {
        *self.counts.entry(row).or_default() += count;
    }

    fn row(&self) -> Option<usize> {
        self.counts.iter().max_by_key(|(row, count)| (**count, std::cmp::Reverse(**row))).map(|(row, _)| *row)
    }
}

/// The line of a row; 0 where none is known.
fn line(study: &Study<'_>, row: usize) -> u32 {
    place(&study.view.instructions[row]).map_or(0, |place| place.line)
}

/// What a row does, the wait for products told from their start.
fn what(study: &Study<'_>, row: usize) -> (Op, bool) {
    (study.view.instructions[row].op(), matches!(study.code.sync(row), WarpSync::ProductsWait { .. }))
}

/// What a scoreboard's wait is for: the instruction that holds it.
fn cause(study: &Study<'_>, reason: &str, row: usize) -> Option<usize> {
    let trace = Trace::of(reason).filter(|trace| *trace != Trace::Barrier)?;
    study.causes.as_ref()?.cause(trace, row)
}
