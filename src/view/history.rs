//! The history of a subject: one row for each audit, the oldest first.

use super::brief::{lead::called, versions};
use super::document::{Cell, Table};
use super::floor;
use super::tables::{self, code, text};
use crate::analysis::Milestone;
use crate::quantity::{format, glance};

/// A column of the history: what JSON calls it, its title, and what it says of an audit beside the first one; empty where there is nothing
/// to say.
type Fact = (&'static str, &'static str, fn(&Milestone, &Milestone) -> String);

pub(crate) const HISTORY: [Fact; 11] = [
    ("date", "Date", |audit, _| audit.day()),
    ("commit", "Commit", |audit, _| audit.commit.clone()),
    ("change", "Change", |audit, _| audit.change.clone()),
    ("gpu", "GPU", |audit, _| audit.gpu.clone()),
    ("time", "Time:", |audit, _| audit.ns().map_or_else(|| NOT_MEASURED.to_owned(), glance::time)),
    ("rate", "Rate:", |audit, _| {
        audit.rate().map(|rate| glance::rate(rate.value(), rate.unit().as_str())).unwrap_or_default()
    }),
    ("share", "Of the reference:", |audit, _| {
        let share = |(name, percent): &(String, f64)| format!("{} % of {}", format::fixed(*percent, 0), called(name));
        audit.beside.as_ref().map(share).unwrap_or_default()
    }),
    ("floor", "Of the floor:", floor::standing),
    ("registers", "Registers:", |audit, _| {
        audit.registers.value().map_or_else(|| NOT_MEASURED.to_owned(), |count| format::fixed(count, 0))
    }),
    ("limiter", "Limited by", |audit, _| audit.limiter.map(|limiter| limiter.to_string()).unwrap_or_default()),
    ("verdict", "Verdict", |audit, _| {
        let none = if audit.is_code_alone { "code alone" } else { "no baseline" };
        audit.outcome().unwrap_or_else(|| none.to_owned())
    }),
];

/// What the history says of an audit, in the order of [`HISTORY`].
pub(crate) type HistoryRow = [String; HISTORY.len()];

pub(crate) fn history_rows(milestones: &[Milestone]) -> Vec<HistoryRow> {
    milestones.iter().map(|own| HISTORY.map(|(.., say)| say(own, &milestones[0]))).collect()
}

const NOT_MEASURED: &str = "not measured";

pub(crate) fn history_table(rows: &[HistoryRow]) -> Table {
    const GPU: usize = 3;
    // A GPU that all have is on each page.
    let has_gpus = rows.iter().any(|row| row[GPU] != rows[0][GPU]);
    let line = |[date, commit, change, rest @ ..]: &HistoryRow| {
        let commit = if commit.is_empty() { Cell::default() } else { code(commit.clone()) };
        let mut cells = vec![text(date.clone()), commit, text(versions::in_short(change))];
        cells.extend(rest.iter().map(|words| text(words.clone())));
        if !has_gpus {
            cells[GPU] = Cell::default();
        }
        cells
    };
    tables::filled("history", HISTORY.map(|(_, title, _)| title).join(" | "), rows.iter().map(line))
}

/// What audits are compared with: subject, day, snapshot, commit and reason in each row.
pub fn baselines(rows: &[[String; 5]]) -> Table {
    let line = |row: &[String; 5]| row.iter().map(|cell| text(cell.clone())).collect();
    tables::table("baselines", "Subject | From | Compared with | Commit | Why", rows.iter().map(line))
}
