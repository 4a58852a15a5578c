//! A share of peak above what a peak allows.

use crate::analysis::derive::units;
use crate::analysis::diagnose::finding::Severity;
use crate::analysis::diagnose::ground::Ground;
use crate::analysis::diagnose::pattern::{Hit, Pattern};
use crate::catalog::{Code, Threshold};
use crate::quantity::format::percent;
use crate::words;
use crate::words::Words;

/// The busiest counter of the breakdown and its share of peak.
pub(super) struct PeakExceeded;

impl Pattern<Ground<'_, '_>> for PeakExceeded {
    type Facts = (String, f64);

    fn detect(g: &Ground<'_, '_>) -> Option<Hit<Self::Facts>> {
        let unit = units::busiest(g.kernel).into_iter().next()?;
        (unit.percent > g.limits[Threshold::PeakExceeded]).then(|| {
            let readings = g.readings(&[&unit.counter]);
            let share = unit.percent - 100.0;
            Hit::new(Code::PeakExceeded, (unit.counter, unit.percent)).finding(Severity::Notes, share, readings)
        })
    }

    fn say((counter, share): &Self::Facts) -> Words {
        words!(
            "`{}` reads {} of its peak: the counter or its peak does not mean what its name says.",
            counter,
            percent(*share)
        )
    }
}
