//! Hypotheses before they are judged: which readings are known from a profile, and which are settled last.

use super::model::{Condition, Tested, When};
use crate::analysis::judgement::Judgement;
use crate::analysis::kernel::stated::{Expectation, Hypothesis};
use crate::catalog::ReadingName;
use crate::evidence::Reading;

/// Readings of the machine code: `check.NAME` is 1 where the subject's check of that name passes, 0 where it fails.
pub(super) const CHECK: &str = "check.";
/// Errors that compute-sanitizer found: `sanitizer.errors` by all of its tools, or `sanitizer.TOOL` by one.
pub(super) const SANITIZER: &str = "sanitizer.";
/// What is wrong with the results, by the check of the outputs and compute-sanitizer: `correctness.faults`. Missing where
/// nobody looked.
pub(super) const FAULTS: &str = "correctness.faults";
/// Change in percent of the old side: `change.time`, `change.cycles`.
pub(super) const CHANGE: &str = "change.";

/// The hypotheses with the readings that profiles give; [`super::settled()`] completes them.
pub(in crate::analysis) fn tested(
    stated: &[Hypothesis],
    new: impl Fn(&str) -> Reading,
    old: impl Fn(&str) -> Option<Reading>,
) -> Vec<Tested> {
    let condition = |when: When, expected: &Expectation| {
        let known = !ReadingName::of(&expected.reading).form.is_of_change();
        let nothing = || Reading::not_collected(&expected.reading);
        Condition {
            when,
            expected: expected.clone(),
            old: if known { old(&expected.reading) } else { None },
            new: if known { new(&expected.reading) } else { nothing() },
            met: Judgement::NotMeasured,
        }
    };
    let one = |hypothesis: &Hypothesis| {
        let before = hypothesis.before.iter().map(|expected| condition(When::Before, expected));
        let after = hypothesis.after.iter().map(|expected| condition(When::After, expected));
        Tested {
            name: hypothesis.name.clone(),
            change: hypothesis.change.clone(),
            conditions: before.chain(after).collect(),
            judgement: Judgement::NotMeasured,
            reason: String::new(),
            confirmed: hypothesis.confirmed.clone(),
        }
    };
    stated.iter().map(one).collect()
}
