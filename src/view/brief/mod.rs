//! The page that people act on: the verdict, what to do next, what changed, and the evidence for exactly these claims.
//!
//! One file for each section, in the order of `order.rs`. Receives an audit, gives short sections; everything else that an
//! audit knows stands in the sections beside this folder, which the HTML page opens.

mod build;
mod changed;
mod checks;
mod history;
mod instructions;
mod lead;
mod memory;
mod next;
mod numbers;
mod order;
mod provenance;
mod stalls;
mod units;
mod verdict;

pub use order::{BRIEF, brief};
