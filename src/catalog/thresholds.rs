//! The threshold catalog: every number that a judgement compares with.

use rustc_hash::FxHashMap;
use std::sync::LazyLock;

use serde::{Deserialize, Serialize};

use super::CatalogError;
use super::load::{self, Embedded, embedded};
use crate::quantity::{Quantity, Unit};

const FILE: &str = "thresholds.toml";
const TABLE: Embedded = embedded!("thresholds");

/// A number that a judgement compares with.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ThresholdRow {
    /// The id: `sol-high`.
    pub id: &'static str,
    /// The number, before any configuration overrides it.
    pub value: f64,
    /// Its unit; empty for a ratio or a count.
    pub unit: Unit,
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

#[derive(Deserialize)]
#[serde(deny_unknown_fields, bound(deserialize = "'de: 'static"))]
struct File {
    threshold: Vec<ThresholdRow>,
}

static ROWS: LazyLock<Vec<ThresholdRow>> = LazyLock::new(|| read().expect("thresholds.toml is valid, as tests check"));
static NAMES: LazyLock<FxHashMap<&'static str, &'static ThresholdRow>> =
    LazyLock::new(|| names().expect("ids in thresholds.toml are distinct, as tests check"));

fn read() -> Result<Vec<ThresholdRow>, CatalogError> {
    Ok(TABLE.read::<File>()?.threshold)
}

fn names() -> Result<FxHashMap<&'static str, &'static ThresholdRow>, CatalogError> {
    load::index(FILE, &ROWS, |row| [row.id])
}

/// Reads the file anew and checks its rows.
pub(super) fn check() -> Result<(), CatalogError> {
    for row in &read()? {
        load::filled(FILE, row.id, &[("help", row.help), ("cite", row.cite)])?;
        if row.quantity().is_none() {
            return Err(CatalogError::Empty { file: FILE, row: row.id.to_owned(), key: "value" });
        }
    }
    names().map(drop)
}

/// Every threshold.
pub fn thresholds() -> &'static [ThresholdRow] {
    &ROWS
}

/// The row of this threshold.
pub fn threshold_row(id: &str) -> Option<&'static ThresholdRow> {
    NAMES.get(id).copied()
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
