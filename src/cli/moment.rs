//! When and on what: the date and the commit of an audit.

use super::Failure;
use chrono::{DateTime, Datelike as _, Local, NaiveDate};
use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

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

/// The commit checked out in a folder, asked of git while something else is done. What nobody waits for is stopped.
pub(super) struct AskedCommit {
    running: Option<Child>,
    folder: PathBuf,
}

impl AskedCommit {
    /// Asks for the commit in `folder`, where tracked files other than `beside` (files and folders below it) say whether it is
    /// what lies there.
    pub(super) fn of(folder: &Path, beside: &[PathBuf]) -> AskedCommit {
        let options = ["status", "--porcelain=v2", "--branch", "--no-ahead-behind", "--untracked-files=no", "--", ":/"];
        let mut words = options.map(OsString::from).to_vec();
        words.extend(beside.iter().map(|path| but(path)));
        AskedCommit { running: command(folder, &words).stdout(Stdio::piped()).spawn().ok(), folder: folder.to_owned() }
    }

    /// Twelve digits, with `-dirty` where tracked files differ from it. `None` without git, outside a repository, or before its
    /// first commit.
    pub(super) fn answer(mut self) -> Option<String> {
        let told = self.running.take().and_then(|running| running.wait_with_output().ok());
        let Some(told) = told.filter(|told| told.status.success()) else {
            // A tree that git cannot look through is not known to be clean.
            let head = git(&self.folder, &["rev-parse", "--verify", "--quiet", "HEAD"])?;
            return Some(format!("{}-dirty", twelve(std::str::from_utf8(&head).ok()?)?));
        };
        let said = String::from_utf8_lossy(&told.stdout);
        let head = twelve(said.lines().find_map(|line| line.strip_prefix("# branch.oid "))?)?;
        let is_dirty = said.lines().any(|line| !line.starts_with('#'));
        Some(format!("{head}{}", if is_dirty { "-dirty" } else { "" }))
    }
}

impl Drop for AskedCommit {
    fn drop(&mut self) {
        if let Some(running) = &mut self.running {
            // It only reads, and takes no lock.
            let _ = running.kill().and_then(|()| running.wait());
        }
    }
}

/// The first twelve digits of a commit; `None` for text that is none.
fn twelve(text: &str) -> Option<&str> {
    text.get(..12).filter(|digits| digits.bytes().all(|digit| digit.is_ascii_hexdigit()))
}

/// A path that git leaves out, with what lies below it.
pub(super) fn but(path: &Path) -> OsString {
    pathspec(":(exclude,literal)", path)
}

/// A path as git takes it with some magic in front.
pub(super) fn pathspec(magic: &str, path: &Path) -> OsString {
    [OsStr::new(magic), path.as_os_str()].into_iter().collect()
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kept {
    /// It is in the commit that is checked out, as it lies here.
    Committed,
    /// It is committed, and lies here otherwise.
    Changed,
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
    let state = |line: &[u8]| {
        let (state, path) = line.split_at(3);
        // A folder that is ignored as a whole is not taken apart.
        let name = std::str::from_utf8(path).ok()?.rsplit('/').next().filter(|name| !name.is_empty())?;
        Some((name.to_owned(), Kept::of(&state[..2])))
    };
    said.split(|byte| *byte == 0).filter(|line| line.len() > 3).map(state).collect()
}

/// What git in `folder` prints; `None` without git and where it fails. It takes no lock, fetches nothing and asks nobody.
pub(super) fn git(folder: &Path, words: &[impl AsRef<OsStr>]) -> Option<Vec<u8>> {
    let output = command(folder, words).output().ok()?;
    output.status.success().then_some(output.stdout)
}

fn command(folder: &Path, words: &[impl AsRef<OsStr>]) -> Command {
    let mut command = Command::new("git");
    command
        .args(words)
        .current_dir(if folder.as_os_str().is_empty() { Path::new(".") } else { folder })
        .env("GIT_OPTIONAL_LOCKS", "0")
        .env("GIT_NO_LAZY_FETCH", "1")
        .env("LC_ALL", "C")
        .stdin(Stdio::null())
        .stderr(Stdio::null());
    command
}

/// What git in `folder` prints as text, without the white space around it; `None` as for [`git`].
pub(super) fn git_text(folder: &Path, words: &[impl AsRef<OsStr>]) -> Option<String> {
    Some(String::from_utf8_lossy(&git(folder, words)?).trim().to_owned())
}

/// What git in `folder` ends with a zero byte each; `None` as for [`git`].
pub(super) fn git_list(folder: &Path, words: &[impl AsRef<OsStr>]) -> Option<Vec<String>> {
    let said = String::from_utf8_lossy(&git(folder, words)?).into_owned();
    Some(said.split('\0').filter(|name| !name.is_empty()).map(str::to_owned).collect())
}

pub(super) fn now() -> String {
    chrono::Utc::now().to_rfc3339_opts(chrono::SecondsFormat::Secs, true)
}
