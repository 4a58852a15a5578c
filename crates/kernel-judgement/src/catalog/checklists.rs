//! Evidence checklists: what should hold for a kind of kernel.

use super::{Threshold, row::catalog};
use serde::{Deserialize, Serialize};
use strum::{Display, EnumString, IntoStaticStr};

/// How a reading is compared with a number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, Display, EnumString, IntoStaticStr)]
#[strum(parse_err_ty = String, parse_err_fn = no_operator)]
pub enum Operator {
    #[serde(rename = "<")]
    #[strum(serialize = "<")]
    Below,
    #[serde(rename = "<=")]
    #[strum(serialize = "<=")]
    AtMost,
    #[serde(rename = ">")]
    #[strum(serialize = ">")]
    Above,
    #[serde(rename = ">=")]
    #[strum(serialize = ">=")]
    AtLeast,
    #[serde(rename = "==")]
    #[strum(serialize = "==")]
    Equal,
    #[serde(rename = "!=")]
    #[strum(serialize = "!=")]
    Unequal,
}

impl Operator {
    /// As a page writes it.
    pub fn sign(self) -> &'static str {
        match self {
            Operator::AtMost => "≤",
            Operator::AtLeast => "≥",
            Operator::Equal => "=",
            Operator::Unequal => "≠",
            Operator::Below | Operator::Above => self.into(),
        }
    }

    /// Whether `found` stands in this relation to `wanted`.
    pub fn holds(self, found: f64, wanted: f64) -> bool {
        match self {
            Operator::Below => found < wanted,
            Operator::AtMost => found <= wanted,
            Operator::Above => found > wanted,
            Operator::AtLeast => found >= wanted,
            Operator::Equal => found == wanted,
            Operator::Unequal => found != wanted,
        }
    }
}

fn no_operator(found: &str) -> String {
    format!("expected one of <, <=, >, >=, ==, !=, found {found:?}")
}

/// Where the miss of a line says nothing of the kernel.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Unless {
    /// One block an SM, of a kernel with products that takes the registers or the shared memory of it, is its design.
    OneBlockByDesign,
    /// The tensor cores are at the rate that the checklist asks of them.
    TensorBusy,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ChecklistLine {
    /// What passing means.
    pub label: String,
    /// An ncu metric, or a derived reading.
    pub reading: String,
    pub op: Operator,
    /// The number; `None` where a threshold gives it.
    pub value: Option<f64>,
    /// The threshold that gives the number.
    pub threshold: Option<Threshold>,
    /// Where a miss says nothing; `None` for a line that always holds or fails.
    pub unless: Option<Unless>,
    /// What to do first where it fails; empty where the reading itself says it.
    #[serde(default)]
    pub then: String,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Checklist {
    /// The id by which subjects name it.
    pub id: String,
    pub label: String,
    /// Which kernels it is for.
    pub help: String,
    /// Where it comes from.
    pub cite: String,
    /// What to do next where every line passes; empty where nothing follows.
    #[serde(default)]
    pub clean: String,
    pub check: Vec<ChecklistLine>,
}

impl Checklist {
    /// What follows from the failed lines, by label: the first cure; where none failed and all were measured, what is left to do.
    pub fn next(&self, failed: &[&str], all_measured: bool) -> Option<&str> {
        let first = self.check.iter().find(|check| failed.contains(&check.label.as_str()) && !check.then.is_empty());
        let clean = (failed.is_empty() && all_measured).then_some(self.clean.as_str());
        first.map(|check| check.then.as_str()).or(clean).filter(|words| !words.is_empty())
    }
}

catalog! {
    Checklist, "checklists.toml", "checklist", |row| vec![row.id.as_str()],
    pub fn checklists,
    pub fn checklist
}
