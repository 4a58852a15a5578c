//! The largest stall. The walk names it where it limits; here is its bound.

use crate::analysis::derive::mix::WARPGROUP;
use crate::analysis::derive::units::{MEMORY, SM};
use crate::analysis::diagnose::ground::Ground;
use crate::analysis::diagnose::pattern::{Bound, Hit, Pattern};
use crate::catalog::{Code, Part, StallReason, Threshold};
use crate::quantity::format::{capital, percent};
use crate::words;
use crate::words::Words;

/// What to shorten, and how.
pub(super) struct LargestStall;

impl Pattern<Ground<'_, '_>> for LargestStall {
    type Facts = (StallReason, String);

    /// Capped by the cycles without an issue and by what the busiest side leaves free.
    fn detect(g: &Ground<'_, '_>) -> Option<Hit<Self::Facts>> {
        let reason = StallReason::of(&g.stalls.top()?.1.reason)?;
        if is_for_products(g, reason) {
            return None;
        }
        let (share, idle) = (g.stall_share(reason)?, g.idle()?);
        let free = 100.0 - g.kernel.value(SM)?.max(g.kernel.value(MEMORY)?);
        let formula = format!(
            "the least of stall share {}, cycles without issue {}, and what the busiest side leaves free {}, if no other wait hangs on this one",
            percent(share),
            percent(idle),
            percent(free)
        );
        let bound = Bound::new(share.min(idle).min(free), formula, reason.per_issue()).rough();
        Some(Hit::new(Code::Shorten(reason), (reason, advice(g, reason))).bound(bound))
    }

    fn advise((reason, advice): &Self::Facts) -> Words {
        let label = reason.row().map_or("", |row| row.label);
        let what = match reason {
            StallReason::Wait => words!("Fill the fixed latencies between dependent instructions ({})", label),
            _ => words!("Shorten the waits on {}", label),
        };
        if advice.is_empty() { words!("{}.", what) } else { words!("{}. {}", what, advice) }
    }
}

/// Whether warps wait for the tensor pipe where that limits: `wgmma` runs beside the warp, which stands at DEPBAR (sampled
/// as a barrier) or at the next product while the pipe works. Such a wait is no fault.
fn is_for_products(g: &Ground<'_, '_>, reason: StallReason) -> bool {
    let is_tensor = g.is_limited_by(&[Code::Unit(Part::ComputeTensor)]) && g.mix.has_class(WARPGROUP);
    is_tensor && matches!(reason, StallReason::Barrier | StallReason::Gmma)
}

/// What shortens the waits: by what the kernel executes, else as the catalog says.
fn advice(g: &Ground<'_, '_>, reason: StallReason) -> String {
    let executed = |opcode: &str| g.mix.count(opcode).is_some_and(|count| count > 0.0);
    let Some(row) = reason.row() else { return String::new() };
    match row.reading_for(executed).and_then(|reading| reading.advice) {
        Some(particular) => particular.to_owned(),
        None if reason == StallReason::LongScoreboard => load_advice(g),
        None => row.advice.to_owned(),
    }
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
    capital(&format!("{}, or {last}.", ways.join(", ")))
}
