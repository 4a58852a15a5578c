//! The units of the chip, in percent of their peak: old, new, reference; and how busy that is.

use super::numbers::{cell, sides, tenth, time};
use crate::analysis::{Audit, Level, Row, Unit};
use crate::quantity::format;
use crate::view::document::{Cell, Section};
use crate::view::tables::{left, paragraph, right, table, text};
use crate::words;
use crate::words::Words;

/// Units shown.
const SHOWN: usize = 8;
/// Share of the peak from which a unit has a row.
const LEAST: f64 = 0.01;

/// The section; `None` where no unit was measured.
pub(super) fn section(audit: &Audit) -> Option<Section> {
    let new = &audit.bottleneck.units;
    let old = audit.old_bottleneck.as_ref().map(|old| old.units.as_slice()).unwrap_or_default();
    let reference = audit.reference.as_ref().map(|reference| reference.units.as_slice()).unwrap_or_default();
    let mut names: Vec<&str> = Vec::new();
    for unit in new.iter().chain(old).filter(|unit| unit.share >= LEAST) {
        if !names.contains(&unit.name.as_str()) {
            names.push(&unit.name);
        }
    }
    names.truncate(SHOWN);
    if names.is_empty() {
        return None;
    }
    let mut columns = vec![left("% of peak")];
    columns.extend(audit.old.is_some().then(|| right("Old")));
    columns.push(right(if audit.old.is_some() { "New" } else { "Now" }));
    columns.extend(audit.reference.is_some().then(|| right("Reference")));
    let time_of = |row: &Row| {
        let beside = audit.reference.as_ref().and_then(|reference| reference.rows.iter().find(|own| own.id == row.id));
        let mut cells: Vec<Cell> = vec![text("Duration under ncu")];
        cells.extend(sides(audit, row, time));
        cells.extend(audit.reference.is_some().then(|| cell(beside.map(|row| &row.reference), time)));
        cells
    };
    let line = |name: &&str| {
        let mut cells: Vec<Cell> = vec![text(*name)];
        cells.extend(audit.old.is_some().then(|| share(old, name)));
        let own = share(new, name);
        cells.push(if own.words.is_empty() { own } else { own.strong() });
        cells.extend(audit.reference.is_some().then(|| share(reference, name)));
        cells
    };
    let rows = std::iter::once(time_of(&audit.performance.time)).chain(names.iter().map(line)).collect();
    let blocks = vec![table("units", columns, rows).into(), paragraph("level", level(new))];
    Some(Section::new("units", "Units (GPU Speed of Light)", blocks))
}

/// A unit's share of its peak; empty where it was not measured.
fn share(units: &[Unit], name: &str) -> Cell {
    let unit = units.iter().find(|unit| unit.name == name);
    unit.map_or_else(Cell::default, |unit| text(tenth(100.0 * unit.share)).sorted(unit.share))
}

/// `**Saturated**: L1 data stage (92 % while a block is resident).`
fn level(units: &[Unit]) -> Words {
    let of = |level: Level| -> Vec<String> {
        let own = units.iter().filter(|unit| unit.level == level);
        own.map(|unit| match (100.0 * (unit.resident - unit.share)).abs() >= 1.0 {
            true => format!("{} ({} % while it can work)", unit.name, format::fixed(100.0 * unit.resident, 0)),
            false => unit.name.clone(),
        })
        .collect()
    };
    match (of(Level::Saturated), of(Level::High)) {
        (full, _) if !full.is_empty() => words!("**Saturated**: {}.", full.join(", ")),
        (_, high) if !high.is_empty() => words!("**High, not saturated**: {}.", high.join(", ")),
        _ => words!("**Idle**: every unit is below 60 % of its peak."),
    }
}
