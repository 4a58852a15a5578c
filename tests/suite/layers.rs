//! The map of ARCHITECTURE.md holds: a room uses only what lies below it.

use regex::Regex;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

/// The rooms, the lowest first. Those of one floor do not use each other.
const FLOORS: [&[&str]; 12] = [
    &["bounds"],
    &["quantity", "words", "nearest", "shell", "lock", "read", "plain", "merge"],
    &["catalog", "evidence"],
    &["source"],
    &["analysis"],
    &["view"],
    &["render", "snapshot"],
    &["collect"],
    &["config"],
    &["cli"],
    &["lib"],
    &["main"],
];

/// The rooms inside the analysis.
const ANALYSIS: [&[&str]; 17] = [
    &["limits", "judgement", "sass"],
    &["kernel"],
    &["derive", "timeline"],
    &["lines"],
    &["phases", "launches", "over_time"],
    &["diagnose", "readings", "studied"],
    &["code", "profile", "wanted"],
    &["evidence"],
    &["readings_json", "correctness", "version"],
    &["versus"],
    &["results"],
    &["artefact", "others"],
    &["examined", "changed"],
    &["audit"],
    &["compared", "keep"],
    &["series"],
    &["milestone"],
];

/// The files of Rust below a folder.
pub(crate) fn sources(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            match path.is_dir() {
                true => folders.push(path),
                false if path.extension().is_some_and(|extension| extension == "rs") => found.push(path),
                false => {}
            }
        }
    }
    found
}

/// The files of Rust of the program and of its crates.
pub(crate) fn all_sources() -> Vec<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let crates = fs::read_dir(root.join("crates")).unwrap().map(|entry| entry.unwrap().path().join("src"));
    crates.chain([root.join("src")]).flat_map(|folder| sources(&folder)).collect()
}

/// The arrows between the rooms of a folder, without those of unit tests: (from, to).
fn arrows(inside: &[&str]) -> BTreeSet<(String, String)> {
    let modules = all_modules();
    let room = |module: &[String]| {
        let is_inside = module.iter().zip(inside).all(|(own, name)| own == name);
        module.get(inside.len()).filter(|_| is_inside).cloned()
    };
    let mut arrows = BTreeSet::new();
    for (from, (given, used)) in modules {
        let Some(own) = room(from) else { continue };
        let targets = given.iter().chain(used).filter_map(|path| target(from, path, modules));
        arrows.extend(targets.filter_map(|to| room(&to)).filter(|to| *to != own).map(|to| (own.clone(), to)));
    }
    arrows
}

fn floor(floors: &[&[&str]], room: &str) -> usize {
    floors.iter().position(|floor| floor.contains(&room)).unwrap_or_else(|| panic!("{room} has no floor"))
}

/// Arrows that do not lead down.
fn wrong(floors: &[&[&str]], arrows: &BTreeSet<(String, String)>) -> BTreeSet<(String, String)> {
    arrows.iter().filter(|(from, to)| floor(floors, from) <= floor(floors, to)).cloned().collect()
}

#[test]
fn rooms_use_only_what_lies_below_them() {
    let arrows = arrows(&[]);
    assert!(arrows.len() > 30, "{arrows:?}");
    assert_eq!(wrong(&FLOORS, &arrows), BTreeSet::new());
}

#[test]
fn rooms_of_the_analysis_use_only_what_lies_below_them() {
    let arrows = arrows(&["analysis"]);
    assert!(arrows.len() > 40, "{arrows:?}");
    assert_eq!(wrong(&ANALYSIS, &arrows), BTreeSet::new());
}

