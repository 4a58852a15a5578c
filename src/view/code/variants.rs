//! Several builds of one source side by side: resources, occupancy, instructions by class, checks.

use super::checks;
use crate::analysis::code::{CodeAudit, CodeColumns, code_columns};
use crate::quantity::format;
use crate::view::document::{Block, Cell, Section};
use crate::view::tables::{heading, left, paragraph, right, table, text};
use crate::words;
use std::collections::BTreeSet;

/// The section; `None` where the source has one build.
pub(super) fn section(codes: &[CodeAudit]) -> Option<Section> {
    if codes.iter().all(|code| code.variant.is_empty()) {
        return None;
    }
    let archs: BTreeSet<&str> = codes.iter().map(|code| code.arch.as_str()).collect();
    let words = words!(
        "{} builds of one source. Counts are static: how often an instruction stands in the code, never how often it ran. Nothing here says which one is faster.",
        codes.len()
    );
    let mut blocks = vec![paragraph("builds", words)];
    for arch in &archs {
        let own: Vec<&CodeAudit> = codes.iter().filter(|code| code.arch == *arch).collect();
        if archs.len() > 1 {
            blocks.push(heading("arch", *arch));
        }
        blocks.push(side_by_side(&own));
    }
    Some(Section::new("variants", "Builds side by side", blocks))
}

fn side_by_side(codes: &[&CodeAudit]) -> Block {
    let sides: Vec<&[CodeAudit]> = codes.iter().map(|code| std::slice::from_ref(*code)).collect();
    let mut columns = vec![left("Build")];
    columns.extend(codes.iter().map(|code| right(&code.variant)));
    let mut rows: Vec<Vec<Cell>> = code_columns(&sides).iter().flat_map(counts).collect();
    rows.splice(0..0, occupancy(codes));
    rows.extend(check_rows(codes));
    table("builds", columns, rows).into()
}

/// Shared memory with what the launch adds, and the blocks that it leaves room for.
fn occupancy(codes: &[&CodeAudit]) -> Vec<Vec<Cell>> {
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

fn counts(one: &CodeColumns) -> Vec<Vec<Cell>> {
    let row = |row: &crate::analysis::code::CodeColumnsRow| {
        let unit = if row.unit.is_empty() { String::new() } else { format!(" {}", row.unit) };
        let value = |value: &Option<f64>| {
            let shown = value.map_or("—".to_owned(), |v| format!("{}{unit}", format::fixed(v, 0)));
            text(shown).sorted(*value)
        };
        std::iter::once(text(row.label.clone())).chain(row.values.iter().map(value)).collect()
    };
    one.rows.iter().map(row).collect()
}

fn check_rows(codes: &[&CodeAudit]) -> Vec<Vec<Cell>> {
    let names = codes.first().map(|code| code.checks.iter().map(|check| check.name.as_str())).into_iter().flatten();
    let row = |name: &str| {
        let verdict = |code: &&CodeAudit| {
            let check = code.checks.iter().find(|check| check.name == name);
            check.map_or_else(|| text("—"), |check| checks::verdict(check.verdict))
        };
        std::iter::once(text(format!("Check: {name}"))).chain(codes.iter().map(verdict)).collect()
    };
    names.map(row).collect()
}
