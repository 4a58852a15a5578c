//! What the build and the launch give, and the occupancy that follows.

use super::numbers::{cell, digits, row, sides};
use crate::analysis::{Audit, Row};
use crate::quantity::format;
use crate::view::document::{Block, Cell, Section};
use crate::view::tables::{left, right, table, text};

fn whole(value: f64) -> String {
    format::fixed(value, 0)
}

fn bytes(value: f64) -> String {
    format!("{} B", format::fixed(value, 0))
}

fn percent(value: f64) -> String {
    format!("{} %", format::fixed(value, 1))
}

type Fact = (&'static str, &'static str, fn(f64) -> String);

const LAUNCH: [Fact; 7] = [
    ("Registers/thread", "launch__registers_per_thread", whole),
    ("Static shared memory/block", "launch__shared_mem_per_block_static", bytes),
    ("Dynamic shared memory/block", "launch__shared_mem_per_block_dynamic", bytes),
    ("Spill instructions executed", "sass__inst_executed_register_spilling", whole),
    ("Grid, blocks", "launch__grid_size", whole),
    ("Block, threads", "launch__block_size", whole),
    ("Barriers", "launch__barrier_count", whole),
];

const OCCUPANCY: [Fact; 4] = [
    ("Theoretical occupancy", "sm__maximum_warps_per_active_cycle_pct", percent),
    ("Achieved occupancy", "sm__warps_active.avg.pct_of_peak_sustained_active", percent),
    ("Waves", "launch__waves_per_multiprocessor", digits),
    ("Eligible warps/scheduler", "smsp__warps_eligible.avg.per_cycle_active", digits),
];

/// The section; `None` where the report holds nothing of it.
pub(super) fn section(audit: &Audit) -> Option<Section> {
    let mut facts: Vec<Vec<Cell>> = Vec::new();
    for (label, metric, write) in LAUNCH.iter().chain(&OCCUPANCY) {
        let Some(row) = row(audit, metric).filter(|row| says_something(row)) else { continue };
        let mut cells = vec![text(*label)];
        cells.extend(sides(audit, row, *write));
        facts.push(cells);
    }
    if let Some(limits) = limits(audit) {
        facts.push(limits);
    }
    if facts.is_empty() {
        return None;
    }
    let mut columns = vec![left("Build, launch, occupancy")];
    columns.extend(audit.old.is_some().then(|| right("Old")));
    columns.push(right(if audit.old.is_some() { "New" } else { "" }));
    let blocks: Vec<Block> = vec![table("build", columns, facts).into()];
    Some(Section::new("build", "Build stats (ptxas), occupancy", blocks))
}

/// A row of zeros is none.
fn says_something(row: &Row) -> bool {
    row.id == "sass__inst_executed_register_spilling"
        || [Some(&row.new), row.old.as_ref()].into_iter().flatten().any(|side| side.value() > Some(0.0))
}

/// Blocks that each resource allows on an SM; the smallest decide.
fn limits(audit: &Audit) -> Option<Vec<Cell>> {
    let limits = &audit.occupancy.limits;
    if limits.is_empty() {
        return None;
    }
    let least = |read: fn(&Row) -> Option<f64>| {
        let smallest = limits.iter().filter_map(|limit| read(&limit.row)).min_by(f64::total_cmp)?;
        let names: Vec<&str> = limits
            .iter()
            .filter(|limit| read(&limit.row) == Some(smallest))
            .map(|limit| limit.resource.as_str())
            .collect();
        Some(format!("{} ({})", whole(smallest), names.join(", ")))
    };
    let mut cells = vec![text("Blocks/SM, limited by")];
    if audit.old.is_some() {
        let old = least(|row| row.old.as_ref()?.value());
        cells.push(old.map_or_else(|| cell(None, whole), text));
    }
    cells.push(text(least(|row| row.new.value())?).strong());
    Some(cells)
}
