//! A lever while what it gives is worked out.

use super::{Ask, At, share};
use crate::analysis::diagnose::level::place;
use crate::analysis::diagnose::lever::Where;
use crate::analysis::diagnose::lever::{Along, Bound, Lever, LeverCode, LeverOrigin};
use crate::analysis::diagnose::machine::Change;
use crate::analysis::lines::Sits;
use crate::catalog::{self, Action, Part, StallReason};
use crate::words;
use crate::words::Words;

/// The part of what is expected that counts where the counters show how much there is, and not what of it is waste.
const TO_BE_FOUND: f64 = 0.75;

/// Pairs from which a class has a forecast.
const FEW: u32 = 5;

/// A lever without its words on the ceiling.
#[derive(Clone, Debug)]
pub(in crate::analysis::diagnose) struct Draft {
    pub(in crate::analysis::diagnose) action: Action,
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
    pub(in crate::analysis::diagnose) fn overlaps(action: Action, cost: f64) -> Draft {
        Draft::of(action, Change { frees: (cost, cost), ..Change::default() })
    }

    /// A lever that changes the work of some parts to these shares of their peak; the others stay.
    pub(in crate::analysis::diagnose) fn relieves(
        ask: &Ask<'_, '_, '_>,
        action: Action,
        after: &[(Part, f64)],
    ) -> Draft {
        let keeps = after.iter().filter_map(|(part, goal)| {
            let now = ask.m.unit(*part)?.share;
            let factor = if now > 0.0 { (goal / now).clamp(0.0, 1.0) } else { 1.0 };
            Some((*part, factor, factor))
        });
        let draft = Draft::of(action, Change { keeps: keeps.collect(), ..Change::default() });
        // Without a unit that was measured there is no bound, and not one of 100 %.
        if ask.m.units.is_empty() { draft.open("the section SpeedOfLight") } else { draft }
    }

    /// A lever by what it leaves.
    pub(in crate::analysis::diagnose) fn of(action: Action, change: Change) -> Draft {
        let lever = Lever::new(LeverCode::Ours(action), LeverOrigin::Audit);
        Draft { action, lever, at: At::Line(Sits::Nowhere), change, rate: false, open: None, not_here: None }
    }

    /// What it is expected to leave of a part's work, and what at least.
    pub(in crate::analysis::diagnose) fn keeps(mut self, part: Part, expected: f64, least: f64) -> Draft {
        self.change.keeps.retain(|(other, ..)| *other != part);
        self.change.keeps.push((part, expected, least));
        self
    }

    /// The same for several parts.
    pub(in crate::analysis::diagnose) fn keeps_all(self, parts: &[Part], expected: f64, least: f64) -> Draft {
        parts.iter().fold(self, |draft, part| draft.keeps(*part, expected, least))
    }

    /// The code is written anew: at best the parts inside the SM that were not named have nothing left to do.
    pub(in crate::analysis::diagnose) fn rewrites(mut self) -> Draft {
        self.change.rewrites = true;
        self
    }

    /// Other units do the stated work.
    pub(super) fn moves_work(mut self) -> Draft {
        self.change.moves_work = true;
        self
    }

    /// A share of the warps' time that it frees from waiting: expected, and at most.
    pub(in crate::analysis::diagnose) fn frees(mut self, expected: f64, most: f64) -> Draft {
        self.change.frees = (expected, most.max(expected));
        self
    }

    /// Frees a part of the waits for these reasons: expected, and all of them at most.
    pub(in crate::analysis::diagnose) fn frees_of(
        self,
        ask: &Ask<'_, '_, '_>,
        reasons: &[StallReason],
        part: f64,
    ) -> Draft {
        let waits = ask.m.waits(reasons);
        self.frees(part * waits, waits)
    }

    /// The stretches of the launch that it leaves as they are.
    pub(super) fn spares(mut self, spares: Vec<usize>) -> Draft {
        self.change.spares = spares;
        self
    }

    /// Where it is done.
    pub(super) fn at(self, at: At) -> Draft {
        Draft { at, ..self }
    }

    /// What to do, and why.
    pub(in crate::analysis::diagnose) fn says(self, sentence: Words, why: Words) -> Draft {
        Draft { lever: Lever { sentence, why, ..self.lever }, ..self }
    }

    pub(in crate::analysis::diagnose) fn risks(self, risk: Words) -> Draft {
        Draft { lever: Lever { risk, ..self.lever }, ..self }
    }

    /// What must move, and the metric that tells.
    pub(in crate::analysis::diagnose) fn checks(self, check: Words, remeasure: impl Into<String>) -> Draft {
        Draft { lever: Lever { check, remeasure: remeasure.into(), ..self.lever }, ..self }
    }

    /// The same where that metric rises.
    pub(in crate::analysis::diagnose) fn rises(self) -> Draft {
        Draft { lever: Lever { rises: true, ..self.lever }, ..self }
    }

