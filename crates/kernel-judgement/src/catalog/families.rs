//! Families of metrics that are told by their names.

use super::{row::catalog, vocabulary::Family};
use serde::Deserialize;

/// A family of metrics. A name is of it when it is listed, or begins as or holds what is listed.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FamilyRow {
    /// The id: `same-work`.
    pub id: &'static str,
    /// What its members have in common.
    pub help: &'static str,
    /// Whole names.
    #[serde(default)]
    pub names: Vec<&'static str>,
    /// Beginnings of names.
    #[serde(default)]
    pub starts: Vec<&'static str>,
    /// Parts of names.
    #[serde(default)]
    pub parts: Vec<&'static str>,
}

catalog! {
    FamilyRow, "families.toml", "family", |row| vec![row.id],
    pub fn families
}

impl Family {
    pub fn has(self, metric: &str) -> bool {
        let row = &families()[self as usize];
        row.names.contains(&metric)
            || row.starts.iter().any(|start| metric.starts_with(start))
            || row.parts.iter().any(|part| metric.contains(part))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use strum::VariantArray;

    #[test]
    fn a_family_is_told_by_names_beginnings_and_parts() {
        assert!(Family::VARIANTS.iter().map(<&str>::from).eq(families().iter().map(|row| row.id)));
        assert!(Family::ByInstruction.has("inst_executed") && !Family::ByInstruction.has("inst_executed_all"));
        assert!(
            Family::ByInstruction.has("memory_access_type") && !Family::ByInstruction.has("smsp__inst_executed.sum")
        );
        assert!(Family::NoUnit.has("gpu__compute_memory_throughput.avg") && !Family::NoUnit.has("lts__throughput.avg"));
    }
}
