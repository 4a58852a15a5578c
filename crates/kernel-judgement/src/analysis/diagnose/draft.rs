//! A lever while what it gives is worked out.

use super::held::{At, count, share};
use super::level::place;
use super::lever::{Along, Bound, Lever, LeverCode, Where};
use super::machine::{Change, Outcome};
use super::measures::Measures;
use crate::catalog::{self, Action, Counter, Part, StallReason};
use crate::quantity::{format, glance};
use crate::words;
use crate::words::Words;

/// Pairs from which a class has a forecast.
const FEW: u32 = 5;

/// A lever without its ceiling, with what it leaves.
#[derive(Clone, Debug)]
pub(super) struct Draft {
    pub(super) action: Action,
    lever: Lever,
    change: Change,
    /// What the warps that it frees wait for; empty where it is told by what is in their way.
    waits: Vec<StallReason>,
    /// Why it cannot be done here: no row, and a word where it would have been a first one.
    pub(super) refused: Option<Words>,
}

impl Draft {
    /// A lever that leaves everything as it is.
    pub(super) fn new(action: Action) -> Draft {
        Draft::of(action, Change::default())
    }

    /// A lever by what it leaves.
    pub(super) fn of(action: Action, change: Change) -> Draft {
        Draft { action, lever: Lever::new(LeverCode::Ours(action)), change, waits: Vec::new(), refused: None }
    }

    /// A lever that leaves the work as it is and frees a share of the time from waiting.
    pub(super) fn overlaps(action: Action, cost: f64) -> Draft {
        Draft::new(action).frees(cost, cost)
    }

    /// A lever that changes the work of some parts to these shares of their peak; the others stay.
    pub(super) fn relieves(m: &Measures<'_>, action: Action, after: &[(Part, f64)]) -> Draft {
        // Without a unit that was measured there is no bound, and not one of 100 %.
        let draft = Draft::new(action);
        let draft = if m.units.is_empty() { draft.open("the section SpeedOfLight") } else { draft };
        after.iter().fold(draft, |draft, (part, goal)| {
            let Some(now) = m.unit(*part).map(|unit| unit.share) else { return draft };
            let factor = if now > 0.0 { (goal / now).clamp(0.0, 1.0) } else { 1.0 };
            draft.stays(&[*part], factor)
        })
    }

    /// What it is expected to leave of the work of some parts, and what at least.
    pub(super) fn keeps(mut self, parts: &[Part], expected: f64, least: f64) -> Draft {
        self.change.keeps.retain(|(other, ..)| !parts.contains(other));
        self.change.keeps.extend(parts.iter().map(|part| (*part, expected, least)));
        self
    }

