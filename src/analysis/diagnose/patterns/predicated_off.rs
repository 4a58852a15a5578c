//! Lanes that a predicate switches off.

use super::divergence::{ACTIVE, LANES, ON, counts_instructions};
use crate::analysis::diagnose::ground::Ground;
use crate::analysis::diagnose::pattern::{Hit, Pattern};
use crate::analysis::lines::Sits;
use crate::catalog::{Code, Threshold};
use crate::quantity::format;
use crate::words;
use crate::words::Words;

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
            "Predicates switch off {} of 32 threads of the average instruction: {} take part, {} do the work.",
            format::fixed(active - on, 2),
            format::fixed(*active, 2),
            format::fixed(*on, 2)
        )
    }
}
