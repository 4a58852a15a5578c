//! `audit collect`: run NVIDIA's tools on subjects and keep what they write.

use super::args::Collect;
use super::code::places;
use super::failure::{Failure, Status};
use super::plan::DEFAULT_CONFIG;
use super::progress;
use crate::catalog::{check_metric_name, collection, counters_of_arch};
use crate::collect::{
    self, Build, CollectError, Context, Done, Interrupt, Machine, Metrics, Profile, Progress, Request, Summary, Words,
};
use crate::config::{Code, Collecting, Config, METRIC_SETS, Subject, Tools};
use crate::evidence::{NameSet, Want};
use crate::source;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

pub(super) fn run(arguments: &Collect, out: &mut dyn Write) -> Result<(), Failure> {
    let path = arguments.config.clone().unwrap_or_else(|| Path::new(DEFAULT_CONFIG).to_owned());
    let config = Config::read(&path)?;
    let every = || config.subjects.iter().map(|subject| subject.name.to_string()).collect();
    let names: Vec<String> = if arguments.all { every() } else { arguments.subjects.clone() };
    let subjects: Vec<&Subject> = config.named(&names)?;
    if let (Some(_), [_, _, ..]) = (&arguments.evidence, subjects.as_slice()) {
        return Err(Failure::usage(
            "--evidence names the folder of one subject\n  help: name one subject, or use the key `evidence` of each",
        ));
    }
    let machine = Machine::look();
    let requests: Vec<Request> = subjects
        .into_iter()
        .map(|subject| request(subject, &config.folder, &config.tools, arguments))
        .collect::<Result<_, _>>()?;
    if arguments.lint {
        return Ok(());
    }
    if arguments.dry_run {
        return plan(&requests, &machine, out);
    }
    perform(&requests, &config.folder, &config.tools, &machine, arguments, out)
}

/// Collects the subjects of a plan for `audit generate --collect`.
pub(super) fn for_pages(
    subjects: &[Subject],
    project: &Path,
    tools: &Tools,
    arguments: &Collect,
    out: &mut dyn Write,
) -> Result<(), Failure> {
    let requests: Vec<Request> =
        subjects.iter().map(|subject| request(subject, project, tools, arguments)).collect::<Result<_, _>>()?;
    let machine = Machine::look();
    match arguments.dry_run {
        true => plan(&requests, &machine, out),
        false => perform(&requests, project, tools, &machine, arguments, out),
    }
}

/// The evidence folder of a subject: what audit.toml names, else `collected/NAME` beside it.
pub(super) fn folder_of(subject: &Subject, project: &Path) -> PathBuf {
    let usual = || project.join("collected").join(subject.name.as_str());
    subject.collect.evidence.clone().unwrap_or_else(usual)
}

