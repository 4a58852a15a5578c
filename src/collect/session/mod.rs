//! Collecting one subject: steps in their order, each kept, made, or missed with its reason.
//!
//! Owns the order (`run.rs`), how any step goes (`step.rs`), and the steps that a subject can have, a file for each kind.
//! Receives a request, gives a summary and what lies in the evidence folder.

mod build;
mod profile;
mod run;
mod sanitizer;
mod step;
mod timeline;
mod trial;

pub(crate) use run::survey;
pub use run::{collect, planned};
