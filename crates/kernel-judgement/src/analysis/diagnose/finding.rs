//! A finding: a code of the vocabulary with the sentence and the readings that stand behind it.

use crate::analysis::lines::Place;
use crate::catalog::Code;
use crate::evidence::Reading;
use crate::words::Words;

/// How much a finding matters.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Severity {
    /// It sets the time: the limiter, or the pattern that explains it.
    Limits,
    /// It wastes a stated part of something that does not limit.
    Costs,
    /// Worth knowing.
    #[default]
    Notes,
}

/// Something found in the evidence.
#[derive(Clone, Debug, PartialEq, serde::Serialize)]
pub struct Finding {
    pub code: Code,
    /// How much it matters.
    pub severity: Severity,
    /// One sentence about this kernel, with its numbers.
    pub sentence: Words,
    /// Where in the source it sits; `None` where no per-line evidence says.
    pub at: Option<Place>,
    /// The readings that the sentence rests on, by name.
    pub readings: Vec<(String, Reading)>,
    /// The share in percent that findings of one severity are ranked by: of the limiting part's work for a cause, of its
    /// own part's work for a cost.
    pub share: f64,
}
