//! A finding: a code of the catalog's vocabulary with the sentence and the readings that stand behind it.

use crate::analysis::kernel::summary::KernelSummary;
use crate::evidence::Reading;

/// How much a finding matters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Severity {
    /// It sets the time: the limiter, or the pattern that explains it.
    Limits,
    /// It wastes a stated part of something that does not limit.
    Costs,
    /// Worth knowing.
    Notes,
}

/// A place in the user's source.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Place {
    /// The file as the build wrote it, without home folders.
    pub file: String,
    /// The line, from 1.
    pub line: u32,
    /// `file:line` of the calls that the code of the line was inlined at; empty for code that is where it was written.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub inlined_at: Vec<String>,
}

/// Something found in the evidence.
#[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct Finding {
    /// A code of [`crate::catalog::limiter`].
    pub code: String,
    /// How much it matters.
    pub severity: Severity,
    /// One sentence about this kernel, with its numbers.
    pub sentence: String,
    /// Where in the source it sits; `None` where no per-line evidence says.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub at: Option<Place>,
    /// The readings that the sentence rests on, by name.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub readings: Vec<(String, Reading)>,
    /// The share in percent that findings of one severity are ranked by: of the limiting part's work for a cause, of its
    /// own part's work for a cost.
    pub share: f64,
}

impl Finding {
    /// A finding whose readings are taken from the kernel by name.
    pub(in crate::analysis) fn new(
        code: &str,
        severity: Severity,
        share: f64,
        sentence: String,
        kernel: &KernelSummary<'_>,
        metrics: &[&str],
    ) -> Finding {
        let readings = metrics.iter().map(|name| ((*name).to_owned(), kernel.reading(name))).collect();
        Finding { code: code.into(), severity, sentence, at: None, readings, share }
    }
}
