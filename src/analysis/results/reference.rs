//! The reference's own counters beside the kernel's.

use crate::analysis::audit::Audit;
use crate::analysis::kernel::select::{self, KernelKey};
use crate::analysis::kernel::summary::KernelSummary;
use crate::catalog;
use crate::evidence::{Origin, Reading, Report};

/// One metric of both.
#[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct Beside {
    /// ncu's name.
    pub id: String,
    /// What an engineer calls it.
    pub label: String,
    /// The kernel under audit.
    pub kernel: Reading,
    /// The reference.
    pub reference: Reading,
}

/// The profile of what the kernel is timed beside.
#[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct ReferenceProfile {
    /// The report.
    pub origin: Origin,
    /// Its kernel with the most device time.
    pub kernel: KernelKey,
    /// Further kernels in the report.
    pub others: usize,
    /// The metrics.
    pub rows: Vec<Beside>,
}

/// What tells two kernels of the same work apart at a glance; a metric under several names is looked for in this order.
const METRICS: [&[&str]; 11] = [
    &["gpu__time_duration.sum"],
    &["gpc__cycles_elapsed.max"],
    &["gpc__cycles_elapsed.avg.per_second"],
    &["sm__throughput.avg.pct_of_peak_sustained_elapsed"],
    &["gpu__dram_throughput.avg.pct_of_peak_sustained_elapsed"],
    &[
        "sm__pipe_tensor_type_hmma_hgmma_qgmma_imma_igmma_bmma_bgmma_cycles_active.avg.pct_of_peak_sustained_elapsed",
        "sm__pipe_tensor_op_hmma_type_hmma_hgmma_qgmma_cycles_active.avg.pct_of_peak_sustained_active",
        "sm__pipe_tensor_subpipe_hmma_cycles_active.avg.pct_of_peak_sustained_active",
        "sm__pipe_tensor_cycles_active.avg.pct_of_peak_sustained_active",
        "sm__inst_executed_pipe_tensor_op_gmma.avg.pct_of_peak_sustained_active",
        "sm__inst_executed_pipe_tensor_op_hmma.avg.pct_of_peak_sustained_active",
    ],
    &["smsp__inst_executed.sum"],
    &["sm__warps_active.avg.pct_of_peak_sustained_active"],
    &["launch__registers_per_thread"],
    &["launch__shared_mem_per_block"],
    &["launch__waves_per_multiprocessor"],
];

impl ReferenceProfile {
    /// The kernel with the most device time of a report beside the kernel of an audit; `None` for a report without any.
    pub fn of(reference: &Report, audit: &Audit) -> Option<ReferenceProfile> {
        let mut groups = select::groups(reference);
        if groups.is_empty() {
            return None;
        }
        let (others, other) = (groups.len() - 1, KernelSummary::new(groups.swap_remove(0)));
        let kept = audit.kept.new.report(&audit.new);
        let own = select::groups(&kept).into_iter().next().map(KernelSummary::new);
        let row = |names: &&[&str]| {
            let of = |side: &KernelSummary<'_>, name: &str| side.reading(name);
            let held = |name: &&str| {
                of(&other, name).quantity().is_some()
                    || own.as_ref().is_some_and(|own| of(own, name).quantity().is_some())
            };
            let name = names.iter().copied().find(|name| held(name)).or(names.first().copied()).unwrap_or_default();
            let kernel = own.as_ref().map_or_else(|| Reading::not_collected(name), |own| own.reading(name));
            let label = catalog::metric(name).map_or(name, |row| row.label).to_owned();
            Beside { id: name.to_owned(), label, kernel, reference: other.reading(name) }
        };
        Some(ReferenceProfile {
            origin: reference.origin.clone(),
            kernel: other.key().clone(),
            others,
            rows: METRICS.iter().map(row).collect(),
        })
    }
}
