//! What the folder of audits keeps of a subject: its audits in their order, what people accepted and pinned, and how the
//! series stands.

use super::error::SnapshotError;
use super::file::{SCHEMA, Snapshot};
use super::folder::{Dated, Found, earlier};
use super::head;
use super::notes::{AcceptedFile, Pins};
use crate::analysis::{Mark, Milestone, Series, SeriesAgainst as Against, SeriesStep};
use chrono::NaiveDate;
use std::collections::{HashMap, HashSet};
use std::path::Path;
use std::sync::Arc;

#[derive(Clone, Debug)]
pub(crate) struct Entry {
    pub found: Found,
    /// Its line in the history, with how it stands.
    pub milestone: Milestone,
}

/// The marks of a series by what an audit of it may be known by; of several the first.
#[derive(Default)]
struct Names {
    all: HashSet<Mark>,
    /// By the measurement, where it is noted.
    measured: HashMap<String, Mark>,
    /// By the day: among those without a measurement alone, or among all.
    days: HashMap<(String, bool), Mark>,
}

impl Names {
    fn of(entries: &[Entry]) -> Names {
        let mut names = Names::default();
        for mark in entries.iter().map(|entry| entry.milestone.mark()) {
            let is_blank = mark.measured.is_empty();
            if is_blank {
                names.days.entry((mark.day.clone(), true)).or_insert_with(|| mark.clone());
            } else {
                names.measured.entry(mark.measured.clone()).or_insert_with(|| mark.clone());
            }
            names.days.entry((mark.day.clone(), false)).or_insert_with(|| mark.clone());
            names.all.insert(mark);
        }
        names
    }

    /// The mark of an audit as it is called now: one that took another number of its day is known by what was measured.
    fn known(&self, mark: Mark) -> Mark {
        if self.all.contains(&mark) {
            return mark;
        }
        let is_noted = !mark.measured.is_empty();
        let of_day = || self.days.get(&(mark.day.clone(), is_noted));
        self.measured.get(&mark.measured).or_else(of_day).cloned().unwrap_or(mark)
    }
}

#[derive(Clone, Debug, Default)]
pub(crate) struct Record {
    /// Its audits in the order of their days.
    pub entries: Vec<Entry>,
    pub lost: Vec<(Found, Arc<SnapshotError>)>,
    pub accepted: AcceptedFile,
    pins: Pins,
    subject: String,
    /// Percent from which on a slow-down counts.
    smallest: f64,
    pub series: Series,
}

impl Record {
    /// What `folder` keeps of a subject, where a slow-down counts from `smallest` percent on. Errors: a folder, or
    /// notes of people, that are there and cannot be read.
    pub(crate) fn read(folder: &Path, subject: &str, smallest: f64) -> Result<Record, SnapshotError> {
        Record::of(earlier(folder, subject, None)?, folder, subject, &Pins::read(folder)?, smallest, true)
    }

    /// The same of snapshots and pins that were looked for before; for a table, which is no judgement, the evidence of the audits is
    /// not read. Errors: acceptances that are there and cannot be read.
    pub(crate) fn of(
        found: Vec<Found>,
        folder: &Path,
        subject: &str,
        pins: &Pins,
        smallest: f64,
        is_judged: bool,
    ) -> Result<Record, SnapshotError> {
        let milestones = match is_judged {
            true => found.iter().map(|found| Snapshot::read_milestone(&found.path)).collect(),
            false => milestones(&found),
        };
        let (mut entries, mut lost) = (Vec::new(), Vec::new());
        for (found, milestone) in found.into_iter().zip(milestones) {
            match milestone {
                Ok(milestone) => entries.push(Entry { found, milestone }),
                Err(error) => lost.push((found, Arc::new(error))),
            }
        }
        let pins = Pins { pin: pins.pin.iter().filter(|pin| pin.subject == subject).cloned().collect() };
        let accepted = AcceptedFile::read(folder, subject)?;
        let record =
            Record { entries, lost, accepted, pins, subject: subject.to_owned(), smallest, ..Record::default() };
        Ok(record.judged())
    }

    /// The record with an audit in its place, in the place of the one that is there.
    #[must_use]
    pub(crate) fn with(mut self, entry: Entry) -> Record {
        self.entries.retain(|other| other.found.at != entry.found.at);
        self.entries.push(entry);
        self.entries.sort_by(|a, b| a.found.cmp(&b.found));
        self.judged()
    }

    #[must_use]
    pub(crate) fn without(mut self, at: Dated) -> Record {
        self.entries.retain(|other| other.found.at != at);
        self.judged()
    }

    /// The record with what people accepted otherwise.
    #[must_use]
    pub(crate) fn accepting(self, accepted: AcceptedFile) -> Record {
        Record { accepted, ..self }.judged()
    }

    fn judged(mut self) -> Record {
        let names = Names::of(&self.entries);
        let steps: Vec<SeriesStep> = self.entries.iter().map(|entry| self.step(entry, &names)).collect();
        let made_for = |one: usize| self.accepted.accepted.get(one)?.audit.clone();
        self.series = Series::of(&steps, self.smallest, made_for);
        for entry in &mut self.entries {
            let standing = self.series.at(&entry.milestone.mark()).unwrap_or_default();
            (entry.milestone.is_accepted, entry.milestone.problem) = (standing.accepted.is_some(), standing.problem);
        }
        self
    }

