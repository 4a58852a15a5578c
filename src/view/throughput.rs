//! Speed of light, and throughput by subsystem.

use super::charts;
use super::document::{Block, Section};
use super::flows;
use super::heading::Heading;
use super::source_lines;
use super::tables::{self, paragraph};
use crate::analysis::{Audit, Row};
use crate::catalog::{Counter, Family};
use crate::quantity::format;
use crate::words;
use crate::words::Words;

pub(super) fn speed_of_light(heading: &Heading, audit: &Audit) -> Section {
    let cure = words!("Collect with `--section SpeedOfLight`.");
    let chart = charts::placed(heading, charts::speed_of_light(audit));
    let mut blocks = panels(audit, &["speed-of-light"], chart.as_slice(), cure);
    blocks.extend(reading_of_sol(audit).map(|words| paragraph("levels", words)));
    Section::new("speed-of-light", "GPU Speed of Light", blocks)
}

/// Throughput by subsystem: utilisation, traffic, pipes.
pub(super) fn subsystems(heading: &Heading, audit: &Audit) -> Section {
    let cure = words!("Collect with `--section MemoryWorkloadAnalysis --section ComputeWorkloadAnalysis`.");
    let ids = ["throughput", "memory", "shared-memory", "local-memory", "pipes", "tensor-memory"];
    let mut blocks = panels(audit, &ids, charts::placed(heading, charts::memory(audit)).as_slice(), cure);
    blocks.extend(source_lines::shared(audit, charts::placed(heading, charts::wavefronts(audit))));
    blocks.extend(source_lines::local(audit));
    Section::new("throughput", "Throughput by subsystem", blocks)
}

/// The tables of some panels, each below the chart of its name.
fn panels(audit: &Audit, ids: &[&str], charts: &[Block], cure: Words) -> Vec<Block> {
    let mut blocks = Vec::new();
    let mut missing = Vec::new();
    for (at, panel) in ids.iter().filter_map(|id| audit.panel(id)).enumerate() {
        missing.extend(panel.not_collected.iter().cloned());
        if panel.rows.is_empty() {
            continue;
        }
        if at > 0 {
            blocks.push(tables::heading(&panel.id, &panel.title));
        }
        blocks.extend(charts.iter().filter(|chart| chart.name == panel.id).cloned());
        let (idle, rows): (Vec<&Row>, Vec<&Row>) = panel.rows.iter().partition(|row| is_zero(row));
        let (borrowed, rows): (Vec<&Row>, Vec<&Row>) = rows.into_iter().partition(|row| is_borrowed(audit, row));
        if !rows.is_empty() {
            blocks.push(tables::noted(&panel.id, &rows, flows::notes(audit, &panel.id, &rows)));
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

/// Whether a row counts the tensor pipe of a kernel that multiplies no matrices: what it reads is the work of others.
fn is_borrowed(audit: &Audit, row: &Row) -> bool {
    let is_tensor = Family::TensorPipe.has(&row.id);
    is_tensor && row.has_number() && audit.mix.has_tensor_work() == Some(false)
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

/// Percentage points by which a level's number is no rounding of the memory number.
const APART: f64 = 0.5;

/// What the table says about this kernel: which of the memory levels carries the memory number.
fn reading_of_sol(audit: &Audit) -> Option<Words> {
    let unit = audit.bottleneck.units.first()?;
    let value = |id: Counter| audit.panel("speed-of-light").and_then(|p| p.row(id)?.new.value());
    let memory = value(Counter::GpuComputeMemoryThroughputAvgPctElapsed)?;
    let levels: Vec<(&str, f64)> = [
        ("L1/TEX", Counter::L1texThroughputAvgPctActive),
        ("L2", Counter::LtsThroughputAvgPctElapsed),
        ("DRAM", Counter::GpuDramThroughputAvgPctElapsed),
    ]
    .iter()
    .filter_map(|(name, id)| Some((*name, value(*id)?)))
    .collect();
    if levels.is_empty() {
        return None;
    }
    // L1's number is of its active cycles and so a little above; a level well above has counters of its own.
    let above = levels.iter().filter(|(name, level)| *name != "L1/TEX" && level - memory > APART);
    let above: Vec<&str> = above.map(|(name, _)| *name).collect();
    let own = match above.as_slice() {
        [] => String::new(),
        names => format!(" (for {} ncu counts parts that are not in memory throughput)", names.join(" and ")),
    };
    let by_level: Vec<String> =
        levels.iter().map(|(name, level)| format!("{name} {} %", format::fixed(*level, 2))).collect();
    Some(words!(
        "Memory throughput, {} %, is its busiest counter; the levels by their own counters, L1 over its active cycles: {}{}. Busiest counter of the chip: `{}`, {} %.",
        format::fixed(memory, 2),
        by_level.join(", "),
        own,
        &unit.counter,
        format::fixed(100.0 * unit.share, 2)
    ))
}
