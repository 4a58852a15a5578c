//! What became of something that was stated of a kernel: one enum for checks, conditions, hypotheses and questions.

use serde::{Serialize as _, Serializer};

/// Whether a statement holds, as far as the evidence tells. In JSON each role keeps its own words; all of them are read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Judgement {
    #[serde(alias = "CONFIRMED")]
    Holds,
    /// Measured, and it does not hold.
    #[serde(alias = "REFUTED")]
    Fails,
    /// There is evidence, and it does not decide.
    #[serde(alias = "INCONCLUSIVE")]
    Unclear,
    /// There is no number: neither met nor missed.
    #[serde(alias = "NOT_MEASURED")]
    NotMeasured,
    /// Measured, and missed by a design that it is not meant for.
    DoesNotApply,
}

/// What is judged, which decides the words.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// An expectation of a checklist, or a check on the machine code.
    Check,
    /// The premise of a hypothesis, or what it predicts.
    Condition,
    /// A hypothesis as a whole: [`Judgement::Unclear`] where its premise did not hold.
    Hypothesis,
    /// A question to a timeline.
    Question,
}

impl Judgement {
    pub(in crate::analysis) const fn of(holds: bool) -> Judgement {
        if holds { Judgement::Holds } else { Judgement::Fails }
    }

    /// As pages and terminals print it.
    pub const fn word(self, role: Role) -> &'static str {
        match (self, role) {
            (Judgement::Holds, Role::Check) => "PASS",
            (Judgement::Holds, Role::Condition) => "holds",
            (Judgement::Holds, Role::Hypothesis) => "CONFIRMED",
            (Judgement::Holds, Role::Question) => "yes",
            (Judgement::Fails, Role::Check) => "FAIL",
            (Judgement::Fails, Role::Condition) => "does not hold",
            (Judgement::Fails, Role::Hypothesis) => "REFUTED",
            (Judgement::Fails, Role::Question) => "no",
            (Judgement::Unclear, Role::Condition) => "launches disagree",
            (Judgement::Unclear, _) => "INCONCLUSIVE",
            (Judgement::NotMeasured, Role::Condition) => "not measured",
            (Judgement::NotMeasured, _) => "NOT MEASURED",
            (Judgement::DoesNotApply, _) => "n/a",
        }
    }
}

/// A check on the machine code in JSON: `PASS`.
pub(in crate::analysis) fn of_code<T, S>(one: &T, to: S) -> Result<S::Ok, S::Error>
where
    T: Copy + Into<Option<Judgement>>,
    S: Serializer,
{
    let one: Option<Judgement> = (*one).into();
    one.map(|one| one.word(Role::Check)).serialize(to)
}

/// A hypothesis in JSON: `CONFIRMED`, `NOT_MEASURED`.
pub(in crate::analysis) fn of_hypothesis<S: Serializer>(one: &Judgement, to: S) -> Result<S::Ok, S::Error> {
    to.serialize_str(&one.word(Role::Hypothesis).replace(' ', "_"))
}

/// A line of a checklist in JSON: `pass`, `not-measured`, `n/a`.
pub fn of_line<S: Serializer>(one: &Judgement, to: S) -> Result<S::Ok, S::Error> {
    to.serialize_str(&one.word(Role::Check).to_lowercase().replace(' ', "-"))
}

/// The answer to a question in JSON: `yes`, `not-measured`.
pub(in crate::analysis) fn of_question<S: Serializer>(one: &Judgement, to: S) -> Result<S::Ok, S::Error> {
    to.serialize_str(&one.word(Role::Question).to_lowercase().replace(' ', "-"))
}
