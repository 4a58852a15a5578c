//! The numbers that judgements compare with: the catalog's, unless the user set others.

use crate::catalog;
use std::collections::BTreeMap;

/// Thresholds by the catalog's ids.
#[derive(Clone, Debug, Default, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct Limits {
    /// What the user set, by id.
    pub overrides: BTreeMap<String, f64>,
}

impl Limits {
    /// The smallest slow-down that counts as a regression, in percent.
    pub fn regression(&self) -> f64 {
        self.get("regression")
    }

    /// The threshold of that id. NaN, which no comparison reaches, for an id that the catalog does not hold; a test
    /// keeps the ids used in this room and the catalog together.
    pub(in crate::analysis) fn get(&self, id: &str) -> f64 {
        self.overrides.get(id).copied().or_else(|| catalog::threshold(id)).unwrap_or(f64::NAN)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_the_user_set_goes_before_the_catalog() {
        let mut limits = Limits::default();
        assert_eq!(limits.get("sol-high"), 80.0);
        limits.overrides.insert("sol-high".into(), 75.0);
        assert_eq!(limits.get("sol-high"), 75.0);
    }

    #[test]
    fn every_threshold_that_this_room_asks_for_is_in_the_catalog() {
        let mut folders = vec![std::path::PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/src/analysis"))];
        let mut asked = 0;
        while let Some(folder) = folders.pop() {
            for entry in std::fs::read_dir(folder).expect("the room").flatten() {
                if entry.path().is_dir() {
                    folders.push(entry.path());
                    continue;
                }
                let code = std::fs::read_to_string(entry.path()).expect("readable");
                for id in code.split("limits.get(\"").skip(1).filter_map(|rest| rest.split('"').next()) {
                    assert!(catalog::threshold(id).is_some(), "{:?} asks for {id}", entry.file_name());
                    asked += 1;
                }
            }
        }
        assert!(asked > 40);
    }
}
