//! Estimate against outcome: the bounds that levers had on the old side, and what the change really gained.

use crate::analysis::derive::stalls::as_shown;
use crate::analysis::diagnose::lever::{Lever, LeverCode, LeverOrigin};
use crate::analysis::kernel::performance::Performance;
use crate::evidence::Reading;
use crate::words::Words;

/// A lever of the old side with what became of its reading.
#[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct Pulled {
    /// Code of the lever.
    pub code: LeverCode,
    /// What it was, in a sentence.
    pub sentence: Words,
    /// The largest part of the old run time that it could save, in percent.
    pub bound: f64,
    /// Whether the bound rests on an assumption.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_rough: bool,
    /// The reading that was to be measured again.
    pub remeasure: String,
    /// It on the old side.
    pub old: Reading,
    /// It on the new side.
    pub new: Reading,
}

/// What the old side promised, and what came.
#[derive(Clone, Debug, Default, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct Estimates {
    /// Run time gained in percent of the old: `100 × (1 − new / old)`; below zero for a loss, `None` without two times.
    pub gained: Option<f64>,
    /// Levers of our own, by bound.
    pub levers: Vec<Pulled>,
}

impl Estimates {
    pub(in crate::analysis) fn of(
        levers: &[Lever],
        performance: &Performance,
        old: impl Fn(&str) -> Reading,
        new: impl Fn(&str) -> Reading,
    ) -> Estimates {
        let time = &performance.time;
        let before = time.old.as_ref().and_then(Reading::value).filter(|before| *before > 0.0);
        let pulled = |lever: &Lever| Pulled {
            code: lever.code.clone(),
            sentence: lever.sentence.clone(),
            bound: lever.bound,
            is_rough: lever.is_rough,
            remeasure: lever.remeasure.clone(),
            old: as_shown(&lever.remeasure, old(&lever.remeasure)),
            new: as_shown(&lever.remeasure, new(&lever.remeasure)),
        };
        Estimates {
            gained: before.zip(time.new.value()).map(|(before, after)| 100.0 * (1.0 - after / before)),
            levers: levers.iter().filter(|lever| lever.origin == LeverOrigin::Audit).map(pulled).collect(),
        }
    }

    /// The largest bound.
    pub fn largest(&self) -> Option<&Pulled> {
        self.levers.iter().max_by(|a, b| a.bound.total_cmp(&b.bound))
    }
}
