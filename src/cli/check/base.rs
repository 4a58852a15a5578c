//! The audits and settings of another version of the project, read from git: what a change does to its own gate is told by
//! name, and judged as that version has it.

use super::outcome::{Outcome, Said, Seen};
use super::past::{in_place, removed};
use crate::analysis::{Limits, Milestone};
use crate::catalog::Threshold;
use crate::cli::Failure;
use crate::cli::moment::{git, git_list, git_text};
use crate::cli::plan::DEFAULT_CONFIG;
use crate::config::{Config, Subject};
use crate::snapshot::{AcceptedFile, Entry, Found, Pins, Snapshot, parse_notes};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// A version that the project is held against.
pub(super) struct Base {
    name: String,
    commit: String,
    folder: PathBuf,
    config: Option<Config>,
    pub(super) pins: Pins,
    /// The snapshots that it or a commit since has and that are not here as they were, by their subjects.
    changed: BTreeMap<String, Vec<(String, Change)>>,
    /// Every snapshot that it has, by its subject.
    all: BTreeMap<String, Vec<Found>>,
    /// What of its gate lies elsewhere here, so that nothing else would tell: the configuration, or the folder of audits.
    moved: Option<String>,
}

enum Change {
    Gone,
    /// It lies here with other bytes; what the base has.
    Other(Box<Snapshot>),
    /// Only a commit since had it, and one behind that took it away: what was measured.
    Removed(String),
}

impl Base {
    /// The version `name`, by the path of the project's configuration, where one is read, and its folder of audits,
    /// which may be named. Errors: a name that git does not know, or files of that version that cannot be read.
    pub(super) fn of(name: &str, config: Option<&Path>, folder: &Path, is_named: bool) -> Result<Base, Failure> {
        let here = Path::new("");
        let unknown = || {
            Failure::usage(format!(
                "git does not know {name:?} here\n  help: fetch it, as in `git fetch origin main`, and name it as in --base origin/main"
            ))
        };
        if name.starts_with('-') {
            return Err(unknown());
        }
        let named = ["rev-parse", "--verify", "--quiet", &format!("{name}^{{commit}}")];
        let tip = git_text(here, &named).ok_or_else(unknown)?;
        // What came to it since this version left it is not gone here.
        let commit = git_text(here, &["merge-base", &tip, "HEAD"]).unwrap_or(tip);
        let show = |path: &Path| shown(&commit, path);
        let text = |path: &Path| show(path).map(|bytes| String::from_utf8_lossy(&bytes).into_owned());
        let (config, mut moved) = match config.map(|path| (path, text(path))) {
            Some((path, Some(text))) => (Some(Config::parse(path, text)?), None),
            Some((path, None)) => (None, elsewhere(name, &commit, path).filter(|_| path.is_file())),
            None => (None, None),
        };
        let own = config.as_ref().filter(|_| !is_named).map(|config| config.out.clone());
        let was = own.unwrap_or_else(|| folder.to_owned());
        if in_place(&was) != in_place(folder) {
            moved =
                Some(format!("{name} keeps its audits in {}, and {} is read here.", was.display(), folder.display()));
        }
        let folder = was;
        let path = Pins::path(&folder);
        let pins = text(&path).map(|text| parse_notes(&path, &text)).transpose()?.unwrap_or_default();
        let place = in_place(&folder).display().to_string();
        let files = |words: &[&str]| git_list(here, &[words, &[&place]].concat()).unwrap_or_default();
        let mut all: BTreeMap<String, Vec<Found>> = BTreeMap::new();
        for path in files(&["ls-tree", "-r", "-z", "--name-only", &commit, "--"]) {
            if let Some((found, subject)) = Found::of(&PathBuf::from(path)) {
                all.entry(subject).or_default().push(found);
            }
        }
        let mut changed: BTreeMap<String, Vec<(String, Change)>> = BTreeMap::new();
        for path in
            files(&["diff", "--name-only", "--relative", "--no-renames", "--diff-filter=DMT", "-z", &commit, "--"])
        {
            let path = PathBuf::from(path);
            let Some((found, subject)) = Found::of(&path) else { continue };
            let was = match path.is_file() {
                false => Change::Gone,
                true => Change::Other(Box::new(Snapshot::parse(&path, &show(&path).unwrap_or_default())?)),
            };
            changed.entry(subject).or_default().push((found.name(), was));
        }
        let is_own = |subject: &str, found: &Found| {
            all.get(subject).is_some_and(|all| all.iter().all(|one| one.path != found.path))
        };
        for gone in removed(&folder, &format!("{commit}..HEAD"), is_own) {
            changed.entry(gone.subject).or_default().push((gone.found.name(), Change::Removed(gone.measured)));
        }
        Ok(Base { name: name.to_owned(), commit, folder, config, pins, changed, all, moved })
    }

