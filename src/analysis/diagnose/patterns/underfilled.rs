//! Warp slots that stay empty although the block's resources leave room.

use crate::analysis::diagnose::finding::Severity;
use crate::analysis::diagnose::ground::Ground;
use crate::analysis::diagnose::pattern::{Hit, Pattern};
use crate::catalog::{Code, Threshold};
use crate::quantity::format::{self, percent};
use crate::words;
use crate::words::Words;

const WAVES: &str = "launch__waves_per_multiprocessor";
const THEORETICAL: &str = "sm__maximum_warps_per_active_cycle_pct";
const ACHIEVED: &str = "sm__warps_active.avg.pct_of_peak_sustained_active";

/// Room for warps and warps held in percent, the waves, and whether they are less than one.
pub(super) struct Underfilled;

impl Pattern<Ground<'_, '_>> for Underfilled {
    type Facts = (f64, f64, f64, bool);

    /// Less than one wave, or blocks that end too early for their successors. Silent where the launch is smaller than the
    /// chip, which is a limiter of its own.
    fn detect(g: &Ground<'_, '_>) -> Option<Hit<Self::Facts>> {
        let (room, held) = (g.kernel.value(THEORETICAL)?, g.kernel.value(ACHIEVED)?);
        let gap = room - held;
        if gap <= g.limits[Threshold::OccupancyGap] || g.is_limited_by(&[Code::LaunchSmallGrid]) {
            return None;
        }
        let waves = g.occupancy.waves?;
        let is_small = waves < g.limits[Threshold::SmallGridWaves];
        let waits = g.limiter().is_latency() || matches!(g.limiter(), Code::Wait(_));
        let severity = if waits && is_small { Severity::Costs } else { Severity::Notes };
        let code = if is_small { Code::LaunchUnderfilled } else { Code::OccupancyGap };
        let readings = g.readings(&[THEORETICAL, ACHIEVED, WAVES]);
        Some(Hit::new(code, (room, held, waves, is_small)).finding(severity, 100.0 * gap / room, readings))
    }

    fn say((room, held, waves, is_small): &Self::Facts) -> Words {
        let waves = format::fixed(*waves, 2);
        let why = match is_small {
            true => words!("the whole grid is {} of a wave", waves),
            false => words!("blocks leave slots empty in a grid of {} waves", waves),
        };
        words!(
            "SMs hold {} of their warps where the block's resources leave room for {}: {}.",
            percent(*held),
            percent(*room),
            why
        )
    }
}
