//! Whether HEAD has another version of a kernel's source than the one that an audit is of, as git knows it.

use super::Made;
use super::moment::{but, git, git_list, git_text, pathspec};
use crate::analysis::SourceLines;
use crate::config::{Code, Subject};
use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsString;
use std::path::{Component, Path, PathBuf};
use std::sync::{Mutex, OnceLock, PoisonError};

/// What git says of a kernel's source since an audit of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Since {
    /// HEAD has the version that was audited.
    Same,
    /// HEAD has another: in words which files changed, and since when.
    Changed(String),
    /// It cannot tell, and why.
    Unknown(&'static str),
}

/// The sources of a project as git knows them; git is asked once for each version.
pub(super) struct Sources<'p> {
    folder: &'p Path,
    tracked: OnceLock<Option<Tracked>>,
    /// By commit, with and without what only moved.
    changed: [Mutex<BTreeMap<String, Option<Vec<String>>>>; 2],
    past: Mutex<BTreeMap<String, bool>>,
    is_shallow: OnceLock<bool>,
}

struct Tracked {
    /// Where the project lies in the repository.
    prefix: PathBuf,
    /// Paths from the root of the repository.
    files: Vec<String>,
}

impl Tracked {
    fn of(folder: &Path) -> Option<Tracked> {
        let prefix = git_text(folder, &["rev-parse", "--show-prefix"])?.into();
        Some(Tracked { prefix, files: git_list(folder, &["ls-files", "-z", "--full-name", "--", ":/"])? })
    }

    /// A file of the project by its path.
    fn at(&self, path: &Path) -> Option<&str> {
        let mut full = PathBuf::new();
        for step in self.prefix.join(path).components() {
            match step {
                Component::ParentDir => {
                    full.pop();
                }
                Component::Normal(name) => full.push(name),
                Component::CurDir | Component::RootDir | Component::Prefix(_) => {}
            }
        }
        let full = full.to_str()?;
        self.files.iter().find(|file| *file == full).map(String::as_str)
    }

    /// The file with this name, where one file alone has it.
    fn called(&self, name: &str) -> Option<&str> {
        let mut found = self.files.iter().filter(|file| file.rsplit('/').next() == Some(name));
        found.next().filter(|_| found.next().is_none()).map(String::as_str)
    }
}

