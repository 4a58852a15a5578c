//! `audit lint`: the configuration, the files and metrics that it names, and every template, without making a page.

use super::args::{Folder, Lint};
use super::evidence::folder_of;
use super::gather::Gatherer;
use super::plan::{self, DEFAULT_CONFIG, is_there};
use super::slot::Days;
use super::{Failure, Status};
use crate::analysis::{Limits, Selection, audit, subject_launches};
use crate::catalog::{check_metric_name, counters_of_arch, section_fault};
use crate::collect::{MANIFEST, is_as_made};
use crate::config::{Code, Config, Subject};
use crate::evidence::{NameSet, Want};
use crate::quantity::format;
use crate::render::Templates;
use crate::{source, view};
use std::io::Write;
use std::path::Path;

pub(super) fn run(arguments: &Lint, out: &mut dyn Write) -> Result<(), Failure> {
    let default = Path::new(DEFAULT_CONFIG);
    let config = match &arguments.config {
        Some(path) => Some((path.as_path(), Config::read(path)?)),
        None if is_there(default) => Some((default, Config::read(default)?)),
        None => None,
    };
    if let Some((path, config)) = &config {
        let every: Vec<String> = config.subjects.iter().map(|subject| subject.name.to_string()).collect();
        let subjects = config.select(&every)?;
        let faults: Vec<String> =
            subjects.iter().flat_map(|subject| names(subject).into_iter().chain(filter(subject))).collect();
        let faults = if faults.is_empty() { impossible(&every, path)? } else { faults };
        for fault in &faults {
            writeln!(out, "{}: {fault}", path.display())?;
        }
        if !faults.is_empty() {
            return Err(Failure::verdict(Status::Usage));
        }
        for subject in &subjects {
            let folder = subject.collect.evidence.as_ref().map(|_| folder_of(subject, &config.folder));
            if let Some(folder) = folder.filter(|folder| folder.join(MANIFEST).is_file()) {
                is_as_made(&folder, &source::read_collected(&folder.join(MANIFEST))?)?;
            }
        }
        let subjects = format::counted(every.len() as u64, "subject");
        writeln!(out, "{}: {subjects}, every file and every metric that they name", path.display())?;
    }
    if config.is_none() {
        writeln!(out, "no audit.toml here, nor above: only the templates are checked")?;
    }
    let folder = arguments.templates.as_deref().or(config.as_ref().and_then(|(_, config)| config.templates.as_deref()));
    let mut overrides = config.as_ref().map(|(_, config)| config.overrides.clone()).unwrap_or_default();
    overrides.extend(arguments.template_files.iter().cloned());
    let templates = match Templates::lint(folder, &overrides) {
        Ok(templates) => templates,
        Err(faults) => {
            for fault in &faults {
                writeln!(out, "{fault}")?;
            }
            return Err(Failure::verdict(Status::Usage));
        }
    };
    for (name, file) in templates.files() {
        writeln!(out, "{name}: {}", file.display())?;
    }
    let unused = templates.unused();
    for (name, file) in &unused {
        writeln!(out, "{}: no page includes the partial {name:?}", file.display())?;
    }
    writeln!(out, "templates: {} pages, every name in them is known", templates.names().len())?;
    if unused.is_empty() { Ok(()) } else { Err(Failure::verdict(Status::Findings)) }
}

/// Why the filters of a subject take nothing of its report; `None` where they do, or the report is not here.
fn filter(subject: &Subject) -> Option<String> {
    let path = subject.report.as_ref().filter(|path| path.is_file())?;
    // A pointer of Git LFS stands for a report that is elsewhere.
    if crate::read::head(path, 64).ok()?.starts_with(b"version https://git-lfs") {
        return None;
    }
    let want = Want { metrics: NameSet::none(), ..Want::default() };
    let named = |why: &dyn std::fmt::Display| Some(format!("{}: {why}", subject.name));
    let mut report = match source::read_profile(path, &want) {
        Ok(report) => report,
        Err(error) => return named(&error),
    };
    if let Err(error) = subject.pick.leave(&mut report) {
        return named(&error);
    }
    let selection = Selection { kernel: subject.kernel.clone(), baseline_kernel: None };
    subject_launches(&report, &selection).err().and_then(|error| named(&error))
}

/// What cannot be of the stated work, held against the reports that are here.
fn impossible(every: &[String], path: &Path) -> Result<Vec<String>, Failure> {
    let plan = plan::of_subjects(every, &Folder { config: Some(path.to_owned()), out: None })?;
    let limits = Limits { overrides: plan.thresholds.clone() };
    let mut gatherer = Gatherer::new(&plan, Days::today(None)?, false);
    let mut faults = Vec::new();
    let states = |subject: &&Subject| subject.work.flop.is_some() || subject.work.bytes.is_some();
    for subject in plan.subjects.iter().filter(states) {
        // What is not here, or cannot be read, is for `generate` to say.
        let Ok(gathered) = gatherer.gather(subject, false, &[]) else { continue };
        let audit = audit(&gathered.evidence, &limits);
        faults.extend(view::impossible(&audit).iter().map(|why| format!("{}: {}", subject.name, why.to_plain())));
    }
    Ok(faults)
}

/// What is wrong with the metrics and sections that a subject asks for or expects, on the chip that it is built for. Names without two
/// underscores are readings of our own, which the page says when it lacks one.
fn names(subject: &Subject) -> Vec<String> {
    let chip = match &subject.code {
        Some(Code::Source { archs, .. }) => archs.first().and_then(|arch| counters_of_arch(arch)),
        Some(Code::Cubin { .. }) | None => None,
    };
    let stated = subject.hypotheses.iter().flat_map(|one| one.before.iter().chain(&one.after));
    let expected = subject.expect.iter().chain(stated).map(|expect| &expect.reading);
    let expected = expected.filter(|name| name.contains("__") && !name.starts_with(crate::catalog::CHECK));
    let fault = |name: &String| {
        let check = check_metric_name(name, chip);
        check.is_fault().then(|| format!("{}: {}", subject.name, check.sentence(name, chip)))
    };
    let sections = subject.collect.sections.iter().filter_map(|name| section_fault(name));
    let sections = sections.map(|why| format!("{}: {why}", subject.name));
    subject.collect.extra.iter().chain(expected).filter_map(fault).chain(sections).collect()
}
