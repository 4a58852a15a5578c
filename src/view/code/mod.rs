//! The sections of a build: resources, machine code, roles of warps, checks, and what changed in the code.
//!
//! `page` is the page of an audit without a report and puts these sections into that of an audit with one.

mod build;
mod checks;
mod columns;
mod diff;
mod page;
mod phases;
mod roles;
mod sass;
mod variants;
mod verdict;

pub(super) use checks::verdict as verdict_cell;
pub use columns::code_side_by_side;
pub(super) use page::join;
pub(super) use page::static_document;
