//! Warps that split at branches, and what idle lanes cost.

use crate::analysis::diagnose::ground::Ground;
use crate::analysis::diagnose::pattern::{Bound, Hit, Pattern};
use crate::analysis::lines::Sits;
use crate::catalog::{Code, Part, StallReason, Threshold};
use crate::quantity::format::{self, percent};
use crate::words;
use crate::words::Words;

/// Threads of an instruction's warp that take part in it.
pub(super) const ACTIVE: &str = "smsp__thread_inst_executed_per_inst_executed.ratio";
/// Those of them that no predicate switches off.
pub(super) const ON: &str = "smsp__thread_inst_executed_pred_on_per_inst_executed.ratio";
const UNIFORM: &str = "smsp__sass_average_branch_targets_threads_uniform.pct";
/// Threads of a warp.
pub(super) const LANES: f64 = 32.0;
/// Limits at which the number of instructions counts, beside those of arithmetic.
const BY_INSTRUCTIONS: [Code; 3] =
    [Code::Unit(Part::Issue), Code::Wait(StallReason::BranchResolving), Code::Wait(StallReason::NoInstruction)];

/// Whether instructions, and so the lanes of each, are what sets the time.
pub(super) fn counts_instructions(g: &Ground<'_, '_>) -> bool {
    g.limiter().is_compute() || g.is_limited_by(&BY_INSTRUCTIONS)
}

/// Active threads, those that no predicate switches off, and uniform branches in percent.
pub(super) struct Divergence;

impl Pattern<Ground<'_, '_>> for Divergence {
    type Facts = (f64, f64, Option<f64>);
    const SITS: Sits = Sits::IdleLanes;

    /// Few lanes take part: `1 − threads per instruction / 32`. The bound takes predicates in: `(1 − threads predicated
    /// on / 32) × slots used`. Fewer instructions also shorten the way of a warp that waits; that is in no counter, so that
    /// it is rough.
    fn detect(g: &Ground<'_, '_>) -> Option<Hit<Self::Facts>> {
        let low = g.limits[Threshold::ThreadUtilisationLow];
        let (active, on) = (g.kernel.value(ACTIVE), g.kernel.value(ON));
        let used = g.stalls.issue_active.new.value();
        let bound = on.filter(|on| *on < low).zip(used).map(|(on, used)| {
            let formula = format!(
                "(1 − {} / 32 threads per executed instruction) × {} of the issue slots, if the time goes with these slots",
                format::fixed(on, 2),
                percent(100.0 * used)
            );
            Bound::new(100.0 * (1.0 - on / LANES) * used, formula, ON).rough().coded(Code::IdleLanes)
        });
        let facts = (active.unwrap_or(0.0), on.unwrap_or(0.0), g.kernel.value(UNIFORM));
        let hit = Hit::new(Code::Divergence, facts).bound(bound);
        Some(match active.filter(|active| *active < low).map(idle) {
            Some(idle) => {
                let severity = g.severity(counts_instructions(g), idle);
                hit.finding(severity, idle, g.readings(&[ACTIVE, ON, UNIFORM]))
            }
            None => hit,
        })
    }

    fn say((active, _, uniform): &Self::Facts) -> Words {
        let uniform = uniform.map(|uniform| words!("; {} of the branches are uniform", percent(uniform)));
        words!(
            "{} of 32 threads take part in the average instruction{}: the issue slots carry {} empty lanes.",
            format::fixed(*active, 2),
            uniform.unwrap_or_default(),
            percent(idle(*active))
        )
    }

    fn advise((_, on, _): &Self::Facts) -> Words {
        words!("Keep the lanes busy: on average {} of 32 threads take part in an instruction.", format::fixed(*on, 2))
    }
}

fn idle(active: f64) -> f64 {
    100.0 * (1.0 - active / LANES)
}
