//! Benchmarks that take two sets of inputs in turn, so that nobody keeps an output: where sizes are read from memory, the two are other
//! work, and a median of both is the time of none.

use super::timed::nanoseconds;
use crate::analysis::{Limits, Sample};
use crate::catalog::Threshold;
use crate::evidence::Benchmark;

/// The time of the inputs that the profile does not have.
#[derive(Clone, Copy, Debug, PartialEq, serde::Serialize)]
pub struct OtherInputs {
    pub seed: u64,
    /// Median, in ns.
    pub ns: f64,
}

/// The other inputs, where their times lie apart from those of the first: by more than times may drift, their intervals besides.
pub(super) fn other(benchmark: &Benchmark, limits: &Limits) -> Option<OtherInputs> {
    let seed = benchmark.method.other_seed?;
    let of = |first: usize| {
        let samples: Vec<f64> = benchmark.samples_ms.iter().skip(first).step_by(2).copied().collect();
        Sample::of(&nanoseconds(&samples), limits[Threshold::VerdictConfidence])
    };
    let (own, other) = (of(0)?, of(1)?);
    let (a, b) = own.interval.zip(other.interval)?;
    let apart = 100.0 * (own.median.max(other.median) / own.median.min(other.median) - 1.0);
    let is_apart = (a.1 < b.0 || b.1 < a.0) && apart > limits[Threshold::BenchmarkDrift];
    is_apart.then_some(OtherInputs { seed, ns: other.median })
}

/// The benchmark of the first inputs, which are those of the profile.
pub(super) fn of_first(benchmark: &Benchmark) -> Benchmark {
    let mut own = benchmark.clone();
    if own.method.other_seed.is_none() {
        return own;
    }
    let first = |samples: &mut Vec<f64>| *samples = samples.iter().step_by(2).copied().collect();
    first(&mut own.samples_ms);
    if let Some(reference) = &mut own.reference {
        first(&mut reference.samples_ms);
        reference.completed.iter_mut().for_each(|both| first(&mut both.samples_ms));
    }
    own
}
