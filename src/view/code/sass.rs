//! What the machine code holds: counts, widths, loops, local memory.

use crate::analysis::code::{CodeFacts, LoopRow};
use crate::quantity::format;
use crate::view::document::{Block, Cell, Column};
use crate::view::tables::{code, columns_of, count, fold, heading, paragraph, percent, strong, table, text};
use crate::words;

/// Loops and lines of local memory shown unfolded.
const SHOWN: usize = 12;

pub(super) fn blocks(audit: &CodeFacts) -> Vec<Block> {
    if audit.instructions == 0 {
        return vec![paragraph("classes", "The disassembly holds no code of the kernel.")];
    }
    let words = words!(
        "{} instructions in the code ({} B). Static counts: how often an instruction occurs, not how often it runs.",
        format::integer(audit.instructions as u64),
        format::integer(16 * audit.instructions as u64)
    );
    let mut blocks = vec![paragraph("classes", words), classes(audit)];
    if !audit.widths.is_empty() {
        blocks.push(widths(audit));
    }
    blocks.extend(loops(audit));
    blocks.extend(local(audit));
    let rows = audit.opcodes.iter().map(|(opcode, n)| vec![code(opcode.clone()), plain(*n)]);
    let summary = format!("The {} most frequent opcodes", audit.opcodes.len());
    blocks.push(fold("opcodes", summary, vec![table("opcodes", "Opcode | In the code:", rows).into()]));
    blocks
}

fn plain(n: usize) -> Cell {
    text(n.to_string()).sorted(n as f64)
}

fn classes(audit: &CodeFacts) -> Block {
    let row = |class: &crate::analysis::sass::ClassCount| {
        let share = 100.0 * class.count as f64 / audit.instructions as f64;
        vec![text(class.label()), count(class.count as u64), percent(share, 1), count(class.predicated as u64)]
    };
    table("classes", "Class | Instructions: | Share: | Predicated:", audit.classes.iter().map(row)).into()
}

fn widths(audit: &CodeFacts) -> Block {
    let row = |row: &crate::analysis::code::WidthRow| {
        let words: Vec<String> = row.widths.iter().map(|(bits, count)| format!("{bits} × {count}")).collect();
        vec![code(row.opcode.name()), text(words.join(", "))]
    };
    table("widths", "Access | Bits per lane × instructions", audit.widths.iter().map(row)).into()
}

/// An offset as disassemblers print it.
pub(super) fn offset(at: u64) -> String {
    format!("{at:#06x}")
}

pub(super) fn lines(lines: Option<(u32, u32)>) -> String {
    match lines {
        None => "not known".into(),
        Some((from, to)) if from == to => from.to_string(),
        Some((from, to)) => format!("{from}–{to}"),
    }
}

fn loops(audit: &CodeFacts) -> Vec<Block> {
    let mut blocks = vec![heading("loops", format!("Loops ({})", audit.loops.len()))];
    if audit.loops.is_empty() {
        blocks.push(paragraph("loops", "The code has no loop."));
        return blocks;
    }
    if audit.loops.iter().any(|row| row.hottest) {
        blocks.push(paragraph(
            "loops",
            "The hottest loop is a guess from structure: a loop with no inner loop but loops that only wait; tensor instructions first, then depth, then length.",
        ));
    }
    let columns = columns_of("From | To | Instructions: | Depth: | Lines | Mostly | Remark");
    // What only waits goes last.
    let mut order: Vec<&LoopRow> = audit.loops.iter().collect();
    order.sort_by_key(|row| (row.waits, row.start));
    // Where no line is known, none is another's like.
    let kind = |row: &LoopRow| (row.waits, row.depth, row.lines, row.hottest, row.innermost, row.instructions);
    let is_alike = |a: &&LoopRow, b: &&LoopRow| a.lines.is_some() && (kind(a), &a.classes) == (kind(b), &b.classes);
    let rows = order.chunk_by(is_alike).map(|alike| loop_row(alike[0], alike.len() - 1)).collect();
    blocks.extend(in_two(["loops", "loops-rest"], "loops", &columns, rows));
    blocks
}

/// The first rows of a table, and the others behind a line that says what they are.
fn in_two(names: [&str; 2], what: &str, columns: &[Column], mut rows: Vec<Vec<Cell>>) -> Vec<Block> {
    let rest = rows.split_off(rows.len().min(SHOWN));
    let of = |name: &str, rows| -> Block { table(name, columns.to_vec(), rows).into() };
    let summary = format!("{} further {what}", rest.len());
    let shown = of(names[0], rows);
    let rest = (!rest.is_empty()).then(|| fold(names[1], summary, vec![of(names[1], rest)]));
    std::iter::once(shown).chain(rest).collect()
}

/// A loop, with how many like it follow at its lines.
fn loop_row(row: &LoopRow, more: usize) -> Vec<Cell> {
    let mostly: Vec<String> = row.classes.iter().map(|class| format!("{} {}", class.count, class.label())).collect();
    let said = match (row.hottest, row.waits) {
        (true, _) => strong("hottest"),
        (false, true) => text("waits"),
        (false, false) if !row.innermost => text("holds others"),
        (false, false) => text(""),
    };
    let remark = match more {
        0 => said,
        _ if said.words.is_empty() => text(format!("{} alike", more + 1)),
        _ => text(words!("{}, {} alike", said.words, more + 1)),
    };
    vec![
        code(offset(row.start)),
        code(offset(row.end)),
        count(row.instructions as u64),
        text(row.depth.to_string()).sorted(row.depth as f64),
        text(lines(row.lines)),
        text(mostly.join(", ")),
        remark,
    ]
}

fn local(audit: &CodeFacts) -> Vec<Block> {
    let mut blocks = vec![heading("local", "Local memory")];
    if audit.local.is_empty() {
        let words = "No instruction accesses local memory: no spill, no array in memory, no frame.";
        blocks.push(paragraph("local", words));
        return blocks;
    }
    let columns = columns_of("Opcode | Line: | Instructions: | Marked as spill or refill:");
    let row = |row: &crate::analysis::code::LocalAccess| {
        vec![
            code(row.opcode.name()),
            row.line.map_or_else(|| text("not known"), |line| text(line.to_string()).sorted(f64::from(line))),
            plain(row.count),
            row.spills.map_or_else(|| text("not marked by this assembler"), plain),
        ]
    };
    blocks.extend(in_two(["local", "local-rest"], "lines", &columns, audit.local.iter().map(row).collect()));
    blocks
}
