//! `audit collect`: run NVIDIA's tools on subjects and keep what they write.

use super::args::Collect;
use super::code::places;
use super::plan::config_at;
use super::requests::{Place, context, requests};
use super::task::Attempt;
use super::{Failure, Status, array, progress, requests, say};
use crate::collect::{self, CollectError, Interrupt, Machine, Request, Summary, files};
use crate::config::Subject;
use std::collections::BTreeSet;
use std::io::Write;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

pub(super) fn run(arguments: &Collect, out: &mut dyn Write) -> Result<(), Failure> {
    let (path, config) = config_at(arguments.config.as_ref())?;
    let every = || config.subjects.iter().map(|subject| subject.name.to_string()).collect();
    let names: Vec<String> = if arguments.all { every() } else { arguments.subjects.clone() };
    let subjects: Vec<&Subject> = config.named(&requests::subjects(&names))?;
    if let (Some(_), [_, _, ..]) = (&arguments.evidence, subjects.as_slice()) {
        return Err(Failure::usage(
            "--evidence names the folder of one subject\n  help: name one subject, or use the key `evidence` of each",
        ));
    }
    let place = Place { project: &config.folder, config: Some(&path), tools: &config.tools };
    let requests = requests(&subjects, &place, arguments)?;
    if arguments.lint {
        return Ok(());
    }
    if arguments.slurm {
        return array::run(&requests, &place, &config.slurm.options, arguments, &interruptible()?, out);
    }
    let machine = Machine::look(|name| std::env::var_os(name));
    if arguments.dry_run {
        return plan(&requests, &place, &machine, out);
    }
    let attempts: Vec<Attempt> = match &arguments.task {
        Some(folder) => requests.iter().map(|request| Attempt::begin(folder, &request.subject)).collect(),
        None => Vec::new(),
    };
    let ended = perform(&requests, &place, &machine, arguments, out).and_then(|made| made.failure.map_or(Ok(()), Err));
    attempts.into_iter().for_each(|attempt| attempt.end(ended.as_ref().err()));
    ended
}

/// Which subjects have no profile after a collection.
#[derive(Default)]
pub(super) struct Outcome {
    lost: BTreeSet<String>,
    collected: BTreeSet<String>,
    /// Why, when there are any.
    pub(super) failure: Option<Failure>,
}

impl Outcome {
    /// Whether the profile of a subject was to be made and was not.
    pub(super) fn is_lost(&self, subject: &Subject) -> bool {
        self.lost.contains(subject.name.as_str())
    }

    /// Whether a subject has a profile that this run made or found in its evidence folder.
    pub(super) fn has(&self, subject: &Subject) -> bool {
        self.collected.contains(subject.name.as_str())
    }
}

/// Collects the subjects of a plan for `audit generate --collect`.
pub(super) fn for_pages(
    subjects: &[Subject],
    place: &Place<'_>,
    arguments: &Collect,
    out: &mut dyn Write,
) -> Result<Outcome, Failure> {
    let subjects: Vec<&Subject> = subjects.iter().collect();
    let requests = requests(&subjects, place, arguments)?;
    let machine = Machine::look(|name| std::env::var_os(name));
    if arguments.dry_run {
        plan(&requests, place, &machine, out)?;
        return Ok(Outcome::default());
    }
    perform(&requests, place, &machine, arguments, out)
}

fn plan(requests: &[Request], place: &Place<'_>, machine: &Machine, out: &mut dyn Write) -> Result<(), Failure> {
    let (places, progress, gpu) = (places(place.tools, place.project), progress::of(true), Mutex::new(()));
    let context = context(&places, machine, progress.as_ref(), &gpu);
    for request in requests {
        let names: Vec<&str> = request.names().collect();
        writeln!(out, "\x1b[1m{}\x1b[0m into {}", names.join(", "), request.evidence.display())?;
        for (step, command) in collect::planned(request, &context)? {
            writeln!(out, "  {step}: {command}")?;
        }
        if let Some(setback) = machine.setback().filter(|_| request.behind().is_empty()) {
            writeln!(out, "  here this would fail: {}", setback.what)?;
        }
    }
    Ok(())
}

