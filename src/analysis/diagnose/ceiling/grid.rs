//! Levers of how the work lies on the chip: SMs without a block, and a last wave that is not full.

use super::lever::{Lever, LeverOrigin};
use crate::analysis::diagnose::bottleneck::percent;
use crate::analysis::diagnose::ground::Ground;
use crate::quantity::format;

/// SMs without a block: `1 − blocks / SMs`.
pub(super) fn small_grid(g: &Ground<'_, '_>) -> Option<Lever> {
    let blocks = g.kernel.key().grid.and_then(crate::evidence::Dim3::count)?;
    let sms = u64::from(g.kernel.first().device.sm_count?);
    (blocks < sms).then(|| Lever {
        code: "small-grid".into(),
        origin: LeverOrigin::Audit,
        bound: 100.0 * (1.0 - blocks as f64 / sms as f64),
        is_rough: false,
        formula: format!("1 − {blocks} blocks / {sms} SMs"),
        sentence: format!(
            "Spread the work over the chip: {} of {sms} SMs have no block. Smaller tiles, split-K, or several problems in one launch.",
            sms - blocks
        ),
        remeasure: "launch__waves_per_multiprocessor".into(),
    })
}

/// The last, partly filled wave: `1 − waves / ⌈waves⌉`.
pub(super) fn tail(g: &Ground<'_, '_>) -> Option<Lever> {
    let waves = g.occupancy.waves?;
    (waves > 1.0 && waves.fract() > 0.0).then(|| Lever {
        code: "tail-wave".into(),
        origin: LeverOrigin::Audit,
        bound: 100.0 * (1.0 - waves / waves.ceil()),
        is_rough: false,
        formula: format!("1 − {} / {} waves", format::fixed(waves, 2), format::fixed(waves.ceil(), 0)),
        sentence: format!(
            "Fit the grid to whole waves: the last of {} waves is {} full.",
            format::fixed(waves.ceil(), 0),
            percent(100.0 * waves.fract())
        ),
        remeasure: "launch__waves_per_multiprocessor".into(),
    })
}
