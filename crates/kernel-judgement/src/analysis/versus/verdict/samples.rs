//! Statistics of repeated launches: centre, scatter, and intervals that assume no distribution.

use crate::analysis::kernel::readings::median_of_sorted as median;
use statrs::distribution::{ContinuousCDF as _, Normal, StudentsT};

/// Scales the median absolute deviation of a normal distribution to its standard deviation: `1 / Φ⁻¹(3/4)`.
const MAD_TO_SIGMA: f64 = 1.482_602_218_505_602;
/// Samples of one side that enter the pairwise comparison; of more, an even choice over the order of launch is taken.
const MOST: usize = 400;
/// Up to this product of the two sample counts the rank distribution is counted, above it is approximated.
const COUNTED: usize = 400;

/// The values of one reading on one side.
#[derive(Clone, Copy, Debug, PartialEq, serde::Serialize)]
pub struct Sample {
    /// How many launches had a value.
    pub count: usize,
    pub median: f64,
    /// Robust standard deviation over the median, percent: `100 × 1.4826 × MAD / |median|`; `None` for one value or a median of 0.
    pub scatter: Option<f64>,
    /// Interval for the median of all launches that could have been made, from the order statistics (sign test);
    /// `None` where the count is too small for the confidence asked for.
    pub interval: Option<(f64, f64)>,
    pub min: f64,
    pub max: f64,
}

impl Sample {
    /// The summary of some finite values at a confidence in percent; `None` without values.
    pub fn of(values: &[f64], confidence: f64) -> Option<Sample> {
        let sorted = sorted(values);
        let (min, max) = (*sorted.first()?, *sorted.last()?);
        let median = median(&sorted);
        let deviations = sorted.iter().map(|v| (v - median).abs()).collect::<Vec<_>>();
        let mad = self::median(&self::sorted(&deviations));
        let scatter = (sorted.len() > 1 && median != 0.0).then(|| 100.0 * MAD_TO_SIGMA * mad / median.abs());
        let interval = sign_rank(sorted.len(), alpha(confidence)).map(|k| (sorted[k], sorted[sorted.len() - 1 - k]));
        Some(Sample { count: sorted.len(), median, scatter, interval, min, max })
    }
}

/// How the new values relate to the old ones, as a factor.
#[derive(Clone, Copy, Debug, PartialEq, serde::Serialize)]
pub struct Shift {
    /// Median of all ratios `new / old` (Hodges and Lehmann): the factor between the two sides.
    pub factor: f64,
    /// Interval for that factor from the order statistics of the ratios (Mann and Whitney, Moses); `None` where the
    /// counts are too small for the confidence asked for.
    pub interval: Option<(f64, f64)>,
}

impl Shift {
    /// The shift between positive values at a confidence in percent; `None` where a side is empty or a value not positive and finite.
    pub fn of(old: &[f64], new: &[f64], confidence: f64) -> Option<Shift> {
        let (old, new) = (thinned(old), thinned(new));
        if old.is_empty() || new.is_empty() || old.iter().chain(&new).any(|v| !v.is_finite() || *v <= 0.0) {
            return None;
        }
        let mut ratios: Vec<f64> = old.iter().flat_map(|o| new.iter().map(move |n| n / o)).collect();
        ratios.sort_by(f64::total_cmp);
        let interval =
            pair_rank(old.len(), new.len(), alpha(confidence)).map(|k| (ratios[k], ratios[ratios.len() - 1 - k]));
        Some(Shift { factor: median(&ratios), interval })
    }
}

/// What an interval at a confidence in percent may miss; never none, which no number of values gives.
fn alpha(confidence: f64) -> f64 {
    (1.0 - confidence / 100.0).clamp(f64::EPSILON, 1.0)
}

fn sorted(values: &[f64]) -> Vec<f64> {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    sorted
}

fn thinned(values: &[f64]) -> Vec<f64> {
    if values.len() <= MOST {
        return values.to_vec();
    }
    (0..MOST).map(|at| values[at * values.len() / MOST]).collect()
}

/// The largest `k` for which `[x₍ₖ₎, x₍ₙ₋₁₋ₖ₎]` (from 0) covers the median with probability `1 − alpha` or more: the
/// number of values below the median is binomial with one half, so the interval misses with `2 · P(B ≤ k)`.
fn sign_rank(n: usize, alpha: f64) -> Option<usize> {
    // For very many values the first terms vanish; the normal approximation is then exact enough.
    if n > 1000 {
        let k = n as f64 / 2.0 - quantile(alpha) * (n as f64).sqrt() / 2.0 - 0.5;
        return Some(k.max(0.0) as usize);
    }
    let next = |term: &mut f64, k: usize| Some(std::mem::replace(term, *term * ((n - k) as f64 / (k + 1) as f64)));
    covering((0..n / 2).scan(0.5f64.powi(n as i32), next), alpha)
}

