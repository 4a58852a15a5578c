//! The test for few launches: the means of the logarithms against the scatter within the sides.

use statrs::distribution::{ContinuousCDF as _, StudentsT};

/// The probability that two samples of one normal distribution of logarithms have means as far apart as these, by
/// Student's test with the scatter of both sides pooled. `None` where a value is not positive, or where no side has two.
pub(super) fn chance(old: &[f64], new: &[f64]) -> Option<f64> {
    if old.is_empty() || new.is_empty() || old.iter().chain(new).any(|value| value.is_nan() || *value <= 0.0) {
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
    }
}
