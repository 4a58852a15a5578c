//! What is collected of subjects and their variants (`gemm` is the first, `gemm.wide` the one called "Wide"), what is there of it
//! already, and what a collection asks of the files that tools wrote.

use super::args::Collect;
use super::code::places;
use super::evidence::{folder_of, together};
use super::launcher::{self, Folders};
use super::moment::{AskedCommit, now};
use super::{Failure, progress, say};
use crate::analysis::public_command;
use crate::catalog::{check_metric_name, collection, counters_of_arch, section_fault};
use crate::collect::{
    self, Build, Check, Collecting, Context, METRIC_SETS, Machine, Metrics, Places, Profile, Progress, Request, Stated,
    Summary, Tests, Trial,
};
use crate::config::{Code, Subject, Tools, Variant};
use crate::evidence::{NameSet, Want};
use crate::{plain, source};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::time::Duration;

pub(super) struct Place<'p> {
    pub(super) project: &'p Path,
    pub(super) config: Option<&'p Path>,
    pub(super) tools: &'p Tools,
}

/// What is collected of each subject. Of all subjects of a file, those that nothing launches and those for another GPU
/// than the one that is here are passed over.
pub(super) fn requests(subjects: &[&Subject], place: &Place<'_>, arguments: &Collect) -> Result<Vec<Request>, Failure> {
    let here =
        if arguments.all && !arguments.slurm { Machine::arch(&places(place.tools, place.project)) } else { None };
    let mut requests = Vec::new();
    for subject in subjects {
        let why = if arguments.all { launcher::none_for(subject, here.as_deref()) } else { None };
        match why {
            None => {
                for (name, variant) in chosen(subject, &arguments.subjects)? {
                    let of_variant = variant.map(|variant| subject.of_variant(variant));
                    let made = request(of_variant.as_ref().unwrap_or(subject), variant, place, arguments)?;
                    let is_served = |other: &Request| !made.also.is_empty() && other.evidence == made.evidence;
                    if !requests.iter().any(is_served) {
                        let subject = if made.also.is_empty() { name } else { made.subject.clone() };
                        requests.push(Request { subject, ..made });
                    }
                }
            }
            Some(why) if !arguments.quiet => {
                say(format!("{} is passed over: {}", subject.name, plain::one_line(&why)))?;
            }
            Some(_) => {}
        }
    }
    Ok(requests)
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
    let together = together(subject, project).filter(|_| arguments.evidence.is_none());
    let mut profile = profile(subject, keys, arguments, chip);
    profile.keys.together = together.map(Arc::clone);
    if let Some(together) = together {
        profile.kernel.clone_from(&together.kernel);
    }
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
    let beside = evidence.strip_prefix(project).unwrap_or(&evidence).to_owned();
    Ok(Request {
        subject: together.map_or_else(|| subject.name.to_string(), |together| together.names[0].clone()),
        also: together.map(|together| together.names[1..].to_vec()).unwrap_or_default(),
        project: project.to_owned(),
        commit: AskedCommit::of(project, &[beside]).answer().unwrap_or_default(),
        evidence,
        build,
        program,
        inputs,
        is_task,
        profile,
        check: check(keys, project),
        tests: tests(subject, project),
        has_timeline: arguments.timeline,
        again: arguments.again,
    })
}

/// The smaller program for compute-sanitizer, where the subject names one.
fn check(keys: &Collecting, project: &Path) -> Option<Check> {
    let inputs = keys.check_run.iter().map(PathBuf::from).filter(|path| project.join(path).is_file()).collect();
    (!keys.check_run.is_empty()).then(|| Check { program: keys.check_run.iter().collect(), inputs })
}

fn tests(subject: &Subject, project: &Path) -> Option<Tests> {
    let words = &subject.tests.as_ref().filter(|tests| !tests.pytest.is_empty())?.pytest;
    // A test is named as tests/test_gemm.py::test_wide.
    let files = words.iter().map(|word| PathBuf::from(word.split("::").next().unwrap_or_default()));
    let inputs = files.filter(|path| project.join(path).is_file()).collect();
    Some(Tests { program: words.iter().collect(), stated: Stated { text: String::new(), inputs } })
}

fn profile(subject: &Subject, keys: &Collecting, arguments: &Collect, chip: Option<&str>) -> Profile {
    let set = arguments.set.as_deref().unwrap_or(&keys.metrics);
    Profile {
        kernel: subject.kernel.as_ref().map(|kernel| kernel.as_str().to_owned()),
        metrics: if set == METRIC_SETS[0] { Metrics::Own(collection(chip)) } else { Metrics::Set(set.to_owned()) },
        source: true,
        keys: Collecting { extra: [keys.extra.as_slice(), &arguments.metrics].concat(), ..keys.clone() },
    }
}

