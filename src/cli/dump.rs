//! `audit dump`: a stage as JSON.

use super::args::{Dump, DumpAnalysis, Folder, Stage};
use super::code::places;
use super::failure::Failure;
use super::stated::{expectations, stated_work};
use super::{lines, plan};
use crate::analysis::{self, Inputs, Limits, Selection};
use crate::collect::{self, Tool};
use crate::config::Tools;
use crate::evidence::{self, NameSet, Origin, SassListing, SourceView, Want};
use crate::source::ncu_report::{LaunchHead, NcuReport};
use crate::source::{self, Profile, sass};
use regex::Regex;
use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::io::Write;
use std::path::Path;

pub(super) fn run(arguments: &Dump, out: &mut dyn Write) -> Result<(), Failure> {
    match &arguments.stage {
        Stage::Evidence { file, instances, allow_damage } => {
            let mut want = Want { allow_damage: *allow_damage, ..Want::everything() };
            if !instances {
                want.instances = NameSet::none();
            }
            let report = source::read_profile(file, &want)?;
            evidence::write_json(&report, *instances, out)?;
        }
        Stage::Source { file, kernel, allow_damage } => {
            evidence::write_source_json(&views(file, kernel.as_ref(), *allow_damage)?, out)?;
        }
        Stage::Analysis(arguments) => conclusions(arguments, out)?,
    }
    Ok(())
}

/// What is concluded about the kernels of a report: as `audit generate` would of the subject that is named, or with
/// nothing stated but what the flags say.
fn conclusions(arguments: &DumpAnalysis, out: &mut dyn Write) -> Result<(), Failure> {
    let (mut subject, mut thresholds) = match &arguments.subject {
        Some(name) => {
            let folder = Folder { config: arguments.config.clone(), out: None };
            let plan = plan::of_subjects(std::slice::from_ref(name), &folder)?;
            (plan.subjects.into_iter().next(), plan.thresholds)
        }
        None => (None, BTreeMap::new()),
    };
    thresholds.extend(arguments.thresholds.iter().cloned());
    if let (Some(subject), false) = (&mut subject, arguments.checks.is_empty()) {
        subject.checklists.clone_from(&arguments.checks);
    }
    if let (Some(subject), false) = (&mut subject, arguments.expect.is_empty()) {
        subject.expect.clone_from(&arguments.expect);
    }
    let limits = Limits { overrides: thresholds };
    let mut work = subject.as_ref().map(|subject| stated_work(subject, &limits)).unwrap_or_default();
    if subject.is_none() {
        work.expected = expectations(&arguments.checks, &arguments.expect, &limits);
    }
    let of_subject = subject.as_ref().and_then(|subject| subject.report.as_ref());
    let Some(file) = arguments.file.as_ref().or(of_subject) else {
        return Err(Failure::usage("the subject names no report\n  help: name one, as in `audit dump analysis FILE`"));
    };
    let kernel = arguments.kernel.clone().or_else(|| subject.as_ref()?.kernel.clone());
    let selection = Selection { kernel, baseline_kernel: None };
    let mut profile = Profile::open(file, false)?;
    let report = profile.read(&analysis::want_for(&work))?;
    let source = lines::source_views(&mut profile, &report, &selection)?;
    let audits = analysis::analyse_all(&Inputs {
        new: &report,
        old: None,
        old_source: None,
        builds: &[],
        source: &source,
        selection,
        work,
        limits,
    })?;
    Ok(analysis::write_json(&audits, out)?)
}

/// The machine code of a report's cubins; none without nvdisasm. A cubin that it cannot read, because it is too old for
/// the chip, is told on the error stream, and its instructions stay without text.
fn listings(file: &Path, allow_damage: bool) -> Result<Vec<SassListing>, Failure> {
    let places = places(&Tools::default(), Path::new(""));
    if places.find(Tool::Nvdisasm).is_err() {
        return Ok(Vec::new());
    }
    let mut listings = Vec::new();
    for cubin in NcuReport::open_with(file, allow_damage)?.sources()?.into_iter().filter_map(|data| data.cubin) {
        match collect::disassemble(&places, &cubin) {
            Ok(made) => listings.push(sass::read(&made.text, Origin::default())?),
            Err(error) => writeln!(anstream::stderr(), "note: instructions stay without text: {error}")?,
        }
    }
    Ok(listings)
}

/// The chosen launches of a report, instruction by instruction.
fn views(file: &Path, kernel: Option<&Regex>, allow_damage: bool) -> Result<Vec<SourceView>, Failure> {
    let held = RefCell::new(BTreeSet::new());
    let chosen = |head: &LaunchHead| {
        let is_chosen = kernel.is_none_or(|re| re.is_match(&head.function) || re.is_match(&head.name));
        held.borrow_mut().insert(head.function.to_string());
        is_chosen
    };
    let listings = listings(file, allow_damage)?;
    let listings: Vec<&SassListing> = listings.iter().collect();
    let views = source::read_source_views(file, &Want { allow_damage, ..Want::default() }, chosen, &listings)?;
    match kernel {
        Some(filter) if views.is_empty() => {
            let held: Vec<String> = held.into_inner().into_iter().collect();
            let (file, held) = (file.display(), held.join(", "));
            Err(Failure::usage(format!("no kernel in {file} matches /{filter}/\n  it holds: {held}")))
        }
        _ => Ok(views),
    }
}
