//! The units of the chip, in percent of their peak: old, new, reference; and how busy that is. In full, every counter of them, subsystem
//! by subsystem.

use super::kernels;
use super::numbers::{cell, sides, tenth, value};
use crate::analysis::{Audit, Level, Row, Standing, Unit};
use crate::catalog::{Code, Counter, Family, Part, Threshold};
use crate::quantity::{format, glance};
use crate::view::document::{Block, Cell, Section, Table};
use crate::view::groups::distinct;
use crate::view::heading::Heading;
use crate::view::tables::{self, filled, left, paragraph, right, text};
use crate::view::{charts, over_time, source_lines};
use crate::words::{Words, words};

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
    // A mean over levels that last, or over a long tail, is none of them.
    let over = if over_time::beside_verdict(audit).is_some() { " by the mean over the launch" } else { "" };
    Some(Section::new(
        "units",
        "Units (GPU Speed of Light)",
        vec![table.into(), paragraph("level", words!("{}{}", level(audit, over), first_table(audit)))],
    ))
}

/// Time, rates and how busy the chip is; then what a range is made of, and the other kernels of the report.
pub(in crate::view) fn in_full(heading: &Heading, audit: &Audit) -> Section {
    let mut blocks = Vec::new();
    if audit.standing() == Standing::Wrong {
        blocks.push(paragraph(
            "wrong",
            "The kernel's results are wrong: times, changes and rates are of a program that does something else.",
        ));
    }
    let launches = audit.now.artefact.launches.len();
    if launches > 1 || audit.before.as_ref().is_some_and(|o| o.artefact.launches.len() > 1) {
        let old = audit.before.as_ref().map(|old| format!(", {} on the old side", old.artefact.launches.len()));
        let words = words!(
            "Median over {} launches{}; in brackets the smallest, the largest and how many had a value.",
            launches,
            words::maybe(old)
        );
        blocks.push(paragraph("launches", words));
    }
    let chart = charts::placed(heading, charts::speed_of_light(audit));
    let rates = [&audit.performance.flop_rate, &audit.performance.byte_rate].into_iter().flatten().collect();
    let cure = words!("Collect with `--section SpeedOfLight`.");
    blocks.extend(panels(audit, &[&["speed-of-light", "throughput"]], rates, chart.as_slice(), cure));
    if audit.trials.timing.is_none() {
        let why = audit.trials.missed.iter().find(|(step, _)| step == "benchmark");
        let why = why.map_or_else(String::new, |(_, why)| format!(" {}.", why.trim_end_matches('.')));
        let words = words!("Time outside the profiler and beside a reference: **NOT MEASURED**.{}", why);
        blocks.push(paragraph("no-benchmark", words));
    }
    if !audit.report.members.is_empty() {
        let listed = audit.report.members.iter().map(|(name, count)| words!("{} × `{}`", count.to_string(), name));
        let words = words!(
            "It is made of {}. Every number of this page is of all of them together; launch facts are the largest among them.",
            words::join(listed, ", ")
        );
        blocks.push(paragraph("members", words));
    }
    blocks.extend(kernels::in_full(audit));
    Section::new("speed-of-light", "GPU Speed of Light", blocks)
}

/// What each level of memory and each pipe did, and the lines with conflicts and with local memory.
pub(in crate::view) fn subsystems_in_full(heading: &Heading, audit: &Audit) -> Section {
    let cure = words!("Collect with `--section MemoryWorkloadAnalysis --section ComputeWorkloadAnalysis`.");
    let groups: [&[&str]; 5] = [&["memory"], &["shared-memory"], &["local-memory"], &["pipes"], &["tensor-memory"]];
    let chart = charts::placed(heading, charts::memory(audit));
    let mut blocks = panels(audit, &groups, Vec::new(), chart.as_slice(), cure);
    blocks.extend(source_lines::shared(audit));
    blocks.extend(source_lines::local(audit));
    Section::new("throughput", "Throughput by subsystem", blocks)
}

/// The units worth a number: the busy ones of the kernel on either side, and the levels of memory.
fn names<'a>(sides: &[&'a [Unit]]) -> Vec<&'a str> {
    let is_memory =
        |unit: &Unit| matches!(unit.part, Part::MemoryL2 | Part::MemoryDram | Part::MemoryL1tex | Part::MemoryShared);
    let is_told = |unit: &Unit| unit.share >= if is_memory(unit) { LEAST } else { BUSY };
    // The busiest says something even where nothing is busy.
    let is_shown = |(at, unit): &(usize, &Unit)| *at == 0 && unit.share >= LEAST || is_told(unit);
    let shown = sides.iter().flat_map(|side| side.iter().enumerate().filter(is_shown));
    let mut names = distinct(shown.map(|(_, unit)| unit.name.as_str()));
    names.truncate(SHOWN);
    names
}

