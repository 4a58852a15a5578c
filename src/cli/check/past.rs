//! What the folder of audits and git have of audits that are not in the series of a subject.

use super::outcome::{Outcome, Said, Seen};
use crate::cli::moment::{git, git_text};
use crate::cli::plan::DEFAULT_CONFIG;
use crate::config::Config;
use crate::snapshot::{Dated, Found, Snapshot};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Component, Path, PathBuf};
use std::sync::OnceLock;

/// An audit that git had and that is not here.
pub(super) struct Removed {
    pub(super) found: Found,
    pub(super) subject: String,
    commit: String,
    /// What was measured; empty where that cannot be read.
    pub(super) measured: String,
}

/// The audits in a folder that the commits of `range` removed and that are not here, of those that are `meant`.
pub(super) fn removed(folder: &Path, range: &str, meant: impl Fn(&str, &Found) -> bool) -> Vec<Removed> {
    let (here, folder) = (Path::new(""), in_place(folder));
    let words = ["-c", "core.quotePath=false", "log", "--format=commit %h", "--no-renames", "--diff-filter=D"];
    let place = folder.display().to_string();
    let words = words.into_iter().chain(["--name-only", "--relative", range, "--", &place]).collect::<Vec<_>>();
    let said = git_text(here, &words).unwrap_or_default();
    let (mut commit, mut all) = ("", Vec::<Removed>::new());
    for line in said.lines() {
        if let Some(next) = line.strip_prefix("commit ") {
            commit = next;
            continue;
        }
        let path = PathBuf::from(line);
        let Some((found, subject)) = Found::of(&path).filter(|(found, subject)| meant(subject, found)) else {
            continue;
        };
        let is_known = all.iter().any(|one| one.found.path == path);
        if is_known || path.is_file() || parent(&path) != folder {
            continue;
        }
        let was = git(here, &["show".to_owned(), format!("{commit}^:./{line}")]);
        let was = was.and_then(|bytes| Snapshot::parse(&path, &bytes).ok());
        let measured = was.map(|was| was.milestone.measured).unwrap_or_default();
        all.push(Removed { found, subject, commit: commit.to_owned(), measured });
    }
    all
}

/// What the folder of audits and git have beside the series of the subjects: each is asked once for all of them.
pub(super) struct Past<'a> {
    folder: &'a Path,
    config: Option<&'a Config>,
    found: &'a BTreeMap<String, Vec<Found>>,
    removed: OnceLock<Vec<Removed>>,
    elsewhere: OnceLock<BTreeMap<String, PathBuf>>,
    unnamed: OnceLock<Vec<Unnamed>>,
}

/// A subject that has audits and that the configuration does not name.
struct Unnamed {
    name: String,
    /// When its newest audit was made, and of which kernel.
    at: Dated,
    kernel: String,
    /// Its audits by what was measured.
    measured: BTreeMap<String, String>,
}

