//! A lever while what it gives is worked out.

use super::held::{At, share};
use super::lever::{Along, Bound, Lever, LeverCode, LeverOrigin, Where};
use super::machine::{Change, Machine, place};
use super::measures::Measures;
use crate::analysis::lines::Sits;
use crate::catalog::{self, Action, Part, StallReason};
use crate::words;
use crate::words::Words;
use std::ops::Deref;

/// What patterns and changes are worked out from: the numbers of a kernel, and the machine.
pub(super) struct Ask<'a> {
    pub(super) m: Measures<'a>,
    pub(super) machine: Machine,
}

impl<'a> Deref for Ask<'a> {
    type Target = Measures<'a>;

    fn deref(&self) -> &Measures<'a> {
        &self.m
    }
}

impl<'a> Ask<'a> {
    pub(super) fn of(m: Measures<'a>) -> Ask<'a> {
        Ask { machine: Machine::of(&m), m }
    }

    /// What a part needs of the time, 0 to 1.
    pub(super) fn need(&self, part: Part) -> f64 {
        self.machine.need(part).unwrap_or_default()
    }

    /// The largest need of some parts.
    pub(super) fn need_of(&self, parts: &[Part]) -> f64 {
        parts.iter().map(|part| self.need(*part)).fold(0.0, f64::max)
    }
}

/// The part of what is expected that counts where the counters show how much there is, and not what of it is waste.
const TO_BE_FOUND: f64 = 0.75;

/// Pairs from which a class has a forecast.
const FEW: u32 = 5;

/// A lever without its words on the ceiling.
#[derive(Clone, Debug)]
pub(super) struct Draft {
    pub(super) action: Action,
    lever: Lever,
    at: At,
    change: Change,
    rate: bool,
    open: Option<String>,
    /// Why it cannot be done here.
    not_here: Option<Words>,
}

impl Draft {
    /// A lever that leaves the work as it is and frees a share of the time from waiting.
    pub(super) fn overlaps(action: Action, cost: f64) -> Draft {
        Draft::of(action, Change { frees: (cost, cost), ..Change::default() })
    }

    /// A lever that changes the work of some parts to these shares of their peak; the others stay.
    pub(super) fn relieves(m: &Ask<'_>, action: Action, after: &[(Part, f64)]) -> Draft {
        let keeps = after.iter().filter_map(|(part, goal)| {
            let now = m.unit(*part)?.share;
            let factor = if now > 0.0 { (goal / now).clamp(0.0, 1.0) } else { 1.0 };
            Some((*part, factor, factor))
        });
        let draft = Draft::of(action, Change { keeps: keeps.collect(), ..Change::default() });
        // Without a unit that was measured there is no bound, and not one of 100 %.
        if m.units.is_empty() { draft.open("the section SpeedOfLight") } else { draft }
    }

    /// A lever that leaves everything as it is.
    pub(super) fn new(action: Action) -> Draft {
        Draft::of(action, Change::default())
    }

    /// A lever by what it leaves.
    pub(super) fn of(action: Action, change: Change) -> Draft {
        let lever = Lever::new(LeverCode::Ours(action), LeverOrigin::Audit);
        Draft { action, lever, at: At::Line(Sits::Nowhere), change, rate: false, open: None, not_here: None }
    }

    /// What it is expected to leave of a part's work, and what at least.
    pub(super) fn keeps(mut self, part: Part, expected: f64, least: f64) -> Draft {
        self.change.keeps.retain(|(other, ..)| *other != part);
        self.change.keeps.push((part, expected, least));
        self
    }

    /// The same for several parts.
    pub(super) fn keeps_all(self, parts: &[Part], expected: f64, least: f64) -> Draft {
        parts.iter().fold(self, |draft, part| draft.keeps(*part, expected, least))
    }

    /// The code is written anew: at best the parts inside the SM that were not named have nothing left to do.
    pub(super) fn rewrites(mut self) -> Draft {
        self.change.rewrites = true;
        self
    }

