//! The numbers that judgements compare with: the catalog's, unless the user set others.

use crate::catalog::Threshold;
use std::collections::BTreeMap;
use std::ops::Index;
use strum::VariantArray;

/// A number for each threshold.
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

    /// Limits with these numbers; a threshold that is not among them has the catalog's.
    pub fn of_numbers(numbers: &BTreeMap<String, f64>) -> Limits {
        let known = |(id, number): (&String, &f64)| Some((id.parse::<Threshold>().ok()?, *number));
        let is_own = |(threshold, number): &(Threshold, f64)| threshold.row().value != *number;
        Limits { overrides: numbers.iter().filter_map(known).filter(is_own).collect() }
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
}
