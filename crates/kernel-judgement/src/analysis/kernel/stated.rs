//! What a subject states: the work of a launch, and what is expected of the kernel and of a change.

use crate::analysis::Limits;
use crate::catalog::{Checklist, Operator, ReadingName};
use std::fmt;
use std::str::FromStr;

/// A word of audit.toml or of the command line that cannot be read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("expected {expected}, found {found:?}")]
pub struct Unreadable {
    expected: String,
    found: String,
}

impl Unreadable {
    pub(in crate::analysis) fn new(expected: impl Into<String>, found: &str) -> Unreadable {
        Unreadable { expected: expected.into(), found: found.to_owned() }
    }
}

/// What one launch has to do, as the subject states it.
#[derive(Clone, Debug, Default, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct Work {
    /// Shape in the author's words; may be empty.
    pub shape: String,
    /// Types in the author's words; may be empty.
    pub types: String,
    /// Floating-point operations of one launch.
    pub flop: Option<u64>,
    /// Bytes that one launch cannot avoid to move.
    pub bytes: Option<u64>,
    /// How the work is cut into tiles that are stored.
    pub tiles: Option<Tiles>,
    /// What should hold for the kernel.
    pub expected: Vec<Expectation>,
    /// What the change was expected to do.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub hypotheses: Vec<Hypothesis>,
}

impl Work {
    /// Whether operations or bytes of a launch are stated.
    pub(in crate::analysis) fn states_an_amount(&self) -> bool {
        self.flop.is_some() || self.bytes.is_some()
    }

    /// The readings of a side that expectations and hypotheses name.
    pub fn readings(&self) -> impl Iterator<Item = &str> {
        let conditions = self.hypotheses.iter().flat_map(|one| one.before.iter().chain(&one.after));
        let named = self.expected.iter().chain(conditions).map(|expected| expected.reading.as_str());
        named.map(|name| ReadingName::of(name).changed().unwrap_or(name))
    }
}

/// How the work is cut, as the subject states it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Tiles {
    /// Tiles of one launch.
    pub count: u64,
    /// Global store instructions of one warp for one tile.
    pub stores_per_warp: u64,
    /// Warps that store a tile.
    pub warps: u64,
}

/// Something that is expected of a kernel.
#[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct Expectation {
    /// What meeting it means; the comparison itself where the user gave no words.
    pub label: String,
    /// A metric by ncu's name, or a derived reading such as `stall.barrier`.
    pub reading: String,
    pub op: Operator,
    pub value: f64,
    /// The checklist that it is from; `own` for the user's.
    pub from: String,
}

impl Expectation {
    /// One expectation of the user's.
    pub fn own(reading: &str, op: Operator, value: f64, label: Option<&str>) -> Expectation {
        let label = label.map_or_else(|| format!("{reading} {op} {value}"), str::to_owned);
        Expectation { label, reading: reading.into(), op, value, from: "own".into() }
    }

    /// The lines of a checklist, with the numbers of these limits.
    pub fn of_checklist(profile: &Checklist, limits: &Limits) -> Vec<Expectation> {
        let line = |check: &crate::catalog::ChecklistLine| Expectation {
            label: check.label.clone(),
            reading: check.reading.clone(),
            op: check.op,
            value: check.value.or_else(|| Some(limits[check.threshold?])).unwrap_or(f64::NAN),
            from: profile.id.clone(),
        };
        profile.check.iter().map(line).collect()
    }

    /// The comparison as it is written: `stall.barrier < 1`.
    pub fn text(&self) -> String {
        format!("{} {} {}", self.reading, self.op, self.value)
    }
}

impl FromStr for Expectation {
    type Err = String;

    /// `METRIC OP VALUE`, such as `stall.barrier<25`, and then, if wanted, words for what meeting it means.
    fn from_str(text: &str) -> Result<Expectation, String> {
        let wrong = |expected: &str, found: &str| Unreadable::new(expected, found).to_string();
        let shape = || wrong("METRIC OP VALUE", text);
        let at = text.find(['<', '>', '=', '!']).ok_or_else(shape)?;
        let (metric, rest) = text.split_at(at);
        let end = rest.find(|c| !matches!(c, '<' | '>' | '=' | '!')).unwrap_or(rest.len());
        let op: Operator = rest[..end].parse()?;
        let rest = rest[end..].trim();
        let (number, label) = rest.split_once(char::is_whitespace).unwrap_or((rest, ""));
        let value: f64 = number.parse().map_err(|_| wrong(&format!("a number after {op}"), number))?;
        let (metric, label) = (metric.trim(), label.trim());
        if metric.is_empty() || !value.is_finite() {
            return Err(shape());
        }
        Ok(Expectation::own(metric, op, value, Some(label).filter(|label| !label.is_empty())))
    }
}

/// As a flag states it.
impl fmt::Display for Expectation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}{}", self.reading, self.op, self.value)?;
        if self.label == self.text() { Ok(()) } else { write!(f, " {}", self.label) }
    }
}

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
    /// The earlier audit that confirmed it: day and commit; empty where none did.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub confirmed: String,
    #[serde(default, skip_serializing_if = "Foresight::is_unknown")]
    pub foresight: Foresight,
}

impl Hypothesis {
    /// Whether another one asks for the same by the same name, in whatever words.
    pub fn is_same(&self, other: &Hypothesis) -> bool {
        let asked = |all: &[Expectation]| all.iter().map(Expectation::text).collect::<Vec<_>>();
        let all = |one: &Hypothesis| (one.name.clone(), asked(&one.before), asked(&one.after));
        all(self) == all(other)
    }
}

/// When a hypothesis was stated, beside the measurement that it is held against.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Foresight {
    /// Nobody can tell.
    #[default]
    Unknown,
    /// At the commit that was audited.
    Before,
    /// Later than that commit.
    After,
}

impl Foresight {
    /// Whether nobody can tell.
    pub fn is_unknown(&self) -> bool {
        *self == Foresight::Unknown
    }
}
