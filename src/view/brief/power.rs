//! The power cap: what a saved cycle buys in time where power holds the clock down.

use crate::analysis::Audit;
use crate::quantity::format;
use crate::words;
use crate::words::Words;

/// The driver's bit for a clock that the power limit holds down.
const POWER_CAP: u64 = 0x4;
/// Percent of the cycles that must have changed for an exchange rate with time.
const LEAST: f64 = 3.0;

/// That power holds the clock down, and what a saved cycle buys in time there, where both sides were measured so.
pub(super) fn cap(audit: &Audit) -> Option<Words> {
    let timing = audit.timing.as_ref()?;
    let benchmark = &timing.benchmark;
    let held = [&benchmark.clocks_before, &benchmark.clocks_after].into_iter().flatten();
    let is_capped = held.filter_map(|clocks| clocks.held_by()).any(|bits| bits & POWER_CAP != 0);
    let cycles = audit.performance.cycles.new.value().filter(|_| is_capped)?;
    let clock = format::fixed(cycles / timing.kernel.time.median, 2);
    let top = audit.stated.floor.as_ref().and_then(|floor| floor.clock);
    let of = top.map(|hertz| format!(" of {}", format::fixed(hertz / 1e9, 2))).unwrap_or_default();
    let whole = audit.comparison.as_ref().and_then(|comparison| comparison.whole.cycles.as_ref());
    let saved = whole.map(|judged| 100.0 * (judged.new.median / judged.old.median - 1.0));
    let rate = saved.zip(audit.change_of_time()).filter(|(cycles, time)| cycles.abs() >= LEAST && cycles * time > 0.0);
    let rate = rate.map(|(cycles, time)| {
        format!(
            " {} % cycles were {} % time here: a cycle saved buys {} of its share.",
            format::signed(cycles, 1),
            format::signed(time, 1),
            format::fixed(time / cycles, 1)
        )
    });
    Some(words!(
        "**Power cap:** {}{} GHz. Ceilings are of cycles.{} Fewer joules a launch raise the clock; fewer cycles alone lower it.",
        clock,
        of,
        rate.unwrap_or_default()
    ))
}
