//! Regressions that people accepted, with their reasons: `NAME.accepted.toml` in the folder of audits.

use super::error::SnapshotError;
use crate::analysis::{Compared, Mark, Measured, Milestone, near};
use crate::merge::is_unmerged;
use crate::view::Acceptance;
use std::path::{Path, PathBuf};

/// An accepted comparison.
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
    /// What the page shows of it.
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

/// The acceptances of a subject.
#[derive(Clone, Debug, Default, PartialEq, serde::Serialize, serde::Deserialize)]
pub(crate) struct AcceptedFile {
    /// In the order in which they were made.
    #[serde(default)]
    pub accepted: Vec<Accepted>,
}

impl AcceptedFile {
    /// Where the acceptances of a subject are kept.
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

    /// The bytes of the file.
    pub(crate) fn to_toml(&self) -> Result<String, toml::ser::Error> {
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
