//! When and on what: the date and the commit of an audit.

use super::failure::Failure;
use chrono::{DateTime, Datelike as _, Local, NaiveDate};
use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// The date of an audit: as given, else that of `SOURCE_DATE_EPOCH` (Unix seconds, in UTC), else today's local date.
pub(super) fn date(given: Option<NaiveDate>) -> Result<NaiveDate, Failure> {
    if let Some(date) = given {
        return of_four_digits(date);
    }
    let Some(epoch) = std::env::var_os("SOURCE_DATE_EPOCH") else { return Ok(Local::now().date_naive()) };
    epoch
        .to_str()
        .and_then(|text| text.parse().ok())
        .and_then(|seconds| DateTime::from_timestamp(seconds, 0))
        .map(|moment| moment.date_naive())
        .ok_or_else(|| {
            Failure::usage(format!(
                "SOURCE_DATE_EPOCH is {epoch:?}, expected seconds since 1970\n  help: unset it, or give --date"
            ))
        })
        .and_then(of_four_digits)
}

/// A date whose year has the four digits that file names have.
fn of_four_digits(date: NaiveDate) -> Result<NaiveDate, Failure> {
    if (1..=9999).contains(&date.year()) {
        return Ok(date);
    }
    Err(Failure::usage(format!("an audit cannot be of {date}\n  help: give a date of the years 0001 to 9999")))
}

/// The commit checked out in `folder`, twelve digits, with `-dirty` where tracked files other than `beside` (files and
/// folders below it) differ from it. `None` without git, outside a repository, or before its first commit.
pub(super) fn commit(folder: &Path, beside: &[PathBuf]) -> Option<String> {
    let said = git(folder, &["rev-parse", "--short=12", "--verify", "--quiet", "HEAD"])?;
    let head = String::from_utf8(said).ok()?.trim().to_owned();
    let mut words = ["status", "--porcelain=v1", "--untracked-files=no", "--", ":/"].map(OsString::from).to_vec();
    words.extend(beside.iter().map(|path| but(path)));
    let is_dirty = git(folder, &words).is_none_or(|said| !said.is_empty());
    let dirty = if is_dirty { "-dirty" } else { "" };
    Some(format!("{head}{dirty}")).filter(|_| !head.is_empty())
}

/// A path that git leaves out, with what lies below it.
pub(super) fn but(path: &Path) -> OsString {
    let mut word = OsString::from(":(exclude,literal)");
    word.push(path);
    word
}

/// What git says of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kept {
    /// It is in the commit that is checked out, as it lies here.
    Committed,
    /// It is committed, and lies here otherwise.
    Changed,
    /// git does not know it.
    Untracked,
    /// There is no git, or no repository.
    Unknown,
}

impl Kept {
    /// By the two letters of `git status`.
    fn of(letters: &[u8]) -> Kept {
        match letters {
            // Added and never committed.
            b"??" | b"!!" | b"A " | b"AM" => Kept::Untracked,
            _ => Kept::Changed,
        }
    }
}

/// What git says of a file.
pub(super) fn kept(file: &Path) -> Kept {
    let folder = file.parent().unwrap_or(Path::new(""));
    let Some(name) = file.file_name() else { return Kept::Unknown };
    let words = ["status", "--porcelain=v1", "--ignored", "--untracked-files=all", "--"].map(OsStr::new);
    match git(folder, &[&words[..], &[name]].concat()) {
        Some(said) => said.get(..2).map_or(Kept::Committed, Kept::of),
        None => Kept::Unknown,
    }
}

/// What git says of the files in a folder that are not committed as they lie there, by their names; `None` where it cannot
/// say it of each.
pub(super) fn kept_below(folder: &Path) -> Option<BTreeMap<String, Kept>> {
    let words = ["status", "--porcelain=v1", "-z", "--no-renames", "--ignored", "--untracked-files=all", "--", "."];
    let said = git(folder, &words)?;
    let mut states = BTreeMap::new();
    for line in said.split(|byte| *byte == 0).filter(|line| line.len() > 3) {
        let (state, path) = line.split_at(3);
        let path = std::str::from_utf8(path).ok()?;
        // A folder that is ignored as a whole is not taken apart.
        let name = path.rsplit('/').next().filter(|name| !name.is_empty())?;
        states.insert(name.to_owned(), Kept::of(&state[..2]));
    }
    Some(states)
}

/// What git in `folder` prints; `None` without git and where it fails. It takes no lock, fetches nothing and asks nobody.
pub(super) fn git(folder: &Path, words: &[impl AsRef<OsStr>]) -> Option<Vec<u8>> {
    let output = Command::new("git")
        .args(words)
        .current_dir(if folder.as_os_str().is_empty() { Path::new(".") } else { folder })
        .env("GIT_OPTIONAL_LOCKS", "0")
        .env("GIT_NO_LAZY_FETCH", "1")
        .env("LC_ALL", "C")
        .stdin(Stdio::null())
        .stderr(Stdio::null())
        .output()
        .ok()?;
    output.status.success().then_some(output.stdout)
}

/// What git in `folder` prints as text, without the white space around it; `None` as for [`git`].
pub(super) fn git_text(folder: &Path, words: &[&str]) -> Option<String> {
    Some(String::from_utf8_lossy(&git(folder, words)?).trim().to_owned())
}

/// The moment in UTC, to the second.
pub(super) fn now() -> String {
    chrono::Utc::now().to_rfc3339_opts(chrono::SecondsFormat::Secs, true)
}
