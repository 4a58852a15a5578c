//! What is worth knowing beside the verdict: one file for each pattern, with what is detected, where it stands, and its words.
//!
//! A new pattern is a file here, its line in [`PATTERNS`], and its row in `catalog/limiters.toml`. A pattern is silent
//! where its evidence is missing: the report's own tables say what was not collected.

mod peak_exceeded;
mod predicated_off;
mod serialised_accesses;

use super::ground::Ground;
use super::pattern::Finds;

/// Every pattern of a profile. Findings are ranked; the order here decides between equal ones.
pub(in crate::analysis) const PATTERNS: &[&dyn for<'a, 'r> Finds<Ground<'a, 'r>>] =
    &[&predicated_off::PredicatedOff, &serialised_accesses::SerialisedAccesses, &peak_exceeded::PeakExceeded];
