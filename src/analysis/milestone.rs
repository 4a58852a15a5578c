//! One line of a subject's history.

use crate::analysis::audit::Audit;
use crate::analysis::correctness::Standing;
use crate::analysis::derive::stalls::StallBasis;
use crate::analysis::versus::hypothesis::{Judgement, Tested};
use crate::analysis::versus::verdict::Verdict;
use crate::evidence::Reading;
use crate::quantity::{Quantity, Unit};

/// What one audit adds to the history of its subject.
#[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct Milestone {
    /// `YYYY-MM-DD`.
    pub date: String,
    /// The commit; empty when unknown.
    pub commit: String,
    /// What it changed, in words; may be empty.
    pub change: String,
    /// Time of one launch.
    pub time: Reading,
    /// Arithmetic rate of the stated work; `None` where none is stated.
    pub flop_rate: Option<Reading>,
    /// Registers per thread of the launch.
    pub registers: Reading,
    /// The largest stall, its basis and its number.
    pub stall: Option<(String, StallBasis, Reading)>,
    /// The verdict against its baseline; `None` without one. WRONG, with or without a baseline, for wrong results.
    pub verdict: Option<Verdict>,
    /// What its change was expected to do, and what became of it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub hypotheses: Vec<Concluded>,
    /// Whether it is of the code alone, which has no time and no verdict.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_code_alone: bool,
}

/// A hypothesis as the history remembers it.
#[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct Concluded {
    /// What it is called.
    pub name: String,
    /// The change in words; may be empty.
    pub change: String,
    /// What became of it.
    pub judgement: Judgement,
    /// Why.
    pub reason: String,
}

impl Milestone {
    /// The milestone of an audit.
    pub fn of(date: &str, commit: &str, change: &str, audit: &Audit) -> Milestone {
        const REGISTERS: &str = "launch__registers_per_thread";
        if audit.is_of_code_alone() {
            return Milestone::of_code(date, commit, change, audit);
        }
        let registers = audit.panels.iter().find_map(|panel| panel.row(REGISTERS)).map(|row| row.new.clone());
        Milestone {
            date: date.to_owned(),
            commit: commit.to_owned(),
            change: change.to_owned(),
            time: audit.performance.time.new.clone(),
            flop_rate: audit.performance.flop_rate.as_ref().map(|row| row.new.clone()),
            registers: registers.unwrap_or_else(|| Reading::not_collected(REGISTERS)),
            stall: audit.stalls.top().map(|(table, row)| (row.row.label.clone(), table.basis, row.row.new.clone())),
            verdict: match audit.standing() {
                Standing::Wrong => Some(Verdict::Wrong),
                Standing::Correct | Standing::NotChecked => {
                    audit.comparison.as_ref().map(|comparison| comparison.whole.verdict)
                }
            },
            hypotheses: audit.hypotheses.iter().map(Concluded::of).collect(),
            is_code_alone: false,
        }
    }

    /// The milestone of an audit without a report.
    fn of_code(date: &str, commit: &str, change: &str, audit: &Audit) -> Milestone {
        const WHY: &str = "the audit is of the code alone";
        let registers = audit.code.first().and_then(|code| code.registers());
        let registers = registers.and_then(|count| Quantity::new(count as f64, Unit::NONE));
        Milestone {
            date: date.to_owned(),
            commit: commit.to_owned(),
            change: change.to_owned(),
            time: Reading::not_applicable(WHY),
            flop_rate: None,
            registers: registers.map_or_else(
                || Reading::not_applicable(WHY),
                |quantity| Reading::measured(quantity, &"build: registers per thread".into()),
            ),
            stall: None,
            verdict: None,
            hypotheses: audit.hypotheses.iter().map(Concluded::of).collect(),
            is_code_alone: true,
        }
    }
}

impl Concluded {
    fn of(tested: &Tested) -> Concluded {
        Concluded {
            name: tested.name.clone(),
            change: tested.change.clone(),
            judgement: tested.judgement,
            reason: tested.reason.clone(),
        }
    }
}
