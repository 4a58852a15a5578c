//! What limits, by name: parts of the chip, waits, and what cannot be told.

use super::additions::added;
use super::atomics::hot_spot;
use super::constants::fetch;
use super::loads;
use super::loads::chain;
use super::products::{at_products, full};
use super::*;
use crate::analysis::derive::data_stage::OPERANDS;
use crate::analysis::derive::units;
use crate::analysis::diagnose::account::{ERROR, at_products as at_products_of};
use crate::analysis::diagnose::level::{DRAM_BYTES, L2_BYTES, L2_SECTORS, QUEUED, is_memory};

pub(super) const PATTERNS: [Pattern; 1] =
    [Pattern::asks("Does a counter read above its peak?", peak_exceeded, Stands::Beside)
        .needs(("shares of peaks", |m| !m.units.is_empty()))];

/// From this distance on, the share of a unit's peak while a block is resident says more than that of the whole launch.
const APART: f64 = 0.05;

/// A part as what limits.
pub(in crate::analysis::diagnose) fn of_part(m: &Measures<'_>, part: Part) -> Option<Held> {
    // Sectors that lanes ask for one by one come from device memory, and fill the fabric of L2 on their way.
    let is_way = part == Part::MemoryL2 && level::is_of_dram(m) == Some(true) && level::is_by_sector(m);
    let part = if is_way { Part::MemoryDram } else { part };
    let unit = m.unit(part)?;
    // Instructions that each warp issues one behind the other, while neither issue nor a pipe is busy or has a queue, take their latency.
    let one_by_one = || {
        let queue = [StallReason::NotSelected, StallReason::MathPipeThrottle, StallReason::DispatchStall];
        let is_idle = part != Part::ComputeTensor && unit.is_idle_pipe();
        wait(m, StallReason::Wait).filter(|_| is_idle && 100.0 * m.waits(&queue) < m.limits[Threshold::QueueShare])
    };
    Some(match part {
        Part::MemoryDram => queued(m, unit).unwrap_or_else(|| stream(m, unit)),
        Part::ComputeTensor if unit.is_saturated() => full(m, unit),
        _ if unit.is_saturated() => saturated(m, unit),
        _ => queued(m, unit).or_else(|| pressure(m, unit)).or_else(one_by_one).unwrap_or_else(|| saturated(m, unit)),
    })
}

/// The part of what L2 is asked for from which DRAM moves as much: what is read once, with the sectors at the ends of rows.
const NEARLY: f64 = 0.9;

/// Device memory, with what the fabric of L2 carries.
fn stream(m: &Measures<'_>, dram: &Unit) -> Held {
    let why = match level::of_dram(m) {
        Some(_) if level::is_by_sector(m) => words!(", whose fabric brings each lane a sector of its own"),
        Some(part) if part >= NEARLY => words!(", because its fabric carries the same stream"),
        Some(part) if part > 0.0 => words!(", which is asked for {} times the bytes", fixed(1.0 / part, 1)),
        _ => Words::default(),
    };
    let behind = m.unit(Part::MemoryL2).filter(|l2| l2.share > dram.share);
    let behind = behind.map(|l2| words!("; {} is at {}{}", &l2.name, share(l2.share), why));
    let then = resident(m, dram);
    let left = level::left_behind(m)
        .filter(|_| m.machine.later >= ERROR)
        .map(|bytes| words!("; {}B that it stored wait in L2 for the next launch to write", glance::short(bytes)));
    let [behind, left] = [behind, left].map(Option::unwrap_or_default);
    let sentence = words!("DRAM is at {} of peak{}{}{}.", share(dram.share), then, behind, left);
    let mut readings = m.held(&[&dram.counter, DRAM_BYTES[0].name(), DRAM_BYTES[1].name(), L2_SECTORS.name()]);
    if m.value(L2_SECTORS).is_none() {
        readings.extend(m.held(&L2_BYTES));
    }
    Held::of_unit(m, dram, 100.0 * dram.share, 0.0, sentence).from(readings)
}

