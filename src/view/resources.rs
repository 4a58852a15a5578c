//! What the build gives a kernel: registers, spills, stack, shared memory and barriers as the assembler printed them, and of machine code
//! that is at hand resources three ways, the identity of the code, and occupancy.

use super::document::{Block, Cell, Document, Section, Table};
use super::tables::{self, code, columns_of, left, list, paragraph, right, strong, text};
use crate::analysis::code::{Agreement, CodeAudit, CodeFacts, Identity, ResourceRow, StaticOccupancy};
use crate::analysis::{Audit, BuildRow};
use crate::evidence::{BuildLog, BuildRecord};
use crate::quantity::format;
use crate::words;
use crate::words::Words;

/// The section of a page with a report: of the machine code where it is at hand, else of the assembler's log alone.
pub(super) fn section(audit: &Audit) -> Section {
    let old_build = audit.before.as_ref().map(|old| old.build.as_slice()).unwrap_or_default();
    let is_printed = !audit.now.build.is_empty() || !old_build.is_empty();
    let printed = is_printed.then(|| table(&audit.now.build, old_build).into());
    let printed = printed.filter(|_| !audit.trials.build_logs.is_empty());
    let title = "Resources (ptxas, cubin, launch)";
    if let Some(mut section) = in_parts("resources", title, &audit.code, |code| blocks(&code.facts)) {
        section.blocks.extend(printed);
        return section;
    }
    let mut blocks: Vec<Block> = Vec::new();
    let missed = audit.trials.missed.iter().find(|(step, _)| step == "code");
    blocks.extend(missed.map(|(_, why)| {
        paragraph("not-collected", words!("The machine code is **NOT MEASURED**: {}.", why.trim_end_matches('.')))
    }));
    if !audit.unchecked.is_empty() {
        let checks = audit.unchecked.iter().map(|check| words!("{}: {}", check.name.as_str(), check.found.as_str()));
        blocks.push(paragraph("unchecked", words!("Checks of the machine code that are **NOT MEASURED**:")));
        blocks.push(list("unchecked", checks));
    }
    if let Some(printed) = printed {
        blocks.push(printed);
        blocks.extend(audit.now.build.iter().filter_map(remark).map(|words| paragraph("remarks", words)));
    } else {
        let logs = words::join(audit.trials.build_logs.iter().map(|log| words::code(&log.path)), ", ");
        let words = match audit.trials.build_logs.is_empty() {
            true => words!(
                "Not collected: no build log was given. Build with `nvcc -Xptxas -v 2> build.log` and pass `--ptxas build.log`."
            ),
            false => words!("{} holds no entry for `{}`.", logs, audit.now.artefact.kernel.short_name()),
        };
        blocks.push(paragraph("not-collected", words));
    }
    let warned = audit.trials.build_warnings.iter();
    blocks.extend(warnings(warned.map(|(log, line, text)| words!("`{}`:{}: {}", log, line.to_string(), text))));
    Section::new("resources", "Resources (ptxas)", blocks)
}

/// A section with one part for each architecture.
pub(super) fn in_parts(
    name: &str,
    title: &str,
    codes: &[CodeAudit],
    part: fn(&CodeAudit) -> Vec<Block>,
) -> Option<Section> {
    let mut blocks = Vec::new();
    for code in codes {
        let own = part(code);
        if codes.len() > 1 && !own.is_empty() {
            blocks.push(tables::heading("arch", code.facts.label()));
        }
        blocks.extend(own);
    }
    (!blocks.is_empty()).then(|| Section::new(name, title, blocks))
}

