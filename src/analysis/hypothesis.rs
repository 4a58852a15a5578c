//! Hypotheses: what a change was expected to do, held against both sides.
//!
//! Conditions are expectations as in checklists, on any reading by name. Those on the machine code, on correctness and on
//! the comparison itself are known only when the whole audit is, so that they are settled last.

use super::audit::Audit;
use super::checklist::{Expectation, Outcome};
use super::code::{CheckResult, Verdict as CodeVerdict};
use super::correct::Standing;
use super::setting::Weight;
use super::verdict::Verdict;
use crate::evidence::{Measured, Reading, SanitizerLevel, SanitizerRun, Spread};
use crate::quantity::{Quantity, Unit};

/// What a subject states of a change.
#[derive(Clone, Debug, Default, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct Hypothesis {
    /// What it is called in tables and in the ledger.
    pub name: String,
    /// The change in words; may be empty.
    pub change: String,
    /// What must hold of the old side for the change to be worth making.
    pub before: Vec<Expectation>,
    /// What is expected of the new side.
    pub after: Vec<Expectation>,
}

/// Which side a condition is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum When {
    /// The old side: the premise.
    Before,
    /// The new side: the prediction.
    After,
}

/// What became of a condition.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Met {
    /// It holds.
    Holds,
    /// It does not.
    Fails,
    /// Some launches say so and others not.
    Unclear,
    /// There is no number.
    NotMeasured,
}

/// A condition with both sides' readings.
#[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct Condition {
    /// Which side it is about.
    pub when: When,
    /// What is expected.
    pub expected: Expectation,
    /// The old side's reading; `None` without an old side.
    pub old: Option<Reading>,
    /// The new side's.
    pub new: Reading,
    /// What became of it.
    pub met: Met,
}

/// What became of a hypothesis.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum Judgement {
    /// The premise held, and so does every prediction.
    Confirmed,
    /// A prediction failed.
    Refuted,
    /// The premise did not hold, or the evidence does not decide.
    Inconclusive,
    /// A condition has no number.
    NotMeasured,
}

impl Judgement {
    /// As tables print it.
    pub const fn word(self) -> &'static str {
        match self {
            Judgement::Confirmed => "CONFIRMED",
            Judgement::Refuted => "REFUTED",
            Judgement::Inconclusive => "INCONCLUSIVE",
            Judgement::NotMeasured => "NOT MEASURED",
        }
    }
}

/// A hypothesis with what was found.
#[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct Tested {
    /// What it is called.
    pub name: String,
    /// The change in words.
    pub change: String,
    /// Its conditions, the premise first.
    pub conditions: Vec<Condition>,
    /// What became of it.
    pub judgement: Judgement,
    /// Why, in a sentence.
    pub reason: String,
}

/// Readings of the machine code: `check.NAME` is 1 where the subject's check of that name passes, 0 where it fails.
const CHECK: &str = "check.";
/// Errors that compute-sanitizer found: `sanitizer.errors` by all of its tools, or `sanitizer.TOOL` by one.
const SANITIZER: &str = "sanitizer.";
/// What is wrong with the results, by the check of the outputs and compute-sanitizer: `correctness.faults`. Missing where
/// nobody looked.
const FAULTS: &str = "correctness.faults";
/// Change in percent of the old side: `change.time`, `change.cycles`.
const CHANGE: &str = "change.";

/// Whether a reading is known only when the whole audit is.
pub(super) fn is_settled_last(name: &str) -> bool {
    [CHECK, SANITIZER, FAULTS, CHANGE].iter().any(|prefix| name.starts_with(prefix))
}

