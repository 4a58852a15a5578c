//! The audits of this project, made again from their snapshots: whatever the tables, sentences and judgements of today say
//! otherwise than the committed pages fails here. `tests/audits` makes them again from their evidence, with a disassembler.

use crate::project::audit;
use kernel_audit::analysis::Audit;
use kernel_audit::snapshot::{Placed, Snapshot};
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;
use std::thread;

/// What mends it.
const CURE: &str = "where the change is meant, `tests/run --bless` makes the committed audits again";

/// The folders with an audit.toml and audits: what the tool is for, what it is held against, and kernels that
/// Python launches.
const PROJECTS: [&str; 3] = ["", "kernels", "kernels/triton"];

/// Where these folders are.
pub(crate) fn projects() -> impl Iterator<Item = PathBuf> {
    PROJECTS.iter().map(|folder| Path::new(env!("CARGO_MANIFEST_DIR")).join(folder))
}

/// The committed snapshots.
pub(crate) fn snapshots() -> Vec<PathBuf> {
    let below = |folder: PathBuf| files(&folder, &["json"]).into_iter().map(move |name| folder.join(name));
    projects().flat_map(|project| below(project.join("audits"))).collect()
}

/// A committed snapshot with the audit of its evidence.
pub(crate) struct Judged {
    pub(crate) path: PathBuf,
    pub(crate) made: Snapshot,
    pub(crate) audit: Audit,
}

/// The committed snapshots, read and judged once for all tests.
pub(crate) fn audits() -> &'static [Judged] {
    static ALL: LazyLock<Vec<Judged>> = LazyLock::new(|| {
        let judged = |path: PathBuf| {
            let made = Snapshot::read(&path).unwrap();
            Judged { audit: made.audit(), made, path }
        };
        let mut odd = snapshots();
        let even = odd.split_off(odd.len() / 2);
        thread::scope(|scope| {
            let beside = scope.spawn(|| even.into_iter().map(judged).collect::<Vec<_>>());
            odd.into_iter().map(judged).chain(beside.join().unwrap()).collect()
        })
    });
    &ALL
}

/// The committed snapshot of this name.
pub(crate) fn snapshot(name: &str) -> Snapshot {
    let named = |path: &&PathBuf| path.file_stem().is_some_and(|stem| stem == name);
    Snapshot::read(snapshots().iter().find(named).unwrap_or_else(|| panic!("there is no {name}"))).unwrap()
}

/// The files below a folder with one of these endings, by their paths from it.
fn files(folder: &Path, endings: &[&str]) -> BTreeSet<PathBuf> {
    let mut all = BTreeSet::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let own = PathBuf::from(path.file_name().unwrap());
        if path.is_dir() {
            all.extend(files(&path, endings).into_iter().map(|below| own.join(below)));
        } else if path.extension().is_some_and(|ending| endings.iter().any(|known| ending == *known)) {
            all.insert(own);
        }
    }
    all
}

/// The first line of two texts that differs.
fn difference(was: &str, is: &str) -> String {
    let (mut was, mut is) = (was.lines(), is.lines());
    let mut number = 0;
    loop {
        number += 1;
        match (was.next(), is.next()) {
            (None, None) => return "only the ends of lines differ".to_owned(),
            (was, is) if was != is && !was.unwrap_or_default().starts_with("<!-- audit:") => {
                return format!("line {number}\n- {}\n+ {}", was.unwrap_or_default(), is.unwrap_or_default());
            }
            _ => {}
        }
    }
}

