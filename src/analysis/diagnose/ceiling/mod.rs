//! What is left on the table: levers with an upper bound each, a file for each kind.
//!
//! Owns the formulas of the bounds and the words of what to try. Receives a kernel with its derived readings, gives
//! levers by bound, then NVIDIA's own estimates. Bounds are never added up: two levers can be after the same cycles. A new
//! lever is a function in the file of its kind and its line in `rank.rs`.

mod access;
mod grid;
mod lanes;
mod lever;
mod nvidia;
mod rank;
mod relief;
mod wait;

pub use lever::{Lever, LeverOrigin};
pub(in crate::analysis) use rank::levers;
