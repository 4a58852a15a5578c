//! Tables made of metrics: which rows, in which order, is the catalog's business.

use super::compare::Row;
use super::summary::KernelSummary;
use crate::catalog;

/// A table of metric rows.
#[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct Panel {
    /// The catalog's table id.
    pub id: String,
    /// Title.
    pub title: String,
    /// Rows with a number on at least one side.
    pub rows: Vec<Row>,
    /// Metric ids of the rows without any number.
    pub not_collected: Vec<String>,
}

impl Panel {
    /// The catalog's table `id` for these kernels.
    pub fn build(id: &str, new: &KernelSummary<'_>, old: Option<&KernelSummary<'_>>) -> Option<Panel> {
        let table = catalog::table(id)?;
        let all = table.rows.iter().map(|metric| Row::metric(metric, new, old));
        let (rows, absent): (Vec<Row>, Vec<Row>) = all.partition(Row::has_number);
        let not_collected = absent.into_iter().map(|row| row.id).collect();
        Some(Panel { id: id.into(), title: table.title.into(), rows, not_collected })
    }

    /// The row of a metric.
    pub fn row(&self, id: &str) -> Option<&Row> {
        self.rows.iter().find(|row| row.id == id)
    }
}
