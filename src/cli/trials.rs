//! What launching a subject found, from the files that it names or that lie in its evidence folder.

use super::evidence::Evidence;
use super::failure::Failure;
use crate::analysis::{self, Trials, without_home};
use crate::config::{Subject, TrialFiles};
use crate::evidence::{BENCHMARK_SCHEMA, CORRECTNESS_SCHEMA, Origin};
use crate::source::{self, ReadError};
use std::path::Path;

/// The files of an evidence folder: the step that makes each, and its name.
const CORRECTNESS: (&str, &str) = ("correctness", "correctness.json");
const BENCHMARK: (&str, &str) = ("benchmark", "benchmark.json");
const REFERENCE: (&str, &str) = ("reference", "reference.ncu-rep");

/// Reads what there is. A file that the subject names goes before the one of the same kind in the folder.
pub(super) fn of(subject: &Subject, evidence: Option<&Evidence>) -> Result<Trials, Failure> {
    let mut trials = Trials::default();
    let mut files = subject.trials.clone();
    if let Some(evidence) = evidence {
        let TrialFiles { correctness, benchmark, reference, .. } = &mut files;
        for (step, place) in [(CORRECTNESS, correctness), (BENCHMARK, benchmark), (REFERENCE, reference)] {
            if place.is_some() {
                continue;
            }
            match evidence.trial(step.0, step.1) {
                Ok(found) => *place = found,
                Err(why) => trials.missed.push((step.0.to_owned(), why)),
            }
        }
    }
    let TrialFiles { correctness, benchmark, baseline_benchmark, reference } = &files;
    if let Some(path) = correctness {
        let bytes = read(path)?;
        trials.correctness = Some(source::correctness(&bytes, path)?);
        trials.files.push(("check of the outputs".to_owned(), origin(path, CORRECTNESS_SCHEMA, &bytes)));
    }
    if let Some(path) = benchmark {
        let bytes = read(path)?;
        trials.benchmark = Some(source::benchmark(&bytes, path)?);
        trials.files.push(("benchmark".to_owned(), origin(path, BENCHMARK_SCHEMA, &bytes)));
    }
    if let Some(path) = baseline_benchmark {
        let bytes = read(path)?;
        trials.old_benchmark = Some(source::benchmark(&bytes, path)?);
        trials.files.push(("old benchmark".to_owned(), origin(path, BENCHMARK_SCHEMA, &bytes)));
    }
    if let Some(path) = reference {
        let report = source::read_profile(path, &analysis::want())?;
        let origin = Origin { path: without_home(&report.origin.path), ..report.origin.clone() };
        trials.files.push(("report of the reference".to_owned(), origin));
        trials.reference = Some(report);
    }
    Ok(trials)
}

fn read(path: &Path) -> Result<Vec<u8>, Failure> {
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
