//! Pinned baselines: `baselines.toml` in the folder of audits.

use super::error::SnapshotError;
use super::file::Snapshot;
use super::folder::{self, Dated};
use chrono::NaiveDate;
use std::path::{Path, PathBuf};

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

/// A snapshot that is pinned.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub(crate) struct Pinned {
    /// Its file name, in the same folder.
    pub snapshot: String,
    /// Its content hash.
    pub sha256: String,
    /// The hash of what was measured, by which it is known when its page was made again.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub measured: String,
    /// The commit that it is of; may be empty.
    pub commit: String,
}

/// The pins of a folder.
#[derive(Clone, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Pins {
    /// In order of subjects and days.
    #[serde(default)]
    pub pin: Vec<Pin>,
}

impl Pins {
    /// Where the pins of a folder are kept.
    pub(crate) fn path(folder: &Path) -> PathBuf {
        folder.join(FILE)
    }

    /// The pins of a folder; none when there is no such file. Errors: a file that is there and cannot be read or
    /// understood.
    pub(crate) fn read(folder: &Path) -> Result<Pins, SnapshotError> {
        super::accepted::read_notes(&Pins::path(folder))
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

    /// The bytes of the file.
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