fn perform(
    requests: &[Request],
    place: &Place<'_>,
    machine: &Machine,
    arguments: &Collect,
    out: &mut dyn Write,
) -> Result<Outcome, Failure> {
    // What every subject would fail on is said once.
    if let Some(setback) = machine.setback().filter(|_| requests.iter().all(|request| request.behind().is_empty())) {
        return Err(CollectError::Setback(setback).into());
    }
    let interrupt = interruptible()?;
    let progress = progress::of(arguments.quiet);
    let (next, gpu) = (AtomicUsize::new(0), Mutex::new(()));
    let (results, in_use) = (Mutex::new(Vec::new()), Mutex::new(Vec::new()));
    let work = || {
        let mut places = places(place.tools, place.project);
        places.interrupt = interrupt.clone();
        let mut context = context(&places, machine, progress.as_ref(), &gpu);
        loop {
            // What another run collects just now comes last: then its evidence is there, and is kept.
            let own = requests.get(next.fetch_add(1, Ordering::Relaxed)).map(|request| (request, Instant::now()));
            let waiting = || in_use.lock().unwrap_or_else(PoisonError::into_inner).pop();
            let Some((request, since)) = own.or_else(waiting) else { return };
            context.patience = if own.is_none() { Duration::from_millis(500) } else { Duration::ZERO };
            let result = collect::collect(request, &context);
            let may_wait = arguments.all && !interrupt.is_set() && since.elapsed() < request.keys().timeout;
            if may_wait && matches!(result, Err(CollectError::InUse { .. })) {
                in_use.lock().unwrap_or_else(PoisonError::into_inner).push((request, since));
                continue;
            }
            let is_over = matches!(result, Err(CollectError::Interrupted));
            results.lock().unwrap_or_else(PoisonError::into_inner).push((request, result));
            if is_over {
                return;
            }
        }
    };
    std::thread::scope(|scope| {
        for _ in 1..arguments.jobs.unwrap_or(1).min(requests.len()) {
            scope.spawn(work);
        }
        work();
    });
    let results = results.into_inner().unwrap_or_else(PoisonError::into_inner);
    told(results, out)
}

/// Says where everything lies and what is missing. Without its profile a subject has failed; any other step that is
/// missing is said here and on the page.
fn told(results: Vec<(&Request, Result<Summary, CollectError>)>, out: &mut dyn Write) -> Result<Outcome, Failure> {
    let (mut lost, mut collected, mut failures) = (BTreeSet::new(), BTreeSet::new(), Vec::new());
    let mut status = None;
    for (request, result) in results {
        let summary = match result {
            Ok(summary) => summary,
            Err(CollectError::Interrupted) => return Err(CollectError::Interrupted.into()),
            Err(error) => {
                lost.extend(request.names().map(str::to_owned));
                failures.push(format!("{}: {error}", request.subject));
                let own = Failure::from(error).status();
                status = Some(status.filter(|known| *known != own).map_or(own, |_| Status::Tool));
                continue;
            }
        };
        writeln!(out, "{}", request.evidence.display())?;
        collected.extend(request.names().map(str::to_owned));
        for (step, setback) in summary.missed() {
            let line = format!("{} {step}: {setback}", request.subject);
            if step == files::PROFILE.0 {
                collected.retain(|name| !request.names().any(|own| own == name));
                lost.extend(request.names().map(str::to_owned));
                failures.push(line);
                status = Some(Status::Tool);
            } else {
                say(format!("not measured: {line}"))?;
            }
        }
    }
    let failure = (!failures.is_empty()).then(|| Failure::of(status.unwrap_or(Status::Tool), failures.join("\n  ")));
    Ok(Outcome { lost, collected, failure })
}

/// A wish to stop that Ctrl-C and the signal to end set; the second Ctrl-C ends the program at once.
fn interruptible() -> Result<Interrupt, Failure> {
    let interrupt = Interrupt::default();
    let refused = |source| CollectError::Io { doing: "listen to Ctrl-C".into(), source };
    for signal in [signal_hook::consts::SIGINT, signal_hook::consts::SIGTERM] {
        let status = Status::Interrupted as i32;
        signal_hook::flag::register_conditional_shutdown(signal, status, interrupt.flag()).map_err(refused)?;
        signal_hook::flag::register(signal, interrupt.flag()).map_err(refused)?;
    }
    Ok(interrupt)
}
