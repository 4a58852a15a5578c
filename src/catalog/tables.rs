//! The table catalog: which metrics stand together, in reading order.

use std::collections::HashSet;
use std::sync::LazyLock;

use serde::{Deserialize, Serialize};

use super::row::{Catalog, Row};
use super::{CatalogError, MetricRow, metric};

/// A table of metrics.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TableRow {
    /// The id: `speed-of-light`.
    pub id: &'static str,
    /// The title above it.
    pub title: &'static str,
    /// Metric ids, in reading order.
    pub rows: Vec<&'static str>,
}

impl TableRow {
    /// The catalog rows of its metrics, in reading order.
    pub fn metrics(&self) -> impl Iterator<Item = &'static MetricRow> {
        self.rows.iter().filter_map(|id| metric(id))
    }
}

static ROWS: LazyLock<Catalog<TableRow>> = LazyLock::new(Catalog::load);

impl Row for TableRow {
    const FILE: &'static str = "tables.toml";
    const TEXT: &'static str = include_str!("tables.toml");
    const ARRAY: &'static str = "table";

    fn names(&self) -> Vec<&str> {
        vec![self.id]
    }

    fn texts(&self) -> Vec<(&'static str, &str)> {
        vec![("title", self.title)]
    }

    fn check(&self) -> Result<(), CatalogError> {
        if let Some(id) = self.rows.iter().find(|id| metric(id).is_none_or(|row| row.id != **id)) {
            return Err(self.dangling(id, "metrics.toml"));
        }
        let distinct: HashSet<_> = self.rows.iter().collect();
        if distinct.len() != self.rows.len() || self.rows.is_empty() {
            return Err(self.empty("rows"));
        }
        Ok(())
    }
}

/// Every table, in reading order of the page.
pub fn tables() -> &'static [TableRow] {
    ROWS.rows()
}

/// The table with this id.
pub fn table(id: &str) -> Option<&'static TableRow> {
    ROWS.get(id)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_table_gives_its_metrics_in_order() {
        let sol = table("speed-of-light").expect("table");
        let labels: Vec<_> = sol.metrics().map(|row| row.label).collect();
        assert_eq!(labels.len(), sol.rows.len());
        assert_eq!(labels.first(), Some(&"Duration"));
        assert!(table("nothing").is_none());
    }

    #[test]
    fn tables_are_short_enough_to_read() {
        for table in tables() {
            assert!(table.rows.len() <= 14, "{} has {} rows", table.id, table.rows.len());
        }
    }
}
