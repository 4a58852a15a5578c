//! The reference's own counters beside the kernel's.

use crate::analysis::evidence::Reference;
use crate::analysis::kernel::select::KernelKey;
use crate::analysis::kernel::summary::KernelSummary;
use crate::analysis::profile::summary;
use crate::catalog;
use crate::evidence::{Origin, Reading};

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
    /// The reference's kernel beside the kernel under audit.
    pub(in crate::analysis) fn of(reference: &Reference, own: &KernelSummary<'_>) -> ReferenceProfile {
        let launches = reference.profile.launches();
        let other = summary(&launches);
        let row = |names: &&[&str]| {
            let held = |name: &&str| other.value(name).is_some() || own.value(name).is_some();
            let name = names.iter().copied().find(|name| held(name)).or(names.first().copied()).unwrap_or_default();
            let label = catalog::metric(name).map_or(name, |row| row.label).to_owned();
            Beside { id: name.to_owned(), label, kernel: own.reading(name), reference: other.reading(name) }
        };
        ReferenceProfile {
            origin: reference.profile.origin.clone(),
            kernel: reference.profile.kernel.clone(),
            others: reference.others,
            rows: METRICS.iter().map(row).collect(),
        }
    }
}
