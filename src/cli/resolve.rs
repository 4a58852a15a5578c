//! `audit resolve`: the audits of both sides, after a merge that stopped in the folder of audits.
//!
//! An audit that only one side has stays as it is. Of two different ones of a day, that of the branch that is merged takes the
//! next number of the day. What people wrote stands on the pages of both.

use super::args::Resolve;
use super::made::{Made, Place, write_page};
use super::moment::git;
use super::plan::{config_of, out_folder};
use super::{Failure, Status, args::PageFormat, index};
use crate::analysis::Limits;
use crate::catalog::Threshold;
use crate::config::DEFAULT_TEMPLATE;
use crate::render::{Output, Templates, write_together};
use crate::snapshot::{AcceptedFile, Dated, Found, Pins, Snapshot, SnapshotError, earlier, parse_notes};
use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsStr;
use std::io::Write;
use std::path::{Path, PathBuf};

/// A file as the branch that is checked out has it, and as the one that is merged.
#[derive(Default)]
struct Sides {
    ours: Option<Vec<u8>>,
    theirs: Option<Vec<u8>>,
}

/// A snapshot that stays, with the page of its side.
struct Kept {
    snapshot: Snapshot,
    page: Option<Vec<u8>>,
}

pub(super) fn run(arguments: &Resolve, out: &mut dyn Write) -> Result<(), Failure> {
    let folder = out_folder(&arguments.folder)?;
    let mut sides = unmerged(&folder);
    if sides.is_empty() {
        let help = match next(&folder) {
            None => {
                "`git merge BRANCH` comes first; a merge that was committed with its marks is undone with `git reset --merge HEAD~1`".to_owned()
            }
            Some(next) => format!("what git stopped in lies elsewhere: mend it, then `{next}`"),
        };
        let folder = folder.display();
        return Err(Failure::usage(format!("git knows no unfinished merge in {folder}\n  help: {help}")));
    }
    let config = config_of(&arguments.folder)?;
    let kept = snapshots(&folder, &mut sides)?;
    for one in &kept {
        put(&folder, one)?;
    }
    notes(&folder, &mut sides)?;
    let folder_of = config.as_ref().and_then(|config| config.templates.as_deref());
    let own = config.as_ref().map(|config| config.overrides.clone()).unwrap_or_default();
    let templates = Templates::load_with(folder_of, &own)?;
    let place = Place { folder: &folder, has_snapshot: false };
    for Kept { snapshot, .. } in kept {
        let template = Some(snapshot.heading.template.clone()).filter(|name| !name.is_empty());
        let template = template.as_deref().unwrap_or(DEFAULT_TEMPLATE);
        write_page(&Made::of(snapshot), PageFormat::Md, &place, &templates, template, false, out)?;
    }
    let mut limits = Limits::default();
    limits.overrides.extend(config.into_iter().flat_map(|config| config.thresholds));
    let written = index::write(&folder, true, &[], limits[Threshold::Regression])?;
    written.map_or(Ok(()), |path| writeln!(out, "{}", path.display()))?;
    index::keep_from_conflicts(&folder).map_or(Ok(()), |path| writeln!(out, "{}", path.display()))?;
    sides.remove(Path::new("README.md"));
    // Charts and HTML pages were made again with their pages.
    sides.retain(|path, _| !path.extension().is_some_and(|ending| ending == "svg" || ending == "html"));
    for path in sides.keys() {
        writeln!(out, "left to you: {}: both sides changed it", folder.join(path).display())?;
    }
    let next = next(&folder).unwrap_or("git commit");
    writeln!(out, "then: git add {} && {next}", folder.display())?;
    if sides.is_empty() { Ok(()) } else { Err(Failure::verdict(Status::Findings)) }
}

/// What goes on with what git stopped in; `None` where it stopped in nothing.
fn next(folder: &Path) -> Option<&'static str> {
    const STOPPED: [(&str, &str); 4] = [
        ("REBASE_HEAD", "git rebase --continue"),
        ("CHERRY_PICK_HEAD", "git cherry-pick --continue"),
        ("REVERT_HEAD", "git revert --continue"),
        ("MERGE_HEAD", "git commit"),
    ];
    let is_there = |head: &str| git(folder, &["rev-parse", "--verify", "--quiet", head]).is_some();
    STOPPED.into_iter().find(|(head, _)| is_there(head)).map(|(_, next)| next)
}

/// The files below a folder that a merge stopped in, by their paths in it.
fn unmerged(folder: &Path) -> BTreeMap<PathBuf, Sides> {
    let said = git(folder, &["ls-files", "--unmerged", "-z", "--", "."]).unwrap_or_default();
    let mut all: BTreeMap<PathBuf, Sides> = BTreeMap::new();
    for line in said.split(|byte| *byte == 0) {
        // MODE BLOB STAGE, a tab, the path
        let line = String::from_utf8_lossy(line);
        let Some((head, path)) = line.split_once('\t') else { continue };
        let words: Vec<&str> = head.split(' ').collect();
        let [_, blob, stage] = words.as_slice() else { continue };
        let sides = all.entry(PathBuf::from(path)).or_default();
        let side = match *stage {
            "2" => &mut sides.ours,
            "3" => &mut sides.theirs,
            _ => continue,
        };
        *side = git(folder, &["cat-file", "blob", blob]);
    }
    all
}

