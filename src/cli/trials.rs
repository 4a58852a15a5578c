//! What launching a subject found, from the files that it names or that lie in its evidence folder.

use super::evidence::Folder;
use super::failure::Failure;
use super::lines;
use crate::analysis::{self, KernelKey, MeasuredVariant, Reference, Selection, Side, TimedLaunches};
use crate::collect::MANIFEST;
use crate::config::{Subject, TrialFiles};
use crate::evidence::{BENCHMARK_SCHEMA, Benchmark, CORRECTNESS_SCHEMA, Origin, StepOutcome};
use crate::source;
use std::path::Path;

/// The files of an evidence folder: the step that makes each, and its name.
const CORRECTNESS: (&str, &str) = ("correctness", "correctness.json");
const BENCHMARK: (&str, &str) = ("benchmark", "benchmark.json");
const REFERENCE: (&str, &str) = ("reference", "reference.ncu-rep");
const LAUNCHES: (&str, &str) = ("launches", "launches.ncu-rep");

/// The step whose report an old side is named by.
const PROFILE: &str = "profile";

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
    launches(folder, new)?;
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
        new.files.push(("report of the reference".to_owned(), report.origin.clone()));
        beside.reference = Reference::of(&report, lines::reference_view(path, &report)?.as_slice());
    }
    Ok(beside)
}

/// The launches that were timed by themselves, where the folder has them.
fn launches(folder: Option<&Folder>, new: &mut Side) -> Result<(), Failure> {
    let Some(folder) = folder else { return Ok(()) };
    match folder.trial(LAUNCHES.0, LAUNCHES.1) {
        Ok(None) => {}
        Ok(Some(path)) => {
            let report = source::read_profile(&path, &analysis::want())?;
            new.launches = new.profile.as_ref().and_then(|profile| TimedLaunches::of(&report, &profile.kernel));
            let origin = Origin { path: analysis::public_path(&report.origin.path), ..report.origin };
            new.files.push(("launches timed by ncu".to_owned(), origin));
        }
        Err(why) => new.missed.push((LAUNCHES.0.to_owned(), why)),
    }
    Ok(())
}

/// What was measured of a further build of the subject, whose evidence lies in a folder of its own.
pub(super) fn of_variant(
    subject: &Subject,
    name: &str,
    folder: Option<&Folder>,
    files: &mut Vec<(String, Origin)>,
) -> Result<MeasuredVariant, Failure> {
    let mut measured = MeasuredVariant { name: name.to_owned(), ..MeasuredVariant::default() };
    let Some(folder) = folder else { return Ok(measured) };
    // A step that made nothing leaves the time NOT MEASURED.
    let file = |step: (&str, &str)| folder.trial(step.0, step.1).ok().flatten();
    if let Some(path) = file(LAUNCHES).or_else(|| folder.profile()) {
        let report = source::read_profile(&path, &analysis::want())?;
        let of_it = Selection { kernel: subject.kernel.clone(), baseline_kernel: None };
        measured.launches = Some(TimedLaunches::of_selected(&report, &of_it)?);
        let origin = Origin { path: analysis::public_path(&report.origin.path), ..report.origin };
        files.push((format!("launches of {name}"), origin));
    }
    if let Some(path) = file(BENCHMARK) {
        let bytes = bytes(&path)?;
        measured.benchmark = Some(source::benchmark(&bytes, &path)?);
        files.push((format!("benchmark of {name}"), origin(&path, BENCHMARK_SCHEMA, &bytes)));
    }
    if let Some(path) = file(CORRECTNESS) {
        let bytes = bytes(&path)?;
        measured.correctness = Some(source::correctness(&bytes, &path)?);
        files.push((format!("check of the outputs of {name}"), origin(&path, CORRECTNESS_SCHEMA, &bytes)));
    }
    measured.sanitizer = folder.sanitizer.clone();
    Ok(measured)
}

/// The timed launches of the old side: those beside its report, where an evidence folder holds both.
pub(super) fn beside_report(report: &Path, kernel: &KernelKey) -> Result<Option<TimedLaunches>, Failure> {
    let Some(folder) = report.parent().filter(|folder| folder.join(MANIFEST).is_file()) else { return Ok(None) };
    let collected = source::read_collected(&folder.join(MANIFEST))?;
    let made = |step: &str| collected.step(step).filter(|step| step.outcome == StepOutcome::Made);
    let is_its = made(PROFILE).is_some_and(|step| report.file_name().is_some_and(|name| name == step.file.as_str()));
    let Some(step) = made(LAUNCHES.0).filter(|_| is_its) else { return Ok(None) };
    let report = source::read_profile(&folder.join(&step.file), &analysis::want())?;
    Ok(TimedLaunches::of(&report, kernel))
}

fn bytes(path: &Path) -> Result<Vec<u8>, Failure> {
    Ok(source::read_all(path)?)
}

fn origin(path: &Path, schema: &str, bytes: &[u8]) -> Origin {
    Origin {
        path: path.display().to_string(),
        format: schema.to_owned(),
        bytes: bytes.len() as u64,
        blake3: blake3::hash(bytes).to_hex().to_string(),
    }
}
