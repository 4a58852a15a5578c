//! Estimate against outcome: the bounds that levers had on the old side, and what the change really gained.

use super::aims::{Aim, Sides};
use crate::analysis::{
    KernelSummary, Lever, LeverCode, LeverOrigin, Performance, derive::units, kernel::summary::CYCLES,
};
use crate::evidence::Reading;
use crate::words::Words;

/// A lever of the old side with what became of what it aims at.
#[derive(Clone, Debug, PartialEq, serde::Serialize)]
pub struct Pulled {
    pub code: LeverCode,
    /// What it was, in a sentence.
    pub sentence: Words,
    /// The largest part of the old run time that it could save, in percent; `None` for a lever without a bound.
    pub bound: Option<f64>,
    /// Whether the bound rests on an assumption.
    pub is_rough: bool,
    /// The metric that was to be read again.
    pub remeasure: String,
    /// What its check counts: its own instructions, bytes, blocks or busy cycles, which no faster launch moves by itself.
    pub aim: String,
    pub old: Reading,
    pub new: Reading,
    /// What became of the bound; `None` without two times, or two counts.
    pub met: Option<Met>,
}

/// What became of a bound.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Met {
    /// The change pulled this lever, and saved no more than it could.
    Within,
    /// The change pulled this lever, which had no bound.
    Pulled,
    /// What it aims at did not move: the change did something else.
    NotThisChange,
    /// The change pulled this lever and saved more: the work of other units fell as well, or other waits hung on this one.
    Exceeded,
}

/// Busy cycles that fell by as many percent are less work.
const FELL: f64 = 10.0;

/// What the old side promised, and what came.
#[derive(Clone, Debug, Default, PartialEq, serde::Serialize)]
pub struct Estimates {
    /// Levers of our own, by bound.
    pub levers: Vec<Pulled>,
    /// The unit that was the busiest of the old side among those whose work fell: its label, and by how many percent. The
    /// first reason where a bound was exceeded, because bounds hold for the same work.
    pub fell: Option<(String, f64)>,
}

impl Estimates {
    pub(in crate::analysis) fn of(levers: &[Lever], performance: &Performance, sides: &Sides<'_, '_>) -> Estimates {
        let time = &performance.time;
        let before = time.old.as_ref().and_then(Reading::value).filter(|before| *before > 0.0);
        // Run time gained in percent of the old, below zero for a loss.
        let gained = before.zip(time.new.value()).map(|(before, after)| 100.0 * (1.0 - after / before));
        let pulled = |lever: &Lever| {
            let Aim { label, old, new, is_met } = sides.aim(lever);
            let is_known = is_met || old.value().and(new.value()).is_some();
            let met = gained.filter(|_| is_known).map(|gained| match (is_met, lever.bound) {
                (false, _) => Met::NotThisChange,
                (true, None) => Met::Pulled,
                (true, Some(bound)) if gained <= bound => Met::Within,
                (true, Some(_)) => Met::Exceeded,
            });
            Pulled {
                code: lever.code.clone(),
                sentence: lever.sentence.clone(),
                bound: lever.bound,
                is_rough: lever.is_rough(),
                remeasure: lever.remeasure.clone(),
                aim: label,
                old,
                new,
                met,
            }
        };
        let levers = levers.iter().filter(|lever| lever.origin == LeverOrigin::Audit).map(pulled).collect();
        Estimates { levers, fell: None }
    }

    /// The same with what became of the work of the units.
    pub(in crate::analysis) fn beside_work(self, new: &KernelSummary<'_>, old: &KernelSummary<'_>) -> Estimates {
        let cycles = old.value(CYCLES).zip(new.value(CYCLES));
        let fell = cycles.and_then(|(was, is)| {
            units::busiest(old).into_iter().find_map(|unit| {
                let by = 100.0 * (1.0 - new.value(&unit.counter)? * is / (unit.percent * was));
                (by >= FELL).then_some((unit.label, by))
            })
        });
        Estimates { fell, ..self }
    }

    /// The levers that the change pulled, by bound.
    pub fn pulled(&self) -> impl Iterator<Item = &Pulled> {
        self.levers.iter().filter(|lever| matches!(lever.met, Some(Met::Within | Met::Exceeded | Met::Pulled)))
    }

    /// The lever with the largest bound, and that in percent.
    pub fn largest(&self) -> Option<(&Pulled, f64)> {
        let bounded = self.levers.iter().filter_map(|lever| Some((lever, lever.bound?)));
        bounded.max_by(|(_, a), (_, b)| a.total_cmp(b))
    }
}