/// The files of all rooms by the path of their module, as their code is without comments and unit tests: those below `src`, and
/// those of the judgement, which `src/lib.rs` gives on under the same names.
fn modules() -> BTreeMap<Vec<String>, String> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let folders = [root.join("crates/kernel-judgement/src"), root.join("src")];
    let module = |(folder, path): (&PathBuf, PathBuf)| {
        let inside = path.strip_prefix(folder).unwrap().with_extension("");
        let names = inside.iter().map(|name| name.to_str().unwrap().to_owned());
        let names: Vec<String> = names.filter(|name| !["mod", "lib", "main"].contains(&name.as_str())).collect();
        let code = fs::read_to_string(&path).unwrap();
        let code = code.split("\n#[cfg(test)]\n").next().unwrap().lines();
        (names, code.filter(|line| !line.trim_start().starts_with("//")).collect::<Vec<_>>().join("\n"))
    };
    let files = folders.iter().flat_map(|folder| sources(folder).into_iter().map(move |path| (folder, path)));
    files.filter(|(_, path)| !path.ends_with("src/main.rs")).map(module).collect()
}

/// The paths that a tree of `use` names, such as `a::{b, c::d}`.
fn spelled(before: &str, tree: &str, paths: &mut Vec<String>) {
    let (mut depth, mut start) = (0, 0);
    for (at, c) in tree.char_indices().chain([(tree.len(), ',')]) {
        match c {
            '{' => depth += 1,
            '}' => depth -= 1,
            ',' if depth == 0 => {
                let one = tree[start..at].trim();
                start = (at + 1).min(tree.len());
                match one.split_once('{') {
                    Some((own, inner)) => spelled(&format!("{before}{own}"), inner.strip_suffix('}').unwrap(), paths),
                    None if one.is_empty() => {}
                    None => paths.push(format!("{before}{}", one.split(" as ").next().unwrap())),
                }
            }
            _ => {}
        }
    }
}

static USES: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"(?m)^\s*(pub(?:\([a-z:]+(?: [a-z:]+)?\))? )?use ([^;]+);").unwrap());
static INLINE: LazyLock<Regex> = LazyLock::new(|| Regex::new(r"\b(?:crate|super)(?:::[A-Za-z_]\w*)+").unwrap());

/// The paths that a file names: those that it gives on, and the others.
fn named(code: &str) -> (Vec<String>, Vec<String>) {
    let (mut given, mut used) = (Vec::new(), Vec::new());
    for found in USES.captures_iter(code) {
        spelled("", &found[2], if found.get(1).is_some() { &mut given } else { &mut used });
    }
    let body = USES.replace_all(code, "");
    used.extend(INLINE.find_iter(&body).map(|found| found.as_str().to_owned()));
    (given, used)
}

/// The module that a path leads to from another, through what modules give on; `None` for one of another crate.
fn target(from: &[String], path: &str, modules: &Modules) -> Option<Vec<String>> {
    way(from, path, modules).pop()
}

/// The modules that a path leads through: those that give it on, and at the end its own; none of another crate.
fn way(from: &[String], path: &str, modules: &Modules) -> Vec<Vec<String>> {
    let mut names: Vec<&str> = path.split("::").map(str::trim).collect();
    let supers = names.iter().take_while(|name| **name == "super").count();
    let mut whole = match names[0] {
        "crate" | "self" => {
            if names.remove(0) == "self" {
                from.to_vec()
            } else {
                Vec::new()
            }
        }
        "super" => from[..from.len() - supers].to_vec(),
        first if modules.contains_key(&[from, &[first.to_owned()]].concat()) => from.to_vec(),
        _ => return Vec::new(),
    };
    whole.extend(names[supers..].iter().map(|name| (*name).to_owned()));
    let length = (0..=whole.len()).rev().find(|length| modules.contains_key(&whole[..*length]));
    let Some(length) = length else { return Vec::new() };
    let (own, rest) = whole.split_at(length);
    let given = rest.first().and_then(|name| {
        modules[own].0.iter().find(|given| given.rsplit("::").next() == Some(name)).filter(|given| *given != path)
    });
    let behind =
        given.map(|given| way(own, [given.as_str(), &rest[1..].join("::")].join("::").trim_end_matches(':'), modules));
    [vec![own.to_vec()], behind.unwrap_or_default()].concat()
}

fn all_modules() -> &'static Modules {
    static MODULES: LazyLock<Modules> =
        LazyLock::new(|| modules().into_iter().map(|(name, code)| (name, named(&code))).collect());
    &MODULES
}

