//! `audit compare`: reports and snapshots in columns, with verdicts.

use super::args::Compare;
use super::baseline::is_snapshot;
use super::failure::Failure;
use crate::analysis::{self, Limits, Old, Selection};
use crate::evidence::Report;
use crate::render::terminal;
use crate::snapshot::Snapshot;
use crate::{source, view};
use std::io::Write;

/// What the JSON's `schema` says.
const SCHEMA: &str = "kernel-audit/compare/1";

enum Profile {
    Report(Report),
    Snapshot(Box<Snapshot>),
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
    let want = analysis::want();
    let mut profiles = Vec::new();
    for path in &arguments.files {
        profiles.push(if is_snapshot(path) {
            Profile::Snapshot(Box::new(Snapshot::read(path)?))
        } else {
            Profile::Report(source::read_profile(path, &want)?)
        });
    }
    let sides: Vec<Old<'_>> = profiles
        .iter()
        .map(|profile| match profile {
            Profile::Report(report) => Old::Report(report),
            Profile::Snapshot(snapshot) => Old::Audit(&snapshot.audit),
        })
        .collect();
    let selection = Selection { kernel: arguments.kernel.clone(), baseline_kernel: None };
    let columns = analysis::columns(&sides, &selection, &Limits::default());
    let files: Vec<String> =
        arguments.files.iter().map(|path| analysis::without_home(&path.display().to_string())).collect();
    if columns.joined.is_empty() && columns.unmatched.is_empty() {
        let filter = arguments.kernel.as_ref().map_or(String::new(), |filter| format!(" that matches /{filter}/"));
        return Err(Failure::usage(format!(
            "no file holds a kernel{filter}\n  help: `audit show FILE` lists the kernels"
        )));
    }
    if arguments.json {
        let printed = Printed { schema: SCHEMA, files: &files, columns: &columns };
        let text = serde_json::to_string_pretty(&printed)
            .map_err(|error| Failure::usage(format!("the comparison cannot be printed as JSON: {error}")))?;
        writeln!(out, "{text}")?;
        return Ok(());
    }
    let width = super::show::width(arguments.width);
    terminal::print(&view::side_by_side(&files, &columns), width, out)?;
    Ok(())
}
