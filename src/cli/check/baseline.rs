//! Whether the baseline of an audit is committed, so that everybody compares with the same.

use super::super::moment::{self, Kept};
use crate::analysis::Audit;
use crate::snapshot::{Snapshot, earlier};
use std::path::{Path, PathBuf};

/// In words what git says of the baseline's file; empty where there is no baseline. `project` is where the paths that
/// audits name are relative to.
pub(super) fn told(audit: &Audit, subject: &str, folder: &Path, project: &Path) -> String {
    let Some(old) = &audit.old else { return String::new() };
    let Some(file) = snapshot_of(&old.origin.blake3, subject, folder).or_else(|| {
        let named = project.join(&old.origin.path);
        named.is_file().then_some(named)
    }) else {
        return " Its baseline's file is not here, so that git cannot say whether it is committed.".to_owned();
    };
    let shown = crate::analysis::without_home(&file.display().to_string());
    let said = match moment::kept(&file) {
        Kept::Committed => "committed",
        Kept::Changed => "committed, and changed since",
        Kept::Untracked => "NOT committed: others compare with something else",
        Kept::Unknown => "outside git, so that nobody else need have it",
    };
    format!(" Baseline {shown}: {said}.")
}

/// The snapshot whose new side is the report of that hash.
fn snapshot_of(blake3: &str, subject: &str, folder: &Path) -> Option<PathBuf> {
    let found = earlier(folder, subject, None).ok()?;
    let is_it = |path: &Path| {
        let side = Snapshot::read(path).ok().and_then(|made| made.evidence.new.profile);
        side.is_some_and(|profile| profile.origin.blake3 == blake3)
    };
    found.into_iter().rev().map(|found| found.path).find(|path| !blake3.is_empty() && is_it(path))
}
