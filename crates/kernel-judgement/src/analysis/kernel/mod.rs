//! What is under audit: the kernel, its launches, what was stated about it.
//!
//! Receives a report and a selection, gives one kernel with its readings; the rooms above derive and judge.

pub(in crate::analysis) mod build;
pub(in crate::analysis) mod commands;
pub(in crate::analysis) mod configurations;
pub(in crate::analysis) mod overview;
pub(in crate::analysis) mod pick;
pub(in crate::analysis) mod private;
pub(in crate::analysis) mod readings;
pub(in crate::analysis) mod row;
pub(in crate::analysis) mod select;
pub(in crate::analysis) mod stated;
pub(in crate::analysis) mod summary;
pub(in crate::analysis) mod tuned;