fn by_unit(audit: &Audit, names: &[&str], [old, new, reference]: [&[Unit]; 3]) -> Table {
    let [was, is] = sides(audit, &audit.performance.time, glance::time);
    let time = vec![text("Duration under ncu"), was, is, duration(audit)];
    let line = |name: &&str| {
        vec![text(format::capital(name)), share(old, name), share(new, name).strong(), share(reference, name)]
    };
    let has_time = time[1..].iter().any(|side| !side.words.is_empty());
    let rows = Some(time).filter(|_| has_time).into_iter().chain(names.iter().map(line));
    filled("units", "% of peak | Old: | New: | Reference:", rows)
}

fn by_side(audit: &Audit, names: &[&str], new: &[Unit], reference: &[Unit]) -> Table {
    let mut columns = vec![left("% of peak"), right("Duration under ncu")];
    columns.extend(names.iter().map(|name| right(&format::capital(name))));
    let line = |label: &str, time: Cell, units: &[Unit]| {
        [text(label), time].into_iter().chain(names.iter().map(|name| share(units, name))).collect()
    };
    let own = format!("This {}", audit.now.artefact.kernel.workload.as_str());
    let mut rows = vec![line(&own, cell(Some(&audit.performance.time.new), glance::time), new)];
    rows.extend(audit.trials.reference.is_some().then(|| line("Reference", duration(audit), reference)));
    filled("units", columns, rows)
}

fn duration(audit: &Audit) -> Cell {
    let rows = audit.trials.reference.iter().flat_map(|reference| &reference.rows);
    let time = rows.filter(|own| own.id == audit.performance.time.id).map(|row| &row.reference).next();
    cell(time, glance::time)
}

/// A unit's share of its peak; empty where it was not measured.
fn share(units: &[Unit], name: &str) -> Cell {
    let unit = units.iter().find(|unit| unit.name == name);
    unit.map_or_else(Cell::default, |unit| Cell {
        metrics: vec![unit.counter.clone()],
        ..text(tenth(100.0 * unit.share)).sorted(unit.share)
    })
}

/// `**Saturated**: L1 data stage (92 % while a block is resident).` Where a step of the main loop is known, the tensor pipe's is of that, and
/// not where warpgroups take tiles in turn; `over` says of what an idle level is.
fn level(audit: &Audit, over: &str) -> Words {
    let (units, low) = (&audit.now.bottleneck.units, audit.limits[Threshold::SolLow]);
    let phases = audit.now.phases.as_ref();
    let has_step = phases.is_some_and(|phases| phases.step_efficiency.is_some() && phases.in_turn.is_none());
    let empty = phases.filter(|phases| phases.in_turn.is_some()).and_then(|phases| phases.time.empty);
    let told = |unit: &Unit| {
        let is_tensor = unit.part == Part::ComputeTensor;
        let when = if has_step && is_tensor { "in the main loop" } else { "while a block is resident" };
        let resident = empty.filter(|_| is_tensor).map_or(unit.resident, |empty| unit.share / (1.0 - empty));
        let is_fabric = unit.part == Part::MemoryL2 && 100.0 * unit.share >= audit.limits[Threshold::SolHigh];
        match (100.0 * (resident - unit.share)).abs() >= 1.0 {
            _ if is_fabric && unit.level == Level::High => format!("{} (its fabric, with what DRAM moves)", unit.name),
            true => format!("{} ({} % {when})", unit.name, format::fixed(100.0 * resident, 0)),
            false => unit.name.clone(),
        }
    };
    let of = |level: Level| -> Vec<String> { units.iter().filter(|unit| unit.level == level).map(told).collect() };
    match (of(Level::Saturated), of(Level::High)) {
        (full, high) if !full.is_empty() => {
            let own = audit.now.bottleneck.unit.as_ref().map(|own| own.code);
            let is_high = units.iter().any(|unit| unit.level == Level::High && Some(unit.part) == own);
            let high = if is_high { words!(" **High**: {}.", high.join(", ")) } else { Words::default() };
            words!("**Saturated**: {}.{}", full.join(", "), high)
        }
        (_, high) if !high.is_empty() => words!("**High, not saturated**: {}.", high.join(", ")),
        _ if audit.now.bottleneck.limiter == Code::NotMeasured => {
            words!("Below {} % of peak, and not all of the chip was measured.", format::fixed(low, 0))
        }
        // A unit that limits is not idle, however much it leaves.
        _ if audit.now.bottleneck.unit.is_some() => {
            words!("No unit reaches {} % of its peak{}.", format::fixed(low, 0), over)
        }
        _ => words!("**Idle**{}: every unit is below {} % of its peak.", over, format::fixed(low, 0)),
    }
}

