//! `audit collect`: run NVIDIA's tools on subjects and keep what they write.

use super::args::Collect;
use super::array;
use super::code::places;
use super::failure::{Failure, Status};
use super::launcher::{self, Folders};
use super::plan::DEFAULT_CONFIG;
use super::progress;
use super::task::Attempt;
use super::variants;
use crate::analysis::public_command;
use crate::catalog::{check_metric_name, collection, counters_of_arch};
use crate::collect::{
    self, Build, Check, CollectError, Context, Interrupt, Machine, Metrics, Profile, Progress, Request, Summary, Trial,
    Words, files,
};
use crate::config::{Code, Collecting, Config, METRIC_SETS, ORDERS, Subject, Tools, Variant};
use crate::evidence::{NameSet, Want};
use crate::plain;
use crate::source;
use std::collections::BTreeSet;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

pub(super) fn run(arguments: &Collect, out: &mut dyn Write) -> Result<(), Failure> {
    let path = arguments.config.clone().unwrap_or_else(|| Path::new(DEFAULT_CONFIG).to_owned());
    let config = Config::read(&path)?;
    let every = || config.subjects.iter().map(|subject| subject.name.to_string()).collect();
    let names: Vec<String> = if arguments.all { every() } else { arguments.subjects.clone() };
    let subjects: Vec<&Subject> = config.named(&variants::subjects(&names))?;
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
    let machine = Machine::look();
    if arguments.dry_run {
        return plan(&requests, &machine, out);
    }
    let attempts: Vec<Attempt> = match &arguments.task {
        Some(folder) => requests.iter().map(|request| Attempt::begin(folder, &request.subject)).collect(),
        None => Vec::new(),
    };
    let ended = perform(&requests, &place, &machine, arguments, out).and_then(|made| made.failure.map_or(Ok(()), Err));
    attempts.into_iter().for_each(|attempt| attempt.end(ended.as_ref().err()));
    ended
}

/// Where a collection works.
pub(super) struct Place<'p> {
    pub(super) project: &'p Path,
    pub(super) config: Option<&'p Path>,
    pub(super) tools: &'p Tools,
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
    let machine = Machine::look();
    if arguments.dry_run {
        plan(&requests, &machine, out)?;
        return Ok(Outcome::default());
    }
    perform(&requests, place, &machine, arguments, out)
}

/// What is collected of each subject. Of all subjects of a file, those that nothing launches and those for another GPU
/// than the one that is here are passed over.
fn requests(subjects: &[&Subject], place: &Place<'_>, arguments: &Collect) -> Result<Vec<Request>, Failure> {
    let here =
        if arguments.all && !arguments.slurm { Machine::arch(&places(place.tools, place.project)) } else { None };
    let mut requests = Vec::new();
    for subject in subjects {
        let why = if arguments.all { launcher::none_for(subject, here.as_deref()) } else { None };
        match why {
            None => {
                for (name, variant) in variants::chosen(subject, &arguments.subjects)? {
                    let of_variant = variant.map(|variant| subject.of_variant(variant));
                    let made = request(of_variant.as_ref().unwrap_or(subject), variant, place, arguments)?;
                    requests.push(Request { subject: name, ..made });
                }
            }
            Some(why) if !arguments.quiet => {
                writeln!(anstream::stderr(), "{} is passed over: {}", subject.name, plain::one_line(&why))?;
            }
            Some(_) => {}
        }
    }
    Ok(requests)
}

/// The evidence folder of a subject: what audit.toml names, else `collected/NAME` beside it.
pub(super) fn folder_of(subject: &Subject, project: &Path) -> PathBuf {
    let usual = || project.join("collected").join(subject.name.as_str());
    subject.collect.evidence.clone().unwrap_or_else(usual)
}

