//! How far what a change gave lay from what was expected of it, by class of levers.

use super::row::catalog;
use serde::Deserialize;

/// How far what came lay from what the machine expected, in one class of levers: as a power of the part of the time that is left, because
/// speedups multiply. Half of a speedup is its square root, whether that is of 2 or of 20.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ForecastRow {
    /// The class: `waste`.
    pub class: &'static str,
    /// The least power of the part of the time that was expected to be left, and the largest.
    pub least: f64,
    pub most: f64,
    /// Measured pairs that it was fitted on.
    pub pairs: u32,
}

impl ForecastRow {
    /// The power to which the part that was expected to be left is the part that is left. Both savings in percent of the time, that which
    /// came 0 at least. `None` where nothing was expected.
    pub fn power(expected: f64, came: f64) -> Option<f64> {
        let speedup = |saved: f64| -(-saved.clamp(0.0, ALL) / 100.0).ln_1p();
        (expected > 0.0).then(|| speedup(came) / speedup(expected))
    }

    /// What may come of a saving that is expected, and at most `bound`, in percent of the time.
    pub fn interval(&self, expected: f64, bound: f64) -> [f64; 2] {
        let left = 1.0 - expected.clamp(0.0, ALL) / 100.0;
        [self.least, self.most].map(|power| (100.0 * (1.0 - left.powf(power))).min(bound))
    }
}

/// A launch that takes no time has no speedup, percent.
const ALL: f64 = 99.95;

catalog! {
    ForecastRow, "forecasts.toml", "forecast", |row| vec![row.class],
    /// Every class, in the order of the file.
    pub fn forecasts,
    /// The class of this name.
    pub fn forecast
}
