//! What lies beside the audits of a subject and does not fit them: a report that nobody audited, choices that nobody stated.

use super::outcome::{Outcome, Said};
use super::seen::Seen;
use crate::cli::made::Made;
use crate::cli::{args, evidence};
use crate::collect::files;
use crate::config::{Config, Subject};
use crate::shell::split;
use crate::snapshot::Snapshot;
use crate::source::Profile;
use std::path::Path;

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

/// That the newest audit was made with choices that audit.toml does not state; `None` where it was made as everybody makes it.
pub(super) fn chosen(subject: &Subject, config: &Config, made: &Made) -> Option<Said> {
    let command = &made.heading().command;
    let thresholds = config.thresholds.iter().map(|(id, number)| format!("{id}={number}")).collect::<Vec<_>>();
    let words = split(command);
    let other = words.windows(2).filter(|pair| pair[0] == "--threshold" && !thresholds.contains(&pair[1]));
    let other = args::chosen(command, subject).into_iter().chain(other.map(|pair| pair.join(" ")));
    let other = other.collect::<Vec<_>>().join(", ");
    let text = format!(
        "It was made with {other}, which audit.toml does not state: state it there or leave it out, and run `audit generate {}`.",
        subject.name
    );
    (!other.is_empty()).then_some(Said { outcome: Outcome::Inconclusive, text })
}