#[test]
fn every_page_and_chart_is_what_its_snapshot_says_today() {
    let mut changed = Vec::new();
    for project in projects() {
        let made = tempfile::tempdir().unwrap();
        let audits = project.join("audits");
        let snapshots = files(&audits, &["json"]);
        let snapshots = snapshots.iter().map(|name| Path::new("audits").join(name));
        let run = audit(&project).arg("render").args(snapshots).arg("--out").arg(made.path()).output().unwrap();
        assert!(run.status.success(), "{}", String::from_utf8_lossy(&run.stderr));
        let read = |folder: &Path, name: &Path| fs::read_to_string(folder.join(name)).unwrap_or_default();
        let all = &files(&audits, &["md", "svg"]) | &files(made.path(), &["md", "svg"]);
        assert!(all.len() >= 5, "{}", all.len());
        // The page of a timeline has no snapshot.
        let is_rendered = |name: &&PathBuf| *name != Path::new("README.md") && !name.ends_with("timeline.md");
        for name in all.iter().filter(is_rendered) {
            let (was, is) = (read(&audits, name), read(made.path(), name));
            if was != is {
                changed.push(format!("{}, {}", audits.join(name).display(), difference(&was, &is)));
            }
        }
    }
    assert!(changed.is_empty(), "{} files differ; {CURE}\n{}", changed.len(), changed.join("\n"));
}

#[test]
fn bytes_set_the_floor_of_a_stream_and_none_of_what_computes() {
    let floor = |name: &str| {
        let named = |judged: &&Judged| judged.path.ends_with(format!("kernels/audits/2026-11-21-{name}.json"));
        let judged = audits().iter().find(named).unwrap();
        (judged.audit.stated.floor.is_some(), judged.audit.stated.is_beside)
    };
    assert_eq!(floor("stream_triad"), (true, false));
    // Eight bytes a thread beside exponentials that are no stated operations: 421 ns of 71.1 µs.
    assert_eq!(floor("sfu_bound"), (false, true));
}

#[test]
fn a_page_of_a_timeline_is_what_its_command_makes() {
    let root = projects().next().unwrap();
    let audits = root.join("audits");
    let pages: Vec<PathBuf> =
        files(&audits, &["md"]).into_iter().filter(|name| name.ends_with("timeline.md")).collect();
    assert!(!pages.is_empty());
    for name in pages {
        let made = tempfile::tempdir().unwrap();
        let was = fs::read_to_string(audits.join(&name)).unwrap();
        let command = was.lines().find_map(|line| line.strip_prefix("audit timeline ")).unwrap();
        let mut run = audit(&root);
        let run = run.arg("timeline").args(command.split(' ')).arg("--out").arg(made.path()).output().unwrap();
        assert!(run.status.success(), "{}", String::from_utf8_lossy(&run.stderr));
        let is = fs::read_to_string(made.path().join(&name)).unwrap();
        assert!(was == is, "{}, {}; {CURE}", name.display(), difference(&was, &is));
        // What nobody recorded says so where a reader looks first.
        assert_eq!(
            command.contains("made_recording.csv"),
            was.lines().nth(1).unwrap().contains("a made recording"),
            "{was}"
        );
    }
}

#[test]
fn every_snapshot_and_the_index_are_what_is_written_today() {
    let root = projects().next().unwrap();
    let (folder, audits) = (tempfile::tempdir().unwrap(), root.join("audits"));
    for Judged { path, made, audit } in self::audits() {
        let bytes = fs::read(path).unwrap();
        let Snapshot { heading, evidence, milestone, .. } = made.clone();
        // Where it stands in its series is what it was when it was made.
        let (with, is_chosen) = milestone.compared.map(|own| (own.with, own.is_chosen)).unwrap_or_default();
        let placed = Placed { after: milestone.after.unwrap_or_default(), with, is_chosen };
        let again = Snapshot::new(heading, evidence, audit).placed(placed).to_json().unwrap();
        assert!(again == bytes, "{} would be written in another way; {CURE}", path.display());
        if path.starts_with(&audits) {
            fs::write(folder.path().join(path.file_name().unwrap()), bytes).unwrap();
        }
    }
    // A subject that needs no tools: the index lists all that lies beside its page.
    let words = ["generate", "gemm_bias", "--date", "2026-11-20", "--out"];
    let run = audit(&root).args(words).arg(folder.path()).output().unwrap();
    assert!(run.status.success(), "{}", String::from_utf8_lossy(&run.stderr));
    for name in ["README.md", "2026-11-20-gemm_bias.md", "2026-11-20-gemm_bias.json"] {
        let (was, is) =
            [audits.join(name), folder.path().join(name)].map(|path| fs::read_to_string(path).unwrap()).into();
        assert!(was == is, "{name}, {}; {CURE}", difference(&was, &is));
    }
}
