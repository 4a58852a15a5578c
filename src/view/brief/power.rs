//! What a saved cycle buys in time, also where power holds the clock down.

use crate::analysis::Audit;
use crate::catalog::{Code, Part};
use crate::quantity::format;
use crate::view::groups::distinct;
use crate::words::{Words, words};

/// The driver's bit for a clock that the power limit holds down.
const POWER_CAP: u64 = 0x4;
/// Percent of the cycles that must have changed for an exchange rate with time.
const LEAST: f64 = 3.0;

/// A clock that power holds down.
struct PowerCap {
    /// Cycles over the benchmark's time, in GHz.
    clock: f64,
    /// That of the old side, where the benchmarks compare.
    was: Option<f64>,
    exchange: Option<Exchange>,
}

/// How far cycles and time moved, in percent of the old side, under the cap and in one direction.
struct Exchange {
    cycles: f64,
    time: f64,
}

impl Exchange {
    /// The share of the time that a share of the cycles is.
    fn rate(&self) -> f64 {
        self.time / self.cycles
    }

    fn words(&self) -> String {
        let [cycles, time] = [self.cycles, self.time].map(|percent| format::signed(percent, 1));
        format!(" {cycles} % cycles were {time} % time here.")
    }

    /// `a cycle saved buys 0.3 of its share of the time`.
    fn buys(&self) -> String {
        let buys = if self.cycles < 0.0 { "a cycle saved buys" } else { "a cycle more cost" };
        format!("{buys} {} of its share of the time", format::fixed(self.rate(), 1))
    }
}

impl PowerCap {
    /// The cap; `None` where the benchmark's clocks do not show one.
    fn of(audit: &Audit) -> Option<PowerCap> {
        let timing = audit.trials.timing.as_ref()?;
        let benchmark = &timing.benchmark;
        let held = [&benchmark.clocks_before, &benchmark.clocks_after].into_iter().flatten();
        let is_capped = held.filter_map(|clocks| clocks.held_by()).any(|bits| bits & POWER_CAP != 0);
        let cycles = audit.performance.cycles.new.value().filter(|_| is_capped)?;
        let whole = audit.comparison().and_then(|comparison| comparison.whole.cycles.as_ref());
        let moved = whole.map(|judged| 100.0 * (judged.new.median / judged.old.median - 1.0));
        let exchange = moved.zip(audit.change_of_time()).map(|(cycles, time)| Exchange { cycles, time });
        let before = timing.change.as_ref().filter(|change| change.tells()).map(|change| change.old.time.median);
        Some(PowerCap {
            clock: cycles / timing.kernel.time.median,
            was: whole.zip(before).map(|(judged, time)| judged.old.median / time),
            exchange: exchange.filter(|moved| moved.cycles.abs() >= LEAST && moved.cycles * moved.time > 0.0),
        })
    }

    /// The nanoseconds of which a saved share of the cycles of a launch of `ns` is that share: at most all, as fewer cycles alone lower
    /// the clock; `None` where nothing tells what a cycle buys.
    fn worth(&self, ns: f64) -> Option<f64> {
        Some(ns * self.exchange.as_ref()?.rate().min(1.0))
    }
}

/// The nanoseconds of which a saved share of the cycles is that share: by the benchmark, else by the profiler; `None` where neither timed a
/// launch, and where power holds the clock down and nothing tells what a cycle buys.
pub(super) fn worth(audit: &Audit) -> Option<f64> {
    let timed = audit.trials.timing.as_ref().map(|timing| timing.kernel.time.median);
    let ns = timed.or_else(|| audit.performance.time.new.value())?;
    PowerCap::of(audit).map_or(Some(ns), |cap| cap.worth(ns))
}

/// That power holds the clock down, and what a cycle is in time there, where both sides were measured so.
pub(super) fn cap(audit: &Audit) -> Option<Words> {
    let cap = PowerCap::of(audit)?;
    let of =
        audit.stated.highest_clock.map(|hertz| format!(" of {}", format::fixed(hertz / 1e9, 2))).unwrap_or_default();
    let clock = distinct(cap.was.into_iter().chain([cap.clock]).map(|ghz| format::fixed(ghz, 2))).join(" → ");
    Some(words!("**Power cap:** {}{} GHz.{}", clock, of, words::maybe(cap.exchange.as_ref().map(Exchange::words))))
}

/// What ceilings in cycles are under the cap, and what else shortens a launch there; `None` where device memory, of a clock of its own, sets
/// the time.
pub(super) fn under_cap(audit: &Audit) -> Option<Words> {
    let is_of_dram = audit.now.bottleneck.limiter == Code::Unit(Part::MemoryDram);
    let exchange = PowerCap::of(audit).filter(|_| !is_of_dram)?.exchange;
    Some(match exchange.as_ref().map(Exchange::buys) {
        Some(buys) => words!("Under the power cap {}; fewer joules a launch raise the clock.", buys),
        None => "Under the power cap fewer joules a launch raise the clock; fewer cycles alone lower it.".into(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn worth(exchange: Option<(f64, f64)>) -> Option<f64> {
        let exchange = exchange.map(|(cycles, time)| Exchange { cycles, time });
        PowerCap { clock: 1.5, was: None, exchange }.worth(900.0)
    }

    #[test]
    fn a_share_of_the_cycles_is_time_at_the_measured_rate() {
        assert_eq!(worth(Some((16.0, 4.0))), Some(225.0));
        assert_eq!(worth(Some((-12.0, -6.0))), Some(450.0));
        assert_eq!(worth(Some((-4.0, -8.0))), Some(900.0));
        assert_eq!(worth(None), None);
    }

    #[test]
    fn cycles_that_rose_are_not_called_saved() {
        assert_eq!(Exchange { cycles: 16.0, time: 3.1 }.buys(), "a cycle more cost 0.2 of its share of the time");
        assert_eq!(Exchange { cycles: -12.5, time: -11.7 }.buys(), "a cycle saved buys 0.9 of its share of the time");
    }
}
