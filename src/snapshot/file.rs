//! The snapshot: the evidence of an audit, beside its page.

use super::error::SnapshotError;
use super::upgrade::{PARTS, Parts, STEPS};
use super::{head, text};
use crate::analysis::{Audit, Evidence, Limits, Mark, Milestone, audit, public_words};
use crate::bounds;
use crate::view::Heading;
use std::path::Path;

/// The schema that this program writes; its number rises when a field changes its meaning or goes.
pub const SCHEMA: &str = "kernel-audit/audit/1";

/// Everything that an audit was made from, with what its page said of itself.
#[derive(Clone, Debug, PartialEq)]
pub struct Snapshot {
    /// SHA-256 of the content as JSON without white space, lower-case hexadecimal, of a snapshot that was read; empty for
    /// one that was not written yet.
    pub sha256: String,
    pub heading: Heading,
    /// What the page printed that day: the line of it in the history.
    pub milestone: Milestone,
    pub limits: Limits,
    pub evidence: Evidence,
}

/// Where an audit stands in its series.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Placed {
    /// The audits that nothing followed when it was made.
    pub after: Vec<Mark>,
    /// The one that it is compared with; `None` for a report, and where there is none.
    pub with: Option<Mark>,
    /// Whether that was chosen for this once, beside what the project states.
    pub is_chosen: bool,
}

impl Snapshot {
    /// The snapshot of an audit, to be written.
    pub fn new(heading: Heading, evidence: Evidence, audit: &Audit) -> Snapshot {
        let milestone = Milestone { measured: evidence.new.mark(), ..heading.milestone(audit) };
        let evidence = evidence.made_public().kept(audit);
        Snapshot { sha256: String::new(), heading, milestone, limits: audit.limits.clone(), evidence }
    }

    #[must_use]
    pub fn placed(mut self, placed: Placed) -> Snapshot {
        self.milestone.after = Some(placed.after);
        if let Some(compared) = &mut self.milestone.compared {
            (compared.with, compared.is_chosen) = (placed.with, placed.is_chosen);
        }
        self
    }

    pub fn audit(&self) -> Audit {
        audit(&self.evidence, &self.limits)
    }

    /// The bytes of the file: JSON on one line, the same for the same audit.
    pub fn to_json(&self) -> serde_json::Result<Vec<u8>> {
        let texts = [
            text::text(&self.heading)?,
            text::text(&self.milestone)?,
            text::text(&self.limits.numbers())?,
            text::text(&self.evidence)?,
        ];
        let own = texts.each_ref().map(String::as_str);
        let (sha256, head, name) = (text::content(&own), head::content(&own), head::HEAD);
        let parts: Vec<String> = PARTS.iter().zip(&texts).map(|(name, text)| format!(r#""{name}":{text}"#)).collect();
        let parts = parts.join(",");
        Ok(format!(r#"{{"schema":"{SCHEMA}","sha256":"{sha256}","{name}":"{head}",{parts}}}{}"#, '\n').into_bytes())
    }

    pub fn read(path: &Path) -> Result<Snapshot, SnapshotError> {
        Snapshot::parse(path, &bytes(path)?)
    }

    /// Reads the bytes of a file that lies at `path`. Errors: no JSON, a schema that is not known, a content that does
    /// not have the stated hash, or fields that are missing.
    pub fn parse(path: &Path, bytes: &[u8]) -> Result<Snapshot, SnapshotError> {
        let parts = parts(path, bytes)?;
        let heading: Heading = parts.understood("heading")?;
        let evidence: Evidence = parts.understood("evidence")?;
        if let Some(what) = beyond(&evidence) {
            return Err(SnapshotError::Malformed { path: path.to_owned(), what });
        }
        Ok(Snapshot {
            // Anybody may have written it.
            heading: Heading { command: public_words(&heading.command), ..heading },
            evidence: evidence.made_public(),
            milestone: parts.understood("milestone")?,
            limits: Limits::of_numbers(&parts.understood("limits")?)
                .map_err(|what| SnapshotError::Malformed { path: path.to_owned(), what })?,
            sha256: parts.sha256,
        })
    }

    pub fn read_milestone(path: &Path) -> Result<Milestone, SnapshotError> {
        parts(path, &bytes(path)?)?.understood("milestone")
    }
}

/// What no kernel has, and a page would take the square of its number for.
fn beyond(evidence: &Evidence) -> Option<String> {
    let sides = std::iter::once(&evidence.new).chain(&evidence.old);
    let mut profiles = sides.filter_map(|side| side.profile.as_ref());
    profiles.find_map(|profile| {
        let subjects = profile.kernels.iter().filter(|kernel| kernel.is_subject).count();
        (subjects > 1).then(|| format!("it holds {subjects} kernels under audit, where at most 1 can be"))
    })
}

/// The parts of a file that holds no more than a snapshot may.
fn parts<'a>(path: &'a Path, bytes: &'a [u8]) -> Result<Parts<'a>, SnapshotError> {
    // Each list and object may be the least that is read as a row of some table, so that these count and not bytes alone.
    let lists = bytes.iter().filter(|byte| matches!(byte, b'[' | b'{')).count();
    if bytes.len() > bounds::SNAPSHOT || lists > bounds::SNAPSHOT_LISTS {
        let what = format!(
            "it holds more than a snapshot may: {} bytes and {lists} lists, where {} and {} are the most",
            bytes.len(),
            bounds::SNAPSHOT,
            bounds::SNAPSHOT_LISTS
        );
        return Err(SnapshotError::Malformed { path: path.to_owned(), what });
    }
    Parts::of(path, bytes, STEPS)
}

/// Whether a file begins as a snapshot does, which tells it from reports of every kind.
pub(crate) fn is_snapshot(path: &Path) -> bool {
    crate::read::head(path, 64).is_ok_and(|head| head.trim_ascii_start().starts_with(b"{"))
}

fn bytes(path: &Path) -> Result<Vec<u8>, SnapshotError> {
    crate::read::bytes(path).map_err(|source| SnapshotError::Unreadable { path: path.to_owned(), source })
}
