//! The map of ARCHITECTURE.md holds: a room uses only what lies below it.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

/// The rooms, the lowest first. Those of one floor do not use each other.
const FLOORS: [&[&str]; 12] = [
    &["bounds"],
    &["quantity", "words", "nearest", "shell", "lock", "packed", "read", "plain"],
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
const ANALYSIS: [&[&str]; 14] = [
    &["limits", "sass"],
    &["kernel"],
    &["derive", "timeline"],
    &["lines"],
    &["phases", "launches"],
    &["diagnose"],
    &["code", "profile", "wanted"],
    &["evidence"],
    &["readings_json", "correctness"],
    &["versus"],
    &["results"],
    &["artefact"],
    &["audit"],
    &["dump", "milestone"],
];

fn sources(folder: &Path) -> Vec<PathBuf> {
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

/// The arrows between the rooms of a folder, without those of unit tests: (from, to). `prefix` stands before a room's name.
fn arrows(folder: &str, prefix: &str) -> BTreeSet<(String, String)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join(folder);
    let mut arrows = BTreeSet::new();
    for path in sources(&folder) {
        let inside = path.strip_prefix(&folder).unwrap().with_extension("");
        let room = inside.iter().next().unwrap().to_str().unwrap().to_owned();
        let code = fs::read_to_string(&path).unwrap();
        let code = code.split("\n#[cfg(test)]\n").next().unwrap();
        let uses = code
            .lines()
            .filter(|line| !line.trim_start().starts_with("//"))
            .flat_map(|line| line.split(prefix).skip(1));
        for used in uses {
            let word: String = used.chars().take_while(|c| c.is_ascii_lowercase() || *c == '_').collect();
            // A name of the folder itself, such as a type that it gives on, is no room.
            let is_room =
                !word.is_empty() && (folder.join(&word).is_dir() || folder.join(format!("{word}.rs")).is_file());
            if is_room && word != room && room != "mod" {
                arrows.insert((room.clone(), word));
            }
        }
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
    let arrows = arrows("src", "crate::");
    assert!(arrows.len() > 30, "{arrows:?}");
    assert_eq!(wrong(&FLOORS, &arrows), BTreeSet::new());
}

#[test]
fn rooms_of_the_analysis_use_only_what_lies_below_them() {
    let arrows = arrows("src/analysis", "crate::analysis::");
    assert!(arrows.len() > 40, "{arrows:?}");
    assert_eq!(wrong(&ANALYSIS, &arrows), BTreeSet::new());
}

/// Files that may open files by themselves, with the reason.
const OPENERS: [(&str, &str); 4] = [
    ("read.rs", "it bounds what is read"),
    ("source/ncu_report/bytes.rs", "it maps reports"),
    ("collect/machine.rs", "it reads files of the system"),
    ("collect/store.rs", "it waits until a file that was made is on the disk"),
];

#[test]
fn files_are_read_in_one_place() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut found = BTreeSet::new();
    for path in sources(&folder) {
        let code = fs::read_to_string(&path).unwrap();
        let code = code.split("\n#[cfg(test)]\n").next().unwrap();
        let is_comment = |line: &&str| line.trim_start().starts_with("//");
        let opens =
            |line: &str| ["fs::read(", "fs::read_to_string(", "File::open("].iter().any(|call| line.contains(call));
        if code.lines().filter(|line| !is_comment(line)).any(opens) {
            found.insert(path.strip_prefix(&folder).unwrap().display().to_string());
        }
    }
    assert_eq!(found, OPENERS.iter().map(|(path, _)| (*path).to_owned()).collect());
}
