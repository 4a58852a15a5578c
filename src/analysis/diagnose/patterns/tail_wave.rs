//! A partly filled last wave.

use crate::analysis::diagnose::finding::Severity;
use crate::analysis::diagnose::ground::Ground;
use crate::analysis::diagnose::pattern::{Bound, Hit, Pattern};
use crate::catalog::{Code, Threshold};
use crate::quantity::format::{self, percent};
use crate::words;
use crate::words::Words;

const WAVES: &str = "launch__waves_per_multiprocessor";
const ACTIVE: &str = "sm__cycles_active.avg";
const ELAPSED: &str = "gpc__cycles_elapsed.max";

/// The waves, and the part of the run in which the average SM is idle.
pub(super) struct TailWave;

impl Pattern<Ground<'_, '_>> for TailWave {
    type Facts = (f64, f64);

    /// The last wave can cost `1 − waves / ⌈waves⌉` of the run time if all blocks take equally long. That is a forecast, so
    /// for a finding the SMs' own idle time, `1 − active / elapsed cycles`, must confirm it.
    fn detect(g: &Ground<'_, '_>) -> Option<Hit<Self::Facts>> {
        let waves = g.occupancy.waves.filter(|waves| *waves > 1.0 && waves.fract() > 0.0)?;
        let bound = 100.0 * (1.0 - waves / waves.ceil());
        let formula = format!("1 − {} / {} waves", format::fixed(waves, 2), format::fixed(waves.ceil(), 0));
        let idle = g.kernel.value(ACTIVE).zip(g.kernel.value(ELAPSED)).map(|(on, all)| 100.0 * (1.0 - on / all));
        let hit = Hit::new(Code::LaunchTailWave, (waves, idle.unwrap_or(0.0)))
            .bound(Bound::new(bound, formula, WAVES).coded(Code::TailWave));
        let least = g.limits[Threshold::TailShare];
        Some(match idle.filter(|idle| bound >= least && *idle >= least) {
            Some(idle) => hit.finding(Severity::Limits, bound.min(idle), g.readings(&[WAVES, ACTIVE, ELAPSED])),
            None => hit,
        })
    }

    fn say((waves, idle): &Self::Facts) -> Words {
        words!(
            "The last of {} waves is {} full, and the average SM is idle for {} of the run.",
            format::fixed(waves.ceil(), 0),
            percent(100.0 * waves.fract()),
            percent(*idle)
        )
    }

    fn advise((waves, _): &Self::Facts) -> Words {
        words!(
            "Fit the grid to whole waves: the last of {} waves is {} full.",
            format::fixed(waves.ceil(), 0),
            percent(100.0 * waves.fract())
        )
    }
}
