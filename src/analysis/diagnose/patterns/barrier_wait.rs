//! Waits at block barriers beside another limiter.

use crate::analysis::derive::mix::WARPGROUP;
use crate::analysis::diagnose::finding::Severity;
use crate::analysis::diagnose::ground::Ground;
use crate::analysis::diagnose::pattern::{Hit, Pattern};
use crate::analysis::lines::Sits;
use crate::catalog::{Code, StallReason, Threshold};
use crate::quantity::format::percent;
use crate::words;
use crate::words::Words;

const REASON: StallReason = StallReason::Barrier;

/// The share of the wait in percent, and whether products of a warpgroup are waited for there as well.
pub(super) struct BarrierWait;

impl Pattern<Ground<'_, '_>> for BarrierWait {
    type Facts = (f64, bool);
    const SITS: Sits = Sits::Waits(REASON);

    /// Barrier waits above the catalog's share, where the barrier is not what the walk ended at.
    fn detect(g: &Ground<'_, '_>) -> Option<Hit<Self::Facts>> {
        let share = g.stall_share(REASON).filter(|share| *share >= g.limits[Threshold::StallBarrierShare])?;
        if g.is_limited_by(&[Code::Wait(REASON)]) || g.stalls.are_hidden {
            return None;
        }
        let hit = Hit::new(Code::BarrierWait, (share, g.mix.has_class(WARPGROUP)));
        Some(hit.finding(Severity::Costs, share, g.readings(&[&REASON.per_issue()])))
    }

    fn say((share, with_products): &Self::Facts) -> Words {
        let products = if *with_products { " and for the products of their warpgroup" } else { "" };
        words!(
            "Warps wait {} of the time between two issued instructions at block barriers{}.",
            percent(*share),
            products
        )
    }
}
