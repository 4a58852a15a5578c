//! From a verdict to the outcome of the gate, and a subject as the gate sees it.

use crate::analysis::{Audit, Judgement, Limits, Mark, Open, Problem, SeriesStanding as Standing, Verdict};
use crate::catalog::Threshold;
use crate::cli::{Failure, Made, Status};
use crate::quantity::format;
use crate::snapshot::{Accepted, Entry, Record};
use crate::view::{self, Reason};
use std::path::PathBuf;

/// What the gate says of a subject; the graver goes before.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Outcome {
    /// It could not be checked.
    Broken,
    /// The kernel computes something else than it should. Nobody can accept that.
    Wrong,
    /// A regression that nobody accepted, or a check that fails.
    Regression,
    /// The evidence does not decide, or there is none.
    Inconclusive,
    /// There is nothing to compare with yet.
    New,
    Pass,
}

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
            Judgement::Holds | Judgement::DoesNotApply => Outcome::Pass,
            Judgement::Fails => Outcome::Regression,
            Judgement::Unclear | Judgement::NotMeasured => Outcome::Inconclusive,
        }
    }

    pub(super) const fn word(self) -> &'static str {
        match self {
            Outcome::Pass => "PASS",
            Outcome::Broken => "ERROR",
            Outcome::Regression | Outcome::Wrong => "FAIL",
            Outcome::Inconclusive => "INCONCLUSIVE",
            Outcome::New => "NO BASELINE",
        }
    }
}

/// The outcome of a series and of the comparison that its newest audit, `own`, makes, and why; wrong results go before any
/// time. A slow-down counts from the threshold `regression` on.
pub(super) fn compared(
    audit: &Audit,
    standing: &Standing,
    own: &Mark,
    accepted: Option<&Accepted>,
    limits: &Limits,
) -> Said {
    let is_other = audit.comparison().is_some_and(|comparison| comparison.whole.other_work.is_some());
    let outcome = match &standing.problem {
        None if standing.is_first => Outcome::New,
        None if is_other => Outcome::Inconclusive,
        None => Outcome::Pass,
        Some(problem) => match problem.open {
            Open::Wrong => Outcome::Wrong,
            Open::Slower | Open::Crept => Outcome::Regression,
            Open::NotComparable | Open::Ambiguous | Open::NotMeasured => Outcome::Inconclusive,
        },
    };
    let faults = view::faults(audit);
    let reason = audit.comparison().zip(Reason::of(audit));
    let mut text = match (&reason, faults.is_empty()) {
        (_, false) => format!("WRONG: the kernel's results are wrong: {}.", faults.join("; ")),
        (Some((comparison, reason)), true) => {
            let verdict = comparison.whole.verdict;
            let cure = if outcome == Outcome::Inconclusive { reason.cure() } else { String::new() };
            let small =
                if outcome == Outcome::Pass && accepted.is_none() { below(audit, limits) } else { String::new() };
            format!("{verdict}: {}{small} {cure}", reason.why()).trim_end().to_owned()
        }
        (None, true) if standing.is_first => "This is its first audit; the next one is compared with it.".to_owned(),
        (None, true) => {
            "NOT MEASURED: it has earlier audits and was compared with none of them; its page says why.".to_owned()
        }
    };
    // What the own comparison says already is not said again.
    let verdict = reason.as_ref().map(|(comparison, _)| comparison.whole.verdict);
    let is_told = |problem: &Problem| {
        let shows = faults.is_empty() && verdict == Some(problem.open.verdict()) && problem.open != Open::Crept;
        problem.since == *own && (shows || problem.open == Open::Wrong || problem.open == Open::NotMeasured)
    };
    if let Some(problem) = standing.problem.as_ref().filter(|problem| !is_told(problem)) {
        text += &format!(" {}.", format::capital(&problem.say()));
    }
    let apart: Vec<&str> = standing.last.iter().filter(|mark| *mark != own).map(|mark| mark.day.as_str()).collect();
    if !apart.is_empty() {
        text += &format!(" It was made without {}: nobody measured both together.", apart.join(", "));
    }
    if let Some(one) = accepted.filter(|_| outcome == Outcome::Pass) {
        let stop = if one.reason.ends_with(['.', '!', '?']) { "" } else { "." };
        text += &format!(" Accepted on {}: {}{stop}", one.date, one.reason);
    }
    Said { outcome, text }
}

/// That a slow-down is too small to count, with a space in front.
fn below(audit: &Audit, limits: &Limits) -> String {
    let shown = format::fixed(limits[Threshold::Regression], 1);
    match audit.comparison().map(|comparison| comparison.whole.verdict) {
        Some(Verdict::Slower) => format!(" This is below the {shown} % that count as a regression."),
        Some(Verdict::Ambiguous) => format!(" A slow-down of {shown} % is ruled out."),
        _ => String::new(),
    }
}

pub(super) struct Seen {
    pub(super) record: Record,
    /// Its newest audit, compared with what the series stands on.
    pub(super) made: Option<Made>,
    /// The same as its page has it, where that compared it with another audit.
    pub(super) written: Option<Made>,
    /// The snapshot's path where it was read.
    pub(super) file: Option<PathBuf>,
}

impl Seen {
    /// The earlier audit that was made from the launches of the newest one, to which the kernel went back.
    pub(super) fn back(&self) -> Option<&Entry> {
        let newest = self.record.newest().filter(|newest| !newest.milestone.measured.is_empty())?;
        let is_same =
            |entry: &&Entry| entry.milestone.measured == newest.milestone.measured && entry.found.at < newest.found.at;
        self.record.entries.iter().find(is_same)
    }
}

pub(super) struct Checked {
    pub(super) subject: String,
    /// Its page, where an audit was read; empty otherwise.
    pub(super) page: String,
    pub(super) seconds: f64,
    pub(super) said: Said,
    /// What HEAD has another version of.
    pub(super) stale: Option<String>,
    /// How it ends where it could not be checked.
    pub(super) failed: Option<Status>,
}

impl Checked {
    /// A subject that could not be checked: the others are.
    pub(super) fn failed(subject: &str, failure: &Failure) -> Checked {
        Checked {
            subject: subject.to_owned(),
            page: String::new(),
            seconds: 0.0,
            said: Said { outcome: Outcome::Broken, text: failure.text() },
            stale: None,
            failed: Some(failure.status()),
        }
    }
}
