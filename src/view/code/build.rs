//! Resources three ways, the identity of the code, and occupancy by the build.

use crate::analysis::code::{Agreement, CodeAudit, Identity, ResourceRow, StaticOccupancy};
use crate::quantity::format;
use crate::view::document::{Block, Cell, Table};
use crate::view::escape;
use crate::view::tables::{left, paragraph, right, strong, text};

/// The resources of one architecture.
pub(super) fn blocks(code: &CodeAudit) -> Vec<Block> {
    let has_launch = code.resources.iter().any(|row| row.launch.is_some());
    let mut columns = vec![left("Resource"), right("ptxas"), right("cubin")];
    columns.extend(has_launch.then(|| right("launch")));
    columns.push(left("Agreement"));
    let line = |row: &ResourceRow| {
        let mut cells = vec![text(row.label.clone()), value(row, row.ptxas), value(row, row.cubin)];
        cells.extend(has_launch.then(|| value(row, row.launch)));
        cells.push(agreement(row));
        cells
    };
    let id = format!("resources-{}", code.arch);
    let rows = code.resources.iter().map(line).collect();
    let mut blocks = vec![Block::Table { table: Table { id, caption: String::new(), columns, rows } }];
    let made = match code.command.is_empty() {
        true => format!("The cubin {} was given", escape::code(&code.input)),
        false => format!("Built with {} ({})", escape::code(&code.command), escape::text(&code.compiler)),
    };
    blocks.push(paragraph(format!("{made}; disassembled with {}.", escape::text(&code.disassembler))));
    blocks.extend(identity(&code.identity).map(paragraph));
    if !code.warnings.is_empty() {
        blocks.push(paragraph(
            "The assembler warned; such a warning can void an assumption made elsewhere on this page:",
        ));
        let items = code.warnings.iter().map(|(line, said)| format!("line {line}: {}", escape::text(said))).collect();
        blocks.push(Block::List { ordered: false, items });
    }
    blocks
}

fn value(row: &ResourceRow, value: Option<u64>) -> Cell {
    let unit = if row.unit.is_empty() { String::new() } else { format!(" {}", row.unit) };
    text(value.map_or_else(|| "—".to_owned(), |value| format!("{}{unit}", format::integer(value))))
}

fn agreement(row: &ResourceRow) -> Cell {
    match row.agreement {
        Agreement::Same => text("same"),
        Agreement::Rounded => text("same build; the launch is given more, in the hardware's steps"),
        Agreement::Differs => strong("differs"),
        Agreement::Alone if row.ptxas.is_none() && row.cubin.is_none() => text("not stated"),
        Agreement::Alone => text("one source"),
    }
}

/// Whether the code is what was timed, in one sentence.
fn identity(identity: &Identity) -> Option<String> {
    let short = |sha256: &str| escape::code(sha256.get(..12).unwrap_or(sha256));
    Some(match identity {
        Identity::NotTimed => return None,
        Identity::Same { sha256 } => {
            format!(
                "This SASS is what was timed: the code section of the build and that of the cubin in the report have one SHA-256, {}….",
                short(sha256)
            )
        }
        Identity::Differs { built, timed } => format!(
            "**This SASS is not what was timed:** the build's code section has the SHA-256 {}…, that of the report {}…. Another compiler, other flags or another source made the binary that was profiled.",
            short(built),
            short(timed)
        ),
        Identity::OtherChip { built, timed } => {
            format!(
                "This build is for {} and the report is of {}: it was not timed.",
                escape::text(built),
                escape::text(timed)
            )
        }
        Identity::NotHeld => {
            "Whether this SASS is what was timed is not known: the report does not hold the kernel's cubin.".into()
        }
    })
}

/// Occupancy as the build fixes it.
pub(super) fn occupancy(code: &CodeAudit) -> Vec<Block> {
    if code.occupancies.is_empty() {
        return vec![paragraph("Not derived: the chip is not in the catalog, or the cubin states no registers.")];
    }
    let columns = vec![
        right("Threads"),
        left("from"),
        right("Shared memory"),
        right("by registers"),
        right("by shared memory"),
        right("by warps"),
        right("by blocks"),
        right("Blocks per SM"),
        right("Warps per SM"),
        right("Occupancy"),
        left("Limited by"),
    ];
    let rows = code.occupancies.iter().map(occupancy_row).collect();
    let id = format!("occupancy-{}", code.arch);
    let table = Table { id, caption: "DERIVED from registers, shared memory and threads by the rules of NVIDIA's occupancy calculator; blocks that each resource allows on one SM.".into(), columns, rows };
    let mut blocks = vec![Block::Table { table }];
    if code.occupancies.iter().any(|row| row.shared_is_unknown) {
        blocks.push(paragraph("Dynamic shared memory is not stated and counts as none: `dynamic_shared` under `[subject.launch]` states it."));
    }
    if code.occupancies.iter().any(|row| row.threads_from == "assumed") {
        blocks.push(paragraph(
            "The block size is not stated, so usual ones are shown: `block` under `[subject.launch]` states it.",
        ));
    }
    blocks
}

fn occupancy_row(row: &StaticOccupancy) -> Vec<Cell> {
    let limit = |resource: &str| {
        let found = row.limits.iter().find(|limit| limit.resource == resource);
        text(found.map_or_else(|| "no limit".to_owned(), |limit| limit.blocks.to_string()))
    };
    vec![
        text(row.threads.to_string()),
        text(row.threads_from.clone()),
        text(format!("{} B", format::integer(row.shared_bytes))),
        limit("registers"),
        limit("shared memory"),
        limit("warps"),
        limit("blocks"),
        text(row.blocks.to_string()),
        text(format!("{} of {}", row.warps, row.max_warps)),
        strong(format!("{} %", format::fixed(row.percent, 1))),
        text(row.limiters().join(", ")),
    ]
}
