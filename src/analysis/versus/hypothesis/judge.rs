//! What follows from the conditions of a hypothesis.

use super::model::{Condition, When};
use super::stated::{FAULTS, SANITIZER};
use crate::analysis::judgement::Judgement;
use crate::analysis::kernel::stated::Expectation;
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
pub(super) fn of_wrong(conditions: &[Condition]) -> (Judgement, String) {
    let is_of_results = |name: &str| name == FAULTS || name.starts_with(SANITIZER);
    let failed = conditions.iter().find(|c| c.met == Judgement::Fails && is_of_results(&c.expected.reading));
    match failed {
        Some(condition) => (Judgement::Fails, format!("Expected, but not found: {}.", condition.expected.text())),
        None => {
            let why = "The kernel's results are wrong: its readings say nothing about the change.";
            (Judgement::Unclear, why.into())
        }
    }
}

/// The judgement and its reason. `breaks` are the conditions of measuring that differ between the sides.
pub(super) fn judge(conditions: &[Condition], has_old: bool, breaks: &[&str]) -> (Judgement, String) {
    let of = |when: When, met: Judgement| -> Vec<String> {
        let found = conditions.iter().filter(|c| c.when == when && c.met == met);
        found.map(|condition| condition.expected.text()).collect()
    };
    if !has_old {
        return (Judgement::NotMeasured, "There is no baseline to compare the change with.".into());
    }
    if !breaks.is_empty() {
        let list = breaks.join(", ");
        return (Judgement::Unclear, format!("The sides differ in more than the change: {list}."));
    }
    let failed = of(When::Before, Judgement::Fails);
    if !failed.is_empty() {
        return (Judgement::Unclear, format!("The premise did not hold before the change: {}.", failed.join("; ")));
    }
    let refuted = of(When::After, Judgement::Fails);
    if !refuted.is_empty() {
        return (Judgement::Fails, format!("Expected, but not found: {}.", refuted.join("; ")));
    }
    let unknown = [of(When::Before, Judgement::NotMeasured), of(When::After, Judgement::NotMeasured)].concat();
    if !unknown.is_empty() {
        return (Judgement::NotMeasured, format!("There is no number for: {}.", unknown.join("; ")));
    }
    let unclear = [of(When::Before, Judgement::Unclear), of(When::After, Judgement::Unclear)].concat();
    if !unclear.is_empty() {
        return (Judgement::Unclear, format!("The launches disagree on: {}.", unclear.join("; ")));
    }
    let predicted: Vec<&Condition> = conditions.iter().filter(|condition| condition.when == When::After).collect();
    let held_already = |condition: &&Condition| {
        condition.old.as_ref().is_some_and(|old| held(&condition.expected, old) == Judgement::Holds)
    };
    if predicted.iter().all(held_already) {
        let why = "Everything expected already held before the change: it says nothing about the change.";
        return (Judgement::Unclear, why.into());
    }
    (Judgement::Holds, "The premise held, and every expectation was met.".into())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::versus::hypothesis::code::number;
    use crate::catalog::Comparison;
    use crate::evidence::Spread;
    use crate::quantity::Unit;

    fn reading(value: f64) -> Reading {
        number(value, Unit::PERCENT, "m", None)
    }

    fn spread(min: f64, value: f64, max: f64) -> Reading {
        number(value, Unit::PERCENT, "m", Some(Spread { count: 3, min, max }))
    }

    fn condition(when: When, op: Comparison, value: f64, old: Option<Reading>, new: Reading) -> Condition {
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
        use Comparison::{Above, Below};
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
        let after = |new| condition(When::After, Comparison::Below, 1.0, Some(reading(30.0)), new);
        assert_eq!(after(spread(0.8, 0.9, 1.2)).met, Judgement::Unclear);
        assert_eq!(after(spread(0.7, 0.8, 0.9)).met, Judgement::Holds);
        assert_eq!(after(spread(1.1, 1.2, 1.3)).met, Judgement::Fails);
        assert_eq!(word(&[after(spread(0.8, 0.9, 1.2))]), Judgement::Unclear);
    }
}
