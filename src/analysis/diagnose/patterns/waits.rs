//! Waits by the name of their reason, and what cannot be told.

use super::atomics::hot_spot;
use super::code::fetch;
use super::loads;
use super::loads::chain;
use super::*;
use crate::analysis::diagnose::level::is_memory;

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

pub(super) fn wait(m: &Measures<'_>, reason: StallReason) -> Option<Held> {
    let (share_of, row) = (m.wait(reason)?, reason.row()?);
    let front = [Part::MemoryL2, Part::MemoryDram].into_iter().filter_map(|part| m.unit(part));
    let front = front.filter(|unit| unit.level == Level::High).max_by(|a, b| a.share.total_cmp(&b.share));
    let behind = front.map(|unit| words!(" with {} at {} of peak", &unit.name, share(unit.share))).unwrap_or_default();
    // The unit in front of which they wait is not told again.
    let is_told = front.is_some() && front.map(|unit| unit.part) == m.units.first().map(|unit| unit.part);
    let sentence = words!(
        "{} takes {} of the warps' time{}{}{}.",
        row.label,
        share(share_of),
        behind,
        m.unfilled(),
        if is_told { String::new() } else { m.busiest() }
    );
    let code = if reason == StallReason::NoInstruction { Code::InstructionFetch } else { Code::Wait(reason) };
    let held = Held::new(code, 100.0 * share_of, 0.0, sentence).at(At::Line(Sits::Waits(reason)));
    Some(held.from(m.held(&[&reason.per_issue(), THEORETICAL.name(), ACHIEVED.name()])))
}

/// What cannot be told: the report holds no waits, or not what the SMs or the memory system do.
pub(in crate::analysis::diagnose) fn unknown(m: &Measures<'_>) -> Held {
    let has_some = !m.stalls.tables.is_empty();
    if m.units.is_empty() {
        let sentence = match has_some {
            true => words!(
                "The report holds stall reasons and no unit utilisation: what warps wait for is known, and not whether a part of the chip is full."
            ),
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
    let unmeasured = match (m.units.iter().any(is_memory), m.units.iter().all(is_memory)) {
        (true, false) => None,
        (true, true) => Some("the SMs"),
        (false, _) => Some("the memory system"),
    };
    let sentence = match unmeasured {
        None => words!("No unit is saturated ({}), and the report holds {}.", units.join(", "), lacks),
        Some(part) => words!(
            "Nothing that was measured is saturated ({}); the report holds {} and nothing of {}, so that work and latency cannot be told apart.",
            units.join(", "),
            lacks,
            part
        ),
    };
    Held::new(Code::Latency, 0.0, 0.0, sentence).from(m.readings(&[&m.units[0].counter]))
}
