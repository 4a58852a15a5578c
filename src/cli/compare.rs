//! `audit compare`: reports and snapshots in columns, with verdicts.

use super::args::Compare;
use super::baseline::is_snapshot;
use super::failure::{Failure, Status};
use super::parts::{Reading, each_kernel};
use crate::analysis::code::{CodeColumns, CodeFacts, code_columns};
use crate::analysis::{self, Column, Evidence, Limits, Side, Verdict, Work};
use crate::render::terminal;
use crate::snapshot::Snapshot;
use crate::view;
use crate::view::Reason;
use regex::Regex;
use std::io::Write;
use std::path::Path;

/// What the JSON's `schema` says.
const SCHEMA: &str = "kernel-audit/compare/2";

/// The kernels of a file that the filter takes: those of a report, or that of an audit. The filter matches names of kernels, and a build
/// that nobody ran is taken as it is.
fn read(path: &Path, kernel: Option<&Regex>, allow_damage: bool) -> Result<Column, Failure> {
    let is_taken = |side: &Side| {
        let profile = side.profile.as_ref().map(|profile| &profile.kernel);
        profile.is_none_or(|key| key.is_taken(kernel))
    };
    if is_snapshot(path) {
        let snapshot = Snapshot::read(path)?;
        let kernels = vec![snapshot.evidence.new].into_iter().filter(is_taken).collect();
        return Ok(Column { kernels, limits: snapshot.limits });
    }
    let (work, limits) = (Work::default(), Limits::default());
    let reading = Reading { filter: kernel, allow_damage, by_instruction: false, work: &work, limits: &limits };
    let mut kernels = Vec::new();
    each_kernel(path, &reading, |profile| {
        kernels.push(Evidence::of(profile).new);
        Ok(())
    })?;
    Ok(Column { kernels, limits })
}

/// The JSON of a comparison of builds.
#[derive(serde::Serialize)]
struct PrintedCode<'a> {
    schema: &'static str,
    files: &'a [String],
    code: &'a [CodeColumns],
}

/// Compares the machine code of audits, of which one has nothing else.
fn code(arguments: &Compare, sides: &[Column], files: &[String], out: &mut dyn Write) -> Result<(), Failure> {
    let codes: Vec<&[CodeFacts]> =
        sides.iter().map(|file| file.kernels.first().map(|side| side.code.as_slice()).unwrap_or_default()).collect();
    if let Some(at) = codes.iter().position(|code| code.is_empty()) {
        return Err(Failure::usage(format!(
            "{} holds no judged machine code, and another file holds nothing else\n  help: compare audits of the code with audits whose subjects name a source or a cubin",
            files[at]
        )));
    }
    let columns = code_columns(&codes);
    if arguments.json {
        return json(&PrintedCode { schema: SCHEMA, files, code: &columns }, out);
    }
    let width = super::show::width(arguments.width);
    terminal::print(&view::code_side_by_side(&view::short_files(files, width), &columns), width, out)?;
    Ok(())
}

fn json(value: &impl serde::Serialize, out: &mut dyn Write) -> Result<(), Failure> {
    let text = serde_json::to_string_pretty(value).map_err(|error| not_json(&error))?;
    writeln!(out, "{text}")?;
    Ok(())
}

fn not_json(error: &serde_json::Error) -> Failure {
    Failure::usage(format!("the comparison cannot be printed as JSON: {error}"))
}

#[derive(serde::Serialize)]
struct Printed<'a> {
    schema: &'static str,
    /// The files, the old side first.
    files: &'a [String],
    #[serde(flatten)]
    columns: serde_json::Value,
}

/// The verdicts as data, each with its words.
fn said(columns: &analysis::Columns) -> serde_json::Result<serde_json::Value> {
    let mut data = serde_json::to_value(columns)?;
    for (at, joined) in columns.joined.iter().enumerate() {
        for (beside, against) in joined.against.iter().enumerate() {
            let reason = Reason::of_column(against);
            let whole = &mut data["joined"][at]["against"][beside]["comparison"]["whole"];
            (whole["reason"], whole["cure"]) = (reason.why().into(), reason.cure().into());
            if against.comparison.whole.verdict.is_decided() {
                whole["ground"] = reason.ground().into();
            }
        }
    }
    Ok(data)
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
    let mut sides: Vec<Column> = Vec::new();
    for (at, path) in arguments.files.iter().enumerate() {
        let mut file = read(path, filter(at), arguments.allow_damage)?;
        if arguments.baseline_kernel.is_some() {
            file.kernels.truncate(1);
        }
        sides.push(file);
    }
    let files: Vec<String> =
        arguments.files.iter().map(|path| analysis::without_home(&path.display().to_string())).collect();
    if sides.iter().flat_map(|file| &file.kernels).any(|side| side.profile.is_none()) {
        return code(arguments, &sides, &files, out);
    }
    let columns = analysis::columns(&sides);
    // Of thousands of kernels the numbers are as large as what is said of them.
    drop(sides);
    if columns.joined.is_empty() && columns.unmatched.is_empty() {
        let filter = arguments.kernel.as_ref().map_or(String::new(), |filter| format!(" that matches /{filter}/"));
        return Err(Failure::usage(format!(
            "no file holds a kernel{filter}\n  help: `audit show FILE` lists the kernels"
        )));
    }
    if arguments.json {
        let columns = said(&columns).map_err(|error| not_json(&error))?;
        json(&Printed { schema: SCHEMA, files: &files, columns }, out)?;
    } else {
        let width = super::show::width(arguments.width);
        terminal::print(&view::side_by_side(&view::short_files(&files, width), &columns), width, out)?;
    }
    status(&columns).filter(|_| arguments.exit_code).map_or(Ok(()), |status| Err(Failure::verdict(status)))
}

/// The status that comparisons end with where that is asked for: the gravest counts, and nothing joined decides nothing.
fn status(columns: &analysis::Columns) -> Option<Status> {
    let verdicts = || columns.joined.iter().flat_map(|joined| &joined.against).map(|one| one.comparison.whole.verdict);
    let is_decided = |verdict: Verdict| matches!(verdict, Verdict::Faster | Verdict::Same);
    if verdicts().any(|verdict| matches!(verdict, Verdict::Slower | Verdict::Wrong)) {
        return Some(Status::Findings);
    }
    (verdicts().count() == 0 || !verdicts().all(is_decided)).then_some(Status::Inconclusive)
}
