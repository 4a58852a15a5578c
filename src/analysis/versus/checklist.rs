//! Evidence checklists: what was expected of the kernel, line by line, against its readings.

use crate::analysis::derive::named::{self, Known};
use crate::analysis::judgement::{self, Judgement};
use crate::analysis::kernel::stated::Expectation;
use crate::evidence::Reading;

/// An expectation with what was found.
#[derive(Clone, Debug, PartialEq, serde::Serialize)]
pub struct CheckedLine {
    /// What was expected.
    pub expected: Expectation,
    /// What was found.
    pub found: Reading,
    /// What became of it.
    #[serde(serialize_with = "judgement::of_line")]
    pub outcome: Judgement,
    /// The same of the old side; `None` without one.
    pub old: Option<Earlier>,
}

/// What the old side gave for an expectation.
#[derive(Clone, Debug, PartialEq, serde::Serialize)]
pub struct Earlier {
    /// What was found.
    pub found: Reading,
    /// What became of it.
    #[serde(serialize_with = "judgement::of_line")]
    pub outcome: Judgement,
}

impl Expectation {
    /// What becomes of the expectation with this reading.
    pub fn outcome(&self, found: &Reading) -> Judgement {
        let holds = |value| Judgement::of(self.op.holds(value, self.value));
        found.value().map_or(Judgement::NotMeasured, holds)
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
