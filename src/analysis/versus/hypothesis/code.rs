//! Conditions on the machine code, which need no profile.

use super::judge::{judge, met};
use super::model::{Because, CHECK, Condition, Tested};
use super::stated::tested;
use crate::analysis::code::CodeAudit;
use crate::analysis::judgement::Judgement;
use crate::analysis::kernel::stated::Hypothesis;
use crate::evidence::{Measured, Reading, Spread};
use crate::quantity::{Quantity, Unit};

/// The hypotheses by the code alone. One whose conditions are all on the code is judged; another is not measured, with
/// the conditions that need more. `has_old` says whether there is an old build, or an earlier audit of the code.
pub(in crate::analysis) fn of_code(stated: &[Hypothesis], codes: &[CodeAudit], has_old: bool) -> Vec<Tested> {
    let mut all = tested(stated, Reading::not_collected, |_| None);
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
        None => Reading::not_applicable("the result is not a finite number"),
    }
}
