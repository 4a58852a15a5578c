//! What loads through an index ask for: the order of the rows, the width of their loads, indices that are there in time.

use super::share;
use crate::analysis::diagnose::measures::Measures;
use crate::analysis::phases::{Indirection, Point};
use crate::catalog::Threshold;
use crate::quantity::format;
use crate::words;
use crate::words::Words;

/// The part of the wait for loads from which those through an index are what to change.
const MOST: f64 = 0.5;
/// The share of the samples from which a wait for indices is worth loading them early.
const LATE: f64 = 0.05;
/// Bits of the widest access of a lane.
const WIDEST: u64 = 128;

/// The loads through an index, where most of the wait for loads is theirs.
pub(super) fn waited<'a>(m: &Measures<'a, '_>, wait: f64) -> Option<&'a Indirection> {
    let found = m.sampled_code()?.indirection()?;
    (found.for_loads + found.for_indices >= MOST * wait).then_some(found)
}

/// Whether each lane reads a place of its own, so that sectors bring bytes that nobody asked for.
pub(super) fn is_scattered(m: &Measures<'_, '_>, found: &Indirection) -> bool {
    100.0 * found.excess() >= m.limits[Threshold::SectorsExcessShare]
}

/// Whether an order by index saves those: what is loaded is gathered up, and not stored one for one, which would scatter the stores.
pub(in crate::analysis::diagnose) fn is_sortable(m: &Measures<'_, '_>, found: &Indirection) -> bool {
    let stored = m.mix.count(|op| op.stores_global()).unwrap_or(0.0);
    is_scattered(m, found) && 2.0 * stored < found.requests as f64
}

/// What to do.
pub(super) fn sentence(found: &Indirection) -> Words {
    let wide = if found.width_bits == Some(WIDEST) { "" } else { ", 16 bytes a lane" };
    let early = if found.for_indices >= LATE { "; next indices early" } else { "" };
    words!("More bytes in flight: several loads of rows before the first use{}{}", wide, early)
}

/// What in the evidence asks for it.
pub(super) fn why(found: &Indirection) -> Words {
    let per_request = found.sectors as f64 / found.requests.max(1) as f64;
    words!(
        "through the index of {}: {} of the samples wait for the loads, {} for the index; {} sectors a request, {} of 32 B used",
        place(&found.index),
        share(found.for_loads),
        share(found.for_indices),
        format::fixed(per_request, 1),
        format::fixed(32.0 * (1.0 - found.excess()), 0)
    )
}

/// `:26`, with the line of the call that it was inlined from; the offset where no line is known.
fn place(at: &Point) -> Words {
    let call = at.call.filter(|call| *call != at.line).map(|call| words!(" from `:{}`", call.to_string()));
    match at.line {
        0 => words!("`{}`", format!("{:#x}", at.offset)),
        line => words!("`:{}`{}", line.to_string(), call.unwrap_or_default()),
    }
}