/// The hypotheses with the readings that profiles give; [`settle`] completes them.
pub(super) fn tested(
    stated: &[Hypothesis],
    new: impl Fn(&str) -> Reading,
    old: impl Fn(&str) -> Option<Reading>,
) -> Vec<Tested> {
    let condition = |when: When, expected: &Expectation| {
        let known = !is_settled_last(&expected.reading);
        let nothing = || Reading::not_collected(&expected.reading);
        Condition {
            when,
            expected: expected.clone(),
            old: if known { old(&expected.reading) } else { None },
            new: if known { new(&expected.reading) } else { nothing() },
            met: Met::NotMeasured,
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
        }
    };
    stated.iter().map(one).collect()
}

/// Fills in what the whole audit tells, and judges. `old` is the earlier audit where the old side is one.
pub(super) fn settle(audit: &mut Audit, old: Option<&Audit>) {
    let mut all = std::mem::take(&mut audit.hypotheses);
    let breaks: Vec<&str> = audit
        .settings
        .iter()
        .filter(|setting| setting.weight == Weight::Breaks && setting.differs())
        .map(|setting| setting.label.as_str())
        .collect();
    for tested in &mut all {
        for condition in &mut tested.conditions {
            let name = condition.expected.reading.as_str();
            if let Some(check) = name.strip_prefix(CHECK) {
                let results = || audit.code.iter().flat_map(|code| &code.checks).filter(|result| result.name == check);
                condition.new = verdict_of(results().map(|result| result.verdict), name);
                let earlier = results().filter_map(|result| result.old);
                condition.old = audit.old.as_ref().map(|_| verdict_of(earlier, name));
            } else if let Some(tool) = name.strip_prefix(SANITIZER) {
                condition.new = errors(&audit.sanitizer, tool, name);
                condition.old = audit.old.as_ref().map(|_| errors(old.map_or(&[], |old| &old.sanitizer), tool, name));
            } else if name == FAULTS {
                condition.new = faults(audit, name);
                condition.old = audit.old.as_ref().map(|_| match old {
                    Some(old) => faults(old, name),
                    None => Reading::not_collected(name),
                });
            } else if name.starts_with(CHANGE) {
                condition.new = change(audit, name);
            }
            condition.met = met(condition);
        }
        (tested.judgement, tested.reason) = match audit.standing() {
            Standing::Wrong => of_wrong(&tested.conditions),
            Standing::Correct | Standing::NotChecked => judge(&tested.conditions, audit.old.is_some(), &breaks),
        };
    }
    audit.hypotheses = all;
}

/// Puts to each check of the code what an earlier audit said of it, where this one did not see the old code itself.
pub(super) fn remember_checks(audit: &mut Audit, old: &Audit) {
    for code in &mut audit.code {
        let Some(before) = old.code.iter().find(|before| before.arch == code.arch) else { continue };
        for check in code.checks.iter_mut().filter(|check| check.old.is_none()) {
            let same = |was: &&CheckResult| (&was.name, &was.rule) == (&check.name, &check.rule);
            check.old = before.checks.iter().find(same).map(|was| was.verdict);
        }
    }
}

/// 1 where every build passes, 0 where one fails.
fn verdict_of(verdicts: impl Iterator<Item = CodeVerdict>, name: &str) -> Reading {
    let all: Vec<CodeVerdict> = verdicts.collect();
    let value = if all.contains(&CodeVerdict::Fail) {
        0.0
    } else if all.is_empty() || all.contains(&CodeVerdict::Inconclusive) {
        return Reading::not_collected(name);
    } else {
        1.0
    };
    number(value, Unit::NONE, name, None)
}

/// Records that the tool calls errors; missing where a run that is asked for was not made or did not finish.
fn errors(runs: &[SanitizerRun], tool: &str, name: &str) -> Reading {
    let mut asked = runs.iter().filter(|run| tool == "errors" || run.tool.name() == tool).peekable();
    if asked.peek().is_none() {
        return Reading::not_collected(name);
    }
    let mut sum = 0;
    for run in asked {
        if !run.not_measured.is_empty() {
            return Reading::not_applicable(&run.not_measured);
        }
        let grave = run.findings.iter().filter(|finding| finding.level == SanitizerLevel::Error);
        sum += grave.map(|finding| finding.records).sum::<u64>();
    }
    number(sum as f64, Unit::NONE, name, None)
}

