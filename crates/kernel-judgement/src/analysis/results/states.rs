//! Steps of the clock in the samples of a benchmark, and the states that they part.
//!
//! A power limit that sets in makes every launch behind it slower at once. Samples on both sides of such a step are not of
//! one distribution: no interval spans it, and times compare only under the same state of the clocks.

use crate::analysis::Limits;
use crate::analysis::kernel::readings::median;
use crate::catalog::Threshold;
use crate::evidence::{Benchmark, Clocks};
use std::ops::Range;

/// Samples that each side of a step has at least.
const LEAST: usize = 5;
/// How far apart the cuts of a kernel and its reference, timed in turn, may lie.
const BESIDE: usize = 2;
/// Cuts looked at; of more samples, an even choice is taken.
const MOST: usize = 1_000;
/// A step leaves at most this part of the distances from the median.
const LEFT: f64 = 0.5;

/// A step in the times.
#[derive(Clone, Copy, Debug, PartialEq, serde::Serialize)]
pub struct Step {
    /// Samples in front of it.
    pub at: usize,
    /// Medians of the kernel in front of it and behind it, in ns.
    pub kernel: (f64, f64),
    /// The same of the reference, where it steps at the same place.
    pub reference: Option<(f64, f64)>,
    /// Whether the driver held the clocks down by another reason behind it than in front: then the two are states.
    pub parts_states: bool,
}

/// What held the clocks down over a stretch of samples.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Held {
    /// The driver's bits; 0 for nothing.
    By(u64),
    /// Another at the end than at the beginning, without a step in the times.
    Mixed,
    /// Clocks were not read.
    Untold,
}

impl Held {
    /// Whether times under these two states compare, as far as is known.
    pub(super) fn is_like(self, other: Held) -> bool {
        match (self, other) {
            (Held::By(one), Held::By(two)) => one == two,
            _ => true,
        }
    }
}

/// Samples under one state of the clocks.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Stretch {
    pub(super) samples: Range<usize>,
    pub(super) held: Held,
    /// The SM clock in MHz.
    pub(super) mhz: Option<f64>,
    /// Whether a step lies within, so that there is no interval.
    pub(super) has_step: bool,
}

impl Stretch {
    /// Its part of some samples; of a reference that has fewer, what is there.
    pub(super) fn of<'s>(&self, samples: &'s [f64]) -> &'s [f64] {
        let end = self.samples.end.min(samples.len());
        samples.get(self.samples.start..end).unwrap_or_default()
    }
}

/// The step of a benchmark, and its stretches in order.
pub(super) fn stretches(benchmark: &Benchmark, limits: &Limits) -> (Option<Step>, Vec<Stretch>) {
    let (before, after) = (benchmark.clocks_before.as_ref(), benchmark.clocks_after.as_ref());
    let held = |clocks: Option<&Clocks>| clocks.and_then(Clocks::held_by).map_or(Held::Untold, Held::By);
    let mhz = |clocks: Option<&Clocks>| clocks.and_then(|clocks| clocks.sm_mhz);
    let count = benchmark.samples_ms.len();
    let parts_states = matches!((held(before), held(after)), (Held::By(one), Held::By(two)) if one != two);
    let step = step(benchmark, limits).map(|step| Step { parts_states, ..step });
    if let Some(step) = step.filter(|step| step.parts_states) {
        let part = |samples, clocks| Stretch { samples, held: held(clocks), mhz: mhz(clocks), has_step: false };
        // A limit makes a kernel slower. Where nothing held the slower samples down, the clock was still rising.
        if held(before) == Held::By(0) && step.kernel.0 > step.kernel.1 {
            return (Some(Step { parts_states: false, ..step }), vec![part(step.at..count, after)]);
        }
        return (Some(step), vec![part(0..step.at, before), part(step.at..count, after)]);
    }
    let held = match (held(before), held(after)) {
        (Held::Untold, one) | (one, Held::Untold) => one,
        (one, two) if one == two => one,
        _ => Held::Mixed,
    };
    let mhz = match (mhz(before), mhz(after)) {
        (Some(before), Some(after)) => Some(f64::midpoint(before, after)),
        (one, other) => one.or(other),
    };
    (step, vec![Stretch { samples: 0..count, held, mhz, has_step: step.is_some() }])
}

/// Which stretches stand for two sides: a like pair, unthrottled if there is one; the new side's alone, with `None`, where no
/// two are alike or nothing is compared.
pub(super) fn chosen(new: &[Stretch], old: Option<&[Stretch]>) -> (usize, Option<usize>) {
    let pairs = new.iter().enumerate().flat_map(|(at, stretch)| {
        let alike = move |(_, other): &(usize, &Stretch)| stretch.held.is_like(other.held);
        old.into_iter().flatten().enumerate().filter(alike).map(move |(beside, _)| (at, beside))
    });
    let is_free = |at: &usize| new[*at].held == Held::By(0);
    let pairs: Vec<(usize, usize)> = pairs.collect();
    match pairs.iter().find(|(at, _)| is_free(at)).or(pairs.first()) {
        Some((at, beside)) => (*at, Some(*beside)),
        None => ((0..new.len()).find(is_free).unwrap_or(0), None),
    }
}

