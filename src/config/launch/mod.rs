//! The keys of audit.toml about launching a subject: arguments, what its outputs are checked against, what it is timed
//! beside.

mod argument;
mod groups;
mod plan;
mod reference;
mod scales;
mod values;

pub(super) use plan::LaunchKeys;
pub(super) use reference::{ReferenceKeys, Subjected};
