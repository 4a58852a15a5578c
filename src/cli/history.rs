//! `audit history`: every audit of a subject, from the snapshots that lie in the folder of audits.

use super::args::{History, HistoryFormat};
use super::plan::{config_of, out_folder};
use super::stale::{Sources, beside};
use super::{Failure, Made, Status};
use crate::analysis::Limits;
use crate::catalog::Threshold;
use crate::plain;
use crate::render::{markdown_table, svg};
use crate::snapshot::{Record, Snapshot, SnapshotError, earlier};
use crate::view::charts::history_chart;
use crate::view::{self, HISTORY, HistoryRow};
use std::collections::BTreeMap;
use std::io::Write;
use std::path::Path;

pub(super) fn run(arguments: &History, out: &mut dyn Write) -> Result<(), Failure> {
    let folder = out_folder(&arguments.folder)?;
    let subject = arguments.subject.as_str();
    let config = config_of(&arguments.folder)?;
    let mut limits = Limits::default();
    limits.overrides.extend(config.iter().flat_map(|config| config.thresholds.clone()));
    let record = Record::read(&folder, subject, limits[Threshold::Regression])?;
    let known = record.milestones();
    let lost: Vec<&SnapshotError> = record.lost.iter().map(|(_, error)| &**error).collect();
    if known.is_empty() && lost.is_empty() {
        return Err(Failure::usage(format!(
            "{} holds no snapshot of {subject}\n  help: run `audit generate {subject}`, or name the folder with --out",
            folder.display()
        )));
    }
    let commits: Vec<&str> = known.iter().map(|milestone| milestone.commit.as_str()).collect();
    let messages = messages(arguments, &folder, &commits)?;
    let mut unknown = 0;
    let mut rows: Vec<HistoryRow> = view::history_rows(&known);
    for ([_, commit, change, ..], message) in rows.iter_mut().zip(&messages) {
        unknown += usize::from(message.is_none() && !commit.is_empty() && !commit.ends_with("-dirty"));
        if change.is_empty() {
            change.clone_from(message.as_ref().unwrap_or(&String::new()));
        }
    }
    match arguments.format {
        HistoryFormat::Json => {
            let lost: Vec<String> = lost.iter().map(ToString::to_string).collect();
            // With the first line of the message of the commit that made the version; empty where git does not know it.
            let audits = rows.iter().zip(&messages).map(|(row, message)| {
                let facts = HISTORY.iter().map(|(key, ..)| *key).zip(row.iter().map(String::as_str));
                facts.chain([("subject_line", message.as_deref().unwrap_or_default())]).collect()
            });
            let rows: Vec<BTreeMap<&str, &str>> = audits.collect();
            let value = serde_json::json!({
                "schema": "kernel-audit/history/1", "subject": subject, "audits": rows, "milestones": known,
                "misnamed": record.misnamed(), "unreadable": lost, "commits_unknown": unknown,
            });
            let printed = serde_json::to_string_pretty(&value).map_err(Failure::unprinted("the history"))?;
            writeln!(out, "{printed}")?;
        }
        HistoryFormat::Csv => {
            let failed = |error: csv::Error| Failure::usage(format!("the history cannot be printed: {error}"));
            let mut writer = csv::Writer::from_writer(&mut *out);
            writer.write_record(HISTORY.map(|(key, ..)| key)).map_err(failed)?;
            for row in &rows {
                writer.write_record(row.each_ref().map(|text| cell(text))).map_err(failed)?;
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
            write!(out, "{}", markdown_table(&view::history_table(&rows)))?;
            let decided = view::ledger(&known);
            if !decided.rows.is_empty() {
                writeln!(out, "\nHypotheses:\n")?;
                write!(out, "{}", markdown_table(&decided))?;
            }
            for said in record.misnamed() {
                writeln!(out, "\nNot in its place: {said}")?;
            }
            for error in &lost {
                writeln!(out, "\nNot in the table: {error}")?;
            }
            if unknown > 0 {
                writeln!(
                    out,
                    "\nCommits that git does not know here: {unknown} (no repository, a shallow clone, or rewritten history). \
                     Their messages cannot be shown."
                )?;
            }
        }
    }
    if lost.iter().any(|error| error.is_changed()) { Err(Failure::verdict(Status::Unreadable)) } else { Ok(()) }
}

/// What git says of the versions that were audited at some commits. A tree with changes is not what the message of its commit
/// says, and gets none.
fn messages(arguments: &History, folder: &Path, commits: &[&str]) -> Result<Vec<Option<String>>, Failure> {
    let config = config_of(&arguments.folder)?;
    let project = config.as_ref().map_or(folder, |config| &config.folder);
    let sources = Sources::of(project);
    let newest = earlier(folder, arguments.subject.as_str(), None)?.pop();
    let newest = newest.and_then(|found| Snapshot::read(&found.path).ok()).map(Made::of);
    let mut stated = config.iter().flat_map(|config| &config.subjects);
    let stated = stated.find(|stated| stated.name == arguments.subject);
    let files = newest.as_ref().map(|made| sources.files(made, stated)).unwrap_or_default();
    let beside = match &config {
        Some(config) => beside(&config.subjects, &[folder], project),
        None => vec![".".into()],
    };
    Ok(commits.iter().map(|commit| sources.message(commit, &files, &beside)).collect())
}

/// A cell of a CSV file that a spreadsheet takes for text or a number, never for a formula.
fn cell(text: &str) -> String {
    let text = plain::one_line(text);
    let is_number = |text: &str| text.chars().all(|c| c.is_ascii_digit() || matches!(c, '.' | ',' | ' ' | '%'));
    match text.chars().next() {
        Some('-' | '+') if is_number(&text[1..]) => text,
        Some('=' | '+' | '-' | '@') => format!("'{text}"),
        _ => text,
    }
}
