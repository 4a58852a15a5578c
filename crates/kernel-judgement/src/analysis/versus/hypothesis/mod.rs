//! Hypotheses: what a change was expected to do, held against both sides.
//!
//! Owns what a subject can expect of a change, and when that is confirmed, refuted, or neither. Receives conditions, which
//! are expectations as in checklists on any reading by name, and gives each with its numbers and a judgement. Readings of
//! the machine code, of correctness and of the comparison itself are known only when the whole audit is, so that they are
//! settled last; without a report, those of the machine code are all there are.

mod judge;
mod model;
mod settle;

pub use model::{Condition, Tested, When};
pub(in crate::analysis) use settle::{Compared, TimeChange, of_code, settled, tested};
