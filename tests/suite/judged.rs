//! Evidence and audits of reports that a test has in hand.

use kernel_audit::analysis::{self, Audit, Evidence, Limits, Profile, Reduction, Side, Work};
use kernel_audit::evidence::{Launch, Report, SourceView};
use std::path::{Path, PathBuf};

/// The kernel of a report with the most device time, with its launch by instruction where that was read.
pub(crate) fn profile(report: &Report, source: &[SourceView], work: &Work) -> Profile {
    let limits = Limits::default();
    let with = Reduction { source, work, limits: &limits };
    Profile::chosen(report, None, &with).expect("a kernel").swap_remove(0)
}

/// The evidence of a report with nothing beside it.
pub(crate) fn evidence(report: &Report, source: &[SourceView], work: &Work) -> Evidence {
    let new = Side { profile: Some(profile(report, source, work)), work: work.clone(), ..Side::default() };
    Evidence { new, ..Evidence::default() }.made_public()
}

/// The evidence with the kernel of another report as its old side.
pub(crate) fn since(mut evidence: Evidence, old: &Report, source: &[SourceView]) -> Evidence {
    let old = profile(old, source, &evidence.new.work);
    evidence.old = Some(Side { profile: Some(old), ..Side::default() }.as_old());
    evidence.made_public()
}

/// A report of some of its launches.
pub(crate) fn some_of(report: &Report, is_meant: impl Fn(&&Launch) -> bool) -> Report {
    let Report { origin, session, launches, dropped, unrecognised_lines, damage } = report;
    Report {
        origin: origin.clone(),
        session: session.clone(),
        launches: launches.iter().filter(is_meant).cloned().collect(),
        dropped: dropped.clone(),
        unrecognised_lines: unrecognised_lines.clone(),
        damage: damage.clone(),
    }
}

/// The audit of a report.
pub(crate) fn audit(report: &Report, source: &[SourceView], work: &Work) -> Audit {
    analysis::audit(&evidence(report, source, work), &Limits::default())
}

/// The packed reports below a folder, sorted.
pub(crate) fn reports(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            found.extend(reports(&path));
        } else if path.extension().is_some_and(|extension| extension == "ncu-repz") {
            found.push(path);
        }
    }
    found.sort();
    found
}

/// The run time that a change gained in percent of the old one, below zero for a loss.
pub(crate) fn gained(audit: &Audit) -> f64 {
    let time = &audit.performance.time;
    100.0 * (1.0 - time.new.value().unwrap() / time.old.as_ref().unwrap().value().unwrap())
}
