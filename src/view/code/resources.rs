//! Resources of machine code three ways, the identity of the code, and the occupancy that the build fixes.

use crate::analysis::code::{Agreement, CodeAudit, CodeFacts, Identity, ResourceRow, StaticOccupancy};
use crate::quantity::format;
use crate::view::document::{Block, Cell, Section};
use crate::view::tables::{self, columns_of, left, list, paragraph, right, strong, text};
use crate::words::{Words, words};

/// A section with one part for each architecture.
pub(in crate::view) fn in_parts(
    name: &str,
    title: &str,
    codes: &[CodeAudit],
    part: impl Fn(&CodeAudit) -> Vec<Block>,
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
pub(in crate::view) fn warnings(warned: impl ExactSizeIterator<Item = Words>) -> Vec<Block> {
    if warned.len() == 0 {
        return Vec::new();
    }
    let words = "The assembler warned; such a warning can void an assumption made elsewhere on this page:";
    vec![paragraph("warnings", words), list("warnings", warned)]
}

/// What ptxas prints of a build: spilled bytes, bytes of stack, and named barriers.
pub(in crate::view) const PTXAS: &str = "Spills, stack, barriers";

pub(in crate::view) fn ptxas([spilled, stack, barriers]: [u64; 3]) -> String {
    format!("{} B, {} B, {}", format::integer(spilled), format::integer(stack), format::integer(barriers))
}

/// Bytes of shared memory as a share of an SM's.
pub(in crate::view) fn of_shared(bytes: f64, room: f64) -> String {
    format!("{} % of {} KB", format::fixed(100.0 * bytes / room, 0), format::fixed(room / 1024.0, 0))
}

/// Resources of machine code, three ways, and whether it is what was timed.
pub(in crate::view) fn blocks(code: &CodeFacts) -> Vec<Block> {
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
    let mut blocks = vec![tables::table("resources", columns, code.resources.iter().map(line)).into()];
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

pub(super) fn occupancy(code: &CodeFacts) -> Vec<Block> {
    if code.occupancies.is_empty() {
        let words = "Not derived: the chip is not in the catalog, or the cubin states no registers.";
        return vec![paragraph("occupancy", words)];
    }
    let head = "Threads: | from | Shared memory: | by registers: | by shared memory: | by warps: | by blocks: | Blocks per SM: | Warps per SM: | Occupancy: | Limited by";
    let mut blocks: Vec<Block> =
        vec![tables::table("occupancy", head, code.occupancies.iter().map(occupancy_row)).into()];
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
