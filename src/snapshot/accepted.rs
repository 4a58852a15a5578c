//! Regressions that people accepted, with their reasons: `NAME.accepted.toml` in the folder of audits.

use super::error::SnapshotError;
use crate::analysis::{Artefact, Audit, Row};
use crate::evidence::Reading;
use crate::view::Acceptance;
use std::path::{Path, PathBuf};

/// Percent by which a side that is measured again may differ from what was accepted.
const NEAR: f64 = 2.0;

/// An accepted comparison.
#[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Accepted {
    /// The day of acceptance.
    pub date: String,
    /// The commit that was accepted; may be empty.
    pub commit: String,
    /// The verdict that was accepted.
    pub verdict: String,
    /// Why.
    pub reason: String,
    /// The change in percent that was accepted, the largest of cycles, time and benchmark; `None` where none was measured.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub change: Option<f64>,
    /// The new side.
    pub new: Of,
    /// The old side.
    pub old: Of,
}

/// What an acceptance says of a side.
#[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
#[serde(untagged)]
pub enum Of {
    /// The kernel as it was measured.
    Kernel(Measured),
    /// The content hash of a report: what acceptances said before they named kernels.
    Report(String),
}

/// A kernel as it was measured.
#[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Measured {
    /// Its name with template arguments.
    pub kernel: String,
    /// Its grid; empty for ranges.
    pub grid: String,
    /// Cycles of a launch.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cycles: Option<f64>,
    /// Time of a launch under the profiler in ns.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ns: Option<f64>,
    /// Time of a launch by the benchmark in ns.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub benchmark_ns: Option<f64>,
}

impl Measured {
    fn of(artefact: &Artefact, cycles: Option<f64>, ns: Option<f64>, benchmark_ns: Option<f64>) -> Measured {
        let grid = artefact.kernel.grid.map(|grid| grid.to_string()).unwrap_or_default();
        Measured { kernel: artefact.kernel.name.to_string(), grid, cycles, ns, benchmark_ns }
    }

    /// The sides of an audit, the new one first; `None` without an old one.
    pub fn sides(audit: &Audit) -> Option<(Measured, Measured)> {
        let old = audit.old.as_ref()?;
        let (cycles, time) = (&audit.performance.cycles, &audit.performance.time);
        let was = |row: &Row| row.old.as_ref().and_then(Reading::value);
        let timing = audit.timing.as_ref();
        let benchmark = timing.map(|timing| timing.kernel.time.median);
        let old_benchmark = timing.and_then(|timing| Some(timing.change.as_ref()?.old.time.median));
        Some((
            Measured::of(&audit.new, cycles.new.value(), time.new.value(), benchmark),
            Measured::of(old, was(cycles), was(time), old_benchmark),
        ))
    }

    /// Whether both are the same launch, measured perhaps twice, for a change of so many percent: what a change is made of
    /// is told from its noise by half of it.
    fn is_near(&self, other: &Measured, change: f64) -> bool {
        let near = NEAR.min(change.abs() / 2.0) / 100.0;
        let same = |a: Option<f64>, b: Option<f64>| match (a, b) {
            (Some(a), Some(b)) => (a - b).abs() <= near * a.abs().min(b.abs()),
            (a, b) => a.is_none() && b.is_none(),
        };
        (&self.kernel, &self.grid) == (&other.kernel, &other.grid)
            && same(self.cycles, other.cycles)
            && same(self.ns, other.ns)
            && same(self.benchmark_ns, other.benchmark_ns)
    }
}

/// The largest slow-down in percent that an audit measured.
pub(crate) fn change(audit: &Audit) -> Option<f64> {
    let whole = &audit.comparison.as_ref()?.whole;
    let timed = audit.timing.as_ref().and_then(|timing| timing.change.as_ref()?.time.change);
    let profiled = whole.cycles.as_ref().and_then(|cycles| cycles.change);
    [profiled, timed].into_iter().flatten().reduce(f64::max)
}

