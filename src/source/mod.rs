//! The readers: one per format, bytes to evidence.
//!
//! Owns the choice of the reader for a file. Receives a path, gives [`crate::evidence`]; judges nothing.

mod error;
pub mod ncu_report;

pub use error::ReadError;

use std::collections::BTreeSet;
use std::sync::Arc;

/// Which metrics of which results to decode; everything else is skipped without being decoded.
#[derive(Clone, Debug, Default)]
pub struct Want {
    /// Metrics by exact name; `None` asks for all.
    pub metrics: Option<BTreeSet<Arc<str>>>,
    /// Metrics whose instances are wanted, by exact name; `None` asks for those of every metric that is read.
    pub instances: Option<BTreeSet<Arc<str>>>,
    /// Whether NVIDIA's rule results are wanted.
    pub rules: bool,
    /// Whether the SHA-256 of the file is wanted.
    pub hash: bool,
    /// Whether the fields of the format that no reader knows are to be counted; takes a second look at every message.
    pub unknown_fields: bool,
    /// Whether a damaged artefact is read as far as it is whole, with what is lost in
    /// [`Report::damage`](crate::evidence::Report::damage), instead of being refused.
    pub allow_damage: bool,
}

impl Want {
    /// Everything that an artefact holds, which must be whole.
    pub fn everything() -> Want {
        Want { metrics: None, instances: None, rules: true, hash: true, unknown_fields: true, allow_damage: false }
    }
}
