//! Rules on units that are busy.

use super::{At, Held, l2, share};
use crate::analysis::derive::data_stage::{DataStage, OPERANDS};
use crate::analysis::diagnose::level::{self, DRAM_BYTES, L2_BYTES, L2_SECTORS, Level, Unit};
use crate::analysis::diagnose::measures::Measures;
use crate::analysis::lines::Sits;
use crate::catalog::{Code, Counter, Part, StallReason, Threshold};
use crate::quantity::format;
use crate::words;
use crate::words::Words;

/// From this distance on, the share of a unit's peak while a block is resident says more than that of the whole launch.
const APART: f64 = 0.05;
/// Hit rate of L1, percent.
const L1_HITS: Counter = Counter::L1texTSectorHitRatePct;

/// L2 or DRAM is full and most of what L2 is asked for comes from device memory: the fabric of L2 carries the same stream.
pub(super) fn dram(m: &Measures<'_, '_>) -> Option<Held> {
    let dram = m.unit(Part::MemoryDram)?;
    let l2 = m.unit(Part::MemoryL2);
    let is_full = dram.is_saturated() || l2.is_some_and(Unit::is_saturated);
    let is_of_dram = level::is_of_dram(m);
    let why = if is_of_dram.is_some() { ", because its fabric carries the same stream" } else { "" };
    let behind =
        l2.filter(|l2| l2.share > dram.share).map(|l2| words!("; {} is at {}{}", &l2.name, share(l2.share), why));
    let sentence = words!("DRAM is at {} of peak{}.", share(dram.share), behind.unwrap_or_default());
    let held = Held::new(Code::Unit(Part::MemoryDram), 100.0 * dram.share, m.limits[Threshold::SolLow], sentence);
    let held = held.only_if(is_full && is_of_dram != Some(false)).at(At::Line(Sits::Limiter));
    let mut readings = m.held(&[&dram.counter, DRAM_BYTES[0].name(), DRAM_BYTES[1].name(), L2_SECTORS.name()]);
    if m.kernel.value(L2_SECTORS).is_none() {
        readings.extend(m.held(&L2_BYTES));
    }
    held.holds.then(|| Held { unit: Some(dram.clone()), ..held.from(readings) })
}

/// Another unit is full.
pub(super) fn saturated(m: &Measures<'_, '_>) -> Option<Held> {
    let unit = level::leading(&m.units)?.clone();
    let (percent, least) = match level::is_shared(unit.part) {
        true => (100.0 * unit.share, m.limits[Threshold::SolHigh]),
        false => (100.0 * unit.resident, m.limits[Threshold::UnitSaturated]),
    };
    let sentence = words!(
        "{} at {} of peak{}{}.",
        format::capital(&the(&unit)),
        share(unit.share),
        resident(&unit),
        made_of(m, &unit)
    );
    let held = Held::new(Code::Unit(unit.part), percent, least, sentence).at(At::Line(Sits::Limiter));
    let readings = m.readings(&[&unit.counter]);
    Some(Held { unit: Some(unit), ..held.from(readings) })
}

/// What a unit does while there is work for it, where SMs are empty for a while.
fn resident(unit: &Unit) -> String {
    let is_apart = unit.resident - unit.share >= APART && !level::is_shared(unit.part);
    if is_apart { format!(", {} while a block is resident", share(unit.resident)) } else { String::new() }
}

/// `the FMA pipe`.
pub(super) fn named(unit: &Unit) -> String {
    match unit.part {
        Part::MemoryL2 | Part::MemoryDram => unit.name.clone(),
        Part::Issue => "instruction issue".to_owned(),
        _ => format!("the {}", unit.name),
    }
}

/// `the FMA pipe is`.
pub(super) fn the(unit: &Unit) -> String {
    let verb = if unit.name.ends_with('s') { "are" } else { "is" };
    format!("{} {verb}", named(unit))
}

