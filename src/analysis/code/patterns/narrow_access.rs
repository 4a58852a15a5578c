//! Global accesses of 32 bits or fewer a lane.

use super::{Built, shown};
use crate::analysis::code::accesses::WidthRow;
use crate::analysis::diagnose::finding::Severity;
use crate::analysis::diagnose::pattern::{Hit, Pattern};
use crate::catalog::Code;
use crate::quantity::format;
use crate::words;
use crate::words::Words;

/// The accesses in words, and whether they are those of the hottest loop.
pub(super) struct NarrowAccess;

impl Pattern<Built<'_>> for NarrowAccess {
    type Facts = (String, bool);

    /// All accesses to global memory of one direction move 32 bits or fewer a lane where the kernel spends its time: in the
    /// hottest loop, or anywhere in a kernel without one.
    fn detect(g: &Built<'_>) -> Option<Hit<Self::Facts>> {
        let rows = g.code.hot_widths.as_ref().unwrap_or(&g.code.widths);
        let is_narrow = |row: &&WidthRow| row.widths.iter().all(|(bits, _)| *bits <= 32);
        let found: Vec<String> = [("global load", "LDG"), ("global store", "STG")]
            .into_iter()
            .filter_map(|(what, opcode)| {
                let row = rows.iter().filter(|row| row.opcode == opcode).find(is_narrow)?;
                Some(format::counted(row.widths.iter().map(|(_, count)| *count as u64).sum(), what))
            })
            .collect();
        if found.is_empty() {
            return None;
        }
        shown(Code::NarrowAccess, Severity::Notes, (found.join(" and "), g.code.hot_widths.is_some()))
    }

    fn say((accesses, is_loop): &Self::Facts) -> Words {
        words!(
            "{} in the {}, none wider than 32 bits a lane; where a lane's data is contiguous, one 128-bit access does the work of four.",
            accesses,
            if *is_loop { "hottest loop" } else { "kernel" }
        )
    }
}
