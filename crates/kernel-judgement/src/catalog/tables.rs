//! The table catalog: which metrics stand together, in reading order.

use super::row::catalog;
use serde::Deserialize;

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

catalog! {
    TableRow, "tables.toml", "table", |row| vec![row.id],
    /// Every table, in reading order of the page.
    pub fn tables,
    /// The table with this id.
    pub fn table
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
        assert_eq!(labels.first(), Some(&"Duration under ncu"));
        assert!(table("nothing").is_none());
    }

    #[test]
    fn tables_are_short_enough_to_read() {
        for table in tables() {
            assert!(table.rows.len() <= 14, "{} has {} rows", table.id, table.rows.len());
        }
    }
}
