//! Numbers as this page writes them: two or three digits in prose, one precision in a column.

use crate::analysis::{Audit, Row};
use crate::evidence::Reading;
use crate::quantity::format;
use crate::view::document::Cell;
use crate::view::tables::text;
use crate::words::Words;

/// The row of a metric, from whichever table has it.
pub(super) fn row<'a>(audit: &'a Audit, metric: &str) -> Option<&'a Row> {
    audit.panels.iter().find_map(|panel| panel.row(metric)).filter(|row| row.has_number())
}

/// The new side's value of a metric.
pub(super) fn value(audit: &Audit, metric: &str) -> Option<f64> {
    row(audit, metric)?.new.value()
}

/// Three digits that count.
pub(super) fn digits(value: f64) -> String {
    let decimals = match value.abs() {
        size if size >= 100.0 => 0,
        size if size >= 10.0 => 1,
        _ => 2,
    };
    format::fixed(value, decimals)
}

/// A time in ns: `1.680 ms`, `141.5 µs`, `980 ns`.
pub(in crate::view) fn time(ns: f64) -> String {
    match ns {
        ns if ns >= 1e9 => format!("{} s", format::fixed(ns / 1e9, 3)),
        ns if ns >= 1e6 => format!("{} ms", format::fixed(ns / 1e6, 3)),
        ns if ns >= 1e3 => format!("{} µs", format::fixed(ns / 1e3, 1)),
        ns => format!("{} ns", format::fixed(ns, 0)),
    }
}

/// A count in full up to a million, then in millions, so that old and new have one unit: `1,752`, `7.49 M`, `2,133.8 M`.
pub(super) fn amount(value: f64) -> String {
    match value.abs() {
        size if size >= 1e12 => format!("{} T", format::fixed(value / 1e12, 2)),
        size if size >= 1e6 => format!("{} M", format::fixed(value / 1e6, if size < 1e7 { 2 } else { 1 })),
        size if size >= 1e4 => format::fixed(value, 0),
        _ => format::fixed(value, if value.fract() == 0.0 { 0 } else { 2 }),
    }
}

/// A rate of work: `652 TFLOP/s`.
pub(super) fn rate(per_second: f64, unit: &str) -> String {
    const STEPS: [(f64, &str); 4] = [(1e15, "P"), (1e12, "T"), (1e9, "G"), (1e6, "M")];
    let step = STEPS.iter().find(|(least, _)| per_second >= *least);
    let (divisor, prefix) = step.copied().unwrap_or((1.0, ""));
    format!("{} {prefix}{unit}", digits(per_second / divisor))
}

/// `7.83 GB`, `714 MB`.
pub(in crate::view) fn bytes(value: f64) -> String {
    const STEPS: [(f64, &str); 4] = [(1e12, "TB"), (1e9, "GB"), (1e6, "MB"), (1e3, "kB")];
    match STEPS.iter().find(|(least, _)| value >= *least) {
        Some((divisor, unit)) => format!("{} {unit}", digits(value / divisor)),
        None => format!("{} B", format::fixed(value, 0)),
    }
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

/// Old and new side of a row, the new one strong beside the old; only the new one where the audit has no other.
pub(super) fn sides(audit: &Audit, row: &Row, write: fn(f64) -> String) -> Vec<Cell> {
    let own = cell(Some(&row.new), write);
    match audit.old {
        Some(_) => vec![cell(row.old.as_ref(), write), own.strong()],
        None => vec![own],
    }
}
