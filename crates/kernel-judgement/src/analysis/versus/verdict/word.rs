//! The words that verdicts are made of.

use std::fmt;

/// A verdict in one word. `Faster` and `Slower` are of time and cycles, `Better` and `Worse` of other readings.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Verdict {
    /// Less time.
    Faster,
    /// More time.
    Slower,
    /// Toward the reading's good side.
    Better,
    /// Away from the reading's good side.
    Worse,
    /// Changed, and neither way is good by itself.
    Moved,
    /// Unchanged, as far as it matters.
    Same,
    /// The evidence does not decide.
    Ambiguous,
    /// The two sides were measured under conditions that do not compare.
    NotComparable,
    /// A side has no number.
    NotMeasured,
    /// The kernel computes something else than it should: its speed says nothing.
    Wrong,
}

impl Verdict {
    /// The word as pages and terminals show it.
    pub const fn word(self) -> &'static str {
        match self {
            Verdict::Faster => "FASTER",
            Verdict::Slower => "SLOWER",
            Verdict::Better => "BETTER",
            Verdict::Worse => "WORSE",
            Verdict::Moved => "MOVED",
            Verdict::Same => "SAME",
            Verdict::Ambiguous => "AMBIGUOUS",
            Verdict::NotComparable => "NOT COMPARABLE",
            Verdict::NotMeasured => "NOT MEASURED",
            Verdict::Wrong => "WRONG",
        }
    }

    /// Whether it says what became of the time: faster, slower, or the same.
    pub const fn is_decided(self) -> bool {
        matches!(self, Verdict::Faster | Verdict::Slower | Verdict::Same)
    }
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.word())
    }
}
