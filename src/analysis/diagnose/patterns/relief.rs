//! Less work for the limiting unit.

use super::headroom::spent_operations;
use super::spilling::is_mostly_local;
use crate::analysis::derive::data_stage::DataStage;
use crate::analysis::derive::units::{self, BusyUnit};
use crate::analysis::diagnose::ground::Ground;
use crate::analysis::diagnose::pattern::{Bound, Hit, Pattern};
use crate::catalog::{self, ChipSide, Code, Part, Threshold};
use crate::quantity::format::{self, percent};
use crate::words;
use crate::words::Words;

/// How the unit is relieved.
pub(super) enum Relieved {
    /// DRAM moves this many times the bytes that the work needs.
    Bytes(f64),
    /// The unit, what takes work off it, and the busiest part whose work stays.
    Unit(String, &'static str, BusyUnit),
}

/// The limiting unit with less to do.
pub(super) struct Relief;

impl Pattern<Ground<'_, '_>> for Relief {
    type Facts = Relieved;

    /// If the limiting unit had nothing to do, the busiest part whose work stays would set the time: `1 − next / unit`.
    /// Where DRAM limits and the work is stated, the bytes that it need not move; nothing where there are none.
    fn detect(g: &Ground<'_, '_>) -> Option<Hit<Self::Facts>> {
        let unit = g.bottleneck.unit.as_ref()?;
        let code = Code::Relieve(unit.code);
        if let Some(floor) = g.floor().filter(|_| unit.code == Part::MemoryDram) {
            let bound = Bound::new(floor.waste(), floor.formula(), unit.counter.clone());
            let facts = Relieved::Bytes(floor.moved / floor.stated);
            return (!floor.is_reached(g.limits) && !has_excess(g)).then(|| Hit::new(code, facts).bound(bound));
        }
        if spent_operations(g).is_some() {
            return None;
        }
        let next = match could_bulk_copy(g, unit.code) {
            true => next_of_bulk_copies(g)?,
            false => g.bottleneck.next.clone()?,
        };
        let formula =
            format!("1 − {} ({}) / {} ({})", percent(next.percent), next.counter, percent(unit.percent), unit.counter);
        let bound = Bound::new(100.0 * (1.0 - next.percent / unit.percent), formula, unit.counter.clone());
        Some(Hit::new(code, Relieved::Unit(unit.label.clone(), means(g, unit.code), next)).bound(bound))
    }

    fn advise(how: &Self::Facts) -> Words {
        match how {
            Relieved::Bytes(times) => words!(
                "Give DRAM less to do (reuse in L2, whole sectors): it moves {} times the bytes that the work needs.",
                format::fixed(*times, 2)
            ),
            Relieved::Unit(unit, means, next) => words!(
                "Give {} less to do{}: of the parts whose work stays the busiest is {}, at {} (`{}`).",
                unit,
                if means.is_empty() { Words::default() } else { words!(" ({})", *means) },
                &next.label,
                percent(next.percent),
                &next.counter
            ),
        }
    }
}

/// Whether enough sectors carry nothing for coalescing to be the first advice.
fn has_excess(g: &Ground<'_, '_>) -> bool {
    g.coalescing.total("excess-share").is_some_and(|share| share >= g.limits[Threshold::ExcessNamed])
}

/// Whether the L1 data stage limits by copies of `cp.async` that TMA could do, on a chip that has it.
fn could_bulk_copy(g: &Ground<'_, '_>, part: Part) -> bool {
    let copies = g.mix.count("LDGSTS").is_some_and(|count| count > 0.0);
    let chip = g.kernel.first().device.compute_capability;
    let has_bulk_copies = chip.and_then(catalog::chip).is_some_and(|chip| chip.has_bulk_copies);
    let is_shared = DataStage::of(g.kernel).is_none_or(|stage| stage.is_mostly_shared());
    let is_stage = matches!(part, Part::MemoryL1tex | Part::MemoryLsu);
    is_stage && copies && has_bulk_copies && !is_shared && !is_mostly_local(g.kernel)
}

/// The busiest part whose work stays when TMA copies: arithmetic, and what brings the same bytes from L2 and DRAM.
fn next_of_bulk_copies(g: &Ground<'_, '_>) -> Option<BusyUnit> {
    let stays = |unit: &BusyUnit| {
        unit.side() == Some(ChipSide::Compute) || matches!(unit.code, Part::MemoryL2 | Part::MemoryDram)
    };
    units::busiest(g.kernel).into_iter().find(stays)
}

/// How work is taken off a unit, in a few words, by what fills it.
fn means(g: &Ground<'_, '_>, part: Part) -> &'static str {
    const OPERANDS: &str = "most of its wavefronts read operands of warpgroup products: larger tiles for each product, or the first operand from registers";
    let stage = DataStage::of(g.kernel);
    match part {
        Part::MemoryL1tex | Part::MemoryLsu | Part::MemoryL2 if is_mostly_local(g.kernel) => {
            "first the spills: local memory makes most of the sectors that loads and stores ask for"
        }
        Part::MemoryShared if stage.is_some_and(|stage| stage.is_mostly_operands()) => OPERANDS,
        Part::MemoryShared => "keep operands in registers, so that each value that is loaded feeds more arithmetic",
        Part::MemoryL1tex | Part::MemoryLsu => match stage {
            Some(stage) if stage.is_mostly_shared() && stage.is_mostly_operands() => OPERANDS,
            Some(stage) if stage.is_mostly_shared() => {
                "most of its wavefronts are those of shared memory: let each value that is read there feed more arithmetic"
            }
            Some(_) if could_bulk_copy(g, part) => {
                "let TMA do the copies of cp.async: bulk copies do not pass the load/store data stage"
            }
            _ if has_excess(g) => "coalesce, widen the accesses, or reuse data in shared memory or registers",
            _ => "widen the accesses, or reuse data in shared memory or registers",
        },
        Part::MemoryL2 => "reuse data inside the SM",
        Part::MemoryDram => "move fewer bytes: smaller types, fusion, reuse in L2",
        Part::ComputeXu => "fewer or approximate special functions",
        Part::ComputeFp64 => "lower precision where the result allows it",
        _ => "",
    }
}
