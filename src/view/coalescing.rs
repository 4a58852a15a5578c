//! Uncoalesced global accesses.

use super::charts;
use super::document::Section;
use super::heading::Heading;
use super::source_lines;
use super::tables::{self, paragraph};
use crate::analysis::{Audit, Row};
use crate::quantity::format;
use crate::words;
use crate::words::Words;

pub(super) fn section(heading: &Heading, audit: &Audit) -> Section {
    let coalescing = &audit.coalescing;
    let mut blocks = Vec::new();
    let totals: Vec<&Row> = coalescing.totals.iter().filter(|row| row.has_number()).collect();
    if totals.is_empty() {
        blocks.push(paragraph(
            "not-collected",
            words!("Not collected: `memory_l2_theoretical_sectors_global` and its ideal. Collect with `--section SourceCounters`. This is not a statement that the accesses are coalesced."),
        ));
    } else {
        blocks.extend(sentence(audit).map(|words| paragraph("uncoalesced", words)));
        blocks.push(tables::metrics("uncoalesced", &totals));
    }
    if !coalescing.requests.is_empty() {
        let rows: Vec<&Row> = coalescing.requests.iter().collect();
        blocks.push(paragraph(
            "requests",
            "Loads and stores apart, as L1 counts them. A warp that reads contiguous elements needs 4 sectors per request for 4-byte elements, 8 for 8-byte, 16 for 16-byte; 1 is a broadcast, 32 is a sector for every lane.",
        ));
        blocks.push(tables::metrics("requests", &rows));
    }
    blocks.extend(source_lines::global(audit, charts::placed(heading, charts::sectors(audit))));
    if !coalescing.uncounted.is_empty() {
        let uncounted = coalescing.uncounted.iter();
        let listed = uncounted.map(|(op, count)| words!("`{}` ({} executions)", op, format::fixed(*count, 0)));
        blocks.push(paragraph(
            "uncounted",
            words!("Not covered by these counters: the traffic of {}. It is not zero.", words::join(listed, ", ")),
        ));
    }
    Section::new("uncoalesced", "Uncoalesced global accesses", blocks)
}

fn sentence(audit: &Audit) -> Option<Words> {
    let c = &audit.coalescing;
    let (share, excess, all) = (c.total("excess-share")?, c.total("excess")?, c.total("sectors")?);
    if excess <= 0.0 {
        return Some(words!("All {} sectors of the global accesses were needed.", format::fixed(all, 0)));
    }
    Some(words!(
        "{} of {} sectors ({} %) would go if the lanes of a warp read and wrote contiguous bytes.",
        format::fixed(excess, 0),
        format::fixed(all, 0),
        format::fixed(share, 2)
    ))
}
