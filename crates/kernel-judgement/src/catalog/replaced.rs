//! Names of nvprof, of older versions of ncu and of documents, with what gives the same here.

use super::row::catalog;
use serde::Deserialize;

/// A name that ncu does not take.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ReplacedRow {
    /// The name, without rollup.
    pub name: &'static str,
    /// Metrics and readings that tell the same, the nearest first.
    pub by: Vec<&'static str>,
    /// What to know of the difference.
    #[serde(default)]
    pub note: &'static str,
}

impl ReplacedRow {
    /// `smsp__inst_executed.sum or predication.efficiency`.
    pub(super) fn instead(&self) -> String {
        self.by.join(" or ")
    }
}

catalog! {
    ReplacedRow, "replaced.toml", "replaced", |row| vec![row.name],
    pub(super) fn replaced_names
}

/// What replaces a name, whatever rollup it has.
pub(super) fn replaced(name: &str) -> Option<&'static ReplacedRow> {
    let base = name.split('.').next().unwrap_or(name);
    replaced_names().iter().find(|row| row.name == base)
}

#[cfg(test)]
mod tests {
    use super::super::{ReadingForm, check_metric_name, check_reading, metric};
    use super::*;

    #[test]
    fn a_replaced_name_is_no_metric_and_what_replaces_it_is_there() {
        let (form, ..) = ReadingForm::Stall.row();
        for row in replaced_names() {
            assert!(metric(row.name).is_none() && check_metric_name(row.name, None).is_fault(), "{}", row.name);
            assert!(!row.by.is_empty(), "{}", row.name);
            for name in row.by.iter().filter(|name| **name != form) {
                check_reading(name).unwrap_or_else(|met| unreachable!("{}: {met}", row.name));
            }
        }
    }
}