    /// Other units do the stated work.
    pub(super) fn moves_work(mut self) -> Draft {
        self.change.moves_work = true;
        self
    }

    /// A share of the warps' time that it frees from waiting: expected, and at most.
    pub(super) fn frees(mut self, expected: f64, most: f64) -> Draft {
        self.change.frees = (expected, most.max(expected));
        self
    }

    /// Frees a part of the waits for these reasons: expected, and all of them at most.
    pub(super) fn frees_of(self, m: &Ask<'_>, reasons: &[StallReason], part: f64) -> Draft {
        let waits = m.waits(reasons);
        self.frees(part * waits, waits)
    }

    /// Where it is done.
    pub(super) fn at(self, at: At) -> Draft {
        Draft { at, ..self }
    }

    /// What to do, and why.
    pub(super) fn says(self, sentence: impl Into<Words>, why: impl Into<Words>) -> Draft {
        Draft { lever: Lever { sentence: sentence.into(), why: why.into(), ..self.lever }, ..self }
    }

    pub(super) fn risks(self, risk: impl Into<Words>) -> Draft {
        Draft { lever: Lever { risk: risk.into(), ..self.lever }, ..self }
    }

    /// What must move, and the metric that tells.
    pub(super) fn checks(self, check: impl Into<Words>, remeasure: impl Into<String>) -> Draft {
        Draft { lever: Lever { check: check.into(), remeasure: remeasure.into(), ..self.lever }, ..self }
    }

    /// The same where that metric rises.
    pub(super) fn rises(self) -> Draft {
        Draft { lever: Lever { rises: true, ..self.lever }, ..self }
    }

    pub(super) fn beside(self, along: Along) -> Draft {
        Draft { lever: Lever { beside: Some(along), ..self.lever }, ..self }
    }

    /// More work in the same time.
    pub(super) fn rate(self) -> Draft {
        Draft { rate: true, ..self }
    }

    /// Without a bound: what would give one.
    pub(super) fn open(self, needs: &str) -> Draft {
        Draft { open: Some(needs.to_owned()), ..self }
    }

    /// It cannot be done here, for this reason: no row, and a word where it would have been a first one.
    pub(super) fn not_here(self, why: impl Into<Words>) -> Draft {
        Draft { not_here: Some(why.into()), ..self }
    }

    /// Why it cannot be done here; `None` where it can.
    pub(super) fn refused(&self) -> Option<&Words> {
        self.not_here.as_ref()
    }

    /// Without a bound where what is left is one of these parts, whose later work this report cannot tell.
    pub(super) fn unknown(self, m: &Ask<'_>, parts: &[Part]) -> Draft {
        let left = m.machine.after(&self.change).left;
        if left.is_some_and(|(part, _)| parts.contains(&part)) { self.open("a report with --set full") } else { self }
    }

    /// Whether it takes work off a part, or off one on the same way.
    pub(super) fn relieves_place(&self, part: Part) -> bool {
        self.change.keeps.iter().any(|(own, keeps, _)| place(*own) == place(part) && *keeps < 1.0)
    }

    /// Whether it frees warps from waiting.
    pub(super) fn frees_warps(&self) -> bool {
        self.change.frees.0 > 0.0
    }

    /// The lever whose ceiling it raises.
    pub(super) fn raises(&self) -> Option<Action> {
        match self.lever.beside {
            Some(Along::With(action)) => Some(action),
            _ => None,
        }
    }

    /// How much of what is expected counts for the order: what somebody has to find first counts less than waste that was measured.
    pub(super) fn certainty(&self) -> f64 {
        let is_found = !matches!(self.action, Action::ReuseInSm | Action::RegisterTile | Action::FewerInstructions);
        if is_found { 1.0 } else { TO_BE_FOUND }
    }

    /// Whether it gives more work in the same time.
    pub(super) fn is_rate(&self) -> bool {
        self.rate
    }

