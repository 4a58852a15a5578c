//! How far the kernel is from the least time of its stated work, and what is wrong with work that cannot be.

use super::heading::Heading;
use crate::analysis::{Audit, Impossible, Milestone};
use crate::quantity::format;
use crate::quantity::glance::{digits, short, time};
use crate::words::{Words, words};

/// Executed operations from this factor of the stated ones on are worth a word: padding, or work done again.
const MORE: f64 = 2.0;

/// What stands behind the time in the lead: the floor with the share of it that is reached, and of the gap that was closed.
pub(super) fn reached(heading: &Heading, audit: &Audit) -> Option<String> {
    let floor = audit.stated.floor.as_ref()?;
    let own = heading.milestone(audit);
    let at = floor.clock.map(|hertz| format!(" at {} GHz", format::fixed(hertz / 1e9, 2))).unwrap_or_default();
    let mut said =
        format!("floor {}{at} ({}), {} reached", time(floor.ns()), called(&floor.by), share(own.of_floor()?));
    said += &closed(heading.history.first(), &own);
    // Another share at the clock of the profile says what the clock took, where the ceiling goes by that of the SMs.
    let profiled = audit.performance.time.new.value().filter(|_| floor.clock.is_some());
    let profiled = profiled.map(|ns| share(100.0 * floor.profiled / ns));
    if let Some(profiled) = profiled.filter(|profiled| *profiled != share(own.of_floor().unwrap_or_default())) {
        said += &format!("; {} at the clock under ncu, {profiled} reached there", time(floor.profiled));
    }
    Some(said)
}

/// The ceiling without what its label explains: `DRAM`, `L2`, `tensor pipe, BF16`.
fn called(ceiling: &str) -> &str {
    ceiling.split(" (").next().and_then(|name| name.split(", bytes").next()).unwrap_or(ceiling)
}

/// `, 73 % of the gap closed since 2026-11-22`: of a series with a first audit of the same work; else empty.
fn closed(first: Option<&Milestone>, own: &Milestone) -> String {
    let Some((first, percent)) = first.and_then(|first| Some((first, own.gap_closed(first)?))) else {
        return String::new();
    };
    match percent < 0.0 {
        true => format!(", {} further from it than on {}", share(-percent), first.day()),
        false => format!(", {} of the gap closed since {}", share(percent), first.day()),
    }
}

/// `64 %, 70 % of the gap`: the share of the floor in the time of an audit, and of the gap to it that is closed since the first one of
/// its series; empty without a floor.
pub(super) fn standing(own: &Milestone, first: &Milestone) -> String {
    let gap = own.gap_closed(first).filter(|_| own.day() != first.day());
    let gap = gap.map(|percent| format!(", {} % of the gap", format::fixed(percent, 0))).unwrap_or_default();
    own.of_floor().map(|percent| share(percent) + &gap).unwrap_or_default()
}

/// The standing of the newest audit to its floor, for a gate; `None` without a floor.
pub fn of_series(milestones: &[Milestone]) -> Option<String> {
    let own = milestones.last()?;
    let first = milestones.first().filter(|_| milestones.len() > 1);
    let said = format!("{} of the floor of its stated work ({})", share(own.of_floor()?), time(own.floor_ns?));
    Some(format!("{said}{}.", closed(first, own)))
}

/// `64 %`; what is next to nothing with the digit that tells it.
pub(super) fn share(percent: f64) -> String {
    if percent < 1.0 { "< 1 %".to_owned() } else { format!("{} %", format::fixed(percent, 0)) }
}

/// That more is executed than is stated.
pub(super) fn more(audit: &Audit) -> Option<String> {
    let factor = audit.stated.executed.filter(|factor| *factor >= MORE)?;
    Some(format!(
        "does {} operations for each stated one: padding of its tiles, work that is not stated, or work done twice",
        digits(factor)
    ))
}

pub fn impossible(audit: &Audit) -> Vec<Words> {
    let say = |one: &Impossible| match one {
        Impossible::UnderFloor { amount, floor, measured, by } => words!(
            "{} cannot be: it takes {} at peak ({}), and the launch took {}",
            words::code(format!("work.{amount}")),
            time(*floor),
            called(by),
            time(*measured)
        ),
        Impossible::FewerExecuted { stated, executed } => words!(
            "`work.flop` cannot be: it states {} operations, and the launch executed {}",
            short(*stated),
            short(*executed)
        ),
    };
    audit.stated.impossible.iter().map(say).collect()
}
