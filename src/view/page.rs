//! The order of the page.

use super::document::{Document, Section};
use super::{
    benchmark, build, ceiling, checklist, coalescing, code, conditions, correctness, hypotheses, instructions, lead,
    occupancy, performance, provenance, roofline, stalls, throughput, verdict,
};
use crate::analysis::{Audit, Milestone};

/// What the page says about itself; decided by the caller, never read from a clock here.
#[derive(Clone, Debug, Default, PartialEq, serde::Serialize, serde::Deserialize)]
#[serde(default)]
pub struct Heading {
    /// Subject name.
    pub subject: String,
    /// Title of the subject; the kernel's name stands in when empty.
    pub title: String,
    /// `YYYY-MM-DD`.
    pub date: String,
    /// Commit, with `-dirty` where the tree had changes; empty when unknown.
    pub commit: String,
    /// What the new version changed; may be empty.
    pub change: String,
    /// Version of this program.
    pub program: String,
    /// How to make the page again.
    pub command: String,
    /// Where the old side comes from, or why there is none; plain text, may be empty.
    pub baseline: String,
    /// Acceptances of this comparison, in the order in which they were made.
    pub accepted: Vec<Acceptance>,
    /// Earlier audits of the subject, the oldest first.
    pub history: Vec<Milestone>,
    /// Whether the page goes without charts.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_without_charts: bool,
}

impl Heading {
    /// What the files of the audit are called: `YYYY-MM-DD-NAME`.
    pub fn stem(&self) -> String {
        format!("{}-{}", self.date, self.subject)
    }
}

/// A comparison that someone accepted as it is.
#[derive(Clone, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Acceptance {
    /// The day.
    pub date: String,
    /// The verdict that was accepted.
    pub verdict: String,
    /// Why.
    pub reason: String,
}

/// The page for one audit.
pub fn document(heading: &Heading, audit: &Audit) -> Document {
    if audit.is_of_code_alone() {
        return code::static_document(heading, audit);
    }
    let trials = std::iter::once(correctness::section(audit)).chain(benchmark::section(audit));
    let first = trials.chain([verdict::section(heading, audit), performance::section(heading, audit)]);
    let rest = [
        build::section(audit),
        throughput::speed_of_light(heading, audit),
        roofline::section(heading, audit),
        stalls::section(heading, audit),
        throughput::subsystems(heading, audit),
        coalescing::section(heading, audit),
        instructions::section(audit),
        occupancy::section(heading, audit),
        ceiling::section(audit),
        conditions::section(audit),
        provenance::section(heading, audit),
    ];
    let stated = hypotheses::section(heading, &audit.hypotheses).into_iter().chain(checklist::section(audit));
    let mut sections: Vec<Section> = first.chain(stated).chain(rest).collect();
    code::join(&mut sections, &audit.code);
    Document { title: format!("Performance Audit — {}", heading.date), lead: lead::lines(heading, audit), sections }
}