/// The snapshots of both sides, with their pages, which are then no longer among the files.
fn snapshots(folder: &Path, sides: &mut BTreeMap<PathBuf, Sides>) -> Result<Vec<Kept>, Failure> {
    let names: Vec<PathBuf> = sides.keys().filter(|path| Found::of(path).is_some()).cloned().collect();
    let mut taken: BTreeSet<(String, Dated)> = BTreeSet::new();
    let mut renamed: BTreeMap<String, String> = BTreeMap::new();
    let (mut kept, mut moved) = (Vec::new(), Vec::new());
    for name in names {
        let (Some((found, subject)), Some(both)) = (Found::of(&name), sides.remove(&name)) else { continue };
        let mut pages = sides.remove(&name.with_extension("md")).unwrap_or_default();
        let read = |bytes: Option<Vec<u8>>| bytes.map(|bytes| Snapshot::parse(&name, &bytes)).transpose();
        let (ours, mut theirs) = (read(both.ours)?, read(both.theirs)?);
        if let Some(ours) = ours {
            let is_same = |theirs: &mut Snapshot| ours.evidence.new.is_same_measurement(&theirs.evidence.new);
            if theirs.as_mut().is_some_and(is_same) {
                theirs = None;
            }
            kept.push(Kept { snapshot: ours, page: pages.ours.take() });
        } else if let Some(theirs) = theirs.take() {
            kept.push(Kept { snapshot: theirs, page: pages.theirs.take() });
        }
        let Some(mut snapshot) = theirs else { continue };
        let of_day = earlier(folder, &subject, None)?.into_iter().map(|found| found.at);
        let of_day = of_day.chain(taken.iter().filter(|(of, _)| *of == subject).map(|(_, at)| *at));
        let last = of_day.filter(|at| at.date == found.at.date).map(|at| at.number).max();
        let at = Dated { number: last.unwrap_or(found.at.number).next(), ..found.at };
        taken.insert((subject.clone(), at));
        (snapshot.heading.number, snapshot.milestone.number) = (at.number, at.number);
        renamed.insert(found.name(), format!("{at}-{subject}.json"));
        moved.push(Kept { snapshot, page: pages.theirs.take() });
    }
    for one in &mut moved {
        let against = &mut one.snapshot.heading.against;
        if let Some(name) = renamed.get(against.as_str()) {
            against.clone_from(name);
        }
    }
    kept.extend(moved);
    Ok(kept)
}

/// Writes a snapshot, and the page of its side, whose blocks are then made anew.
fn put(folder: &Path, kept: &Kept) -> Result<(), Failure> {
    let path = folder.join(format!("{}.json", kept.snapshot.heading.stem()));
    let bytes = kept.snapshot.to_json().map_err(|error| Failure::usage(format!("{}: {error}", path.display())))?;
    let page = path.with_extension("md");
    let page = kept.page.as_ref().map(|bytes| Output { path: &page, bytes });
    let snapshot = Output { path: &path, bytes: &bytes };
    write_together(&page.into_iter().chain([snapshot]).collect::<Vec<_>>())?;
    Ok(())
}

/// Writes acceptances and pins of both sides, which are then no longer among the files.
fn notes(folder: &Path, sides: &mut BTreeMap<PathBuf, Sides>) -> Result<(), Failure> {
    let is_notes = |path: &&PathBuf| path.extension() == Some(OsStr::new("toml"));
    let names: Vec<PathBuf> = sides.keys().filter(is_notes).cloned().collect();
    for name in names {
        let path = folder.join(&name);
        let Some(Sides { ours: Some(ours), theirs: Some(theirs) }) = sides.get(&name) else { continue };
        let (ours, theirs) = (String::from_utf8_lossy(ours), String::from_utf8_lossy(theirs));
        let text = match path == Pins::path(folder) {
            true => {
                let [mut pins, other]: [Pins; 2] = [parse_notes(&path, &ours)?, parse_notes(&path, &theirs)?];
                other.pin.into_iter().for_each(|pin| pins.put(pin));
                pins.to_toml()
            }
            false => parse_notes::<AcceptedFile>(&path, &ours)?.and(parse_notes(&path, &theirs)?).to_toml(),
        };
        let text = text.map_err(|error| SnapshotError::Notes { path: path.clone(), what: error.to_string() })?;
        write_together(&[Output { path: &path, bytes: text.as_bytes() }])?;
        sides.remove(&name);
    }
    Ok(())
}