/// A unit by what its counter says.
fn saturated(m: &Measures<'_>, unit: &Unit) -> Held {
    let wait = m.top_wait().filter(|_| !unit.is_saturated());
    let wait = wait.and_then(|(reason, wait)| {
        Some(words!("; the top stall, {}, takes {} of the warps' time", reason.row()?.label, share(wait)))
    });
    let sentence = words!(
        "{} at {} of peak{}{}{}.",
        the(unit),
        share(unit.share),
        resident(m, unit),
        made_of(m, unit),
        words::maybe(wait)
    );
    let held = Held::of_unit(m, unit, 100.0 * unit.share, 0.0, sentence);
    if unit.part == Part::ComputeTensor { held.at(at_products(m)) } else { held }
}

/// Other units that need as much, within what the model may be off by: what is taken from one alone leaves the others. Issue in front of
/// a pipe, and what stands on one way to memory, do the same work once more.
pub(in crate::analysis::diagnose) fn as_full(m: &Measures<'_>, unit: &Unit) -> Option<Words> {
    let is_apart = |other: &Unit| match level::place(unit.part) {
        level::PIPES => other.part != unit.part && other.part != Part::Issue,
        place => level::place(other.part) != place,
    };
    let is_near = |other: &&Unit| (m.need(other.part) - m.need(unit.part)).abs() <= ERROR && is_apart(other);
    let near = m.units.iter().filter(is_near).map(|other| words!("{} ({})", other.named(), share(other.share)));
    let near: Vec<Words> = near.take(2).collect();
    (!near.is_empty()).then(|| words::join(near, " and "))
}

/// What a unit does while there is work for it, where SMs are empty for a while, or where phases in series differ.
fn resident(m: &Measures<'_>, unit: &Unit) -> String {
    let (highest, of_time) = m.highest(unit);
    if of_time < 1.0 && highest - unit.share >= APART {
        return format!(", {} in {} of the time", share(highest), share(of_time));
    }
    let is_apart = unit.resident - unit.share >= APART && !level::is_shared(unit.part);
    let is_of_step =
        unit.part == Part::ComputeTensor && m.phases.is_some_and(|phases| phases.step_efficiency.is_some());
    let when = if is_of_step { "in a step of the main loop" } else { "while a block is resident" };
    if is_apart { format!(", {} {when}", share(unit.resident)) } else { String::new() }
}

/// `The FMA pipe is`.
fn the(unit: &Unit) -> String {
    format::capital(&unit.is())
}

/// The percent of its peak for which shuffles take the data stage of L1, where that is most of what it does: each takes one wavefront.
pub(super) fn shuffles(m: &Measures<'_>) -> Option<f64> {
    let stage = m.stage()?;
    let shuffles = 100.0 * m.count(Op::is_shuffle) / m.sm_cycles()?;
    (shuffles > 0.0 && 2.0 * shuffles >= stage.whole).then(|| shuffles.min(stage.shared))
}

/// What fills a unit, where counters tell.
fn made_of(m: &Measures<'_>, unit: &Unit) -> Words {
    if let Some(added) = added(m).filter(|_| unit.part == Part::MemoryL2) {
        return words!(": additions are {} of the sectors that it is asked for", share(added));
    }
    if unit.part == Part::MemoryL2 {
        return loads::streams(m).map(|own| words!(": {}", own.said())).unwrap_or_default();
    }
    if !matches!(unit.part, Part::MemoryShared | Part::MemoryL1tex) {
        return Words::default();
    }
    let Some(stage) = m.stage() else { return Words::default() };
    let of_shuffles = shuffles(m).map(|part| (part, format!("shuffles {}, ", fixed(part, 1))));
    let of_operands = m.value(OPERANDS).filter(|part| *part >= 0.05);
    let of_operands = of_operands.map(|part| (part, format!("operands of wgmma {}, other ", fixed(part, 1))));
    let (part, first) = of_shuffles.or(of_operands).unwrap_or_default();
    let parts = [("shared memory", stage.shared - part), ("global and local accesses", stage.other())];
    let parts: Vec<_> = parts.into_iter().filter(|(_, part)| !first.is_empty() || *part >= 0.05).collect();
    if let [(what, _)] = parts[..] {
        return words!(", all of it {}", what);
    }
    let parts: Vec<String> = parts.into_iter().map(|(what, part)| format!("{what} {}", fixed(part, 1))).collect();
    words!(": {}{}", first, parts.join(", "))
}

/// The part of the throttle samples at another pipe from which it is told.
const OF_ANOTHER: f64 = 0.25;