fn faults(audit: &Audit, name: &str) -> Reading {
    match audit.standing() {
        Standing::NotChecked => Reading::not_collected(name),
        Standing::Correct | Standing::Wrong => number(audit.faults().len() as f64, Unit::NONE, name, None),
    }
}

/// The change of time or cycles, with its interval as the spread. Missing where the comparison does not hold it.
fn change(audit: &Audit, name: &str) -> Reading {
    let Some(comparison) = &audit.comparison else { return Reading::not_collected(name) };
    let whole = &comparison.whole;
    let judged = if name == "change.cycles" { &whole.cycles } else { &whole.time };
    match (whole.verdict, judged) {
        (Verdict::NotComparable | Verdict::NotMeasured, _) | (_, None) => Reading::not_applicable(whole.verdict.word()),
        (verdict, Some(judged)) => match (judged.change, judged.interval) {
            (Some(change), Some((low, high))) => {
                let count = judged.old.count.min(judged.new.count);
                number(change, Unit::PERCENT, name, Some(Spread { count, min: low, max: high }))
            }
            (Some(change), None) if verdict != Verdict::Ambiguous => number(change, Unit::PERCENT, name, None),
            _ => Reading::not_applicable(verdict.word()),
        },
    }
}

fn number(value: f64, unit: Unit, name: &str, spread: Option<Spread>) -> Reading {
    match Quantity::new(value, unit) {
        Some(quantity) => {
            let Reading::Measured(measured) = Reading::measured(quantity, &name.into()) else {
                return Reading::not_collected(name);
            };
            Reading::Measured(Measured { spread, ..measured })
        }
        None => Reading::not_applicable("the result is not a finite number"),
    }
}

fn met(condition: &Condition) -> Met {
    let reading = match condition.when {
        When::Before => condition.old.as_ref(),
        When::After => Some(&condition.new),
    };
    reading.map_or(Met::NotMeasured, |reading| held(&condition.expected, reading))
}

/// Whether a reading meets an expectation; unclear where its launches lie on both sides of the number.
fn held(expected: &Expectation, reading: &Reading) -> Met {
    match (expected.outcome(reading), reading) {
        (Outcome::NotMeasured, _) => Met::NotMeasured,
        (outcome, Reading::Measured(Measured { spread: Some(spread), .. })) => {
            let ends = [spread.min, spread.max].map(|value| expected.op.holds(value, expected.value));
            match (outcome, ends) {
                (Outcome::Pass, [true, true]) => Met::Holds,
                (Outcome::Fail, [false, false]) => Met::Fails,
                _ => Met::Unclear,
            }
        }
        (Outcome::Pass, _) => Met::Holds,
        (Outcome::Fail, _) => Met::Fails,
    }
}

/// A kernel that computes something else shows nothing of the change, unless right results were among the predictions.
fn of_wrong(conditions: &[Condition]) -> (Judgement, String) {
    let is_of_results = |name: &str| name == FAULTS || name.starts_with(SANITIZER);
    let failed = conditions.iter().find(|c| c.met == Met::Fails && is_of_results(&c.expected.reading));
    match failed {
        Some(condition) => (Judgement::Refuted, format!("Expected and not so: {}.", condition.expected.text())),
        None => {
            let why = "The kernel's results are wrong, so that its readings show nothing of the change.";
            (Judgement::Inconclusive, why.into())
        }
    }
}

