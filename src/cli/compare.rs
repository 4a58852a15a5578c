//! `audit compare`: reports and snapshots in columns, with verdicts.

use super::args::Compare;
use super::parts::{Opened, Reading};
use super::{Failure, Status};
use crate::analysis::code::{CodeColumns, CodeFacts, code_columns};
use crate::analysis::{self, Evidence, Joined, KernelKey, Limits, Matched, Side, Verdict, Work};
use crate::render::terminal;
use crate::snapshot::{Snapshot, is_snapshot};
use crate::view;
use crate::view::Reason;
use std::collections::HashMap;
use std::io::{Read, Seek as _, Write};
use std::path::Path;

const SCHEMA: &str = "kernel-audit/compare/2";
const PRINTED: &str = "the comparison";

/// Bytes of what is said of the kernels that are held; what is more lies in a file until the summary stands above it.
const HELD: usize = 16 << 20;

/// A file whose kernels are compared: those of a profile, or that of an audit. The filter matches names of kernels, and a build
/// that nobody ran is taken as it is.
struct File<'a> {
    /// Of an audit, where the filter takes it.
    kept: Option<Side>,
    profile: Option<Opened<'a>>,
    /// What a comparison with it as the new side compares with: of a snapshot its own limits.
    limits: Limits,
}

