//! Which launches of a report an audit is about, and which of them is looked at by instruction.

use crate::analysis::kernel::overview::{overview, that_matter};
use crate::analysis::kernel::select::{self, KernelGroup, KernelKey, Selection, SelectionError};
use crate::evidence::{Dim3, Launch, Report};
use regex::Regex;
use std::collections::HashSet;

/// The launch of the kernel under audit that is looked at by instruction: the one with the median time. Errors: when
/// the selection matches no kernel.
pub fn subject_launch<'r>(report: &'r Report, selection: &Selection) -> Result<&'r Launch, SelectionError> {
    Ok(median_launch(select::choose(report, selection.kernel.as_ref())?.swap_remove(0)))
}

/// [`subject_launch`] of every kernel that the selection takes. Errors: when the selection matches no kernel.
pub fn subject_launches<'r>(report: &'r Report, selection: &Selection) -> Result<Vec<&'r Launch>, SelectionError> {
    let chosen = select::choose(report, selection.kernel.as_ref())?;
    Ok(chosen.into_iter().map(median_launch).collect())
}

/// The launch of the old kernel that is looked at by instruction: the one with the median time.
pub fn old_launch<'r>(new: &Report, old: &'r Report, selection: &Selection) -> Option<&'r Launch> {
    let subject = select::choose(new, selection.kernel.as_ref()).ok()?.swap_remove(0);
    let filter = selection.baseline_kernel.as_ref().or(selection.kernel.as_ref());
    Some(median_launch(select::counterpart(old, &subject.key, filter).ok()?))
}

fn median_launch(group: KernelGroup<'_>) -> &Launch {
    let time = |launch: &Launch| launch.metric(crate::analysis::kernel::summary::DURATION).and_then(|m| m.quantity());
    let mut launches = group.launches;
    launches.sort_by(|a, b| {
        let value = |launch| time(launch).map_or(f64::INFINITY, |quantity| quantity.value());
        value(a).total_cmp(&value(b))
    });
    launches[(launches.len() - 1) / 2]
}

/// [`subject_launch`], and the same of the other kernels whose time matters. Errors: when the selection matches no
/// kernel.
pub fn page_launches<'r>(report: &'r Report, selection: &Selection) -> Result<Vec<&'r Launch>, SelectionError> {
    Ok(page_groups(report, selection)?.into_iter().map(median_launch).collect())
}

/// The ids of the launches that a page is made from: those of the kernel under audit and of the others whose time matters;
/// none where the selection matches no kernel.
pub fn page_rows(report: &Report, selection: &Selection) -> HashSet<u32> {
    let groups = page_groups(report, selection).unwrap_or_default();
    groups.iter().flat_map(|group| &group.launches).map(|launch| launch.id).collect()
}

fn page_groups<'r>(report: &'r Report, selection: &Selection) -> Result<Vec<KernelGroup<'r>>, SelectionError> {
    let subject = select::choose(report, selection.kernel.as_ref())?.swap_remove(0);
    let groups = select::groups(report);
    let others = that_matter(&overview(groups.clone(), &subject.key)).map(|at| groups[at].clone()).collect::<Vec<_>>();
    Ok(std::iter::once(subject).chain(others).collect())
}

/// Leaves out launches of the subject's kernel that have another shape than `stated`, grid and block, where some have that one: a
/// program that is profiled may launch one kernel for many sizes. A report without that shape stays as it is.
pub fn leave_stated(report: &mut Report, filter: Option<&Regex>, stated: [Dim3; 2]) {
    let is_stated = |launch: &Launch| [launch.grid, launch.block] == stated.map(Some);
    let is_own = |launch: &Launch| KernelKey::of(launch).is_taken(filter);
    let meant = report.launches.iter().find(|launch| is_stated(launch) && is_own(launch));
    if let Some(function) = meant.map(|launch| launch.function.clone()) {
        report.launches.retain(|launch| launch.function != function || is_stated(launch));
    }
}

/// The ids of the launches of all kernels that the selection takes.
pub fn chosen_rows(report: &Report, selection: &Selection) -> HashSet<u32> {
    let chosen = select::choose(report, selection.kernel.as_ref()).unwrap_or_default();
    chosen.iter().flat_map(|group| &group.launches).map(|launch| launch.id).collect()
}
