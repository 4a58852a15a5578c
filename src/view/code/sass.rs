//! What the machine code holds: counts, widths, loops, local memory.

use crate::analysis::code::{CodeAudit, LoopRow};
use crate::quantity::format;
use crate::view::document::{Block, Cell, Table};
use crate::view::tables::{code, left, paragraph, right, strong, text};

/// Loops and lines of local memory shown unfolded.
const SHOWN: usize = 12;

pub(super) fn blocks(audit: &CodeAudit) -> Vec<Block> {
    if audit.instructions == 0 {
        return vec![paragraph("The disassembly holds no code of the kernel.")];
    }
    let mut blocks = vec![paragraph(format!(
        "{} instructions in the code ({} B). Counts are of the code: how often an instruction stands there, not how often it runs.",
        format::integer(audit.instructions as u64),
        format::integer(16 * audit.instructions as u64),
    ))];
    blocks.push(Block::Table { table: classes(audit) });
    if !audit.widths.is_empty() {
        blocks.push(Block::Table { table: widths(audit) });
    }
    blocks.extend(loops(audit));
    blocks.extend(local(audit));
    let columns = vec![left("Opcode"), right("In the code")];
    let rows = audit.opcodes.iter().map(|(opcode, n)| vec![code(opcode.clone()), text(n.to_string())]).collect();
    let table = Table { id: format!("sass-opcodes-{}", audit.arch), caption: String::new(), columns, rows };
    let summary = format!("The {} most frequent opcodes", audit.opcodes.len());
    blocks.push(Block::Fold { summary, blocks: vec![Block::Table { table }] });
    blocks
}

fn classes(audit: &CodeAudit) -> Table {
    let columns = vec![left("Class"), right("Instructions"), right("Share"), right("With a guard")];
    let row = |class: &crate::analysis::sass::ClassCount| {
        let share = 100.0 * class.count as f64 / audit.instructions as f64;
        vec![
            text(class.label.clone()),
            text(format::integer(class.count as u64)),
            text(format!("{} %", format::fixed(share, 1))),
            text(format::integer(class.predicated as u64)),
        ]
    };
    let id = format!("sass-classes-{}", audit.arch);
    Table { id, caption: String::new(), columns, rows: audit.classes.iter().map(row).collect() }
}

fn widths(audit: &CodeAudit) -> Table {
    let columns = vec![left("Access"), left("Bits per lane × instructions")];
    let row = |row: &crate::analysis::code::WidthRow| {
        let words: Vec<String> = row.widths.iter().map(|(bits, count)| format!("{bits} × {count}")).collect();
        vec![code(row.opcode.clone()), text(words.join(", "))]
    };
    let id = format!("sass-widths-{}", audit.arch);
    Table { id, caption: String::new(), columns, rows: audit.widths.iter().map(row).collect() }
}

/// An offset as disassemblers print it.
pub(super) fn offset(at: u64) -> String {
    format!("{at:#06x}")
}

/// Lines as a range.
pub(super) fn lines(lines: Option<(u32, u32)>) -> String {
    match lines {
        None => "not known".into(),
        Some((from, to)) if from == to => from.to_string(),
        Some((from, to)) => format!("{from}–{to}"),
    }
}

fn loops(audit: &CodeAudit) -> Vec<Block> {
    let mut blocks = vec![Block::Heading { text: format!("Loops ({})", audit.loops.len()) }];
    if audit.loops.is_empty() {
        blocks.push(paragraph("The code has no loop."));
        return blocks;
    }
    if audit.loops.iter().any(|row| row.hottest) {
        blocks.push(paragraph(
            "The hottest loop is a guess from structure: one that holds no other than loops that only wait; tensor instructions first, then depth, then length.",
        ));
    }
    let columns = vec![
        left("From"),
        left("To"),
        right("Instructions"),
        right("Depth"),
        left("Lines"),
        left("Mostly"),
        left("Remark"),
    ];
    // What only waits goes last.
    let mut order: Vec<&LoopRow> = audit.loops.iter().collect();
    order.sort_by_key(|row| (row.waits, row.start));
    let (shown, rest) = order.split_at(order.len().min(SHOWN));
    let table = |id: &str, rows: &[&LoopRow]| Table {
        id: format!("{id}-{}", audit.arch),
        caption: String::new(),
        columns: columns.clone(),
        rows: rows.iter().map(|row| loop_row(row)).collect(),
    };
    blocks.push(Block::Table { table: table("loops", shown) });
    if !rest.is_empty() {
        let folded = vec![Block::Table { table: table("loops-rest", rest) }];
        blocks.push(Block::Fold { summary: format!("{} further loops", rest.len()), blocks: folded });
    }
    blocks
}

fn loop_row(row: &LoopRow) -> Vec<Cell> {
    let mostly: Vec<String> = row.classes.iter().map(|class| format!("{} {}", class.count, class.label)).collect();
    let remark = match (row.hottest, row.waits) {
        (true, _) => strong("hottest"),
        (false, true) => text("waits"),
        (false, false) if !row.innermost => text("holds others"),
        (false, false) => text(""),
    };
    vec![
        code(offset(row.start)),
        code(offset(row.end)),
        text(format::integer(row.instructions as u64)),
        text(row.depth.to_string()),
        text(lines(row.lines)),
        text(mostly.join(", ")),
        remark,
    ]
}

fn local(audit: &CodeAudit) -> Vec<Block> {
    let mut blocks = vec![Block::Heading { text: "Local memory".into() }];
    if audit.local.is_empty() {
        blocks.push(paragraph("No instruction accesses local memory: no spill, no array in memory, no frame."));
        return blocks;
    }
    let columns = vec![left("Opcode"), right("Line"), right("Instructions"), right("Marked as spill or refill")];
    let row = |row: &crate::analysis::code::LocalAccess| {
        vec![
            code(row.opcode.clone()),
            text(row.line.map_or_else(|| "not known".to_owned(), |line| line.to_string())),
            text(row.count.to_string()),
            text(row.spills.map_or_else(|| "not marked by this assembler".to_owned(), |count| count.to_string())),
        ]
    };
    let rows: Vec<Vec<Cell>> = audit.local.iter().map(row).collect();
    let (shown, rest) = rows.split_at(rows.len().min(SHOWN));
    let table = |id: &str, rows: &[Vec<Cell>]| Table {
        id: format!("{id}-{}", audit.arch),
        caption: String::new(),
        columns: columns.clone(),
        rows: rows.to_vec(),
    };
    blocks.push(Block::Table { table: table("local", shown) });
    if !rest.is_empty() {
        let folded = vec![Block::Table { table: table("local-rest", rest) }];
        blocks.push(Block::Fold { summary: format!("{} further lines", rest.len()), blocks: folded });
    }
    blocks
}
