//! The history of a subject: one row for each audit, the oldest first.

use super::document::{Block, Table};
use super::heading::Heading;
use super::tables::{self, code, heading as head, left, paragraph, right, text};
use crate::analysis::{Audit, Milestone, StallBasis};
use crate::quantity::format;

/// A row of the history as finished strings; empty where there is nothing to say.
#[derive(Clone, Debug, Default, PartialEq, Eq, serde::Serialize)]
pub struct HistoryRow {
    /// `YYYY-MM-DD`, with the number of a later audit of the day.
    pub date: String,
    /// The commit.
    pub commit: String,
    /// What it changed.
    pub change: String,
    /// Time of one launch.
    pub time: String,
    /// Rate of the stated work.
    pub rate: String,
    /// Registers per thread.
    pub registers: String,
    /// The largest stall with its share.
    pub stall: String,
    /// The verdict against the baseline of that audit.
    pub verdict: String,
}

/// The rows of some milestones, in their order.
pub fn history_rows(milestones: &[Milestone]) -> Vec<HistoryRow> {
    milestones.iter().map(row).collect()
}

fn row(milestone: &Milestone) -> HistoryRow {
    let number = |reading: &crate::evidence::Reading| {
        reading.quantity().map_or_else(|| "not measured".to_owned(), format::quantity)
    };
    let basis = |basis: StallBasis| match basis {
        StallBasis::ShareOfWarpTime => " of warp time",
        StallBasis::PerIssue => " per issue",
        StallBasis::ShareOfActive => " of active warps",
        StallBasis::PercentOfPeak => " of peak",
        StallBasis::Samples => " of samples",
    };
    HistoryRow {
        date: milestone.day(),
        commit: milestone.commit.clone(),
        change: milestone.change.clone(),
        time: number(&milestone.time),
        rate: milestone.flop_rate.as_ref().map(number).unwrap_or_default(),
        registers: milestone.registers.value().map_or_else(|| "not measured".to_owned(), |n| format::fixed(n, 0)),
        stall: milestone
            .stall
            .as_ref()
            .map(|(label, on, share)| format!("{label}, {}{}", number(share), basis(*on)))
            .unwrap_or_default(),
        verdict: match milestone.verdict {
            Some(verdict) => verdict.word().to_owned(),
            None if milestone.is_code_alone => "code alone".to_owned(),
            None => "no baseline".to_owned(),
        },
    }
}

/// The rows as a table.
pub fn history_table(rows: &[HistoryRow]) -> Table {
    let line = |row: &HistoryRow| {
        let commit = if row.commit.is_empty() { text("") } else { code(row.commit.clone()) };
        vec![
            text(row.date.clone()),
            commit,
            text(row.change.clone()),
            text(row.time.clone()),
            text(row.rate.clone()),
            text(row.registers.clone()),
            text(row.stall.clone()),
            text(row.verdict.clone()),
        ]
    };
    tables::table(
        "history",
        vec![
            left("Date"),
            left("Commit"),
            left("Change"),
            right("Time"),
            right("Rate"),
            right("Registers"),
            left("Top stall"),
            left("Verdict"),
        ],
        rows.iter().map(line).collect(),
    )
}

/// What audits are compared with: subject, day, snapshot, commit and reason in each row.
pub fn baselines(rows: &[[String; 5]]) -> Table {
    let columns = ["Subject", "From", "Compared with", "Commit", "Why"].map(left);
    tables::table(
        "baselines",
        columns.to_vec(),
        rows.iter().map(|row| row.iter().map(|cell| text(cell.clone())).collect()).collect(),
    )
}

/// The history with this audit as its last row; nothing when there is no earlier audit.
pub(super) fn blocks(heading: &Heading, audit: &Audit) -> Vec<Block> {
    if heading.history.is_empty() {
        return Vec::new();
    }
    let own = heading.milestone(audit);
    let mut rows = history_rows(&heading.history);
    rows.push(row(&own));
    let words = "One row for each audit of this subject; the verdict is against the baseline of that audit.";
    let mut blocks = vec![head("history", "History"), paragraph("history", words)];
    blocks.push(history_table(&rows).into());
    blocks
}
