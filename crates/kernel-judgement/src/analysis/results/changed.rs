//! Old against new by their benchmarks, under like states of the clocks only.

use super::states::Stretch;
use super::timed::{Timed, drift, nanoseconds, timed};
use crate::analysis::{
    Course, Judged, Limits, Verdict, Whole, Work, both_agree, judge, versus::hypothesis::TimeChange,
};
use crate::catalog::Threshold;
use crate::evidence::{Benchmark, FlushedBy};

/// The old side's benchmark beside the new one's.
#[derive(Clone, Debug, PartialEq, serde::Serialize)]
pub struct TimedChange {
    pub old: Timed,
    /// The change in time; without an interval across a step.
    pub time: Judged,
    /// The change in cycles, each time multiplied with its side's SM clock; `None` where a clock was not read.
    pub cycles: Option<Judged>,
    /// FASTER, SLOWER, SAME, AMBIGUOUS or NOT COMPARABLE.
    pub verdict: Verdict,
    /// Why it does not decide; `None` where it does.
    pub doubt: Option<Doubt>,
}

/// The time of a launch on both sides, from one source.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TimeOfChange {
    /// Whether benchmarks took it; ncu did otherwise.
    pub is_timed: bool,
    /// Median of the old side in ns.
    pub old: f64,
    /// Median of the new side in ns.
    pub new: f64,
}

impl TimeOfChange {
    /// By how much it changed, in percent.
    pub fn percent(&self) -> f64 {
        100.0 * (self.new / self.old - 1.0)
    }

    /// What took it, as a word behind the number.
    pub fn source(&self) -> &'static str {
        if self.is_timed { "benchmark" } else { "ncu" }
    }
}

impl Whole {
    /// The time of a launch on both sides beside what the benchmarks say of it.
    pub fn time_of_change(&self, timed: Option<&TimedChange>) -> Option<TimeOfChange> {
        let timed = timed.filter(|timed| timed.tells()).map(|timed| (&timed.time, true));
        let (judged, is_timed) = timed.or_else(|| Some((self.time.as_ref()?, false)))?;
        Some(TimeOfChange { is_timed, old: judged.old.median, new: judged.new.median })
    }
}

/// Bytes that go through L2 before each launch, and how; `None` where nothing is done to L2.
pub type Flush = Option<(u64, FlushedBy)>;

/// Why times do not decide.
#[derive(Clone, Debug, PartialEq, serde::Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Doubt {
    /// They are of two GPUs: the old one, the new one.
    OtherGpu(String, String),
    /// L2 held other data before each launch: on the old side, on the new one.
    OtherFlush(Flush, Flush),
    /// Another tool took the times of one side: what a time is, old and new; `None` for this program's.
    OtherTool(Option<String>, Option<String>),
    /// The clocks were throttled on one side only.
    Throttled,
    /// Within one side they drift by this many percent, more than the sides differ.
    Drift(f64),
    /// Clocks were not read on both sides.
    NoClocks,
    /// The SM clock differed, and time and cycles disagree.
    Clocks,
    /// Their interval includes both no change and a change that counts.
    Wide,
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

impl TimedChange {
    /// Whether the two benchmarks compare, so that the change of the time is theirs and not the profiler's.
    pub fn tells(&self) -> bool {
        self.verdict != Verdict::NotComparable
    }

    /// What a hypothesis on the time is held against; `None` where the benchmarks do not compare.
    pub(in crate::analysis) fn of_time(&self) -> Option<TimeChange> {
        let Judged { interval, old, new, .. } = &self.time;
        let found = TimeChange { percent: self.percent(), interval: *interval, count: old.count.min(new.count) };
        self.tells().then_some(found)
    }

    /// By how much the median changed, in percent.
    pub fn percent(&self) -> f64 {
        100.0 * (self.time.new.median / self.time.old.median - 1.0)
    }
}

fn told(benchmark: &Benchmark) -> Option<String> {
    benchmark.told.as_ref().map(|told| told.what.clone())
}

fn flush(benchmark: &Benchmark) -> Flush {
    let method = &benchmark.method;
    (method.flushed_bytes > 0).then_some((method.flushed_bytes, method.flushed_by))
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
    let (old_gpu, gpu) = (&old.benchmark.device.name, &new.benchmark.device.name);
    let (was, is) = (flush(old.benchmark), flush(new.benchmark));
    let drift = [&before, &after].into_iter().filter_map(|samples| drift(samples)).max_by(f64::total_cmp);
    let is_more =
        |drift: &f64| time.change.is_some_and(|change| *drift > change.abs().max(limits[Threshold::Unchanged]));
    let (verdict, doubt) = if told(old.benchmark) != told(new.benchmark) {
        (Verdict::NotComparable, Some(Doubt::OtherTool(told(old.benchmark), told(new.benchmark))))
    } else if old_gpu != gpu {
        (Verdict::NotComparable, Some(Doubt::OtherGpu(old_gpu.clone(), gpu.clone())))
    } else if was != is {
        (Verdict::NotComparable, Some(Doubt::OtherFlush(was, is)))
    } else if !is_alike {
        (Verdict::NotComparable, Some(Doubt::Throttled))
    } else if let Some(drift) = drift.filter(is_more) {
        (Verdict::Ambiguous, Some(Doubt::Drift(drift)))
    } else {
        decided(&time, cycles.as_ref(), limits)
    };
    Some(TimedChange { old: side, time, cycles, verdict, doubt })
}

fn decided(time: &Judged, cycles: Option<&Judged>, limits: &Limits) -> (Verdict, Option<Doubt>) {
    let (course, doubt) = match cycles {
        None if time.course == Course::Same => (Course::Same, Doubt::Wide),
        None => (Course::Unclear, Doubt::NoClocks),
        Some(cycles) if time.course != cycles.course => (both_agree(time, cycles, limits), Doubt::Clocks),
        Some(cycles) => (both_agree(time, cycles, limits), Doubt::Wide),
    };
    match course {
        Course::Down => (Verdict::Faster, None),
        Course::Up => (Verdict::Slower, None),
        Course::Same => (Verdict::Same, None),
        Course::Unclear => (Verdict::Ambiguous, Some(doubt)),
    }
}

#[cfg(test)]
mod tests {
    use super::Doubt;
    use crate::analysis::results::timing::tests::{around, benchmark};
    use crate::analysis::{Limits, Timing, Verdict, Work};
    use crate::evidence::{Benchmark, ToldTimes};

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
    fn times_of_another_tool_do_not_compare_whatever_gpu_they_name() {
        let told = ToldTimes { row: "r".into(), what: "a call".into(), taken: 30, stands_for: None };
        let mut other = free(0.9);
        (other.told, other.device.name) = (Some(told), String::new());
        let change = timing(&other, &free(1.0)).change.expect("two sides");
        assert_eq!(change.verdict, Verdict::NotComparable);
        assert!(matches!(change.doubt, Some(Doubt::OtherTool(None, Some(_)))), "{:?}", change.doubt);
    }

    #[test]
    fn like_states_are_compared() {
        let timing = timing(&capped(0.9), &free(1.0));
        let change = timing.change.as_ref().expect("two sides");
        assert_eq!((change.verdict, timing.kernel.time.count), (Verdict::Faster, 10), "{change:?}");
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
        assert_eq!(change.doubt, Some(Doubt::Throttled));
        // Of two states the one that the other side has is the headline.
        let timing = timing(&capped(0.9), &always);
        assert_eq!((timing.kernel.time.count, timing.change.expect("two sides").verdict), (20, Verdict::Same));
    }
}