/// What is collected of a subject, with every metric name checked.
fn request(subject: &Subject, project: &Path, tools: &Tools, arguments: &Collect) -> Result<Request, Failure> {
    let keys = &subject.collect;
    if keys.run.is_empty() {
        return Err(Failure::usage(format!(
            "nothing launches the kernel of {}\n  help: name the program in audit.toml, as in run = [\"./bench\", \"--size\", \"4096\"]",
            subject.name
        )));
    }
    let build = match &subject.code {
        Some(Code::Source { path, archs, flags }) => {
            archs.first().map(|arch| Build { source: path.clone(), arch: arch.clone(), flags: flags.clone() })
        }
        Some(Code::Cubin { .. }) | None => None,
    };
    let arch = match &build {
        Some(build) => Some(build.arch.clone()),
        None if keys.prefix.is_empty() => Machine::arch(&places(tools, project)),
        None => None,
    };
    let chip = arch.as_deref().and_then(counters_of_arch);
    let profile = profile(subject, keys, arguments, chip);
    lint(subject, &profile, chip)?;
    let mut program = Words::new();
    keys.run.iter().for_each(|word| program.one(word));
    let named = keys.run.iter().map(PathBuf::from).chain(keys.inputs.iter().cloned());
    let inputs: Vec<PathBuf> = named.filter(|path| project.join(path).is_file()).collect();
    if let Some(lost) = keys.inputs.iter().find(|path| !inputs.contains(path)) {
        let message = format!("{} names an input that is not there: {}", subject.name, lost.display());
        return Err(Failure::usage(format!("{message}\n  help: paths are relative to the folder of audit.toml")));
    }
    Ok(Request {
        subject: subject.name.to_string(),
        project: project.to_owned(),
        evidence: arguments.evidence.clone().unwrap_or_else(|| folder_of(subject, project)),
        build,
        program,
        inputs,
        prefix: keys.prefix.clone(),
        profile,
        sanitizers: keys.sanitizers.clone(),
        profile_limit: Duration::from_secs(keys.timeout),
        sanitizer_limit: Duration::from_secs(keys.sanitizer_timeout),
        again: arguments.again,
    })
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
        if let Some(setback) = machine.setback().filter(|_| request.prefix.is_empty()) {
            writeln!(out, "  here this would fail: {}", setback.what)?;
        }
    }
    Ok(())
}

fn perform(
    requests: &[Request],
    project: &Path,
    tools: &Tools,
    machine: &Machine,
    arguments: &Collect,
    out: &mut dyn Write,
) -> Result<(), Failure> {
    let interrupt = interruptible()?;
    let progress = progress::of(arguments.quiet);
    let (next, gpu) = (AtomicUsize::new(0), Mutex::new(()));
    let results = Mutex::new(Vec::new());
    let work = || {
        let mut places = places(tools, project);
        places.interrupt = interrupt.clone();
        let context = Context {
            places: &places,
            machine,
            now: &now,
            progress: progress.as_ref() as &dyn Progress,
            gpu: &gpu,
            version: env!("CARGO_PKG_VERSION"),
            absent: &absent,
        };
        while let Some(request) = requests.get(next.fetch_add(1, Ordering::Relaxed)) {
            let result = collect::collect(request, &context);
            let is_over = matches!(result, Err(CollectError::Interrupted));
            results.lock().unwrap_or_else(std::sync::PoisonError::into_inner).push((request, result));
            if is_over {
                return;
            }
        }
    };
    std::thread::scope(|scope| {
        for _ in 1..arguments.jobs.min(requests.len()) {
            scope.spawn(work);
        }
        work();
    });
    let results = results.into_inner().unwrap_or_else(std::sync::PoisonError::into_inner);
    told(results, out)
}

/// Says where everything lies and what is missing; the gravest outcome decides the status.
fn told(results: Vec<(&Request, Result<Summary, CollectError>)>, out: &mut dyn Write) -> Result<(), Failure> {
    let mut missed = Vec::new();
    let mut failures = Vec::new();
    for (request, result) in results {
        match result {
            Ok(summary) => {
                writeln!(out, "{}", request.evidence.display())?;
                let lacking = |(step, done): &(String, Done)| match done {
                    Done::Missed(setback) => Some(format!("{} {step}: {setback}", request.subject)),
                    Done::Made(_) | Done::Kept => None,
                };
                missed.extend(summary.steps.iter().filter_map(lacking));
            }
            Err(CollectError::Interrupted) => return Err(CollectError::Interrupted.into()),
            Err(error) => failures.push(format!("{}: {error}", request.subject)),
        }
    }
    failures.extend(missed);
    if failures.is_empty() { Ok(()) } else { Err(Failure::of(Status::Tool, failures.join("\n"))) }
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
fn now() -> String {
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

/// The sets that `--set` takes.
pub(super) fn metric_set(name: &str) -> Result<String, String> {
    if METRIC_SETS.contains(&name) {
        return Ok(name.to_owned());
    }
    Err(format!("no set of metrics is called {name:?}; there are {}", METRIC_SETS.join(", ")))
}
