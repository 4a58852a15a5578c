//! The order of the page.

use super::charts::{self, Chart};
use super::document::{Block, Document, Section};
use super::{
    benchmark, build, ceiling, checklist, coalescing, code, conditions, correctness, hypotheses, instructions, lead,
    occupancy, performance, provenance, roofline, stalls, throughput, verdict,
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
    let trials = std::iter::once(correctness::section(audit)).chain(benchmark::section(audit));
    let first = trials.chain([verdict::section(heading, audit), performance::section(heading, audit)]);
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
    let stated = hypotheses::section(heading, &audit.hypotheses).into_iter().chain(checklist::section(audit));
    let mut sections: Vec<Section> = first.chain(stated).chain(rest).collect();
    if !heading.is_without_charts {
        place_charts(heading, audit, &mut sections);
    }
    code::join(&mut sections, &audit.code);
    Document { title: format!("Performance Audit — {}", heading.date), lead: lead::lines(heading, audit), sections }
}

/// Puts each chart before the first table of its section whose id begins with a word.
fn place_charts(heading: &Heading, audit: &Audit, sections: &mut [Section]) {
    let mut put = |section: &str, table: &str, charts: Vec<Chart>| {
        let Some(section) = sections.iter_mut().find(|other| other.id == section) else { return };
        let is_table = |block: &Block| matches!(block, Block::Table { table: other } if other.id.starts_with(table));
        let Some(at) = section.blocks.iter().position(is_table) else { return };
        let block = |chart: Chart| {
            let file = format!("{}/{}.svg", heading.stem(), chart.id);
            Block::Chart { chart: Box::new(Chart { file, ..chart }) }
        };
        section.blocks.splice(at..at, charts.into_iter().map(block));
    };
    put("performance", "history", charts::history(heading, audit).into_iter().collect());
    put("speed-of-light", "speed-of-light", charts::speed_of_light(audit).into_iter().collect());
    put("roofline", "ceilings", charts::roofline(audit).into_iter().collect());
    put("stalls", "stalls-", charts::stalls(audit).into_iter().collect());
    put("throughput", "conflict-lines", charts::wavefronts(audit).into_iter().collect());
    put("uncoalesced", "uncoalesced-lines", charts::sectors(audit).into_iter().collect());
    put("occupancy", "block-limits", charts::occupancy(audit));
}