impl Accepted {
    /// What the page shows of it.
    pub fn shown(&self) -> Acceptance {
        Acceptance { date: self.date.clone(), verdict: self.verdict.clone(), reason: self.reason.clone() }
    }

    /// Whether this is about the comparison of an audit: the same kernels, grids and verdict, both sides as they were, and
    /// no larger a change.
    pub fn is_about(&self, audit: &Audit) -> bool {
        let Some((new, old)) = Measured::sides(audit) else { return false };
        let verdict = audit.comparison.as_ref().map(|comparison| comparison.whole.verdict.word());
        let (Of::Kernel(was_new), Of::Kernel(was_old)) = (&self.new, &self.old) else { return false };
        let by = self.change.unwrap_or_default();
        let is_no_larger = match (change(audit), self.change) {
            (Some(now), Some(then)) => now <= then + NEAR.min(then.abs() / 2.0),
            (now, then) => now.is_none() && then.is_none(),
        };
        verdict == Some(self.verdict.as_str()) && is_no_larger && new.is_near(was_new, by) && old.is_near(was_old, by)
    }

    /// Whether this names the two reports of an audit and no kernel, which accepts nothing any more.
    pub fn is_of_reports(&self, audit: &Audit) -> bool {
        let is = |of: &Of, artefact: &Artefact| matches!(of, Of::Report(hash) if *hash == artefact.origin.blake3);
        audit.old.as_ref().is_some_and(|old| is(&self.new, &audit.new) && is(&self.old, old))
    }
}

/// The acceptances of a subject.
#[derive(Clone, Debug, Default, PartialEq, serde::Serialize, serde::Deserialize)]
pub(crate) struct AcceptedFile {
    /// In the order in which they were made.
    #[serde(default)]
    pub accepted: Vec<Accepted>,
}

impl AcceptedFile {
    /// Where the acceptances of a subject are kept.
    pub(crate) fn path(folder: &Path, subject: &str) -> PathBuf {
        folder.join(format!("{subject}.accepted.toml"))
    }

    /// The acceptances of a subject; none when there is no such file.
    ///
    /// # Errors
    /// A file that is there and cannot be read or understood.
    pub(crate) fn read(folder: &Path, subject: &str) -> Result<AcceptedFile, SnapshotError> {
        read_notes(&AcceptedFile::path(folder, subject))
    }

    /// Those about the comparison of an audit.
    pub(crate) fn about(&self, audit: &Audit) -> Vec<Acceptance> {
        self.accepted.iter().filter(|accepted| accepted.is_about(audit)).map(Accepted::shown).collect()
    }

    /// The bytes of the file.
    ///
    /// # Errors
    /// Those of the TOML writer.
    pub(crate) fn to_toml(&self) -> Result<String, toml::ser::Error> {
        let text = toml::to_string(self)?;
        Ok(format!("# Accepted regressions; `audit check --accept --reason TEXT` writes this file.\n\n{text}"))
    }
}

/// Whether a failure to open says that there is no such file: where a part of the path is a file, writing will say so.
pub(super) fn is_absent(error: &std::io::Error) -> bool {
    matches!(error.kind(), std::io::ErrorKind::NotFound | std::io::ErrorKind::NotADirectory)
}

/// A TOML file of notes; the empty one when there is none.
pub(super) fn read_notes<T: serde::de::DeserializeOwned + Default>(path: &Path) -> Result<T, SnapshotError> {
    let text = match crate::read::text(path) {
        Ok(text) => text,
        Err(error) if is_absent(&error) => return Ok(T::default()),
        Err(source) => return Err(SnapshotError::Unreadable { path: path.to_owned(), source }),
    };
    toml::from_str(&text)
        .map_err(|error| SnapshotError::Notes { path: path.to_owned(), what: error.to_string().trim().to_owned() })
}