    /// The audit that is pinned as the baseline of another.
    pub(crate) fn pin_of(&self, entry: &Entry) -> Option<Mark> {
        let own = &entry.milestone;
        let pin = own.date.parse::<NaiveDate>().ok().and_then(|date| self.pins.of(&self.subject, date)?.to.clone());
        let pinned = pin.and_then(|pin| self.entries.iter().find(|other| other.found.name() == pin.snapshot));
        let pinned = pinned.filter(|pinned| pinned.found.at < entry.found.at);
        pinned.map(|pinned| pinned.milestone.mark())
    }

    fn step(&self, entry: &Entry, names: &Names) -> SeriesStep {
        let own = &entry.milestone;
        let step = own.step();
        let after = step.after.map(|after| after.into_iter().map(|mark| names.known(mark)).collect());
        let against = match step.against {
            Against::Audit(mark) => Against::Audit(names.known(mark)),
            other => other,
        };
        SeriesStep { accepted: self.accepted.about(own), pin: self.pin_of(entry), after, against, ..step }
    }

    /// What an audit that is made now follows: every audit that nothing follows yet, and those that cannot be read. Of one
    /// that has its place already, those before it.
    pub(crate) fn followed(&self, at: Option<Dated>) -> Vec<Mark> {
        let is_before = |found: &Found| at.is_none_or(|at| found.at < at);
        let before: Vec<Entry> = self.entries.iter().filter(|entry| is_before(&entry.found)).cloned().collect();
        let lost = self.lost.iter().filter(|(found, _)| is_before(found));
        let lost = lost.map(|(found, _)| Mark { day: found.at.to_string(), measured: String::new() });
        let last = match before.len() == self.entries.len() {
            true => self.series.last(),
            false => {
                let Record { accepted, pins, subject, smallest, .. } = self;
                let (accepted, pins, subject) = (accepted.clone(), pins.clone(), subject.clone());
                let before =
                    Record { accepted, pins, subject, smallest: *smallest, entries: before, ..Record::default() };
                before.judged().series.last()
            }
        };
        last.into_iter().chain(lost).collect()
    }

    pub(crate) fn entry(&self, mark: &Mark) -> Option<&Entry> {
        self.entries.iter().find(|entry| entry.milestone.mark() == *mark)
    }

    /// The audit that was made last; of several branches the one of the last day.
    pub(crate) fn newest(&self) -> Option<&Entry> {
        let last = self.series.last();
        self.entries.iter().rev().find(|entry| last.contains(&entry.milestone.mark()))
    }

    /// What lies under another name than its own, in words.
    pub(crate) fn misnamed(&self) -> Vec<String> {
        let misnamed = self.entries.iter().filter(|entry| entry.found.at.to_string() != entry.milestone.day());
        let said = |entry: &Entry| {
            let (name, day) = (entry.found.name(), entry.milestone.day());
            format!("{name} is the audit of {day} under another name: name it as it was, or delete the copy.")
        };
        misnamed.map(said).collect()
    }

    pub(crate) fn milestones(&self) -> Vec<Milestone> {
        self.entries.iter().map(|entry| entry.milestone.clone()).collect()
    }
}

/// The milestones of audits of one subject, the oldest first, each with why where it cannot be read. A head has those of the
/// audits before it as well: files that were put in their place before it are not opened.
fn milestones(found: &[Found]) -> Vec<Result<Milestone, SnapshotError>> {
    let (mut kept, mut kept_at) = (Vec::<Milestone>::new(), None);
    let mut all: Vec<_> = Vec::with_capacity(found.len());
    for Found { at, path } in found.iter().rev() {
        let day = at.to_string();
        let before = kept.iter().position(|one| one.day() == day);
        let before = before.filter(|_| kept_at.is_some() && placed(path) < kept_at);
        all.push(match before {
            Some(before) => Ok(kept.swap_remove(before)),
            None => match head::read(path, SCHEMA) {
                Some((own, history)) => {
                    (kept, kept_at) = (history, placed(path));
                    Ok(own)
                }
                None => Snapshot::read_milestone(path),
            },
        });
    }
    all.reverse();
    all
}

/// When a file, or the link in its place, was written, replaced or renamed last, in seconds and nanoseconds. Unlike the time
/// of its content, which `cp -p`, `touch` and archives set, nobody sets this one.
#[cfg(unix)]
fn placed(path: &Path) -> Option<(i64, i64)> {
    use std::os::unix::fs::MetadataExt as _;
    let at = |file: std::fs::Metadata| (file.ctime(), file.ctime_nsec());
    Some(at(path.metadata().ok()?).max(at(path.symlink_metadata().ok()?)))
}

/// When a file was written last.
#[cfg(not(unix))]
fn placed(path: &Path) -> Option<std::time::SystemTime> {
    path.metadata().and_then(|file| file.modified()).ok()
}
