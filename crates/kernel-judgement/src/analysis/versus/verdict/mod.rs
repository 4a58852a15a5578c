//! What a comparison of two sides comes to: a verdict for each reading, and one for the whole.
//!
//! Receives two kernels with the values of all their launches, and the conditions of both sides. Gives a [`Comparison`]:
//! words, the numbers that they rest on, and why.

mod cause;
mod comparison;
mod invariant;
mod judge;
mod samples;
mod whole;
mod word;

pub use cause::Cause;
pub use comparison::{Comparison, ReadingVerdict};
pub use judge::{Basis, Course, Judged, judge};
pub use samples::Sample;
pub(crate) use samples::Shift;
pub use whole::{Join, Whole, Why, both_agree};
pub use word::Verdict;
