//! What launching a subject found, from the files that it names or that lie in its evidence folder.

use super::evidence::Folder;
use super::{Failure, parts};
use crate::analysis::{self, MeasuredVariant, Reference, Selection, Side, TimedLaunches, subject_launch};
use crate::collect::files as steps;
use crate::config::{Subject, TrialFiles, Variant};
use crate::evidence::{BENCHMARK_SCHEMA, Benchmark, CORRECTNESS_SCHEMA, Correctness, Origin};
use crate::source;
use std::path::Path;

/// How the files of `audit launch` are read.
type Reader<T> = (&'static str, fn(&[u8], &Path) -> Result<T, source::ReadError>);
const CHECK: Reader<Correctness> = (CORRECTNESS_SCHEMA, source::correctness);
const TIMES: Reader<Benchmark> = (BENCHMARK_SCHEMA, source::benchmark);

#[derive(Default)]
pub(super) struct Beside {
    /// The times of the old side, where a file of them is named.
    pub(super) old_benchmark: Option<Benchmark>,
    pub(super) reference: Option<Reference>,
}

/// Reads what there is into the new side. A file that the subject names goes before the one of the same kind in the folder.
pub(super) fn read(subject: &Subject, folder: Option<&Folder>, new: &mut Side) -> Result<Beside, Failure> {
    let mut beside = Beside::default();
    let mut named = subject.trials.clone();
    if let Some(folder) = folder {
        let TrialFiles { correctness, benchmark, reference, .. } = &mut named;
        for (step, place) in
            [(steps::CORRECTNESS, correctness), (steps::BENCHMARK, benchmark), (steps::REFERENCE, reference)]
        {
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
    bench(subject, folder, new)?;
    tests(subject, folder, new)?;
    let TrialFiles { correctness, benchmark, baseline_benchmark, reference, .. } = &named;
    let kernel = new.profile.as_ref().map(|profile| profile.kernel.function.to_string()).unwrap_or_default();
    let names = [kernel.as_str(), subject.name.as_str()];
    let wanted = source::Wanted { row: named.row.as_ref(), names: &names, unit: named.unit };
    let times = |bytes: &[u8], path: &Path| match source::told_times(bytes, path, wanted)? {
        Some(told) => Ok(told),
        None => source::benchmark(bytes, path),
    };
    if let Some(path) = correctness {
        new.correctness = Some(noted("check of the outputs", path, CHECK, &mut new.files)?);
    }
    if let Some(path) = benchmark {
        new.benchmark = Some(noted("benchmark", path, (TIMES.0, times), &mut new.files)?);
    }
    if let Some(path) = baseline_benchmark {
        beside.old_benchmark = Some(noted("old benchmark", path, (TIMES.0, times), &mut new.files)?);
    }
    if let Some(path) = reference {
        let report = source::read_profile(path, &analysis::want())?;
        new.files.push(("report of the reference".to_owned(), report.origin.clone()));
        let launch = subject_launch(&report, &Selection::default()).ok();
        beside.reference = Reference::of(&report, parts::view_of(path, launch, false)?.as_slice());
    }
    Ok(beside)
}

/// What the program itself found of the subject's kernel by `kernel_audit.bench`, where the folder has it.
fn bench(subject: &Subject, folder: Option<&Folder>, new: &mut Side) -> Result<(), Failure> {
    let step = steps::BENCH;
    let path = match folder.map(|folder| folder.trial(step.0, step.1)) {
        None | Some(Ok(None)) => return Ok(()),
        Some(Ok(Some(path))) => path,
        Some(Err(why)) => {
            new.missed.push((step.0.to_owned(), why));
            return Ok(());
        }
    };
    let all = noted(
        "checks and times by kernel_audit.bench",
        &path,
        ("kernel-audit/bench/1", source::bench),
        &mut new.files,
    )?;
    let names: Vec<String> = all.iter().map(|one| one.benchmark.subject.clone()).collect();
    match all.into_iter().rfind(|one| one.benchmark.subject == subject.name.as_str()) {
        Some(own) => (new.correctness, new.benchmark) = (Some(own.correctness), Some(own.benchmark)),
        None => {
            let (own, names) = (&subject.name, names.join(", "));
            new.missed.push((step.0.to_owned(), format!("nothing there is called {own}; it holds {names}")));
        }
    }
    Ok(())
}

/// What the project's own tests found: a file that the subject names, else what was collected.
fn tests(subject: &Subject, folder: Option<&Folder>, new: &mut Side) -> Result<(), Failure> {
    let Some(stated) = &subject.tests else { return Ok(()) };
    let (step, file) = steps::TESTS;
    let found = match (&stated.junit, folder) {
        (Some(path), _) => Ok(Some(path.clone())),
        (None, Some(folder)) => folder.trial(step, file),
        (None, None) => Ok(None),
    };
    match found {
        Ok(Some(path)) => {
            let read = |bytes: &[u8], path: &Path| source::junit(bytes, path, stated.meant.as_ref());
            let mut tested = noted("tests", &path, ("JUnit", read), &mut new.files)?;
            if tested.commit.is_empty() {
                let collected =
                    folder.filter(|_| stated.junit.is_none()).and_then(|folder| folder.collected.step(step));
                tested.commit = collected.map(|step| step.commit.clone()).unwrap_or_default();
            }
            new.tested = Some(tested);
        }
        Ok(None) => new.missed.push((step.to_owned(), "its tests were not run: `audit collect` runs them".to_owned())),
        Err(why) => new.missed.push((step.to_owned(), why)),
    }
    Ok(())
}

/// The launches that were timed by themselves, where the folder has them.
fn launches(folder: Option<&Folder>, new: &mut Side) -> Result<(), Failure> {
    let Some(folder) = folder else { return Ok(()) };
    match folder.trial(steps::LAUNCHES.0, steps::LAUNCHES.1) {
        Ok(None) => {}
        Ok(Some(path)) => {
            let report = source::read_profile(&path, &analysis::want())?;
            new.launches = new.profile.as_ref().and_then(|profile| TimedLaunches::of(&report, &profile.kernel));
            let origin = Origin { path: analysis::public_path(&report.origin.path), ..report.origin };
            new.files.push(("launches timed by ncu".to_owned(), origin));
        }
        Err(why) => new.missed.push((steps::LAUNCHES.0.to_owned(), why)),
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
    if let Some(path) = file(steps::LAUNCHES).or_else(|| folder.profile()) {
        let report = source::read_profile(&path, &analysis::want())?;
        let of_it = Selection { kernel: subject.kernel.clone(), baseline_kernel: None };
        measured.launches = Some(TimedLaunches::of_selected(&report, &of_it)?);
        let origin = Origin { path: analysis::public_path(&report.origin.path), ..report.origin };
        files.push((format!("launches of {name}"), origin));
    }
    if let Some(path) = file(steps::BENCHMARK) {
        measured.benchmark = Some(noted(&format!("benchmark of {name}"), &path, TIMES, files)?);
    }
    if let Some(path) = file(steps::CORRECTNESS) {
        let what = format!("check of the outputs of {name}");
        measured.correctness = Some(noted(&what, &path, CHECK, files)?);
    }
    measured.sanitizer = folder.sanitizer.clone();
    Ok(measured)
}

/// What a file of `audit launch` says; the file is noted.
fn noted<T>(
    what: &str,
    path: &Path,
    (schema, read): (&str, impl FnOnce(&[u8], &Path) -> Result<T, source::ReadError>),
    files: &mut Vec<(String, Origin)>,
) -> Result<T, Failure> {
    let bytes = source::read_all(path)?;
    let made = read(&bytes, path)?;
    let (size, blake3) = (bytes.len() as u64, blake3::hash(&bytes).to_hex().to_string());
    files.push((
        what.to_owned(),
        Origin { path: path.display().to_string(), format: schema.to_owned(), bytes: size, blake3 },
    ));
    Ok(made)
}

/// A further build of a subject, with its evidence where it was collected.
pub(super) struct Further<'s> {
    pub(super) variant: &'s Variant,
    pub(super) folder: Option<Folder>,
}

/// What was measured of all builds of a subject, the one under audit first; empty where no other was measured.
pub(super) fn measured(
    subject: &Subject,
    further: &[Further<'_>],
    files: &mut Vec<(String, Origin)>,
) -> Result<Vec<MeasuredVariant>, Failure> {
    if further.iter().all(|one| one.folder.is_none()) {
        return Ok(Vec::new());
    }
    let first =
        subject.variants.first().map(|first| MeasuredVariant { name: first.name.clone(), ..Default::default() });
    let others = further.iter().map(|one| of_variant(subject, &one.variant.name, one.folder.as_ref(), files));
    first.map(Ok).into_iter().chain(others).collect()
}
