//! How far what a change gave lay from what was expected of it, by class of levers.

use super::row::catalog;
use serde::Deserialize;

/// How far what came lay from what the machine expected, in one class of levers.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ForecastRow {
    /// The class: `waste`.
    pub class: &'static str,
    /// The part of what is expected that may not come.
    pub below: f64,
    /// The part of the way from what is expected to the ceiling that may come as well.
    pub above: f64,
    /// Measured pairs that it was fitted on.
    pub pairs: u32,
}

catalog! {
    ForecastRow, "forecasts.toml", "forecast", |row| vec![row.class],
    /// Every class, in the order of the file.
    pub fn forecasts,
    /// The class of this name.
    pub fn forecast
}
