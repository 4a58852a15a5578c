//! The run of the program: arguments in, exit status out.

use super::args::{Arguments, Verb};
use super::failure::{Failure, Status};
use super::{
    baseline, check, collect, compare, doctor, dump, explain, generate, history, launch, lint, manual, render, show,
    timeline,
};
use clap::Parser;
use std::io::{BufWriter, Write};
use std::process::ExitCode;

/// Runs the program with the process's arguments and gives its exit status.
///
/// Colours go to terminals only and obey `NO_COLOR`. When nobody reads the output any more, the run ends quietly.
pub fn run() -> ExitCode {
    let arguments = match Arguments::try_parse() {
        Ok(arguments) => arguments,
        Err(error) => {
            // Nothing is left to do where not even the help can be printed.
            let _ = error.print();
            return if error.use_stderr() { Status::Usage.into() } else { Status::Done.into() };
        }
    };
    let mut out = BufWriter::new(anstream::stdout().lock());
    let result = perform(arguments.verb, &mut out).and_then(|()| Ok(out.flush()?));
    let Err(failure) = result else { return Status::Done.into() };
    // What was printed before the failure is still wanted; a failure to print it cannot be told better than this one.
    let _ = out.flush();
    if !failure.report().is_empty() {
        let _ = writeln!(anstream::stderr(), "{}", failure.report());
    }
    failure.status().into()
}

fn perform(verb: Verb, out: &mut dyn Write) -> Result<(), Failure> {
    match verb {
        Verb::Generate(arguments) => generate::run(*arguments, out),
        Verb::Render(arguments) => render::run(&arguments, out),
        Verb::Baseline(arguments) => baseline::run(&arguments, out),
        Verb::Compare(arguments) => compare::run(&arguments, out),
        Verb::Check(arguments) => check::run(&arguments, out),
        Verb::History(arguments) => history::run(&arguments, out),
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
