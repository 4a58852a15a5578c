//! The units of the chip, in percent of their peak: old, new, reference; and how busy that is.

use super::numbers::{cell, sides, tenth};
use crate::analysis::{Audit, Level, Unit};
use crate::catalog::{Code, Part, Threshold};
use crate::evidence::Reading;
use crate::quantity::format;
use crate::quantity::glance;
use crate::view::document::{Cell, Section, Table};
use crate::view::over_time;
use crate::view::tables::{left, paragraph, right, table, text};
use crate::words;
use crate::words::Words;

/// Units shown.
const SHOWN: usize = 8;
/// Share of the peak from which a unit has a row.
const LEAST: f64 = 0.01;
/// The share from which a unit is shown beside the busiest and the levels of memory.
const BUSY: f64 = 0.1;

/// The section; `None` where no unit was measured. With an old side a unit is a row; else it is a column, and the kernel and
/// its reference are the rows.
pub(super) fn section(audit: &Audit) -> Option<Section> {
    let new = &audit.now.bottleneck.units;
    let old = audit.before.as_ref().map(|old| old.bottleneck.units.as_slice()).unwrap_or_default();
    let reference = audit.trials.reference.as_ref().map(|reference| reference.units.as_slice()).unwrap_or_default();
    let names = names(&[new, old]);
    if names.is_empty() {
        return None;
    }
    let table = match &audit.before {
        Some(_) => by_unit(audit, &names, [old, new, reference]),
        None => by_side(audit, &names, new, reference),
    };
    let has_step = audit.now.phases.as_ref().is_some_and(|phases| phases.step_efficiency.is_some());
    // A mean over levels that last, or over a long tail, is none of them.
    let over = if over_time::beside_verdict(audit).is_some() { " by the mean over the launch" } else { "" };
    Some(Section::new(
        "units",
        "Units (GPU Speed of Light)",
        vec![table.into(), paragraph("level", level(audit, has_step, over))],
    ))
}

/// The units worth a number: the busy ones of the kernel on either side, and the levels of memory.
fn names<'a>(sides: &[&'a [Unit]]) -> Vec<&'a str> {
    let is_memory =
        |unit: &Unit| matches!(unit.part, Part::MemoryL2 | Part::MemoryDram | Part::MemoryL1tex | Part::MemoryShared);
    let is_told = |unit: &Unit| unit.share >= if is_memory(unit) { LEAST } else { BUSY };
    let mut names: Vec<&str> = Vec::new();
    for side in sides {
        // The busiest says something even where nothing is busy.
        for (at, unit) in side.iter().enumerate() {
            if (at == 0 && unit.share >= LEAST || is_told(unit)) && !names.contains(&unit.name.as_str()) {
                names.push(&unit.name);
            }
        }
    }
    names.truncate(SHOWN);
    names
}

fn by_unit(audit: &Audit, names: &[&str], [old, new, reference]: [&[Unit]; 3]) -> Table {
    let mut columns = vec![left("% of peak"), right("Old"), right("New")];
    columns.extend(audit.trials.reference.is_some().then(|| right("Reference")));
    let time = has_time(audit).then(|| {
        let mut time: Vec<Cell> = vec![text("Duration under ncu")];
        time.extend(sides(audit, &audit.performance.time, glance::time));
        time.extend(audit.trials.reference.is_some().then(|| duration(audit)));
        time
    });
    let line = |name: &&str| {
        let mut cells: Vec<Cell> = vec![text(format::capital(name)), share(old, name), share(new, name).strong()];
        cells.extend(audit.trials.reference.is_some().then(|| share(reference, name)));
        cells
    };
    table("units", columns, time.into_iter().chain(names.iter().map(line)).collect())
}

/// Whether a side has its time.
fn has_time(audit: &Audit) -> bool {
    let time = &audit.performance.time;
    let sides = [Some(&time.new), time.old.as_ref()].into_iter().flatten();
    sides.chain(reference_time(audit)).any(|reading| reading.value().is_some())
}

fn by_side(audit: &Audit, names: &[&str], new: &[Unit], reference: &[Unit]) -> Table {
    let has_time = has_time(audit);
    let mut columns = vec![left("% of peak")];
    columns.extend(has_time.then(|| right("Duration under ncu")));
    columns.extend(names.iter().map(|name| right(&format::capital(name))));
    let shares = |units: &[Unit]| names.iter().map(|name| share(units, name)).collect::<Vec<Cell>>();
    let mut kernel = vec![text("This kernel")];
    kernel.extend(has_time.then(|| cell(Some(&audit.performance.time.new), glance::time)));
    kernel.extend(shares(new));
    let mut rows = vec![kernel];
    if audit.trials.reference.is_some() {
        let mut beside = vec![text("Reference")];
        beside.extend(has_time.then(|| duration(audit)));
        beside.extend(shares(reference));
        rows.push(beside);
    }
    table("units", columns, rows)
}

fn reference_time(audit: &Audit) -> Option<&Reading> {
    let id = &audit.performance.time.id;
    let row = audit.trials.reference.as_ref()?.rows.iter().find(|own| own.id == *id)?;
    Some(&row.reference)
}

fn duration(audit: &Audit) -> Cell {
    cell(reference_time(audit), glance::time)
}

/// A unit's share of its peak; empty where it was not measured.
fn share(units: &[Unit], name: &str) -> Cell {
    let unit = units.iter().find(|unit| unit.name == name);
    unit.map_or_else(Cell::default, |unit| Cell {
        metrics: vec![unit.counter.clone()],
        ..text(tenth(100.0 * unit.share)).sorted(unit.share)
    })
}

/// `**Saturated**: L1 data stage (92 % while a block is resident).` Where a step of the main loop is known, the tensor pipe's is of that; `over` says of what an idle level is.
fn level(audit: &Audit, has_step: bool, over: &str) -> Words {
    let (units, low) = (&audit.now.bottleneck.units, audit.limits[Threshold::SolLow]);
    let of = |level: Level| -> Vec<String> {
        let own = units.iter().filter(|unit| unit.level == level);
        own.map(|unit| match (100.0 * (unit.resident - unit.share)).abs() >= 1.0 {
            true => {
                let is_of_step = has_step && unit.part == Part::ComputeTensor;
                let when = if is_of_step { "in the main loop" } else { "while a block is resident" };
                format!("{} ({} % {when})", unit.name, format::fixed(100.0 * unit.resident, 0))
            }
            false => unit.name.clone(),
        })
        .collect()
    };
    match (of(Level::Saturated), of(Level::High)) {
        (full, _) if !full.is_empty() => words!("**Saturated**: {}.", full.join(", ")),
        (_, high) if !high.is_empty() => words!("**High, not saturated**: {}.", high.join(", ")),
        _ if audit.now.bottleneck.limiter == Code::NotMeasured => {
            words!("Below {} % of peak, and not all of the chip was measured.", format::fixed(low, 0))
        }
        _ => words!("**Idle**{}: every unit is below {} % of its peak.", over, format::fixed(low, 0)),
    }
}
