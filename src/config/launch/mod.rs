//! The keys of audit.toml about launching a subject: arguments, what its outputs are checked against, what it is timed
//! beside.

mod argument;
mod plan;
mod product;
mod reference;

pub(super) use plan::LaunchKeys;
pub(super) use reference::{ReferenceKeys, Subjected};