/// What is collected of a subject, or of a further variant of it in a folder of its own, with every metric name checked.
fn request(
    subject: &Subject,
    variant: Option<&Variant>,
    place: &Place<'_>,
    arguments: &Collect,
) -> Result<Request, Failure> {
    let Place { project, config, tools } = *place;
    let keys = &subject.collect;
    let is_task = arguments.slurm || arguments.task.is_some();
    let build = match &subject.code {
        Some(Code::Source { path, archs, flags }) => {
            archs.first().map(|arch| Build { source: path.clone(), arch: arch.clone(), flags: flags.clone() })
        }
        Some(Code::Cubin { .. }) | None => None,
    };
    let arch = match &build {
        Some(build) => Some(build.arch.clone()),
        // Behind a prefix and in a job array the GPU may be any, and both have to ask for the same.
        None if keys.prefix.is_empty() && !is_task => Machine::arch(&places(tools, project)),
        None => None,
    };
    let chip = arch.as_deref().and_then(counters_of_arch);
    let profile = profile(subject, keys, arguments, chip);
    lint(subject, &profile, chip)?;
    let mut evidence = arguments.evidence.clone().unwrap_or_else(|| folder_of(subject, project));
    evidence.extend(variant.map(Variant::slug));
    let folders = Folders { project, evidence: &evidence, config, variant };
    let program = launcher::of(subject, &folders, build.is_some())?;
    let named = keys.run.iter().map(PathBuf::from).chain(keys.inputs.iter().cloned());
    let mut inputs: Vec<PathBuf> = named.filter(|path| project.join(path).is_file()).collect();
    if let Some(lost) = keys.inputs.iter().find(|path| !inputs.contains(path)) {
        let message = format!("{} names an input that is not there: {}", subject.name, lost.display());
        return Err(Failure::usage(format!("{message}\n  help: paths are relative to the folder of audit.toml")));
    }
    inputs.extend(launcher::code(subject, &program, build.is_some()));
    Ok(Request {
        subject: subject.name.to_string(),
        project: project.to_owned(),
        evidence,
        build,
        program,
        inputs,
        prefix: keys.prefix.clone(),
        is_task,
        profile,
        launches: keys.launches,
        check: check(keys, project),
        has_timeline: arguments.timeline,
        is_profile_first: keys.order == ORDERS[1],
        deadline: keys.deadline.map(Duration::from_secs),
        sanitizers: keys.sanitizers.clone(),
        profile_limit: Duration::from_secs(keys.timeout),
        sanitizer_limit: Duration::from_secs(keys.sanitizer_timeout),
        plain: keys.plain,
        again: arguments.again,
    })
}

/// The smaller program for compute-sanitizer, where the subject names one.
fn check(keys: &Collecting, project: &Path) -> Option<Check> {
    let mut program = Words::new();
    keys.check_run.iter().for_each(|word| program.one(word));
    let inputs = keys.check_run.iter().map(PathBuf::from).filter(|path| project.join(path).is_file()).collect();
    (!keys.check_run.is_empty()).then_some(Check { program, inputs })
}

fn profile(subject: &Subject, keys: &Collecting, arguments: &Collect, chip: Option<&str>) -> Profile {
    let set = arguments.set.as_deref().unwrap_or(&keys.metrics);
    Profile {
        kernel: subject.kernel.as_ref().map(|kernel| kernel.as_str().to_owned()),
        metrics: if set == METRIC_SETS[0] { Metrics::Own(collection(chip)) } else { Metrics::Set(set.to_owned()) },
        sections: keys.sections.clone(),
        extra: keys.extra.iter().chain(&arguments.metrics).cloned().collect(),
        skip: keys.skip,
        count: keys.count,
        clock: keys.clock.clone(),
        cache: keys.cache.clone(),
        replay: keys.replay.clone(),
        source: true,
        nvtx: keys.nvtx.clone(),
    }
}

/// Refuses names that ncu would leave out in silence or fail on.
fn lint(subject: &Subject, profile: &Profile, chip: Option<&str>) -> Result<(), Failure> {
    let fault = |name: &String| {
        let check = check_metric_name(name, chip);
        check.is_fault().then(|| check.sentence(name, chip))
    };
    let faults: Vec<String> = profile.asked().iter().filter_map(fault).collect();
    if faults.is_empty() {
        return Ok(());
    }
    let list: String = faults.iter().map(|fault| format!("\n  {fault}")).collect();
    Err(Failure::usage(format!(
        "{} asks for metrics that do not exist:{list}\n  help: ncu leaves such a name out in silence, or fails; correct `extra` under [subject.collect] or --metric",
        subject.name
    )))
}

