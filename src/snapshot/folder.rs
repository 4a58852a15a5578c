//! The folder of audits: which snapshots of a subject lie in it, in their order.

use super::error::{SnapshotError, is_absent};
use super::file::Snapshot;
use crate::analysis::{Nth, Side};
use chrono::NaiveDate;
use std::collections::BTreeMap;
use std::fmt;
use std::path::{Path, PathBuf};

/// What the names of snapshots end with.
const ENDING: &str = ".json";

/// When an audit was made: its day, and which audit of its subject on that day it is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Dated {
    pub date: NaiveDate,
    pub number: Nth,
}

impl fmt::Display for Dated {
    /// As files are named: `2026-11-21`, `2026-11-21.2`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.number.of_day(&self.date.to_string()))
    }
}

/// A snapshot in the folder, by its file name.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Found {
    pub at: Dated,
    pub path: PathBuf,
}

impl Found {
    /// A snapshot and its subject by the name of its file; `None` for another name.
    pub(crate) fn of(path: &Path) -> Option<(Found, String)> {
        let (at, subject) = named(path.file_name()?.to_str()?, ENDING)?;
        Some((Found { at, path: path.to_owned() }, subject.to_owned()))
    }

    pub(crate) fn name(&self) -> String {
        self.path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default()
    }
}

/// The moment and the subject in the name of an audit's file with this ending. A subject's name begins behind the first
/// `-`, and has no dot, so that `2026-11-21.2-gemm` and `2026-11-21-gemm-2` are told apart.
pub(crate) fn named<'f>(file: &'f str, ending: &str) -> Option<(Dated, &'f str)> {
    let (day, rest) = file.split_at_checked(10)?;
    let date = day.parse::<NaiveDate>().ok()?;
    let (number, rest) = match rest.strip_prefix('.') {
        Some(rest) => rest.split_once('-').and_then(|(number, rest)| Some((Nth::read(number)?, rest)))?,
        None => (Nth::default(), rest.strip_prefix('-')?),
    };
    Some((Dated { date, number }, rest.strip_suffix(ending)?))
}

pub(super) fn dated(file: &str) -> Option<Dated> {
    named(file, ENDING).map(|(at, _)| at)
}

/// Every snapshot in a folder whose name ends so: when, the subject, and where; nothing when there is no such folder.
fn all(folder: &Path, ending: &str) -> Result<Vec<(Found, String)>, SnapshotError> {
    let unreadable = |source| SnapshotError::Unreadable { path: folder.to_owned(), source };
    let entries = match std::fs::read_dir(folder) {
        Ok(entries) => entries,
        Err(error) if is_absent(&error) => return Ok(Vec::new()),
        Err(error) => return Err(unreadable(error)),
    };
    let mut found = Vec::new();
    for entry in entries {
        let entry = entry.map_err(unreadable)?;
        if entry.file_name().as_encoded_bytes().ends_with(ending.as_bytes()) {
            found.extend(Found::of(&entry.path()));
        }
    }
    found.sort();
    Ok(found)
}

/// The snapshots of a subject in `folder` that were made before a moment, the oldest first; none when there is no such
/// folder. Errors: a folder that is there and cannot be read.
pub(crate) fn earlier(folder: &Path, subject: &str, before: Option<Dated>) -> Result<Vec<Found>, SnapshotError> {
    let mut found = all(folder, &format!("-{subject}{ENDING}"))?;
    found.retain(|(found, of)| of == subject && before.is_none_or(|before| found.at < before));
    Ok(found.into_iter().map(|(found, _)| found).collect())
}

/// The snapshots in `folder` by their subjects, the oldest of each first; none when there is no such folder. Errors: a
/// folder that is there and cannot be read.
pub(crate) fn every(folder: &Path) -> Result<BTreeMap<String, Vec<Found>>, SnapshotError> {
    let mut every: BTreeMap<String, Vec<Found>> = BTreeMap::new();
    for (found, subject) in all(folder, ENDING)? {
        every.entry(subject).or_default().push(found);
    }
    Ok(every)
}

/// The subjects with a snapshot in `folder`, sorted; none when there is no such folder. Errors: a folder that is there
/// and cannot be read.
pub(crate) fn subjects(folder: &Path) -> Result<Vec<String>, SnapshotError> {
    let mut names: Vec<String> = all(folder, ENDING)?.into_iter().map(|(_, subject)| subject).collect();
    names.sort();
    names.dedup();
    Ok(names)
}

/// The audits of a subject that were made from the same measurement as `side`, the newest first. Errors: a folder that
/// is there and cannot be read, or an audit of this measurement that cannot.
pub(crate) fn made_from(folder: &Path, subject: &str, side: &Side) -> Result<Vec<(Dated, Snapshot)>, SnapshotError> {
    let Some(hash) = side.hash() else { return Ok(Vec::new()) };
    let holds = |bytes: &[u8]| bytes.windows(hash.len()).any(|window| window == hash.as_bytes());
    let mut same = Vec::new();
    for found in earlier(folder, subject, None)?.into_iter().rev() {
        // A file is understood only where it names the measurement at all.
        let unreadable = |source| SnapshotError::Unreadable { path: found.path.clone(), source };
        let bytes = crate::read::bytes(&found.path).map_err(unreadable)?;
        if !holds(&bytes) {
            continue;
        }
        let made = Snapshot::parse(&found.path, &bytes)?;
        if made.evidence.new.is_same_measurement(side) {
            same.push((found.at, made));
        }
    }
    Ok(same)
}

#[cfg(test)]
mod tests {
    use super::named;

    #[test]
    fn a_file_name_has_one_reading() {
        let read = |file: &str| named(file, ".json").map(|(at, subject)| (at.to_string(), subject.to_owned()));
        let is = |file: &str, at: &str, subject: &str| {
            assert_eq!(read(file), Some((at.to_owned(), subject.to_owned())), "{file}");
        };
        is("2026-11-21-gemm.json", "2026-11-21", "gemm");
        is("2026-11-21-gemm-2.json", "2026-11-21", "gemm-2");
        is("2026-11-21.2-gemm.json", "2026-11-21.2", "gemm");
        is("2026-11-21.12-gemm-2.json", "2026-11-21.12", "gemm-2");
        for none in [
            "2026-11-21.1-gemm.json",
            "2026-11-21.02-gemm.json",
            "2026-11-21.x-gemm.json",
            "gemm.json",
            "2026-11-21gemm.json",
        ] {
            assert_eq!(read(none), None, "{none}");
        }
    }

    #[test]
    fn audits_of_a_day_are_in_the_order_of_their_numbers() {
        let mut all = ["2026-11-22-a.json", "2026-11-21.10-a.json", "2026-11-21.9-a.json", "2026-11-21-a.json"];
        all.sort_by_key(|file| named(file, ".json").map(|(at, _)| at));
        assert_eq!(all, ["2026-11-21-a.json", "2026-11-21.9-a.json", "2026-11-21.10-a.json", "2026-11-22-a.json"]);
    }
}
