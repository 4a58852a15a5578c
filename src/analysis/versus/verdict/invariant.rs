//! Counters that come out the same on every launch of the same code with the same data.

/// Beginnings of their names: what was executed and asked for, and the launch itself. Hits, cycles, stalls and samples
/// depend on timing and are not among them.
const BEGINNINGS: [&str; 12] = [
    "launch__",
    "smsp__inst_executed",
    "smsp__thread_inst_executed",
    "smsp__sass_",
    "sass__",
    "memory_l1_",
    "memory_l2_theoretical",
    "l1tex__t_requests_pipe_lsu_mem_global_op_ld.",
    "l1tex__t_requests_pipe_lsu_mem_global_op_st.",
    "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.",
    "l1tex__t_sectors_pipe_lsu_mem_global_op_st.",
    "sm__maximum_warps",
];

/// Parts of names that bring time or a peak in.
const TIMED: [&str; 4] = [".per_", ".pct", ".avg.peak", "_sampl"];

/// Whether a metric is such a counter, so that one launch shows its value.
pub(super) fn is_invariant(metric: &str) -> bool {
    BEGINNINGS.iter().any(|start| metric.starts_with(start)) && !TIMED.iter().any(|part| metric.contains(part))
}

#[cfg(test)]
mod tests {
    use super::is_invariant;

    #[test]
    fn counts_of_work_are_and_times_are_not() {
        for metric in
            ["smsp__inst_executed.sum", "launch__registers_per_thread", "memory_l2_theoretical_sectors_global"]
        {
            assert!(is_invariant(metric), "{metric}");
        }
        for metric in
            ["gpu__time_duration.sum", "smsp__inst_executed.avg.per_cycle_active", "l1tex__t_sector_hit_rate.pct"]
        {
            assert!(!is_invariant(metric), "{metric}");
        }
    }
}
