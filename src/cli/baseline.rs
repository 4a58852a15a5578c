//! The old side of an audit: a file that is named, the pinned snapshot, else the last audit of the subject; and
//! `audit baseline`.

use super::args::{Baseline, BaselineVerb, Folder, Note, PinBaseline};
use super::plan::out_folder;
use super::{Failure, moment};
use crate::analysis::code::CodeFacts;
use crate::analysis::{self, Mark, Side};
use crate::render::{Output, markdown_table, page_lock, write_together};
use crate::snapshot::{Dated, Pin, Pinned, Pins, Record, Snapshot, SnapshotError, earlier, subjects};
use crate::view;
use std::io::Write;
use std::path::Path;

/// Where the old side of an audit comes from.
#[derive(Clone, Debug, Default)]
pub(super) struct Found {
    pub(super) side: Option<Side>,
    /// In words, or why there is none.
    pub(super) words: String,
    /// The snapshot, as [`Heading::against`](crate::view::Heading) says it.
    pub(super) against: String,
    /// Its mark, where it is an audit of the series.
    pub(super) with: Option<Mark>,
}

impl Found {
    pub(super) fn none(words: &str) -> Found {
        Found { words: words.to_owned(), ..Found::default() }
    }
}

/// What is said where the old side that is named holds the launches under audit.
pub(super) const ITSELF: &str = "The named baseline holds the launches under audit: nothing is compared with itself.";

/// The old side of a subject's audit at a moment from a snapshot: the one that is given, the pinned one, else the newest that
/// passed or was accepted among those that the audit is made `after`. What was measured is never the old side that somebody names
/// for it; a kernel that went back is compared with the audit that it went back to.
pub(super) fn find(
    given: Option<&Path>,
    folder: &Path,
    record: &Record,
    after: &[Mark],
    (subject, at): (&str, Dated),
    new: &Side,
) -> Result<Found, Failure> {
    let found = |snapshot: Snapshot, words: String, against: String| Found {
        with: Some(snapshot.milestone.mark()),
        side: Some(snapshot.evidence.new.as_old()),
        words,
        against,
    };
    if let Some(path) = given {
        let snapshot = Snapshot::read(path)?;
        if snapshot.evidence.new.is_same_measurement(new) {
            return Ok(Found::none(ITSELF));
        }
        let words = format!("the audit {}", of(&snapshot));
        let mark = snapshot.milestone.mark();
        let given = found(snapshot, words, analysis::without_home(&path.display().to_string()));
        // An audit of another folder is none of the series.
        return Ok(Found { with: record.entry(&mark).is_some().then_some(mark), ..given });
    }
    if let Some((pin, snapshot)) = Pins::snapshot(folder, subject, at)?
        && !snapshot.evidence.new.is_same_measurement(new)
    {
        let against = pin.to.map(|to| to.snapshot).unwrap_or_default();
        return Ok(found(snapshot, format!("baseline pinned on {}: {}", pin.date, pin.reason), against));
    }
    // One that is dated before others stands behind those of its day.
    let is_later = |mark: &Mark| record.entry(mark).is_some_and(|entry| entry.found.at > at);
    let before = if after.iter().any(is_later) { record.followed(Some(at)) } else { after.to_vec() };
    let standing = record.series.behind(&before);
    let Some(entry) = standing.baseline.as_ref().and_then(|mark| record.entry(mark)) else {
        // The page says it; an audit of today does not fail over a file of an earlier day.
        let lost = record.lost.iter().rfind(|(found, _)| found.at < at);
        let words = match lost {
            Some((_, error)) => unusable(folder, error),
            None => String::new(),
        };
        return Ok(Found::none(&words));
    };
    let snapshot = match Snapshot::read(&entry.found.path) {
        Ok(snapshot) => snapshot,
        Err(error) => return Ok(Found::none(&unusable(folder, &error))),
    };
    let is_last = before.contains(&entry.milestone.mark());
    let which = if is_last { "the audit before" } else { "the last audit that passed" };
    // An audit that follows another one and holds the launches of an earlier one is of a kernel that went back.
    let is_back = snapshot.evidence.new.is_same_measurement(new);
    let back = if is_back { ", whose launches these are: the kernel went back to it" } else { "" };
    let words = format!("{which}, {}{back}", of(&snapshot));
    let against = entry.found.name();
    Ok(found(snapshot, words, against))
}

/// Why the audit before is no baseline.
pub(super) fn unusable(folder: &Path, error: &SnapshotError) -> String {
    let first = error.to_string().lines().next().unwrap_or_default().to_owned();
    let shown = first.replace(&format!("{}{}", folder.display(), std::path::MAIN_SEPARATOR), "");
    format!("The audit before cannot be used: {}.", analysis::without_home(&shown))
}

/// The machine code of the last audit of a subject before a moment that has another, with a report or without; `None`
/// where there is none. Errors: an earlier audit that cannot be read.
pub(super) fn code(
    folder: &Path,
    subject: &str,
    at: Dated,
    new: &Side,
) -> Result<Option<Vec<CodeFacts>>, SnapshotError> {
    for found in earlier(folder, subject, Some(at))?.into_iter().rev() {
        let side = Snapshot::read(&found.path)?.evidence.new;
        if !side.code.is_empty() && !side.is_same_measurement(new) {
            return Ok(Some(side.code));
        }
    }
    Ok(None)
}

