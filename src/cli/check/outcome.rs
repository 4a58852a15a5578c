//! From a verdict to the outcome of the gate.

use crate::analysis::{Audit, Judgement, Limits, Verdict};
use crate::quantity::format;
use crate::snapshot;
use crate::view::{self, Acceptance, Reason};

/// What the gate says of a subject; the graver goes before.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Outcome {
    /// The kernel computes something else than it should. Nobody can accept that.
    Wrong,
    /// A regression that nobody accepted, or a check that fails.
    Regression,
    /// The evidence does not decide, or there is none.
    Inconclusive,
    /// There is nothing to compare with yet.
    New,
    /// Neither.
    Pass,
}

/// An outcome with its reason.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Said {
    pub(super) outcome: Outcome,
    pub(super) text: String,
}

impl Said {
    /// The outcome of several together: the gravest, and what all of them say.
    pub(super) fn together(parts: impl IntoIterator<Item = Said>) -> Said {
        let mut whole = Said { outcome: Outcome::Pass, text: String::new() };
        for part in parts {
            whole.outcome = whole.outcome.min(part.outcome);
            let gap = if whole.text.is_empty() { "" } else { " " };
            whole.text += &format!("{gap}{}", part.text);
        }
        whole
    }
}

impl Outcome {
    /// What a check that ended so means for the gate.
    pub(super) const fn of(check: Judgement) -> Outcome {
        match check {
            Judgement::Holds => Outcome::Pass,
            Judgement::Fails => Outcome::Regression,
            Judgement::Unclear | Judgement::NotMeasured => Outcome::Inconclusive,
        }
    }

    pub(super) const fn word(self) -> &'static str {
        match self {
            Outcome::Pass => "PASS",
            Outcome::Regression | Outcome::Wrong => "FAIL",
            Outcome::Inconclusive => "INCONCLUSIVE",
            Outcome::New => "NO BASELINE",
        }
    }
}

/// The outcome of the comparison of an audit, which is the first of its subject or not, and why; wrong results go before any time. A slow-down counts from the threshold
/// `regression` on; an ambiguous comparison passes where its intervals leave no room for one.
pub(super) fn compared(audit: &Audit, is_first: bool, accepted: &[Acceptance], limits: &Limits) -> Said {
    let faults = view::faults(audit);
    if !faults.is_empty() {
        let text = format!("WRONG: the kernel's results are wrong: {}.", faults.join("; "));
        return Said { outcome: Outcome::Wrong, text };
    }
    let Some((comparison, reason)) = audit.comparison.as_ref().zip(Reason::of(audit)) else {
        return match is_first {
            true => Said {
                outcome: Outcome::New,
                text: "This is its first audit; the next one is compared with it.".to_owned(),
            },
            false => Said {
                outcome: Outcome::Inconclusive,
                text: "NOT MEASURED: it has earlier audits and was compared with none of them; its page says why."
                    .to_owned(),
            },
        };
    };
    let whole = &comparison.whole;
    let smallest = limits[crate::catalog::Threshold::Regression];
    let said = format!("{}: {}", whole.verdict, reason.why());
    let shown = format::fixed(smallest, 1);
    let change = snapshot::change(audit);
    let (outcome, why) = match whole.verdict {
        Verdict::Faster | Verdict::Same => (Outcome::Pass, said),
        Verdict::Slower if change.is_some_and(|change| change < smallest) => {
            (Outcome::Pass, format!("{said} This is below the {shown} % that count as a regression."))
        }
        Verdict::Slower => (Outcome::Regression, said),
        Verdict::Ambiguous if whole.worst.is_some_and(|worst| worst < smallest) => {
            (Outcome::Pass, format!("{said} A slow-down of {shown} % is ruled out."))
        }
        _ => (Outcome::Inconclusive, format!("{said} {}", reason.cure()).trim_end().to_owned()),
    };
    match (outcome, accepted.last()) {
        (Outcome::Pass, _) | (_, None) => Said { outcome, text: why },
        (_, Some(one)) => {
            let stop = if one.reason.ends_with(['.', '!', '?']) { "" } else { "." };
            Said { outcome: Outcome::Pass, text: format!("{why} Accepted on {}: {}{stop}", one.date, one.reason) }
        }
    }
}
