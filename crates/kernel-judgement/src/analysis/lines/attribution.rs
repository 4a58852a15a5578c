//! Whose samples they are: every sample of a launch by reason, instruction and what is waited for. Lines, phases, roles and parked
//! warps are groups of this one list.

use super::cause::{Causes, Trace};
use crate::analysis::derive::stalls::sampled_reason;
use crate::evidence::{SourceView, WarpSync};
use cuda_binary::op::Sync;
use std::collections::BTreeMap;
use std::rc::Rc;

/// A ready warp that another one was picked before.
pub(in crate::analysis) const NOT_SELECTED: &str = "not_selected";

/// Whether a reason is a wait: a warp that issues, or is ready while another one is picked, waits for nothing.
pub(super) fn is_wait(reason: &str) -> bool {
    !matches!(reason, "selected" | NOT_SELECTED)
}

/// The sampler's counts of one launch.
#[derive(Clone)]
pub(in crate::analysis) struct Attribution<'v> {
    view: &'v SourceView,
    /// `s_r`: by reason (the catalog's id) one count for each row of the view.
    pub(in crate::analysis) reasons: BTreeMap<String, Vec<u64>>,
    /// `s`: the sum over all reasons, by row.
    pub(in crate::analysis) all: Vec<u64>,
    /// `S`: the sum over all rows.
    pub(in crate::analysis) sum: u64,
    /// Where waits come from; `None` where the report lacks the code's bits.
    pub(in crate::analysis) causes: Option<Rc<Causes<'v>>>,
}

/// Samples of one reason that belong together.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(in crate::analysis) struct Group {
    pub(in crate::analysis) samples: u64,
    /// Where the warps wait: samples by row.
    here: BTreeMap<usize, u64>,
    /// What they wait for, in the same way.
    there: BTreeMap<usize, u64>,
}

/// The row with the most samples, the first of several.
fn lead(rows: &BTreeMap<usize, u64>) -> Option<usize> {
    rows.iter().max_by_key(|(row, count)| (**count, std::cmp::Reverse(**row))).map(|(row, _)| *row)
}

impl Group {
    /// The row where most of them wait.
    pub(in crate::analysis) fn at(&self) -> Option<usize> {
        lead(&self.here)
    }

    /// The row that most of them wait for; `None` where nothing tells.
    pub(in crate::analysis) fn cause(&self) -> Option<usize> {
        lead(&self.there)
    }
}

impl<'v> Attribution<'v> {
    /// The samples where the sampler took them; `None` where the report has none by instruction.
    pub(in crate::analysis) fn of(view: &'v SourceView) -> Option<Attribution<'v>> {
        let mut reasons: BTreeMap<String, Vec<u64>> = BTreeMap::new();
        for column in &view.columns {
            if let Some(reason) = sampled_reason(&column.metric) {
                let sums = reasons.entry(reason.to_owned()).or_insert_with(|| vec![0; view.instructions.len()]);
                sums.iter_mut().zip(view.counts(&column.metric)?).for_each(|(sum, count)| *sum += count);
            }
        }
        let mut all = vec![0; view.instructions.len()];
        reasons.values().flat_map(|counts| counts.iter().enumerate()).for_each(|(row, count)| all[row] += count);
        let sum = all.iter().sum();
        (sum > 0).then(|| Attribution { view, reasons, all, sum, causes: Causes::of(view).map(Rc::new) })
    }

    /// The same with barrier waits at their barrier: a warp that waits at one which defers its blocking is sampled behind it.
    pub(in crate::analysis) fn at_barriers(&self) -> Attribution<'v> {
        let mut own = self.clone();
        if let (Some(barrier), Some(causes)) = (own.reasons.get_mut("barrier"), &self.causes) {
            let is_barrier = |row: usize| self.view.instructions[row].op().sync() == Some(Sync::Block);
            for row in (0..barrier.len()).filter(|row| !is_barrier(*row)) {
                if let Some(at) = (barrier[row] > 0).then(|| meeting(self.view, causes, row)).flatten() {
                    let moved = std::mem::take(&mut barrier[row]);
                    (barrier[at], own.all[at], own.all[row]) =
                        (barrier[at] + moved, own.all[at] + moved, own.all[row] - moved);
                }
            }
        }
        own
    }

