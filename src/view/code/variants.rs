//! Several builds of one source side by side: resources, occupancy, instructions by class.

use super::build_name;
use crate::analysis::code::{CodeAudit, CodeColumnsRow, code_rows};
use crate::quantity::format;
use crate::view::document::{Block, Cell, Section};
use crate::view::tables::{left, paragraph, right, table, text};
use crate::words;

/// The section; `None` where the source has one build.
pub(super) fn section(codes: &[CodeAudit]) -> Option<Section> {
    if codes.len() < 2 {
        return None;
    }
    let (table, same) = side_by_side(codes);
    let words = words!(
        "{} builds of one source. Counts are static: how often an instruction stands in the code, never how often it ran. Nothing here says which one is faster.",
        codes.len()
    );
    let mut blocks = vec![paragraph("builds", words), table];
    blocks.extend((!same.is_empty()).then(|| paragraph("same", words!("The same in all: {}.", same.join("; ")))));
    Some(Section::new("variants", "Builds side by side", blocks))
}

/// What tells the builds apart, and what does not in words.
fn side_by_side(codes: &[CodeAudit]) -> (Block, Vec<String>) {
    let mut columns = vec![left("Build")];
    columns.extend(codes.iter().map(|code| right(&build_name(codes, code))));
    let mut rows = occupancy(codes);
    rows.extend(counts(codes));
    let is_nothing = |cell: &Cell| matches!(cell.words.to_plain().as_str(), "0" | "0 B" | "—");
    rows.retain(|row| !row[1..].iter().all(is_nothing));
    let (mut same, mut apart) = (Vec::new(), Vec::new());
    for row in rows {
        match row[1..].iter().all(|cell| cell.words == row[1].words) {
            true => same.push(format!("{} {}", row[0].words.to_plain(), row[1].words.to_plain())),
            false => apart.push(row),
        }
    }
    (table("builds", columns, apart).into(), same)
}

/// Shared memory with what the launch adds, and the blocks that it leaves room for.
fn occupancy(codes: &[CodeAudit]) -> Vec<Vec<Cell>> {
    let value = |of: fn(&crate::analysis::code::StaticOccupancy) -> String| {
        codes.iter().map(move |code| match code.occupancies.as_slice() {
            [one] => text(of(one)),
            _ => text("—"),
        })
    };
    let row = |label: &str, cells: Vec<Cell>| std::iter::once(text(label)).chain(cells).collect();
    vec![
        row(
            "Shared memory of a block, dynamic included",
            value(|one| format!("{} B", format::integer(one.shared_bytes))).collect(),
        ),
        row("Blocks on one SM", value(|one| one.blocks.to_string()).collect()),
    ]
}

/// Resources, instructions and their classes.
fn counts(codes: &[CodeAudit]) -> Vec<Vec<Cell>> {
    let value = |row: &CodeColumnsRow, value: &Option<f64>| {
        let unit = if row.unit.is_empty() { String::new() } else { format!(" {}", row.unit) };
        let shown = value.map_or("—".to_owned(), |v| format!("{}{unit}", format::fixed(v, 0)));
        text(shown).sorted(*value)
    };
    let row = |row: CodeColumnsRow| {
        std::iter::once(text(row.label.clone())).chain(row.values.iter().map(|own| value(&row, own))).collect()
    };
    code_rows(codes).into_iter().map(row).collect()
}