    pub(super) fn is_open(&self) -> bool {
        self.open.is_some()
    }

    /// The ceiling, 0 to 1.
    pub(super) fn saves(&self, m: &Ask<'_>) -> f64 {
        m.machine.after(&self.change).most
    }

    /// What it is expected to save, 0 to 1.
    pub(super) fn expected(&self, m: &Ask<'_>) -> f64 {
        m.machine.after(&self.change).expected
    }

    pub(super) fn done(self, m: &Ask<'_>) -> Lever {
        let found = m.machine.after(&self.change);
        let left = found.left.map_or(0.0, |(_, need)| need);
        let unit = found.left.and_then(|(part, _)| m.unit(part)).map_or("nothing", |unit| &unit.name);
        let ceiling = match (&self.open, self.rate) {
            (Some(needs), _) => Bound::Open(needs.clone()),
            (None, true) => Bound::Rate(1.0 / busiest(m, &[]).1.max(0.01)),
            (None, false) => Bound::AtMost,
        };
        let frees = self.change.frees.1;
        let formula = match (self.is_open(), frees > 0.0 && !self.change.rewrites) {
            (true, _) => "not bounded by this report".to_owned(),
            (_, true) => format!("frees {} of the warps' time; {unit} needs {}", share(frees), share(left)),
            _ => format!("{unit} needs {} of the time then", share(left)),
        };
        let is_rate = matches!(ceiling, Bound::Rate(_));
        let is_bounded = self.open.is_none() && !is_rate;
        let bound = is_bounded.then_some(100.0 * found.most);
        let expected = is_bounded.then_some(100.0 * found.expected);
        let fit = catalog::lever(self.action.into()).and_then(|row| catalog::forecast(row.class));
        let fit = fit.filter(|fit| fit.pairs >= FEW).zip(bound.zip(expected));
        let forecast = fit.map(|(fit, (bound, expected))| {
            [expected * (1.0 - fit.below), expected + fit.above * (bound - expected).max(0.0)]
        });
        let at = match self.at {
            At::Launch => Where::Launch,
            At::Place(place) => Where::Line(place),
            At::Line(_) => Where::Kernel,
        };
        Lever { at, bound, expected, forecast, ceiling, formula, ..self.lever }
    }
}

/// The busiest unit once some parts do other work: its name and share of peak.
pub(super) fn busiest(m: &Ask<'_>, after: &[(Part, f64)]) -> (String, f64) {
    let of = |part: Part| after.iter().find(|(other, _)| *other == part).map(|(_, share)| *share);
    let units = m.units.iter().map(|unit| (unit.name.clone(), of(unit.part).unwrap_or(unit.share)));
    units.max_by(|(_, a), (_, b)| a.total_cmp(b)).unwrap_or_default()
}

/// `barrier stall 32.7 % → 4.2 %`: a share of the warps' time, and what is left of it where a share of all time is freed from it.
pub(super) fn stall(name: impl Into<Words>, now: f64, freed: f64) -> Words {
    words!("{} {} → {}", name.into(), share(now), share(kept(now, freed)))
}

/// What a share of the time comes to where a share of all time is freed from it: both the part and the whole become less.
fn kept(now: f64, freed: f64) -> f64 {
    if freed >= 1.0 { 0.0 } else { ((now - freed) / (1.0 - freed)).max(0.0) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_freed_from_a_wait_leaves_the_whole_as_well() {
        // Of 100 cycles 60 wait; 50 are freed: 10 of 50 are left.
        assert!((kept(0.6, 0.5) - 0.2).abs() < 1e-9);
        assert_eq!(stall("barrier stall", 0.6, 0.5).to_plain(), "barrier stall 60.0 % → 20.0 %");
        // All of a wait that is all of the time.
        assert_eq!((kept(0.3, 0.3), kept(1.0, 1.0)), (0.0, 0.0));
        assert_eq!(kept(0.3, 0.0), 0.3);
    }
}
