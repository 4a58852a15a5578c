//! Counters that come out the same on every launch of the same code with the same data.

use crate::catalog::Family;

/// Parts of names that bring time or a peak in.
const TIMED: [&str; 4] = [".per_", ".pct", ".avg.peak", "_sampl"];

/// Whether a metric is such a counter, so that one launch shows its value.
pub(super) fn is_invariant(metric: &str) -> bool {
    Family::SameWork.has(metric) && !TIMED.iter().any(|part| metric.contains(part))
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
