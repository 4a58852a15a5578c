//! Lanes that a predicate switches off.

use crate::analysis::diagnose::ground::Ground;
use crate::analysis::diagnose::pattern::{Hit, Pattern};
use crate::analysis::lines::Sits;
use crate::catalog::{Code, Part, StallReason, Threshold};
use crate::quantity::format;
use crate::words;
use crate::words::Words;

/// Threads of an instruction's warp that take part in it.
const ACTIVE: &str = "smsp__thread_inst_executed_per_inst_executed.ratio";
/// Those of them that no predicate switches off.
const ON: &str = "smsp__thread_inst_executed_pred_on_per_inst_executed.ratio";
/// Threads of a warp.
const LANES: f64 = 32.0;
/// Limits at which the number of instructions counts, beside those of arithmetic.
const BY_INSTRUCTIONS: [Code; 3] =
    [Code::Unit(Part::Issue), Code::Wait(StallReason::BranchResolving), Code::Wait(StallReason::NoInstruction)];

/// Whether instructions, and so the lanes of each, are what sets the time.
fn counts_instructions(g: &Ground<'_, '_>) -> bool {
    g.limiter().is_compute() || g.is_limited_by(&BY_INSTRUCTIONS)
}

/// Active threads, and those of them that are on.
pub(super) struct PredicatedOff;

impl Pattern<Ground<'_, '_>> for PredicatedOff {
    type Facts = (f64, f64);
    const SITS: Sits = Sits::IdleLanes;

    /// Lanes take part but are predicated off: `(active − on) / 32`, where together they leave a quarter of the warp idle.
    fn detect(g: &Ground<'_, '_>) -> Option<Hit<Self::Facts>> {
        let (active, on) = (g.kernel.value(ACTIVE)?, g.kernel.value(ON)?);
        let off = 100.0 * (active - on) / LANES;
        if on >= g.limits[Threshold::ThreadUtilisationLow] || off < g.limits[Threshold::CostShare] {
            return None;
        }
        // Of slots that mostly stay empty, lanes cost little.
        let cost = off * g.stalls.issue_active.new.value().unwrap_or(1.0);
        let severity = g.severity(counts_instructions(g), cost);
        Some(Hit::new(Code::PredicatedOff, (active, on)).finding(severity, cost, g.readings(&[ACTIVE, ON])))
    }

    fn say((active, on): &Self::Facts) -> Words {
        words!(
            "Predicates switch off {} of 32 lanes in the average instruction: {} are active, {} do the work.",
            format::fixed(active - on, 1),
            format::fixed(*active, 1),
            format::fixed(*on, 1)
        )
    }
}
