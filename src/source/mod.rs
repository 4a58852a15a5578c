//! The readers: one per format, bytes to evidence.
//!
//! Owns the choice of the reader for a file. Receives a path, gives [`crate::evidence`]; judges nothing.

pub mod cubin;
mod error;
mod kind;
pub mod ncu_csv;
mod open;
pub mod ptxas_log;
pub mod sass;
mod text;

pub use error::ReadError;
pub use open::{read_build_log, read_cubin, read_profile, read_sass};

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
}

impl Want {
    /// Everything that the artefact holds.
    pub fn everything() -> Want {
        Want { metrics: None, instances: None, rules: true, hash: true }
    }
}
