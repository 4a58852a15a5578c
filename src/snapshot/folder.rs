//! The folder of audits: which snapshots of a subject lie in it.

use super::error::SnapshotError;
use super::file::Snapshot;
use chrono::NaiveDate;
use std::path::{Path, PathBuf};

/// A snapshot in the folder, by its file name.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Found {
    /// The date in the name.
    pub date: NaiveDate,
    /// The file.
    pub path: PathBuf,
}

/// The snapshots of a subject in `folder`, the oldest first; none when there is no such folder.
///
/// # Errors
/// A folder that is there and cannot be read.
pub fn earlier(folder: &Path, subject: &str, before: Option<NaiveDate>) -> Result<Vec<Found>, SnapshotError> {
    let unreadable = |source| SnapshotError::Unreadable { path: folder.to_owned(), source };
    let entries = match std::fs::read_dir(folder) {
        Ok(entries) => entries,
        Err(error) if super::accepted::is_absent(&error) => return Ok(Vec::new()),
        Err(error) => return Err(unreadable(error)),
    };
    let mut found = Vec::new();
    for entry in entries {
        let path = entry.map_err(unreadable)?.path();
        let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
        // The date has ten characters; the rest has to be the whole name, which may itself hold dashes.
        let Some((day, rest)) = name.split_at_checked(10) else { continue };
        let is_subject = rest.strip_prefix('-').and_then(|rest| rest.strip_suffix(".json")) == Some(subject);
        let Ok(date) = day.parse::<NaiveDate>() else { continue };
        if is_subject && before.is_none_or(|before| date < before) {
            found.push(Found { date, path });
        }
    }
    found.sort();
    Ok(found)
}

/// The subjects with a snapshot in `folder`, sorted; none when there is no such folder.
///
/// # Errors
/// A folder that is there and cannot be read.
pub fn subjects(folder: &Path) -> Result<Vec<String>, SnapshotError> {
    let unreadable = |source| SnapshotError::Unreadable { path: folder.to_owned(), source };
    let entries = match std::fs::read_dir(folder) {
        Ok(entries) => entries,
        Err(error) if super::accepted::is_absent(&error) => return Ok(Vec::new()),
        Err(error) => return Err(unreadable(error)),
    };
    let mut names = Vec::new();
    for entry in entries {
        let file = entry.map_err(unreadable)?.file_name();
        let name = file.to_str().and_then(|file| file.split_at_checked(10));
        let Some((_, rest)) = name.filter(|(day, _)| day.parse::<NaiveDate>().is_ok()) else { continue };
        names.extend(rest.strip_prefix('-').and_then(|rest| rest.strip_suffix(".json")).map(str::to_owned));
    }
    names.sort();
    names.dedup();
    Ok(names)
}

/// The newest snapshot of a subject before a date that is of a profile; `None` when there is none.
///
/// # Errors
/// A folder or a snapshot that cannot be read.
pub fn newest(
    folder: &Path,
    subject: &str,
    before: Option<NaiveDate>,
) -> Result<Option<(Found, Snapshot)>, SnapshotError> {
    for found in earlier(folder, subject, before)?.into_iter().rev() {
        let snapshot = Snapshot::read(&found.path)?;
        if snapshot.evidence.new.profile.is_some() {
            return Ok(Some((found, snapshot)));
        }
    }
    Ok(None)
}
