//! What was executed: the opcodes that carry the kernel, and how the machine code changed.

use super::numbers::{amount, sides, tenth};
use crate::analysis::{Audit, OpcodeRow, Row};
use crate::quantity::format;
use crate::view::document::{Block, Cell, Section};
use crate::view::tables::{left, paragraph, right, table, text};
use crate::words;
use crate::words::Words;

/// Opcodes shown beside those that a reader looks for by name.
const TOP: usize = 4;
/// Opcodes that a reader looks for: the moves of data.
const NAMED: [&str; 8] = ["LDG", "STG", "LDS", "STS", "LDSM", "LDGSTS", "UTMALDG", "BAR"];
/// Rows in all.
const SHOWN: usize = 9;

/// The section; `None` where no instructions were counted.
pub(super) fn section(audit: &Audit) -> Option<Section> {
    let mut rows: Vec<Vec<Cell>> = Vec::new();
    let executed = super::numbers::row(audit, "smsp__inst_executed.sum");
    let total = executed.and_then(|row| row.new.value());
    let line = |label: Words, row: &Row| {
        let mut cells = vec![text(label)];
        cells.extend(sides(audit, row, amount));
        let share = row.new.value().zip(total).filter(|(_, total)| *total > 0.0);
        cells.push(share.map_or_else(Cell::default, |(own, total)| text(format!("{} %", tenth(100.0 * own / total)))));
        cells
    };
    rows.extend(executed.map(|row| line("Executed".into(), row)));
    let is_matrix = |row: &OpcodeRow| row.opcode.ends_with("MMA");
    let mut picked: Vec<&OpcodeRow> = Vec::new();
    let moved = |row: &&OpcodeRow| {
        [row.row.new.value(), row.row.old.as_ref().and_then(crate::evidence::Reading::value)]
            .into_iter()
            .flatten()
            .any(|count| count > 0.0)
    };
    let all: Vec<&OpcodeRow> = audit.mix.rows.iter().filter(moved).collect();
    picked.extend(all.iter().take(TOP));
    for row in &all {
        let is_wanted = is_matrix(row) || NAMED.contains(&row.opcode.as_str());
        if is_wanted && !picked.iter().any(|known| known.opcode == row.opcode) && picked.len() < SHOWN {
            picked.push(row);
        }
    }
    rows.extend(
        picked.iter().map(|row| line(words!("`{}`{}", row.opcode.as_str(), widths(audit, &row.opcode)), &row.row)),
    );
    if rows.is_empty() {
        return None;
    }
    let mut columns = vec![left("Warp instructions")];
    columns.extend(audit.old.is_some().then(|| right("Old")));
    columns.extend([right(if audit.old.is_some() { "New" } else { "Count" }), right("Share")]);
    let mut blocks: Vec<Block> = vec![table("instructions", columns, rows).into()];
    blocks.extend(diff(audit));
    Some(Section::new("instructions", "Instruction counts", blocks))
}

/// `, all 128-bit`, from the machine code.
fn widths(audit: &Audit, opcode: &str) -> String {
    let Some(code) = audit.code.first() else { return String::new() };
    let Some(row) = code.widths.iter().find(|row| row.opcode == opcode) else { return String::new() };
    match row.widths.as_slice() {
        [] => String::new(),
        [(bits, _)] => format!(" (all {bits}-bit)"),
        many => {
            let list: Vec<String> = many.iter().map(|(bits, count)| format!("{count} × {bits}-bit")).collect();
            format!(" ({})", list.join(", "))
        }
    }
}

/// How the machine code changed, in one sentence.
fn diff(audit: &Audit) -> Option<Block> {
    let diff = audit.code.iter().find_map(|code| code.diff.as_ref())?;
    let words = if diff.is_same {
        words!("**SASS diff:** none; both builds have the same {} instructions.", format::integer(diff.new as u64))
    } else {
        let rewrite = diff.rewritten().map(|share| {
            format!(", a rewrite ({} % of the instructions have no counterpart)", format::fixed(share, 0))
        });
        words!(
            "**SASS diff:** {} → {} instructions{}.",
            format::integer(diff.old as u64),
            format::integer(diff.new as u64),
            rewrite.unwrap_or_default()
        )
    };
    Some(paragraph("diff", words))
}