/// The other unit whose instructions most of the warps stand at that a math pipe had no room for, and the part of the samples there.
fn throttled<'m>(m: &'m Measures<'_>, unit: &Unit) -> Option<(&'m Unit, f64)> {
    let study = m.sampled_code()?;
    let others = m.units.iter().filter(|other| other.part != unit.part);
    let of = |other: &'m Unit| Some((other, study.part_at(StallReason::MathPipeThrottle, m.runs(other.part)?)));
    others.filter_map(of).max_by(|(_, a), (_, b)| a.total_cmp(b)).filter(|(_, of)| *of >= OF_ANOTHER)
}

/// A unit in whose queue warps spend much of their time.
fn pressure(m: &Measures<'_>, unit: &Unit) -> Option<Held> {
    let wait = |reason: StallReason| match reason {
        StallReason::LongScoreboard => Some((reason, m.waits_for_loads()?)),
        // At products warps wait for the tensor pipe.
        StallReason::MathPipeThrottle if unit.part != Part::ComputeTensor => {
            Some((reason, m.wait(reason)? * (1.0 - at_products_of(m, reason))))
        }
        _ => Some((reason, m.wait(reason)?)),
    };
    // Loads wait for L1 where it answers most of them, and for L2 where they make its stream.
    let is_queue = |reason: &StallReason| match unit.part {
        Part::MemoryL2 => loads::streams(m).is_some(),
        _ if *reason != StallReason::LongScoreboard => true,
        _ => m.value(L1_HITS).is_some_and(|hits| hits >= loads::MOSTLY_HITS),
    };
    let reasons = unit.part.row().map_or(&[][..], |row| &row.queues).iter().copied().filter(is_queue);
    let mut queue: Vec<(StallReason, f64)> = reasons.filter_map(wait).collect();
    queue.sort_by(|(_, a), (_, b)| b.total_cmp(a));
    let own: f64 = queue.iter().map(|(_, share)| 100.0 * share).sum();
    let named = queue.iter().filter(|(_, share)| *share >= 0.01);
    let named = named.filter_map(|(reason, of)| Some(format!("{} {}", reason.row()?.label, share(*of))));
    let is_throttle = queue.first().is_some_and(|(reason, _)| *reason == StallReason::MathPipeThrottle);
    let other = throttled(m, unit).filter(|_| is_throttle);
    let other =
        other.map(|(other, of)| words!(", {} of it for {} at {}", share(of), other.named(), share(other.share)));
    let sentence = words!(
        "{} at {} of peak, and {} {} ({}{}){}.",
        the(unit),
        share(unit.share),
        if unit.is_several() { "their" } else { "its" },
        if other.is_some() { "queue is full by turns with another one" } else { "queue is full" },
        named.collect::<Vec<_>>().join(", "),
        words::maybe(other),
        made_of(m, unit)
    );
    Held::of_unit(m, unit, own, m.limits[Threshold::QueueShare], sentence).if_large()
}

/// Dependent loads that take several times as long as in an idle chip, in front of a busy memory unit: what they wait for is their turn.
fn queued(m: &Measures<'_>, unit: &Unit) -> Option<Held> {
    let chain = m.chain().filter(|_| is_memory(unit))?;
    let alone = f64::from(m.chip()?.latency.as_ref()?.dram?);
    let step = m.phases?.step_cycles().filter(|step| *step >= QUEUED * alone)?;
    let sentence = words!(
        "Loads queue at {} ({} of peak): a step of the chain at `:{}` takes {} cycles, where a load from DRAM takes {} on an idle chip.",
        unit.named(),
        share(unit.share),
        chain.load.line.to_string(),
        glance::cycles(step),
        fixed(alone, 0)
    );
    Some(Held::of_unit(m, unit, 100.0 * unit.share, m.limits[Threshold::SolLow], sentence).at(At::point(&chain.load)))
}

/// A share of peak above what a peak allows, of the busiest counter of the breakdown.
fn peak_exceeded(m: &Measures<'_>) -> Option<Held> {
    let unit = units::busiest(m.kernel).into_iter().next()?;
    let sentence = words!(
        "`{}` reads {} of its peak: the counter or its peak does not mean what its name says.",
        &unit.counter,
        percent(unit.percent)
    );
    let held = Held::remark(m, Code::PeakExceeded, unit.percent - 100.0, sentence).noted();
    (unit.percent > m.limits[Threshold::PeakExceeded]).then(|| held.from(m.readings(&[&unit.counter])))
}

