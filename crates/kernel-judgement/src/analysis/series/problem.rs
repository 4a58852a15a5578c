//! What keeps a series from passing, since when.

use crate::analysis::{Mark, Verdict};
use crate::quantity::format;

/// What is open in a series. The graver goes before; what does not decide is not made better by being repeated.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Open {
    /// The results were wrong, and nobody saw right ones since.
    Wrong,
    /// Slower than the last audit that passed, and nobody accepted it.
    Slower,
    /// Slower by small steps than the best audit since the last acceptance.
    Crept,
    /// Measured under conditions that do not compare with those of the last audit that passed.
    NotComparable,
    /// The launches do not decide.
    Ambiguous,
    /// Nothing that compares was measured.
    NotMeasured,
}

impl Open {
    /// Whether it was seen to be slower, rather than not decided.
    pub const fn is_slower(self) -> bool {
        matches!(self, Open::Slower | Open::Crept)
    }

    /// The verdict that shows it by itself.
    pub const fn verdict(self) -> Verdict {
        match self {
            Open::Wrong => Verdict::Wrong,
            Open::Slower | Open::Crept => Verdict::Slower,
            Open::NotComparable => Verdict::NotComparable,
            Open::Ambiguous => Verdict::Ambiguous,
            Open::NotMeasured => Verdict::NotMeasured,
        }
    }

    /// Wrong results, then a slow-down, then what is not known.
    const fn rank(self) -> u8 {
        match self {
            Open::Wrong => 0,
            Open::Slower | Open::Crept => 1,
            Open::NotComparable | Open::Ambiguous | Open::NotMeasured => 2,
        }
    }
}

/// What is open, and since which audit.
#[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct Problem {
    pub open: Open,
    /// The first audit that showed it.
    pub since: Mark,
    /// What it is slower than; `None` for other problems.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub than: Option<Mark>,
    /// By how many percent; `None` for other problems, and where it was not measured.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub change: Option<f64>,
}

impl Problem {
    /// In words, without a full stop: `slower than 2026-11-01 since 2026-11-02, not accepted: +30.0 %`.
    pub fn say(&self) -> String {
        let since = &self.since.day;
        let than = self.than.as_ref().map(|than| format!(" than {}", than.day)).unwrap_or_default();
        let change = self.change.map(|change| format!(": {} %", format::signed(change, 1))).unwrap_or_default();
        match self.open {
            Open::Wrong => format!("wrong since {since}, and not seen to be right since"),
            Open::Slower => format!("slower{than} since {since}, not accepted{change}"),
            Open::Crept => format!("slower{than} by small steps, too slow since {since}, not accepted{change}"),
            Open::NotComparable => format!("not comparable since {since}, not accepted"),
            Open::Ambiguous => format!("ambiguous since {since}"),
            Open::NotMeasured => format!("not measured since {since}"),
        }
    }

    /// The graver of two; of two as grave, the first.
    pub(super) fn graver(first: Option<Problem>, second: Option<Problem>) -> Option<Problem> {
        match (first, second) {
            (Some(first), Some(second)) if second.open.rank() < first.open.rank() => Some(second),
            (first @ Some(_), _) => first,
            (None, second) => second,
        }
    }

    /// This one after another that was open before: it lasts since then where both are of a kind, and yields to a graver one.
    pub(super) fn after(self, before: Option<Problem>) -> Problem {
        match before {
            Some(before) if before.open.rank() < self.open.rank() => before,
            Some(before) if before.open.rank() == self.open.rank() => Problem { since: before.since, ..self },
            _ => self,
        }
    }
}
