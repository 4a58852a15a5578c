//! The threshold catalog: the numbers that judgements compare with and a configuration may override.

use super::row::catalog;
use crate::quantity::{Quantity, Unit};
use serde::Deserialize;

/// A number that judgements compare with.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ThresholdRow {
    /// The id: `sol-high`.
    pub id: &'static str,
    /// The number, before any configuration overrides it.
    pub value: f64,
    /// Its unit; empty for a ratio or a count.
    pub unit: Unit,
    /// What a configuration must stay below, where that is less than all sense.
    pub below: Option<f64>,
    /// What is judged with it.
    pub help: &'static str,
    /// Where it comes from.
    pub cite: &'static str,
}

impl ThresholdRow {
    /// The number with its unit.
    pub fn quantity(&self) -> Option<Quantity> {
        Quantity::new(self.value, self.unit)
    }
}

catalog! {
    ThresholdRow, "thresholds.toml", "threshold", |row| vec![row.id],
    pub fn thresholds,
    pub(crate) fn threshold_row
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_threshold_has_its_number_and_unit() {
        assert_eq!(threshold_row("short-kernel").and_then(ThresholdRow::quantity), Quantity::new(5000.0, Unit::NS));
        assert!(threshold_row("sol-hihg").is_none());
    }

    #[test]
    fn shares_are_percentages() {
        for row in thresholds().iter().filter(|row| row.unit == Unit::PERCENT) {
            assert!((0.1..=100.0).contains(&row.value), "{} = {}", row.id, row.value);
        }
    }
}
