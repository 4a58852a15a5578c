//! The counters that ncu was asked for by name, as far as no other section of the page shows them.

use super::numbers::tenth;
use crate::analysis::{Audit, Row};
use crate::evidence::Reading;
use crate::view::document::{Block, Content, Section, Table};
use crate::view::tables::{paragraph, readings};
use crate::words::{Words, words};
use std::collections::HashSet;

/// The section behind those that stand already; `None` where they show everything that was asked for.
pub(super) fn section(audit: &Audit, before: &[Section]) -> Option<Section> {
    let shown: HashSet<&str> = before.iter().flat_map(tables).flat_map(metrics).collect();
    let own = audit.asked.iter().filter(|row| !names(row).iter().any(|name| shown.contains(name)));
    let (none, rows): (Vec<&Row>, Vec<&Row>) = own.partition(|row| sides(row).all(|side| side.value() == Some(0.0)));
    let mut blocks: Vec<Block> = Vec::new();
    if !rows.is_empty() {
        let mut table = readings("asked", "Counter", &rows, Vec::new());
        for (cells, row) in table.rows.iter_mut().zip(&rows) {
            for (cell, reading) in cells.iter_mut().skip(1).zip(sides(row)) {
                *cell = std::mem::take(cell).of(reading);
            }
        }
        blocks.push(table.into());
    }
    blocks.extend(zeros(&none).map(|words| paragraph("zeros", words)));
    if let Some(on) = audit.now.mix.predication.value().filter(|_| !audit.asked.is_empty()) {
        blocks.push(paragraph(
            "lanes",
            words!("**Lanes on:** {} % of the threads that a warp instruction had.", tenth(on)),
        ));
    }
    (!blocks.is_empty()).then(|| Section::new("asked", "Counters asked for", blocks))
}

fn sides(row: &Row) -> impl Iterator<Item = &Reading> {
    row.old.iter().chain([&row.new])
}

/// `**Measured as 0:** …`: what nothing happened of is told in a sentence, as many names as fit on a line.
fn zeros(rows: &[&Row]) -> Option<Words> {
    const MOST: usize = 340;
    let (mut told, mut length): (Vec<Words>, usize) = (Vec::new(), 0);
    for row in rows {
        length += row.label.len() + 4;
        if length > MOST {
            break;
        }
        let is_name = row.label.contains("__");
        told.push(if is_name { words::code(row.label.as_str()).into() } else { row.label.as_str().into() });
    }
    let rest = rows.len() - told.len();
    let rest = if rest > 0 { format!(" and {rest} more") } else { String::new() };
    (!told.is_empty()).then(|| words!("**Measured as 0:** {}{}.", words::join(told, ", "), rest))
}

fn tables(section: &Section) -> impl Iterator<Item = &Table> {
    section.blocks.iter().filter_map(|block| match &block.content {
        Content::Table(table) => Some(table),
        _ => None,
    })
}

fn metrics(table: &Table) -> impl Iterator<Item = &str> {
    table.rows.iter().flatten().flat_map(|cell| cell.metrics.iter().map(String::as_str))
}

/// The names under which the sides have a counter.
fn names(row: &Row) -> Vec<&str> {
    let names = sides(row).filter_map(|reading| match reading {
        Reading::Measured(measured) => Some(measured.from.metrics.iter().map(AsRef::as_ref)),
        Reading::Missing(_) => None,
    });
    names.flatten().collect()
}