    /// Samples of some rows.
    pub(in crate::analysis) fn at(&self, rows: &[usize]) -> u64 {
        rows.iter().map(|row| self.all[*row]).sum()
    }

    /// Samples of one reason at some rows.
    pub(in crate::analysis) fn of_reason(&self, reason: &str, rows: &[usize]) -> u64 {
        self.reasons.get(reason).map_or(0, |counts| rows.iter().map(|row| counts[*row]).sum())
    }

    /// The samples of some rows by reason, those that are waits, the most first.
    pub(in crate::analysis) fn waits(&self, rows: &[usize]) -> Vec<(&str, u64)> {
        let own = self.reasons.keys().filter(|reason| is_wait(reason));
        let mut waits: Vec<(&str, u64)> = own.map(|reason| (&**reason, self.of_reason(reason, rows))).collect();
        waits.retain(|(_, samples)| *samples > 0);
        waits.sort_by_key(|(_, samples)| std::cmp::Reverse(*samples));
        waits
    }

    /// What a row waits for by a reason; `None` where that cannot be traced.
    pub(in crate::analysis) fn cause(&self, reason: &str, row: usize) -> Option<usize> {
        self.causes.as_ref()?.cause(Trace::of(reason)?, row)
    }

    /// The samples of a reason, those that can be traced, by the row that is waited for.
    pub(in crate::analysis) fn at_causes(&self, reason: &str) -> Vec<u64> {
        let mut found = vec![0; self.all.len()];
        for (row, count) in self.counted(reason, 0..self.all.len()) {
            self.cause(reason, row).into_iter().for_each(|cause| found[cause] += count);
        }
        found
    }

    /// The samples of a reason at some rows by a key of the row that waits and its cause, the largest group first.
    pub(in crate::analysis) fn by<K: Ord>(
        &self,
        reason: &str,
        rows: &[usize],
        key: impl Fn(usize, Option<usize>) -> K,
        cause: impl Fn(usize) -> Option<usize>,
    ) -> Vec<Group> {
        let mut by: BTreeMap<K, Group> = BTreeMap::new();
        for (row, count) in self.counted(reason, rows.iter().copied()) {
            let cause = cause(row);
            let group = by.entry(key(row, cause)).or_default();
            group.samples += count;
            *group.here.entry(row).or_default() += count;
            cause.into_iter().for_each(|cause| *group.there.entry(cause).or_default() += count);
        }
        let mut found: Vec<Group> = by.into_values().collect();
        found.sort_by_key(|group| (std::cmp::Reverse(group.samples), group.at()));
        found
    }

    /// The rows that have samples of a reason, each with their count.
    fn counted(&self, reason: &str, rows: impl Iterator<Item = usize>) -> impl Iterator<Item = (usize, u64)> {
        let counts = self.reasons.get(reason).map_or(&[][..], Vec::as_slice);
        rows.filter_map(|row| Some((row, *counts.get(row)?))).filter(|(_, count)| *count > 0)
    }
}

/// The barrier of the block that a row waits at; `None` where it is none. The start of a warpgroup's products lets a barrier pass
/// as independent instructions do.
fn meeting(view: &SourceView, causes: &Causes<'_>, row: usize) -> Option<usize> {
    let opens = |row: usize| view.instructions[row].word.is_some_and(|word| word.sync == WarpSync::WarpgroupArrive);
    let from = causes.cause(Trace::Barrier, row).or_else(|| {
        let in_front = row.checked_sub(1).filter(|row| opens(*row))?.checked_sub(1)?;
        causes.cause(Trace::Barrier, in_front)
    })?;
    (view.instructions[from].op().sync() == Some(Sync::Block)).then_some(from)
}
