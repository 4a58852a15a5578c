//! Which share of the multiprocessors holds a block, and how fast their clock is.
//!
//! Instructions in percent of the peak count all elapsed cycles of all multiprocessors, instructions a cycle those with a block: their
//! quotient is the share of multiprocessors with a block, whatever the clock does. Cycles with a block over that share and over the
//! time of a sample is the clock.

use super::{cut, model::Clock};

/// Instructions that a multiprocessor can issue in a cycle: one for each of four schedulers, on every chip since Volta.
const PEAK: f64 = 4.0;
/// Shares above this say that the peak is another one.
const SANE: f64 = 1.03;
/// The clock is read where at least this share of the multiprocessors holds a block.
const ENOUGH: f64 = 0.25;
/// A clock differs from another from this share on.
const APART: f64 = 0.03;
/// A clock lasts when it holds for this share of the launch.
const LASTS: f64 = 0.02;

/// For each sample the share of multiprocessors with a block, 0 to 1; `None` where the chip's peak is another one. A sample without
/// instructions has the share that its cycles with a block are of the most.
pub(super) fn shares(issue: &[f64], rate: &[f64], active: &[f64]) -> Option<Vec<f64>> {
    let most = active.iter().copied().fold(0.0, f64::max);
    let share = |((issue, rate), active): ((&f64, &f64), &f64)| match *rate > 0.0 {
        true => issue / 100.0 * PEAK / rate,
        false if most > 0.0 => active / most,
        false => 0.0,
    };
    let shares: Vec<f64> = issue.iter().zip(rate).zip(active).map(share).collect();
    let is_sane = !shares.is_empty() && shares.iter().all(|share| share.is_finite() && (0.0..=SANE).contains(share));
    is_sane.then(|| shares.into_iter().map(|share| share.min(1.0)).collect())
}

/// The clock over samples that are `step` ns apart; `None` where too few multiprocessors held a block in too many of them.
pub(super) fn clock(shares: &[f64], active: &[f64], step: f64) -> Option<Clock> {
    // The first and the last sample of a stretch with blocks are not whole.
    let whole = |n: &usize| (n - 1..=n + 1).all(|n| shares.get(n).is_some_and(|share| *share >= ENOUGH));
    let clocks: Vec<f64> =
        (1..shares.len().min(active.len())).filter(whole).map(|n| active[n] / shares[n] / step).collect();
    if clocks.len() < super::parts::LEAST {
        return None;
    }
    let mean = |of: &[f64]| of.iter().sum::<f64>() / of.len() as f64;
    let all = mean(&clocks);
    // In points of the mean, so that what tells levels of units apart tells clocks apart.
    let points: Vec<f64> = clocks.iter().map(|clock| 100.0 * (clock / all - 1.0) / APART * 0.12 + 100.0).collect();
    let least = (LASTS * shares.len() as f64).ceil().max(2.0) as usize;
    let lasting: Vec<f64> = cut::stretches(&[&points])
        .into_iter()
        .filter(|range| range.len() >= least)
        .map(|range| mean(&clocks[range]))
        .collect();
    let steps = lasting.windows(2).filter(|pair| (pair[1] / pair[0] - 1.0).abs() >= APART).count();
    let (low, high) = lasting.iter().fold((all, all), |(low, high), clock| (low.min(*clock), high.max(*clock)));
    Some(Clock { mean: all, low, high, steps })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_share_follows_from_two_counts_of_the_same_instructions() {
        // Twelve of 132 multiprocessors at 3.63 instructions a cycle: 3.63 / 4 × 12 / 132 = 8.25 % of the peak.
        let shares = shares(&[90.75, 8.25, 0.0], &[3.63, 3.63, 0.0], &[2200.0, 200.0, 550.0]).expect("shares");
        assert!((shares[0] - 1.0).abs() < 1e-9 && (shares[1] - 12.0 / 132.0).abs() < 1e-9, "{shares:?}");
        assert_eq!(shares[2], 0.25, "no instruction: by the cycles");
        assert_eq!(super::shares(&[90.0], &[1.8], &[1.0]), None, "twice the peak is another chip");
        assert_eq!(super::shares(&[], &[], &[]), None);
    }

    #[test]
    fn the_clock_is_told_apart_from_idle_multiprocessors() {
        // 40 samples at 1.5 GHz and 40 at 1.2 GHz, 1,000 ns each; in the last 20 a half of the multiprocessors holds a block.
        let share: Vec<f64> = (0..80).map(|n| if n < 60 { 1.0 } else { 0.5 }).collect();
        let active: Vec<f64> = (0..80).map(|n| share[n] * if n < 40 { 1500.0 } else { 1200.0 }).collect();
        let clock = super::clock(&share, &active, 1000.0).expect("a clock");
        assert!((clock.low - 1.2).abs() < 1e-9 && (clock.high - 1.5).abs() < 1e-9 && clock.steps == 1, "{clock:?}");
        // 39 whole samples at 1.5 and 39 at 1.2: the first and the last are left out.
        assert!((clock.mean - 1.35).abs() < 1e-9, "{clock:?}");
        assert_eq!(super::clock(&[1.0; 5], &[1.0; 5], 1000.0), None);
    }
}
