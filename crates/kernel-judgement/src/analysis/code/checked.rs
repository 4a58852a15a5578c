//! What a check of a subject found in the machine code, and how it ends.

use super::{count::Count, layout::Layout};
use crate::analysis::{Judgement, judgement};
use crate::quantity::format;

#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Deciding {
    /// Offset in the code.
    pub offset: u64,
    pub opcode: String,
    /// Line of the subject's source.
    pub line: Option<u32>,
}

pub(crate) const DECIDING_KEPT: usize = 12;

/// A check with what the code has of it: evidence, from which its verdict follows.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Checked {
    /// Its name; the rule where it has none.
    pub name: String,
    pub rule: String,
    /// What was seen of it, beside what was asked.
    pub seen: Seen,
    /// The instructions that decided, at most [`DECIDING_KEPT`].
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub deciding: Vec<Deciding>,
    pub deciding_count: usize,
}

#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Seen {
    /// A number, and how many are asked.
    Number { asked: Count, found: u64, of: Matched },
    /// Executions in every turn of the loop.
    Turns {
        asked: Count,
        /// In every turn.
        least: usize,
        /// On the path with the most, without turns of inner loops.
        most: usize,
        /// Whether inner loops make them more.
        is_open: bool,
    },
    /// So many of so many instructions move fewer bits than asked.
    Narrow(usize, usize),
    /// The stated layout of shared memory beside that of the code.
    Layout(Layout),
    /// What does not hold.
    Broken(String),
    /// Why nothing can be said.
    Open(String),
    /// Why there was no code to look at.
    NoCode(String),
}

/// What the number of a check counts.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Matched {
    /// An amount of a resource, in this unit.
    Resource(String),
    /// Instructions of a pattern.
    Pattern(String),
    /// Sequences of instructions.
    Sequences,
}

/// What became of a check.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize)]
pub struct CheckResult {
    /// Its name; the rule where it has none.
    pub name: String,
    /// The statement in words.
    pub rule: String,
    #[serde(serialize_with = "judgement::of_code")]
    pub verdict: Judgement,
    /// What was found, or why nothing can be said.
    pub found: String,
    /// The instructions that decided, at most [`DECIDING_KEPT`].
    pub deciding: Vec<Deciding>,
    pub deciding_count: usize,
    /// How it ends on the old code; `None` where that is not known.
    #[serde(skip_serializing_if = "Option::is_none", serialize_with = "judgement::of_code")]
    pub old: Option<Judgement>,
}

impl Checked {
    pub(super) fn without_code(name: &str, rule: &str, why: &str) -> Checked {
        let seen = Seen::NoCode(why.to_owned());
        Checked { name: name.to_owned(), rule: rule.to_owned(), seen, deciding: Vec::new(), deciding_count: 0 }
    }

    pub(super) fn verdict(&self) -> Judgement {
        match &self.seen {
            Seen::Number { asked, found, .. } => {
                Judgement::of(usize::try_from(*found).is_ok_and(|found| asked.holds(found)))
            }
            Seen::Turns { asked, least, most, is_open } => {
                let never = asked.most.is_some_and(|limit| *least > limit) || (!is_open && *most < asked.least);
                let always = *least >= asked.least && asked.most.is_none_or(|limit| !is_open && *most <= limit);
                match (always, never) {
                    (true, _) => Judgement::Holds,
                    (false, true) => Judgement::Fails,
                    (false, false) => Judgement::Unclear,
                }
            }
            Seen::Narrow(..) | Seen::Broken(_) => Judgement::Fails,
            Seen::Layout(layout) => layout.verdict(),
            Seen::Open(_) => Judgement::Unclear,
            Seen::NoCode(_) => Judgement::NotMeasured,
        }
    }

    /// What became of it, beside how it ends on the old code.
    pub(in crate::analysis) fn beside(&self, old: Option<Judgement>) -> CheckResult {
        CheckResult {
            name: self.name.clone(),
            rule: self.rule.clone(),
            verdict: self.verdict(),
            found: self.seen.say(),
            deciding: self.deciding.clone(),
            deciding_count: self.deciding_count,
            old,
        }
    }
}

impl Seen {
    fn say(&self) -> String {
        match self {
            Seen::Number { found, of: Matched::Resource(unit), .. } => format!("{found} {unit}").trim_end().to_owned(),
            Seen::Number { found, of: Matched::Pattern(pattern), .. } => format!("{found} × {pattern}"),
            Seen::Number { found, of: Matched::Sequences, .. } => format::counted(*found, "such sequence"),
            Seen::Turns { least, most, .. } if least == most => format!("{least} in every iteration"),
            Seen::Turns { least, is_open: true, .. } => {
                format!("at least {least} in every iteration, more with inner loops")
            }
            Seen::Turns { least, most, .. } => format!("{least} to {most} per iteration, depending on the path"),
            Seen::Narrow(narrow, all) => format!("{narrow} of {all} are narrower"),
            Seen::Layout(layout) => layout.say(),
            Seen::Broken(why) | Seen::Open(why) | Seen::NoCode(why) => why.clone(),
        }
    }
}
