//! Instruction fetch: code that does not stay in the SM's instruction cache.

use crate::analysis::diagnose::finding::Severity;
use crate::analysis::diagnose::ground::Ground;
use crate::analysis::diagnose::pattern::{Bound, Hit, Pattern};
use crate::analysis::lines::Sits;
use crate::catalog::{Code, StallReason, Threshold};
use crate::quantity::format::{self, percent};
use crate::words;
use crate::words::Words;

/// Instruction requests that the SM's own cache passed on to the cache of its GPC.
const LEAVING: &str = "gcc__cache_requests_type_instruction.sum";
const HIT_RATE: &str = "sm__icc_request_hit_rate.pct";
const EXECUTED: &str = "smsp__inst_executed.sum";
/// Waits that a change can remove, unlike fixed latencies, which are there in any code.
const OTHERS: [StallReason; 6] = [
    StallReason::LongScoreboard,
    StallReason::ShortScoreboard,
    StallReason::Barrier,
    StallReason::LgThrottle,
    StallReason::MioThrottle,
    StallReason::MathPipeThrottle,
];

/// The share of the wait in percent, and requests that leave the SM for each thousand instructions.
pub(super) struct InstructionFetch;

impl Pattern<Ground<'_, '_>> for InstructionFetch {
    type Facts = (f64, Option<f64>);
    const SITS: Sits = Sits::Waits(StallReason::NoInstruction);

    /// Warps wait for instructions, and requests leave the SM. Where that counter was not collected, the wait alone must
    /// reach the share at which a stall is reported. It explains the limit where no unit is near its peak and none of
    /// the other waits is larger. The bound is capped by the cycles without an issue.
    fn detect(g: &Ground<'_, '_>) -> Option<Hit<Self::Facts>> {
        let reason = StallReason::NoInstruction;
        let share = g.stall_share(reason).filter(|share| *share >= g.limits[Threshold::FetchShare])?;
        let thousand = g.kernel.value(EXECUTED).filter(|n| *n > 0.0)? / 1000.0;
        let misses = g.kernel.value(LEAVING).map(|leaving| leaving / thousand);
        let is_confirmed = match misses {
            Some(misses) => misses >= g.limits[Threshold::FetchMisses],
            None => share >= g.limits[Threshold::StallShare],
        };
        if !is_confirmed {
            return None;
        }
        let saturated = g.bottleneck.unit.as_ref().is_some_and(|unit| unit.percent >= g.limits[Threshold::SolHigh]);
        let is_largest = OTHERS.iter().all(|other| g.stall_share(*other).is_none_or(|other| other < share));
        let explains = !saturated && is_largest && !g.is_limited_by(&[Code::LaunchSmallGrid]);
        let severity = if explains { Severity::Limits } else { Severity::Costs };
        let bound = g.idle().map(|idle| {
            let formula =
                format!("the least of stall share {} and cycles without issue {}", percent(share), percent(idle));
            Bound::new(share.min(idle), formula, reason.per_issue())
        });
        let readings = g.readings(&[&reason.per_issue(), LEAVING, HIT_RATE, EXECUTED]);
        Some(Hit::new(Code::InstructionFetch, (share, misses)).finding(severity, share, readings).bound(bound))
    }

    fn say((share, misses): &Self::Facts) -> Words {
        let evidence = misses.map(|misses| {
            words!(
                ", and {} instruction requests leave the SM for each thousand instructions",
                format::fixed(misses, 1)
            )
        });
        words!(
            "Warps wait {} of the time between two issued instructions for the next instruction{}: the code does not stay in the instruction cache.",
            percent(*share),
            evidence.unwrap_or_default()
        )
    }

    fn advise(_: &Self::Facts) -> Words {
        words!("Make the code that runs again and again smaller: less unrolling, fewer inlined copies.")
    }
}