impl<'a> Past<'a> {
    pub(super) fn of(
        folder: &'a Path,
        config: Option<&'a Config>,
        found: &'a BTreeMap<String, Vec<Found>>,
    ) -> Past<'a> {
        let (removed, elsewhere, unnamed) = (OnceLock::new(), OnceLock::new(), OnceLock::new());
        Past { folder, config, found, removed, elsewhere, unnamed }
    }

    /// That a subject has audits which its series does not: under a name that is no longer stated, in another folder, or
    /// removed; of a first audit, or none, also long ago. What was removed since a base, that tells.
    pub(super) fn told(&self, subject: &str, seen: &Seen, is_new: bool, has_base: bool) -> Option<Said> {
        let removed = || match (is_new, has_base) {
            (true, _) => former_in_git(subject),
            (false, true) => None,
            (false, false) => self.was_removed(subject, seen),
        };
        let text = self.former(subject, seen).or_else(|| self.was_elsewhere(subject)).or_else(removed)?;
        Some(Said { outcome: Outcome::Inconclusive, text })
    }

    /// A subject that is no longer named has the launches of the first audit, or ends where this one begins, with the same kernel.
    fn former(&self, subject: &str, seen: &Seen) -> Option<String> {
        let first = seen.record.entries.iter().min_by_key(|entry| entry.found.at);
        let kernel = seen.made.as_ref().map(|made| made.audit.now.artefact.kernel.name.to_string())?;
        let unnamed = self.unnamed.get_or_init(|| self.all_unnamed());
        unnamed.iter().filter(|other| other.name != subject).find_map(|other| {
            if let Some(same) = first.and_then(|first| other.measured.get(&first.milestone.measured)) {
                let name = &other.name;
                return Some(format!("Its launches are those of {same}, an audit of {name}: a subject keeps its name."));
            }
            let is_before = first.is_some_and(|first| other.at < first.found.at);
            (is_before && other.kernel == kernel && !kernel.is_empty()).then(|| {
                format!(
                    "Its kernel is that of {0}, which has audits until {1} and which audit.toml does not name: a subject keeps its name. Name {0} again, or remove its audits.",
                    other.name, other.at
                )
            })
        })
    }

    fn all_unnamed(&self) -> Vec<Unnamed> {
        let Some(config) = self.config else { return Vec::new() };
        let is_named = |name: &str| config.subjects.iter().any(|stated| stated.name.as_str() == name);
        let others = self.found.iter().filter(|(name, _)| !is_named(name));
        let read = |(name, found): (&String, &Vec<Found>)| {
            let newest = found.last()?;
            let profile = Snapshot::read(&newest.path).ok().and_then(|snapshot| snapshot.evidence.new.profile);
            let measured = |found: &Found| Some((Snapshot::read_milestone(&found.path).ok()?.measured, found.name()));
            Some(Unnamed {
                name: name.clone(),
                at: newest.at,
                kernel: profile.map(|profile| profile.kernel.name.to_string()).unwrap_or_default(),
                measured: found.iter().filter_map(measured).filter(|(measured, _)| !measured.is_empty()).collect(),
            })
        };
        others.filter_map(read).collect()
    }

    /// Another folder of this project has audits of the subject, as git knows it.
    fn was_elsewhere(&self, subject: &str) -> Option<String> {
        let elsewhere = self.elsewhere.get_or_init(|| {
            let words = ["ls-files", "-z", "--", ":(glob)**/[0-9]*-*.json", ":(glob)**/audit.toml"];
            let said = git_text(Path::new(""), &words).unwrap_or_default();
            let all: Vec<&Path> = said.split('\0').map(Path::new).collect();
            // What lies below another configuration is of another project.
            let projects: BTreeSet<PathBuf> =
                all.iter().filter(|path| path.ends_with(DEFAULT_CONFIG)).map(|path| parent(path)).collect();
            let project = |folder: &Path| folder.ancestors().map(in_place).find(|above| projects.contains(above));
            let folder = in_place(self.folder);
            let own = project(&folder);
            // Another name of the folder is no other folder.
            let is_own = |other: &Path| other == folder || other.canonicalize().ok() == folder.canonicalize().ok();
            let is_meant = |path: &&&Path| project(&parent(path)) == own && !is_own(&parent(path));
            let found = all.iter().filter(is_meant).filter_map(|path| Found::of(path));
            found.map(|(found, subject)| (subject, found.path)).collect()
        });
        let other = elsewhere.get(subject)?.display();
        Some(format!("git has an audit of it in another folder, {other}: name that folder as `out`, or move it."))
    }

    /// The newest audit that git had was removed, and nothing was measured since.
    fn was_removed(&self, subject: &str, seen: &Seen) -> Option<String> {
        let newest = seen.record.newest()?;
        let removed = self.removed.get_or_init(|| {
            let last = |name: &str| self.found.get(name)?.last().map(|found| found.at);
            let oldest = self.found.keys().filter_map(|name| last(name)).min().unwrap_or_default();
            let since = format!("--since={}T00:00:00", oldest.date);
            removed(self.folder, &since, |name, found| last(name).is_some_and(|last| found.at > last))
        });
        let is_here = |one: &&Removed| {
            let mut own = seen.record.entries.iter();
            own.any(|entry| entry.milestone.measured == one.measured || entry.found.at >= one.found.at)
        };
        let gone = removed.iter().filter(|one| one.subject == subject).find(|one| !is_here(one))?;
        let (name, commit, newest) = (gone.found.name(), &gone.commit, newest.milestone.day());
        Some(format!("git had {name}, which {commit} removed, and {newest} is older: restore it, or measure again."))
    }
}

/// That git had an audit of a subject, in whatever folder.
fn former_in_git(subject: &str) -> Option<String> {
    let glob = format!(":(glob)**/[0-9]*-{subject}.json");
    let words = ["log", "-1", "--format=%h", "--no-renames", "--diff-filter=D", "--name-only", "--", &glob];
    let gone = git_text(Path::new(""), &words).filter(|gone| !gone.is_empty())?;
    let mut lines = gone.lines().filter(|line| !line.is_empty());
    let commit = lines.next().unwrap_or_default();
    let path = lines.find(|path| Found::of(Path::new(path)).is_some_and(|(_, of)| of == *subject))?;
    Some(format!("git had its audit {path}, which {commit} removed: restore it."))
}

/// A path as git in the working folder knows it: one that begins at the root of the machine by its way from here.
pub(super) fn in_place(path: &Path) -> PathBuf {
    let whole = |above: &Path| Some(above.canonicalize().ok()?.join(path.strip_prefix(above).ok()?));
    let from_here = || {
        let (whole, here) = (path.ancestors().find_map(whole)?, std::env::current_dir().ok()?);
        whole.strip_prefix(here).ok().map(Path::to_owned)
    };
    let path = if path.is_absolute() { from_here().unwrap_or_else(|| path.to_owned()) } else { path.to_owned() };
    // The point keeps an empty path from being no path to git.
    let parts = path.components().filter(|part| *part != Component::CurDir).collect::<PathBuf>();
    if parts.as_os_str().is_empty() { ".".into() } else { parts }
}

/// The folder of a file, as git in the working folder knows it.
fn parent(path: &Path) -> PathBuf {
    in_place(path.parent().unwrap_or(path))
}
