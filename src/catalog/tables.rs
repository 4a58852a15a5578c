//! The table catalog: which metrics stand together, in reading order.

use rustc_hash::FxHashMap;
use std::collections::HashSet;
use std::sync::LazyLock;

use serde::{Deserialize, Serialize};

use super::load::{self, Embedded, embedded};
use super::{CatalogError, MetricRow, metric, metrics};

const FILE: &str = "tables.toml";
const TABLE: Embedded = embedded!("tables");

/// A table of metrics.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TableRow {
    /// The id: `speed-of-light`.
    pub id: &'static str,
    /// The section of the document that it belongs to.
    pub section: &'static str,
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

#[derive(Deserialize)]
#[serde(deny_unknown_fields, bound(deserialize = "'de: 'static"))]
struct File {
    table: Vec<TableRow>,
}

static ROWS: LazyLock<Vec<TableRow>> = LazyLock::new(|| read().expect("tables.toml is valid, as tests check"));
static NAMES: LazyLock<FxHashMap<&'static str, &'static TableRow>> =
    LazyLock::new(|| names().expect("ids in tables.toml are distinct, as tests check"));

fn read() -> Result<Vec<TableRow>, CatalogError> {
    Ok(TABLE.read::<File>()?.table)
}

fn names() -> Result<FxHashMap<&'static str, &'static TableRow>, CatalogError> {
    load::index(FILE, &ROWS, |row| [row.id])
}

/// Reads the file anew and checks its rows and the metrics that they name.
pub(super) fn check() -> Result<(), CatalogError> {
    let ids: HashSet<&str> = metrics().iter().map(|row| row.id).collect();
    for table in &read()? {
        load::filled(FILE, table.id, &[("section", table.section), ("title", table.title)])?;
        if let Some(id) = table.rows.iter().find(|id| !ids.contains(*id)) {
            return Err(CatalogError::Dangling {
                file: FILE,
                row: table.id.to_owned(),
                name: (*id).to_owned(),
                target: "metrics.toml",
            });
        }
        let distinct: HashSet<_> = table.rows.iter().collect();
        if distinct.len() != table.rows.len() || table.rows.is_empty() {
            return Err(CatalogError::Empty { file: FILE, row: table.id.to_owned(), key: "rows" });
        }
    }
    names().map(drop)
}

/// Every table, in reading order of the page.
pub fn tables() -> &'static [TableRow] {
    &ROWS
}

/// The table with this id.
pub fn table(id: &str) -> Option<&'static TableRow> {
    NAMES.get(id).copied()
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
