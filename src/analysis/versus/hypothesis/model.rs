//! A hypothesis as a subject states it, and what became of it.

use crate::analysis::kernel::stated::Expectation;
use crate::evidence::Reading;

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
    /// The earlier audit that confirmed it; empty where none did.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub confirmed: String,
}
