//! What the busiest unit leaves free: the most that any schedule of the same work can gain.

use crate::analysis::diagnose::ground::Ground;
use crate::analysis::diagnose::pattern::{Bound, Hit, Pattern};
use crate::catalog::{Code, Part, Threshold};
use crate::quantity::format::percent;
use crate::words;
use crate::words::Words;

/// Limits by arithmetic that stated operations are compared with.
const ARITHMETIC: [Code; 4] = [
    Code::Unit(Part::ComputeTensor),
    Code::Unit(Part::ComputeFma),
    Code::Unit(Part::ComputeFp64),
    Code::Unit(Part::ComputeFp16),
];

/// How much of the needed work the unit did, where it did no more than that, in percent.
pub(super) enum Spent {
    /// Of the bytes.
    Bytes(f64),
    /// Of the operations.
    Operations(f64),
}

/// The unit's name, what it leaves free in percent, and whether it did no more than needed.
pub(super) struct Headroom;

impl Pattern<Ground<'_, '_>> for Headroom {
    type Facts = (String, f64, Option<Spent>);

    fn detect(g: &Ground<'_, '_>) -> Option<Hit<Self::Facts>> {
        // One instance at its peak leaves nothing that more overlap could use.
        let unit = g.bottleneck.unit.as_ref().filter(|_| !g.is_limited_by(&[Code::MemoryHotSpot]))?;
        let free = 100.0 - unit.percent;
        let formula = format!("100 % − {} ({})", percent(unit.percent), unit.counter);
        let hit = Hit::new(Code::UnitHeadroom, (unit.label.clone(), free, spent(g)));
        Some(hit.bound(Bound::new(free, formula, unit.counter.clone())))
    }

    fn advise((unit, free, spent): &Self::Facts) -> Words {
        let more = match spent {
            Some(Spent::Bytes(share)) => words!(
                "It moved {} of the bytes that the work needs, so that nothing more is left unless the work itself changes (smaller types, fusion).",
                percent(*share)
            ),
            Some(Spent::Operations(share)) => words!(
                "It did {} of the operations that the work needs, so that nothing more is left unless the work itself changes (smaller types).",
                percent(*share)
            ),
            None => words!("To gain more, give that unit less to do."),
        };
        words!("Overlap better: with the same work {} has {} of its peak left. {}", unit, percent(*free), more)
    }
}

/// What the limiting unit did of the stated work, where that is no more than needed.
fn spent(g: &Ground<'_, '_>) -> Option<Spent> {
    let is_dram = g.bottleneck.unit.as_ref().is_some_and(|unit| unit.code == Part::MemoryDram);
    let floor = g.floor().filter(|floor| is_dram && floor.is_reached(g.limits));
    let bytes = floor.map(|floor| Spent::Bytes(100.0 * floor.moved / floor.stated));
    bytes.or_else(|| spent_operations(g).map(Spent::Operations))
}

/// Operations over those that the work needs, in percent, where arithmetic limits and does no more than them.
pub(super) fn spent_operations(g: &Ground<'_, '_>) -> Option<f64> {
    let stated = g.work.flop.filter(|_| g.is_limited_by(&ARITHMETIC))? as f64;
    let done = g.roofline.operations?;
    (done <= g.limits[Threshold::WorkReached] * stated).then_some(100.0 * done / stated)
}

/// Whether what limits does no more than the stated work needs.
pub(in crate::analysis) fn is_spent(g: &Ground<'_, '_>) -> bool {
    spent(g).is_some()
}
