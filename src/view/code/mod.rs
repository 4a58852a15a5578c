//! The sections of a build: resources, machine code, roles of warps, checks, and what changed in the code.
//!
//! `page` is the page of an audit without a report and puts these sections into that of an audit with one.

mod checks;
mod diff;
mod graph;
mod page;
mod phases;
mod resources;
mod sass;
mod variants;
mod verdict;

use crate::analysis::code::CodeAudit;

/// What tells a build from the others of a page: its variant where all are for one architecture, else that too.
pub(super) fn build_name(codes: &[CodeAudit], code: &CodeAudit) -> String {
    let is_one_arch = codes.iter().all(|other| other.facts.arch == code.facts.arch);
    if is_one_arch && !code.facts.variant.is_empty() { code.facts.variant.clone() } else { code.facts.label() }
}

pub(super) use diff::said as diff;
pub use graph::graph;
pub(super) use page::{join, static_document};
pub(super) use resources::{PTXAS, blocks, in_parts, of_shared, ptxas, warnings};
pub(crate) use variants::code_side_by_side;
pub(super) use variants::section as variants;
