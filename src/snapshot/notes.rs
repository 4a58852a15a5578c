//! What people note beside audits: regressions that they accepted, `NAME.accepted.toml`, and baselines that they pinned,
//! `baselines.toml`, in the folder of audits, each with its reasons.

use super::error::{SnapshotError, is_absent};
use super::file::Snapshot;
use super::folder::{self, Dated};
use crate::analysis::{Compared, Mark, Measured, Milestone, near};
use crate::merge::is_unmerged;
use crate::view::Acceptance;
use chrono::NaiveDate;
use std::path::{Path, PathBuf};

#[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Accepted {
    pub date: String,
    /// The commit that was accepted; may be empty.
    pub commit: String,
    pub verdict: String,
    pub reason: String,
    /// The change in percent that was accepted, the largest of cycles, time and benchmark; `None` where none was measured.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub change: Option<f64>,
    /// The audit that it was made for: it covers no earlier one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub audit: Option<Mark>,
    pub new: Measured,
    pub old: Measured,
}

impl Accepted {
    pub(crate) fn shown(&self) -> Acceptance {
        Acceptance { date: self.date.clone(), verdict: self.verdict.clone(), reason: self.reason.clone() }
    }

    /// Whether this is about the comparison of an audit: the same kernels, grids and verdict, both sides as they were, and
    /// no larger a change.
    pub(crate) fn is_about(&self, milestone: &Milestone) -> bool {
        let Some(Compared { change, new, old, .. }) = &milestone.compared else { return false };
        let by = self.change.unwrap_or_default();
        let is_no_larger = match (*change, self.change) {
            (Some(now), Some(then)) => now <= then + near(then),
            (now, then) => now.is_none() && then.is_none(),
        };
        let verdict = milestone.verdict.map(|verdict| verdict.word());
        verdict == Some(self.verdict.as_str())
            && is_no_larger
            && new.is_near(&self.new, by)
            && old.is_near(&self.old, by)
    }
}

#[derive(Clone, Debug, Default, PartialEq, serde::Serialize, serde::Deserialize)]
pub(crate) struct AcceptedFile {
    /// In the order in which they were made.
    #[serde(default)]
    pub accepted: Vec<Accepted>,
}

impl AcceptedFile {
    pub(crate) fn path(folder: &Path, subject: &str) -> PathBuf {
        folder.join(format!("{subject}.accepted.toml"))
    }

    /// The acceptances of a subject; none when there is no such file. Errors: a file that is there and cannot be read
    /// or understood.
    pub(crate) fn read(folder: &Path, subject: &str) -> Result<AcceptedFile, SnapshotError> {
        read_notes(&AcceptedFile::path(folder, subject))
    }

    /// The places of those about the comparison of an audit.
    pub(crate) fn about(&self, milestone: &Milestone) -> Vec<usize> {
        let all = self.accepted.iter().enumerate();
        all.filter(|(_, accepted)| accepted.is_about(milestone)).map(|(at, _)| at).collect()
    }

    /// These and those of another branch.
    #[must_use]
    pub(crate) fn and(mut self, other: AcceptedFile) -> AcceptedFile {
        let new = other.accepted.into_iter().filter(|one| !self.accepted.contains(one)).collect::<Vec<_>>();
        self.accepted.extend(new);
        self
    }

    pub(crate) fn to_toml(&self) -> Result<String, toml::ser::Error> {
        let text = toml::to_string(self)?;
        Ok(format!("# Accepted regressions; `audit check --accept --reason TEXT` writes this file.\n\n{text}"))
    }
}

/// A TOML file of notes; the empty one when there is none.
pub(super) fn read_notes<T: serde::de::DeserializeOwned + Default>(path: &Path) -> Result<T, SnapshotError> {
    let text = match crate::read::text(path) {
        Ok(text) => text,
        Err(error) if is_absent(&error) => return Ok(T::default()),
        Err(source) => return Err(SnapshotError::Unreadable { path: path.to_owned(), source }),
    };
    parse_notes(path, &text)
}

