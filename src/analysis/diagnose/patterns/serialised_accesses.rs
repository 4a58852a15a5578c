//! Accesses that a cache serves one after another: a high hit rate with little throughput.

use crate::analysis::derive::units::MEMORY;
use crate::analysis::diagnose::ground::Ground;
use crate::analysis::diagnose::pattern::{Hit, Pattern};
use crate::analysis::lines::Sits;
use crate::catalog::{Code, StallReason, Threshold};
use crate::quantity::format::fixed;
use crate::words;
use crate::words::Words;

/// The caches from the nearest on, each with the share of sectors that it has.
const CACHES: [(&str, &str); 2] = [("L1", "l1tex__t_sector_hit_rate.pct"), ("L2", "lts__t_sector_hit_rate.pct")];
const REASON: StallReason = StallReason::LongScoreboard;

/// The cache and its hit rate, the throughput of the memory system, and the waits for loads, in percent.
pub(super) struct SerialisedAccesses;

impl Pattern<Ground<'_, '_>> for SerialisedAccesses {
    type Facts = (&'static str, f64, f64, f64);
    const SITS: Sits = Sits::Waits(REASON);

    /// A cache has what is asked for, no memory unit is near its peak, and warps wait for loads all the same: few accesses
    /// are in flight at once, because each hangs on the one before it or they meet at one address.
    fn detect(g: &Ground<'_, '_>) -> Option<Hit<Self::Facts>> {
        // The limit says the same with its numbers.
        if g.is_limited_by(&[Code::LatencyL2]) {
            return None;
        }
        let busy = g.kernel.value(MEMORY).filter(|busy| *busy < g.limits[Threshold::SolLow])?;
        let waits = g.stall_share(REASON).filter(|share| *share >= g.limits[Threshold::StallShare])?;
        let (cache, metric, hits) = CACHES.iter().find_map(|(cache, metric)| {
            let hits = g.kernel.value(metric).filter(|hits| *hits >= g.limits[Threshold::HitRateHigh])?;
            Some((*cache, *metric, hits))
        })?;
        let readings = g.readings(&[metric, MEMORY, &REASON.per_issue()]);
        let hit = Hit::new(Code::SerialisedAccesses, (cache, hits, busy, waits));
        Some(hit.finding(g.severity(false, waits), waits, readings))
    }

    fn say((cache, hits, busy, waits): &Self::Facts) -> Words {
        words!(
            "The accesses are serialised: {} hit rate {} %, memory system at {} % of peak, and warps wait for loads {} % of their time.",
            *cache,
            fixed(*hits, 1),
            fixed(*busy, 1),
            fixed(*waits, 1)
        )
    }
}
