//! A share of peak above what a peak allows.

use super::{Finding, Ground, Severity};
use crate::analysis::derive::units;
use crate::analysis::diagnose::bottleneck::percent;
use crate::catalog::Threshold;

/// The busiest counter of the breakdown lies above its peak.
pub(super) fn peak_exceeded(g: &Ground<'_, '_>) -> Option<Finding> {
    let unit = units::busiest(g.kernel).into_iter().next()?;
    (unit.percent > g.limits[Threshold::PeakExceeded]).then(|| {
        let sentence = format!(
            "`{}` reads {} of its peak: the peak or the counter means something else than its name says.",
            unit.counter,
            percent(unit.percent)
        );
        Finding::new("peak-exceeded", Severity::Notes, unit.percent - 100.0, sentence, g.kernel, &[&unit.counter])
    })
}
