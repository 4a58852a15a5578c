//! Regressions that people accepted, with their reasons: `NAME.accepted.toml` in the folder of audits.

use super::error::SnapshotError;
use crate::analysis::Audit;
use crate::view::Acceptance;
use std::path::{Path, PathBuf};

/// An accepted comparison.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Accepted {
    /// The day of acceptance.
    pub date: String,
    /// The commit that was accepted; may be empty.
    pub commit: String,
    /// The verdict that was accepted.
    pub verdict: String,
    /// Why.
    pub reason: String,
    /// Content hash (BLAKE3) of the report of the new side.
    pub new: String,
    /// Content hash (BLAKE3) of the report of the old side.
    pub old: String,
}

impl Accepted {
    /// What the page shows of it.
    pub fn shown(&self) -> Acceptance {
        Acceptance { date: self.date.clone(), verdict: self.verdict.clone(), reason: self.reason.clone() }
    }

    /// Whether this is about the comparison of an audit: the same two reports.
    pub fn is_about(&self, audit: &Audit) -> bool {
        let old = audit.old.as_ref().map(|old| old.origin.blake3.as_str()).unwrap_or_default();
        !self.new.is_empty() && self.new == audit.new.origin.blake3 && self.old == old
    }
}

/// The acceptances of a subject.
#[derive(Clone, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct AcceptedFile {
    /// In the order in which they were made.
    #[serde(default)]
    pub accepted: Vec<Accepted>,
}

impl AcceptedFile {
    /// Where the acceptances of a subject are kept.
    pub fn path(folder: &Path, subject: &str) -> PathBuf {
        folder.join(format!("{subject}.accepted.toml"))
    }

    /// The acceptances of a subject; none when there is no such file.
    ///
    /// # Errors
    /// A file that is there and cannot be read or understood.
    pub fn read(folder: &Path, subject: &str) -> Result<AcceptedFile, SnapshotError> {
        read_notes(&AcceptedFile::path(folder, subject))
    }

    /// Those about the comparison of an audit.
    pub fn about(&self, audit: &Audit) -> Vec<Acceptance> {
        self.accepted.iter().filter(|accepted| accepted.is_about(audit)).map(Accepted::shown).collect()
    }

    /// The bytes of the file.
    ///
    /// # Errors
    /// Those of the TOML writer.
    pub fn to_toml(&self) -> Result<String, toml::ser::Error> {
        let text = toml::to_string(self)?;
        Ok(format!("# Accepted regressions; `audit check --accept --reason TEXT` writes this file.\n\n{text}"))
    }
}

/// Whether a failure to open says that there is no such file: where a part of the path is a file, writing will say so.
pub(super) fn is_absent(error: &std::io::Error) -> bool {
    matches!(error.kind(), std::io::ErrorKind::NotFound | std::io::ErrorKind::NotADirectory)
}

/// A TOML file of notes; the empty one when there is none.
pub(super) fn read_notes<T: serde::de::DeserializeOwned + Default>(path: &Path) -> Result<T, SnapshotError> {
    let text = match std::fs::read_to_string(path) {
        Ok(text) => text,
        Err(error) if is_absent(&error) => return Ok(T::default()),
        Err(source) => return Err(SnapshotError::Unreadable { path: path.to_owned(), source }),
    };
    toml::from_str(&text)
        .map_err(|error| SnapshotError::Notes { path: path.to_owned(), what: error.to_string().trim().to_owned() })
}
