//! The builds of one source side by side, as they were measured.

use super::{timed::nanoseconds, timing::Timing};
use crate::analysis::{
    KernelSummary, Limits, MeasuredVariant, Sample, Side, Standing, TimedLaunches, correctness::Looked,
    kernel::summary::DURATION, versus::verdict::Shift,
};
use crate::catalog::Threshold;
use crate::evidence::TestRun;

/// The times of one build, in ns.
#[derive(Clone, Debug, PartialEq, serde::Serialize)]
pub struct VariantTimes {
    /// What the subject calls it.
    pub name: String,
    /// What is known of its results.
    pub standing: Standing,
    /// Its launches under ncu; `None` where there are none, and for wrong results, whose time is none to quote.
    pub profiled: Option<Sample>,
    /// Its launches by the benchmark, on the same terms.
    pub timed: Option<Sample>,
    /// How its time goes from the first build's: by the benchmark where both have one, else by ncu. `None` for the first, and
    /// where the launches of either are too few for an interval.
    pub against_first: Option<Shift>,
}

impl VariantTimes {
    /// Those of a side, whose kernel `kernel` is, and of the other builds of its source; empty where no other was measured.
    pub(in crate::analysis) fn of(side: &Side, kernel: &KernelSummary<'_>, limits: &Limits) -> Vec<VariantTimes> {
        let [first, further @ ..] = side.variants.as_slice() else { return Vec::new() };
        let profiled = TimedLaunches { ns: kernel.values(DURATION), cycles: Vec::new() };
        let own = MeasuredVariant {
            name: first.name.clone(),
            launches: side.launches.clone().or(Some(profiled)),
            benchmark: side.benchmark.clone(),
            correctness: side.correctness.clone(),
            sanitizer: side.sanitizer.clone(),
        };
        let first = Measured::of(&own, side.tested.as_ref(), side, limits);
        let others = further.iter().map(|variant| {
            let other = Measured::of(variant, None, side, limits);
            let against_first = other.against(&first, limits);
            VariantTimes { against_first, ..other.times(limits) }
        });
        std::iter::once(first.times(limits)).chain(others).collect()
    }
}

/// A build with its launches, in ns.
struct Measured {
    name: String,
    standing: Standing,
    profiled: Vec<f64>,
    timing: Option<Timing>,
}

impl Measured {
    fn of(variant: &MeasuredVariant, tested: Option<&TestRun>, side: &Side, limits: &Limits) -> Measured {
        let looked = Looked { correctness: variant.correctness.as_ref(), tested, sanitizer: &variant.sanitizer };
        let standing = looked.standing();
        let is_told = standing != Standing::Wrong;
        let launches = variant.launches.as_ref().filter(|_| is_told);
        let benchmark = variant.benchmark.as_ref().filter(|_| is_told);
        Measured {
            name: variant.name.clone(),
            standing,
            profiled: launches.map(|launches| launches.ns.clone()).unwrap_or_default(),
            timing: benchmark.and_then(|times| Timing::of(times, None, &side.work, limits)),
        }
    }

    fn times(&self, limits: &Limits) -> VariantTimes {
        VariantTimes {
            name: self.name.clone(),
            standing: self.standing,
            profiled: Sample::of(&self.profiled, limits[Threshold::VerdictConfidence]),
            timed: self.timing.as_ref().map(|timing| timing.kernel.time),
            against_first: None,
        }
    }

    /// Its samples by the benchmark; `None` where a step of the clock parts them.
    fn samples(&self) -> Option<Vec<f64>> {
        let timing = self.timing.as_ref().filter(|timing| timing.step.is_none())?;
        Some(nanoseconds(&timing.benchmark.samples_ms))
    }

    fn against(&self, first: &Measured, limits: &Limits) -> Option<Shift> {
        let confidence = limits[Threshold::VerdictConfidence];
        let shift = match (first.samples(), self.samples()) {
            (Some(first), Some(own)) => Shift::of(&first, &own, confidence),
            _ => Shift::of(&first.profiled, &self.profiled, confidence),
        };
        shift.filter(|shift| shift.interval.is_some())
    }
}
