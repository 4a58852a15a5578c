//! What `audit explain` says of a name.

use serde::Serialize;

/// What a name means.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Explanation {
    /// What kind of thing the name is: `metric`, `stall reason`, `opcode`, `opcode class`, `chip`, `threshold`, `limiter`, `finding`,
    /// `lever`, `checklist`, `word`, `replaced name`, `PTX instruction`, `PTX instructions` or `CUDA construct`.
    pub kind: &'static str,
    /// The name that the catalog has for it.
    pub name: String,
    /// A short label.
    pub label: String,
    /// One or more sentences.
    pub text: String,
    /// Further facts, one to a line: other spellings, members, finer readings.
    pub facts: Vec<String>,
    /// Where it can be checked.
    pub cite: String,
}

impl Explanation {
    pub(super) fn of(kind: &'static str, name: impl Into<String>, text: impl Into<String>) -> Explanation {
        Explanation { kind, name: name.into(), text: text.into(), ..Explanation::default() }
    }
}