fn plan(requests: &[Request], machine: &Machine, out: &mut dyn Write) -> Result<(), Failure> {
    for request in requests {
        writeln!(out, "\x1b[1m{}\x1b[0m into {}", request.subject, request.evidence.display())?;
        for (step, command) in collect::planned(request) {
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
        let mut context = Context {
            patience: Duration::ZERO,
            places: &places,
            machine,
            now: &now,
            progress: progress.as_ref() as &dyn Progress,
            gpu: &gpu,
            version: env!("CARGO_PKG_VERSION"),
            absent: &absent,
            outcome: &outcome,
            is_timeline: &is_timeline,
            public: &public,
        };
        loop {
            // What another run collects just now comes last: then its evidence is there, and is kept.
            let own = requests.get(next.fetch_add(1, Ordering::Relaxed)).map(|request| (request, Instant::now()));
            let waiting = || in_use.lock().unwrap_or_else(PoisonError::into_inner).pop();
            let Some((request, since)) = own.or_else(waiting) else { return };
            context.patience = if own.is_none() { Duration::from_millis(500) } else { Duration::ZERO };
            let result = collect::collect(request, &context);
            let may_wait = arguments.all && !interrupt.is_set() && since.elapsed() < request.profile_limit;
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

/// What is there and what is missing of each subject, without running anything.
pub(super) fn survey<'r>(
    requests: impl IntoIterator<Item = &'r Request>,
    place: &Place<'_>,
) -> Result<Vec<Summary>, Failure> {
    let (places, machine, gpu) = (places(place.tools, place.project), Machine::look(), Mutex::new(()));
    let progress = progress::of(true);
    let context = Context {
        patience: Duration::ZERO,
        places: &places,
        machine: &machine,
        now: &now,
        progress: progress.as_ref() as &dyn Progress,
        gpu: &gpu,
        version: env!("CARGO_PKG_VERSION"),
        absent: &absent,
        outcome: &outcome,
        is_timeline: &is_timeline,
        public: &public,
    };
    requests.into_iter().map(|request| Ok(collect::survey(request, &context)?)).collect()
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
                lost.insert(request.subject.clone());
                failures.push(format!("{}: {error}", request.subject));
                let own = Failure::from(error).status();
                status = Some(status.filter(|known| *known != own).map_or(own, |_| Status::Tool));
                continue;
            }
        };
        writeln!(out, "{}", request.evidence.display())?;
        collected.insert(request.subject.clone());
        for (step, setback) in summary.missed() {
            let line = format!("{} {step}: {setback}", request.subject);
            if step == files::PROFILE.0 {
                collected.remove(&request.subject);
                lost.insert(request.subject.clone());
                failures.push(line);
                status = Some(Status::Tool);
            } else {
                writeln!(anstream::stderr(), "not measured: {}", plain::message(&line))?;
            }
        }
    }
    let failure = (!failures.is_empty()).then(|| Failure::of(status.unwrap_or(Status::Tool), failures.join("\n  ")));
    Ok(Outcome { lost, collected, failure })
}

/// What a trial found, in a word.
fn outcome(trial: Trial, path: &Path) -> Result<String, String> {
    match trial {
        Trial::Check => {
            let found = source::read_correctness(path).map_err(|error| error.to_string())?;
            Ok(if found.passed { "correct" } else { "WRONG" }.to_owned())
        }
        Trial::Time => {
            let found = source::read_benchmark(path).map_err(|error| error.to_string())?;
            Ok(format!("{} samples", found.samples_ms.len()))
        }
    }
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

/// The moment in UTC, to the second.
pub(super) fn now() -> String {
    chrono::Utc::now().to_rfc3339_opts(chrono::SecondsFormat::Secs, true)
}

/// The metrics of `asked` that no result of a report holds.
fn absent(path: &Path, asked: &[String]) -> Result<Vec<String>, String> {
    let want = Want { metrics: NameSet::All, instances: NameSet::none(), ..Want::default() };
    let report = source::read_profile(path, &want).map_err(|error| error.to_string())?;
    let is_there = |name: &str| {
        report.launches.iter().any(|launch| {
            launch.metric(name).is_some()
                || launch
                    .metrics
                    .iter()
                    .any(|metric| metric.name.strip_prefix(name).is_some_and(|r| r.starts_with('.')))
        })
    };
    // These name groups and not metrics.
    let is_group = |name: &str| ["group:", "regex:", "breakdown:"].iter().any(|start| name.starts_with(start));
    Ok(asked.iter().filter(|name| !is_group(name) && !is_there(name)).cloned().collect())
}

/// Whether a file is a timeline.
fn is_timeline(path: &Path) -> Result<(), String> {
    source::read_timeline(&[path.to_owned()]).map(|_| ()).map_err(|error| error.to_string())
}

/// A report as it is kept.
fn public(report: &[u8]) -> Option<Vec<u8>> {
    source::ncu_report::public_report(report, &public_command)
}

/// The sets that `--set` takes.
pub(super) fn metric_set(name: &str) -> Result<String, String> {
    if METRIC_SETS.contains(&name) {
        return Ok(name.to_owned());
    }
    Err(format!("no set of metrics is called {name:?}; there are {}", METRIC_SETS.join(", ")))
}
