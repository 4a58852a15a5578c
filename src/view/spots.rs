//! Tables whose rows are places of a kernel: a line of source with its text, or an instruction.

use super::document::{Block, Cell, Column};
use super::tables::{self, code, left, text};
use crate::analysis::{Place, Spot};

/// Columns beside the place of a row, and the cells of each row.
pub(super) struct Rows<'a> {
    pub(super) name: &'a str,
    pub(super) columns: Vec<Column>,
    pub(super) rows: Vec<(&'a Spot, Vec<Cell>)>,
}

/// A table whose first columns name the place: the line and its text, or the instruction and, with `by_instruction`,
/// its line.
pub(super) fn table(parts: Rows<'_>, by_instruction: bool) -> Block {
    let has_text = !by_instruction && parts.rows.iter().any(|(spot, _)| !spot.text.is_empty());
    let has_lines = parts.rows.iter().any(|(spot, _)| spot.place.line > 0);
    let mut columns = Vec::new();
    if by_instruction || !has_lines {
        columns.push(left("Instruction"));
    }
    if has_lines {
        columns.push(left("Line"));
    }
    if has_text {
        columns.push(left("Source"));
    }
    columns.extend(parts.columns);
    let row = |(spot, cells): (&Spot, Vec<Cell>)| {
        let mut row = Vec::new();
        if by_instruction || !has_lines {
            row.push(code(instruction(spot)));
        }
        if has_lines {
            row.push(text(place(spot)));
        }
        if has_text {
            row.push(if spot.text.is_empty() { Cell::default() } else { code(spot.text.as_str()) });
        }
        row.extend(cells);
        row
    };
    tables::table(parts.name, columns, parts.rows.into_iter().map(row).collect()).into()
}

pub(super) fn place(spot: &Spot) -> String {
    let calls = if spot.place.line > 0 { inlined(&spot.place) } else { String::new() };
    format!("{}{calls}", spot.label())
}

/// `, inlined at :124, :130`, or nothing; calls in another file than the line's carry its name.
pub(super) fn inlined(place: &Place) -> String {
    let short = |call: &String| match call.rsplit_once(':') {
        Some((of, line)) if of == place.file => format!(":{line}"),
        _ => call.clone(),
    };
    let calls: Vec<String> = place.inlined_at.iter().map(short).collect();
    if calls.is_empty() { String::new() } else { format!(", inlined at {}", calls.join(", ")) }
}

/// `0x1f0 LDG.E`.
pub(super) fn instruction(spot: &Spot) -> String {
    let Some((offset, opcode)) = spot.instructions.first() else { return String::new() };
    if opcode.is_empty() { format!("{offset:#x}") } else { format!("{offset:#x} {opcode}") }
}
