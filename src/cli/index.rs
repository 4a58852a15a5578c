//! The index of the folder of audits: `README.md`, which GitHub shows when the folder is opened.

use super::threads::on_threads;
use super::{Failure, say};
use crate::merge::{OURS, THEIRS, is_unmerged};
use crate::render::{Output, RenderError, markdown_table, marked, merged, page_lock, write_together};
use crate::snapshot::{Found, Pins, Record, SnapshotError, every};
use crate::view::{self, Listed};
use std::path::{Path, PathBuf};

const FILE: &str = "README.md";

/// Writes the index of a folder anew, and keeps what people wrote around it; gives its path. An index that somebody edited
/// stays as it is, and is told; so does a file without any, unless the folder is the `series` of a project's audits.
/// What is wrong with the snapshots of the subjects in `made` was said where they were made.
pub(super) fn write(folder: &Path, series: bool, made: &[&str], smallest: f64) -> Result<Option<PathBuf>, Failure> {
    let path = folder.join(FILE);
    let _lock = page_lock(&path)?;
    let block = text(folder, made, smallest)?;
    let existing = match crate::read::text(&path) {
        Ok(text) => text,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => String::new(),
        Err(error) => {
            say(format!("note: {} cannot be read and stays as it is: {error}", path.display()))?;
            return Ok(None);
        }
    };
    let page = match united(&existing, &block).map_or_else(|| merged(&path, &existing, &block, false), Ok) {
        Ok(page) => page,
        // A file that is all prose keeps it, and gets the index behind; one elsewhere that a link leads to does not.
        Err(RenderError::Edited { .. }) if !existing.contains("<!-- audit:begin ") && !path.is_symlink() => {
            if !series {
                say(format!("note: {} is not an index that audit wrote, and stays as it is", path.display()))?;
                return Ok(None);
            }
            format!("{}\n\n{block}", existing.trim_end())
        }
        Err(error) => {
            say(format!("note: the index was not written: {error}"))?;
            return Ok(None);
        }
    };
    if page != existing {
        write_together(&[Output { path: &path, bytes: page.as_bytes() }])?;
    }
    if series && existing.is_empty() {
        let _ = keep_from_conflicts(folder);
    }
    Ok(Some(path))
}

/// Tells git to take the lines of both sides of an index, which is made anew from them; gives the file that was written. A
/// folder outside of git gets none, and one that has such a file keeps it.
pub(super) fn keep_from_conflicts(folder: &Path) -> Option<PathBuf> {
    let path = folder.join(".gitattributes");
    let whole = std::path::absolute(folder).ok()?;
    let is_of_git = whole.ancestors().any(|above| above.join(".git").exists());
    if !is_of_git || std::fs::symlink_metadata(&path).is_ok() {
        return None;
    }
    let text = format!("{FILE} merge=union\n");
    write_together(&[Output { path: &path, bytes: text.as_bytes() }]).ok()?;
    Some(path)
}

/// Says which snapshots have no part in the history of their subject, and why.
pub(super) fn say_lost<'e>(mut snapshots: impl Iterator<Item = &'e SnapshotError>) -> Result<(), Failure> {
    snapshots.try_for_each(|error| say(format!("note: not in the history: {error}")))
}

/// An index of which a merge left two versions, with this one in their place; `None` for one that is whole, and where both
/// sides changed what people wrote as well.
fn united(existing: &str, block: &str) -> Option<String> {
    const MARKS: [&str; 4] = [OURS, THEIRS, "|||||||", "======="];
    let lines: Vec<&str> = existing.split_inclusive('\n').collect();
    let is_mark = |at: usize| lines.get(at).is_some_and(|line| MARKS.iter().any(|mark| line.starts_with(mark)));
    let begins = lines.iter().filter(|line| line.starts_with("<!-- audit:begin ")).count();
    let mut start = lines.iter().position(|line| line.starts_with("<!-- audit:begin "))?;
    let mut end = lines.iter().rposition(|line| line.starts_with("<!-- audit:end "))?;
    while start > 0 && is_mark(start - 1) {
        start -= 1;
    }
    while is_mark(end + 1) {
        end += 1;
    }
    let (before, after) = (lines[..start].concat(), lines[end + 1..].concat());
    let is_of_both = begins > 1 || is_unmerged(existing.as_bytes());
    let is_whole = |text: &str| !text.lines().any(|line| line.starts_with(OURS) || line.starts_with(THEIRS));
    (is_of_both && is_whole(&before) && is_whole(&after)).then(|| format!("{before}{block}{after}"))
}

fn text(folder: &Path, made: &[&str], smallest: f64) -> Result<String, Failure> {
    let (every, pins) = (every(folder)?, Pins::read(folder)?);
    let all: Vec<(String, Vec<Found>)> = every.into_iter().collect();
    let of =
        |(subject, found): &(String, Vec<Found>)| Record::of(found.clone(), folder, subject, &pins, smallest, false);
    let mut listed = Vec::new();
    for ((subject, _), record) in all.iter().zip(on_threads(&all, of)) {
        let record = record?;
        if !made.contains(&subject.as_str()) {
            say_lost(record.lost.iter().map(|(_, error)| &**error))?;
        }
        let known = record.milestones();
        if let Some(last) = known.last() {
            let at = (last.date.clone(), last.number);
            let page = format!("{}-{subject}.md", last.day());
            listed.push((at, Listed { subject: subject.clone(), page, milestones: known }));
        }
    }
    listed.sort_by(|(a, one), (b, other)| b.cmp(a).then_with(|| one.subject.cmp(&other.subject)));
    let rows: Vec<Listed> = listed.into_iter().map(|(_, listed)| listed).collect();
    let table = markdown_table(&view::index(&rows));
    let head =
        "# Performance audits\n\nThe last audit of each kernel, the newest first; each name leads to its page.\n";
    Ok(marked(&format!("{head}\n{table}"), &[]))
}
