//! The sampler's counts by row and reason, with barrier waits at their barrier.

use crate::analysis::derive::stalls::sampled_reason;
use crate::analysis::lines::{Causes, Trace};
use crate::evidence::{SourceView, WarpSync};
use cuda_binary::op::Sync;
use std::collections::BTreeMap;

/// A ready warp that another one was picked before.
pub(super) const NOT_SELECTED: &str = "not_selected";

/// `s_r` by row: samples of each reason.
pub(in crate::analysis) struct Samples {
    /// By reason (the catalog's id): one count for each row of the view.
    pub(in crate::analysis) reasons: BTreeMap<String, Vec<u64>>,
    /// `s`: the sum over all reasons, by row.
    pub(in crate::analysis) all: Vec<u64>,
    /// `S`: the sum over all rows.
    pub(in crate::analysis) sum: u64,
}

impl Samples {
    /// `None` where the report has no samples by instruction. A warp that waits at a barrier which defers its blocking is
    /// sampled behind it; such samples are counted at the barrier.
    pub(in crate::analysis) fn of(view: &SourceView) -> Option<Samples> {
        let mut reasons: BTreeMap<String, Vec<u64>> = BTreeMap::new();
        for column in &view.columns {
            if let Some(reason) = sampled_reason(&column.metric) {
                let counts = view.counts(&column.metric)?;
                match reasons.get_mut(reason) {
                    Some(sums) => sums.iter_mut().zip(counts).for_each(|(sum, count)| *sum += count),
                    None => drop(reasons.insert(reason.to_owned(), counts)),
                }
            }
        }
        if let (Some(barrier), Some(causes)) = (reasons.get_mut("barrier"), Causes::of(view)) {
            for row in (0..barrier.len()).filter(|row| view.instructions[*row].op().sync() != Some(Sync::Block)) {
                if let Some(at) = (barrier[row] > 0).then(|| meeting(view, &causes, row)).flatten() {
                    barrier[at] += std::mem::take(&mut barrier[row]);
                }
            }
        }
        let mut all = vec![0; view.instructions.len()];
        for counts in reasons.values() {
            all.iter_mut().zip(counts).for_each(|(sum, count)| *sum += count);
        }
        let sum = all.iter().sum();
        (sum > 0).then_some(Samples { reasons, all, sum })
    }

    /// Samples of some rows.
    pub(in crate::analysis) fn at(&self, rows: &[usize]) -> u64 {
        rows.iter().map(|row| self.all[*row]).sum()
    }

    /// Samples of one reason at some rows.
    pub(in crate::analysis) fn of_reason(&self, reason: &str, rows: &[usize]) -> u64 {
        self.reasons.get(reason).map_or(0, |counts| rows.iter().map(|row| counts[*row]).sum())
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
