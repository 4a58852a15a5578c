//! What one artefact contributed to an audit, and what else it holds.

use crate::analysis::derive::panels::Panel;
use crate::analysis::kernel::row::Row;
use crate::analysis::kernel::select::{self, KernelGroup, KernelKey};
use crate::analysis::kernel::summary::KernelSummary;
use crate::analysis::profile::Profile;
use crate::evidence::{Damage, Origin, Reading, Report, Workload};

/// What one artefact contributed.
#[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct Artefact {
    /// The artefact.
    pub origin: Origin,
    /// The kernel under audit in it.
    pub kernel: KernelKey,
    /// Rows of the report (ncu's IDs) that were summarised.
    pub launches: Vec<u32>,
    /// Metrics that were asked for and that no result holds.
    pub dropped: Vec<String>,
    /// Lines of a text that were not understood, with their number.
    pub not_understood: Vec<(String, u64)>,
    /// Damage of the artefact.
    pub damage: Vec<Damage>,
    /// Metrics read under an older spelling: (asked, found).
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub aliases: Vec<(String, String)>,
    /// The ncu command line, without home folders.
    pub command_line: String,
}

/// Another kernel of the new report, for the overview.
#[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct OtherKernel {
    /// What it is.
    pub kernel: KernelKey,
    /// Launches.
    pub launches: usize,
    /// Median time of a launch.
    pub time: Reading,
    /// Summed time over the summed time of all groups of the report, in percent.
    pub share: Option<f64>,
    /// Whether this is the kernel under audit.
    pub is_subject: bool,
}

impl Artefact {
    /// What a profile contributed; `pick` takes its side of a row.
    pub(in crate::analysis) fn of(profile: &Profile, panels: &[Panel], pick: fn(&Row) -> Option<&Reading>) -> Artefact {
        Artefact {
            origin: profile.origin.clone(),
            kernel: profile.kernel.clone(),
            launches: profile.launches.clone(),
            dropped: profile.dropped.clone(),
            not_understood: profile.not_understood.clone(),
            damage: profile.damage.clone(),
            aliases: aliases(panels, pick),
            command_line: profile.session.command_line.to_string(),
        }
    }
}

/// The metrics of one side that were found under an older spelling: (asked, found); `pick` takes the side of a row.
fn aliases(panels: &[Panel], pick: fn(&Row) -> Option<&Reading>) -> Vec<(String, String)> {
    let mut aliases: Vec<(String, String)> = Vec::new();
    for reading in panels.iter().flat_map(|panel| &panel.rows).filter_map(pick) {
        if let Reading::Measured(measured) = reading {
            let found = measured.from.metrics.first().map(ToString::to_string).unwrap_or_default();
            aliases.extend(measured.from.alias_of.as_ref().map(|asked| (asked.to_string(), found)));
        }
    }
    aliases.sort();
    aliases.dedup();
    aliases
}

/// The kernels inside a range or graph, each name once with its number of launches, in order of first launch.
pub(in crate::analysis) fn members(kernel: &KernelSummary<'_>) -> Vec<(String, usize)> {
    let mut names: Vec<(String, usize)> = Vec::new();
    if kernel.key().workload == Workload::Kernel {
        return names;
    }
    let listed =
        kernel.first().metric(crate::analysis::wanted::MEMBER_NAMES).map(|m| &m.instances[..]).unwrap_or_default();
    for name in listed.iter().filter_map(|instance| instance.value.as_text()) {
        let short = select::short_name(name);
        match names.iter_mut().find(|(known, _)| known == short) {
            Some((_, count)) => *count += 1,
            None => names.push((short.to_string(), 1)),
        }
    }
    names
}

/// All kernels of a report, the most device time first.
pub(in crate::analysis) fn overview(report: &Report, subject: &KernelKey) -> Vec<OtherKernel> {
    let groups = select::groups(report);
    let total: Option<f64> = groups.iter().map(KernelGroup::total_time).sum();
    let other = |group: KernelGroup<'_>| {
        let share = group.total_time().zip(total.filter(|t| *t > 0.0)).map(|(own, all)| 100.0 * own / all);
        let summary = KernelSummary::new(group);
        OtherKernel {
            kernel: summary.key().clone(),
            launches: summary.launches().len(),
            time: summary.reading(crate::analysis::kernel::performance::DURATION),
            share,
            is_subject: summary.key() == subject,
        }
    };
    groups.into_iter().map(other).collect()
}
