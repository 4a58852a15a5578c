//! A lever while its ceiling is worked out.

use super::Ask;
use crate::analysis::diagnose::lever::{Along, Bound, Lever, LeverCode, LeverOrigin};
use crate::analysis::diagnose::rules::share;
use crate::catalog::{Action, Part, Threshold};
use crate::words::Words;

/// A lever without its words on the ceiling.
#[derive(Clone, Debug)]
pub(in crate::analysis::diagnose) struct Draft {
    pub(super) action: Action,
    lever: Lever,
    /// Share of the time that is freed from waiting; `None` for one that removes work.
    cost: Option<f64>,
    /// The busiest unit that is left: name and share of peak.
    left: (String, f64),
    rate: bool,
    open: Option<String>,
    /// The share of the waiting that it takes away, for the order.
    weight: f64,
}

impl Draft {
    /// A lever that leaves the work as it is and frees a share of the time from waiting.
    pub(super) fn overlaps(ask: &Ask<'_, '_, '_>, action: Action, cost: f64) -> Draft {
        let left = busiest(ask, &[]);
        Draft { weight: cost, ..Draft::new(action, Some(cost), left) }
    }

    /// Whole waves: what the last one costs, whatever the units do while it runs.
    pub(super) fn waves(cost: f64) -> Draft {
        Draft { weight: cost, ..Draft::new(Action::WholeWaves, Some(cost), ("nothing".to_owned(), 0.0)) }
    }

    /// A lever that changes the work of some parts to these shares of their peak; the others stay.
    pub(super) fn relieves(ask: &Ask<'_, '_, '_>, action: Action, after: &[(Part, f64)]) -> Draft {
        let draft = Draft::new(action, None, busiest(ask, after));
        // Without a unit that was measured there is no bound, and not one of 100 %.
        if ask.m.units.is_empty() { draft.open("the section SpeedOfLight") } else { draft }
    }

    fn new(action: Action, cost: Option<f64>, left: (String, f64)) -> Draft {
        let lever = Lever::new(LeverCode::Ours(action), LeverOrigin::Audit);
        Draft { action, lever, cost, left, rate: false, open: None, weight: 0.0 }
    }

    /// What to do, and why.
    pub(super) fn says(self, sentence: Words, why: Words) -> Draft {
        Draft { lever: Lever { sentence, why, ..self.lever }, ..self }
    }

    pub(super) fn risks(self, risk: Words) -> Draft {
        Draft { lever: Lever { risk, ..self.lever }, ..self }
    }

    /// What must move, and the metric that tells.
    pub(super) fn checks(self, check: Words, remeasure: impl Into<String>) -> Draft {
        Draft { lever: Lever { check, remeasure: remeasure.into(), ..self.lever }, ..self }
    }

    /// The same where that metric rises.
    pub(super) fn rises(self) -> Draft {
        Draft { lever: Lever { rises: true, ..self.lever }, ..self }
    }

    /// The same where it frees no more than a share of the time.
    pub(super) fn capped(self, cost: f64) -> Draft {
        Draft { cost: Some(cost), weight: cost, ..self }
    }

    pub(super) fn beside(self, beside: Option<Along>) -> Draft {
        Draft { lever: Lever { beside, ..self.lever }, ..self }
    }

    /// More work in the same time.
    pub(super) fn rate(self) -> Draft {
        Draft { rate: true, ..self }
    }

    /// Without a bound: what would give one.
    pub(super) fn open(self, needs: &str) -> Draft {
        Draft { open: Some(needs.to_owned()), ..self }
    }

    /// Without a bound where what is left is one of these parts, whose later work this report cannot tell.
    pub(super) fn unknown(self, ask: &Ask<'_, '_, '_>, parts: &[Part]) -> Draft {
        let is_left = |part: &Part| ask.m.unit(*part).is_some_and(|unit| unit.name == self.left.0);
        if parts.iter().any(is_left) { self.open("a report with --set full") } else { self }
    }

    /// The share of the waiting that it takes away.
    pub(super) fn weighs(self, weight: f64) -> Draft {
        Draft { weight, ..self }
    }

    /// The lever whose ceiling it raises.
    pub(super) fn raises(&self) -> Option<Action> {
        match self.lever.beside {
            Some(Along::With(action)) => Some(action),
            _ => None,
        }
    }

    pub(super) fn is_open(&self) -> bool {
        self.open.is_some()
    }

    /// The ceiling, 0 to 1.
    pub(super) fn saves(&self) -> f64 {
        let free = (1.0 - self.left.1).max(0.0);
        self.cost.map_or(free, |cost| cost.min(free)).max(0.0)
    }

    /// A number that orders levers; `low` is the part of peak below which a unit bounds nothing.
    pub(super) fn rank(&self, low: f64) -> f64 {
        match self.cost {
            Some(_) => self.saves(),
            None if self.left.1 < low && self.weight > 0.0 => self.saves().min(self.weight),
            None => self.saves(),
        }
    }

    pub(super) fn done(self, ask: &Ask<'_, '_, '_>) -> Lever {
        let saves = self.saves();
        let (unit, left) = (&self.left.0, self.left.1);
        let is_far = self.cost.is_none() && 100.0 * busiest(ask, &[]).1 < ask.m.limits[Threshold::SolLow];
        let ceiling = match (&self.open, self.rate, is_far) {
            (Some(needs), ..) => Bound::Open(needs.clone()),
            (None, true, _) => Bound::Rate(1.0 / left.max(0.01)),
            (None, false, true) => Bound::Far,
            (None, false, false) => Bound::AtMost,
        };
        let formula = match (self.cost, self.is_open()) {
            (_, true) => "not bounded by this report".to_owned(),
            (Some(cost), _) if cost <= 1.0 - left => {
                format!("frees {} of the time; {unit} at {} leaves room for it", share(cost), share(left))
            }
            (Some(cost), _) => {
                format!("frees {} of the time, but {unit} at {} leaves {}", share(cost), share(left), share(1.0 - left))
            }
            (None, _) => format!("1 − {unit} at {}", share(left)),
        };
        let is_rate = matches!(ceiling, Bound::Rate(_));
        let bound = (self.open.is_none() && !is_rate).then_some(100.0 * saves);
        Lever { bound, ceiling, formula, ..self.lever }
    }
}

/// The busiest unit once some parts do other work: its name and share of peak.
pub(super) fn busiest(ask: &Ask<'_, '_, '_>, after: &[(Part, f64)]) -> (String, f64) {
    let of = |part: Part| after.iter().find(|(other, _)| *other == part).map(|(_, share)| *share);
    let units = ask.m.units.iter().map(|unit| (unit.name.clone(), of(unit.part).unwrap_or(unit.share)));
    units.max_by(|(_, a), (_, b)| a.total_cmp(b)).unwrap_or_default()
}
