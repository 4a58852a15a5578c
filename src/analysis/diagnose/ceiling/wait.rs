//! Levers of waiting warps: the largest stall, too few warps to hide it, and waits for code.

use super::lever::{Lever, LeverOrigin};
use crate::analysis::derive::mix::WARPGROUP;
use crate::analysis::diagnose::bottleneck::{MEMORY, SM, percent};
use crate::analysis::diagnose::checks::fences::{REASON as FENCE, fences as fence_waits};
use crate::analysis::diagnose::checks::instruction_fetch::instruction_fetch;
use crate::analysis::diagnose::ground::Ground;
use crate::catalog;
use crate::catalog::Threshold;

/// The largest stall, capped by the cycles without an issue and by what the busiest side leaves free.
pub(super) fn stall(g: &Ground<'_, '_>) -> Option<Lever> {
    let (_, top) = g.stalls.top()?;
    if is_for_products(g, &top.reason) {
        return None;
    }
    let share = g.stall_share(&top.reason)?;
    let idle = 100.0 * (1.0 - g.stalls.issue_active.new.value()?);
    let free = 100.0 - g.kernel.value(SM)?.max(g.kernel.value(MEMORY)?);
    let row = catalog::stall(&top.reason);
    let executed = |opcode: &str| g.mix.count(opcode).is_some_and(|count| count > 0.0);
    let particular = row.and_then(|row| row.reading_for(executed)?.advice);
    let advice = match (particular, top.reason.as_str()) {
        (Some(particular), _) => particular.to_owned(),
        (None, "long_scoreboard") => load_advice(g),
        (None, _) => row.map(|row| row.advice).unwrap_or_default().to_owned(),
    };
    let what = match top.reason.as_str() {
        "wait" => "Fill the fixed latencies between dependent instructions (Wait)".to_owned(),
        _ => format!("Shorten the waits on {}", top.row.label),
    };
    Some(Lever {
        code: format!("stall-{}", top.reason.replace('_', "-")),
        origin: LeverOrigin::Audit,
        bound: share.min(idle).min(free),
        is_rough: true,
        formula: format!(
            "the least of stall share {}, cycles without issue {}, and what the busiest side leaves free {}, if no other wait hangs on this one",
            percent(share),
            percent(idle),
            percent(free)
        ),
        sentence: format!("{what}. {advice}").trim().to_string(),
        remeasure: format!("smsp__average_warps_issue_stalled_{}_per_issue_active.ratio", top.reason),
    })
}

/// Whether warps wait for the tensor pipe where that limits: `wgmma` runs beside the warp, which stands at DEPBAR (sampled as
/// a barrier) or at the next product while the pipe works. Such a wait is no fault.
fn is_for_products(g: &Ground<'_, '_>, reason: &str) -> bool {
    g.is_limited_by(&["compute-tensor"]) && g.mix.has_class(WARPGROUP) && matches!(reason, "barrier" | "gmma")
}

/// What shortens waits for loads, by what the kernel does: no advice to coalesce where nothing is in excess, to use
/// shared memory where it does, and local memory first where it has some.
fn load_advice(g: &Ground<'_, '_>) -> String {
    let executed = |opcode: &str| g.mix.count(opcode).is_some_and(|count| count > 0.0);
    let mut ways = Vec::new();
    if executed("LDL") {
        ways.push("take values out of local memory (spills, or arrays with indices that are not constant)");
    }
    ways.extend(["have more loads in flight before the first use", "raise the share found in cache"]);
    if g.coalescing.total("excess-share").is_some_and(|share| share >= g.limits[Threshold::ExcessNamed]) {
        ways.push("coalesce");
    }
    if !executed("LDS") {
        ways.push("move reused data to shared memory");
    }
    let last = ways.pop().unwrap_or_default();
    let all = format!("{}, or {last}.", ways.join(", "));
    all[..1].to_uppercase() + &all[1..]
}

/// Waits at fences where the check finds them, capped by the cycles without an issue; silent where they are the largest stall,
/// whose lever says the same.
pub(super) fn fences(g: &Ground<'_, '_>) -> Option<Lever> {
    let found = fence_waits(g)?;
    if g.stalls.top().is_some_and(|(_, top)| top.reason == FENCE) {
        return None;
    }
    let share = g.stall_share(FENCE)?;
    let idle = 100.0 * (1.0 - g.stalls.issue_active.new.value()?);
    let remedy = catalog::limiter(&found.code).map(|row| row.advice).unwrap_or_default();
    Some(Lever {
        code: found.code,
        origin: LeverOrigin::Audit,
        bound: share.min(idle),
        is_rough: true,
        formula: format!(
            "the least of stall share {} and cycles without issue {}, if no other wait hangs on these",
            percent(share),
            percent(idle)
        ),
        sentence: format!("Wait less at memory fences. {remedy}"),
        remeasure: format!("smsp__average_warps_issue_stalled_{FENCE}_per_issue_active.ratio"),
    })
}

/// Waits for the next instruction, capped by the cycles without an issue; where the check finds that the code does not
/// stay in the cache.
pub(super) fn fetch(g: &Ground<'_, '_>) -> Option<Lever> {
    instruction_fetch(g)?;
    let share = g.stall_share("no_instruction")?;
    let idle = 100.0 * (1.0 - g.stalls.issue_active.new.value()?);
    Some(Lever {
        code: "instruction-fetch".into(),
        origin: LeverOrigin::Audit,
        bound: share.min(idle),
        is_rough: false,
        formula: format!("the least of stall share {} and cycles without issue {}", percent(share), percent(idle)),
        sentence: "Make the code that runs again and again smaller: less unrolling, fewer inlined copies.".into(),
        remeasure: "smsp__average_warps_issue_stalled_no_instruction_per_issue_active.ratio".into(),
    })
}

/// Resident warps missing to the full SM, where the warps wait and no unit is busy.
pub(super) fn occupancy_limit(g: &Ground<'_, '_>) -> Option<Lever> {
    let theoretical = g.kernel.value("sm__maximum_warps_per_active_cycle_pct")?;
    let waits = g.bottleneck.limiter.0.starts_with("latency");
    let idle = 100.0 * (1.0 - g.stalls.issue_active.new.value()?);
    let binding = g.occupancy.binding().join(" and ");
    (waits && theoretical < g.limits[Threshold::OccupancyTheoreticalLow] && !binding.is_empty()).then(|| Lever {
        code: "occupancy-limit".into(),
        origin: LeverOrigin::Audit,
        bound: (100.0 - theoretical).min(idle),
        is_rough: false,
        formula: format!(
            "the least of 100 % − theoretical occupancy {} and cycles without issue {}",
            percent(theoretical),
            percent(idle)
        ),
        sentence: format!(
            "Make room for more warps: the SM holds {} of its warps, by {binding}.",
            percent(theoretical)
        ),
        remeasure: "sm__warps_active.avg.pct_of_peak_sustained_active".into(),
    })
}
