//! Levers of the busiest unit: less work for it, or more of it at the same work.

use super::lever::{Lever, LeverOrigin};
use crate::analysis::derive::data_stage::DataStage;
use crate::analysis::derive::floor::Floor;
use crate::analysis::derive::units::{self, BusyUnit};
use crate::analysis::diagnose::bottleneck::percent;
use crate::analysis::diagnose::checks::spilling;
use crate::analysis::diagnose::ground::Ground;
use crate::catalog::{ChipSide, Threshold};
use crate::quantity::{Quantity, Unit, format};

/// Code of what the busiest unit leaves free.
pub(super) const HEADROOM: &str = "unit-headroom";

/// If the limiting unit had nothing to do, the busiest part whose work stays would set the time: `1 − next / unit`. Where
/// DRAM limits and the work is stated, the bytes that it need not move; nothing where there are none.
pub(super) fn relief(g: &Ground<'_, '_>) -> Option<Lever> {
    let unit = g.bottleneck.unit.as_ref()?;
    let lever = |bound: f64, formula: String, sentence: String| Lever {
        code: format!("relieve-{}", unit.code),
        origin: LeverOrigin::Audit,
        bound,
        is_rough: false,
        formula,
        sentence,
        remeasure: unit.counter.clone(),
    };
    if let Some(floor) = g.floor().filter(|_| unit.code == "memory-dram") {
        let is_for_coalescing =
            g.coalescing.total("excess-share").is_some_and(|share| share >= g.limits[Threshold::ExcessNamed]);
        let sentence = format!(
            "Give DRAM less to do (reuse in L2, whole sectors): it moves {} times the bytes that the work needs.",
            format::fixed(floor.moved / floor.stated, 2)
        );
        return (!floor.is_reached(g.limits) && !is_for_coalescing)
            .then(|| lever(floor.waste(), waste(&floor), sentence));
    }
    if spent_operations(g).is_some() {
        return None;
    }
    let next = if could_bulk_copy(g, &unit.code) { next_of_bulk_copies(g)? } else { g.bottleneck.next.clone()? };
    Some(lever(
        100.0 * (1.0 - next.percent / unit.percent),
        format!("1 − {} ({}) / {} ({})", percent(next.percent), next.counter, percent(unit.percent), unit.counter),
        format!(
            "Give {} less to do{}: of the parts whose work stays the busiest is {}, at {} (`{}`).",
            unit.label,
            relief_advice(g, &unit.code),
            next.label,
            percent(next.percent),
            next.counter
        ),
    ))
}

/// Whether the kernel spills and local memory makes more than half of the sectors that loads and stores ask of L1.
fn is_mostly_local(g: &Ground<'_, '_>) -> bool {
    let sum = |names: [&str; 2]| Some(g.kernel.value(names[0])? + g.kernel.value(names[1])?);
    let spills = g.kernel.value(spilling::SPILLS).is_some_and(|spills| spills > 0.0);
    spills && sum(spilling::LOCAL).zip(sum(spilling::GLOBAL)).is_some_and(|(local, global)| local > global)
}

/// Whether the L1 data stage limits by copies of `cp.async` that TMA could do, on a chip that has it.
fn could_bulk_copy(g: &Ground<'_, '_>, code: &str) -> bool {
    let copies = g.mix.count("LDGSTS").is_some_and(|count| count > 0.0);
    let has_bulk_copies = g.kernel.first().device.compute_capability.is_some_and(|(major, _)| major >= 9);
    let is_shared = DataStage::of(g.kernel).is_none_or(|stage| stage.is_mostly_shared());
    matches!(code, "memory-l1tex" | "memory-lsu") && copies && has_bulk_copies && !is_shared && !is_mostly_local(g)
}

/// The busiest part whose work stays when TMA copies: arithmetic, and what brings the same bytes from L2 and DRAM.
fn next_of_bulk_copies(g: &Ground<'_, '_>) -> Option<BusyUnit> {
    let stays = |unit: &BusyUnit| {
        unit.side() == Some(ChipSide::Compute) || matches!(unit.code.as_str(), "memory-l2" | "memory-dram")
    };
    units::busiest(g.kernel).into_iter().find(stays)
}

