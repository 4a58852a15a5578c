//! Which hypotheses an audit is held against, and which of them were stated before it was measured: those of the audited
//! commit, as git has its audit.toml, and those that the audit's page had before, whatever is stated now.

use super::moment::git;
use super::plan::Plan;
use crate::analysis::{Foresight, Hypothesis};
use crate::config::Config;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// What the commits of a project state of a change.
#[derive(Default)]
pub(super) struct Commits {
    /// By the commit; `None` where nobody can tell.
    known: BTreeMap<String, Option<Stated>>,
}

/// The hypotheses of a version, by the names of their subjects.
type Stated = BTreeMap<String, Vec<Hypothesis>>;

impl Commits {
    /// The hypotheses that an audit of `commit` is held against, each with when it was stated: those that are stated `now`,
    /// those of the commit, and those that the audit's `own` page had.
    pub(super) fn hypotheses(
        &mut self,
        plan: &Plan,
        subject: &str,
        commit: &str,
        now: &[Hypothesis],
        own: Option<&[Hypothesis]>,
    ) -> Vec<Hypothesis> {
        let Some(file) = &plan.file else { return now.to_vec() };
        let is_noted = |one: &Hypothesis| {
            own.iter().copied().flatten().any(|kept| kept.is_same(one) && !kept.foresight.is_unknown())
        };
        let is_asked = own.is_none() || !now.iter().chain(own.into_iter().flatten()).all(is_noted);
        let commit = commit.trim_end_matches("-dirty");
        let stated = || stated_at(&plan.folder, file, commit);
        let before = is_asked.then(|| self.known.entry(commit.to_owned()).or_insert_with(stated));
        let before = before
            .and_then(|stated| stated.as_ref())
            .map(|stated| stated.get(subject).map(Vec::as_slice).unwrap_or_default());
        let mut all = now.to_vec();
        for kept in own.into_iter().chain(before).flatten() {
            if !all.iter().any(|one| one.is_same(kept)) {
                all.push(kept.clone());
            }
        }
        for one in &mut all {
            let noted = own.into_iter().flatten().find(|kept| kept.is_same(one)).map(|kept| kept.foresight);
            one.foresight = match (noted, before) {
                (Some(noted), _) if !noted.is_unknown() => noted,
                (_, Some(before)) if before.iter().any(|kept| kept.is_same(one)) => Foresight::Before,
                (_, Some(_)) => Foresight::After,
                // What its page did not have came later than it.
                (None, None) if own.is_some() => Foresight::After,
                (_, None) => Foresight::Unknown,
            };
        }
        all
    }
}

/// What a version states; `None` where git does not know it, or its audit.toml cannot be read.
fn stated_at(folder: &Path, file: &Path, commit: &str) -> Option<Stated> {
    if commit.is_empty() || !commit.bytes().all(|byte| byte.is_ascii_hexdigit()) {
        return None;
    }
    let name = PathBuf::from(file.file_name()?);
    let Some(text) = git(folder, &["show", &format!("{commit}:./{}", name.display())]) else {
        // A version without the file states nothing.
        let is_known = git(folder, &["cat-file", "-e", &format!("{commit}^{{commit}}")]).is_some();
        return is_known.then(Stated::default);
    };
    let text = String::from_utf8(text).ok()?;
    if !text.contains("hypothesis") {
        return Some(Stated::default());
    }
    let config = Config::parse(file, text).ok()?;
    Some(config.subjects.into_iter().map(|subject| (subject.name.to_string(), subject.hypotheses)).collect())
}
