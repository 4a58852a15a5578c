//! What launching a subject found, from the files that it names or that lie in its evidence folder.

use super::evidence::Folder;
use super::failure::Failure;
use crate::analysis::{self, Reference, Side, without_home};
use crate::config::{Subject, TrialFiles};
use crate::evidence::{BENCHMARK_SCHEMA, Benchmark, CORRECTNESS_SCHEMA, Origin};
use crate::source::{self, ReadError};
use std::path::Path;

/// The files of an evidence folder: the step that makes each, and its name.
const CORRECTNESS: (&str, &str) = ("correctness", "correctness.json");
const BENCHMARK: (&str, &str) = ("benchmark", "benchmark.json");
const REFERENCE: (&str, &str) = ("reference", "reference.ncu-rep");

/// What is there beside the new side.
#[derive(Default)]
pub(super) struct Beside {
    /// The times of the old side, where a file of them is named.
    pub(super) old_benchmark: Option<Benchmark>,
    pub(super) reference: Option<Reference>,
}

/// Reads what there is into the new side. A file that the subject names goes before the one of the same kind in the folder.
pub(super) fn read(subject: &Subject, folder: Option<&Folder>, new: &mut Side) -> Result<Beside, Failure> {
    let mut beside = Beside::default();
    let mut files = subject.trials.clone();
    if let Some(folder) = folder {
        let TrialFiles { correctness, benchmark, reference, .. } = &mut files;
        for (step, place) in [(CORRECTNESS, correctness), (BENCHMARK, benchmark), (REFERENCE, reference)] {
            if place.is_some() {
                continue;
            }
            match folder.trial(step.0, step.1) {
                Ok(found) => *place = found,
                Err(why) => new.missed.push((step.0.to_owned(), why)),
            }
        }
    }
    let TrialFiles { correctness, benchmark, baseline_benchmark, reference } = &files;
    if let Some(path) = correctness {
        let bytes = bytes(path)?;
        new.correctness = Some(source::correctness(&bytes, path)?);
        new.files.push(("check of the outputs".to_owned(), origin(path, CORRECTNESS_SCHEMA, &bytes)));
    }
    if let Some(path) = benchmark {
        let bytes = bytes(path)?;
        new.benchmark = Some(source::benchmark(&bytes, path)?);
        new.files.push(("benchmark".to_owned(), origin(path, BENCHMARK_SCHEMA, &bytes)));
    }
    if let Some(path) = baseline_benchmark {
        let bytes = bytes(path)?;
        beside.old_benchmark = Some(source::benchmark(&bytes, path)?);
        new.files.push(("old benchmark".to_owned(), origin(path, BENCHMARK_SCHEMA, &bytes)));
    }
    if let Some(path) = reference {
        let report = source::read_profile(path, &analysis::want())?;
        let origin = Origin { path: without_home(&report.origin.path), ..report.origin.clone() };
        new.files.push(("report of the reference".to_owned(), origin));
        beside.reference = Reference::of(&report);
    }
    Ok(beside)
}

fn bytes(path: &Path) -> Result<Vec<u8>, Failure> {
    Ok(std::fs::read(path).map_err(|source| ReadError::Io { path: path.into(), source })?)
}

fn origin(path: &Path, schema: &str, bytes: &[u8]) -> Origin {
    Origin {
        path: without_home(&path.display().to_string()),
        format: schema.to_owned(),
        bytes: bytes.len() as u64,
        blake3: blake3::hash(bytes).to_hex().to_string(),
    }
}
