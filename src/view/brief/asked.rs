//! The counters that ncu was asked for by name, as far as no other section of the page shows them.

use super::numbers::tenth;
use crate::analysis::{Audit, Row};
use crate::evidence::Reading;
use crate::view::document::{Block, Content, Section, Table};
use crate::view::tables::{paragraph, readings};
use crate::words;
use std::collections::HashSet;

/// The section behind those that stand already; `None` where they show everything that was asked for.
pub(super) fn section(audit: &Audit, before: &[Section]) -> Option<Section> {
    let shown: HashSet<&str> = before.iter().flat_map(tables).flat_map(metrics).collect();
    let rows: Vec<&Row> =
        audit.asked.iter().filter(|row| !names(row).iter().any(|name| shown.contains(name))).collect();
    let mut blocks: Vec<Block> = Vec::new();
    if !rows.is_empty() {
        let mut table = readings("asked", "Counter", &rows, Vec::new());
        for (cells, row) in table.rows.iter_mut().zip(&rows) {
            let sides = [row.old.as_ref(), Some(&row.new)].into_iter().flatten();
            for (cell, reading) in cells.iter_mut().skip(1).zip(sides) {
                *cell = std::mem::take(cell).of(reading);
            }
        }
        blocks.push(table.into());
    }
    if let Some(on) = audit.now.mix.predication.value().filter(|_| !audit.asked.is_empty()) {
        blocks.push(paragraph(
            "lanes",
            words!("**Lanes on:** {} % of the threads that a warp instruction had.", tenth(on)),
        ));
    }
    (!blocks.is_empty()).then(|| Section::new("asked", "Counters asked for", blocks))
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
    let sides = [Some(&row.new), row.old.as_ref()].into_iter().flatten();
    let names = sides.filter_map(|reading| match reading {
        Reading::Measured(measured) => Some(measured.from.metrics.iter().map(AsRef::as_ref)),
        Reading::Missing(_) => None,
    });
    names.flatten().collect()
}