/// What fills a unit, where counters tell.
fn made_of(m: &Measures<'_, '_>, unit: &Unit) -> Words {
    if unit.part == Part::MemoryL2 {
        return l2::streams(m).map(|own| words!(": {}", own.said())).unwrap_or_default();
    }
    if !matches!(unit.part, Part::MemoryShared | Part::MemoryL1tex) {
        return Words::default();
    }
    let Some(stage) = DataStage::of(m.kernel) else { return Words::default() };
    let point = |value: f64| format::fixed(value, 1);
    match m.kernel.value(OPERANDS).filter(|operands| *operands >= 0.05) {
        Some(operands) => words!(
            ": operands of wgmma {}, other shared memory {}, global and local accesses {}",
            point(operands),
            point(stage.shared - operands),
            point(stage.other())
        ),
        None => words!(": shared memory {}, global and local accesses {}", point(stage.shared), point(stage.other())),
    }
}

/// Stall reasons of warps that queue in front of a unit, each with the share of the warps' time that is spent there. Loads wait for
/// L1 where it answers most of them, and for L2 where they make its stream.
fn queue(m: &Measures<'_, '_>, part: Part) -> Vec<(StallReason, f64)> {
    use StallReason::{LgThrottle, LongScoreboard, MathPipeThrottle, MioThrottle, NotSelected, ShortScoreboard};
    let waits = |reasons: &[StallReason]| {
        reasons.iter().filter_map(|reason| Some((*reason, m.wait(*reason)?))).collect::<Vec<_>>()
    };
    let loads = |is_level: bool| Some((LongScoreboard, m.waits_for_loads().filter(|_| is_level)?));
    match part {
        Part::MemoryL1tex | Part::MemoryShared | Part::MemoryLsu => {
            let hits = m.kernel.value(L1_HITS).is_some_and(|hits| hits >= l2::MOSTLY_HITS);
            waits(&[LgThrottle, MioThrottle, ShortScoreboard]).into_iter().chain(loads(hits)).collect()
        }
        Part::MemoryL2 => match l2::streams(m) {
            Some(_) => waits(&[LgThrottle]).into_iter().chain(loads(true)).collect(),
            None => Vec::new(),
        },
        Part::Issue => waits(&[NotSelected]),
        part if <&str>::from(part).starts_with("compute-") => waits(&[MathPipeThrottle]),
        _ => Vec::new(),
    }
}

/// A unit between `sol-low` and saturation whose queue holds the warps more than anything else does.
pub(super) fn pressure(m: &Measures<'_, '_>) -> Option<Held> {
    let least = m.limits[Threshold::QueueShare];
    let waits = m.top_waits();
    let held = m.units.iter().filter(|unit| unit.level == Level::High).filter_map(|unit| {
        let queue = queue(m, unit.part);
        let within =
            |reason: &StallReason| queue.iter().find(|(own, _)| own == reason).map_or(0.0, |(_, share)| *share);
        let own: f64 = queue.iter().map(|(_, share)| 100.0 * share).sum();
        let outside = waits.iter().map(|(reason, share)| 100.0 * (share - within(reason))).fold(0.0, f64::max);
        let names = queue.iter().filter_map(|(reason, share)| Some((reason.row()?.label, *share)));
        let named: Vec<String> =
            names.filter(|(_, share)| *share >= 0.01).map(|(label, of)| format!("{label} {}", share(of))).collect();
        let sentence = words!(
            "{} at {} of peak, and its queue is full ({}){}.",
            format::capital(&the(unit)),
            share(unit.share),
            named.join(", "),
            made_of(m, unit)
        );
        let held =
            Held::new(Code::Unit(unit.part), own, least, sentence).only_if(own >= outside).at(At::Line(Sits::Limiter));
        held.holds.then(|| Held { unit: Some(unit.clone()), ..held.from(m.readings(&[&unit.counter])) })
    });
    held.max_by(|a, b| a.share.total_cmp(&b.share))
}
