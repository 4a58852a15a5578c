//! What a benchmark comes to: the kernel's time outside a profiler, beside its reference and beside the old side's.

use super::changed::{TimedChange, Timestretch, changed};
use super::inputs::{self, OtherInputs};
use super::states::{self, Held, Step, Stretch};
use super::timed::{Timed, drift, nanoseconds, timed};
use crate::analysis::{Limits, Sample, Work, versus::verdict::Shift};
use crate::catalog::Threshold;
use crate::evidence::{Benchmark, Clocks};

/// The times under another state of the clocks than that of the headline.
#[derive(Clone, Debug, PartialEq, serde::Serialize)]
pub struct OtherState {
    pub kernel: Timed,
    pub reference: Option<Timed>,
    /// The kernel's time over the reference's.
    pub ratio: Option<Shift>,
    /// What held the clocks down, as the driver's bits.
    pub held_by: u64,
}

/// A benchmark with what follows from it.
#[derive(Clone, Debug, PartialEq, serde::Serialize)]
pub struct Timing {
    /// What was measured, with every sample; of the inputs of the profile where others take another time.
    pub benchmark: Benchmark,
    /// Confidence of the intervals in percent.
    pub confidence: f64,
    /// The kernel, under one state of the clocks.
    pub kernel: Timed,
    /// The reference, under the same.
    pub reference: Option<Timed>,
    /// The kernel's time over the reference's: above 1 the reference is faster.
    pub ratio: Option<Shift>,
    /// The reference's product with the kernel that does the rest of the work, under the same.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub completed: Option<Timed>,
    /// A step in the times; `None` where there is none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub step: Option<Step>,
    /// The times on the other side of a step that parts two states of the clocks.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub other: Option<OtherState>,
    /// The inputs that were timed in turn with those of the profile, where they take another time.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub other_inputs: Option<OtherInputs>,
    /// Old against new; `None` without times of the old side.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub change: Option<TimedChange>,
    /// What weakens the times.
    pub cautions: Vec<Caution>,
}

/// What weakens the times of a benchmark.
#[derive(Clone, Copy, Debug, PartialEq, serde::Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Caution {
    /// Two events with nothing between them are so many ns apart, a large part of the kernel's time.
    Short(f64),
    /// The launches scatter by this many percent.
    Scatter(f64),
    /// The medians of the first and the last third are this many percent apart.
    Drift(f64),
    /// The SM clock moved: MHz before, MHz after.
    Clock(f64, f64),
    /// The median had not converged when a limit was reached.
    Open,
}

impl Timing {
    /// What a benchmark comes to for some stated work; `old` is that of the old side.
    pub fn of(benchmark: &Benchmark, old: Option<&Benchmark>, work: &Work, limits: &Limits) -> Option<Timing> {
        let confidence = limits[Threshold::VerdictConfidence];
        let other_inputs = inputs::other(benchmark, limits);
        let is_parted = other_inputs.is_some() || old.is_some_and(|old| inputs::other(old, limits).is_some());
        let first = |benchmark| if is_parted { inputs::of_first(benchmark) } else { benchmark.clone() };
        let (own, old) = (first(benchmark), old.map(first));
        let (benchmark, old) = (&own, old.as_ref());
        let (step, stretches) = states::stretches(benchmark, limits);
        let old_stretches = old.map(|old| states::stretches(old, limits).1);
        let (at, beside) = states::chosen(&stretches, old_stretches.as_deref());
        let stretch = stretches.get(at)?;
        let (kernel, reference, ratio) = under(benchmark, stretch, work, confidence)?;
        let other = stretches.iter().enumerate().find(|(other, _)| *other != at).and_then(|(_, other)| {
            let (kernel, reference, ratio) = under(benchmark, other, work, confidence)?;
            let Held::By(held_by) = other.held else { return None };
            Some(OtherState { kernel, reference, ratio, held_by })
        });
        let change = old.zip(old_stretches.as_deref()).and_then(|(old, stretches)| {
            let was = Timestretch { benchmark: old, stretch: stretches.get(beside.unwrap_or(0))? };
            changed(was, Timestretch { benchmark, stretch }, beside.is_some(), work, limits)
        });
        let cautions = cautions(benchmark, stretch, &kernel, step.is_some(), limits);
        let completed = benchmark.reference.as_ref().and_then(|reference| reference.completed.as_ref());
        let completed = completed.and_then(|both| timed(stretch.of(&both.samples_ms), work, confidence, stretch));
        Some(Timing {
            benchmark: own,
            confidence,
            kernel,
            reference,
            ratio,
            completed,
            step,
            other,
            other_inputs,
            change,
            cautions,
        })
    }
}

impl Timing {
    /// The same with nothing said of the stated work.
    pub(in crate::analysis) fn without_rates(mut self) -> Timing {
        let own = [Some(&mut self.kernel), self.reference.as_mut(), self.completed.as_mut()];
        let other = self.other.iter_mut().flat_map(|other| [Some(&mut other.kernel), other.reference.as_mut()]);
        for timed in own.into_iter().chain(other).flatten() {
            (timed.flop_rate, timed.byte_rate) = (None, None);
        }
        self
    }
}

