//! The words that verdicts are made of.

use serde::{Deserialize, Serialize};
use strum::{Display, IntoStaticStr};

/// A verdict in one word. `Faster` and `Slower` are of time and cycles, `Better` and `Worse` of other readings.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, Display, IntoStaticStr)]
#[serde(rename_all = "kebab-case")]
#[strum(serialize_all = "UPPERCASE")]
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
    #[strum(serialize = "NOT COMPARABLE")]
    NotComparable,
    /// A side has no number.
    #[strum(serialize = "NOT MEASURED")]
    NotMeasured,
    /// The kernel computes something else than it should: its speed says nothing.
    Wrong,
}

impl Verdict {
    /// The word as pages and terminals show it.
    pub fn word(self) -> &'static str {
        self.into()
    }

    /// Whether it says what became of the time: faster, slower, or the same.
    pub const fn is_decided(self) -> bool {
        matches!(self, Verdict::Faster | Verdict::Slower | Verdict::Same)
    }
}
