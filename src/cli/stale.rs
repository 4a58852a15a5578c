//! Whether HEAD has another version of a kernel's source than the one that an audit is of, as git knows it.

use super::made::Made;
use super::moment::git;
use crate::analysis::Listing;
use crate::config::{Code, Subject};
use std::cell::{OnceCell, RefCell};
use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::{Component, Path, PathBuf};

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
    tracked: OnceCell<Option<Tracked>>,
    changed: RefCell<BTreeMap<String, Option<Vec<String>>>>,
}

/// The files that git knows.
struct Tracked {
    /// Where the project lies in the repository.
    prefix: PathBuf,
    /// Paths from the root of the repository.
    files: Vec<String>,
}

impl Tracked {
    fn of(folder: &Path) -> Option<Tracked> {
        let prefix = text(git(folder, &["rev-parse", "--show-prefix"])?);
        let files = list(&git(folder, &["ls-files", "-z", "--full-name", "--", ":/"])?);
        Some(Tracked { prefix: prefix.into(), files })
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
    /// The sources of the project in `folder`.
    pub(super) fn of(folder: &'p Path) -> Sources<'p> {
        Sources { folder, tracked: OnceCell::new(), changed: RefCell::default() }
    }

    /// What became of the source of an audit's kernel since: the files that its subject names, and those that the report
    /// and the build name, where git knows them. An audit of a tree with changes, or of a commit that is not in HEAD's past,
    /// is as old as the commit that brought its `snapshot`.
    pub(super) fn since(&self, made: &Made, subject: Option<&Subject>, snapshot: Option<&Path>) -> Since {
        let Some(tracked) = self.tracked.get_or_init(|| Tracked::of(self.folder)) else {
            return Since::Unknown("there is no git repository");
        };
        let files = files(tracked, made, subject);
        if files.is_empty() {
            return Since::Unknown("git knows no source of it");
        }
        let commit = &made.heading().commit;
        let base =
            if self.is_past(commit) { Some(commit.clone()) } else { snapshot.and_then(|path| self.brought(path)) };
        let Some(base) = base else { return Since::Unknown("git does not know the version that was audited") };
        let Some(changed) = self.changed(&base) else { return Since::Unknown("git cannot compare the versions") };
        let mut changed: Vec<&str> =
            files.into_iter().filter(|file| changed.iter().any(|other| other == file)).collect();
        changed.dedup();
        if changed.is_empty() {
            return Since::Same;
        }
        Since::Changed(format!("{} changed {}since {base}", changed.join(", "), self.commits(&base, &changed)))
    }

    /// Whether a commit lies in HEAD's past.
    fn is_past(&self, commit: &str) -> bool {
        is_commit(commit) && git(self.folder, &["merge-base", "--is-ancestor", commit, "HEAD"]).is_some()
    }

    /// The commit that brought a file, twelve digits; `None` where the history does not reach back to it.
    fn brought(&self, file: &Path) -> Option<String> {
        if text(git(self.folder, &["rev-parse", "--is-shallow-repository"])?) != "false" {
            return None;
        }
        let file = std::path::absolute(file).ok()?;
        let mut words = ["log", "-1", "--diff-filter=A", "--format=%H", "HEAD", "--"].map(OsString::from).to_vec();
        words.push(literal(file.as_os_str()));
        let mut commit = text(git(self.folder, &words)?);
        commit.truncate(12);
        is_commit(&commit).then_some(commit)
    }

    /// The files of which HEAD has a content that the commit had nowhere: a file that moved is no other version.
    fn changed(&self, base: &str) -> Option<Vec<String>> {
        let known = self.changed.borrow().get(base).cloned();
        known.unwrap_or_else(|| {
            let moved = ["-C100%", "--find-copies-harder", "--diff-filter=rc"];
            let words = [&["diff", "--name-only", "-z", "--no-ext-diff"][..], &moved, &[base, "HEAD", "--"]].concat();
            let changed = git(self.folder, &words).map(|said| list(&said));
            self.changed.borrow_mut().insert(base.to_owned(), changed.clone());
            changed
        })
    }

    /// How many commits changed some files since a commit, in words with a space behind; empty where git does not say.
    fn commits(&self, base: &str, files: &[&str]) -> String {
        let mut words = ["rev-list", "--count", &format!("{base}..HEAD"), "--"].map(OsString::from).to_vec();
        words.extend(files.iter().map(|file| OsString::from(format!(":(top,literal){file}"))));
        match git(self.folder, &words).map(text).and_then(|count| count.parse::<u32>().ok()) {
            None | Some(0) => String::new(),
            Some(1) => "in a commit ".to_owned(),
            Some(more) => format!("in {more} commits "),
        }
    }
}

/// The files that an audit's kernel is made from, by their paths in the repository. Where the subject names its source, that
/// is the one that is compiled, and of the files that a report lists only those that a source includes count.
fn files<'t>(tracked: &'t Tracked, made: &Made, subject: Option<&Subject>) -> Vec<&'t str> {
    let source = subject.and_then(|subject| match &subject.code {
        Some(Code::Source { path, .. }) => Some(path.as_path()),
        Some(Code::Cubin { .. }) | None => None,
    });
    let inputs = subject.into_iter().flat_map(|subject| &subject.collect.inputs).map(PathBuf::as_path);
    let built = made.audit.code.iter().map(|code| Path::new(code.input.as_str()));
    let built = built.filter(|path| source.is_none() && !has_ending(path, "cubin"));
    let mut files: Vec<&str> =
        source.into_iter().chain(inputs).chain(built).filter_map(|path| tracked.at(path)).collect();
    let listed = made.audit.source.iter().flat_map(|lines| Listing::kept(lines).files);
    let listed = listed.filter(|file| source.is_none() || !has_ending(Path::new(&file.name), "cu"));
    files.extend(listed.filter_map(|file| tracked.called(&file.name)));
    files.sort_unstable();
    files.dedup();
    files
}

fn has_ending(path: &Path, ending: &str) -> bool {
    path.extension().is_some_and(|own| own == ending)
}

/// Whether a text is a commit's hash, and nothing that git would take for something else.
fn is_commit(text: &str) -> bool {
    (7..=64).contains(&text.len()) && text.bytes().all(|b| b.is_ascii_hexdigit())
}

fn literal(path: &std::ffi::OsStr) -> OsString {
    let mut word = OsString::from(":(literal)");
    word.push(path);
    word
}

fn text(said: Vec<u8>) -> String {
    String::from_utf8_lossy(&said).trim().to_owned()
}

/// What git ends with a zero byte each.
fn list(said: &[u8]) -> Vec<String> {
    let all = said.split(|byte| *byte == 0).filter(|name| !name.is_empty());
    all.map(|name| String::from_utf8_lossy(name).into_owned()).collect()
}