/// Kernel, reference and their ratio over a stretch of samples.
fn under(
    benchmark: &Benchmark,
    stretch: &Stretch,
    work: &Work,
    confidence: f64,
) -> Option<(Timed, Option<Timed>, Option<Shift>)> {
    let own = stretch.of(&benchmark.samples_ms);
    let kernel = timed(own, work, confidence, stretch)?;
    let beside = benchmark.reference.as_ref();
    let reference = beside.and_then(|reference| {
        let work = Work { flop: reference.flop.or(work.flop), ..work.clone() };
        timed(stretch.of(&reference.samples_ms), &work, confidence, stretch)
    });
    let ratio = beside.and_then(|reference| Shift::of(stretch.of(&reference.samples_ms), own, confidence));
    let interval = |shift: Shift| shift.interval.filter(|_| !stretch.has_step);
    Some((kernel, reference, ratio.map(|ratio| Shift { interval: interval(ratio), ..ratio })))
}

fn cautions(benchmark: &Benchmark, stretch: &Stretch, kernel: &Timed, has_step: bool, limits: &Limits) -> Vec<Caution> {
    let is_long = |empty: &f64| 100.0 * empty > limits[Threshold::BenchmarkOverhead] * kernel.time.median;
    let empty = Sample::of(&nanoseconds(&benchmark.empty_ms), limits[Threshold::VerdictConfidence]);
    let empty = empty.map(|empty| empty.median).filter(is_long);
    let scatter = kernel.time.scatter.filter(|scatter| *scatter > limits[Threshold::Dispersion]);
    let drift = drift(stretch.of(&benchmark.samples_ms));
    let drift = drift.filter(|drift| !has_step && *drift > limits[Threshold::BenchmarkDrift]);
    let mhz = |clocks: &Option<Clocks>| clocks.as_ref()?.sm_mhz;
    let clocks = mhz(&benchmark.clocks_before).zip(mhz(&benchmark.clocks_after));
    let clocks = clocks.filter(|(was, is)| {
        !has_step && 100.0 * (was.max(*is) / was.min(*is) - 1.0) > limits[Threshold::ClockDifference]
    });
    let is_open = benchmark.told.is_none() && benchmark.method.ended_by != "stable";
    let all = [
        empty.map(Caution::Short),
        scatter.map(Caution::Scatter),
        drift.map(Caution::Drift),
        clocks.map(|(was, is)| Caution::Clock(was, is)),
        is_open.then_some(Caution::Open),
    ];
    all.into_iter().flatten().collect()
}

#[cfg(test)]
pub(in crate::analysis) mod tests {
    use super::*;
    use crate::analysis::{Doubt, Verdict};
    use crate::evidence::Reading;
    use crate::evidence::{DeviceFacts, FlushedBy, LaunchFacts, TimedReference, TimingMethod};

    /// A benchmark on an H200 at some clock, with these samples.
    pub(in crate::analysis) fn benchmark(samples_ms: Vec<f64>, mhz: Option<f64>) -> Benchmark {
        let clocks = mhz.map(|mhz| Clocks { sm_mhz: Some(mhz), ..Clocks::default() });
        let method =
            TimingMethod { flushed_bytes: 1 << 28, flushed_by: FlushedBy::Reads, seed: 1, ..Default::default() };
        Benchmark {
            device: DeviceFacts { name: "NVIDIA H200".into(), ..DeviceFacts::default() },
            launch: LaunchFacts { kernel: "scale".into(), grid: [64, 1, 1], block: [128, 1, 1], ..Default::default() },
            method: TimingMethod { ended_by: "stable".into(), ..method },
            clocks_before: clocks.clone(),
            clocks_after: clocks,
            samples_ms,
            empty_ms: vec![0.001; 20],
            ..Benchmark::default()
        }
    }

    /// Thirty times around one, with a scatter of about half a percent.
    pub(in crate::analysis) fn around(ms: f64) -> Vec<f64> {
        (0..30).map(|at| ms * (1.0 + 0.001 * f64::from((at * 7) % 11))).collect()
    }

    fn of(new: &Benchmark, old: Option<&Benchmark>) -> Timing {
        let work = Work { flop: Some(2_000_000), ..Work::default() };
        Timing::of(new, old, &work, &Limits::default()).expect("samples")
    }

