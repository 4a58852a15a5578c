//! One line of a subject's history.

use super::audit::Audit;
use super::correct::Standing;
use super::stalls::StallBasis;
use super::verdict::Verdict;
use crate::evidence::Reading;

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
}

impl Milestone {
    /// The milestone of an audit.
    pub fn of(date: &str, commit: &str, change: &str, audit: &Audit) -> Milestone {
        const REGISTERS: &str = "launch__registers_per_thread";
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
        }
    }
}
