//! The run of the program: arguments in, exit status out.

use super::args::{Arguments, BaselineVerb, Folder, Note, Verb};
use super::{
    Failure, Status, baseline, check, collect, compare, doctor, dump, explain, generate, history, init, launch, lint,
    manual, plan, render, resolve, show, timeline,
};
use crate::plain::Screen;
use clap::Parser;
use std::ffi::OsString;
use std::io::{BufWriter, Write};
use std::path::PathBuf;
use std::process::ExitCode;

/// Runs the program with the process's arguments and gives its exit status.
///
/// Colours go to terminals only and obey `NO_COLOR`. When nobody reads the output any more, the run ends quietly.
pub fn run() -> ExitCode {
    // SAFETY: it is called with numbers, before any other thread. The heap then grows by 256 KB in place of 132, and that of
    // a thread in place of a page, each time with every page fault of the process waiting.
    #[cfg(all(target_os = "linux", target_env = "gnu"))]
    unsafe {
        libc::mallopt(libc::M_TOP_PAD, 256 << 10)
    };
    run_with(std::env::args_os()).into()
}

/// The same with the arguments of a host that this program is a part of, its name first, and the exit status as it is.
pub fn run_with<A: Into<OsString> + Clone>(arguments: impl IntoIterator<Item = A>) -> Status {
    let arguments = match Arguments::try_parse_from(arguments) {
        Ok(arguments) => arguments,
        Err(error) => {
            // Nothing is left to do where not even the help can be printed.
            let _ = error.print();
            return if error.use_stderr() { Status::Usage } else { Status::Done };
        }
    };
    let mut out = Screen::new(BufWriter::new(anstream::stdout().lock()));
    let result = perform(arguments.verb, &mut out).and_then(|()| Ok(out.flush()?));
    let Err(failure) = result else { return Status::Done };
    // What was printed before the failure is still wanted; a failure to print it cannot be told better than this one.
    let _ = out.flush();
    if !failure.report().is_empty() {
        let _ = Screen::new(anstream::stderr()).write_all(format!("{}\n", failure.report()).as_bytes());
    }
    failure.status()
}

/// Runs a verb inside another program: its exit status, what it prints, and the error in words. `arguments` begin with the
/// program's name.
pub fn call<A: Into<OsString> + Clone>(arguments: impl IntoIterator<Item = A>) -> (Status, Vec<u8>, String) {
    let arguments = match Arguments::try_parse_from(arguments) {
        Ok(arguments) => arguments,
        Err(error) => return (Status::Usage, Vec::new(), error.render().to_string()),
    };
    let mut out = Vec::new();
    let Err(failure) = perform(arguments.verb, &mut Screen::new(&mut out)) else {
        return (Status::Done, out, String::new());
    };
    (failure.status(), out, anstream::adapter::strip_str(failure.report()).to_string())
}

fn perform(mut verb: Verb, out: &mut dyn Write) -> Result<(), Failure> {
    enter(&mut verb)?;
    match verb {
        Verb::Init(arguments) => init::run(&arguments, out),
        Verb::Generate(arguments) => generate::run(*arguments, out),
        Verb::Render(arguments) => render::run(&arguments, out),
        Verb::Baseline(arguments) => baseline::run(&arguments, out),
        Verb::Compare(arguments) => compare::run(&arguments, out),
        Verb::Check(arguments) => check::run(&arguments, out),
        Verb::History(arguments) => history::run(&arguments, out),
        Verb::Resolve(arguments) => resolve::run(&arguments, out),
        Verb::Launch(arguments) => launch::run(&arguments, out),
        Verb::Show(arguments) => show::run(&arguments, out),
        Verb::Timeline(arguments) => timeline::run(&arguments, out),
        Verb::Dump(arguments) => dump::run(&arguments, out),
        Verb::Collect(arguments) => collect::run(&arguments, out),
        Verb::Completions(arguments) => manual::completions(&arguments, out),
        Verb::Man(arguments) => manual::man(&arguments, out),
        Verb::Doctor(arguments) => doctor::run(&arguments, out),
        Verb::Explain(arguments) => explain::run(&arguments, out),
        Verb::Lint(arguments) => lint::run(&arguments, out),
    }
}

/// The configuration file that is named, and the paths as the user wrote them.
fn of_folder<'p>(folder: &'p mut Folder, beside: Option<&'p mut PathBuf>) -> (Option<PathBuf>, Vec<&'p mut PathBuf>) {
    (folder.config.clone(), beside.into_iter().chain(&mut folder.out).collect())
}

/// Goes to the folder of audit.toml for the verbs that read one.
fn enter(verb: &mut Verb) -> Result<(), Failure> {
    let (config, paths) = match verb {
        // A report alone needs no file.
        Verb::Generate(given) if given.subjects.is_empty() && given.subject.report.is_some() => return Ok(()),
        Verb::Generate(given) => (given.config.clone(), given.paths()),
        Verb::Check(given) => of_folder(&mut given.folder, given.junit.as_mut()),
        Verb::Baseline(given) => match &mut given.verb {
            BaselineVerb::Pin(pin) => of_folder(&mut pin.note.folder, pin.snapshot.as_mut()),
            BaselineVerb::Unpin(Note { folder, .. }) | BaselineVerb::List(folder) => of_folder(folder, None),
        },
        Verb::History(given) => of_folder(&mut given.folder, None),
        Verb::Resolve(given) => of_folder(&mut given.folder, None),
        Verb::Launch(given) => {
            let paths = [&mut given.cubin, &mut given.json_to, &mut given.benchmark];
            (given.config.clone(), paths.into_iter().flatten().collect())
        }
        Verb::Collect(given) => (given.config.clone(), given.evidence.iter_mut().collect()),
        Verb::Lint(given) => {
            let templates = given.template_files.iter_mut().map(|one| &mut one.file);
            (given.config.clone(), given.templates.iter_mut().chain(templates).collect())
        }
        Verb::Doctor(given) => (given.config.clone(), Vec::new()),
        Verb::Completions(given) if given.subjects => (None, Vec::new()),
        _ => return Ok(()),
    };
    plan::enter(config.as_deref(), paths)
}
