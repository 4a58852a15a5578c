//! Old against new by their benchmarks, under like states of the clocks only.

use super::states::Stretch;
use super::timed::{Timed, drift, nanoseconds, timed};
use crate::analysis::kernel::stated::Work;
use crate::analysis::limits::Limits;
use crate::analysis::versus::verdict::{Course, Judged, Verdict, both_agree, judge};
use crate::catalog::Threshold;
use crate::evidence::Benchmark;
use crate::quantity::format;

/// The old side's benchmark beside the new one's.
#[derive(Clone, Debug, PartialEq, serde::Serialize)]
pub struct TimedChange {
    /// The old side.
    pub old: Timed,
    /// The change in time; without an interval across a step.
    pub time: Judged,
    /// The change in cycles, each time multiplied with its side's SM clock; `None` where a clock was not read.
    pub cycles: Option<Judged>,
    /// FASTER, SLOWER, SAME, AMBIGUOUS or NOT COMPARABLE.
    pub verdict: Verdict,
    /// Why it does not decide, in plain text; empty where it does.
    pub why: String,
}

/// A benchmark, and the stretch of its samples that is compared.
#[derive(Clone, Copy)]
pub(super) struct Timestretch<'b> {
    pub(super) benchmark: &'b Benchmark,
    pub(super) stretch: &'b Stretch,
}

impl Timestretch<'_> {
    fn samples(&self) -> Vec<f64> {
        nanoseconds(self.stretch.of(&self.benchmark.samples_ms))
    }
}

/// What is done to L2 before each launch, `256,000,000 bytes are read`.
fn flushed(benchmark: &Benchmark) -> String {
    let method = &benchmark.method;
    match method.flushed_bytes {
        0 => "nothing is done to L2".to_owned(),
        bytes => format!("{} bytes are {}", format::integer(bytes), method.flushed_by.participle()),
    }
}

/// The change from old to new; `is_alike` says whether the two stretches are of one state of the clocks.
pub(super) fn changed(
    old: Timestretch<'_>,
    new: Timestretch<'_>,
    is_alike: bool,
    work: &Work,
    limits: &Limits,
) -> Option<TimedChange> {
    let own = old.stretch.of(&old.benchmark.samples_ms);
    let side = timed(own, work, limits[Threshold::VerdictConfidence], old.stretch)?;
    let (before, after) = (old.samples(), new.samples());
    let has_step = old.stretch.has_step || new.stretch.has_step;
    let without = |judged: Judged| Judged { interval: judged.interval.filter(|_| !has_step && is_alike), ..judged };
    let time = judge(&before, &after, limits).map(without)?;
    let in_cycles = |samples: &[f64], mhz: f64| samples.iter().map(|ns| ns * mhz / 1e3).collect::<Vec<_>>();
    let clocks = old.stretch.mhz.zip(new.stretch.mhz);
    let cycles = clocks.and_then(|(was, is)| judge(&in_cycles(&before, was), &in_cycles(&after, is), limits));
    let cycles = cycles.map(without);
    let (verdict, why) = if old.benchmark.device.name != new.benchmark.device.name {
        let why = format!("it ran on another GPU: {} → {}", old.benchmark.device.name, new.benchmark.device.name);
        (Verdict::NotComparable, why)
    } else if flushed(old.benchmark) != flushed(new.benchmark) {
        let (old, new) = (flushed(old.benchmark), flushed(new.benchmark));
        (Verdict::NotComparable, format!("before each launch: {old} → {new}"))
    } else if !is_alike {
        let why = "the clocks were throttled on one side only: times do not compare, cycles do";
        (Verdict::NotComparable, why.to_owned())
    } else if let Some(drift) =
        [&before, &after].into_iter().filter_map(|samples| drift(samples)).max_by(f64::total_cmp)
        && time.change.is_some_and(|change| drift > change.abs().max(limits[Threshold::Unchanged]))
    {
        let why = format!("times drift by {} % within one side, more than the sides differ", format::fixed(drift, 1));
        (Verdict::Ambiguous, why)
    } else {
        decided(&time, cycles.as_ref(), limits)
    };
    Some(TimedChange { old: side, time, cycles, verdict, why })
}

