//! The readers: one per format, bytes to evidence.
//!
//! Owns the choice of the reader for a file. Receives a path, gives [`crate::evidence`]; judges nothing.

mod error;
pub mod ncu_report;

pub use error::ReadError;
pub use crate::evidence::{NameSet, Want};
