//! Units that are busy, as what limits.

use super::products::{at_products, full};
use super::{At, Held, Pattern, SPEED, Stands, l2, share};
use crate::analysis::derive::data_stage::{DataStage, OPERANDS};
use crate::analysis::derive::units;
use crate::analysis::diagnose::level::{self, DRAM_BYTES, L2_BYTES, L2_SECTORS, QUEUED, Unit};
use crate::analysis::diagnose::measures::Measures;
use crate::analysis::lines::Sits;
use crate::catalog::{self, Code, Counter, Part, StallReason, Threshold};
use crate::quantity::format::{self, percent};
use crate::quantity::glance;
use crate::words;
use crate::words::Words;
use cuda_binary::Op;

pub(super) const PATTERNS: [Pattern; 1] =
    [Pattern::asks("Does a counter read above its peak?", SPEED, peak_exceeded, Stands::Beside)];

/// From this distance on, the share of a unit's peak while a block is resident says more than that of the whole launch.
const APART: f64 = 0.05;

/// Hit rate of L1, percent.
const L1_HITS: Counter = Counter::L1texTSectorHitRatePct;

/// A part as what limits.
pub(in crate::analysis::diagnose) fn of_part(m: &Measures<'_, '_>, part: Part) -> Option<Held> {
    let unit = m.unit(part)?;
    let held = match part {
        Part::MemoryDram => queued(m, unit).unwrap_or_else(|| stream(m, unit)),
        Part::ComputeTensor if unit.is_saturated() => full(m, unit),
        _ if unit.is_saturated() => saturated(m, unit),
        _ => queued(m, unit).or_else(|| pressure(m, unit)).unwrap_or_else(|| saturated(m, unit)),
    };
    Some(Held { unit: Some(unit.clone()), ..held })
}

/// Device memory: the fabric of L2 carries the same stream.
fn stream(m: &Measures<'_, '_>, dram: &Unit) -> Held {
    let is_of_dram = level::is_of_dram(m);
    let why = if is_of_dram.is_some() { ", because its fabric carries the same stream" } else { "" };
    let behind = m.unit(Part::MemoryL2).filter(|l2| l2.share > dram.share);
    let behind = behind.map(|l2| words!("; {} is at {}{}", &l2.name, share(l2.share), why));
    let then = resident(m, dram);
    let sentence = words!("DRAM is at {} of peak{}{}.", share(dram.share), then, behind.unwrap_or_default());
    let held = Held::new(Code::Unit(Part::MemoryDram), 100.0 * dram.share, 0.0, sentence).at(At::Line(Sits::Limiter));
    let mut readings = m.held(&[&dram.counter, DRAM_BYTES[0].name(), DRAM_BYTES[1].name(), L2_SECTORS.name()]);
    if m.kernel.value(L2_SECTORS).is_none() {
        readings.extend(m.held(&L2_BYTES));
    }
    held.from(readings)
}

/// A unit by what its counter says.
fn saturated(m: &Measures<'_, '_>, unit: &Unit) -> Held {
    let wait = m.top_waits().into_iter().next().filter(|_| !unit.is_saturated());
    let wait = wait.and_then(|(reason, wait)| {
        Some(words!("; the largest wait, {}, takes {} of the warps' time", reason.row()?.label, share(wait)))
    });
    let sentence = words!(
        "{} at {} of peak{}{}{}.",
        format::capital(&the(unit)),
        share(unit.share),
        resident(m, unit),
        made_of(m, unit),
        wait.unwrap_or_default()
    );
    let at = if unit.part == Part::ComputeTensor { at_products(m) } else { At::Line(Sits::Limiter) };
    Held::new(Code::Unit(unit.part), 100.0 * unit.share, 0.0, sentence).at(at).from(m.readings(&[&unit.counter]))
}

/// What a unit does while there is work for it, where SMs are empty for a while, or where phases in series differ.
fn resident(m: &Measures<'_, '_>, unit: &Unit) -> String {
    let (highest, of_time) = m.highest(unit);
    if of_time < 1.0 && highest - unit.share >= APART {
        return format!(", {} in {} of the time", share(highest), share(of_time));
    }
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

/// The percent of its peak for which shuffles take the data stage of L1, where that is most of what it does: each takes one wavefront.
pub(super) fn shuffles(m: &Measures<'_, '_>) -> Option<f64> {
    let stage = DataStage::of(m.kernel)?;
    let shuffles = 100.0 * m.count(Op::is_shuffle) / (m.cycles? * m.sms?);
    (shuffles > 0.0 && 2.0 * shuffles >= stage.whole).then(|| shuffles.min(stage.shared))
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
    if let Some(shuffles) = shuffles(m) {
        return words!(
            ": shuffles {}, shared memory {}, global and local accesses {}",
            point(shuffles),
            point(stage.shared - shuffles),
            point(stage.other())
        );
    }
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

/// A unit in whose queue warps spend much of their time.
fn pressure(m: &Measures<'_, '_>, unit: &Unit) -> Option<Held> {
    let queue = queue(m, unit.part);
    let own: f64 = queue.iter().map(|(_, share)| 100.0 * share).sum();
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
    let held = Held::new(Code::Unit(unit.part), own, m.limits[Threshold::QueueShare], sentence);
    held.holds.then(|| held.at(At::Line(Sits::Limiter)).from(m.readings(&[&unit.counter])))
}

/// Dependent loads that take several times as long as in an idle chip, in front of a busy memory unit: what they wait for is their turn.
fn queued(m: &Measures<'_, '_>, unit: &Unit) -> Option<Held> {
    let phases = m.sampled()?;
    let chain = m.study?.chain().filter(|chain| 100.0 * chain.share >= m.limits[Threshold::ChainShare])?;
    let latency = catalog::chip(m.kernel.device().compute_capability?)?.latency.as_ref()?;
    let alone = f64::from(latency.dram?);
    let step = phases.step_cycles().filter(|step| *step >= QUEUED * alone)?;
    let sentence = words!(
        "Loads queue at {} ({} of peak): a step of the chain at `:{}` takes {} cycles, where a load from DRAM takes {} on an idle chip.",
        named(unit),
        share(unit.share),
        chain.load.line.to_string(),
        glance::cycles(step),
        format::fixed(alone, 0)
    );
    let held = Held::new(Code::Unit(unit.part), 100.0 * unit.share, m.limits[Threshold::SolLow], sentence);
    Some(held.at(At::point(&chain.load)).from(m.readings(&[&unit.counter])))
}

/// A share of peak above what a peak allows, of the busiest counter of the breakdown.
fn peak_exceeded(m: &Measures<'_, '_>) -> Option<Held> {
    let unit = units::busiest(m.kernel).into_iter().next()?;
    let sentence = words!(
        "`{}` reads {} of its peak: the counter or its peak does not mean what its name says.",
        &unit.counter,
        percent(unit.percent)
    );
    let held = Held::remark(m, Code::PeakExceeded, unit.percent - 100.0, sentence).noted();
    (unit.percent > m.limits[Threshold::PeakExceeded]).then(|| held.from(m.readings(&[&unit.counter])))
}
