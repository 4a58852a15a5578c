//! The numbers that judgements compare with: the catalog's, unless the user set others.

use crate::catalog::Threshold;
use std::collections::BTreeMap;
use std::ops::Index;
use strum::VariantArray;

#[derive(Clone, Debug, Default, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct Limits {
    /// What the user set.
    pub overrides: BTreeMap<Threshold, f64>,
}

impl Limits {
    /// The number of every threshold, by its id.
    pub fn numbers(&self) -> BTreeMap<String, f64> {
        Threshold::VARIANTS.iter().map(|threshold| (threshold.to_string(), self[*threshold])).collect()
    }

    /// Limits with these numbers; a threshold that is not among them has the catalog's. Errors: the threshold with a
    /// number that no configuration may set it to.
    pub fn of_numbers(numbers: &BTreeMap<String, f64>) -> Result<Limits, String> {
        let mut overrides = BTreeMap::new();
        for (id, number) in numbers {
            let Ok(threshold) = id.parse::<Threshold>() else { continue };
            if threshold.row().value != *number {
                threshold.accepts(*number).map_err(|expected| format!("the threshold {id}: {expected}"))?;
                overrides.insert(threshold, *number);
            }
        }
        Ok(Limits { overrides })
    }
}

impl Index<Threshold> for Limits {
    type Output = f64;

    fn index(&self, threshold: Threshold) -> &f64 {
        self.overrides.get(&threshold).unwrap_or(&threshold.row().value)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_the_user_set_goes_before_the_catalog() {
        let mut limits = Limits::default();
        assert_eq!(limits[Threshold::SolHigh], 80.0);
        limits.overrides.insert(Threshold::SolHigh, 75.0);
        assert_eq!(limits[Threshold::SolHigh], 75.0);
    }

    #[test]
    fn numbers_of_a_file_are_held_as_those_of_a_user_are() {
        let of = |id: &str, number: f64| Limits::of_numbers(&BTreeMap::from([(id.to_owned(), number)]));
        assert_eq!(of("sol-high", 75.0).expect("sensible")[Threshold::SolHigh], 75.0);
        assert!(of("of a later program", 75.0).is_ok());
        for wrong in [-1.0, 100.0, 150.0, 1e308, f64::NAN] {
            let said = of("verdict-confidence", wrong).expect_err("no confidence");
            assert!(
                said.starts_with("the threshold verdict-confidence: expected a number from 0 to below 100"),
                "{said}"
            );
        }
    }
}
