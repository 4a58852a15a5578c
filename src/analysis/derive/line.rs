//! A kernel in one line: the readings by which many kernels are reported back.

use crate::analysis::derive::named::{self, Known};
use crate::evidence::Reading;

/// The readings of the line, by the names of [`named::reading`]: speed of light, launch, occupancy, shared memory,
/// instructions, in this order.
const READINGS: [&str; 19] = [
    "gpu__time_duration.sum",
    "sm__throughput.avg.pct_of_peak_sustained_elapsed",
    "gpu__compute_memory_throughput.avg.pct_of_peak_sustained_elapsed",
    "launch__waves_per_multiprocessor",
    "launch__registers_per_thread",
    "launch__shared_mem_per_block",
    "sm__warps_active.avg.pct_of_peak_sustained_active",
    "sm__maximum_warps_per_active_cycle_pct",
    "smsp__warps_eligible.avg.per_cycle_active",
    "l1tex__data_pipe_lsu_wavefronts_mem_shared.sum.pct_of_peak_sustained_elapsed",
    "shared.conflict-share",
    "opcode.LDS",
    "opcode.STS",
    "shared.wide-store-share",
    "smsp__inst_executed.sum",
    "tensor.instructions",
    "tensor.share",
    "predication.efficiency",
    "sass__inst_executed_register_spilling",
];

/// The line of a kernel: every reading with its name.
pub(in crate::analysis) fn line(known: &Known<'_, '_>) -> Vec<(String, Reading)> {
    READINGS.iter().map(|name| ((*name).to_owned(), named::reading(known, name))).collect()
}