    pub(in crate::analysis::diagnose) fn beside(self, beside: Option<Along>) -> Draft {
        Draft { lever: Lever { beside, ..self.lever }, ..self }
    }

    /// More work in the same time.
    pub(in crate::analysis::diagnose) fn rate(self) -> Draft {
        Draft { rate: true, ..self }
    }

    /// Without a bound: what would give one.
    pub(in crate::analysis::diagnose) fn open(self, needs: &str) -> Draft {
        Draft { open: Some(needs.to_owned()), ..self }
    }

    /// It cannot be done here, for this reason: no row, and a word where it would have been a first one.
    pub(in crate::analysis::diagnose) fn not_here(self, why: Words) -> Draft {
        Draft { not_here: Some(why), ..self }
    }

    /// Why it cannot be done here; `None` where it can.
    pub(in crate::analysis::diagnose) fn refused(&self) -> Option<&Words> {
        self.not_here.as_ref()
    }

    /// Without a bound where what is left is one of these parts, whose later work this report cannot tell.
    pub(in crate::analysis::diagnose) fn unknown(self, ask: &Ask<'_, '_, '_>, parts: &[Part]) -> Draft {
        let left = ask.machine.after(&self.change).left;
        if left.is_some_and(|(part, _)| parts.contains(&part)) { self.open("a report with --set full") } else { self }
    }

    /// Whether it takes work off a part, or off one on the same way.
    pub(in crate::analysis::diagnose) fn relieves_place(&self, part: Part) -> bool {
        self.change.keeps.iter().any(|(own, keeps, _)| place(*own) == place(part) && *keeps < 1.0)
    }

    /// Whether it frees warps from waiting.
    pub(in crate::analysis::diagnose) fn frees_warps(&self) -> bool {
        self.change.frees.0 > 0.0
    }

    /// The lever whose ceiling it raises.
    pub(in crate::analysis::diagnose) fn raises(&self) -> Option<Action> {
        match self.lever.beside {
            Some(Along::With(action)) => Some(action),
            _ => None,
        }
    }

    /// How much of what is expected counts for the order: what somebody has to find first counts less than waste that was measured.
    pub(in crate::analysis::diagnose) fn certainty(&self) -> f64 {
        let is_found = !matches!(self.action, Action::ReuseInSm | Action::RegisterTile | Action::FewerInstructions);
        if is_found { 1.0 } else { TO_BE_FOUND }
    }

    /// Whether it gives more work in the same time.
    pub(in crate::analysis::diagnose) fn is_rate(&self) -> bool {
        self.rate
    }

    pub(in crate::analysis::diagnose) fn is_open(&self) -> bool {
        self.open.is_some()
    }

    /// The ceiling, 0 to 1.
    pub(in crate::analysis::diagnose) fn saves(&self, ask: &Ask<'_, '_, '_>) -> f64 {
        ask.machine.after(&self.change).most
    }

    /// What it is expected to save, 0 to 1.
    pub(in crate::analysis::diagnose) fn expected(&self, ask: &Ask<'_, '_, '_>) -> f64 {
        ask.machine.after(&self.change).expected
    }

    pub(in crate::analysis::diagnose) fn done(self, ask: &Ask<'_, '_, '_>) -> Lever {
        let found = ask.machine.after(&self.change);
        let left = found.left.map_or(0.0, |(_, need)| need);
        let unit = found.left.and_then(|(part, _)| ask.m.unit(part)).map_or("nothing", |unit| &unit.name);
        let ceiling = match (&self.open, self.rate) {
            (Some(needs), _) => Bound::Open(needs.clone()),
            (None, true) => Bound::Rate(1.0 / busiest(ask, &[]).1.max(0.01)),
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
pub(super) fn busiest(ask: &Ask<'_, '_, '_>, after: &[(Part, f64)]) -> (String, f64) {
    let of = |part: Part| after.iter().find(|(other, _)| *other == part).map(|(_, share)| *share);
    let units = ask.m.units.iter().map(|unit| (unit.name.clone(), of(unit.part).unwrap_or(unit.share)));
    units.max_by(|(_, a), (_, b)| a.total_cmp(b)).unwrap_or_default()
}

/// `barrier stall 32.7 % → 4.2 %`: a share of the warps' time, and what is left of it where a share of all time is freed from it.
pub(super) fn stall(name: &Words, now: f64, freed: f64) -> Words {
    words!("{} {} → {}", name, share(now), share(kept(now, freed)))
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
        assert_eq!(stall(&"barrier stall".into(), 0.6, 0.5).to_plain(), "barrier stall 60.0 % → 20.0 %");
        // All of a wait that is all of the time.
        assert_eq!((kept(0.3, 0.3), kept(1.0, 1.0)), (0.0, 0.0));
        assert_eq!(kept(0.3, 0.0), 0.3);
    }
}