/// What the assembler warned of; nothing where it did not.
fn warnings(warned: impl ExactSizeIterator<Item = Words>) -> Vec<Block> {
    if warned.len() == 0 {
        return Vec::new();
    }
    let words = "The assembler warned; such a warning can void an assumption made elsewhere on this page:";
    vec![paragraph("warnings", words), list("warnings", warned)]
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

/// The page of a build log by itself: every kernel that the assembler reported.
pub(crate) fn build_log(log: &BuildLog) -> Document {
    let columns = ["Registers", "Spill stores (B)", "Spill loads (B)", "Stack (B)", "Shared (B)", "Barriers"];
    let columns = [left("Kernel"), left("Arch")].into_iter().chain(columns.map(right)).collect();
    let table = tables::table("kernels", columns, log.records.iter().map(printed_row).collect());
    let mut sections = vec![Section::new("kernels", "Kernels", vec![table.into()])];
    let mut told = |name: &str, title: &str, items: Vec<String>| {
        if !items.is_empty() {
            sections.push(Section::new(name, title, vec![list("lines", items)]));
        }
    };
    let warnings = log.warnings.iter().map(|(line, text)| format!("line {line}: {text}"));
    told("warnings", "Warnings", warnings.collect());
    told("unrecognised", "Lines not understood", log.unrecognised_lines.clone());
    Document { title: log.origin.path.clone(), sections, ..Document::default() }
}

fn printed_row(record: &BuildRecord) -> Vec<Cell> {
    let numbers = [
        record.registers,
        record.spill_store_bytes,
        record.spill_load_bytes,
        record.stack_bytes,
        record.shared_bytes,
        record.barriers,
    ];
    let name = if record.demangled.is_empty() { &record.mangled } else { &record.demangled };
    [code(name.clone()), text(record.arch.clone())].into_iter().chain(numbers.map(printed)).collect()
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

/// Resources of machine code, three ways, and whether it is what was timed.
pub(super) fn blocks(code: &CodeFacts) -> Vec<Block> {
    let has_launch = code.resources.iter().any(|row| row.launch.is_some());
    let mut columns = columns_of("Resource | ptxas: | cubin:");
    // What the build has too was launched; else the block's memory is as audit.toml states it.
    let is_launched = code.resources.iter().any(|row| row.launch.is_some() && row.ptxas.or(row.cubin).is_some());
    columns.extend(has_launch.then(|| right(if is_launched { "launch" } else { "stated" })));
    columns.push(left("Agreement"));
    let line = |row: &ResourceRow| {
        let mut cells = vec![text(row.label.clone()), value(row, row.ptxas), value(row, row.cubin)];
        cells.extend(has_launch.then(|| value(row, row.launch)));
        cells.push(agreement(row));
        cells
    };
    let mut blocks = vec![tables::table("resources", columns, code.resources.iter().map(line).collect()).into()];
    let made = match code.command.is_empty() {
        true => words!("The cubin `{}` was given", &code.input),
        false => words!("Built with `{}` ({})", &code.command, &code.compiler),
    };
    blocks.push(paragraph("made", words!("{}; disassembled with {}.", made, &code.disassembler)));
    blocks.extend(identity(&code.identity).map(|words| paragraph("identity", words)));
    blocks.extend(warnings(code.warnings.iter().map(|(line, said)| format!("line {line}: {said}").into())));
    blocks
}

fn value(row: &ResourceRow, value: Option<u64>) -> Cell {
    let unit = if row.unit.is_empty() { String::new() } else { format!(" {}", row.unit) };
    let shown = |value: u64| text(format!("{}{unit}", format::integer(value))).sorted(value as f64);
    value.map_or_else(|| text("—"), shown)
}

fn agreement(row: &ResourceRow) -> Cell {
    match row.agreement {
        Agreement::Same => text("same"),
        Agreement::Rounded => text("same build; the launch rounds up to the allocation granularity"),
        Agreement::Differs => strong("differs"),
        Agreement::Alone if row.ptxas.is_none() && row.cubin.is_none() && row.launch.is_none() => text("not stated"),
        Agreement::Alone => text("one source"),
    }
}

/// Whether the code is what was timed, in one sentence.
fn identity(identity: &Identity) -> Option<Words> {
    let short = |sha256: &str| words::code(sha256.get(..12).unwrap_or(sha256));
    Some(match identity {
        Identity::NotTimed => return None,
        Identity::Same { sha256 } => {
            words!(
                "This SASS is what was timed: the code sections of the build and of the cubin in the report have the same SHA-256, {}….",
                short(sha256)
            )
        }
        Identity::Differs { built, timed } => words!(
            "**This SASS is not what was timed:** the build's code section has the SHA-256 {}…, that of the report {}…. Another compiler, other flags or another source made the binary that was profiled.",
            short(built),
            short(timed)
        ),
        Identity::OtherChip { built, timed } => {
            words!("This build is for {} and the report is of {}: it was not timed.", built, timed)
        }
        Identity::NotHeld => {
            words!("Whether this SASS is what was timed is not known: the report does not hold the kernel's cubin.")
        }
    })
}

/// Occupancy as the build fixes it.
pub(super) fn occupancy(code: &CodeFacts) -> Vec<Block> {
    if code.occupancies.is_empty() {
        let words = "Not derived: the chip is not in the catalog, or the cubin states no registers.";
        return vec![paragraph("occupancy", words)];
    }
    let columns = columns_of(
        "Threads: | from | Shared memory: | by registers: | by shared memory: | by warps: | by blocks: | Blocks per SM: | Warps per SM: | Occupancy: | Limited by",
    );
    let rows = code.occupancies.iter().map(occupancy_row).collect();
    let table = Table { name: "occupancy".into(), caption: Words::default(), columns, rows };
    let mut blocks: Vec<Block> = vec![table.into()];
    if code.occupancies.iter().any(|row| row.shared_is_unknown) {
        let words = words!(
            "Dynamic shared memory is not stated and counts as none: `dynamic_shared` under `[subject.launch]` states it."
        );
        blocks.push(paragraph("assumed", words));
    }
    if code.occupancies.iter().any(|row| row.threads_from == "assumed") {
        let words = words!(
            "The block size is not stated, so usual ones are shown: `block` under `[subject.launch]` states it."
        );
        blocks.push(paragraph("assumed", words));
    }
    blocks
}

fn occupancy_row(row: &StaticOccupancy) -> Vec<Cell> {
    let limit = |resource: &str| {
        let found = row.limits.iter().find(|limit| limit.resource == resource);
        let shown = |blocks: f64| text(format::fixed(blocks, 0)).sorted(blocks);
        found.map_or_else(|| text("no limit"), |limit| shown(limit.blocks as f64))
    };
    vec![
        text(row.threads.to_string()).sorted(row.threads as f64),
        text(row.threads_from.clone()),
        text(format!("{} B", format::integer(row.shared_bytes))).sorted(row.shared_bytes as f64),
        limit("registers"),
        limit("shared memory"),
        limit("warps"),
        limit("blocks"),
        text(row.blocks.to_string()).sorted(row.blocks as f64),
        text(format!("{} of {}", row.warps, row.max_warps)).sorted(row.warps as f64),
        tables::percent(row.percent, 1).strong(),
        text(row.limiters().join(", ")),
    ]
}
