//! The table catalog: which metrics stand together, in reading order.

use super::row::Catalog;
use serde::Deserialize;
use std::sync::LazyLock;

/// A table of metrics.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TableRow {
    /// The id: `speed-of-light`.
    pub id: &'static str,
    /// The title above it.
    pub title: &'static str,
    /// Metric ids, in reading order.
    pub rows: Vec<&'static str>,
}

static ROWS: LazyLock<Catalog<TableRow>> =
    LazyLock::new(|| Catalog::load(include_str!("tables.toml"), "table", |row| vec![row.id]));

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
    use crate::catalog::metric;

    #[test]
    fn a_table_gives_its_metrics_in_order() {
        let sol = table("speed-of-light").expect("table");
        let labels: Vec<_> = sol.rows.iter().filter_map(|id| metric(id)).map(|row| row.label).collect();
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