impl<'p> Sources<'p> {
    pub(super) fn of(folder: &'p Path) -> Sources<'p> {
        Sources {
            folder,
            tracked: OnceLock::new(),
            changed: Default::default(),
            past: Mutex::default(),
            is_shallow: OnceLock::new(),
        }
    }

    /// What became of the source of an audit's kernel since: the files that its subject names, and those that the report
    /// and the build name, where git knows them. It was measured at `commit`; what was measured in a tree with changes, or at a
    /// commit that is not in HEAD's past, is as old as the commit that brought its `snapshot`.
    pub(super) fn since(&self, made: &Made, subject: Option<&Subject>, commit: &str, snapshot: Option<&Path>) -> Since {
        let files = self.files(made, subject);
        if self.tracked.get().is_none_or(Option::is_none) {
            return Since::Unknown("there is no git repository");
        }
        if files.is_empty() {
            return Since::Unknown("git knows no source of it");
        }
        let base =
            if self.is_past(commit) { Some(commit.to_owned()) } else { snapshot.and_then(|path| self.brought(path)) };
        let Some(base) = base else { return Since::Unknown("git does not know the version that was audited") };
        let mut changed = files;
        // Where a content comes from is looked for among all files, and only for those that are otherwise now.
        for without_moved in [false, true] {
            if !changed.is_empty() {
                let Some(all) = self.changed(&base, without_moved) else {
                    return Since::Unknown("git cannot compare the versions");
                };
                changed.retain(|file| all.iter().any(|other| other == file));
            }
        }
        if changed.is_empty() {
            return Since::Same;
        }
        Since::Changed(format!("{} changed {}since {base}", changed.join(", "), self.commits(&base, &changed)))
    }

    /// The files that an audit's kernel is made from, as git names them; none where it knows no such file.
    pub(super) fn files(&self, made: &Made, subject: Option<&Subject>) -> Vec<&str> {
        let tracked = self.tracked.get_or_init(|| Tracked::of(self.folder)).as_ref();
        tracked.map(|tracked| files(tracked, made, subject)).unwrap_or_default()
    }

    /// The first line of the message of the commit that made the version that was audited at `commit`: the last one up to it
    /// that changed one of `files`, else anything but what lies `beside` the kernel. `None` where the history that git has
    /// here does not reach that far, and for text that is no commit.
    pub(super) fn message(&self, commit: &str, files: &[&str], beside: &[PathBuf]) -> Option<String> {
        if !is_commit(commit) {
            return None;
        }
        let last = |paths: Vec<OsString>| {
            let words = ["log", "-1", "--format=%P|%s", commit, "--"].map(OsString::from).to_vec();
            let said = git_text(self.folder, &[words, paths].concat())?;
            said.split_once('|').map(|(parents, message)| (parents.to_owned(), message.to_owned()))
        };
        let audited = last(Vec::new())?;
        let sources: Vec<OsString> = of_root(files).collect();
        let of_sources = if sources.is_empty() { None } else { last(sources) };
        let others = || last([vec![OsString::from(":/")], beside.iter().map(|path| but(path)).collect()].concat());
        let (parents, message) = of_sources.or_else(others).unwrap_or(audited);
        // A commit without parents in a shallow clone is where the clone ends, whatever it changed.
        (!message.is_empty() && (!parents.is_empty() || !self.is_shallow())).then_some(message)
    }

    fn is_shallow(&self) -> bool {
        let asked = || git_text(self.folder, &["rev-parse", "--is-shallow-repository"]);
        *self.is_shallow.get_or_init(|| asked().as_deref() != Some("false"))
    }

    fn is_past(&self, commit: &str) -> bool {
        let asked = || git(self.folder, &["merge-base", "--is-ancestor", commit, "HEAD"]).is_some();
        is_commit(commit) && once(&self.past, commit, asked)
    }

    /// The commit that brought a file, twelve digits; `None` where the history does not reach back to it.
    fn brought(&self, file: &Path) -> Option<String> {
        if self.is_shallow() {
            return None;
        }
        let file = std::path::absolute(file).ok()?;
        let mut words = ["log", "-1", "--diff-filter=A", "--format=%H", "HEAD", "--"].map(OsString::from).to_vec();
        words.push(pathspec(":(literal)", &file));
        let mut commit = git_text(self.folder, &words)?;
        commit.truncate(12);
        is_commit(&commit).then_some(commit)
    }

    /// The files of which HEAD has another content than the commit; `without_moved` those of which it has one that the commit
    /// had nowhere: a file that moved is no other version.
    fn changed(&self, base: &str, without_moved: bool) -> Option<Vec<String>> {
        once(&self.changed[usize::from(without_moved)], base, || {
            let how = match without_moved {
                true => &["-C100%", "--find-copies-harder", "--diff-filter=rc"][..],
                false => &["--no-renames"],
            };
            let words = [&["diff", "--name-only", "-z", "--no-ext-diff"][..], how, &[base, "HEAD", "--"]].concat();
            git_list(self.folder, &words)
        })
    }

    /// How many commits changed some files since a commit, in words with a space behind; empty where git does not say.
    fn commits(&self, base: &str, files: &[&str]) -> String {
        let mut words = ["rev-list", "--count", &format!("{base}..HEAD"), "--"].map(OsString::from).to_vec();
        words.extend(of_root(files));
        match git_text(self.folder, &words).and_then(|count| count.parse::<u32>().ok()) {
            None | Some(0) => String::new(),
            Some(1) => "in a commit ".to_owned(),
            Some(more) => format!("in {more} commits "),
        }
    }
}

/// What is known by a name, else what `ask` gives, which is asked once.
fn once<T: Clone>(known: &Mutex<BTreeMap<String, T>>, name: &str, ask: impl FnOnce() -> T) -> T {
    known.lock().unwrap_or_else(PoisonError::into_inner).entry(name.to_owned()).or_insert_with(ask).clone()
}

/// The files that an audit's kernel is made from, by their paths in the repository. Where the subject names its source, that
/// is the one that is compiled, and of the files that a report lists only those that a source includes count.
fn files<'t>(tracked: &'t Tracked, made: &Made, subject: Option<&Subject>) -> Vec<&'t str> {
    let source = subject.and_then(|subject| match &subject.code {
        Some(Code::Source { path, .. }) => Some(path.as_path()),
        Some(Code::Cubin { .. }) | None => None,
    });
    let inputs = subject.into_iter().flat_map(|subject| &subject.collect.inputs).map(PathBuf::as_path);
    let built = made.audit.code.iter().map(|code| Path::new(code.facts.input.as_str()));
    let built = built.filter(|path| source.is_none() && !has_ending(path, "cubin"));
    let mut files: Vec<&str> =
        source.into_iter().chain(inputs).chain(built).filter_map(|path| tracked.at(path)).collect();
    let named: BTreeSet<&str> =
        made.audit.source.iter().flat_map(SourceLines::spots).map(|spot| spot.place.file.as_str()).collect();
    let named = named.into_iter().filter(|file| source.is_none() || !has_ending(Path::new(file), "cu"));
    files.extend(named.filter_map(|file| tracked.called(file)));
    files.sort_unstable();
    files.dedup();
    files
}

/// What may change without making another version of the kernels of `project`: the folders of `audits`, and what those of
/// `subjects` are made from.
pub(super) fn beside(subjects: &[Subject], audits: &[&Path], project: &Path) -> Vec<PathBuf> {
    let of = |subject: &Subject| {
        let trials = &subject.trials;
        let files =
            [&subject.report, &subject.baseline, &subject.collect.evidence, &trials.correctness, &trials.benchmark];
        let more = [&trials.baseline_benchmark, &trials.reference].into_iter().chain(files).flatten().cloned();
        let junit = subject.tests.as_ref().and_then(|tests| tests.junit.clone());
        more.chain(junit).chain(subject.ptxas.iter().cloned()).collect::<Vec<_>>()
    };
    let all = subjects.iter().flat_map(of).chain(audits.iter().map(|folder| folder.to_path_buf()));
    all.filter_map(|path| path.strip_prefix(project).map(Path::to_owned).ok())
        .filter(|path| path.is_relative())
        .collect()
}

fn has_ending(path: &Path, ending: &str) -> bool {
    path.extension().is_some_and(|own| own == ending)
}

/// Whether a text is a commit's hash, and nothing that git would take for something else.
pub(super) fn is_commit(text: &str) -> bool {
    (7..=64).contains(&text.len()) && text.bytes().all(|b| b.is_ascii_hexdigit())
}

/// Files by their paths from the root of the repository.
fn of_root(files: &[&str]) -> impl Iterator<Item = OsString> {
    files.iter().map(|file| pathspec(":(top,literal)", Path::new(file)))
}
