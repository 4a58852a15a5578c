//! What lies beside the audits of a subject and does not fit them: a report that nobody audited, audits that git had.

use super::outcome::{Outcome, Said};
use super::seen::Seen;
use crate::cli::args;
use crate::cli::evidence;
use crate::cli::made::Made;
use crate::cli::moment::git_text;
use crate::collect::files;
use crate::config::{Config, Subject};
use crate::shell::split;
use crate::snapshot::{Found, Snapshot};
use crate::source::Profile;
use std::collections::BTreeMap;
use std::path::{Component, Path, PathBuf};

/// How a file begins that stands for one that Git LFS did not fetch.
const POINTER: &[u8] = b"version https://git-lfs";

/// That the report which the subject names is another than the newest audit's; `None` where it is the same, or not here.
pub(super) fn report(subject: &Subject, project: &Path, seen: &Seen) -> Option<Said> {
    let audited = &seen.made.as_ref()?.snapshot.evidence.new.profile.as_ref()?.origin.blake3;
    let path = match &subject.report {
        Some(report) => report.clone(),
        None => evidence::folder_of(subject, project).join(files::PROFILE.1),
    };
    if audited.is_empty() || !path.is_file() || crate::read::head(&path, 64).ok()?.starts_with(POINTER) {
        return None;
    }
    let hash = Profile::open(&path, false).and_then(|mut profile| profile.hash()).ok()?;
    if hash == *audited {
        return None;
    }
    let newest = seen.record.newest().map(|entry| entry.milestone.day()).unwrap_or_default();
    let of = |entry: &&crate::snapshot::Entry| {
        let profile = Snapshot::read(&entry.found.path).ok().and_then(|snapshot| snapshot.evidence.new.profile);
        profile.is_some_and(|profile| profile.origin.blake3 == hash)
    };
    let shown = crate::analysis::without_home(&path.display().to_string());
    let text = match seen.record.entries.iter().rev().find(of) {
        Some(entry) => format!(
            "{shown} is the report of {}, and {newest} was audited last: the kernel went back. `audit generate {}` notes it.",
            entry.milestone.day(),
            subject.name
        ),
        None => format!("{shown} is not what was audited last, on {newest}: run `audit generate {}`.", subject.name),
    };
    Some(Said { outcome: Outcome::Inconclusive, text })
}

/// That a subject without an audit, or with a first one, has audits that are not here: elsewhere, in git's past, or under
/// the name of a subject that is no longer stated.
pub(super) fn former(
    subject: &str,
    seen: &Seen,
    folder: &Path,
    others: &BTreeMap<String, Vec<Found>>,
    is_stated: impl Fn(&str) -> bool,
) -> Option<Said> {
    let said = |text: String| Some(Said { outcome: Outcome::Inconclusive, text });
    let own = seen.made.as_ref().map(|made| made.snapshot.milestone.measured.clone());
    let measured = own.filter(|own| !own.is_empty());
    for (other, found) in others.iter().filter(|(other, _)| !is_stated(other) && measured.is_some()) {
        let same = found.iter().find(|found| {
            Snapshot::read_milestone(&found.path).is_ok_and(|milestone| Some(&milestone.measured) == measured.as_ref())
        });
        if let Some(same) = same {
            return said(format!(
                "Its launches are those of {}, an audit of {other}: a subject keeps its name.",
                same.name()
            ));
        }
    }
    let glob = format!(":(glob)**/[0-9]*-{subject}.json");
    let is_its = |path: &&str| Found::of(Path::new(path)).is_some_and(|(_, of)| of == *subject);
    let project = Path::new("");
    let kept = git_text(project, &["ls-files", "--", &glob])?;
    let folder: PathBuf = folder.components().filter(|part| *part != Component::CurDir).collect();
    if let Some(other) = kept.lines().filter(is_its).find(|path| Path::new(path).parent() != Some(&folder)) {
        return said(format!(
            "git has an audit of it in another folder, {other}: name that folder as `out`, or move it."
        ));
    }
    let words = ["log", "-1", "--format=%h", "--no-renames", "--diff-filter=D", "--name-only", "--", &glob];
    if let Some(gone) = git_text(project, &words).filter(|gone| !gone.is_empty()) {
        let mut lines = gone.lines().filter(|line| !line.is_empty());
        let commit = lines.next().unwrap_or_default();
        if let Some(path) = lines.find(is_its) {
            return said(format!("git had its audit {path}, which {commit} removed: restore it."));
        }
    }
    None
}

/// That the newest audit was made with choices that audit.toml does not state; `None` where it was made as everybody makes it.
pub(super) fn chosen(subject: &Subject, config: &Config, made: &Made) -> Option<Said> {
    let command = &made.heading().command;
    let thresholds = config.thresholds.iter().map(|(id, number)| format!("{id}={number}")).collect::<Vec<_>>();
    let words = split(command);
    let other = words.windows(2).filter(|pair| pair[0] == "--threshold" && !thresholds.contains(&pair[1]));
    let other = args::chosen(command, subject).into_iter().chain(other.map(|pair| pair.join(" ")));
    let other = other.collect::<Vec<_>>().join(", ");
    let text = format!(
        "It was made with {other}, which audit.toml does not state: state it there, or make it without, by `audit generate {}`.",
        subject.name
    );
    (!other.is_empty()).then_some(Said { outcome: Outcome::Inconclusive, text })
}
