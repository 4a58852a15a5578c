//! SMs without a block. The walk names it as what limits; here is its bound.

use crate::analysis::diagnose::ground::Ground;
use crate::analysis::diagnose::pattern::{Bound, Hit, Pattern};
use crate::catalog::Code;
use crate::words;
use crate::words::Words;

/// SMs without a block, and all SMs.
pub(super) struct SmallGrid;

impl Pattern<Ground<'_, '_>> for SmallGrid {
    type Facts = (u64, u64);

    /// `1 − blocks / SMs`.
    fn detect(g: &Ground<'_, '_>) -> Option<Hit<Self::Facts>> {
        let blocks = g.kernel.key().grid.and_then(crate::evidence::Dim3::count)?;
        let sms = u64::from(g.kernel.first().device.sm_count?);
        (blocks < sms).then(|| {
            let formula = format!("1 − {blocks} blocks / {sms} SMs");
            let bound = 100.0 * (1.0 - blocks as f64 / sms as f64);
            Hit::new(Code::SmallGrid, (sms - blocks, sms)).bound(Bound::new(
                bound,
                formula,
                "launch__waves_per_multiprocessor",
            ))
        })
    }

    fn advise((idle, sms): &Self::Facts) -> Words {
        words!(
            "Spread the work over the chip: {} of {} SMs have no block. Smaller tiles, split-K, or several problems in one launch.",
            *idle,
            *sms
        )
    }
}
