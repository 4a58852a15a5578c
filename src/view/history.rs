//! The history of a subject: one row for each audit, the oldest first.

use super::brief::called;
use super::document::{Block, Cell, Table};
use super::heading::Heading;
use super::tables::{self, code, columns_of, heading as head, paragraph, text};
use crate::analysis::{Audit, Milestone, StallBasis};
use crate::quantity::{Quantity, Unit, format};

/// A row of the history as finished strings; empty where there is nothing to say.
#[derive(Clone, Debug, Default, PartialEq, Eq, serde::Serialize)]
pub(crate) struct HistoryRow {
    /// `YYYY-MM-DD`, with the number of a later audit of the day.
    pub date: String,
    pub commit: String,
    pub change: String,
    /// The GPU that it was measured on.
    pub gpu: String,
    /// Time of one launch.
    pub time: String,
    /// Rate of the stated work.
    pub rate: String,
    /// The time of what it was timed beside, in percent of its own.
    pub share: String,
    pub registers: String,
    /// The largest stall with its share.
    pub stall: String,
    /// The verdict against the baseline of that audit.
    pub verdict: String,
}

/// The rows of some milestones, in their order.
pub(crate) fn history_rows(milestones: &[Milestone]) -> Vec<HistoryRow> {
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
        gpu: milestone.gpu.clone(),
        time: milestone
            .timed_ns
            .and_then(|ns| Quantity::new(ns, Unit::NS))
            .map_or_else(|| number(&milestone.time), format::quantity),
        rate: milestone.rate().map(format::quantity).unwrap_or_default(),
        share: milestone
            .beside
            .as_ref()
            .map(|(name, percent)| format!("{} % of {}", format::fixed(*percent, 0), called(name)))
            .unwrap_or_default(),
        registers: milestone.registers.value().map_or_else(|| "not measured".to_owned(), |n| format::fixed(n, 0)),
        stall: milestone
            .stall
            .as_ref()
            .map(|(label, on, share)| format!("{label}, {}{}", number(share), basis(*on)))
            .unwrap_or_default(),
        verdict: milestone.outcome().unwrap_or_else(|| {
            if milestone.is_code_alone { "code alone".to_owned() } else { "no baseline".to_owned() }
        }),
    }
}

impl HistoryRow {
    /// What it says, in the order of the columns.
    pub(crate) fn cells(&self) -> [&String; 10] {
        let HistoryRow { date, commit, change, gpu, time, rate, share, registers, stall, verdict } = self;
        [date, commit, change, gpu, time, rate, share, registers, stall, verdict]
    }
}

pub(crate) fn history_table(rows: &[HistoryRow]) -> Table {
    // A GPU that all have is on each page.
    let has_gpus = rows.iter().any(|row| row.gpu != rows[0].gpu);
    let line = |row: &HistoryRow| {
        let mut cells = row.cells().map(|words| text(words.clone())).to_vec();
        if !row.commit.is_empty() {
            cells[1] = code(row.commit.clone());
        }
        if !has_gpus {
            cells[3] = Cell::default();
        }
        cells
    };
    let columns = columns_of(
        "Date | Commit | Change | GPU | Time: | Rate: | Of the reference: | Registers: | Top stall | Verdict",
    );
    tables::filled("history", columns, rows.iter().map(line).collect())
}

/// What audits are compared with: subject, day, snapshot, commit and reason in each row.
pub fn baselines(rows: &[[String; 5]]) -> Table {
    let line = |row: &[String; 5]| row.iter().map(|cell| text(cell.clone())).collect();
    let columns = columns_of("Subject | From | Compared with | Commit | Why");
    tables::table("baselines", columns, rows.iter().map(line).collect())
}

/// The history with this audit as its last row; nothing when there is no earlier audit.
pub(super) fn blocks(heading: &Heading, audit: &Audit) -> Vec<Block> {
    if heading.history.is_empty() {
        return Vec::new();
    }
    let own = heading.milestone(audit);
    let mut rows = history_rows(heading.shown());
    rows.push(row(&own));
    let words = "One row for each audit of this subject; the verdict is against the baseline of that audit.";
    let mut blocks = vec![head("history", "History"), paragraph("history", words)];
    blocks.push(history_table(&rows).into());
    blocks
}