impl<'a> File<'a> {
    fn of(path: &Path, reading: Reading<'a>) -> Result<File<'a>, Failure> {
        if is_snapshot(path) {
            let Snapshot { evidence, limits, .. } = Snapshot::read(path)?;
            let key = evidence.new.profile.as_ref().map(|profile| &profile.kernel);
            let is_taken = key.is_none_or(|key| key.is_taken(reading.filter));
            return Ok(File { kept: is_taken.then_some(evidence.new), profile: None, limits });
        }
        Ok(File { kept: None, profile: Opened::of(path, reading)?.ok(), limits: reading.limits.clone() })
    }

    fn keys(&self) -> Vec<KernelKey> {
        let kept = self.kept.iter().filter_map(|side| Some(side.profile.as_ref()?.kernel.clone()));
        kept.chain(self.profile.iter().flat_map(Opened::keys).cloned()).collect()
    }

    /// The kernels at some places of these.
    fn sides(&mut self, places: &[usize]) -> Result<HashMap<KernelKey, Side>, Failure> {
        let read = match &mut self.profile {
            Some(opened) => opened.profiles(places)?,
            None => Vec::new(),
        };
        let sides = read.into_iter().map(|profile| Evidence::of(profile).new).chain(self.kept.clone());
        Ok(sides.filter_map(|side| Some((side.profile.as_ref()?.kernel.clone(), side))).collect())
    }
}

/// A kernel that a file was said to hold, and that its launches are not of where they are read whole.
fn not_again(file: usize, kernel: &str) -> Failure {
    Failure::of(
        Status::Unreadable,
        format!(
            "file {} holds {kernel} by its list of launches, and another kernel where these are read whole\n  help: `audit show` with this file says what is in it",
            file + 1
        ),
    )
}

/// The kernels that several files share, a part after the other in the order of the first: each to `told`.
fn each_joined(
    files: &mut [File<'_>],
    keys: &[Vec<KernelKey>],
    matched: &Matched,
    mut told: impl FnMut(Joined) -> Result<(), Failure>,
) -> Result<(), Failure> {
    let beside: HashMap<usize, &[(usize, usize)]> =
        matched.joined.iter().map(|(base, others)| (*base, others.as_slice())).collect();
    let places = matched.joined.iter().map(|(base, _)| *base);
    let parts = match &files[0].profile {
        Some(opened) => opened.parts(places, files.len()),
        None => vec![places.collect()],
    };
    for part in parts {
        let mut read = Vec::new();
        for (at, file) in files.iter_mut().enumerate() {
            let others = part.iter().flat_map(|base| beside[base]);
            let own = others.filter(|(other, _)| *other == at).map(|(_, place)| *place);
            let own: Vec<usize> = if at == 0 { part.clone() } else { own.collect() };
            read.push(file.sides(&own)?);
        }
        let side = |file: usize, place: usize| {
            let key = &keys[file][place];
            read[file].get(key).ok_or_else(|| not_again(file, key.short_name()))
        };
        for base in &part {
            let beside = beside[base].iter().map(|(file, at)| Ok((*file, side(*file, *at)?, &files[*file].limits)));
            let beside: Vec<_> = beside.collect::<Result<_, Failure>>()?;
            analysis::joined(side(0, *base)?, &beside).map_or(Ok(()), &mut told)?;
        }
    }
    Ok(())
}

#[derive(serde::Serialize)]
struct PrintedCode<'a> {
    schema: &'static str,
    files: &'a [String],
    code: &'a [CodeColumns],
}

/// Compares the machine code of audits, of which one has nothing else.
fn code(arguments: &Compare, sides: &[File<'_>], files: &[String], out: &mut dyn Write) -> Result<(), Failure> {
    let codes = sides.iter().map(|file| file.kept.as_ref().map(|side| side.code.as_slice()).unwrap_or_default());
    let codes: Vec<&[CodeFacts]> = codes.collect();
    if let Some(at) = codes.iter().position(|code| code.is_empty()) {
        return Err(Failure::usage(format!(
            "{} holds no judged machine code, and another file holds nothing else\n  help: compare audits of the code with audits whose subjects name a source or a cubin",
            files[at]
        )));
    }
    let columns = code_columns(&codes);
    if arguments.json {
        let printed = serde_json::to_string_pretty(&PrintedCode { schema: SCHEMA, files, code: &columns });
        return Ok(writeln!(out, "{}", printed.map_err(Failure::unprinted(PRINTED))?)?);
    }
    let width = super::show::width(arguments.width);
    terminal::print(&view::code_side_by_side(&view::short_files(files, width), &columns), width, out)?;
    Ok(())
}

#[derive(serde::Serialize)]
struct Printed<'a> {
    schema: &'static str,
    /// The files, the old side first.
    files: &'a [String],
    /// Where the kernels come.
    joined: [(); 0],
    unmatched: serde_json::Value,
}

/// A kernel as data, each verdict with its words.
fn said(joined: &Joined) -> serde_json::Result<String> {
    let mut data = serde_json::to_value(joined)?;
    for (beside, against) in joined.against.iter().enumerate() {
        let reason = Reason::of_column(against);
        let whole = &mut data["against"][beside]["comparison"]["whole"];
        (whole["reason"], whole["cure"]) = (reason.why().into(), reason.cure().into());
        if against.comparison.whole.verdict.is_decided() {
            whole["ground"] = reason.ground().into();
        }
    }
    // A line end stands in no string of JSON.
    Ok(serde_json::to_string_pretty(&data)?.replace('\n', "\n    "))
}

/// Prints a comparison as JSON around the kernels, which are `told` already.
fn print_json(files: &[String], matched: &Matched, told: &mut impl Read, out: &mut dyn Write) -> Result<(), Failure> {
    const PLACE: &str = "\n  \"joined\": [";
    let unmatched = serde_json::to_value(&matched.unmatched).map_err(Failure::unprinted(PRINTED))?;
    let around = Printed { schema: SCHEMA, files, joined: [], unmatched };
    let around = serde_json::to_string_pretty(&around).map_err(Failure::unprinted(PRINTED))?;
    let (before, after) = around.split_once(PLACE).unwrap_or((&around, ""));
    write!(out, "{before}{PLACE}")?;
    std::io::copy(told, out)?;
    writeln!(out, "{}{after}", if matched.joined.is_empty() { "" } else { "\n  " })?;
    Ok(())
}

pub(super) fn run(arguments: &Compare, out: &mut dyn Write) -> Result<(), Failure> {
    if let [only] = arguments.files.as_slice() {
        let only = only.display();
        return Err(Failure::usage(format!(
            "compare takes two files or more, and got one: {only}\n  help: name the old side first, `audit compare OLD {only}`; for one file alone, `audit show {only}`"
        )));
    }
    let filter = |at: usize| match (at, &arguments.baseline_kernel) {
        (0, Some(old)) => Some(old),
        _ => arguments.kernel.as_ref(),
    };
    let (work, limits) = (Work::default(), Limits::default());
    let (mut sides, mut keys) = (Vec::new(), Vec::new());
    for (at, path) in arguments.files.iter().enumerate() {
        let allow_damage = arguments.allow_damage;
        let reading = Reading { filter: filter(at), allow_damage, by_instruction: false, work: &work, limits: &limits };
        let file = File::of(path, reading)?;
        let mut own = file.keys();
        if arguments.baseline_kernel.is_some() {
            own.truncate(1);
        }
        keys.push(own);
        sides.push(file);
    }
    let files: Vec<String> =
        arguments.files.iter().map(|path| analysis::without_home(&path.display().to_string())).collect();
    if sides.iter().filter_map(|file| file.kept.as_ref()).any(|side| side.profile.is_none()) {
        return code(arguments, &sides, &files, out);
    }
    let matched = analysis::matched(&keys);
    if keys.iter().all(Vec::is_empty) {
        let filter = arguments.kernel.as_ref().map_or(String::new(), |filter| format!(" that matches /{filter}/"));
        return Err(Failure::usage(format!(
            "no file holds a kernel{filter}\n  help: `audit show FILE` lists the kernels"
        )));
    }
    let width = super::show::width(arguments.width);
    let mut page = view::SideBySide::of(view::short_files(&files, width));
    let mut verdicts = Vec::new();
    // The summary stands above what is said of each kernel, and of thousands that is more than their numbers.
    let mut told = tempfile::spooled_tempfile(HELD);
    each_joined(&mut sides, &keys, &matched, |joined| {
        if arguments.json {
            let comma = if verdicts.is_empty() { "" } else { "," };
            write!(told, "{comma}\n    {}", said(&joined).map_err(Failure::unprinted(PRINTED))?)?;
        } else {
            terminal::print_section(&page.section(&joined), width, &mut told)?;
        }
        verdicts.extend(joined.against.iter().map(|against| against.comparison.whole.verdict));
        Ok(())
    })?;
    told.rewind()?;
    if arguments.json {
        print_json(&files, &matched, &mut told, out)?;
    } else {
        let alone = page.alone(&matched.unmatched);
        terminal::print(&page.head(), width, out)?;
        std::io::copy(&mut told, out)?;
        alone.map_or(Ok(()), |section| terminal::print_section(&section, width, out))?;
    }
    status(&verdicts).filter(|_| arguments.exit_code).map_or(Ok(()), |status| Err(Failure::verdict(status)))
}

/// The status that comparisons end with where that is asked for: the gravest counts, and nothing joined decides nothing.
fn status(verdicts: &[Verdict]) -> Option<Status> {
    let is_decided = |verdict: &Verdict| matches!(verdict, Verdict::Faster | Verdict::Same);
    if verdicts.iter().any(|verdict| matches!(verdict, Verdict::Slower | Verdict::Wrong)) {
        return Some(Status::Findings);
    }
    (verdicts.is_empty() || !verdicts.iter().all(is_decided)).then_some(Status::Inconclusive)
}