/// Refuses names that ncu would leave out in silence or fail on.
fn lint(subject: &Subject, profile: &Profile, chip: Option<&str>) -> Result<(), Failure> {
    let fault = |name: &String| {
        let check = check_metric_name(name, chip);
        check.is_fault().then(|| check.sentence(name, chip))
    };
    let sections = profile.keys.sections.iter().filter_map(|name| section_fault(name));
    let faults: Vec<String> = profile.asked().iter().filter_map(fault).chain(sections).collect();
    if faults.is_empty() {
        return Ok(());
    }
    let list: String = faults.iter().map(|fault| format!("\n  {fault}")).collect();
    Err(Failure::usage(format!(
        "{} asks for what ncu does not have:{list}\n  help: ncu drops such a name silently, or fails; correct `extra` or `sections` under [subject.collect], or --metric",
        subject.name
    )))
}

/// What is there and what is missing of each subject, without running anything.
pub(super) fn survey<'r>(
    requests: impl IntoIterator<Item = &'r Request>,
    place: &Place<'_>,
) -> Result<Vec<Summary>, Failure> {
    let (places, machine, gpu) =
        (places(place.tools, place.project), Machine::look(|name| std::env::var_os(name)), Mutex::new(()));
    let progress = progress::of(true);
    let context = context(&places, &machine, progress.as_ref(), &gpu);
    requests.into_iter().map(|request| Ok(collect::survey(request, &context)?)).collect()
}

/// What a collection works with; `gpu` keeps it to one subject at a time.
pub(super) fn context<'c>(
    places: &'c Places,
    machine: &'c Machine,
    progress: &'c dyn Progress,
    gpu: &'c Mutex<()>,
) -> Context<'c> {
    Context {
        patience: Duration::ZERO,
        places,
        machine,
        now: &now,
        progress,
        gpu,
        version: env!("CARGO_PKG_VERSION"),
        absent: &absent,
        outcome: &outcome,
        is_timeline: &|path| source::read_timeline(&[path.to_owned()]).map(|_| ()).map_err(|error| error.to_string()),
        public: &|report| source::ncu_report::public_report(report, &public_command),
    }
}

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
        Trial::Bench => {
            let found = source::read_bench(path).map_err(|error| error.to_string())?;
            let wrong = found.iter().map(|one| &one.correctness).filter(|check| !check.passed);
            let wrong: Vec<&str> = wrong.map(|check| check.subject.as_str()).collect();
            Ok(if wrong.is_empty() { "correct".to_owned() } else { format!("WRONG: {}", wrong.join(", ")) })
        }
        Trial::Tests => {
            let found = source::read_junit(path).map_err(|error| error.to_string())?;
            let wrong: Vec<&str> = found.failed.iter().chain(&found.broken).map(|test| test.name.as_str()).collect();
            let passed = format!("{} passed", found.passed);
            Ok(if wrong.is_empty() { passed } else { format!("{passed}, not {}", wrong.join(", ")) })
        }
    }
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

/// What stands between a subject and its variant; no name of a subject has it.
const BETWEEN: char = '.';

/// The subjects of names that may say a variant, each once.
pub(super) fn subjects(names: &[String]) -> Vec<String> {
    let mut bare: Vec<String> = names.iter().filter_map(|name| name.split(BETWEEN).next().map(str::to_owned)).collect();
    bare.dedup();
    bare
}

/// The builds of a subject that `names` take, with what each is called; the first is the subject's own and has no
/// variant. A subject that is named takes all of its variants with it. A program of one's own brings its own kernel, so
/// that variants are nothing to it. Errors: a variant that the subject does not have.
pub(super) fn chosen<'s>(
    subject: &'s Subject,
    names: &[String],
) -> Result<Vec<(String, Option<&'s Variant>)>, Failure> {
    let own = subject.name.as_str();
    let further = subject.variants.iter().skip(1).filter(|_| subject.collect.run.is_empty());
    let further = further.map(|variant| (format!("{own}{BETWEEN}{}", variant.slug()), Some(variant)));
    let all: Vec<(String, Option<&Variant>)> = [(own.to_owned(), None)].into_iter().chain(further).collect();
    if names.is_empty() || names.iter().any(|name| name == own) {
        return Ok(all);
    }
    let prefix = format!("{own}{BETWEEN}");
    if let Some(lost) =
        names.iter().find(|name| name.starts_with(&prefix) && all.iter().all(|(known, _)| known != *name))
    {
        let known: Vec<&str> = all.iter().map(|(name, _)| name.as_str()).collect();
        return Err(Failure::usage(format!("{lost} is not a build of {own}\n  help: there are {}", known.join(", "))));
    }
    let is_of_it = names.iter().any(|name| name.starts_with(&prefix));
    Ok(all.into_iter().filter(|(name, _)| !is_of_it || names.contains(name)).collect())
}
