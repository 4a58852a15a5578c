//! Uncoalesced global accesses: sectors beyond those that the bytes of each access fill.

use crate::analysis::derive::coalescing::{IDEAL, SECTORS};
use crate::analysis::diagnose::ground::Ground;
use crate::analysis::diagnose::pattern::{Bound, Hit, Pattern};
use crate::analysis::lines::Sits;
use crate::catalog::{Code, Part, StallReason, Threshold};
use crate::quantity::format::{self, percent};
use crate::words;
use crate::words::Words;

/// Limits at parts that move sectors. With every memory part below its peak, fewer sectors shorten nothing.
const MOVES_SECTORS: [Code; 6] = [
    Code::Memory,
    Code::Unit(Part::MemoryDram),
    Code::Unit(Part::MemoryL2),
    Code::Unit(Part::MemoryL1tex),
    Code::Unit(Part::MemoryLsu),
    Code::Wait(StallReason::LgThrottle),
];

/// All sectors, the ideal ones, and the share in excess in percent.
pub(super) struct Uncoalesced;

impl Pattern<Ground<'_, '_>> for Uncoalesced {
    type Facts = (f64, f64, f64);
    const SITS: Sits = Sits::GlobalAccesses;

    /// The excess share. Its bound, where DRAM limits and the work is stated, are the bytes that DRAM need not move; else
    /// the excess sectors over all sectors, if the time goes with them.
    fn detect(g: &Ground<'_, '_>) -> Option<Hit<Self::Facts>> {
        let total = |id: &str| g.coalescing.total(id);
        let share = total("excess-share").filter(|share| *share > 0.0)?;
        let (excess, all, ideal) = (total("excess")?, total("sectors")?, total("ideal")?);
        let is_dram = g.is_limited_by(&[Code::Unit(Part::MemoryDram)]);
        let bound = match g.floor().filter(|floor| is_dram && !floor.is_reached(g.limits)) {
            Some(floor) => Bound::new(floor.waste(), floor.formula(), SECTORS),
            None => {
                let counts = (format::fixed(excess, 0), format::fixed(all, 0));
                let formula = format!("{} excess of {} sectors, if the time goes with the sectors", counts.0, counts.1);
                Bound::new(share, formula, SECTORS).rough()
            }
        };
        let hit = Hit::new(Code::UncoalescedGlobalAccess, (all, ideal, share)).bound(bound);
        let is_worth = share >= g.limits[Threshold::SectorsExcessShare];
        let severity = g.severity(g.is_limited_by(&MOVES_SECTORS), share);
        Some(if is_worth { hit.finding(severity, share, g.readings(&[SECTORS, IDEAL])) } else { hit })
    }

    fn say((all, ideal, share): &Self::Facts) -> Words {
        words!(
            "Global accesses touch {} sectors where {} would hold their bytes, {}-fold: {} of the sectors carry nothing that was asked for.",
            format::fixed(*all, 0),
            format::fixed(*ideal, 0),
            format::fixed(all / ideal, 1),
            percent(*share)
        )
    }

    fn advise((_, _, share): &Self::Facts) -> Words {
        words!(
            "Coalesce the global accesses: {} of the sectors that the warps ask for carry no needed byte.",
            percent(*share)
        )
    }
}
