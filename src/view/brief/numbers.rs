//! Numbers as this page writes them: two or three digits in prose, one precision in a column.

use crate::analysis::{Audit, Row};
use crate::evidence::Reading;
use crate::quantity::{self, format};
use crate::view::document::Cell;
use crate::view::tables::{number, text};
use crate::words::Words;

/// The row of a metric, from whichever table has it.
pub(super) fn row(audit: &Audit, metric: impl AsRef<str>) -> Option<&Row> {
    audit.panels.iter().find_map(|panel| panel.row(metric.as_ref())).filter(|row| row.has_number())
}

/// The new side's value of a metric.
pub(super) fn value(audit: &Audit, metric: impl AsRef<str>) -> Option<f64> {
    row(audit, metric)?.new.value()
}

/// One decimal of a percentage whose unit stands in the column's head.
pub(super) fn tenth(value: f64) -> String {
    format::fixed(value, 1)
}

/// Two decimals, as ncu prints a percentage.
pub(super) fn hundredth(value: f64) -> String {
    format::fixed(value, 2)
}

/// The cell of a reading; empty where it is not there.
pub(super) fn cell(reading: Option<&Reading>, write: fn(f64) -> String) -> Cell {
    let shown = |reading: &Reading| Some(text(write(reading.value()?)).sorted(reading.value()).of(reading));
    reading.and_then(shown).unwrap_or_default()
}

/// A row of a number on both sides, the new one strong, with the change between them.
pub(super) fn both(label: impl Into<Words>, (old, new): (f64, f64), write: fn(f64) -> String) -> Vec<Cell> {
    let change = text(format::change(old, new));
    vec![text(label), text(write(old)).sorted(old), text(write(new)).sorted(new).strong(), change]
}

/// Old and new side of a row, the new one strong beside the old; only the new one where the audit has no other.
pub(super) fn sides(audit: &Audit, row: &Row, write: fn(f64) -> String) -> Vec<Cell> {
    let own = cell(Some(&row.new), write);
    match audit.before {
        Some(_) => vec![cell(row.old.as_ref(), write), own.strong()],
        None => vec![own],
    }
}

/// A reading as this page writes it: what it moved by counts, and not its last instruction.
pub(super) fn glance(reading: &Reading) -> String {
    reading.quantity().map_or_else(|| number(reading), quantity::glance::quantity)
}
