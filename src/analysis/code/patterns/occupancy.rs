//! Occupancy as the build fixes it: low, or none at all.

use super::{Built, shown};
use crate::analysis::code::limits::StaticOccupancy;
use crate::analysis::diagnose::finding::Severity;
use crate::analysis::diagnose::pattern::{Hit, Pattern};
use crate::catalog::{Code, Threshold};
use crate::quantity::format;
use crate::words;
use crate::words::Words;

/// The occupancy at the block size that is known.
pub(super) struct Occupancy;

impl Pattern<Built<'_>> for Occupancy {
    type Facts = StaticOccupancy;

    fn detect(g: &Built<'_>) -> Option<Hit<Self::Facts>> {
        let [known] = g.code.occupancies.as_slice() else { return None };
        if known.percent >= g.limits[Threshold::OccupancyTheoreticalLow] {
            return None;
        }
        match known.blocks {
            0 => shown(Code::DoesNotFit, Severity::Limits, known.clone()),
            _ => shown(Code::OccupancyLimit, Severity::Notes, known.clone()),
        }
    }

    fn say(known: &Self::Facts) -> Words {
        let limiters = known.limiters().join(" and ");
        let threads = format::integer(known.threads.into());
        match known.blocks {
            0 => words!("A block of {} threads does not fit on an SM, by {}.", threads, limiters),
            blocks => words!(
                "An SM holds at most {} of {} warps ({} %), {} of {} threads: limited by {}.",
                u64::from(known.warps),
                u64::from(known.max_warps),
                format::fixed(known.percent, 1),
                format::counted(blocks.into(), "block"),
                threads,
                limiters
            ),
        }
    }
}
