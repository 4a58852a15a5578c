//! Old against new: settings, verdicts, hypotheses, and what became of earlier bounds.
//!
//! Receives two sides, gives what the comparison comes to.

pub(in crate::analysis) mod aims;
pub(in crate::analysis) mod checklist;
pub(in crate::analysis) mod common;
pub(in crate::analysis) mod estimates;
pub mod expectation;
pub(in crate::analysis) mod hypothesis;
pub(in crate::analysis) mod rewrite;
pub(in crate::analysis) mod root;
pub(in crate::analysis) mod setting;
pub(in crate::analysis) mod story;
pub(in crate::analysis) mod verdict;
