//! `audit dump`: a stage as JSON.

use super::args::{Dump, DumpAnalysis, Folder, Stage};
use super::code::places;
use super::gather::Gatherer;
use super::parts::{Opened, Reading};
use super::slot::Days;
use super::stated::expectations;
use super::{Failure, plan, say};
use crate::analysis::{Audit, Evidence, Judgement, Limits, Side, Work, audit, short_name, without_homes};
use crate::catalog::Threshold;
use crate::collect::{self, Tool};
use crate::config::Tools;
use crate::evidence::{self, Launch, NameSet, Origin, SassListing, SourceView, Want};
use crate::plain;
use crate::snapshot::Record;
use crate::source::{self, ReadError, sass};
use crate::view::{self, Conclusions, Detail, distinct};
use regex::Regex;
use std::cell::RefCell;
use std::collections::BTreeSet;
use std::io::{self, Write};
use std::path::Path;

pub(super) fn run(arguments: &Dump, out: &mut dyn Write) -> Result<(), Failure> {
    match &arguments.stage {
        Stage::Evidence { file, instances, allow_damage } => {
            let mut want = Want { allow_damage: *allow_damage, ..Want::everything() };
            if !instances {
                want.instances = NameSet::none();
            }
            let report = source::read_profile(file, &want)?;
            evidence::write_json(&report, &mut plain::Json(out))?;
        }
        Stage::Source { file, kernel, allow_damage } => {
            evidence::write_source_json(&views(file, kernel.as_ref(), *allow_damage)?, &mut plain::Json(out))?;
        }
        Stage::Cfg { file, kernel } => graphs(file, kernel.as_ref(), out)?,
        Stage::Analysis(arguments) => conclusions(arguments, &mut plain::Json(out))?,
    }
    Ok(())
}

/// What is concluded: what `audit generate` says of the subject that is named, or what is said
/// about every kernel of a report, with nothing stated but what the flags say.
fn conclusions(arguments: &DumpAnalysis, out: &mut dyn Write) -> Result<(), Failure> {
    let detail = |refuted| if arguments.brief { Detail::Brief { refuted } } else { Detail::Whole };
    let Some(name) = &arguments.subject else {
        let mut told = Conclusions::new(detail(Vec::new()), out);
        of_file(arguments, |audit| told.put(&audit))?;
        return Ok(told.end()?);
    };
    let (audit, refuted) = of_subject(name, arguments)?;
    let mut told = Conclusions::new(detail(refuted), out);
    told.put(&audit)?;
    Ok(told.end()?)
}

/// The audit of a subject, and the hypotheses that its earlier audits refuted, the latest first.
fn of_subject(name: &str, arguments: &DumpAnalysis) -> Result<(Audit, Vec<String>), Failure> {
    let folder = Folder { config: arguments.config.clone(), out: None };
    let mut plan = plan::of_subjects(&[name.to_owned()], &folder)?;
    plan.thresholds.extend(arguments.thresholds.iter().cloned());
    let mut subject = plan.subjects.swap_remove(0);
    if !arguments.checklists.is_empty() {
        subject.checklists.clone_from(&arguments.checklists);
    }
    if !arguments.expect.is_empty() {
        subject.expect.clone_from(&arguments.expect);
    }
    if let Some(file) = &arguments.file {
        subject.report = Some(file.clone());
        subject.collect.evidence = None;
    }
    if arguments.kernel.is_some() {
        subject.kernel.clone_from(&arguments.kernel);
    }
    let gathered = Gatherer::new(&plan, Days::today(None)?, false).gather(&subject, false, &[])?;
    let limits = Limits { overrides: plan.thresholds.clone() };
    let mut refuted: Vec<String> = Vec::new();
    if arguments.brief {
        let earlier = Record::read(&plan.series, name, limits[Threshold::Regression])?.milestones();
        let tested = earlier.into_iter().rev().flat_map(|milestone| milestone.hypotheses);
        refuted = distinct(tested.filter(|one| one.judgement == Judgement::Fails).map(|one| one.name));
    }
    Ok((audit(&gathered.evidence, &limits), refuted))
}

