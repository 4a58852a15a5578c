//! What else a report holds: its other kernels, and those inside a range or graph.

use crate::analysis::kernel::select::{self, KernelGroup};
use crate::analysis::{KernelKey, KernelSummary};
use crate::catalog::Counter;
use crate::evidence::{Reading, Workload};

/// The kernels inside a range or graph, one instance for each launch.
pub(in crate::analysis) const MEMBER_NAMES: Counter = Counter::LaunchKernelName;

/// Another kernel of the new report, for the overview.
#[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct OtherKernel {
    pub kernel: KernelKey,
    pub launches: usize,
    /// Median time of a launch.
    pub time: Reading,
    /// Summed time over the summed time of all groups of the report, in percent.
    pub share: Option<f64>,
    /// Whether this is the kernel under audit.
    pub is_subject: bool,
}

/// The kernels inside a range or graph, each name once with its number of launches, in order of first launch.
pub(in crate::analysis) fn members(group: &KernelGroup<'_>) -> Vec<(String, usize)> {
    let mut names: Vec<(String, usize)> = Vec::new();
    if group.key.workload == Workload::Kernel {
        return names;
    }
    let listed = group.launches[0].metric(MEMBER_NAMES).map(|m| &m.instances[..]).unwrap_or_default();
    for name in listed.iter().filter_map(|instance| instance.value.as_text()) {
        let short = select::short_name(name);
        match names.iter_mut().find(|(known, _)| known == short) {
            Some((_, count)) => *count += 1,
            None => names.push((short.to_string(), 1)),
        }
    }
    names
}

/// Kernels of a report, beside the one under audit, of which is said what limits them.
pub(in crate::analysis) const JUDGED: usize = 7;
/// Percent of the summed time from which on that is worth a line: no more can be gained there.
const WORTH: f64 = 3.0;

/// The places of the other kernels whose time matters, the most device time first. Where shares are not known all do.
pub(in crate::analysis) fn that_matter(kernels: &[OtherKernel]) -> impl Iterator<Item = usize> {
    let is_worth = |kernel: &OtherKernel| !kernel.is_subject && kernel.share.is_none_or(|share| share >= WORTH);
    kernels.iter().enumerate().filter(move |(_, kernel)| is_worth(kernel)).map(|(at, _)| at).take(JUDGED)
}

/// Summed time of the launches of all kernels in ns, from that of the one under audit; `None` where shares are not known.
pub(in crate::analysis) fn time_of_all(kernels: &[OtherKernel], subject: &KernelSummary<'_>) -> Option<f64> {
    let own = kernels.iter().find(|kernel| kernel.is_subject)?.share.filter(|share| *share > 0.0)?;
    Some(100.0 * subject.total_time()? / own)
}

/// The kernels of a report for the groups of its launches, in their order.
pub(in crate::analysis) fn overview(groups: Vec<KernelGroup<'_>>, subject: &KernelKey) -> Vec<OtherKernel> {
    let times: Vec<Option<f64>> = groups.iter().map(KernelGroup::total_time).collect();
    let total: Option<f64> = times.iter().copied().sum();
    let other = |(group, own): (KernelGroup<'_>, Option<f64>)| {
        let share = own.zip(total.filter(|t| *t > 0.0)).map(|(own, all)| 100.0 * own / all);
        let summary = KernelSummary::timed(group);
        OtherKernel {
            kernel: summary.key().clone(),
            launches: summary.launches,
            time: summary.reading(crate::analysis::kernel::summary::DURATION),
            share,
            is_subject: summary.key() == subject,
        }
    };
    groups.into_iter().zip(times).map(other).collect()
}