fn of(snapshot: &Snapshot) -> String {
    let heading = &snapshot.heading;
    let commit = if heading.commit.is_empty() { String::new() } else { format!(", commit {}", heading.commit) };
    format!("of {}{commit}", heading.day())
}

pub(super) fn run(arguments: &Baseline, out: &mut dyn Write) -> Result<(), Failure> {
    match &arguments.verb {
        BaselineVerb::Pin(pin) => self::pin(pin, out),
        BaselineVerb::Unpin(unpin) => self::unpin(unpin, out),
        BaselineVerb::List(folder) => list(folder, out),
    }
}

/// Notes the newest snapshot of a subject, or the one that is named, as its baseline.
fn pin(arguments: &PinBaseline, out: &mut dyn Write) -> Result<(), Failure> {
    let folder = out_folder(&arguments.note.folder)?;
    let subject = arguments.note.name.as_str();
    let reason = reason(&arguments.note.reason, "a baseline is pinned")?;
    let path = match &arguments.snapshot {
        Some(path) => path.clone(),
        None => earlier(&folder, subject, None)?.pop().map(|found| found.path).ok_or_else(|| {
            Failure::usage(format!(
                "{} holds no snapshot of {subject}\n  help: run `audit generate {subject}`, or name one with --snapshot FILE",
                folder.display()
            ))
        })?,
    };
    let snapshot = Snapshot::read(&path)?;
    let name = file(&path);
    let same = |a: &Path, b: &Path| match (a.canonicalize(), b.canonicalize()) {
        (Ok(a), Ok(b)) => a == b,
        _ => false,
    };
    if snapshot.heading.subject != subject || !same(&folder.join(&name), &path) {
        return Err(Failure::usage(format!(
            "{} is an audit of {}, expected one of {subject} in {}\n  help: pins name snapshots of their subject in the folder of audits",
            path.display(),
            snapshot.heading.subject,
            folder.display()
        )));
    }
    let measured = snapshot.evidence.new.hash().unwrap_or_default().to_owned();
    let to = Pinned { snapshot: name.clone(), sha256: snapshot.sha256, measured, commit: snapshot.heading.commit };
    let date = moment::date(arguments.note.date)?.to_string();
    note(&folder, Pin { subject: subject.to_owned(), date, reason, to: Some(to) }, &name, out)
}

fn unpin(arguments: &Note, out: &mut dyn Write) -> Result<(), Failure> {
    let folder = out_folder(&arguments.folder)?;
    let subject = arguments.name.as_str();
    let reason = reason(&arguments.reason, "a pin is taken back")?;
    let date = moment::date(arguments.date)?;
    if Pins::read(&folder)?.of(subject, date).is_none() {
        return Err(Failure::usage(format!(
            "no baseline of {subject} is pinned on {date}\n  help: `audit baseline list` shows the pins"
        )));
    }
    let pin = Pin { subject: subject.to_owned(), date: date.to_string(), reason, to: None };
    note(&folder, pin, "the one before", out)
}

fn reason(text: &str, what: &str) -> Result<String, Failure> {
    match text.trim() {
        "" => Err(Failure::usage(format!("{what} for a reason\n  help: give it with --reason TEXT"))),
        _ => Ok(text.to_owned()),
    }
}

/// Puts a pin among those of the folder, and says so.
fn note(folder: &Path, pin: Pin, with: &str, out: &mut dyn Write) -> Result<(), Failure> {
    let file = Pins::path(folder);
    let said = format!("{}: audits of {} from {} on are compared with {with}", file.display(), pin.subject, pin.date);
    let _lock = page_lock(&file)?;
    let mut pins = Pins::read(folder)?;
    pins.put(pin);
    let text = pins.to_toml().map_err(|error| Failure::usage(format!("the pins cannot be kept: {error}")))?;
    write_together(&[Output { path: &file, bytes: text.as_bytes() }])?;
    writeln!(out, "{said}")?;
    Ok(())
}

/// Prints what the next audit of each subject is compared with, and what was before that.
fn list(folder: &Folder, out: &mut dyn Write) -> Result<(), Failure> {
    let folder = out_folder(folder)?;
    let pins = Pins::read(&folder)?;
    let mut rows = Vec::new();
    for subject in subjects(&folder)? {
        let last = earlier(&folder, &subject, None)?.pop();
        let of_subject = || pins.pin.iter().filter(|pin| pin.subject == subject);
        if of_subject().count() == 0 {
            rows.push([
                subject.clone(),
                String::new(),
                last.map_or_else(String::new, |found| file(&found.path)),
                String::new(),
                "the last audit".to_owned(),
            ]);
        }
        for pin in of_subject() {
            let (snapshot, commit) = match &pin.to {
                Some(to) => (to.snapshot.clone(), to.commit.clone()),
                None => ("the audit before".to_owned(), String::new()),
            };
            rows.push([subject.clone(), pin.date.clone(), snapshot, commit, pin.reason.clone()]);
        }
    }
    write!(out, "{}", markdown_table(&view::baselines(&rows)))?;
    Ok(())
}

fn file(path: &Path) -> String {
    path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default()
}