/// Judges every kernel of a file that the filter takes, and gives them on one by one.
fn of_file(arguments: &DumpAnalysis, mut judged: impl FnMut(Audit) -> io::Result<()>) -> Result<(), Failure> {
    let Some(file) = &arguments.file else {
        return Err(Failure::usage("no report is named\n  help: name one, as in `audit dump analysis FILE`"));
    };
    let limits = Limits { overrides: arguments.thresholds.iter().cloned().collect() };
    let work = Work { expected: expectations(&arguments.checklists, &arguments.expect, &limits), ..Work::default() };
    let filter = arguments.kernel.as_ref();
    let reading = Reading { filter, allow_damage: false, by_instruction: true, work: &work, limits: &limits };
    let mut opened = Opened::of(file, reading)??;
    for part in opened.parts(0..opened.keys().count(), 1) {
        for kernel in opened.profiles(&part)? {
            let side = Side { profile: Some(kernel), work: work.clone(), ..Side::default() };
            judged(audit(&Evidence { new: side, ..Evidence::default() }.made_public(), &limits))?;
        }
    }
    Ok(())
}

fn graphs(file: &Path, kernel: Option<&Regex>, out: &mut dyn Write) -> Result<(), Failure> {
    const ELF: &[u8] = b"\x7fELF";
    const REPORTS: [&str; 2] = ["ncu-rep", "ncu-repz"];
    let is_report = file.extension().is_some_and(|own| REPORTS.iter().any(|report| own == *report));
    let bytes = if is_report { Vec::new() } else { source::read_all(file)? };
    let found = match (is_report, bytes.starts_with(ELF)) {
        (true, _) => listings(file, false)?,
        (false, true) => {
            let made = collect::disassemble(&places(&Tools::default(), Path::new("")), &bytes)?;
            vec![listing(&made.text, &bytes, file)?]
        }
        (false, false) => {
            vec![sass::read(&bytes, Origin { path: file.display().to_string(), ..Origin::default() }, "")?]
        }
    };
    let functions = || found.iter().flat_map(|listing| &listing.functions);
    let mut is_empty = true;
    for function in functions().filter(|own| kernel.is_none_or(|filter| filter.is_match(&own.mangled))) {
        is_empty = false;
        out.write_all(view::graph(function).as_bytes())?;
    }
    let held: Vec<&str> = functions().map(|own| &*own.mangled).collect();
    match (is_empty, kernel) {
        (false, _) => Ok(()),
        (true, Some(filter)) if !held.is_empty() => {
            let (file, held) = (file.display(), held.join(", "));
            Err(Failure::usage(format!("no function in {file} matches /{filter}/\n  it holds: {held}")))
        }
        (true, _) => {
            places(&Tools::default(), Path::new("")).find(Tool::Nvdisasm)?;
            Err(Failure::usage(format!("{} holds no machine code\n  help: give its cubin", file.display())))
        }
    }
}

/// The machine code of a report's cubins; none without nvdisasm. A cubin that it cannot read, because it is too old for
/// the chip, is told on the error stream, and its instructions stay without text.
fn listings(file: &Path, allow_damage: bool) -> Result<Vec<SassListing>, Failure> {
    let places = places(&Tools::default(), Path::new(""));
    if places.find(Tool::Nvdisasm).is_err() {
        return Ok(Vec::new());
    }
    let mut listings = Vec::new();
    for cubin in source::open_report(file, allow_damage)?.sources()?.into_iter().filter_map(|data| data.cubin) {
        match collect::disassemble(&places, &cubin) {
            Ok(made) => listings.push(listing(&made.text, &cubin, file)?),
            Err(error) => {
                say(format!("note: instructions stay without text: {error}"))?;
            }
        }
    }
    Ok(listings)
}

fn listing(disassembly: &[u8], cubin: &[u8], file: &Path) -> Result<SassListing, ReadError> {
    let mut listing = sass::read(disassembly, Origin::default(), "")?;
    source::place_lines(&mut listing, cubin, &file.display().to_string(), str::to_owned)?;
    Ok(listing)
}

/// The chosen launches of a report, instruction by instruction.
fn views(file: &Path, kernel: Option<&Regex>, allow_damage: bool) -> Result<Vec<SourceView>, Failure> {
    let held = RefCell::new(BTreeSet::new());
    let chosen = |head: &Launch| {
        let is_chosen = kernel.is_none_or(|re| re.is_match(&head.function) || re.is_match(short_name(&head.name)));
        held.borrow_mut().insert(short_name(&head.name).to_owned());
        is_chosen
    };
    let listings = listings(file, allow_damage)?;
    let listings: Vec<&SassListing> = listings.iter().collect();
    let mut views = source::read_source_views(file, &Want { allow_damage, ..Want::default() }, chosen, &listings)?;
    views.iter_mut().for_each(without_homes);
    match kernel {
        Some(filter) if views.is_empty() => {
            let held: Vec<String> = held.into_inner().into_iter().collect();
            let (file, held) = (file.display(), held.join(", "));
            Err(Failure::usage(format!("no kernel in {file} matches /{filter}/\n  it holds: {held}")))
        }
        _ => Ok(views),
    }
}