type Modules = BTreeMap<Vec<String>, (Vec<String>, Vec<String>)>;

#[test]
fn no_files_use_each_other_in_a_circle() {
    let modules = all_modules();
    let mut arrows: BTreeMap<&Vec<String>, BTreeSet<Vec<String>>> = BTreeMap::new();
    for (from, (_, used)) in modules {
        let targets = used.iter().flat_map(|path| way(from, path, modules));
        arrows.insert(from, targets.filter(|to| to != from).collect());
    }
    assert!(arrows.values().map(BTreeSet::len).sum::<usize>() > 1000);
    // What uses nothing that is left is in no circle, nor is what nothing uses.
    loop {
        let used: BTreeSet<&Vec<String>> = arrows.values().flatten().collect();
        let is_end = |to: &BTreeSet<Vec<String>>| to.iter().all(|to| !arrows.contains_key(to));
        let ends = arrows.iter().filter(|(name, to)| is_end(to) || !used.contains(*name));
        let ends: Vec<&Vec<String>> = ends.map(|(name, _)| *name).collect();
        if ends.is_empty() {
            break;
        }
        ends.iter().for_each(|end| drop(arrows.remove(end)));
    }
    let left: Vec<String> = arrows.keys().map(|name| name.join("::")).collect();
    assert!(left.is_empty(), "in a circle, or between two: {left:#?}");
}

/// Files that may open files by themselves, with the reason.
const OPENERS: [(&str, &str); 4] = [
    ("crates/kernel-judgement/src/read.rs", "it bounds what is read"),
    ("crates/ncu-report/src/file/bytes.rs", "it maps reports"),
    ("src/collect/machine.rs", "it reads files of the system"),
    ("src/collect/store.rs", "it waits until a file that was made is on the disk"),
];

#[test]
fn no_file_is_too_long_to_read_at_a_sitting() {
    let lines = |path: &PathBuf| fs::read_to_string(path).unwrap().lines().count();
    let long: Vec<PathBuf> = all_sources().into_iter().filter(|path| lines(path) > 400).collect();
    assert_eq!(long, [] as [PathBuf; 0]);
}

/// What writes to the error stream, with the reason.
const SPEAKERS: [(&str, &str); 2] = [
    ("src/cli/program.rs", "the error that ends a run, with its colours"),
    ("src/cli/say.rs", "lines on which nothing acts"),
];

#[test]
fn lines_to_the_error_stream_go_one_way() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let writes = |line: &str| {
        let line = line.trim_start();
        !line.starts_with("//")
            && ["anstream::stderr(", "eprintln!", "io::stderr().lock"].iter().any(|way| line.contains(way))
    };
    let sources = all_sources()
        .into_iter()
        .filter(|path| ["src", "crates/kernel-judgement"].iter().any(|room| path.starts_with(root.join(room))));
    let found: BTreeSet<String> = sources
        .filter(|path| {
            let code = fs::read_to_string(path).unwrap();
            code.split("\n#[cfg(test)]\n").next().unwrap().lines().any(writes)
        })
        .map(|path| path.strip_prefix(root).unwrap().display().to_string())
        .collect();
    assert_eq!(found, SPEAKERS.iter().map(|(path, _)| (*path).to_owned()).collect());
}

#[test]
fn files_are_read_in_one_place() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut found = BTreeSet::new();
    for path in all_sources() {
        let code = fs::read_to_string(&path).unwrap();
        let code = code.split("\n#[cfg(test)]\n").next().unwrap();
        let is_comment = |line: &&str| line.trim_start().starts_with("//");
        let opens =
            |line: &str| ["fs::read(", "fs::read_to_string(", "File::open("].iter().any(|call| line.contains(call));
        if code.lines().filter(|line| !is_comment(line)).any(opens) {
            found.insert(path.strip_prefix(root).unwrap().display().to_string());
        }
    }
    assert_eq!(found, OPENERS.iter().map(|(path, _)| (*path).to_owned()).collect());
}
