//! Numbers as this page writes them: two or three digits in prose, one precision in a column.

use crate::analysis::{Audit, Row};
use crate::catalog::Counter;
use crate::evidence::Reading;
use crate::quantity::{self, format};
use crate::view::document::Cell;
use crate::view::tables::{number, text};
use crate::words::Words;

/// The row of a metric, from whichever table has it.
pub(super) fn row(audit: &Audit, metric: impl AsRef<str>) -> Option<&Row> {
    audit.panels.iter().find_map(|panel| panel.row(metric.as_ref())).filter(|row| row.has_number())
}

pub(super) fn value(audit: &Audit, metric: impl AsRef<str>) -> Option<f64> {
    row(audit, metric)?.new.value()
}

/// One decimal of a percentage whose unit stands in the column's head.
pub(super) fn tenth(value: f64) -> String {
    format::fixed(value, 1)
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

/// Old and new side of a row, the new one strong beside the old; the old one is empty where the audit has no other.
pub(super) fn sides(audit: &Audit, row: &Row, write: fn(f64) -> String) -> [Cell; 2] {
    let own = cell(Some(&row.new), write);
    match audit.before {
        Some(_) => [cell(row.old.as_ref(), write), own.strong()],
        None => [Cell::default(), own],
    }
}

/// A reading as this page writes it: what it moved by counts, and not its last instruction.
pub(super) fn glance(reading: &Reading) -> String {
    reading.quantity().map_or_else(|| number(reading), quantity::glance::quantity)
}

/// One fact of the launch with its value on each side; `None` where a side does not tell.
pub(super) struct Fact {
    pub(super) label: &'static str,
    /// The metrics that it shows; none of what the build says.
    pub(super) metrics: Vec<&'static str>,
    pub(super) old: Option<String>,
    pub(super) new: Option<String>,
}

pub(super) fn fact(audit: &Audit, label: &'static str, name: Counter, write: fn(f64) -> String) -> Option<Fact> {
    let row = row(audit, name)?;
    let old = row.old.as_ref().and_then(Reading::value).map(write);
    Some(Fact { label, metrics: vec![name.name()], old, new: row.new.value().map(write) })
}

pub(super) type Side = fn(&Row) -> Option<f64>;
pub(super) const OLD: Side = |row| row.old.as_ref()?.value();
pub(super) const NEW: Side = |row| row.new.value();

/// Both sides of a fact made of several metrics.
pub(super) fn fact_of(
    audit: &Audit,
    label: &'static str,
    metrics: &[&'static str],
    make: fn(&Audit, Side) -> Option<String>,
) -> Option<Fact> {
    let new = Some(make(audit, NEW)?);
    Some(Fact { label, metrics: metrics.to_vec(), old: audit.before.as_ref().and_then(|_| make(audit, OLD)), new })
}

pub(super) fn whole(value: f64) -> String {
    format::fixed(value, 0)
}
