//! What the baseline of an audit is, and whether it is committed, so that everybody compares with the same.

use super::super::moment::{self, Kept};
use crate::analysis;
use crate::cli::{Failure, Made};
use crate::snapshot::Pins;
use chrono::NaiveDate;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

/// In words what git says of the baseline's file, and whether another one is pinned; empty where there is no baseline.
/// `project` is where the paths that audits name are relative to.
pub(super) fn told(
    made: &Made,
    folder: &Path,
    project: &Path,
    committed: &Committed<'_>,
    pins: &Pins,
) -> Result<String, Failure> {
    let Some(old) = &made.audit.before else { return Ok(String::new()) };
    let heading = made.heading();
    let against = Path::new(&heading.against);
    let places = match heading.against.as_str() {
        "" => vec![Some(project.join(home(&old.artefact.origin.path)))],
        name => vec![Some(folder.join(against)), Some(project.join(home(name)))],
    };
    let pinned = pinned(made, pins);
    let Some(file) = places.into_iter().flatten().find(|file| file.is_file()) else {
        return Ok(format!(
            " Its baseline is no file of this project, so git cannot tell whether others have it.{pinned}"
        ));
    };
    let shown = analysis::without_home(&file.display().to_string());
    let said = match committed.kept(&file) {
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
fn pinned(made: &Made, pins: &Pins) -> String {
    let heading = made.heading();
    let Ok(date) = heading.date.parse::<NaiveDate>() else { return String::new() };
    let to = pins.of(&heading.subject, date).and_then(|pin| pin.to.as_ref()).map(|to| to.snapshot.as_str());
    let own = format!("{}.json", heading.stem());
    match to.filter(|to| *to != heading.against && **to < *own) {
        Some(to) => format!(" {to} is pinned since: make the page again to compare with it."),
        None => String::new(),
    }
}

/// Which files of the folder of audits are committed; git is asked once for all of them.
pub(super) struct Committed<'a> {
    folder: &'a Path,
    states: OnceLock<Option<BTreeMap<String, Kept>>>,
}

impl<'a> Committed<'a> {
    pub(super) fn of(folder: &'a Path) -> Committed<'a> {
        Committed { folder, states: OnceLock::new() }
    }

    fn kept(&self, file: &Path) -> Kept {
        let name = file.file_name().and_then(|name| name.to_str()).filter(|_| file.parent() == Some(self.folder));
        let Some(name) = name else { return moment::kept(file) };
        match self.states.get_or_init(|| moment::kept_below(self.folder)) {
            Some(states) => states.get(name).copied().unwrap_or(Kept::Committed),
            None => moment::kept(file),
        }
    }
}