/// How work is taken off a unit, in a few words, by what fills it.
fn relief_advice(g: &Ground<'_, '_>, code: &str) -> &'static str {
    const OPERANDS: &str = " (most of its wavefronts read operands of warpgroup products: larger tiles for each product, or the first operand from registers)";
    let excess = g.coalescing.total("excess-share").is_some_and(|share| share >= g.limits[Threshold::ExcessNamed]);
    let stage = DataStage::of(g.kernel);
    match code {
        "memory-l1tex" | "memory-lsu" | "memory-l2" if is_mostly_local(g) => {
            " (first the spills: local memory makes most of the sectors that loads and stores ask for)"
        }
        "memory-shared" if stage.is_some_and(|stage| stage.is_mostly_operands()) => OPERANDS,
        "memory-shared" => " (keep operands in registers, so that each value that is loaded feeds more arithmetic)",
        "memory-l1tex" | "memory-lsu" => match stage {
            Some(stage) if stage.is_mostly_shared() && stage.is_mostly_operands() => OPERANDS,
            Some(stage) if stage.is_mostly_shared() => {
                " (most of its wavefronts are those of shared memory: let each value that is read there feed more arithmetic)"
            }
            Some(_) if could_bulk_copy(g, code) => {
                " (let TMA do the copies of cp.async: bulk copies do not pass the load/store data stage)"
            }
            _ if excess => " (coalesce, widen the accesses, or reuse data in shared memory or registers)",
            _ => " (widen the accesses, or reuse data in shared memory or registers)",
        },
        "memory-l2" => " (reuse data inside the SM)",
        "memory-dram" => " (move fewer bytes: smaller types, fusion, reuse in L2)",
        "compute-xu" => " (fewer or approximate special functions)",
        "compute-fp64" => " (lower precision where the result allows it)",
        _ => "",
    }
}

/// What the busiest unit leaves free: the most that any schedule of the same work can gain.
pub(super) fn unit_headroom(g: &Ground<'_, '_>) -> Option<Lever> {
    // One instance at its peak leaves nothing that more overlap could use.
    let unit = g.bottleneck.unit.as_ref().filter(|_| !g.is_limited_by(&["memory-hot-spot"]))?;
    let more = match (g.floor().filter(|_| is_dram_spent(g)), spent_operations(g)) {
        (Some(floor), _) => format!(
            "It moved {} of the bytes that the work needs, so that nothing more is left unless the work itself changes (smaller types, fusion).",
            percent(100.0 * floor.moved / floor.stated)
        ),
        (None, Some(share)) => format!(
            "It did {} of the operations that the work needs, so that nothing more is left unless the work itself changes (smaller types).",
            percent(share)
        ),
        (None, None) => "To gain more, give that unit less to do.".to_owned(),
    };
    Some(Lever {
        code: HEADROOM.into(),
        origin: LeverOrigin::Audit,
        bound: 100.0 - unit.percent,
        is_rough: false,
        formula: format!("100 % − {} ({})", percent(unit.percent), unit.counter),
        sentence: format!(
            "Overlap better: with the same work {} has {} of its peak left. {more}",
            unit.label,
            percent(100.0 - unit.percent)
        ),
        remeasure: unit.counter.clone(),
    })
}

/// How much of what DRAM moved the work does not need, with the numbers.
pub(super) fn waste(floor: &Floor) -> String {
    let bytes = |value: f64| Quantity::new(value, Unit::BYTE).map(format::quantity).unwrap_or_default();
    format!("1 − {} stated / {} moved by DRAM", bytes(floor.stated), bytes(floor.moved))
}

/// Operations over those that the work needs, in percent, where arithmetic limits and does no more than them.
fn spent_operations(g: &Ground<'_, '_>) -> Option<f64> {
    let is_arithmetic = ["compute-tensor", "compute-fma", "compute-fp64", "compute-fp16"].contains(&g.limiter());
    let stated = g.work.flop.filter(|_| is_arithmetic)? as f64;
    let done = g.roofline.operations?;
    (done <= g.limits[Threshold::WorkReached] * stated).then_some(100.0 * done / stated)
}

/// Whether what limits does no more than the stated work needs.
pub(super) fn is_spent(g: &Ground<'_, '_>) -> bool {
    is_dram_spent(g) || spent_operations(g).is_some()
}

/// Whether DRAM limits and moves no more than the stated work needs.
fn is_dram_spent(g: &Ground<'_, '_>) -> bool {
    let is_dram = g.bottleneck.unit.as_ref().is_some_and(|unit| unit.code == "memory-dram");
    is_dram && g.floor().is_some_and(|floor| floor.is_reached(g.limits))
}
