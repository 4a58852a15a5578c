//! Several profiles side by side: kernels joined by name, grid and block, each compared with the first profile's.

use crate::analysis::audit::Old;
use crate::analysis::derive::panels::Panel;
use crate::analysis::kernel::row::Row;
use crate::analysis::kernel::select::{self, KernelGroup, KernelKey, Selection};
use crate::analysis::kernel::summary::KernelSummary;
use crate::analysis::limits::Limits;
use crate::analysis::results::correctness::Standing;
use crate::analysis::versus::setting::{self, Seen, Setting};
use crate::analysis::versus::verdict::{Comparison, Verdict};
use crate::evidence::Report;
use std::borrow::Cow;

/// One further column for a kernel.
#[derive(Clone, Debug, PartialEq, serde::Serialize)]
pub struct Against {
    /// Position of the profile, from 0; the first profile is the old side.
    pub column: usize,
    /// Its readings as the new side, the first profile's as the old one.
    pub panels: Vec<Panel>,
    /// What the comparison comes to.
    pub comparison: Comparison,
}

/// One kernel over all profiles that hold it.
#[derive(Clone, Debug, PartialEq, serde::Serialize)]
pub struct Joined {
    /// The kernel as the first profile has it.
    pub kernel: KernelKey,
    /// The other profiles, in order.
    pub against: Vec<Against>,
}

/// Profiles side by side.
#[derive(Clone, Debug, Default, PartialEq, serde::Serialize)]
pub struct Columns {
    /// Kernels that the first profile shares with at least one other.
    pub joined: Vec<Joined>,
    /// Kernels without a counterpart: (position of the profile, kernel).
    pub unmatched: Vec<(usize, KernelKey)>,
}

/// Joins profiles. The first is the old side of every comparison. Where each profile holds exactly one kernel that the
/// filter takes, these are joined whatever they are called.
pub fn columns(sides: &[Old<'_>], selection: &Selection, limits: &Limits) -> Columns {
    let reports: Vec<Cow<'_, Report>> = sides.iter().map(report).collect();
    let groups: Vec<Vec<KernelGroup<'_>>> =
        reports.iter().map(|report| select::choose(report, selection.kernel.as_ref()).unwrap_or_default()).collect();
    let Some((first, others)) = groups.split_first() else { return Columns::default() };
    let is_one_each = groups.iter().all(|groups| groups.len() == 1);
    let mut found = Columns::default();
    let mut taken: Vec<Vec<bool>> = groups.iter().map(|groups| vec![false; groups.len()]).collect();
    for (at, base) in first.iter().enumerate() {
        let mut against = Vec::new();
        for (column, groups) in others.iter().enumerate().map(|(at, groups)| (at + 1, groups)) {
            let Some(other) = groups.iter().position(|group| is_one_each || is_same(&base.key, &group.key)) else {
                continue;
            };
            taken[0][at] = true;
            taken[column][other] = true;
            let (old, new) = (KernelSummary::new(base.clone()), KernelSummary::new(groups[other].clone()));
            let conditions =
                setting::paired(noted(&sides[column], &reports[column], &new), &noted(&sides[0], &reports[0], &old));
            let panels = Panel::all(&new, Some(&old));
            let rows: Vec<&Row> = panels.iter().flat_map(|panel| &panel.rows).collect();
            let mut comparison = Comparison::of(rows, &new, &old, &conditions, limits);
            if let Some(wrong) = [column, 0].into_iter().find(|at| is_wrong(&sides[*at])) {
                let (verdict, side) =
                    if wrong == 0 { (Verdict::NotComparable, "The first profile's") } else { (Verdict::Wrong, "Its") };
                let reason = format!("{side} results are wrong, so that the times are none to compare.");
                comparison.whole.void(verdict, reason, "Correct the kernel; its speed matters after that.");
            }
            against.push(Against { column, panels, comparison });
        }
        if !against.is_empty() {
            found.joined.push(Joined { kernel: base.key.clone(), against });
        }
    }
    for (column, groups) in groups.iter().enumerate() {
        let alone = groups.iter().zip(&taken[column]).filter(|(_, taken)| !**taken);
        found.unmatched.extend(alone.map(|(group, _)| (column, group.key.clone())));
    }
    found
}

fn report<'r>(side: &Old<'r>) -> Cow<'r, Report> {
    match side {
        Old::Report(report) => Cow::Borrowed(report),
        Old::Audit(audit) => Cow::Owned(audit.kept.new.report(&audit.new)),
    }
}

/// Whether a side is known to compute something else than it should.
fn is_wrong(side: &Old<'_>) -> bool {
    match side {
        Old::Report(_) => false,
        Old::Audit(audit) => audit.standing() == Standing::Wrong,
    }
}

/// The conditions of a side alone.
fn noted(side: &Old<'_>, report: &Report, kernel: &KernelSummary<'_>) -> Vec<Setting> {
    match side {
        Old::Report(_) => setting::settings(Seen { report, kernel }, None),
        Old::Audit(audit) => audit.settings.clone(),
    }
}

fn is_same(a: &KernelKey, b: &KernelKey) -> bool {
    a.workload == b.workload && a.short_name() == b.short_name() && a.grid == b.grid && a.block == b.block
}
