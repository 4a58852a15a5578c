//! `audit show`: files as tables on the terminal, or as JSON.

use super::args::Show;
use super::{Failure, parts};
use crate::analysis::{
    self, Audit, Evidence, Limits, Reduction, Selection, SelectionError, Standing, Work, audit, short_name,
};
use crate::evidence::{BuildLog, Want};
use crate::render::terminal;
use crate::snapshot::{Snapshot, is_snapshot};
use crate::source::{self, Profile, ReadError};
use crate::view::{self, Document, Heading};
use serde_json::{Value, json};
use std::io::Write;
use std::path::Path;

/// Columns when neither the user nor the terminal says.
pub(super) const WIDTH: usize = 80;

const SCHEMA: &str = "kernel-audit/show/9";

enum Shown {
    /// A profile, or a snapshot.
    Audit(Box<(Heading, Audit)>),
    Log(Box<BuildLog>),
}

pub(super) fn run(arguments: &Show, out: &mut dyn Write) -> Result<(), Failure> {
    let all: Vec<Shown> = arguments.files.iter().map(|file| shown(file, arguments)).collect::<Result<_, _>>()?;
    if arguments.json {
        let files: Vec<Value> = arguments.files.iter().zip(&all).map(|(file, one)| printed(file, one)).collect();
        let value = json!({ "schema": SCHEMA, "files": files });
        writeln!(out, "{value:#}")?;
        return Ok(());
    }
    let width = width(arguments.width);
    for (at, (file, one)) in arguments.files.iter().zip(&all).enumerate() {
        if at > 0 {
            writeln!(out)?;
        }
        let title = file.display().to_string();
        let document = match one {
            Shown::Audit(made) => view::document(&made.0, &made.1),
            Shown::Log(log) => view::build_log(log),
        };
        let is_whole = arguments.all || matches!(one, Shown::Log(_));
        let document = if is_whole { document } else { document.first_screen() };
        terminal::print(&Document { title, ..document }, width, out)?;
        if !is_whole {
            writeln!(out, "\n`audit show --all` prints every table.")?;
        }
    }
    Ok(())
}

/// An audit with what is known of its results; where they are wrong, nothing that limits a kernel is said of it.
fn judged(audit: &Audit) -> Value {
    let mut value = json!(audit);
    value["standing"] = json!(audit.standing());
    if audit.standing() == Standing::Wrong {
        value["now"]["bottleneck"] = Value::Null;
        value["now"]["findings"] = json!([]);
    }
    value
}

fn printed(file: &Path, one: &Shown) -> Value {
    let file = analysis::without_home(&file.display().to_string());
    match one {
        Shown::Audit(made) => {
            let kind = if made.1.is_of_code_alone() { "static-audit" } else { "audit" };
            json!({ "file": file, "kind": kind, "audit": judged(&made.1) })
        }
        Shown::Log(log) => json!({ "file": file, "kind": "build-log", "build_log": log }),
    }
}

/// The columns to print in: as given, else what the terminal says.
pub(super) fn width(given: Option<usize>) -> usize {
    let from_terminal = || std::env::var("COLUMNS").ok()?.parse().ok();
    given.or_else(from_terminal).unwrap_or(WIDTH)
}

fn shown(file: &Path, arguments: &Show) -> Result<Shown, Failure> {
    let filter = arguments.kernel.as_ref();
    let none_of = |available: Vec<String>| -> Failure {
        let filter = filter.map(|filter| format!("/{filter}/")).unwrap_or_default();
        SelectionError { path: file.display().to_string(), filter, available }.into()
    };
    if is_snapshot(file) {
        if arguments.allow_damage {
            return Err(Failure::usage(format!(
                "{} is a snapshot, which is whole or refused\n  help: leave --allow-damage out; it reads what is left of a report",
                file.display()
            )));
        }
        let snapshot = Snapshot::read(file)?;
        let audit = snapshot.audit();
        let key = &audit.now.artefact.kernel;
        if !key.is_taken(filter) {
            return Err(none_of(vec![key.short_name().to_owned()]));
        }
        return Ok(Shown::Audit(Box::new((snapshot.heading, audit))));
    }
    let want = Want { allow_damage: arguments.allow_damage, ..analysis::want() };
    let mut profile = match Profile::open(file, want.allow_damage) {
        Ok(profile) => profile,
        Err(error @ ReadError::WrongKind { .. }) => {
            let mut log = source::read_build_log(file).map_err(|_| error)?;
            let mut names: Vec<String> = log.records.iter().map(|own| short_name(&own.demangled).to_owned()).collect();
            log.records.retain(|own| filter.is_none_or(|re| re.is_match(short_name(&own.demangled))));
            names.dedup();
            if log.records.is_empty() && !names.is_empty() {
                return Err(none_of(names));
            }
            return Ok(Shown::Log(Box::new(log)));
        }
        Err(error) => return Err(error.into()),
    };
    let selection = Selection { kernel: arguments.kernel.clone(), baseline_kernel: None };
    let report = profile.read_chosen(&want, analysis::brief(), |report| analysis::page_rows(report, &selection))?;
    let source = parts::page_views(&mut profile, &report, &selection, arguments.allow_damage, &[])?;
    let (work, limits) = (Work::default(), Limits::default());
    let with = Reduction { source: &source, work: &work, limits: &limits };
    let kernel = analysis::Profile::subject(&report, arguments.kernel.as_ref(), &with)?;
    // What is shown is pasted into issues and logs.
    let evidence = Evidence::of(kernel.beside_others(&report, &with)).made_public();
    let audit = audit(&evidence, &limits);
    Ok(Shown::Audit(Box::new((Heading::default(), audit))))
}
