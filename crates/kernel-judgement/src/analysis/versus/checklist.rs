//! Evidence checklists: what was expected of the kernel, line by line, against its readings.

use crate::analysis::derive::named::{self, Known};
use crate::analysis::{Expectation, Judgement, judgement};
use crate::catalog::{self, Unless};
use crate::evidence::Reading;

/// An expectation with what was found.
#[derive(Clone, Debug, PartialEq, serde::Serialize)]
pub struct CheckedLine {
    pub expected: Expectation,
    pub found: Reading,
    #[serde(serialize_with = "judgement::of_line")]
    pub outcome: Judgement,
    /// The same of the old side; `None` without one.
    pub old: Option<Earlier>,
}

/// What the old side gave for an expectation.
#[derive(Clone, Debug, PartialEq, serde::Serialize)]
pub struct Earlier {
    pub found: Reading,
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

const TENSOR_BUSY: &str = "tensor.busy";

/// Holds every expectation against its reading, and against the old side's where `old_reading` gives one. `is_by_design` says whether
/// the kernel has one block an SM by design.
pub(in crate::analysis) fn checked(
    expectations: &[Expectation],
    known: &Known<'_, '_>,
    old_reading: impl Fn(&str) -> Option<Reading>,
    is_by_design: bool,
) -> Vec<CheckedLine> {
    let row = |expected: &Expectation| {
        catalog::checklist(&expected.from)?.check.iter().find(|row| row.label == expected.label)
    };
    let busy = |expected: &Expectation| {
        let of_list = expectations.iter().filter(|other| other.from == expected.from);
        let mut of_tensor = of_list.filter(|other| other.reading == TENSOR_BUSY);
        of_tensor.any(|other| other.outcome(&named::reading(known, &other.reading)) == Judgement::Holds)
    };
    let is_spared = |expected: &Expectation| match row(expected).and_then(|row| row.unless) {
        Some(Unless::OneBlockByDesign) => is_by_design,
        Some(Unless::TensorBusy) => busy(expected),
        None => false,
    };
    let line = |expected: &Expectation| {
        let found = named::reading(known, &expected.reading);
        let old = old_reading(&expected.reading);
        let outcome = match expected.outcome(&found) {
            Judgement::Fails if is_spared(expected) => Judgement::DoesNotApply,
            outcome => outcome,
        };
        CheckedLine {
            outcome,
            found,
            old: old.map(|found| Earlier { outcome: expected.outcome(&found), found }),
            expected: expected.clone(),
        }
    };
    expectations.iter().map(line).collect()
}