    pub(super) fn subjects(&self) -> impl Iterator<Item = &String> {
        self.all.keys()
    }

    fn subject(&self, name: &str) -> Option<&Subject> {
        self.config.iter().flat_map(|config| &config.subjects).find(|stated| stated.name.as_str() == name)
    }

    /// Its thresholds in the place of those that differ; a stricter number for a regression stays. What differs is said.
    pub(super) fn limits(&self, limits: &mut Limits) -> Vec<String> {
        let Some(config) = &self.config else { return Vec::new() };
        let base = Limits { overrides: config.thresholds.clone() };
        let mut said = Vec::new();
        let names: BTreeSet<Threshold> = limits.overrides.keys().chain(base.overrides.keys()).copied().collect();
        for name in names {
            let (own, was) = (limits[name], base[name]);
            let is_stricter = name == Threshold::Regression && own < was;
            if own == was || is_stricter {
                continue;
            }
            said.push(format!(
                "{} has the threshold {name} = {was}, and here it is {own}: judged by {was}.",
                self.name
            ));
            limits.overrides.insert(name, was);
        }
        said
    }

    /// Whether the baseline that the subject states is that of this version.
    pub(super) fn has_baseline_of(&self, stated: Option<&Subject>) -> bool {
        let own = stated.and_then(|stated| stated.baseline.as_ref());
        let was = stated.and_then(|stated| self.subject(stated.name.as_str())?.baseline.as_ref());
        own == was
    }

    /// What a change did to the gate of a subject: none of this passes unless the newest audit is accepted.
    pub(super) fn told(&self, subject: &str, stated: Option<&Subject>, seen: &Seen, pins: &Pins) -> Option<Said> {
        let (name, entries) = (&self.name, &seen.record.entries);
        let mut all: Vec<String> = self.moved.iter().filter(|_| self.all.contains_key(subject)).cloned().collect();
        if stated.is_none() && self.subject(subject).is_some() {
            all.push(format!("{name} has this subject, and audit.toml here does not name it."));
        }
        for (file, was) in self.changed.get(subject).into_iter().flatten() {
            match was {
                Change::Gone => all.push(format!("{file}, which {name} has, is gone: restore it.")),
                Change::Other(was) => all.extend(self.rewritten(file, was, seen)),
                // One that was made again under another day is here.
                Change::Removed(measured) => {
                    if entries.iter().all(|entry| entry.milestone.measured != *measured) {
                        all.push(format!("{file}, which a commit since {name} had, is gone: restore it."));
                    }
                }
            }
        }
        let known = self.all.get(subject).map(Vec::as_slice).unwrap_or_default();
        let last = known.iter().map(|found| found.at).max();
        let new = || entries.iter().filter(|entry| known.iter().all(|one| one.at != entry.found.at));
        let is_apart = |found: &&Entry| {
            let compared = found.milestone.compared.as_ref().filter(|compared| compared.with.is_none());
            compared.is_some() && self.subject(subject).is_some_and(|stated| stated.baseline.is_none())
        };
        all.extend(new().filter(is_apart).map(|entry| {
            format!("{} is compared with no audit of its series, and {name} states no baseline.", entry.found.name())
        }));
        all.extend(new().filter(|entry| Some(entry.found.at) < last).map(|entry| {
            let (own, last) = (entry.found.name(), last.map(|at| at.to_string()).unwrap_or_default());
            format!("{own} is new and dated before {last}, which {name} has: its day is that of its measurement.")
        }));
        all.extend(stated.zip(self.subject(subject)).and_then(|(own, was)| self.stated(own, was)));
        let own = |pins: &Pins| pins.pin.iter().filter(|pin| pin.subject == subject).cloned().collect::<Vec<_>>();
        if own(pins) != own(&self.pins) {
            all.push(format!("Its pinned baseline is another than in {name}: judged by that of {name}."));
        }
        let is_accepted = !all.is_empty() && self.is_decided(subject, seen);
        let outcome = if is_accepted { Outcome::Pass } else { Outcome::Inconclusive };
        (!all.is_empty()).then(|| Said { outcome, text: all.join(" ") })
    }

