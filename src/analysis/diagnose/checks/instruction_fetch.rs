//! Instruction fetch: code that does not stay in the SM's instruction cache.

use super::{Finding, Ground, Severity};
use crate::analysis::diagnose::bottleneck::percent;
use crate::catalog::Threshold;
use crate::quantity::format;

/// Instruction requests that the SM's own cache passed on to the cache of its GPC.
const LEAVING: &str = "gcc__cache_requests_type_instruction.sum";
const HIT_RATE: &str = "sm__icc_request_hit_rate.pct";
const EXECUTED: &str = "smsp__inst_executed.sum";
const STALL: &str = "smsp__average_warps_issue_stalled_no_instruction_per_issue_active.ratio";

/// Warps wait for instructions, and requests leave the SM. Where that counter was not collected, the wait alone must
/// reach the share at which a stall is reported.
///
/// It explains the limit where no unit is near its peak and no other wait that a change can remove is larger: fixed
/// latencies (`wait`) are there in any code.
pub(in crate::analysis) fn instruction_fetch(g: &Ground<'_, '_>) -> Option<Finding> {
    let share = g.stall_share("no_instruction").filter(|share| *share >= g.limits[Threshold::FetchShare])?;
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
    let others =
        ["long_scoreboard", "short_scoreboard", "barrier", "lg_throttle", "mio_throttle", "math_pipe_throttle"];
    let is_largest = others.iter().all(|reason| g.stall_share(reason).is_none_or(|other| other < share));
    let evidence = misses.map(|misses| {
        format!(", and {} instruction requests leave the SM for each thousand instructions", format::fixed(misses, 1))
    });
    let sentence = format!(
        "Warps wait {} of the time between two issued instructions for the next instruction{}: the code does not stay in the instruction cache.",
        percent(share),
        evidence.unwrap_or_default()
    );
    let severity =
        if !saturated && is_largest && !g.is_limited_by(&["launch-"]) { Severity::Limits } else { Severity::Costs };
    Some(Finding::new("instruction-fetch", severity, share, sentence, g.kernel, &[STALL, LEAVING, HIT_RATE, EXECUTED]))
}
