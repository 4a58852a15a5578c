//! Hypotheses before they are judged: which readings are known from a profile, and which are settled last.

use super::model::{Because, Condition, Tested, When};
use crate::analysis::judgement::Judgement;
use crate::analysis::kernel::stated::{Expectation, Hypothesis};
use crate::catalog::ReadingName;
use crate::evidence::Reading;

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
            because: Because::NoBaseline,
            confirmed: hypothesis.confirmed.clone(),
        }
    };
    stated.iter().map(one).collect()
}