fn decided(time: &Judged, cycles: Option<&Judged>, limits: &Limits) -> (Verdict, String) {
    let Some(cycles) = cycles else {
        return match time.course {
            Course::Same => (Verdict::Same, String::new()),
            _ => (Verdict::Ambiguous, "clocks were not read on both sides, so they cannot be ruled out".to_owned()),
        };
    };
    match both_agree(time, cycles, limits) {
        Course::Down => (Verdict::Faster, String::new()),
        Course::Up => (Verdict::Slower, String::new()),
        Course::Same => (Verdict::Same, String::new()),
        Course::Unclear if time.course != cycles.course => {
            (Verdict::Ambiguous, "the SM clock differed, and time and cycles disagree".to_owned())
        }
        Course::Unclear => {
            (Verdict::Ambiguous, "its interval includes both no change and a change that counts".to_owned())
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::analysis::kernel::stated::Work;
    use crate::analysis::limits::Limits;
    use crate::analysis::results::timing::Timing;
    use crate::analysis::results::timing::tests::{around, benchmark};
    use crate::analysis::versus::verdict::Verdict;
    use crate::evidence::Benchmark;

    /// A kernel that meets its power limit at the tenth of thirty samples and takes a ninth longer from there on.
    fn capped(ms: f64) -> Benchmark {
        let samples = around(ms).into_iter().enumerate().map(|(at, ms)| if at < 10 { ms } else { ms * 1.11 });
        let mut capped = benchmark(samples.collect(), Some(1980.0));
        let after = capped.clocks_after.as_mut().expect("read");
        (after.throttle, after.sm_mhz) = ("0x4".into(), Some(1780.0));
        capped.clocks_before.as_mut().expect("read").throttle = "0x0".into();
        capped
    }

    fn free(ms: f64) -> Benchmark {
        let mut free = benchmark(around(ms), Some(1980.0));
        for clocks in [&mut free.clocks_before, &mut free.clocks_after] {
            clocks.as_mut().expect("read").throttle = "0x0".into();
        }
        free
    }

    fn timing(new: &Benchmark, old: &Benchmark) -> Timing {
        Timing::of(new, Some(old), &Work::default(), &Limits::default()).expect("samples")
    }

    #[test]
    fn like_states_are_compared() {
        let timing = timing(&capped(0.9), &free(1.0));
        let change = timing.change.as_ref().expect("two sides");
        assert_eq!((change.verdict, timing.kernel.time.count), (Verdict::Faster, 10), "{}", change.why);
        assert!((change.time.percent() + 10.0).abs() < 0.5, "{:?}", change.time);
        let (low, high) = change.time.interval.expect("within one state");
        assert!(low < -9.0 && high < -9.0, "{low} {high}");
        let other = timing.other.expect("the capped state");
        assert_eq!((other.held_by, other.kernel.time.count), (4, 20));
    }

    #[test]
    fn states_without_a_like_one_do_not_compare() {
        let mut always = free(1.0);
        for clocks in [&mut always.clocks_before, &mut always.clocks_after] {
            let clocks = clocks.as_mut().expect("read");
            (clocks.throttle, clocks.sm_mhz) = ("0x4".into(), Some(1780.0));
        }
        let change = timing(&free(0.9), &always).change.expect("two sides");
        assert_eq!((change.verdict, change.time.interval), (Verdict::NotComparable, None));
        assert!(change.why.contains("throttled on one side"), "{}", change.why);
        // Of two states the one that the other side has is the headline.
        let timing = timing(&capped(0.9), &always);
        assert_eq!((timing.kernel.time.count, timing.change.expect("two sides").verdict), (20, Verdict::Same));
    }
}