    /// The same where both are one.
    pub(super) fn stays(self, parts: &[Part], left: f64) -> Draft {
        self.keeps(parts, left, left)
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
    pub(super) fn frees_of(self, m: &Measures<'_>, reasons: &[StallReason], part: f64) -> Draft {
        let waits = m.waits(reasons);
        Draft { waits: reasons.to_vec(), ..self.frees(part * waits, waits) }
    }

    /// No more than this share of the time is expected to go.
    pub(super) fn expects(mut self, share: f64) -> Draft {
        self.change.expects = share;
        self
    }

    /// No more than this share of the time is expected of who makes it.
    pub(super) fn made(mut self, share: f64) -> Draft {
        self.change.made = share;
        self
    }

    /// The share of the time that what goes takes by itself.
    pub(super) fn takes(mut self, share: f64) -> Draft {
        self.change.takes = share;
        self
    }

    /// The stretches of the launch that it leaves as they are.
    pub(super) fn spares(mut self, spares: Vec<usize>) -> Draft {
        self.change.spares = spares;
        self
    }

    /// Where it is done.
    pub(super) fn at(mut self, at: At) -> Draft {
        self.lever.at = match at {
            At::Launch => Where::Launch,
            At::Build => Where::Build,
            At::Place(place) => Where::Line(place),
            At::Offset(offset) => Where::Offset(offset),
            At::Limiter | At::Nowhere => Where::Kernel,
        };
        self
    }

    /// What to do, and why.
    pub(super) fn says(mut self, sentence: impl Into<Words>, why: impl Into<Words>) -> Draft {
        (self.lever.sentence, self.lever.why) = (sentence.into(), why.into());
        self
    }

    /// Why, where what to do is the same everywhere: the words of its row.
    pub(super) fn because(mut self, why: impl Into<Words>) -> Draft {
        self.lever.why = why.into();
        self
    }

    /// What it costs here, in place of what its row says.
    pub(super) fn risks(mut self, risk: impl Into<Words>) -> Draft {
        self.lever.risk = risk.into();
        self
    }

    /// What must move, and the metric that tells.
    pub(super) fn checks(mut self, check: impl Into<Words>, remeasure: impl Into<String>) -> Draft {
        (self.lever.check, self.lever.remeasure) = (check.into(), remeasure.into());
        self
    }

    /// A count that falls: `executed instructions 12.5 M → 6.1 M`.
    pub(super) fn falls(self, what: &str, [now, then]: [f64; 2], remeasure: impl Into<String>) -> Draft {
        self.checks(words!("{} {} → {}", what, count(now), count(then)), remeasure)
    }

    /// A count of which so much goes: `requests of global loads 16.8 M → 11.3 M`; without one of today how much.
    pub(super) fn loses(
        self,
        m: &Measures<'_>,
        what: &str,
        gone: f64,
        write: fn(f64) -> String,
        remeasure: Counter,
    ) -> Draft {
        let check = match m.value(remeasure).filter(|now| *now >= gone) {
            Some(now) => words!("{} {} → {}", what, write(now), write(now - gone)),
            None => words!("{} −{}", what, write(gone)),
        };
        self.checks(check, remeasure)
    }

    /// Sectors of global accesses, of which a part goes.
    pub(super) fn fewer_sectors(self, all: f64, gone: f64, remeasure: Counter) -> Draft {
        self.falls("sectors of global accesses", [all, all * (1.0 - gone)], remeasure)
    }

    /// What must move, where that metric rises.
    pub(super) fn rises(mut self) -> Draft {
        self.lever.rises = true;
        self
    }

    pub(super) fn beside(mut self, along: Along) -> Draft {
        self.lever.beside = Some(along);
        self
    }

    /// More work in the same time.
    pub(super) fn rate(mut self, m: &Measures<'_>) -> Draft {
        self.lever.ceiling = Bound::Rate(1.0 / busiest(m, &[]).1.max(0.01));
        self
    }

    /// Without a bound: what would give one.
    pub(super) fn open(mut self, needs: &str) -> Draft {
        self.lever.ceiling = Bound::Open(needs.to_owned());
        self
    }

    /// Without a bound where what is left is one of these parts, whose later work this report cannot tell.
    pub(super) fn unknown(self, m: &Measures<'_>, parts: &[Part]) -> Draft {
        if self.left(m).is_some_and(|part| parts.contains(&part)) {
            self.open("a report with --set full")
        } else {
            self
        }
    }

    /// It cannot be done here, for this reason.
    pub(super) fn not_here(self, why: impl Into<Words>) -> Draft {
        Draft { refused: Some(why.into()), ..self }
    }

    /// What to do, in the middle of a sentence: as its row says it, else what the action does.
    pub(super) fn in_short(&self) -> Words {
        let row = catalog::lever(self.action.into());
        let of_row = |row: &catalog::LeverRow| match row.how {
            "" => row.does.split('.').next().unwrap_or_default().into(),
            how => Words::filled(how, []),
        };
        let says = if self.lever.sentence.is_empty() { row.map(of_row) } else { Some(self.lever.sentence.clone()) };
        says.unwrap_or_default().until(&[':', ';', '(', ',']).begun(format::uncapital)
    }

    /// Whether it takes work off a part, or off one on the same way.
    pub(super) fn relieves_place(&self, part: Part) -> bool {
        self.change.keeps.iter().any(|(own, keeps, _)| place(*own) == place(part) && *keeps < 1.0)
    }

    /// What it is expected to leave of the work of a part.
    pub(super) fn leaves(&self, part: Part) -> f64 {
        self.change.keeps.iter().find(|(own, ..)| *own == part).map_or(1.0, |(_, keeps, _)| *keeps)
    }

    /// Whether what it leaves of the work of a part is known.
    pub(super) fn counts(&self, part: Part) -> bool {
        !self.change.rewrites || self.change.keeps.iter().any(|(own, ..)| *own == part)
    }

    /// Whether it frees warps from waiting for this reason.
    pub(super) fn frees_from(&self, reason: StallReason) -> bool {
        self.change.frees.0 > 0.0 && (self.waits.is_empty() || self.waits.contains(&reason))
    }

    /// The lever whose ceiling it raises.
    pub(super) fn raises(&self) -> Option<Action> {
        let Some(Along::With(action)) = self.lever.beside else { return None };
        Some(action)
    }

    /// Whether it fills slots or multiprocessors that stand empty.
    pub(super) fn fills_slots(&self) -> bool {
        let Change { warps, tail, fixed, .. } = &self.change;
        warps.0 < 1.0 || tail.0 < 1.0 || fixed.0 > 0.0
    }

    /// Whether there is no bound of the time.
    pub(super) fn is_rough(&self) -> bool {
        self.lever.is_rough()
    }

    /// What needs most of the time that is left at best.
    pub(super) fn left(&self, m: &Measures<'_>) -> Option<Part> {
        Some(m.machine.after(&self.change).left?.0)
    }

    /// The ceiling, 0 to 1.
    pub(super) fn saves(&self, m: &Measures<'_>) -> f64 {
        m.machine.after(&self.change).most
    }

    /// What it is expected to save, 0 to 1.
    pub(super) fn expected(&self, m: &Measures<'_>) -> f64 {
        m.machine.after(&self.change).expected
    }

    /// What the launch saves without what it changes, 0 to 1, however much of that the change is expected to take away.
    pub(super) fn whole(&self, m: &Measures<'_>) -> f64 {
        m.machine.after(&Change { made: 1.0, ..self.change.clone() }).expected
    }

    /// Between what it saves by what measured pairs of its class gave, in percent; `None` for a class with too few of them, and without a
    /// bound.
    pub(super) fn forecast(&self, m: &Measures<'_>) -> Option<[f64; 2]> {
        self.between(&m.machine.after(&self.change))
    }

    /// The middle of that, 0 to 1: as many times the least as the most is of it. Without a forecast what is expected.
    pub(super) fn middle(&self, m: &Measures<'_>, expected: f64) -> f64 {
        self.forecast(m).map_or(expected, |[from, to]| (from * to).sqrt() / 100.0)
    }

    fn between(&self, found: &Outcome) -> Option<[f64; 2]> {
        let fit = catalog::lever(self.action.into()).and_then(|row| catalog::forecast(row.class));
        let fit = fit.filter(|fit| fit.pairs >= FEW && !self.is_rough())?;
        Some(fit.interval(100.0 * found.expected, 100.0 * found.most))
    }

    /// `long scoreboard 25.2 → 22.6 to 1.4 cycles an instruction`: what is left of waits where all that the forecast saves is of them; without a
    /// forecast which way they go.
    pub(super) fn waits_left(&self, m: &Measures<'_>, label: &str, reasons: &[StallReason]) -> Words {
        let Some(wait) = Some(m.waits(reasons)).filter(|wait| *wait > 0.0) else { return words!("{} falls", label) };
        let cycles = reasons.iter().map(|reason| m.value(reason.per_issue())).sum();
        let Some::<f64>(cycles) = cycles else { return stall(label, wait, self.expected(m)) };
        let now = glance::digits(cycles);
        let left = |saved: f64| glance::digits(cycles * (1.0 - saved / (100.0 * wait)).max(0.0));
        let Some([least, most]) = self.forecast(m) else {
            return words!("{} below {} cycles an instruction", label, now);
        };
        let goal = match 100.0 * wait {
            all if most < all => format!("{} to {}", left(least), left(most)),
            all if least < all => format!("{} or fewer", left(least)),
            _ => "0".to_owned(),
        };
        words!("{} {} → {} cycles an instruction", label, now, goal)
    }

    pub(super) fn done(self, m: &Measures<'_>) -> Lever {
        let found = m.machine.after(&self.change);
        let forecast = self.between(&found);
        let Draft { action, mut lever, change, .. } = self;
        let row = catalog::lever(action.into());
        for (own, words) in [(&mut lever.sentence, row.map(|row| row.how)), (&mut lever.risk, row.map(|row| row.risk))]
        {
            if own.is_empty() {
                *own = Words::filled(words.unwrap_or_default(), []);
            }
        }
        let left = found.left.and_then(|(part, need)| Some(format!("{} needs {}", m.unit(part)?.name, share(need))));
        let freed = Some(change.frees.1).filter(|freed| *freed > 0.0 && !change.rewrites);
        let freed = freed.map(|freed| format!("frees {} of the warps' time", share(freed)));
        let formula = match (&lever.ceiling, freed, left) {
            (Bound::Open(_), ..) => "not bounded by this report".to_owned(),
            (_, freed, Some(left)) => {
                [freed, Some(left)].into_iter().flatten().collect::<Vec<_>>().join("; ") + " of the time then"
            }
            (_, freed, None) => freed.unwrap_or_else(|| "no part needs the time then".to_owned()),
        };
        let (bound, expected) = (100.0 * found.most, 100.0 * found.expected);
        match lever.is_rough() {
            true => Lever { formula, ..lever },
            false => Lever { bound: Some(bound), expected: Some(expected), forecast, formula, ..lever },
        }
    }
}

/// The busiest unit once some parts do other work: its name and share of peak.
pub(super) fn busiest(m: &Measures<'_>, after: &[(Part, f64)]) -> (String, f64) {
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
