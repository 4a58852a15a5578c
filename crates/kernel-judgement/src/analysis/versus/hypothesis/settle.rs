//! Hypotheses as stated, with the readings that need the whole audit: checks of the code, correctness, and the comparison itself.

use super::judge::{judge, met, of_wrong};
use super::model::{Because, Condition, FAULTS, SANITIZER, TIME, Tested, When};
use crate::analysis::kernel::summary::CYCLES;
use crate::analysis::versus::aims::OF_ELAPSED;
use crate::analysis::{
    Comparison, Expectation, Hypothesis, Judgement, Setting, Side, Standing, Verdict, Weight, code::CodeAudit,
};
use crate::catalog::{CHECK, ReadingForm, ReadingName};
use crate::evidence::{Measured, Reading, SanitizerLevel, SanitizerRun, Spread};
use crate::quantity::{Quantity, Unit};

/// How the time changed, in percent.
#[derive(Clone, Copy)]
pub(in crate::analysis) struct TimeChange {
    pub(in crate::analysis) percent: f64,
    /// The least and the most that it may be.
    pub(in crate::analysis) interval: Option<(f64, f64)>,
    /// Samples of the side with fewer.
    pub(in crate::analysis) count: usize,
}

/// What the two sides come to beside each other.
#[derive(Clone, Copy)]
pub(in crate::analysis) struct Compared<'a> {
    pub(in crate::analysis) comparison: Option<&'a Comparison>,
    /// The change of the time where two benchmarks compare.
    pub(in crate::analysis) timed: Option<TimeChange>,
    /// Times of one launch in ns, old and new.
    pub(in crate::analysis) times: [Option<f64>; 2],
}

/// Fills in what both sides and their comparison tell, and judges.
pub(in crate::analysis) fn settled(
    mut all: Vec<Tested>,
    new: &Side,
    old: Option<&Side>,
    code: &[CodeAudit],
    settings: &[Setting],
    compared: Compared<'_>,
) -> Vec<Tested> {
    let breaks: Vec<&str> = settings
        .iter()
        .filter(|setting| setting.weight == Weight::Breaks && setting.differs())
        .map(|setting| setting.label.as_str())
        .collect();
    for tested in &mut all {
        for condition in &mut tested.conditions {
            let name = condition.expected.reading.as_str();
            if let Some(check) = name.strip_prefix(CHECK) {
                (condition.old, condition.new) = of_check(code, check, old.is_some());
            } else if let Some(tool) = name.strip_prefix(SANITIZER) {
                condition.new = errors(&new.sanitizer, tool, name);
                condition.old = old.map(|old| errors(&old.sanitizer, tool, name));
            } else if name == FAULTS {
                condition.new = faults(new, name);
                condition.old = old.map(|old| faults(old, name));
            } else if is_of_whole(name) {
                condition.new = change(compared, name);
            } else if name == TIME {
                let [was, is] = compared
                    .times
                    .map(|ns| ns.map_or_else(|| Reading::not_collected(name), |ns| number(ns, Unit::NS, name, None)));
                (condition.old, condition.new) = (old.is_some().then_some(was), is);
            }
            condition.met = met(condition);
        }
        (tested.judgement, tested.because) = match new.looked().standing() {
            Standing::Wrong => of_wrong(&tested.conditions),
            Standing::Correct | Standing::NotChecked => judge(&tested.conditions, old.is_some(), &breaks),
        };
        remember(tested);
    }
    all
}

/// Whether a name is the change of time or cycles, as the comparison tells it.
fn is_of_whole(name: &str) -> bool {
    let name = ReadingName::of(name);
    name.form == ReadingForm::Change && name.changed().is_none()
}