fn step(benchmark: &Benchmark, limits: &Limits) -> Option<Step> {
    let own = &benchmark.samples_ms;
    let beside = benchmark.reference.as_ref().map(|reference| &reference.samples_ms);
    let beside = beside.filter(|samples| samples.len() == own.len());
    let is_step = |(before, after): (f64, f64)| {
        100.0 * (before.max(after) / before.min(after) - 1.0) >= limits[Threshold::BenchmarkDrift]
    };
    let medians = |samples: &[f64], at: usize| (median(samples[..at].to_vec()), median(samples[at..].to_vec()));
    let found = |samples: &[f64]| cut(samples).filter(|at| is_step(medians(samples, *at)));
    // Timed in turn, one steps where the other does, though it may step by less.
    let follows = |samples: &[f64], at: usize| {
        let near = at.saturating_sub(BESIDE).max(LEAST)..=(at + BESIDE).min(samples.len().saturating_sub(LEAST));
        near.into_iter().any(|at| left(samples, at) <= LEFT)
    };
    let at = found(own).or_else(|| found(beside?).filter(|at| follows(own, *at)))?;
    let ns = |(before, after): (f64, f64)| (before * 1e6, after * 1e6);
    Some(Step {
        at,
        kernel: ns(medians(own, at)),
        reference: beside.filter(|samples| follows(samples, at)).map(|samples| ns(medians(samples, at))),
        parts_states: false,
    })
}

/// The cut that leaves the smallest distances from the medians of its two parts; `None` where it leaves more than half.
fn cut(samples: &[f64]) -> Option<usize> {
    let stride = samples.len().div_ceil(MOST).max(1);
    let chosen: Vec<f64> = samples.iter().copied().step_by(stride).collect();
    let cuts = LEAST..=chosen.len().checked_sub(LEAST)?;
    let (at, _) = cuts.map(|at| (at, parts(&chosen, at))).min_by(|(_, a), (_, b)| a.total_cmp(b))?;
    (left(&chosen, at) <= LEFT).then_some(at * stride)
}

/// What a cut leaves of the sum of the distances from the median.
fn left(samples: &[f64], at: usize) -> f64 {
    let whole = distances(samples);
    if whole > 0.0 { parts(samples, at) / whole } else { 1.0 }
}

fn parts(samples: &[f64], at: usize) -> f64 {
    distances(&samples[..at]) + distances(&samples[at..])
}

fn distances(samples: &[f64]) -> f64 {
    let median = median(samples.to_vec());
    samples.iter().map(|sample| (sample - median).abs()).sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::results::timing::tests::benchmark;

    fn around(level: f64, count: usize) -> Vec<f64> {
        (0..count).map(|at| level * (1.0 + 0.001 * ((at * 7) % 11) as f64)).collect()
    }

    #[test]
    fn a_step_is_found_where_it_is_and_noise_is_none() {
        let stepped = [around(1.0, 24), around(1.11, 47)].concat();
        assert_eq!(cut(&stepped), Some(24));
        assert_eq!(cut(&around(1.0, 71)), None);
        // A drift along all samples leaves half as well: its halves are apart, and nothing steps between them.
        assert_eq!(cut(&around(1.0, 8)), None);
        let long = [around(1.0, 3_000), around(1.2, 2_000)].concat();
        assert!(cut(&long).is_some_and(|at| at.abs_diff(3_000) <= 5), "{:?}", cut(&long));
    }

    #[test]
    fn a_clock_that_still_rises_is_no_state() {
        let clocks = |bits: &str| Clocks { sm_mhz: Some(1_500.0), throttle: bits.into(), ..Clocks::default() };
        let of = |first: f64| {
            let samples = [around(first, 20), around(1.0, 80)].concat();
            let mut benchmark = benchmark(samples, None);
            (benchmark.clocks_before, benchmark.clocks_after) = (Some(clocks("0x0")), Some(clocks("0x4")));
            let (step, stretches) = stretches(&benchmark, &Limits::default());
            let samples: Vec<(usize, usize)> =
                stretches.into_iter().map(|stretch| (stretch.samples.start, stretch.samples.end)).collect();
            (step.map(|step| (step.at, step.parts_states)), samples)
        };
        assert_eq!(of(0.95), (Some((20, true)), vec![(0, 20), (20, 100)]));
        assert_eq!(of(1.06), (Some((20, false)), vec![(20, 100)]));
    }

    #[test]
    fn like_states_are_paired_and_the_free_one_goes_first() {
        let stretch = |bits| Stretch { samples: 0..1, held: Held::By(bits), mhz: None, has_step: false };
        let (both, free, capped) = (vec![stretch(0), stretch(4)], vec![stretch(0)], vec![stretch(4)]);
        assert_eq!(chosen(&both, Some(&free)), (0, Some(0)));
        assert_eq!(chosen(&both, Some(&capped)), (1, Some(0)));
        assert_eq!(chosen(&both, Some(&both)), (0, Some(0)));
        assert_eq!(chosen(&free, Some(&capped)), (0, None));
        assert_eq!(chosen(&both, None), (0, None));
        let untold = vec![Stretch { held: Held::Untold, ..stretch(0) }];
        assert_eq!(chosen(&capped, Some(&untold)), (0, Some(0)));
    }
}
