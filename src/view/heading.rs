//! What a page says about itself: the subject, the day, the commit, and what it is compared with.

use crate::analysis::{Audit, Milestone, Nth, Problem, decided};
use crate::words::{Words, words};

/// Earlier audits that a page shows.
const SHOWN: usize = 12;

/// What the page says about itself; decided by the caller, never read from a clock here.
#[derive(Clone, Debug, Default, PartialEq, serde::Serialize, serde::Deserialize)]
#[serde(default)]
pub struct Heading {
    pub subject: String,
    /// Title of the subject; the kernel's name stands in when empty.
    pub title: String,
    /// `YYYY-MM-DD`.
    pub date: String,
    #[serde(skip_serializing_if = "Nth::is_first")]
    pub number: Nth,
    /// Commit, with `-dirty` where the tree had changes; empty when unknown.
    pub commit: String,
    /// What the new version changed; may be empty.
    pub change: String,
    pub program: String,
    /// How to make the page again.
    pub command: String,
    /// Where the old side comes from, or why there is none; plain text, empty for a first audit that nobody gave a baseline.
    pub baseline: String,
    /// The snapshot that the old side comes from: its file name in the folder of audits, or the path that was given. Empty
    /// for a report, and where there is none.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub against: String,
    /// Acceptances of this comparison, in the order in which they were made.
    pub accepted: Vec<Acceptance>,
    /// What is open in the series of the subject behind this audit; `None` where it passes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub problem: Option<Problem>,
    /// What is kept of the earlier audits of the subject, the oldest first.
    pub history: Vec<Milestone>,
    /// The template of the page; empty for the default.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub template: String,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_without_charts: bool,
    /// Whether an HTML page lies beside the page in Markdown, which links to it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub has_html: bool,
}

impl Heading {
    /// The day, with the number of a later audit of it: `2026-11-21`, `2026-11-21.2`.
    pub fn day(&self) -> String {
        self.number.of_day(&self.date)
    }

    /// What the files of the audit are called: `YYYY-MM-DD-NAME`; `YYYY-MM-DD.2-NAME` for the second of a day.
    pub fn stem(&self) -> String {
        format!("{}-{}", self.day(), self.subject)
    }

    /// What a page keeps of all earlier audits of its subject: those that it shows, and those that decided a hypothesis.
    pub fn kept(all: Vec<Milestone>) -> Vec<Milestone> {
        let older = all.len().saturating_sub(SHOWN);
        let decided: Vec<usize> = decided(&all).into_iter().map(|(at, _)| at).collect();
        let is_kept = |at: usize| at >= older || decided.contains(&at);
        all.into_iter().enumerate().filter(|(at, _)| is_kept(*at)).map(|(_, one)| one).collect()
    }

    pub(in crate::view) fn shown(&self) -> &[Milestone] {
        &self.history[self.history.len().saturating_sub(SHOWN)..]
    }

    /// What is open in the series, in a sentence; `None` where nothing is, or the verdict of the day says it.
    pub(in crate::view) fn open(&self) -> Option<Words> {
        let problem = self.problem.as_ref()?;
        match (problem.since.day == self.day(), problem.open.is_slower()) {
            (false, _) => Some(words!("**Open:** {}.", problem.say())),
            // By how much stands in what changed.
            (true, true) => {
                let than = problem.than.as_ref().map(|than| format!(" than {}", than.day));
                Some(words!("**Open:** slower{}, not accepted.", words::maybe(than)))
            }
            (true, false) => None,
        }
    }

    pub fn milestone(&self, audit: &Audit) -> Milestone {
        let milestone = Milestone::of(&self.date, self.number, &self.commit, &self.change, audit);
        Milestone { is_accepted: !self.accepted.is_empty(), problem: self.problem.clone(), ..milestone }
    }
}

/// A comparison that someone accepted as it is.
#[derive(Clone, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Acceptance {
    pub date: String,
    pub verdict: String,
    pub reason: String,
}
