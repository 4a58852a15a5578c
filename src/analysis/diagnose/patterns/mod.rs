//! Patterns: what is asked of a kernel, what the answer stands for in the account of the time, and what could be done about it.
//!
//! A family of patterns is one file, with its own table [`Pattern`]s: how each is measured, its words, and its changes. A question whose
//! evidence is missing is silent; which answer limits, the account says; what a change gives, the machine. A new pattern is its place
//! in a family, the rows of its code and its actions in `catalog`, and a test.

mod atomics;
mod banks;
mod barriers;
mod code;
mod constants;
mod conversions;
mod copies;
mod draft;
mod epilogue;
mod fences;
mod gathers;
mod grid;
mod held;
mod instructions;
mod l2;
mod lanes;
mod launch;
mod loads;
mod local;
mod occupancy;
mod origin;
mod passes;
mod products;
mod reuse;
mod sectors;
mod shapes;
mod stages;
mod units;
mod waits;

pub(super) use banks::wavefronts;
pub(super) use draft::Draft;
pub(super) use grid::{is_small_grid, small_grid, tail};
pub(super) use held::{At, Held};
pub(super) use launch::short;
pub(super) use origin::by_caller;
pub(super) use sectors::{excess, packable};
pub(super) use stages::mbarriers;
pub(super) use units::of_part;
pub(super) use waits::{of_wait, unknown};

use super::machine::Machine;
use super::measures::Measures;
use crate::catalog::{Action, Part};
use crate::quantity::format;
use crate::quantity::glance;

/// What the patterns of a family are, in the order in which they are asked.
const FAMILIES: [&[Pattern]; 24] = [
    &launch::PATTERNS,
    &grid::PATTERNS,
    &occupancy::PATTERNS,
    &fences::PATTERNS,
    &epilogue::PATTERNS,
    &atomics::PATTERNS,
    &local::PATTERNS,
    &sectors::PATTERNS,
    &banks::PATTERNS,
    &barriers::PATTERNS,
    &lanes::PATTERNS,
    &constants::PATTERNS,
    &code::PATTERNS,
    &loads::PATTERNS,
    &units::PATTERNS,
    &copies::PATTERNS,
    &products::PATTERNS,
    &shapes::PATTERNS,
    &stages::PATTERNS,
    &reuse::PATTERNS,
    &passes::PATTERNS,
    &instructions::PATTERNS,
    &conversions::PATTERNS,
    &origin::PATTERNS,
];

/// A pattern: a question, where it is one by itself, and what could be done.
pub(super) struct Pattern {
    pub(super) question: Option<Question>,
    pub(super) changes: &'static [Cure],
}

/// What a pattern asks.
pub(super) struct Question {
    /// In words.
    pub(super) asks: &'static str,
    /// The sections or metrics of ncu that answer.
    pub(super) needs: &'static str,
    pub(super) measure: fn(&Measures<'_, '_>) -> Option<Held>,
    pub(super) stands: Stands,
}

/// Something that could be done; `None` where there is no reason to, or it cannot be done here.
pub(super) type Cure = fn(&Ask<'_, '_, '_>) -> Option<Draft>;

impl Pattern {
    /// A question, with what the answer stands for.
    const fn asks(
        asks: &'static str,
        needs: &'static str,
        measure: fn(&Measures<'_, '_>) -> Option<Held>,
        stands: Stands,
    ) -> Pattern {
        Pattern { question: Some(Question { asks, needs, measure, stands }), changes: &[] }
    }

    /// What could be done about it.
    const fn cured_by(self, changes: &'static [Cure]) -> Pattern {
        Pattern { changes, ..self }
    }

    /// What is asked by what could be done alone.
    const fn changes(changes: &'static [Cure]) -> Pattern {
        Pattern { question: None, changes }
    }
}

fn all() -> impl Iterator<Item = &'static Pattern> {
    FAMILIES.into_iter().flatten()
}

/// Every question, in order.
pub(super) fn questions() -> impl Iterator<Item = &'static Question> {
    all().filter_map(|pattern| pattern.question.as_ref())
}

/// Everything that could be done.
pub(super) fn changes(ask: &Ask<'_, '_, '_>) -> impl Iterator<Item = Draft> {
    all().flat_map(|pattern| pattern.changes).filter_map(|change| change(ask))
}

/// What a finding stands for in the account of the time.
pub(super) enum Stands {
    /// A fact of the launch, before anything is weighed.
    Before,
    /// Something that takes time by itself; it is away where this is done.
    ByItself(Action),
    /// What a part or a wait is made of; it is away where this is done.
    For(Action),
    /// Warps that are missing: the part of the slots that is filled, 0 to 1.
    Warps(fn(&Measures<'_, '_>) -> Option<f64>),
    /// It limits nothing.
    Beside,
}

const SPEED: &str = "--section SpeedOfLight";

const SOURCE: &str = "--section SourceCounters";

/// A share as a sentence has it: `45.5 %`.
pub(super) fn share(value: f64) -> String {
    format!("{} %", format::fixed(100.0 * value, 1))
}

/// A count of cycles or of anything else, `15,387`; three digits of a million and more.
pub(super) fn count(value: f64) -> String {
    if value.abs() < 1e6 { format::fixed(value, 0) } else { glance::short(value) }
}

/// Part of the time below which a cost is none.
pub(super) const WORTH: f64 = 0.02;

/// The share of the time from which a change is worth a try: below, it is ruled out.
pub(super) const WORTH_A_TRY: f64 = 0.05;

/// What a change is worked out from: the numbers, and the machine.
pub(super) struct Ask<'m, 'a, 'r> {
    pub(super) m: &'m Measures<'a, 'r>,
    pub(super) machine: Machine,
}

impl<'m, 'a, 'r> Ask<'m, 'a, 'r> {
    pub(super) fn of(m: &'m Measures<'a, 'r>) -> Ask<'m, 'a, 'r> {
        Ask { m, machine: Machine::of(m) }
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