/// The rows of ncu's first table that are no unit: whoever compares the two finds them here.
fn first_table(audit: &Audit) -> Words {
    let share = |name: &str, metric| Some(words!("{} {} %", name, tenth(value(audit, metric)?)));
    let told = [
        share("SM", Counter::SmThroughputAvgPctElapsed),
        share("memory", Counter::GpuComputeMemoryThroughputAvgPctElapsed),
        value(audit, Counter::GpcCyclesElapsedMax).map(|cycles| words!("{} cycles", glance::cycles(cycles))),
    ];
    let told: Vec<Words> = told.into_iter().flatten().collect();
    if told.is_empty() { Words::default() } else { words!(" In ncu's first table: {}.", words::join(told, ", ")) }
}

/// A table for each group of panels, with each metric once and below the chart of its name; `more` rows end the first.
pub(super) fn panels(
    audit: &Audit,
    groups: &[&[&str]],
    mut more: Vec<&Row>,
    charts: &[Block],
    cure: Words,
) -> Vec<Block> {
    let mut blocks = Vec::new();
    let multiplies = audit.now.mix.has_tensor_work() != Some(false);
    let mut missing = Vec::new();
    for group in groups {
        let panels: Vec<_> = group.iter().filter_map(|id| audit.panel(id)).collect();
        missing.extend(panels.iter().flat_map(|panel| panel.not_collected.iter().cloned()));
        let mut rows: Vec<&Row> = Vec::new();
        for row in panels.iter().flat_map(|panel| &panel.rows).chain(more.drain(..)) {
            if rows.iter().all(|known| known.id != row.id) {
                rows.push(row);
            }
        }
        let Some(panel) = panels.first().filter(|_| !rows.is_empty()) else { continue };
        if !blocks.is_empty() {
            blocks.push(tables::heading(&panel.id, &panel.title));
        }
        blocks.extend(charts.iter().filter(|chart| chart.name == panel.id).cloned());
        let (idle, rows): (Vec<&Row>, Vec<&Row>) = rows.into_iter().partition(|row| is_zero(row));
        // What the tensor pipe of a kernel that multiplies no matrices reads is the work of others.
        let is_borrowed = |row: &&Row| !multiplies && Family::TensorPipe.has(&row.id) && row.has_number();
        let (borrowed, rows): (Vec<&Row>, Vec<&Row>) = rows.into_iter().partition(is_borrowed);
        if !rows.is_empty() {
            blocks.push(tables::metrics(&panel.id, &rows));
        }
        if !idle.is_empty() {
            let names: Vec<&str> = idle.iter().map(|row| row.label.as_str()).collect();
            blocks.push(paragraph(&panel.id, words!("Measured as zero: {}.", names.join("; "))));
        }
        blocks.extend(borrowed.into_iter().map(|row| paragraph(&panel.id, no_tensor_work(row))));
    }
    missing.sort();
    missing.dedup();
    blocks.extend(tables::not_collected(audit, &missing, cure));
    blocks
}

/// Such a row in a sentence, so that nobody reads work of the tensor cores from it.
fn no_tensor_work(row: &Row) -> Words {
    let (old, new) = tables::sides(row);
    let read = if old.is_empty() { new } else { format!("{old} on the old side and {new} on the new") };
    words!(
        "No tensor work: no matrix instruction was executed. `{}` reads {}, from other instructions on this pipe.",
        &row.id,
        read
    )
}

/// Whether every side that has the reading measured exactly zero.
fn is_zero(row: &Row) -> bool {
    let sides = [Some(&row.new), row.old.as_ref()];
    row.has_number() && sides.into_iter().flatten().all(|reading| reading.value() == Some(0.0))
}
