//! The launch's shape: a partly filled last wave, a grid that leaves warp slots empty, a kernel too short to measure.

use super::{Finding, Ground, Severity};
use crate::analysis::diagnose::bottleneck::percent;
use crate::analysis::kernel::performance::DURATION;
use crate::catalog::Threshold;
use crate::quantity::format;

const WAVES: &str = "launch__waves_per_multiprocessor";
const ACTIVE: &str = "sm__cycles_active.avg";
const ELAPSED: &str = "gpc__cycles_elapsed.max";
const THEORETICAL: &str = "sm__maximum_warps_per_active_cycle_pct";
const ACHIEVED: &str = "sm__warps_active.avg.pct_of_peak_sustained_active";

/// The last wave: it can cost `1 − waves / ⌈waves⌉` of the run time if all blocks take equally long. That is a forecast,
/// so the SMs' own idle time, `1 − active / elapsed cycles`, must confirm it.
pub(super) fn tail_wave(g: &Ground<'_, '_>) -> Option<Finding> {
    let waves = g.occupancy.waves.filter(|waves| *waves > 1.0)?;
    let bound = 100.0 * (1.0 - waves / waves.ceil());
    let idle = 100.0 * (1.0 - g.kernel.value(ACTIVE)? / g.kernel.value(ELAPSED)?);
    let least = g.limits[Threshold::TailShare];
    (bound >= least && idle >= least).then(|| {
        let sentence = format!(
            "The last of {} waves is {} full, and the average SM is idle for {} of the run.",
            format::fixed(waves.ceil(), 0),
            percent(100.0 * waves.fract()),
            percent(idle)
        );
        Finding::new(
            "launch-tail-wave",
            Severity::Limits,
            bound.min(idle),
            sentence,
            g.kernel,
            &[WAVES, ACTIVE, ELAPSED],
        )
    })
}

/// Warp slots that stay empty although the block's resources leave room: less than one wave, or blocks that end too
/// early for their successors. Silent where the launch is smaller than the chip, which is a limiter of its own.
pub(super) fn underfilled(g: &Ground<'_, '_>) -> Option<Finding> {
    let (room, held) = (g.kernel.value(THEORETICAL)?, g.kernel.value(ACHIEVED)?);
    let gap = room - held;
    if gap <= g.limits[Threshold::OccupancyGap] || g.is_limited_by(&["launch-"]) {
        return None;
    }
    let waves = g.occupancy.waves?;
    let (code, why) = if waves < g.limits[Threshold::SmallGridWaves] {
        ("launch-underfilled", format!("the whole grid is {} of a wave", format::fixed(waves, 2)))
    } else {
        ("occupancy-gap", format!("blocks leave slots empty in a grid of {} waves", format::fixed(waves, 2)))
    };
    let waits = g.is_limited_by(&["latency", "latency-", "sync-"]);
    let sentence = format!(
        "SMs hold {} of their warps where the block's resources leave room for {}: {why}.",
        percent(held),
        percent(room)
    );
    let severity = if waits && code == "launch-underfilled" { Severity::Costs } else { Severity::Notes };
    Some(Finding::new(code, severity, 100.0 * gap / room, sentence, g.kernel, &[THEORETICAL, ACHIEVED, WAVES]))
}

/// A duration under the catalog's limit.
pub(super) fn short(g: &Ground<'_, '_>) -> Option<Finding> {
    let ns = g.kernel.value(DURATION).filter(|ns| *ns < g.limits[Threshold::ShortKernel])?;
    let sentence = format!(
        "The kernel takes {} ns, under {} ns: its percentages change from run to run.",
        format::fixed(ns, 0),
        format::fixed(g.limits[Threshold::ShortKernel], 0)
    );
    Some(Finding::new("launch-short", Severity::Notes, 0.0, sentence, g.kernel, &[DURATION]))
}
