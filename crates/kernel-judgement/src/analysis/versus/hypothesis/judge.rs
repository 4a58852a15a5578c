//! What follows from the conditions of a hypothesis.

use super::model::{Because, Condition, When};
use crate::analysis::{Expectation, Judgement};
use crate::evidence::{Measured, Reading};

/// What became of a condition, by the reading of its side.
pub(super) fn met(condition: &Condition) -> Judgement {
    let reading = match condition.when {
        When::Before => condition.old.as_ref(),
        When::After => Some(&condition.new),
    };
    reading.map_or(Judgement::NotMeasured, |reading| held(&condition.expected, reading))
}

/// Whether a reading meets an expectation; unclear where its launches lie on both sides of the number.
fn held(expected: &Expectation, reading: &Reading) -> Judgement {
    let outcome = expected.outcome(reading);
    let Reading::Measured(Measured { spread: Some(spread), .. }) = reading else { return outcome };
    let agrees = |value| Judgement::of(expected.op.holds(value, expected.value)) == outcome;
    if agrees(spread.min) && agrees(spread.max) { outcome } else { Judgement::Unclear }
}

/// A kernel that computes something else shows nothing of the change, unless right results were among the predictions.
pub(super) fn of_wrong(conditions: &[Condition]) -> (Judgement, Because) {
    match conditions.iter().any(|one| one.met == Judgement::Fails && one.is_of_results()) {
        true => (Judgement::Fails, Because::NotRight),
        false => (Judgement::Unclear, Because::WrongResults),
    }
}

/// The judgement and its reason. `breaks` are the conditions of measuring that differ between the sides.
pub(super) fn judge(conditions: &[Condition], has_old: bool, breaks: &[&str]) -> (Judgement, Because) {
    let any = |met: Judgement| conditions.iter().any(|one| one.met == met);
    let failed = |when: When| conditions.iter().any(|one| one.when == when && one.met == Judgement::Fails);
    let held_before = |condition: &Condition| {
        condition.old.as_ref().is_some_and(|old| held(&condition.expected, old) == Judgement::Holds)
    };
    if !has_old {
        (Judgement::NotMeasured, Because::NoBaseline)
    } else if !breaks.is_empty() {
        (Judgement::Unclear, Because::OtherChange(breaks.iter().map(|label| (*label).to_owned()).collect()))
    } else if conditions.iter().all(|one| one.when == When::Before) {
        (Judgement::NotMeasured, Because::NotRead)
    } else if failed(When::Before) {
        (Judgement::Unclear, Because::Premise)
    } else if failed(When::After) {
        (Judgement::Fails, Because::Missed)
    } else if any(Judgement::NotMeasured) {
        (Judgement::NotMeasured, Because::NoNumber)
    } else if any(Judgement::Unclear) {
        (Judgement::Unclear, Because::Disagreement)
    } else if conditions.iter().filter(|one| one.when == When::After).all(held_before) {
        (Judgement::Unclear, Because::HeldBefore)
    } else {
        (Judgement::Holds, Because::Met)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::versus::hypothesis::settle::number;
    use crate::catalog::Operator;
    use crate::evidence::Spread;
    use crate::quantity::Unit;

    fn reading(value: f64) -> Reading {
        number(value, Unit::PERCENT, "m", None)
    }

    fn spread(min: f64, value: f64, max: f64) -> Reading {
        number(value, Unit::PERCENT, "m", Some(Spread { count: 3, min, max }))
    }

    fn condition(when: When, op: Operator, value: f64, old: Option<Reading>, new: Reading) -> Condition {
        let expected = Expectation::own("m", op, value, None);
        let mut condition = Condition { when, expected, old, new, met: Judgement::NotMeasured };
        condition.met = met(&condition);
        condition
    }

    fn word(conditions: &[Condition]) -> Judgement {
        judge(conditions, true, &[]).0
    }

    #[test]
    fn every_judgement_is_reached() {
        use Operator::{Above, Below};
        let premise = |old| condition(When::Before, Above, 20.0, Some(old), reading(0.5));
        let gone = |old, new| condition(When::After, Below, 1.0, Some(old), new);
        let fell = || gone(reading(32.5), reading(0.5));
        assert_eq!(word(&[premise(reading(32.5)), fell()]), Judgement::Holds);
        assert_eq!(word(&[premise(reading(32.5)), gone(reading(32.5), reading(4.0))]), Judgement::Fails);
        assert_eq!(word(&[premise(reading(3.0)), fell()]), Judgement::Unclear);
        let missing = || gone(reading(32.5), Reading::not_collected("m"));
        assert_eq!(word(&[premise(reading(32.5)), missing()]), Judgement::NotMeasured);
        // A prediction that failed is refuted, whatever else is not known.
        assert_eq!(word(&[missing(), gone(reading(32.5), reading(4.0))]), Judgement::Fails);
        assert_eq!(judge(&[fell()], false, &[]).0, Judgement::NotMeasured);
        assert_eq!(judge(&[fell()], true, &["GPU"]).0, Judgement::Unclear);
        // What held before shows nothing, unless something else came with it.
        let guard = || gone(reading(0.2), reading(0.3));
        assert_eq!(word(&[guard()]), Judgement::Unclear);
        assert_eq!(word(&[guard(), fell()]), Judgement::Holds);
    }

    #[test]
    fn launches_on_both_sides_of_the_number_decide_nothing() {
        let after = |new| condition(When::After, Operator::Below, 1.0, Some(reading(30.0)), new);
        assert_eq!(after(spread(0.8, 0.9, 1.2)).met, Judgement::Unclear);
        assert_eq!(after(spread(0.7, 0.8, 0.9)).met, Judgement::Holds);
        assert_eq!(after(spread(1.1, 1.2, 1.3)).met, Judgement::Fails);
        assert_eq!(word(&[after(spread(0.8, 0.9, 1.2))]), Judgement::Unclear);
    }
}
