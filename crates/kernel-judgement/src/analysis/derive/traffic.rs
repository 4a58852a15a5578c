//! The bytes of the stated work against those that DRAM moved.

use crate::analysis::{KernelSummary, Limits, Work};
use crate::catalog::{Counter, Threshold};

/// The stated bytes beside those that DRAM moved.
pub(in crate::analysis) struct Traffic {
    /// `work.bytes`.
    pub(in crate::analysis) stated: f64,
    /// Rate of DRAM × time, in bytes.
    pub(in crate::analysis) moved: f64,
}

impl Traffic {
    /// `None` without stated bytes, a time, or DRAM's rate.
    pub(in crate::analysis) fn of(kernel: &KernelSummary<'_>, work: &Work) -> Option<Traffic> {
        let stated = work.bytes? as f64;
        let seconds = kernel.seconds()?;
        let moved = kernel.value(Counter::DramBytesSumPerSecond)? * seconds;
        (moved > 0.0).then_some(Traffic { stated, moved })
    }

    /// Whether DRAM moves no more than the work needs.
    pub(in crate::analysis) fn is_reached(&self, limits: &Limits) -> bool {
        self.moved <= limits[Threshold::WorkReached] * self.stated
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::{groups, kernel::summary::DURATION};
    use crate::source::ncu_csv::made;

    /// One launch of 10,000 ns that moved `rate` GB/s.
    fn traffic(rate: f64, stated: Option<u64>) -> Option<Traffic> {
        let rate = rate.to_string();
        let columns = [(DURATION.name(), "nsecond", "10000"), ("dram__bytes.sum.per_second", "Gbyte/second", &rate)];
        let report = made::report(&columns);
        let kernel = KernelSummary::new(groups(&report).remove(0));
        Traffic::of(&kernel, &Work { bytes: stated, ..Work::default() })
    }

    fn is_near(found: f64, expected: f64) -> bool {
        (found - expected).abs() < 1e-9 * expected.abs().max(1.0)
    }

    #[test]
    fn what_dram_moved_beyond_the_work_is_waste() {
        // 2,000 GB/s × 10 µs = 20,000,000 B moved, 10,000,000 B stated.
        let traffic = traffic(2000.0, Some(10_000_000)).unwrap();
        assert!(is_near(traffic.moved, 20_000_000.0) && is_near(traffic.stated, 10_000_000.0));
        assert!(!traffic.is_reached(&Limits::default()));
    }

    #[test]
    fn a_twentieth_more_than_stated_still_counts_as_reached() {
        // 1,050 GB/s × 10 µs is 1.05 times the stated 10,000,000 B; 1,051 is more.
        assert!(traffic(1049.0, Some(10_000_000)).unwrap().is_reached(&Limits::default()));
        assert!(!traffic(1051.0, Some(10_000_000)).unwrap().is_reached(&Limits::default()));
    }

    #[test]
    fn nothing_is_said_without_stated_bytes_or_without_traffic() {
        assert!(traffic(2000.0, None).is_none());
        assert!(traffic(0.0, Some(10_000_000)).is_none());
    }
}