/// Pins or acceptances by their text, which lies at `path`. Errors: a text that is not understood.
pub(crate) fn parse_notes<T: serde::de::DeserializeOwned>(path: &Path, text: &str) -> Result<T, SnapshotError> {
    toml::from_str(text).map_err(|error| match is_unmerged(text.as_bytes()) {
        true => SnapshotError::Unmerged { path: path.to_owned() },
        false => SnapshotError::Notes { path: path.to_owned(), what: error.to_string().trim().to_owned() },
    })
}

const FILE: &str = "baselines.toml";

/// From a day on, the snapshot that audits of a subject are compared with, or none: then each is compared with the one before.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Pin {
    pub subject: String,
    /// The day from which on it holds.
    pub date: String,
    pub reason: String,
    /// The snapshot; `None` takes a pin back.
    #[serde(flatten, skip_serializing_if = "Option::is_none")]
    pub to: Option<Pinned>,
}

#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub(crate) struct Pinned {
    /// Its file name, in the same folder.
    pub snapshot: String,
    pub sha256: String,
    /// The hash of what was measured, by which it is known when its page was made again.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub measured: String,
    /// The commit that it is of; may be empty.
    pub commit: String,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Pins {
    /// In order of subjects and days.
    #[serde(default)]
    pub pin: Vec<Pin>,
}

impl Pins {
    pub(crate) fn path(folder: &Path) -> PathBuf {
        folder.join(FILE)
    }

    /// The pins of a folder; none when there is no such file. Errors: a file that is there and cannot be read or
    /// understood.
    pub(crate) fn read(folder: &Path) -> Result<Pins, SnapshotError> {
        read_notes(&Pins::path(folder))
    }

    /// The pin of a subject that holds on a day.
    pub(crate) fn of(&self, subject: &str, date: NaiveDate) -> Option<&Pin> {
        let holds = |pin: &&Pin| pin.subject == subject && pin.date.parse::<NaiveDate>().is_ok_and(|from| from <= date);
        self.pin.iter().rfind(holds).filter(|pin| pin.to.is_some())
    }

    /// Puts a pin in place of the subject's former one of that day.
    pub(crate) fn put(&mut self, pin: Pin) {
        self.pin.retain(|other| (&other.subject, &other.date) != (&pin.subject, &pin.date));
        self.pin.push(pin);
        self.pin.sort_by(|a, b| (&a.subject, &a.date).cmp(&(&b.subject, &b.date)));
    }

    pub(crate) fn to_toml(&self) -> Result<String, toml::ser::Error> {
        let text = toml::to_string(self)?;
        Ok(format!("# Baselines that audits are compared with; `audit baseline pin` writes this file.\n\n{text}"))
    }

    /// The snapshot that is pinned for the audit of a subject at a moment, with its pin; `None` where none is, and for
    /// audits that are no later than the pinned one. Errors: a snapshot that cannot be read, or that is not the one
    /// that was pinned.
    pub(crate) fn snapshot(folder: &Path, subject: &str, at: Dated) -> Result<Option<(Pin, Snapshot)>, SnapshotError> {
        let Some(pin) = Pins::read(folder)?.of(subject, at.date).cloned() else { return Ok(None) };
        let Some(to) = pin.to.as_ref().filter(|to| folder::dated(&to.snapshot).is_none_or(|pinned| pinned < at)) else {
            return Ok(None);
        };
        let snapshot = Snapshot::read(&folder.join(&to.snapshot))?;
        let is_it = snapshot.sha256 == to.sha256 || snapshot.evidence.new.hash() == Some(to.measured.as_str());
        if !is_it {
            return Err(SnapshotError::PinMoved {
                path: Pins::path(folder),
                subject: pin.subject,
                snapshot: to.snapshot.clone(),
                stated: to.sha256.clone(),
                found: snapshot.sha256,
            });
        }
        Ok(Some((pin, snapshot)))
    }
}
