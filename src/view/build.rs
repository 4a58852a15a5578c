//! Build stats: registers, spills, stack, shared memory and barriers as the assembler printed them.

use super::document::{Cell, Section, Table};
use super::tables::{self, left, list, paragraph, right, text};
use crate::analysis::{Audit, BuildRow};
use crate::quantity::format;
use crate::words;
use crate::words::Words;

pub(super) fn section(audit: &Audit) -> Section {
    let old_build = audit.before.as_ref().map(|old| old.build.as_slice()).unwrap_or_default();
    let mut blocks = Vec::new();
    let missed = audit.trials.missed.iter().find(|(step, _)| step == "code");
    blocks.extend(missed.map(|(_, why)| {
        paragraph("not-collected", words!("The machine code is **NOT MEASURED**: {}.", why.trim_end_matches('.')))
    }));
    if !audit.unchecked.is_empty() {
        let checks = audit.unchecked.iter().map(|check| words!("{}: {}", check.name.as_str(), check.found.as_str()));
        blocks.push(paragraph("unchecked", words!("Checks of the machine code that are **NOT MEASURED**:")));
        blocks.push(list("unchecked", checks));
    }
    if audit.trials.build_logs.is_empty() {
        blocks.push(paragraph(
            "not-collected",
            words!("Not collected: no build log was given. Build with `nvcc -Xptxas -v 2> build.log` and pass `--ptxas build.log`."),
        ));
    } else if audit.now.build.is_empty() && old_build.is_empty() {
        let logs = words::join(audit.trials.build_logs.iter().map(|log| words::code(&log.path)), ", ");
        let words = words!("{} holds no entry for `{}`.", logs, audit.now.artefact.kernel.short_name());
        blocks.push(paragraph("not-collected", words));
    } else {
        blocks.push(table(&audit.now.build, old_build).into());
        blocks.extend(audit.now.build.iter().filter_map(remark).map(|words| paragraph("remarks", words)));
    }
    if !audit.trials.build_warnings.is_empty() {
        let items = audit.trials.build_warnings.iter();
        let items = items.map(|(log, line, text)| words!("`{}`:{}: {}", log, line.to_string(), text));
        blocks.push(paragraph(
            "warnings",
            "The assembler warned; such a warning can void an assumption made elsewhere on this page:",
        ));
        blocks.push(list("warnings", items));
    }
    Section::new("resources", "Resources (ptxas)", blocks)
}

type Fact = (&'static str, fn(&BuildRow) -> Cell);

const FACTS: [Fact; 9] = [
    ("Architecture", |b| text(&b.record.arch)),
    ("Registers per thread", |b| printed(b.record.registers)),
    ("Registers per thread, as launched", |b| tables::reading(&b.launch_registers)),
    ("Spill stores, callees included", |b| bytes(b.spill_stores())),
    ("Spill loads, callees included", |b| bytes(b.spill_loads())),
    ("Stack frame", |b| bytes(b.record.stack_bytes)),
    ("Static shared memory", |b| bytes(b.record.shared_bytes)),
    ("Barriers", |b| printed(b.record.barriers)),
    ("Functions called, not inlined", |b| tables::count(b.record.callees.len() as u64)),
];

fn table(build: &[BuildRow], old_build: &[BuildRow]) -> Table {
    let has_old = !old_build.is_empty();
    let mut columns = vec![left("Build")];
    let mut sides: Vec<&[BuildRow]> = Vec::new();
    if has_old {
        columns.push(right("Old"));
        sides.push(old_build);
    }
    columns.push(right(if has_old { "New" } else { "Value" }));
    sides.push(build);
    let join = |rows: &[BuildRow], read: fn(&BuildRow) -> Cell| {
        let cells: Vec<Cell> = rows.iter().map(read).collect();
        let sort = cells.first().and_then(|cell| cell.sort);
        let words = words::join(cells.into_iter().map(|cell| cell.words), " / ");
        if words.is_empty() { text("not in the log") } else { text(words).sorted(sort) }
    };
    let line = |(label, read): &Fact| {
        let mut cells: Vec<Cell> = vec![text(*label)];
        cells.extend(sides.iter().map(|side| join(side, *read)));
        if let Some(last) = cells.pop() {
            cells.push(last.strong());
        }
        cells
    };
    tables::table("build", columns, FACTS.iter().map(line).collect())
}

fn printed(value: Option<u64>) -> Cell {
    value.map_or_else(|| text("not printed"), tables::count)
}

fn bytes(value: Option<u64>) -> Cell {
    let shown = |bytes: u64| text(format!("{} B", format::integer(bytes))).sorted(bytes as f64);
    value.map_or_else(|| text("not printed"), shown)
}

/// What the build and the launch say about registers when they differ.
fn remark(row: &BuildRow) -> Option<Words> {
    let (built, launched) = (row.record.registers? as f64, row.launch_registers.value()?);
    if launched > built {
        return Some(words!(
            "ptxas counted {} registers and the launch reports {}: the hardware allocates in steps, so occupancy follows the larger number.",
            built.to_string(),
            launched.to_string()
        ));
    }
    (launched < built).then(|| {
        words!(
            "**The launch reports {} registers and this log {}: the log is not of the profiled binary.**",
            launched.to_string(),
            built.to_string()
        )
    })
}