    /// Whether somebody accepted the newest audit since.
    fn is_decided(&self, subject: &str, seen: &Seen) -> bool {
        let Some(newest) = seen.record.newest().map(|entry| entry.milestone.mark()) else { return false };
        let path = AcceptedFile::path(&self.folder, subject);
        let text = shown(&self.commit, &path).map(|bytes| String::from_utf8_lossy(&bytes).into_owned());
        let was = text.and_then(|text| parse_notes::<AcceptedFile>(&path, &text).ok()).unwrap_or_default();
        let mut own = seen.record.accepted.accepted.iter().filter(|one| one.audit.as_ref() == Some(&newest));
        own.any(|one| !was.accepted.contains(one))
    }

    /// What is other in a snapshot that lies here with other bytes than in the base.
    fn rewritten(&self, file: &str, was: &Snapshot, seen: &Seen) -> Option<String> {
        let name = &self.name;
        let Some(own) = seen.record.entries.iter().find(|entry| entry.found.name() == file) else {
            return Some(format!("{file} cannot be read, and {name} has it whole: restore it."));
        };
        let (own, was) = (&own.milestone, &was.milestone);
        if own.measured != was.measured {
            return Some(format!(
                "{file} is another measurement than in {name}: restore it, and audit the new one on its own day."
            ));
        }
        let with = |one: &Milestone| one.compared.as_ref().map(|compared| compared.with.clone());
        if (own.verdict, with(own)) == (was.verdict, with(was)) {
            return None;
        }
        let word = |one: &Milestone| one.verdict.map_or("no baseline", |verdict| verdict.word());
        Some(format!("{file} says {} and said {} in {name}, of the same measurement.", word(own), word(was)))
    }

    /// What the subject states otherwise than in the base, of what its verdict rests on.
    fn stated(&self, own: &Subject, was: &Subject) -> Option<String> {
        let facts = |one: &Subject| {
            let Subject { checklists, expect, code_checks, outputs, tests, trials, .. } = one;
            let is_checked = trials.correctness.is_some();
            [
                ("kernel", format!("{:?}", one.kernel)),
                ("baseline_kernel", format!("{:?}", one.baseline_kernel)),
                ("launches", format!("{:?}", one.pick)),
                ("how it is launched", format!("{:?} {:?} {:?}", one.plan, one.launch, one.collect.run)),
                ("baseline", format!("{:?}", one.baseline)),
                ("the stated work", format!("{:?} {:?}", one.work, one.tiles)),
                (
                    "what it is checked for",
                    format!("{checklists:?} {expect:?} {code_checks:?} {outputs:?} {tests:?} {is_checked}"),
                ),
            ]
        };
        let differs = facts(own).into_iter().zip(facts(was)).filter(|(own, was)| own != was);
        let other: Vec<&str> = differs.map(|((key, _), _)| key).collect();
        (!other.is_empty()).then(|| format!("audit.toml states another than {}: {}.", self.name, other.join(", ")))
    }
}

/// The file of a commit at a path here.
fn shown(commit: &str, path: &Path) -> Option<Vec<u8>> {
    git(Path::new(""), &["show".to_owned(), format!("{commit}:./{}", in_place(path).display())])
}

/// That the version `name` has a configuration, and not at the path `own`; `None` where it has none.
fn elsewhere(name: &str, commit: &str, own: &Path) -> Option<String> {
    let said = git_text(Path::new(""), &["ls-tree", "-r", "-z", "--name-only", "--full-tree", commit])?;
    let names = [Some(DEFAULT_CONFIG.as_ref()), own.file_name()];
    let was = said.split('\0').find(|path| names.contains(&Path::new(path).file_name()))?;
    Some(format!("{name} has its configuration in {was}, and {} is read here.", own.display()))
}