fn judge(conditions: &[Condition], has_old: bool, breaks: &[&str]) -> (Judgement, String) {
    let of = |when: When, met: Met| -> Vec<String> {
        let found = conditions.iter().filter(|c| c.when == when && c.met == met);
        found.map(|condition| condition.expected.text()).collect()
    };
    if !has_old {
        return (Judgement::NotMeasured, "There is no old side to hold the change against.".into());
    }
    if !breaks.is_empty() {
        let list = breaks.join(", ");
        return (Judgement::Inconclusive, format!("The sides differ in more than the change: {list}."));
    }
    let failed = of(When::Before, Met::Fails);
    if !failed.is_empty() {
        return (
            Judgement::Inconclusive,
            format!("The premise did not hold before the change: {}.", failed.join("; ")),
        );
    }
    let refuted = of(When::After, Met::Fails);
    if !refuted.is_empty() {
        return (Judgement::Refuted, format!("Expected and not so: {}.", refuted.join("; ")));
    }
    let unknown = [of(When::Before, Met::NotMeasured), of(When::After, Met::NotMeasured)].concat();
    if !unknown.is_empty() {
        return (Judgement::NotMeasured, format!("There is no number for: {}.", unknown.join("; ")));
    }
    let unclear = [of(When::Before, Met::Unclear), of(When::After, Met::Unclear)].concat();
    if !unclear.is_empty() {
        return (Judgement::Inconclusive, format!("Some launches say so and others not: {}.", unclear.join("; ")));
    }
    let predicted: Vec<&Condition> = conditions.iter().filter(|condition| condition.when == When::After).collect();
    let held_already =
        |condition: &&Condition| condition.old.as_ref().is_some_and(|old| held(&condition.expected, old) == Met::Holds);
    if predicted.iter().all(held_already) {
        let why =
            "Everything that was expected held before the change as well, so that it shows nothing of the change.";
        return (Judgement::Inconclusive, why.into());
    }
    (Judgement::Confirmed, "The premise held, and everything came as expected.".into())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::catalog::Comparison;

    fn reading(value: f64) -> Reading {
        number(value, Unit::PERCENT, "m", None)
    }

    fn spread(min: f64, value: f64, max: f64) -> Reading {
        number(value, Unit::PERCENT, "m", Some(Spread { count: 3, min, max }))
    }

    fn condition(when: When, op: Comparison, value: f64, old: Option<Reading>, new: Reading) -> Condition {
        let expected = Expectation::own("m", op, value, None);
        let mut condition = Condition { when, expected, old, new, met: Met::NotMeasured };
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
        assert_eq!(word(&[premise(reading(32.5)), fell()]), Judgement::Confirmed);
        assert_eq!(word(&[premise(reading(32.5)), gone(reading(32.5), reading(4.0))]), Judgement::Refuted);
        assert_eq!(word(&[premise(reading(3.0)), fell()]), Judgement::Inconclusive);
        let missing = || gone(reading(32.5), Reading::not_collected("m"));
        assert_eq!(word(&[premise(reading(32.5)), missing()]), Judgement::NotMeasured);
        // A prediction that failed is refuted, whatever else is not known.
        assert_eq!(word(&[missing(), gone(reading(32.5), reading(4.0))]), Judgement::Refuted);
        assert_eq!(judge(&[fell()], false, &[]).0, Judgement::NotMeasured);
        assert_eq!(judge(&[fell()], true, &["GPU"]).0, Judgement::Inconclusive);
        // What held before shows nothing, unless something else came with it.
        let guard = || gone(reading(0.2), reading(0.3));
        assert_eq!(word(&[guard()]), Judgement::Inconclusive);
        assert_eq!(word(&[guard(), fell()]), Judgement::Confirmed);
    }

    #[test]
    fn launches_on_both_sides_of_the_number_decide_nothing() {
        let after = |new| condition(When::After, Comparison::Below, 1.0, Some(reading(30.0)), new);
        assert_eq!(after(spread(0.8, 0.9, 1.2)).met, Met::Unclear);
        assert_eq!(after(spread(0.7, 0.8, 0.9)).met, Met::Holds);
        assert_eq!(after(spread(1.1, 1.2, 1.3)).met, Met::Fails);
        assert_eq!(word(&[after(spread(0.8, 0.9, 1.2))]), Judgement::Inconclusive);
    }
}
