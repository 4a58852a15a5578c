//! `audit history`: every audit of a subject, from the snapshots that lie in the folder of audits.

use super::args::{History, HistoryFormat};
use super::failure::Failure;
use super::moment;
use super::plan::out_folder;
use crate::render::{markdown_table, svg};
use crate::snapshot::milestones;
use crate::view::charts::history_chart;
use crate::view::{self, HistoryRow};
use std::io::Write;

/// A row with what git says of its commit.
#[derive(serde::Serialize)]
struct Printed {
    #[serde(flatten)]
    row: HistoryRow,
    /// The first line of the commit's message; empty where git does not know it.
    subject_line: String,
}

pub(super) fn run(arguments: &History, out: &mut dyn Write) -> Result<(), Failure> {
    let folder = out_folder(arguments.folder.out.as_deref(), arguments.folder.config.as_deref())?;
    let subject = arguments.subject.as_str();
    let (known, lost) = milestones(&folder, subject, None)?;
    if known.is_empty() && lost.is_empty() {
        return Err(Failure::usage(format!(
            "{} holds no snapshot of {subject}\n  help: run `audit generate {subject}`, or name the folder with --out",
            folder.display()
        )));
    }
    let mut unknown = 0;
    let rows: Vec<Printed> = view::history_rows(&known)
        .into_iter()
        .map(|mut row| {
            let commit = row.commit.trim_end_matches("-dirty");
            let subject_line = moment::subject_line(&folder, commit);
            unknown += usize::from(subject_line.is_none() && !commit.is_empty());
            let subject_line = subject_line.unwrap_or_default();
            if row.change.is_empty() {
                row.change.clone_from(&subject_line);
            }
            Printed { row, subject_line }
        })
        .collect();
    let failed = |error: &dyn std::fmt::Display| Failure::usage(format!("the history cannot be printed: {error}"));
    match arguments.format {
        HistoryFormat::Json => {
            let lost: Vec<String> = lost.iter().map(ToString::to_string).collect();
            let value = serde_json::json!({
                "schema": "kernel-audit/history/1", "subject": subject, "audits": rows, "milestones": known,
                "unreadable": lost, "commits_unknown": unknown,
            });
            writeln!(out, "{}", serde_json::to_string_pretty(&value).map_err(|error| failed(&error))?)?;
            return Ok(());
        }
        HistoryFormat::Csv => {
            let mut writer = csv::Writer::from_writer(&mut *out);
            let record = |r: &HistoryRow| {
                [&r.date, &r.commit, &r.change, &r.time, &r.rate, &r.registers, &r.stall, &r.verdict].map(String::clone)
            };
            let head = ["date", "commit", "change", "time", "rate", "registers", "top_stall", "verdict"];
            writer.write_record(head).map_err(|error| failed(&error))?;
            for printed in &rows {
                writer.write_record(record(&printed.row)).map_err(|error| failed(&error))?;
            }
            writer.flush()?;
        }
        HistoryFormat::Svg => {
            let chart = history_chart(&known).ok_or_else(|| {
                let count = known.len();
                Failure::usage(format!("a chart needs three audits with a time, {subject} has {count} audits"))
            })?;
            write!(out, "{}", svg::file(&chart))?;
        }
        HistoryFormat::Md => {
            let rows: Vec<HistoryRow> = rows.into_iter().map(|printed| printed.row).collect();
            write!(out, "{}", markdown_table(&view::history_table(&rows)))?;
            let refuted = view::ledger(&known);
            if !refuted.rows.is_empty() {
                writeln!(out, "\nRefuted hypotheses:\n")?;
                write!(out, "{}", markdown_table(&refuted))?;
            }
            for error in &lost {
                writeln!(out, "\nNot in the table: {error}")?;
            }
            if unknown > 0 {
                writeln!(
                    out,
                    "\n{unknown} of the commits are not known to git here (no repository, a shallow clone, or rewritten \
                     history): their messages cannot be shown."
                )?;
            }
        }
    }
    Ok(())
}
