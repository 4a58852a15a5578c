//! A hypothesis as a subject states it, and what became of it.

use crate::analysis::expectation::{EXPECTED, not_read};
use crate::analysis::{Expectation, Foresight, Judgement, judgement};
use crate::catalog::{CHECK, ReadingForm, ReadingName};
use crate::evidence::Reading;

/// Errors that compute-sanitizer found: `sanitizer.errors` by all of its tools, or `sanitizer.TOOL` by one.
pub(super) const SANITIZER: &str = "sanitizer.";
/// What is wrong with the results, by the check of the outputs and compute-sanitizer; missing where nobody looked.
pub(super) const FAULTS: &str = "correctness.faults";
pub(super) const TIME: &str = "time";

/// Which side a condition is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum When {
    /// The old side: the premise.
    Before,
    /// The new side: the prediction.
    After,
}

#[derive(Clone, Debug, PartialEq, serde::Serialize)]
pub struct Condition {
    pub when: When,
    pub expected: Expectation,
    /// The old side's reading; `None` without an old side.
    pub old: Option<Reading>,
    /// The new side's.
    pub new: Reading,
    pub met: Judgement,
}

/// A hypothesis with what was found.
#[derive(Clone, Debug, PartialEq, serde::Serialize)]
pub struct Tested {
    pub name: String,
    pub change: String,
    /// Its conditions, the premise first.
    pub conditions: Vec<Condition>,
    #[serde(serialize_with = "judgement::of_hypothesis")]
    pub judgement: Judgement,
    #[serde(skip)]
    pub(in crate::analysis) because: Because,
    /// The earlier audit that confirmed it; empty where none did.
    pub confirmed: String,
    pub foresight: Foresight,
}

/// What decided on a hypothesis; conditions are looked up where it is said.
#[derive(Clone, Debug, PartialEq)]
pub(in crate::analysis) enum Because {
    NoBaseline,
    /// Conditions of measuring that differ between the sides, by their labels.
    OtherChange(Vec<String>),
    /// The results are wrong; right ones were not expected, or were.
    WrongResults,
    NotRight,
    /// The premise failed, or a prediction.
    Premise,
    Missed,
    /// Its words name no reading.
    NotRead,
    NoNumber,
    Disagreement,
    HeldBefore,
    Met,
    BeyondCode,
    /// It was confirmed before, and what was expected no longer holds, or still does.
    Lost,
    Kept,
}

impl Tested {
    /// Why it came to its judgement, in a sentence.
    pub fn say(&self) -> String {
        let of = |is: &dyn Fn(&Condition) -> bool| {
            let texts = self.conditions.iter().filter(|condition| is(condition)).map(|one| one.expected.text());
            texts.collect::<Vec<_>>().join("; ")
        };
        let failed = |when| of(&|one| one.when == when && one.met == Judgement::Fails);
        let missed = |list: String| format!("Expected, but not found: {list}.");
        let confirmed = &self.confirmed;
        match &self.because {
            Because::NoBaseline => "There is no baseline to compare the change with.".to_owned(),
            Because::OtherChange(labels) => {
                format!("The sides differ in more than the change: {}.", labels.join(", "))
            }
            Because::WrongResults => {
                "The kernel's results are wrong: its readings say nothing about the change.".to_owned()
            }
            Because::NotRight => missed(of(&|one| one.met == Judgement::Fails && one.is_of_results())),
            Because::Premise => format!("The premise did not hold before the change: {}.", failed(When::Before)),
            Because::Missed => missed(failed(When::After)),
            Because::NotRead => "Its words name no reading that is known here.".to_owned(),
            Because::NoNumber => format!("There is no number for: {}.", of(&|one| one.met == Judgement::NotMeasured)),
            Because::Disagreement => format!("The launches disagree on: {}.", of(&|one| one.met == Judgement::Unclear)),
            Because::HeldBefore => {
                "Everything expected already held before the change: it says nothing about the change.".to_owned()
            }
            Because::Met => {
                let open = self.name.strip_prefix(EXPECTED).map(not_read).unwrap_or_default();
                match self.conditions.iter().any(|one| one.when == When::Before) {
                    _ if !open.is_empty() => format!("What names a reading was met. Not read: {}.", open.join("; ")),
                    true => "The premise held, and every expectation was met.".to_owned(),
                    false => "Every expectation was met.".to_owned(),
                }
            }
            Because::BeyondCode => format!("The code alone does not show: {}.", of(&|one| !one.is_of_code())),
            Because::Lost => {
                let lost = of(&|one| one.when == When::After && one.met == Judgement::Fails && !one.is_of_change());
                format!("Confirmed on {confirmed}, but no longer holds: {lost}.")
            }
            Because::Kept => format!("Confirmed on {confirmed}; what was expected still holds."),
        }
    }
}

impl Condition {
    /// Whether it is on a check of the machine code.
    pub(super) fn is_of_code(&self) -> bool {
        self.expected.reading.starts_with(CHECK)
    }

    /// Whether it is on the comparison itself.
    pub(super) fn is_of_change(&self) -> bool {
        use ReadingForm::{Change, Points, Time};
        matches!(ReadingName::of(&self.expected.reading).form, Change | Points | Time)
    }

    /// Whether it asks for right results.
    pub(super) fn is_of_results(&self) -> bool {
        self.expected.reading == FAULTS || self.expected.reading.starts_with(SANITIZER)
    }
}
