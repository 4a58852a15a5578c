//! The units of the chip, in percent of their peak: old, new, reference.

use super::numbers::{cell, row, sides, tenth, time};
use crate::analysis::{Audit, Row};
use crate::view::document::{Cell, Section};
use crate::view::tables::{left, right, table, text};

/// What a reader calls a unit, and its counter; a unit with several spellings is the first that was collected.
const UNITS: [(&str, &[&str]); 8] = [
    ("Memory throughput (max of its parts)", &["gpu__compute_memory_throughput.avg.pct_of_peak_sustained_elapsed"]),
    (
        "L1 data stage",
        &[
            "l1tex__data_pipe_lsu_wavefronts.avg.pct_of_peak_sustained_elapsed",
            "l1tex__throughput.avg.pct_of_peak_sustained_active",
        ],
    ),
    ("L2", &["lts__throughput.avg.pct_of_peak_sustained_elapsed"]),
    ("DRAM", &["gpu__dram_throughput.avg.pct_of_peak_sustained_elapsed"]),
    ("SM throughput", &["sm__throughput.avg.pct_of_peak_sustained_elapsed"]),
    (
        "Tensor pipe",
        &[
            "sm__pipe_tensor_cycles_active.avg.pct_of_peak_sustained_active",
            "sm__pipe_tc_cycles_active.avg.pct_of_peak_sustained_elapsed",
        ],
    ),
    ("FMA pipe", &["sm__pipe_fma_cycles_active.avg.pct_of_peak_sustained_active"]),
    ("Issue active", &["sm__issue_active.avg.pct_of_peak_sustained_elapsed"]),
];

/// The section; `None` where no unit was measured.
pub(super) fn section(audit: &Audit) -> Option<Section> {
    let beside = |metric: &str| {
        audit.reference.as_ref().and_then(|reference| reference.rows.iter().find(|row| row.id == metric))
    };
    let held: Vec<(&str, &Row)> = UNITS
        .iter()
        .filter_map(|(label, metrics)| Some((*label, metrics.iter().find_map(|metric| row(audit, metric))?)))
        .filter(|(_, row)| is_busy(row))
        .collect();
    if held.is_empty() {
        return None;
    }
    let mut columns = vec![left("% of peak")];
    columns.extend(audit.old.is_some().then(|| right("Old")));
    columns.push(right(if audit.old.is_some() { "New" } else { "Now" }));
    columns.extend(audit.reference.is_some().then(|| right("Reference")));
    let line = |label: &str, row: &Row, write: fn(f64) -> String| {
        let mut cells: Vec<Cell> = vec![text(label)];
        cells.extend(sides(audit, row, write));
        cells.extend(audit.reference.is_some().then(|| cell(beside(&row.id).map(|row| &row.reference), write)));
        cells
    };
    let mut rows = vec![line("Duration under ncu", &audit.performance.time, time)];
    rows.extend(held.iter().map(|(label, row)| line(label, row, tenth)));
    Some(Section::new("units", "Units (GPU Speed of Light)", vec![table("units", columns, rows).into()]))
}

/// Whether a unit did anything on a side: a row of zeros says nothing.
fn is_busy(row: &Row) -> bool {
    [Some(&row.new), row.old.as_ref()].into_iter().flatten().any(|side| side.value().is_some_and(|share| share >= 0.05))
}