/// The last of the ranks with these chances up to which an interval misses no more than `alpha`.
fn covering(chances: impl Iterator<Item = f64>, alpha: f64) -> Option<usize> {
    let mut below = 0.0;
    let within = chances.take_while(|chance| {
        below += chance;
        2.0 * below <= alpha
    });
    within.count().checked_sub(1)
}

/// The largest `k` for which the ratios at `k` from both ends (from 0) cover the factor with probability `1 − alpha` or
/// more: the interval misses with `2 · P(U ≤ k)`, U being the rank statistic of Mann and Whitney.
fn pair_rank(m: usize, n: usize, alpha: f64) -> Option<usize> {
    if m * n > COUNTED {
        let (a, b) = (m as f64, n as f64);
        let k = a * b / 2.0 - quantile(alpha) * (a * b * (a + b + 1.0) / 12.0).sqrt() - 0.5;
        return (k >= 0.0).then_some(k as usize);
    }
    let counts = rank_counts(m, n);
    let all: f64 = counts.iter().sum();
    covering(counts.iter().take(m * n / 2).map(|count| count / all), alpha)
}

/// In how many orders of `m` and `n` values the rank statistic takes each value: the coefficients of
/// `∏ (1 − q^(n+i)) / (1 − q^i)` over `i` from 1 to `m`, whole numbers at every step.
fn rank_counts(m: usize, n: usize) -> Vec<f64> {
    let mut counts = vec![0.0; m * n + 1];
    counts[0] = 1.0;
    for i in 1..=m {
        (n + i..=m * n).rev().for_each(|u| counts[u] -= counts[u - n - i]);
        (i..=m * n).for_each(|u| counts[u] += counts[u - i]);
    }
    counts
}

/// `z` with `P(|Z| > z) = alpha` for a standard normal Z.
fn quantile(alpha: f64) -> f64 {
    Normal::standard().inverse_cdf(1.0 - alpha / 2.0)
}

/// The probability that two samples of one normal distribution of logarithms have means as far apart as these, by
/// Student's test with the scatter of both sides pooled. `None` where a value is not positive and finite, or where no side has two.
pub(super) fn chance(old: &[f64], new: &[f64]) -> Option<f64> {
    if old.is_empty() || new.is_empty() || old.iter().chain(new).any(|value| !value.is_finite() || *value <= 0.0) {
        return None;
    }
    let freedom = (old.len() + new.len()).checked_sub(2).filter(|freedom| *freedom > 0)?;
    let mean = |values: &[f64]| values.iter().map(|value| value.ln()).sum::<f64>() / values.len() as f64;
    let (before, after) = (mean(old), mean(new));
    let squares = |values: &[f64], mean: f64| values.iter().map(|value| (value.ln() - mean).powi(2)).sum::<f64>();
    let pooled = (squares(old, before) + squares(new, after)) / freedom as f64;
    let error = (pooled * (1.0 / old.len() as f64 + 1.0 / new.len() as f64)).sqrt();
    let difference = (after - before).abs();
    Some(if difference == 0.0 { 1.0 } else { two_sided(difference / error, freedom) })
}

