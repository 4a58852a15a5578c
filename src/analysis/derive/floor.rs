//! What the stated work leaves no way around: its bytes, against what DRAM moved and could move.

use crate::analysis::kernel::stated::Work;
use crate::analysis::kernel::summary::KernelSummary;
use crate::analysis::limits::Limits;
use crate::catalog::Threshold;
use crate::quantity::{Quantity, Unit, format};

/// The stated bytes beside those that DRAM moved.
pub(in crate::analysis) struct Floor {
    /// `work.bytes`.
    pub(in crate::analysis) stated: f64,
    /// Rate of DRAM × time, in bytes.
    pub(in crate::analysis) moved: f64,
    /// Largest part of the run time that any change can save while the work is the same, in percent:
    /// `1 − (the smaller of the two / peak rate of DRAM) / time`. The smaller, because bytes that stay in L2 take no
    /// time of DRAM.
    pub(in crate::analysis) most: f64,
}

impl Floor {
    /// `None` without stated bytes, a time, or the counters of DRAM.
    pub(in crate::analysis) fn of(kernel: &KernelSummary<'_>, work: &Work) -> Option<Floor> {
        let stated = work.bytes? as f64;
        let seconds = kernel.seconds()?;
        let moved = kernel.value("dram__bytes.sum.per_second")? * seconds;
        let peak =
            kernel.value("dram__bytes.sum.peak_sustained")? * kernel.value("dram__cycles_elapsed.avg.per_second")?;
        let most = 100.0 * (1.0 - stated.min(moved) / peak / seconds);
        (moved > 0.0 && peak > 0.0).then_some(Floor { stated, moved, most })
    }

    /// Whether DRAM moves no more than the work needs.
    pub(in crate::analysis) fn is_reached(&self, limits: &Limits) -> bool {
        self.moved <= limits[Threshold::WorkReached] * self.stated
    }

    /// How [`Floor::waste`] is computed, with the numbers.
    pub(in crate::analysis) fn formula(&self) -> String {
        let bytes = |value: f64| Quantity::new(value, Unit::BYTE).map(format::quantity).unwrap_or_default();
        format!("1 − {} stated / {} moved by DRAM", bytes(self.stated), bytes(self.moved))
    }

    /// Part of the moved bytes that the work does not need, in percent.
    pub(in crate::analysis) fn waste(&self) -> f64 {
        100.0 * (1.0 - self.stated / self.moved).max(0.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::kernel::performance::DURATION;
    use crate::analysis::kernel::select::groups;
    use crate::evidence::{Origin, Want};
    use crate::source::ncu_csv;

    /// One launch of 10,000 ns on a chip whose DRAM gives at most 1,000 B a cycle at 2.5 GHz: 2,500,000 MB/s, which is
    /// 25,000,000 B in that time. It moved `rate` GB/s.
    fn floor(rate: f64, stated: Option<u64>) -> Option<Floor> {
        const DRAM: [(&str, &str, &str); 2] = [
            ("dram__bytes.sum.peak_sustained", "byte/cycle", "1000"),
            ("dram__cycles_elapsed.avg.per_second", "cycle/nsecond", "2.5"),
        ];
        let rate = rate.to_string();
        let columns = [
            ("ID", "", "0"),
            ("Kernel Name", "", "k"),
            ("Block Size", "", "(128, 1, 1)"),
            ("Grid Size", "", "(64, 1, 1)"),
            (DURATION, "nsecond", "10000"),
            ("dram__bytes.sum.per_second", "Gbyte/second", &rate),
            DRAM[0],
            DRAM[1],
        ];
        let line = |part: fn(&(&str, &str, &str)) -> String| columns.iter().map(part).collect::<Vec<_>>().join(",");
        let text = format!(
            "{}\n{}\n{}\n",
            line(|column| format!("\"{}\"", column.0)),
            line(|column| format!("\"{}\"", column.1)),
            line(|column| format!("\"{}\"", column.2))
        );
        let report = ncu_csv::read(text.as_bytes(), Origin::default(), &Want::default()).unwrap();
        let kernel = KernelSummary::new(groups(&report).remove(0));
        Floor::of(&kernel, &Work { bytes: stated, ..Work::default() })
    }

    fn is_near(found: f64, expected: f64) -> bool {
        (found - expected).abs() < 1e-9 * expected.abs().max(1.0)
    }

    #[test]
    fn what_dram_moved_beyond_the_work_is_waste() {
        // 2,000 GB/s × 10 µs = 20,000,000 B moved, 10,000,000 B stated: half is waste. At the peak the stated bytes take
        // 10,000,000 / 2.5e12 s = 4 µs of the 10: at most 60 % can be saved.
        let floor = floor(2000.0, Some(10_000_000)).unwrap();
        assert!(is_near(floor.moved, 20_000_000.0) && is_near(floor.stated, 10_000_000.0));
        assert!(is_near(floor.waste(), 50.0) && is_near(floor.most, 60.0), "{} {}", floor.waste(), floor.most);
        assert!(!floor.is_reached(&Limits::default()));
    }

    #[test]
    fn bytes_that_stayed_in_l2_take_no_time_of_dram() {
        // 500 GB/s × 10 µs = 5,000,000 B moved of 10,000,000 stated: no waste. The smaller takes 2 µs at the peak.
        let floor = floor(500.0, Some(10_000_000)).unwrap();
        assert!(
            floor.is_reached(&Limits::default()) && is_near(floor.waste(), 0.0) && is_near(floor.most, 80.0),
            "{}",
            floor.most
        );
    }

    #[test]
    fn a_twentieth_more_than_stated_still_counts_as_reached() {
        // 1,050 GB/s × 10 µs is 1.05 times the stated 10,000,000 B; 1,051 is more.
        assert!(floor(1049.0, Some(10_000_000)).unwrap().is_reached(&Limits::default()));
        assert!(!floor(1051.0, Some(10_000_000)).unwrap().is_reached(&Limits::default()));
    }

    #[test]
    fn nothing_is_said_without_stated_bytes_or_without_traffic() {
        assert!(floor(2000.0, None).is_none());
        assert!(floor(0.0, Some(10_000_000)).is_none());
    }
}
