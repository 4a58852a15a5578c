//! What could be done about a verdict: actions, each with the most that it can save.
//!
//! Each says what it leaves of the units' work and of the waits; the machine computes from that what is expected and what is left at
//! best. Levers with one action are one.

mod accesses;
mod banks;
mod draft;
mod gathers;
mod generation;
mod instructions;
mod launch;
mod memory;
mod roof;
mod shapes;
mod tensor;
mod values;
mod waits;

pub(super) use draft::Draft;
pub(super) use roof::{at_the_roof, ruled_out};

use super::lever::Lever;
use super::machine::Machine;
use super::measures::Measures;
use super::rules::RULES;
use crate::catalog::{Action, Code, Part, Threshold};

/// Part of the time below which a cost is none.
const WORTH: f64 = 0.02;

/// What a lever is found from: the numbers, the machine, and what the rules found.
pub(super) struct Ask<'m, 'a, 'r> {
    pub(super) m: &'m Measures<'a, 'r>,
    pub(super) machine: Machine,
    found: Vec<Code>,
}

impl<'m, 'a, 'r> Ask<'m, 'a, 'r> {
    pub(super) fn of(m: &'m Measures<'a, 'r>) -> Ask<'m, 'a, 'r> {
        let held = RULES.iter().filter_map(|rule| (rule.judge)(m)).filter(|held| held.holds);
        Ask { m, machine: Machine::of(m), found: held.map(|held| held.code).collect() }
    }

    /// Whether a rule found this, whatever limits.
    fn has(&self, code: Code) -> bool {
        self.found.contains(&code)
    }

    /// What a part needs of the time, 0 to 1.
    fn need(&self, part: Part) -> f64 {
        self.machine.need(part).unwrap_or_default()
    }

    /// The largest need of some parts.
    fn need_of(&self, parts: &[Part]) -> f64 {
        parts.iter().map(|part| self.need(*part)).fold(0.0, f64::max)
    }
}

/// What could be done, and what was looked at.
pub(super) struct Levers {
    /// Worth a row, the largest expected saving first, those without a bound last.
    pub(super) rows: Vec<Lever>,
    /// Every action that was computed, with the share of the time that it is expected to save.
    pub(super) computed: Vec<(Action, f64)>,
}

/// What could be done, once for each action: the one that is expected to save most.
pub(super) fn drafts(ask: &Ask<'_, '_, '_>) -> Vec<(Draft, f64)> {
    let all = [tensor::drafts(ask), memory::drafts(ask), accesses::drafts(ask), waits::drafts(ask)];
    let single = [generation::draft(ask), shapes::draft(ask)].into_iter().flatten().collect();
    let all = [all.concat(), values::drafts(ask), launch::drafts(ask), single].concat();
    let mut merged: Vec<(Draft, f64)> = Vec::new();
    for draft in all {
        let expected = draft.expected(ask);
        match merged.iter_mut().find(|(other, _)| other.action == draft.action) {
            Some((_, other)) if *other >= expected => {}
            Some(other) => *other = (draft, expected),
            None => merged.push((draft, expected)),
        }
    }
    merged
}

/// The levers of a kernel.
pub(super) fn levers(ask: &Ask<'_, '_, '_>, mut merged: Vec<(Draft, f64)>) -> Levers {
    let computed = merged.iter().map(|(draft, expected)| (draft.action, *expected)).collect();
    let least = ask.m.limits[Threshold::LeverLeast] / 100.0;
    merged.retain(|(draft, expected)| draft.is_open() || draft.is_rate() || *expected >= least);
    // One that raises the ceiling of another follows it.
    let of = |action: Action| merged.iter().find(|(other, _)| other.action == action).map(|(_, expected)| *expected);
    let rank = |(draft, expected): &(Draft, f64)| {
        let sure = expected * draft.certainty();
        draft.raises().and_then(of).map_or(sure, |base| base.min(sure) - f64::EPSILON)
    };
    let mut ranked: Vec<(bool, f64, Draft)> =
        merged.iter().map(|own| (own.0.is_open() || own.0.is_rate(), rank(own), own.0.clone())).collect();
    ranked.sort_by(|a, b| a.0.cmp(&b.0).then(b.1.total_cmp(&a.1)));
    Levers { rows: ranked.into_iter().map(|(.., draft)| draft.done(ask)).collect(), computed }
}