    #[test]
    fn times_that_drift_are_told_and_decide_nothing_smaller() {
        let stepped = |ms: f64| (0..30).map(|at| if at < 12 { ms } else { ms * 1.1 }).collect::<Vec<_>>();
        let timing = of(&benchmark(stepped(1.0), Some(1980.0)), Some(&benchmark(around(1.0), Some(1980.0))));
        let step = timing.step.expect("a step");
        assert_eq!((step.at, step.parts_states, timing.kernel.time.interval), (12, false, None));
        let change = timing.change.expect("two sides");
        assert_eq!((change.verdict, change.time.interval), (Verdict::Ambiguous, None), "{change:?}");
        assert!(matches!(change.doubt, Some(Doubt::Drift(drift)) if (drift - 10.0).abs() < 0.1), "{:?}", change.doubt);
        // A change that is larger than the drift stands.
        let halved = of(&benchmark(stepped(0.5), Some(1980.0)), Some(&benchmark(around(1.0), Some(1980.0))));
        assert_eq!(halved.change.expect("two sides").verdict, Verdict::Faster);
        let steady = of(&benchmark(around(1.0), Some(1980.0)), None);
        assert!(steady.cautions.iter().all(|caution| !matches!(caution, Caution::Drift(_))), "{:?}", steady.cautions);
    }

    #[test]
    fn rates_and_the_ratio_by_hand() {
        let mut new = benchmark(vec![0.002; 30], Some(1980.0));
        let samples_ms = vec![0.001; 30];
        new.reference = Some(TimedReference { flop: Some(1_000_000), samples_ms, ..TimedReference::default() });
        let timing = of(&new, None);
        assert_eq!(timing.kernel.time.median, 2_000.0);
        // 2e6 / 2 µs = 1e12 per second, and 1e6 / 1 µs for the reference.
        assert_eq!(timing.kernel.flop_rate.as_ref().and_then(Reading::value), Some(1e12));
        assert_eq!(timing.reference.as_ref().and_then(|side| side.flop_rate.as_ref()?.value()), Some(1e12));
        assert_eq!(timing.kernel.byte_rate, None);
        let ratio = timing.ratio.expect("a reference");
        assert_eq!((ratio.factor, ratio.interval), (2.0, Some((2.0, 2.0))));
        assert_eq!(timing.cautions, [Caution::Short(1_000.0)]);
    }

    #[test]
    fn old_and_new_are_judged_in_time_and_in_cycles() {
        let old = benchmark(around(1.0), Some(1980.0));
        let verdict = |new: Benchmark| of(&new, Some(&old)).change.expect("both sides").verdict;
        assert_eq!(verdict(benchmark(around(0.9), Some(1980.0))), Verdict::Faster);
        assert_eq!(verdict(benchmark(around(1.1), Some(1980.0))), Verdict::Slower);
        assert_eq!(verdict(benchmark(around(1.0), Some(1980.0))), Verdict::Same);
        // A tenth less time at a clock that is a tenth higher is the same number of cycles.
        assert_eq!(verdict(benchmark(around(0.9), Some(2200.0))), Verdict::Ambiguous);
        assert_eq!(verdict(benchmark(around(0.9), None)), Verdict::Ambiguous);
        let mut elsewhere = benchmark(around(0.9), Some(1980.0));
        elsewhere.device.name = "NVIDIA A100".into();
        assert_eq!(verdict(elsewhere), Verdict::NotComparable);
        let mut warm = benchmark(around(0.9), Some(1980.0));
        warm.method.flushed_bytes = 0;
        assert_eq!(verdict(warm), Verdict::NotComparable);
        let mut written = benchmark(around(0.9), Some(1980.0));
        written.method.flushed_by = FlushedBy::Writes;
        assert_eq!(verdict(written), Verdict::NotComparable);
    }

    #[test]
    fn inputs_that_take_another_time_are_another_time() {
        let turns = |one: f64, other: f64| {
            let pairs = around(one).into_iter().zip(around(other)).flat_map(|(one, other)| [one, other]);
            let mut new = benchmark(pairs.collect(), Some(1980.0));
            new.method.other_seed = Some(2);
            new
        };
        let timing = of(&turns(1.0, 1.2), Some(&turns(1.05, 1.1)));
        assert_eq!(timing.kernel.time.count, 30);
        assert!((timing.kernel.time.median / 1.005e6 - 1.0).abs() < 1e-3, "{:?}", timing.kernel);
        let other = timing.other_inputs.expect("two times");
        assert_eq!((other.seed, (other.ns / 1.206e6 - 1.0).abs() < 1e-3), (2, true));
        // Of both inputs together the new side is slower.
        assert_eq!(timing.change.expect("two sides").verdict, Verdict::Faster);
        assert!(timing.cautions.is_empty(), "{:?}", timing.cautions);
        let alike = of(&turns(1.0, 1.0), None);
        assert_eq!((alike.kernel.time.count, alike.other_inputs), (60, None));
    }

    #[test]
    fn what_weakens_times_is_said() {
        let mut new = benchmark(around(1.0), Some(1980.0));
        assert!(of(&new, None).cautions.is_empty());
        new.method.ended_by = "time".into();
        new.clocks_after.as_mut().expect("read").sm_mhz = Some(1755.0);
        let cautions = of(&new, None).cautions;
        assert_eq!(cautions, [Caution::Clock(1980.0, 1755.0), Caution::Open]);
    }
}
