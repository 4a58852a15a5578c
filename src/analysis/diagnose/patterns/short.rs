//! A kernel too short for steady percentages.

use crate::analysis::diagnose::finding::Severity;
use crate::analysis::diagnose::ground::Ground;
use crate::analysis::diagnose::pattern::{Hit, Pattern};
use crate::analysis::kernel::performance::DURATION;
use crate::catalog::{Code, Threshold};
use crate::quantity::format;
use crate::words;
use crate::words::Words;

/// The time and the limit under which it lies, in nanoseconds.
pub(super) struct Short;

impl Pattern<Ground<'_, '_>> for Short {
    type Facts = (f64, f64);

    fn detect(g: &Ground<'_, '_>) -> Option<Hit<Self::Facts>> {
        let limit = g.limits[Threshold::ShortKernel];
        let ns = g.kernel.value(DURATION).filter(|ns| *ns < limit)?;
        Some(Hit::new(Code::LaunchShort, (ns, limit)).finding(Severity::Notes, 0.0, g.readings(&[DURATION])))
    }

    fn say((ns, limit): &Self::Facts) -> Words {
        words!(
            "The kernel takes {} ns, under {} ns: its percentages change from run to run.",
            format::fixed(*ns, 0),
            format::fixed(*limit, 0)
        )
    }
}
