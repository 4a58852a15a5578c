//! Pinned baselines: `baselines.toml` in the folder of audits.

use super::error::SnapshotError;
use super::file::Snapshot;
use std::path::{Path, PathBuf};

/// The name of the file.
const FILE: &str = "baselines.toml";

/// A snapshot that later audits of a subject are compared with.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Pin {
    /// The subject.
    pub subject: String,
    /// The snapshot's file name, in the same folder.
    pub snapshot: String,
    /// The content hash of the snapshot.
    pub sha256: String,
    /// The day of pinning.
    pub date: String,
    /// The commit that the snapshot is of; may be empty.
    pub commit: String,
    /// Why this one.
    pub reason: String,
}

/// The pins of a folder.
#[derive(Clone, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Pins {
    /// One for each pinned subject, in order of subjects.
    #[serde(default)]
    pin: Vec<Pin>,
}

impl Pins {
    /// Where the pins of a folder are kept.
    pub fn path(folder: &Path) -> PathBuf {
        folder.join(FILE)
    }

    /// The pins of a folder; none when there is no such file.
    ///
    /// # Errors
    /// A file that is there and cannot be read or understood.
    pub fn read(folder: &Path) -> Result<Pins, SnapshotError> {
        let path = Pins::path(folder);
        super::accepted::read_notes(&path)
    }

    /// The pin of a subject.
    pub fn of(&self, subject: &str) -> Option<&Pin> {
        self.pin.iter().find(|pin| pin.subject == subject)
    }

    /// Puts a pin in place of the subject's former one.
    pub fn put(&mut self, pin: Pin) {
        self.pin.retain(|other| other.subject != pin.subject);
        self.pin.push(pin);
        self.pin.sort_by(|a, b| a.subject.cmp(&b.subject));
    }

    /// The bytes of the file.
    ///
    /// # Errors
    /// Those of the TOML writer.
    pub fn to_toml(&self) -> Result<String, toml::ser::Error> {
        let text = toml::to_string(self)?;
        Ok(format!("# Baselines that audits are compared with; `audit baseline pin` writes this file.\n\n{text}"))
    }

    /// The pinned snapshot of a subject, with its pin; `None` for a subject without one.
    ///
    /// # Errors
    /// A snapshot that cannot be read, or that is not the one that was pinned.
    pub fn snapshot(folder: &Path, subject: &str) -> Result<Option<(Pin, Snapshot)>, SnapshotError> {
        let Some(pin) = Pins::read(folder)?.of(subject).cloned() else { return Ok(None) };
        let snapshot = Snapshot::read(&folder.join(&pin.snapshot))?;
        if snapshot.sha256 != pin.sha256 {
            return Err(SnapshotError::PinMoved {
                path: Pins::path(folder),
                subject: pin.subject,
                snapshot: pin.snapshot,
                stated: pin.sha256,
                found: snapshot.sha256,
            });
        }
        Ok(Some((pin, snapshot)))
    }
}
