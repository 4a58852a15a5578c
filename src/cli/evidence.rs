//! The evidence folder of a subject as `audit generate` reads it: the same files give the same page on any machine.

use super::Failure;
use crate::collect::{MANIFEST, Together, files, is_as_made};
use crate::config::{Code, Subject, Variant};
use crate::evidence::{Collected, SanitizerRun, SanitizerTool, StepOutcome};
use crate::source;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use strum::VariantArray;

#[derive(Clone, Debug)]
pub(super) struct Folder {
    folder: PathBuf,
    pub(super) collected: Collected,
    /// What the tools of compute-sanitizer found, in the order in which they run.
    pub(super) sanitizer: Vec<SanitizerRun>,
}

pub(super) struct KeptBuild {
    pub(super) cubin: PathBuf,
    pub(super) log: PathBuf,
    pub(super) command: String,
    pub(super) compiler: String,
}

/// Reads the folder of a subject: the one that audit.toml names, or that of `audit collect` where there is one and the
/// subject names no report. `None` for a subject that is not about collected evidence.
pub(super) fn of(subject: &Subject, project: &Path, collected: bool) -> Result<Option<Folder>, Failure> {
    let folder = folder_of(subject, project);
    let is_meant = collected || subject.collect.evidence.is_some();
    let manifest = folder.join(MANIFEST);
    if !manifest.is_file() {
        return match is_meant || (subject.report.is_none() && subject.code.is_none()) {
            false => Ok(None),
            true => Err(Failure::usage(format!(
                "{} has no collected evidence: {} is not there\n  help: run `audit collect {}` on a machine with a GPU",
                subject.name,
                manifest.display(),
                subject.name
            ))),
        };
    }
    if !is_meant && subject.report.is_some() {
        return Ok(None);
    }
    read(folder).map(Some)
}

/// The folder of a further build of a subject; `None` where it was not collected.
pub(super) fn of_variant(subject: &Subject, variant: &Variant, project: &Path) -> Result<Option<Folder>, Failure> {
    let folder = folder_of(subject, project).join(variant.slug());
    folder.join(MANIFEST).is_file().then(|| read(folder)).transpose()
}

fn read(folder: PathBuf) -> Result<Folder, Failure> {
    let collected = source::read_collected(&folder.join(MANIFEST))?;
    is_as_made(&folder, &collected)?;
    let sanitizer = sanitizer(&folder, &collected)?;
    Ok(Folder { folder, collected, sanitizer })
}

/// The evidence folder whose profile a report is.
pub(super) fn beside(report: &Path) -> Result<Option<Folder>, Failure> {
    let Some(folder) = report.parent().filter(|folder| folder.join(MANIFEST).is_file()) else { return Ok(None) };
    let collected = source::read_collected(&folder.join(MANIFEST))?;
    let mut found = Folder { folder: folder.to_owned(), collected, sanitizer: Vec::new() };
    if found.profile().as_deref() != Some(report) {
        return Ok(None);
    }
    found.sanitizer = sanitizer(folder, &found.collected)?;
    Ok(Some(found))
}

fn sanitizer(folder: &Path, collected: &Collected) -> Result<Vec<SanitizerRun>, Failure> {
    let run = |tool: SanitizerTool| -> Option<Result<SanitizerRun, Failure>> {
        let step = collected.step(tool.name())?;
        if step.outcome == StepOutcome::Made {
            return Some(source::read_sanitizer(&folder.join(&step.file), tool).map_err(Failure::from));
        }
        Some(Ok(SanitizerRun { tool, not_measured: step.why.clone(), findings: Vec::new() }))
    };
    SanitizerTool::VARIANTS.iter().copied().filter_map(run).collect()
}

impl Folder {
    /// The commit that was checked out when the report was collected; empty where nobody noted it.
    pub(super) fn measured_at(&self) -> String {
        self.collected.step(files::PROFILE.0).map(|step| step.commit.clone()).unwrap_or_default()
    }

    /// The report of its launches under the profiler, where there is one.
    pub(super) fn profile(&self) -> Option<PathBuf> {
        self.file(files::PROFILE.0)
    }

    /// What a step made.
    pub(super) fn file(&self, step: &str) -> Option<PathBuf> {
        let step = self.collected.step(step).filter(|step| step.outcome == StepOutcome::Made)?;
        Some(self.folder.join(&step.file))
    }

    /// The file of a step of `audit launch`: as the manifest knows it, else what lies in the folder under its name, plain or packed. An
    /// error says why a step made none.
    pub(super) fn trial(&self, step: &str, name: &str) -> Result<Option<PathBuf>, String> {
        match self.collected.step(step) {
            Some(step) if step.outcome == StepOutcome::Made => Ok(Some(self.folder.join(&step.file))),
            Some(step) => Err(step.why.clone()),
            None => Ok([self.folder.join(name), self.folder.join(format!("{name}z"))]
                .into_iter()
                .find(|path| path.is_file())),
        }
    }

    /// The subject with the folder's files in the place of its own.
    pub(super) fn subject(&self, subject: &Subject) -> Result<Subject, Failure> {
        let mut subject = subject.clone();
        if let Some(report) = self.profile() {
            subject.report = Some(report);
        } else if subject.report.is_none() {
            let why = self.collected.step(files::PROFILE.0).map_or("it was not collected", |step| step.why.as_str());
            return Err(Failure::usage(format!(
                "the evidence of {} holds no profile: {why}\n  help: run `audit collect {}` again",
                subject.name, subject.name
            )));
        }
        Ok(subject)
    }

    pub(super) fn build(&self, code: &Code) -> Option<KeptBuild> {
        let Code::Source { .. } = code else { return None };
        let step = self.collected.step(files::BUILD.0)?;
        Some(KeptBuild {
            cubin: self.file(files::BUILD.0)?,
            log: self.file(files::PTXAS.0)?,
            command: step.command.clone(),
            compiler: step.tool.clone(),
        })
    }
}

/// The evidence folder of a subject: what audit.toml names, else `collected/NAME` beside it, where NAME is the first of the
/// subjects that are collected together.
pub(super) fn folder_of(subject: &Subject, project: &Path) -> PathBuf {
    let usual = || {
        let folder = |name: &str| project.join("collected").join(name);
        let first = together(subject, project).map(|together| folder(&together.names[0]));
        first.unwrap_or_else(|| folder(subject.name.as_str()))
    };
    subject.collect.evidence.clone().unwrap_or_else(usual)
}

/// The subjects that one is collected with; `None` for one that has a folder of its own from before.
pub(super) fn together<'s>(subject: &'s Subject, project: &Path) -> Option<&'s Arc<Together>> {
    let own = project.join("collected").join(subject.name.as_str()).join(MANIFEST);
    let together = subject.collect.together.as_ref()?;
    let is_first = together.names.first().is_some_and(|first| *first == *subject.name.as_str());
    (is_first || subject.collect.evidence.is_some() || !own.is_file()).then_some(together)
}
