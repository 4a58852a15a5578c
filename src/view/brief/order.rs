//! Which sections the page has, in which order.

use super::{build, changed, checks, history, instructions, lead, memory, next, provenance, stalls, units, verdict};
use crate::analysis::{Audit, Standing};
use crate::view::document::Document;
use crate::view::page::{self, Heading};

/// The name of the template that prints this page.
pub const BRIEF: &str = "brief";

/// The page that people act on. A kernel whose results are wrong has no performance to speak of: what limits it and what
/// to do next are left out. An audit of code alone has no shorter page than its own.
pub fn brief(heading: &Heading, audit: &Audit) -> Document {
    if audit.is_of_code_alone() {
        return page::document(heading, audit);
    }
    let is_right = audit.standing() != Standing::Wrong;
    let sections = [
        Some(verdict::section(audit)),
        next::section(audit).filter(|_| is_right),
        Some(changed::section(heading, audit)),
        history::section(heading, audit).filter(|_| is_right),
        units::section(audit).filter(|_| is_right),
        stalls::section(audit).filter(|_| is_right),
        memory::section(audit),
        build::section(audit),
        instructions::section(audit),
        checks::section(audit),
        Some(provenance::section(heading, audit)),
    ];
    Document {
        title: format!("Performance Audit — {} — {}", heading.subject, heading.date),
        lead: lead::lines(heading, audit),
        sections: sections.into_iter().flatten().collect(),
    }
}
