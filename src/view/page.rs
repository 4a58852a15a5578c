//! The order of the page.

use super::document::Document;
use super::{
    build, ceiling, checklist, coalescing, code, conditions, instructions, lead, occupancy, performance, provenance,
    roofline, sanitizer, stalls, throughput, verdict,
};
use crate::analysis::{Audit, Milestone};

/// What the page says about itself; decided by the caller, never read from a clock here.
#[derive(Clone, Debug, Default, PartialEq, serde::Serialize, serde::Deserialize)]
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
    let first = [verdict::section(heading, audit), performance::section(heading, audit)];
    let rest = [
        build::section(audit),
        throughput::speed_of_light(audit),
        roofline::section(audit),
        stalls::section(audit),
        throughput::subsystems(audit),
        coalescing::section(audit),
        instructions::section(audit),
        occupancy::section(audit),
        ceiling::section(audit),
        conditions::section(audit),
        provenance::section(heading, audit),
    ];
    let first = sanitizer::section(audit).into_iter().chain(first);
    let mut sections = first.chain(checklist::section(audit)).chain(rest).collect();
    code::join(&mut sections, &audit.code);
    Document { title: format!("Performance Audit — {}", heading.date), lead: lead::lines(heading, audit), sections }
}
