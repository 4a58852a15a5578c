//! Evidence checklists: what was expected of the kernel, line by line, against its readings.

use crate::analysis::derive::named::{self, Known};
use crate::analysis::limits::Limits;
use crate::catalog::{Comparison, Profile};
use crate::evidence::Reading;

/// Something that is expected of a kernel.
#[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct Expectation {
    /// What meeting it means; the comparison itself where the user gave no words.
    pub label: String,
    /// A metric by ncu's name, or a derived reading such as `stall.barrier`.
    pub reading: String,
    /// The comparison.
    pub op: Comparison,
    /// The number.
    pub value: f64,
    /// The checklist that it is from; `own` for the user's.
    pub from: String,
}

impl Expectation {
    /// One expectation of the user's.
    pub fn own(reading: &str, op: Comparison, value: f64, label: Option<&str>) -> Expectation {
        let label = label.map_or_else(|| format!("{reading} {op} {value}"), str::to_owned);
        Expectation { label, reading: reading.into(), op, value, from: "own".into() }
    }

    /// The lines of a checklist, with the numbers of these limits.
    pub fn of_profile(profile: &Profile, limits: &Limits) -> Vec<Expectation> {
        let line = |check: &crate::catalog::ProfileCheck| Expectation {
            label: check.label.clone(),
            reading: check.reading.clone(),
            op: check.op,
            value: check.value.or_else(|| Some(limits[check.threshold?])).unwrap_or(f64::NAN),
            from: profile.id.clone(),
        };
        profile.check.iter().map(line).collect()
    }
}

/// What became of an expectation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Outcome {
    /// Met.
    Pass,
    /// Measured, and not met.
    Fail,
    /// No number: neither met nor missed.
    NotMeasured,
}

/// An expectation with what was found.
#[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct CheckedLine {
    /// What was expected.
    pub expected: Expectation,
    /// What was found.
    pub found: Reading,
    /// What became of it.
    pub outcome: Outcome,
    /// The same of the old side; `None` without one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub old: Option<Earlier>,
}

/// What the old side gave for an expectation.
#[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct Earlier {
    /// What was found.
    pub found: Reading,
    /// What became of it.
    pub outcome: Outcome,
}

impl Expectation {
    /// The comparison as it is written: `stall.barrier < 1`.
    pub fn text(&self) -> String {
        format!("{} {} {}", self.reading, self.op, self.value)
    }

    /// What becomes of the expectation with this reading.
    pub fn outcome(&self, found: &Reading) -> Outcome {
        match found.value() {
            Some(value) if self.op.holds(value, self.value) => Outcome::Pass,
            Some(_) => Outcome::Fail,
            None => Outcome::NotMeasured,
        }
    }
}

/// Holds every expectation against its reading, and against the old side's where `old_reading` gives one.
pub(in crate::analysis) fn checked(
    expectations: &[Expectation],
    known: &Known<'_, '_>,
    old_reading: impl Fn(&str) -> Option<Reading>,
) -> Vec<CheckedLine> {
    let line = |expected: &Expectation| {
        let found = named::reading(known, &expected.reading);
        let old = old_reading(&expected.reading);
        CheckedLine {
            outcome: expected.outcome(&found),
            found,
            old: old.map(|found| Earlier { outcome: expected.outcome(&found), found }),
            expected: expected.clone(),
        }
    };
    expectations.iter().map(line).collect()
}
