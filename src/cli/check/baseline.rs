//! What the baseline of an audit is, and whether it is committed, so that everybody compares with the same.

use super::super::moment::{self, Kept};
use crate::analysis::{self, Audit};
use crate::cli::failure::Failure;
use crate::cli::made::Made;
use crate::snapshot::{Pins, Snapshot, earlier};
use chrono::NaiveDate;
use std::path::{Path, PathBuf};

/// In words what git says of the baseline's file, and whether another one is pinned; empty where there is no baseline.
/// `project` is where the paths that audits name are relative to.
pub(super) fn told(made: &Made, folder: &Path, project: &Path) -> Result<String, Failure> {
    let Some(old) = &made.audit.old else { return Ok(String::new()) };
    let heading = made.heading();
    let against = Path::new(&heading.against);
    let places = match heading.against.as_str() {
        // Words are said of snapshots alone.
        "" if heading.baseline.is_empty() => vec![Some(project.join(home(&old.origin.path)))],
        // Audits that were made before they noted it.
        "" => vec![snapshot_of(&made.audit, &heading.subject, folder), Some(project.join(home(&old.origin.path)))],
        name => vec![Some(folder.join(against)), Some(project.join(home(name)))],
    };
    let pinned = pinned(made, folder)?;
    let Some(file) = places.into_iter().flatten().find(|file| file.is_file()) else {
        return Ok(format!(
            " The file of its baseline is missing, so git cannot tell whether it is committed.{pinned}"
        ));
    };
    let shown = analysis::without_home(&file.display().to_string());
    let said = match moment::kept(&file) {
        Kept::Committed => "committed",
        Kept::Changed => "committed, and changed since",
        Kept::Untracked => "NOT committed: others compare with something else",
        Kept::Unknown => "outside git: others may not have it",
    };
    Ok(format!(" Baseline {shown}: {said}.{pinned}"))
}

/// A path in which `~` stands for the home folder, as pages write it.
fn home(path: &str) -> PathBuf {
    match (path.strip_prefix("~/"), std::env::home_dir()) {
        (Some(rest), Some(home)) => home.join(rest),
        _ => PathBuf::from(path),
    }
}

/// That a pin holds for the audit which its page does not know yet.
fn pinned(made: &Made, folder: &Path) -> Result<String, Failure> {
    let heading = made.heading();
    let Ok(date) = heading.date.parse::<NaiveDate>() else { return Ok(String::new()) };
    let pins = Pins::read(folder)?;
    let to = pins.of(&heading.subject, date).and_then(|pin| pin.to.as_ref()).map(|to| to.snapshot.as_str());
    let own = format!("{}.json", heading.stem());
    Ok(match to.filter(|to| *to != heading.against && **to < *own) {
        Some(to) => format!(" {to} is pinned since: make the page again to compare with it."),
        None => String::new(),
    })
}

/// The snapshot of an audit before whose new side is the old report.
fn snapshot_of(audit: &Audit, subject: &str, folder: &Path) -> Option<PathBuf> {
    let old = audit.old.as_ref()?;
    let found = earlier(folder, subject, None).ok()?;
    let is_it = |path: &Path| {
        let side = Snapshot::read(path).ok().and_then(|made| made.evidence.new.profile);
        side.is_some_and(|side| {
            !side.origin.blake3.is_empty() && side.origin.blake3 == old.origin.blake3 && side.kernel == old.kernel
        })
    };
    found.into_iter().rev().map(|found| found.path).find(|path| is_it(path))
}