/// A wait as what limits.
pub(in crate::analysis::diagnose) fn of_wait(m: &Measures<'_>, reason: StallReason) -> Option<Held> {
    match reason {
        // The queue at one slice of L2 is told as what fills the slice.
        StallReason::LongScoreboard if hot_spot(m).is_some_and(|held| held.code == Code::AtomicContention) => None,
        StallReason::LongScoreboard => chain(m).or_else(|| loads::latency(m)).or_else(|| wait(m, reason)),
        StallReason::NoInstruction => fetch(m).or_else(|| wait(m, reason)),
        _ => wait(m, reason),
    }
}

/// The part of a wait at products from which it is told.
const OF_PRODUCTS: f64 = 0.25;

pub(super) fn wait(m: &Measures<'_>, reason: StallReason) -> Option<Held> {
    let (share_of, row) = (m.wait(reason)?, reason.row()?);
    let front = [Part::MemoryL2, Part::MemoryDram].into_iter().filter_map(|part| m.unit(part));
    let front = front.filter(|unit| unit.level == Level::High).max_by(|a, b| a.share.total_cmp(&b.share));
    let behind = front.map(|unit| words!(" with {} at {} of peak", &unit.name, share(unit.share)));
    // A product waits its fixed time for the one before it.
    let of_products = if reason == StallReason::Wait { at_products_of(m, reason) } else { 0.0 };
    let of_products = Some(of_products).filter(|part| *part >= OF_PRODUCTS);
    let of_products = of_products.map(|part| words!(", {} of that between products", share(part)));
    let behind = of_products.or(behind);
    // The unit in front of which they wait is not told again.
    let is_told = front.is_some() && front.map(|unit| unit.part) == m.units.first().map(|unit| unit.part);
    let sentence = words!(
        "{} takes {} of the warps' time{}{}{}.",
        row.label,
        share(share_of),
        words::maybe(behind),
        m.unfilled(),
        if is_told { String::new() } else { m.busiest() }
    );
    let code = if reason == StallReason::NoInstruction { Code::InstructionFetch } else { Code::Wait(reason) };
    let held = Held::new(code, 100.0 * share_of, 0.0, sentence);
    Some(held.of_wait(m, reason, &[THEORETICAL.name(), ACHIEVED.name()]))
}

/// What cannot be told: the report holds no waits, or not what the SMs or the memory system do.
pub(in crate::analysis::diagnose) fn unknown(m: &Measures<'_>) -> Held {
    let has_some = !m.stalls.tables.is_empty();
    if m.units.is_empty() {
        let sentence = match has_some {
            true => "The report holds stall reasons and no unit utilisation: what warps wait for is known, and not whether a part of the chip is full.".into(),
            false if m.over_time.is_some_and(|over| over.shape.is_some()) => "Units and warps were sampled over the launch alone: neither utilisation nor stall reasons were counted for the whole of it.".into(),
            false => words!("The report holds neither unit utilisation nor stall reasons."),
        };
        return Held::new(Code::NotMeasured, 0.0, 0.0, sentence);
    }
    let units: Vec<String> = m.units.iter().take(2).map(|unit| format!("{} %", unit.said())).collect();
    let lacks = match m.unheld_waits() {
        unheld if unheld > 0.0 => format!("no reason for {} of the warps' time", share(unheld)),
        _ if has_some => "stall reasons without what all of them sum up to".to_owned(),
        _ => "no stall reasons".to_owned(),
    };
    // The roll-up of the SMs says how busy their busiest part is, even where that is the LSU, a part of memory as well.
    let has_sms = m.value(units::SM).is_some() || !m.units.iter().all(is_memory);
    let unmeasured = match (m.units.iter().any(is_memory), has_sms) {
        (true, true) => None,
        (true, false) => Some("the SMs"),
        (false, _) => Some("the memory system"),
    };
    let (code, sentence) = match unmeasured {
        None => (Code::Latency, words!("No unit is saturated ({}), and the report holds {}.", units.join(", "), lacks)),
        Some(part) => (
            Code::NotMeasured,
            words!(
                "Nothing that was measured is saturated ({}); the report holds {} and nothing of {}, so that work and latency cannot be told apart.",
                units.join(", "),
                lacks,
                part
            ),
        ),
    };
    Held::new(code, 0.0, 0.0, sentence).from(m.readings(&[&m.units[0].counter]))
}
