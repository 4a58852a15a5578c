//! Waits at memory fences.

use crate::analysis::diagnose::ground::Ground;
use crate::analysis::diagnose::pattern::{Bound, Hit, Pattern};
use crate::analysis::lines::Sits;
use crate::catalog::{Code, StallReason, Threshold};
use crate::quantity::format::{self, percent};
use crate::words;
use crate::words::Words;

const REASON: StallReason = StallReason::Membar;
/// Opcodes that a fence is made of.
const OPCODES: [(&str, &str); 2] = [("MEMBAR", "fences"), ("CCTL", "instructions that drop lines of L1")];

/// The share of the wait in percent, and executions of the opcodes.
pub(super) struct Fences;

impl Pattern<Ground<'_, '_>> for Fences {
    type Facts = (f64, [Option<f64>; 2]);
    const SITS: Sits = Sits::Waits(REASON);

    /// Waits at fences above the catalog's share. A fence for a cluster or the whole GPU waits for every access before it,
    /// and the acquiring side drops the lines of its L1 (`CCTL`). The bound is capped by the cycles without an issue;
    /// where fences are the largest stall, the lever of that says the same.
    fn detect(g: &Ground<'_, '_>) -> Option<Hit<Self::Facts>> {
        let share = g.stall_share(REASON).filter(|share| *share >= g.limits[Threshold::StallFenceShare])?;
        if g.stalls.are_hidden {
            return None;
        }
        let is_largest = g.stalls.top().is_some_and(|(_, top)| StallReason::of(&top.reason) == Some(REASON));
        let bound = g.idle().filter(|_| !is_largest).map(|idle| {
            let formula = format!(
                "the least of stall share {} and cycles without issue {}, if no other wait hangs on these",
                percent(share),
                percent(idle)
            );
            Bound::new(share.min(idle), formula, REASON.per_issue()).rough()
        });
        let counts = OPCODES.map(|(opcode, _)| g.mix.count(opcode).filter(|count| *count > 0.0));
        let severity = g.severity(g.is_limited_by(&[Code::Wait(REASON)]), share);
        let hit = Hit::new(Code::MemoryFence, (share, counts));
        Some(hit.finding(severity, share, g.readings(&[&REASON.per_issue()])).bound(bound))
    }

    fn say((share, counts): &Self::Facts) -> Words {
        let counted = OPCODES.iter().zip(counts).filter_map(|((opcode, what), count)| {
            Some(words!("{} {} (`{}`)", format::fixed((*count)?, 0), *what, *opcode))
        });
        let counted = words::join(counted, " and ");
        let of = if counted.is_empty() { counted } else { words!(": warps executed {}", counted) };
        words!("Warps wait {} of the time between two issued instructions at memory fences{}.", percent(*share), of)
    }

    fn advise(_: &Self::Facts) -> Words {
        let remedy = Code::MemoryFence.row().map(|row| row.advice).unwrap_or_default();
        words!("Wait less at memory fences. {}", remedy)
    }
}
