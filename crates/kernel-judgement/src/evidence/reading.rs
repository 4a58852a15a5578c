//! A reading: a number that was measured or derived and says from what, or a stated reason why there is none.

use crate::quantity::{Quantity, Unit};
use arcstr::ArcStr;

/// Where a number came from.
#[derive(Clone, Debug, PartialEq, Default, serde::Serialize, serde::Deserialize)]
pub struct Provenance {
    /// The metrics that were read, by ncu's own names; for build facts the artefact's own word (`ptxas: Used registers`).
    pub metrics: Vec<ArcStr>,
    /// How they were combined; empty for a value that is taken as it is.
    #[serde(default, skip_serializing_if = "str::is_empty")]
    pub formula: ArcStr,
    /// The name that was asked for, when an older spelling of it was found in its place.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub alias_of: Option<ArcStr>,
}

/// The spread over several launches of one kernel, in the reading's own unit.
#[derive(Clone, Copy, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct Spread {
    /// How many launches had a value.
    pub count: usize,
    pub min: f64,
    pub max: f64,
}

/// A number with its origin.
#[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct Measured {
    /// The value; the median when several launches were summarised.
    #[serde(flatten)]
    pub quantity: Quantity,
    /// Present when several launches were summarised.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub spread: Option<Spread>,
    /// What it rests on.
    #[serde(flatten)]
    pub from: Provenance,
}

/// Why there is no number.
#[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
pub enum Missing {
    /// The artefact does not hold it.
    NotCollected {
        /// What is absent: metric names, or an artefact.
        what: Vec<ArcStr>,
        /// More than absence, when known: the value is NaN, or the tool dropped the name.
        why: ArcStr,
    },
    /// It means nothing here.
    NotApplicable {
        /// The reason in a few words.
        why: ArcStr,
    },
}

/// A reading is measured, not collected, or not applicable. There is no fourth state, and none of them is zero.
///
/// As JSON a number is `{"value", "unit", "metrics", …}` and an absence `{"NotCollected": …}` or `{"NotApplicable": …}`.
#[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
#[serde(untagged)]
pub enum Reading {
    /// A number with its origin.
    Measured(Measured),
    /// No number, with the reason.
    Missing(Missing),
}

impl Default for Reading {
    /// A reading of nothing: no metric was asked for.
    fn default() -> Reading {
        Reading::Missing(Missing::NotCollected { what: Vec::new(), why: "".into() })
    }
}

impl Reading {
    /// Why there is none where a computation has none.
    pub(crate) const NO_NUMBER: &'static str = "the result is not a finite number";

    /// A reading taken from one metric as it is.
    pub fn measured(quantity: Quantity, metric: &ArcStr) -> Reading {
        Reading::derived(quantity, vec![metric.clone()], "")
    }

    /// A reading computed from several metrics.
    pub fn derived(quantity: Quantity, metrics: Vec<ArcStr>, formula: &str) -> Reading {
        Reading::Measured(Measured {
            quantity,
            spread: None,
            from: Provenance { metrics, formula: formula.into(), alias_of: None },
        })
    }

    /// A reading computed from these metrics; not applicable where it is no finite number.
    pub(crate) fn number(value: f64, unit: Unit, metrics: &[impl AsRef<str>], formula: &str) -> Reading {
        let metrics = metrics.iter().map(|name| name.as_ref().into()).collect();
        Quantity::new(value, unit).map_or_else(
            || Reading::not_applicable(Reading::NO_NUMBER),
            |quantity| Reading::derived(quantity, metrics, formula),
        )
    }

    /// A reading computed from two; missing where either is, and not applicable for the reason `none` where it is no finite number.
    pub(crate) fn with(
        self,
        other: Reading,
        unit: Unit,
        formula: &str,
        none: &str,
        make: impl Fn(f64, f64) -> f64,
    ) -> Reading {
        let (Reading::Measured(a), Reading::Measured(b)) = (&self, &other) else {
            return if self.quantity().is_none() { self } else { other };
        };
        let metrics = a.from.metrics.iter().chain(&b.from.metrics).cloned().collect();
        Quantity::new(make(a.quantity.value(), b.quantity.value()), unit)
            .map_or_else(|| Reading::not_applicable(none), |quantity| Reading::derived(quantity, metrics, formula))
    }

    /// `factor × this / whole`.
    pub(crate) fn part_of(self, whole: Reading, factor: f64, unit: Unit) -> Reading {
        let formula = format!("{factor} × first / second");
        self.with(whole, unit, &formula, "none were executed", |part, whole| factor * part / whole)
    }

    /// A reading whose metric the artefact does not hold.
    pub fn not_collected(name: impl AsRef<str>) -> Reading {
        Reading::Missing(Missing::NotCollected { what: vec![name.as_ref().into()], why: "".into() })
    }

    /// A reading that means nothing here.
    pub fn not_applicable(why: &str) -> Reading {
        Reading::Missing(Missing::NotApplicable { why: why.into() })
    }

    /// The number, when there is one.
    pub fn quantity(&self) -> Option<Quantity> {
        match self {
            Reading::Measured(measured) => Some(measured.quantity),
            Reading::Missing(_) => None,
        }
    }

    /// The number without its unit, when there is one.
    pub fn value(&self) -> Option<f64> {
        self.quantity().map(Quantity::value)
    }
}