/// A confirmed hypothesis has the change on both sides of the next audit; what was expected of the kernel still has to hold.
fn remember(tested: &mut Tested) {
    if tested.confirmed.is_empty() || matches!(tested.judgement, Judgement::Holds | Judgement::Fails) {
        return;
    }
    let expected = || tested.conditions.iter().filter(|one| one.when == When::After && !one.is_of_change());
    if expected().any(|one| one.met == Judgement::Fails) {
        (tested.judgement, tested.because) = (Judgement::Fails, Because::Lost);
    } else if expected().all(|one| one.met == Judgement::Holds) {
        (tested.judgement, tested.because) = (Judgement::Holds, Because::Kept);
    }
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

fn faults(side: &Side, name: &str) -> Reading {
    match side.looked().standing() {
        Standing::NotChecked => Reading::not_collected(name),
        Standing::Correct | Standing::Wrong => number(side.looked().faults().len() as f64, Unit::NONE, name, None),
    }
}

/// The change of time or cycles, with its interval as the spread. Missing where the comparison does not hold it.
fn change(compared: Compared<'_>, name: &str) -> Reading {
    let Some(comparison) = compared.comparison else { return Reading::not_collected(name) };
    let whole = &comparison.whole;
    let is_of_cycles = name == "change.cycles";
    if let Some(TimeChange { percent, interval, count }) = compared.timed.filter(|_| !is_of_cycles) {
        let spread = interval.map(|(min, max)| Spread { count, min, max });
        return number(percent, Unit::PERCENT, name, spread);
    }
    let judged = if is_of_cycles { &whole.cycles } else { &whole.time };
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

/// The hypotheses with the readings that profiles give; [`super::settled()`] completes them.
pub(in crate::analysis) fn tested(
    stated: &[Hypothesis],
    new: impl Fn(&str) -> Reading,
    old: impl Fn(&str) -> Option<Reading>,
) -> Vec<Tested> {
    let change = |name: &str| {
        let parsed = ReadingName::of(name);
        let of = parsed.changed()?;
        let (is, was) = (new(of).value()?, old(of)?.value()?);
        // A share of the time is work divided by the time: times the cycles it is the busy cycles, which are the work.
        let is_share = of == ReadingForm::TensorBusy.row().0 || of.ends_with(OF_ELAPSED);
        let cycles = || Some(new(CYCLES.as_ref()).value()? / old(CYCLES.as_ref())?.value()?);
        let change = match parsed.form {
            ReadingForm::Points => is - was,
            _ if is_share => 100.0 * (is / was * cycles()? - 1.0),
            _ => 100.0 * (is / was - 1.0),
        };
        Some(number(change, Unit::PERCENT, name, None))
    };
    let condition = |when: When, expected: &Expectation| {
        let known = !ReadingName::of(&expected.reading).form.is_of_change();
        let of_both = || change(&expected.reading).unwrap_or_else(|| Reading::not_collected(&expected.reading));
        Condition {
            when,
            expected: expected.clone(),
            old: if known { old(&expected.reading) } else { None },
            new: if known { new(&expected.reading) } else { of_both() },
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
            foresight: hypothesis.foresight,
        }
    };
    stated.iter().map(one).collect()
}

/// The hypotheses by the code alone. One whose conditions are all on the code is judged; another is not measured, with
/// the conditions that need more. `has_old` says whether there is an old build, or an earlier audit of the code.
pub(in crate::analysis) fn of_code(stated: &[Hypothesis], codes: &[CodeAudit], has_old: bool) -> Vec<Tested> {
    let mut all = tested(stated, |name| Reading::not_collected(name), |_| None);
    for one in &mut all {
        for condition in &mut one.conditions {
            if let Some(check) = condition.expected.reading.strip_prefix(CHECK) {
                (condition.old, condition.new) = of_check(codes, check, has_old);
            }
            condition.met = met(condition);
        }
        (one.judgement, one.because) = match one.conditions.iter().all(Condition::is_of_code) {
            true => judge(&one.conditions, has_old, &[]),
            false => (Judgement::NotMeasured, Because::BeyondCode),
        };
    }
    all
}

/// The old and the new reading of a check of this name over all builds; no old one without an old side.
pub(super) fn of_check(codes: &[CodeAudit], check: &str, has_old: bool) -> (Option<Reading>, Reading) {
    let name = format!("{CHECK}{check}");
    let results = || codes.iter().flat_map(|code| &code.checks).filter(|result| result.name == check);
    let old = has_old.then(|| verdict_of(results().filter_map(|result| result.old), &name));
    (old, verdict_of(results().map(|result| result.verdict), &name))
}

/// 1 where every build passes, 0 where one fails.
fn verdict_of(verdicts: impl Iterator<Item = Judgement>, name: &str) -> Reading {
    let all: Vec<Judgement> = verdicts.collect();
    let value = if all.contains(&Judgement::Fails) {
        0.0
    } else if all.is_empty() || all.contains(&Judgement::Unclear) {
        return Reading::not_collected(name);
    } else {
        1.0
    };
    number(value, Unit::NONE, name, None)
}

/// A number that was settled here as a reading of this name.
pub(super) fn number(value: f64, unit: Unit, name: &str, spread: Option<Spread>) -> Reading {
    match Quantity::new(value, unit) {
        Some(quantity) => {
            let Reading::Measured(measured) = Reading::measured(quantity, &name.into()) else {
                return Reading::not_collected(name);
            };
            Reading::Measured(Measured { spread, ..measured })
        }
        None => Reading::not_applicable(Reading::NO_NUMBER),
    }
}
