//! Uncoalesced global accesses.

use super::document::{Block, Section};
use super::source_lines;
use super::tables::{self, paragraph};
use crate::analysis::{Audit, Row};
use crate::quantity::format;

/// The section.
pub(super) fn section(audit: &Audit) -> Section {
    let coalescing = &audit.coalescing;
    let mut blocks = Vec::new();
    let totals: Vec<&Row> = coalescing.totals.iter().filter(|row| row.has_number()).collect();
    if totals.is_empty() {
        blocks.push(paragraph(
            "Not collected: `memory_l2_theoretical_sectors_global` and its ideal. Collect with `--section SourceCounters`. This is not a statement that the accesses are coalesced.",
        ));
    } else {
        blocks.extend(sentence(audit).map(paragraph));
        blocks.push(Block::Table { table: tables::metrics("uncoalesced", "", &totals) });
    }
    if !coalescing.requests.is_empty() {
        let rows: Vec<&Row> = coalescing.requests.iter().collect();
        blocks.push(paragraph(
            "Loads and stores apart, as L1 counts them. A warp that reads side by side needs 4 sectors per request for 4-byte elements, 8 for 8-byte, 16 for 16-byte; 1 is a broadcast, 32 is a sector for every lane.",
        ));
        blocks.push(Block::Table { table: tables::metrics("requests", "", &rows) });
    }
    blocks.extend(source_lines::global(audit));
    if !coalescing.uncounted.is_empty() {
        let list: Vec<String> = coalescing
            .uncounted
            .iter()
            .map(|(op, count)| format!("`{op}` ({} executions)", format::fixed(*count, 0)))
            .collect();
        blocks.push(paragraph(format!(
            "Not covered by these counters: the traffic of {}. It is not zero.",
            list.join(", ")
        )));
    }
    Section { id: "uncoalesced".into(), title: "Uncoalesced global accesses".into(), blocks }
}

fn sentence(audit: &Audit) -> Option<String> {
    let c = &audit.coalescing;
    let (share, excess, all) = (c.total("excess-share")?, c.total("excess")?, c.total("sectors")?);
    if excess <= 0.0 {
        return Some(format!(
            "Every one of the {} sectors that the global accesses asked for was needed.",
            format::fixed(all, 0)
        ));
    }
    Some(format!(
        "{} of {} sectors ({} %) were asked for only because the lanes of a warp do not read or write side by side.",
        format::fixed(excess, 0),
        format::fixed(all, 0),
        format::fixed(share, 2)
    ))
}
