//! A kernel in one line: the readings by which many kernels are reported back.

use crate::analysis::derive::named::{self, Known};
use crate::evidence::Reading;

/// Columns of a table: the title, and the name of the reading.
pub type Columns = &'static [(&'static str, &'static str)];

/// Speed of light.
pub const LIGHT: Columns = &[
    ("Time", "gpu__time_duration.sum"),
    ("Compute", "sm__throughput.avg.pct_of_peak_sustained_elapsed"),
    ("Memory", "gpu__compute_memory_throughput.avg.pct_of_peak_sustained_elapsed"),
];
/// Launch and occupancy.
pub const OCCUPANCY: Columns = &[
    ("Waves per SM", "launch__waves_per_multiprocessor"),
    ("Registers", "launch__registers_per_thread"),
    ("Shared per block", "launch__shared_mem_per_block"),
    ("Achieved", "sm__warps_active.avg.pct_of_peak_sustained_active"),
    ("Theoretical", "sm__maximum_warps_per_active_cycle_pct"),
    ("Eligible warps", "smsp__warps_eligible.avg.per_cycle_active"),
];
/// Shared memory.
pub const SHARED: Columns = &[
    ("Data stage for shared", "l1tex__data_pipe_lsu_wavefronts_mem_shared.sum.pct_of_peak_sustained_elapsed"),
    ("Bank conflicts", "shared.conflict-share"),
    ("LDS", "smsp__sass_inst_executed_op_shared_ld.sum"),
    ("STS", "smsp__sass_inst_executed_op_shared_st.sum"),
    ("Wide STS", "shared.wide-store-share"),
];
/// Instructions.
pub const INSTRUCTIONS: Columns = &[
    ("Instructions", "smsp__inst_executed.sum"),
    ("Tensor", "tensor.instructions"),
    ("Tensor share", "tensor.share"),
    ("Predicated on", "predication.efficiency"),
    ("Spills", "sass__inst_executed_register_spilling"),
];

/// The line of a kernel: every reading of these tables with its name.
pub(in crate::analysis) fn line(known: &Known<'_, '_>) -> Vec<(String, Reading)> {
    let all = [LIGHT, OCCUPANCY, SHARED, INSTRUCTIONS].into_iter().flatten();
    all.map(|(_, name)| ((*name).to_owned(), named::reading(known, name))).collect()
}
