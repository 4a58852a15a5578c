//! The keys of audit.toml that name what launching a subject found, where no evidence folder holds it.
//!
//! ```toml
//! correctness_file = "correctness.json"        # what `audit launch SUBJECT --check --json-to FILE` wrote
//! benchmark_file = "benchmark.json"            # what `audit launch SUBJECT --time --json-to FILE` wrote
//! baseline_benchmark = "old/benchmark.json"    # the same of the version before
//! reference_report = "reference.ncu-rep"       # a profile of what it is timed beside
//! ```

use std::path::PathBuf;

/// Files about launches of a subject.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TrialFiles {
    /// The check of its outputs.
    pub correctness: Option<PathBuf>,
    /// Its times.
    pub benchmark: Option<PathBuf>,
    /// The times of the version before.
    pub baseline_benchmark: Option<PathBuf>,
    /// The profile of what it is timed beside.
    pub reference: Option<PathBuf>,
}
