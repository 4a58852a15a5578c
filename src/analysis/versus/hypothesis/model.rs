//! A hypothesis as a subject states it, and what became of it.

use crate::analysis::judgement::{self, Judgement};
use crate::analysis::kernel::stated::Expectation;
use crate::evidence::Reading;

/// Which side a condition is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum When {
    /// The old side: the premise.
    Before,
    /// The new side: the prediction.
    After,
}

/// A condition with both sides' readings.
#[derive(Clone, Debug, PartialEq, serde::Serialize)]
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
    pub met: Judgement,
}

/// A hypothesis with what was found.
#[derive(Clone, Debug, PartialEq, serde::Serialize)]
pub struct Tested {
    /// What it is called.
    pub name: String,
    /// The change in words.
    pub change: String,
    /// Its conditions, the premise first.
    pub conditions: Vec<Condition>,
    /// What became of it.
    #[serde(serialize_with = "judgement::of_hypothesis")]
    pub judgement: Judgement,
    /// Why, in a sentence.
    pub reason: String,
    /// The earlier audit that confirmed it; empty where none did.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub confirmed: String,
}