/// `P(|T| > t)` for Student's distribution.
fn two_sided(t: f64, freedom: usize) -> f64 {
    StudentsT::new(0.0, 1.0, freedom as f64).map_or(f64::NAN, |distribution| 2.0 * distribution.sf(t))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn normal_quantiles_are_those_of_the_tables() {
        for (alpha, z) in [(0.05, 1.959_964), (0.01, 2.575_829), (0.005, 2.807_034)] {
            assert!((quantile(alpha) - z).abs() < 1e-5, "{alpha}: {}", quantile(alpha));
        }
    }

    #[test]
    fn a_confidence_beyond_sense_is_no_panic() {
        let many: Vec<f64> = (1..=2000).map(f64::from).collect();
        for confidence in [-5.0, 0.0, 100.0, 101.0, 1e308] {
            assert!(Sample::of(&many, confidence).is_some() && Shift::of(&many, &many, confidence).is_some());
        }
    }

    #[test]
    fn intervals_of_the_median_use_the_ranks_of_the_tables() {
        // 95 %: with 6 values the extremes (2 · 1/64 = 3.1 %), with 20 the sixth from each end (4.1 %).
        assert_eq!(sign_rank(5, 0.05), None);
        assert_eq!(sign_rank(6, 0.05), Some(0));
        assert_eq!(sign_rank(20, 0.05), Some(5));
    }

    #[test]
    fn rank_counts_are_those_of_mann_and_whitney() {
        assert_eq!(rank_counts(2, 2), [1.0, 1.0, 2.0, 1.0, 1.0]);
        assert_eq!(rank_counts(5, 5).iter().sum::<f64>(), 252.0);
        // Their table: for m = n = 5 a two-sided test at 5 % rejects at U ≤ 2.
        assert_eq!(pair_rank(5, 5, 0.05), Some(2));
        assert_eq!(pair_rank(3, 3, 0.05), None);
        // And 127 for m = n = 20 at 5 %, 105 at 1 %.
        assert_eq!(pair_rank(20, 20, 0.05), Some(127));
        assert_eq!(pair_rank(20, 20, 0.01), Some(105));
    }

    #[test]
    fn the_approximation_agrees_with_the_count() {
        for (m, n) in [(12, 25), (15, 24), (10, 39)] {
            let (a, b) = (m as f64, n as f64);
            let rough = a * b / 2.0 - quantile(0.01) * (a * b * (a + b + 1.0) / 12.0).sqrt() - 0.5;
            let counted = pair_rank(m, n, 0.01).expect("enough values");
            assert!((rough - counted as f64).abs() <= 2.0, "{m} {n}: {rough} {counted}");
        }
    }

    #[test]
    fn a_sample_by_hand() {
        let sample = Sample::of(&[3.0, 1.0, 2.0, 100.0, 2.0], 95.0).expect("values");
        assert_eq!((sample.count, sample.median, sample.min, sample.max), (5, 2.0, 1.0, 100.0));
        // Deviations 1, 1, 0, 98, 0: their median is 1.
        assert!((sample.scatter.expect("several") - 74.130_110_925).abs() < 1e-6);
        assert_eq!(sample.interval, None);
        assert_eq!(Sample::of(&[], 95.0), None);
    }

    #[test]
    fn a_factor_between_the_sides_is_found() {
        let old: Vec<f64> = (0..20).map(|i| 100.0 + f64::from(i % 5)).collect();
        let new: Vec<f64> = old.iter().map(|v| v * 1.1).collect();
        let shift = Shift::of(&old, &new, 99.5).expect("positive");
        let (low, high) = shift.interval.expect("enough");
        assert!((shift.factor - 1.1).abs() < 1e-12 && low > 1.05 && high < 1.15, "{shift:?}");
        assert_eq!(Shift::of(&[0.0], &[1.0], 99.5), None);
    }

    /// Quantiles of printed tables: `t` with 1 % outside.
    #[test]
    fn tails_are_those_of_the_tables() {
        for (freedom, t) in
            [(1, 63.657), (2, 9.925), (3, 5.841), (4, 4.604), (5, 4.032), (8, 3.355), (9, 3.250), (30, 2.750)]
        {
            let tail = two_sided(t, freedom);
            assert!((tail - 0.01).abs() < 2e-5, "{freedom}: {tail}");
        }
    }

    #[test]
    fn chance_by_hand() {
        // Logarithms 0 and 2 against 3 and 5: means 1 and 4, pooled variance (2 + 2) / 2 = 2, error √(2 · 1) = √2, so that
        // t = 3 / √2 = 2.1213 with two degrees: 1 − t / √(2 + t²) = 1 − 2.1213 / 2.5495 = 0.16795.
        let e = |values: [f64; 2]| values.map(f64::exp);
        let found = chance(&e([0.0, 2.0]), &e([3.0, 5.0])).unwrap();
        assert!((found - 0.167_949_7).abs() < 1e-6, "{found}");
        assert_eq!(chance(&[1.0], &[2.0]), None);
        assert_eq!(chance(&[1.0, 1.0], &[2.0, 2.0]), Some(0.0));
        assert_eq!(chance(&[1.0, 2.0], &[1.0, 2.0]), Some(1.0));
        assert_eq!(chance(&[0.0, 2.0], &[1.0, 2.0]), None);
        assert_eq!(chance(&[f64::INFINITY, 2.0], &[1.0, 2.0]), None);
    }
}
