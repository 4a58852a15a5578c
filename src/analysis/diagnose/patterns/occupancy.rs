//! Occupancy capped by a resource of the block.

use crate::analysis::derive::mix::{TCGEN05, WARPGROUP};
use crate::analysis::diagnose::finding::Severity;
use crate::analysis::diagnose::ground::Ground;
use crate::analysis::diagnose::pattern::{Bound, Hit, Pattern};
use crate::analysis::lines::Sits;
use crate::catalog::{Code, Threshold};
use crate::quantity::format::{self, capital, percent};
use crate::words;
use crate::words::Words;

const THEORETICAL: &str = "sm__maximum_warps_per_active_cycle_pct";
const ELIGIBLE: &str = "smsp__warps_eligible.avg.per_cycle_active";
const ACHIEVED: &str = "sm__warps_active.avg.pct_of_peak_sustained_active";

/// The resources that bind, theoretical occupancy in percent, and ready warps of a scheduler.
pub(super) struct OccupancyLimit;

impl Pattern<Ground<'_, '_>> for OccupancyLimit {
    type Facts = (Vec<String>, f64, f64);
    // Too few warps show as the wait that they cannot hide.
    const SITS: Sits = Sits::LimitingWait;

    /// A cap matters where the schedulers have cycles without a ready warp. It explains a limit by waiting, because more
    /// resident warps are what hides a wait; beside a busy unit it costs at most what the unit leaves free. The bound are
    /// the warps that are missing to the full SM, capped by the cycles without an issue.
    fn detect(g: &Ground<'_, '_>) -> Option<Hit<Self::Facts>> {
        let theoretical = g.kernel.value(THEORETICAL)?;
        let binding: Vec<String> = g.occupancy.binding().into_iter().map(str::to_owned).collect();
        if theoretical >= g.limits[Threshold::OccupancyTheoreticalLow] || binding.is_empty() {
            return None;
        }
        let (missing, waits) = (100.0 - theoretical, g.limiter().is_latency());
        let bound = g.idle().filter(|_| waits).map(|idle| {
            let formula = format!(
                "the least of 100 % − theoretical occupancy {} and cycles without issue {}",
                percent(theoretical),
                percent(idle)
            );
            Bound::new(missing.min(idle), formula, ACHIEVED)
        });
        let eligible = g.kernel.value(ELIGIBLE);
        let hit = Hit::new(Code::OccupancyLimit, (binding, theoretical, eligible.unwrap_or(0.0))).bound(bound);
        let has_gaps = eligible.is_some_and(|eligible| eligible < g.limits[Threshold::EligibleLow]);
        if !has_gaps || g.is_limited_by(&[Code::LaunchSmallGrid]) {
            return Some(hit);
        }
        let runs_beside = g.mix.has_class(WARPGROUP) || g.mix.has_class(TCGEN05);
        let severity = match waits {
            true => g.severity(true, missing),
            // Few warps with large tiles are how such kernels are built: their products run beside them.
            false if runs_beside => Severity::Notes,
            false => Severity::Costs,
        };
        let free = 100.0 - g.bottleneck.unit.as_ref().map_or(0.0, |unit| unit.percent);
        let share = if waits { missing } else { missing.min(free) };
        Some(hit.finding(severity, share, g.readings(&[THEORETICAL, ELIGIBLE])))
    }

    fn say((binding, theoretical, eligible): &Self::Facts) -> Words {
        let is_one = binding.len() == 1 && binding.iter().all(|name| !name.ends_with('s'));
        words!(
            "{} of the block {} an SM at {} of its warps, and a scheduler has {} ready warps in the average cycle.",
            capital(&binding.join(" and ")),
            if is_one { "caps" } else { "cap" },
            percent(*theoretical),
            format::fixed(*eligible, 2)
        )
    }

    fn advise((binding, theoretical, _): &Self::Facts) -> Words {
        words!(
            "Make room for more warps: the SM holds {} of its warps, by {}.",
            percent(*theoretical),
            binding.join(" and ")
        )
    }
}
