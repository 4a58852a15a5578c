//! Warp stalls: the reasons that take a share of the warps' time worth a line, and where.

use super::numbers::{digits, sides, tenth};
use crate::analysis::{Audit, StallBasis, StallRow};
use crate::view::document::{Cell, Section};
use crate::view::source_lines;
use crate::view::tables::{left, paragraph, right, table, text};
use crate::words;

/// Reasons under this share on both sides are left out, in percent.
const LEAST: f64 = 3.0;

/// The section; `None` where no stalls were collected.
pub(super) fn section(audit: &Audit) -> Option<Section> {
    let stalls = &audit.stalls;
    let shares = stalls
        .table(StallBasis::ShareOfWarpTime)
        .or_else(|| stalls.table(StallBasis::ShareOfActive))
        .or_else(|| stalls.table(StallBasis::Samples))?;
    let counts = |row: &&StallRow| {
        let share = |reading: Option<&crate::evidence::Reading>| reading.and_then(crate::evidence::Reading::value);
        [share(Some(&row.row.new)), share(row.row.old.as_ref())].into_iter().flatten().any(|share| share >= LEAST)
    };
    let rows: Vec<&StallRow> = shares.rows.iter().filter(counts).collect();
    if rows.is_empty() {
        return None;
    }
    let places: Vec<Cell> = rows
        .iter()
        .map(|row| source_lines::place_of_wait(audit, &row.reason).map_or_else(Cell::default, text))
        .collect();
    let has_places = places.iter().any(|cell| !cell.words.is_empty());
    let mut columns = vec![left("Stall")];
    columns.extend(audit.old.is_some().then(|| right("Old")));
    columns.push(right(if audit.old.is_some() { "New" } else { "Share" }));
    columns.extend(has_places.then(|| left("Here")));
    let line = |(row, place): (&&StallRow, Cell)| {
        let mut cells = vec![text(row.row.label.as_str())];
        cells.extend(sides(audit, &row.row, tenth));
        let note = match row.reason.as_str() {
            "selected" => text("issuing; not a stall"),
            "not_selected" => text("another warp was picked; no latency is lost"),
            _ => place,
        };
        cells.extend(has_places.then_some(note));
        cells
    };
    let basis = match shares.basis {
        StallBasis::ShareOfWarpTime => match stalls.latency.new.value() {
            Some(latency) => words!(
                "Share of warp latency ({} cycles per instruction), %; reasons of at least 3 % on one side.",
                digits(latency)
            ),
            None => words!("Share of warp latency, %; reasons of at least 3 % on one side."),
        },
        StallBasis::Samples => words!("Share of warp samples, %; reasons of at least 3 % on one side."),
        _ => words!("Share of active warps, %; reasons of at least 3 % on one side."),
    };
    let rows = rows.iter().zip(places).map(line).collect();
    Some(Section::new("stalls", "Warp stalls", vec![paragraph("basis", basis), table("stalls", columns, rows).into()]))
}
