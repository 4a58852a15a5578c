//! `audit compare`: reports and snapshots in columns, with verdicts.

use super::args::Compare;
use super::baseline::is_snapshot;
use super::failure::Failure;
use crate::analysis::code::{CodeAudit, CodeColumns, code_columns};
use crate::analysis::{self, Limits, Old, Selection};
use crate::evidence::{Report, Want};
use crate::render::terminal;
use crate::snapshot::{Snapshot, StaticSnapshot};
use crate::{source, view};
use std::io::Write;
use std::path::Path;

/// What the JSON's `schema` says.
const SCHEMA: &str = "kernel-audit/compare/1";

enum Profile {
    Report(Box<Report>),
    Snapshot(Box<Snapshot>),
    /// An audit of the code alone.
    Code(Box<StaticSnapshot>),
}

impl Profile {
    fn read(path: &Path, want: &Want) -> Result<Profile, Failure> {
        Ok(if !is_snapshot(path) {
            Profile::Report(Box::new(source::read_profile(path, want)?))
        } else if StaticSnapshot::is_said_by(path)? {
            Profile::Code(Box::new(StaticSnapshot::read(path)?))
        } else {
            Profile::Snapshot(Box::new(Snapshot::read(path)?))
        })
    }

    /// The builds that an audit judged; none for a report.
    fn code(&self) -> &[CodeAudit] {
        match self {
            Profile::Report(_) => &[],
            Profile::Snapshot(snapshot) => &snapshot.audit.code,
            Profile::Code(snapshot) => &snapshot.audit.code,
        }
    }
}

/// The JSON of a comparison of builds.
#[derive(serde::Serialize)]
struct PrintedCode<'a> {
    schema: &'static str,
    /// The files.
    files: &'a [String],
    code: &'a [CodeColumns],
}

/// Compares the machine code of audits, of which one has nothing else.
fn code(arguments: &Compare, profiles: &[Profile], files: &[String], out: &mut dyn Write) -> Result<(), Failure> {
    if let Some(at) = profiles.iter().position(|profile| profile.code().is_empty()) {
        return Err(Failure::usage(format!(
            "{} holds no judged machine code, and another file holds nothing else\n  help: compare audits of the code with audits whose subjects name a source or a cubin",
            files[at]
        )));
    }
    let codes: Vec<&[CodeAudit]> = profiles.iter().map(Profile::code).collect();
    let columns = code_columns(&codes);
    if arguments.json {
        return json(&PrintedCode { schema: SCHEMA, files, code: &columns }, out);
    }
    terminal::print(&view::code_side_by_side(files, &columns), super::show::width(arguments.width), out)?;
    Ok(())
}

fn json(value: &impl serde::Serialize, out: &mut dyn Write) -> Result<(), Failure> {
    let text = serde_json::to_string_pretty(value)
        .map_err(|error| Failure::usage(format!("the comparison cannot be printed as JSON: {error}")))?;
    writeln!(out, "{text}")?;
    Ok(())
}

/// The JSON of a comparison.
#[derive(serde::Serialize)]
struct Printed<'a> {
    schema: &'static str,
    /// The files, the old side first.
    files: &'a [String],
    #[serde(flatten)]
    columns: &'a analysis::Columns,
}

pub(super) fn run(arguments: &Compare, out: &mut dyn Write) -> Result<(), Failure> {
    if let [only] = arguments.files.as_slice() {
        let only = only.display();
        return Err(Failure::usage(format!(
            "compare takes two files or more, and got one: {only}\n  help: name the old side first, `audit compare OLD {only}`; for one file alone, `audit show {only}`"
        )));
    }
    let want = analysis::want();
    let profiles =
        arguments.files.iter().map(|path| Profile::read(path, &want)).collect::<Result<Vec<_>, Failure>>()?;
    let files: Vec<String> =
        arguments.files.iter().map(|path| analysis::without_home(&path.display().to_string())).collect();
    if profiles.iter().any(|profile| matches!(profile, Profile::Code(_))) {
        return code(arguments, &profiles, &files, out);
    }
    let sides: Vec<Old<'_>> = profiles
        .iter()
        .filter_map(|profile| match profile {
            Profile::Report(report) => Some(Old::Report(report.as_ref())),
            Profile::Snapshot(snapshot) => Some(Old::Audit(&snapshot.audit)),
            Profile::Code(_) => None,
        })
        .collect();
    let selection = Selection { kernel: arguments.kernel.clone(), baseline_kernel: None };
    let columns = analysis::columns(&sides, &selection, &Limits::default());
    if columns.joined.is_empty() && columns.unmatched.is_empty() {
        let filter = arguments.kernel.as_ref().map_or(String::new(), |filter| format!(" that matches /{filter}/"));
        return Err(Failure::usage(format!(
            "no file holds a kernel{filter}\n  help: `audit show FILE` lists the kernels"
        )));
    }
    if arguments.json {
        return json(&Printed { schema: SCHEMA, files: &files, columns: &columns }, out);
    }
    let width = super::show::width(arguments.width);
    terminal::print(&view::side_by_side(&files, &columns), width, out)?;
    Ok(())
}
