//! `audit generate`: read the evidence, analyse it, write the page and its snapshot.

use super::args::{Generate, PageFormat};
use super::baseline;
use super::code::{ToolTime, builds, kept_build, places};
use super::evidence::{self, Evidence};
use super::failure::Failure;
use super::made::{Made, Place, print_comment, write_page};
use super::plan::{DEFAULT_CONFIG, Plan, plan};
use super::stated::stated_work;
use super::{collect, lines, moment, trials};
use crate::analysis::code::{CodeAudit, CodeInputs, Launched, StaticAudit, audit_code};
use crate::analysis::{self, Audit, Inputs, Limits, Old, Selection};
use crate::collect::Places;
use crate::config::{Code, DEFAULT_TEMPLATE, Subject};
use crate::evidence::{CodeBuild, Report, SourceView, Want};
use crate::render::{Override, Templates};
use crate::shell::quoted;
use crate::snapshot::{AcceptedFile, Snapshot, StaticSnapshot, milestones};
use crate::source::{self, Profile};
use crate::view::{self, Heading};
use chrono::NaiveDate;
use std::io::Write;
use std::path::Path;
use std::sync::OnceLock;
use std::time::{Duration, Instant};

pub(super) fn run(arguments: Generate, out: &mut dyn Write) -> Result<(), Failure> {
    if !arguments.from.is_empty() {
        return again(&arguments, out);
    }
    let start = Instant::now();
    let plan = plan(&arguments)?;
    let templates = Templates::load_with(plan.templates.as_deref(), &plan.overrides)?;
    pages(&arguments, &plan, &templates, start, out)
}

/// Makes and writes what is asked for.
fn pages(
    arguments: &Generate,
    plan: &Plan,
    templates: &Templates,
    start: Instant,
    out: &mut dyn Write,
) -> Result<(), Failure> {
    let mut collected = collect::Outcome::default();
    if arguments.collect || arguments.dry_run {
        let place = collect::Place { project: &plan.folder, config: plan.file.as_deref(), tools: &plan.tools };
        collected = collect::for_pages(&plan.subjects, &place, &arguments.collecting(), out)?;
        if arguments.dry_run {
            return Ok(());
        }
    }
    let mut maker = Maker::new(plan, moment::date(arguments.date)?, arguments.allow_damage);
    let mut all = Vec::new();
    for subject in plan.subjects.iter().filter(|subject| !collected.is_lost(subject)) {
        maker.is_collected = collected.has(subject);
        let made = maker.make(subject)?;
        match arguments.format {
            PageFormat::Pr => all.push((made, plan.out.clone())),
            format => {
                let place = Place { folder: &plan.out, has_snapshot: true };
                write_page(&made, format, &place, templates, &plan.template, arguments.force, out)?;
                // Taking the last audit apart at the end of the process would be for nothing.
                if plan.subjects.len() == 1 {
                    std::mem::forget(made);
                }
            }
        }
    }
    if arguments.format == PageFormat::Pr {
        print_comment(&all, templates, arguments.link_base.as_deref(), out)?;
    }
    if arguments.timings {
        timings(start.elapsed(), maker.time)?;
    }
    collected.failure.map_or(Ok(()), Err)
}

/// Where and when audits are made, and what the tools took.
pub(super) struct Maker<'p> {
    plan: &'p Plan,
    date: NaiveDate,
    places: Places,
    tree: OnceLock<String>,
    allow_damage: bool,
    /// Whether the evidence was collected in this run.
    is_collected: bool,
    time: ToolTime,
}

impl<'p> Maker<'p> {
    pub(super) fn new(plan: &'p Plan, date: NaiveDate, allow_damage: bool) -> Maker<'p> {
        let places = places(&plan.tools, &plan.folder);
        Maker {
            plan,
            date,
            places,
            tree: OnceLock::new(),
            allow_damage,
            is_collected: false,
            time: ToolTime::default(),
        }
    }

    /// The audit of a subject with its heading, as its snapshot holds it.
    pub(super) fn make(&mut self, subject: &Subject) -> Result<Made, Failure> {
        let (plan, date, name) = (self.plan, self.date, subject.name.as_str());
        let commit = match plan.commit.as_ref().or(subject.commit.as_ref()) {
            Some(commit) => commit.clone(),
            None => self.tree.get_or_init(|| moment::commit(&plan.folder).unwrap_or_default()).clone(),
        };
        let day = date.to_string();
        let heading = Heading {
            subject: name.to_owned(),
            title: subject.title.clone().unwrap_or_default(),
            command: command(plan, subject, &day, &commit, self.allow_damage),
            date: day,
            commit,
            change: subject.change.clone().unwrap_or_default(),
            program: env!("CARGO_PKG_VERSION").to_owned(),
            is_without_charts: plan.is_without_charts,
            ..Heading::default()
        };
        let evidence = evidence::of(subject, &plan.folder, self.is_collected)?;
        let evidence = evidence.as_ref();
        let subject = &evidence.map_or_else(|| Ok(subject.clone()), |evidence| evidence.subject(subject))?;
        let code = code(&self.places, &plan.folder, subject, evidence, &mut self.time)?;
        let Some(report) = &subject.report else {
            let mut audit = static_audit(subject, plan, &code)?;
            audit.conclude(baseline::code(&plan.out, name, date).as_deref());
            let heading = Heading { history: milestones(&plan.out, name, Some(date))?.0, ..heading };
            let snapshot = Snapshot::new(heading, audit);
            return Ok(Made::Static(Box::new(snapshot)));
        };
        let limits = Limits { overrides: plan.thresholds.clone() };
        let work = stated_work(subject, &limits);
        let want = Want { allow_damage: self.allow_damage, ..analysis::want_for(&work) };
        let (old, baseline) = baseline::find(subject.baseline.as_deref(), &plan.out, name, date, &want)?;
        let (mut audits, instructions) = audits(subject, report, old.as_old(), plan, &code, &want)?;
        if let Some(evidence) = evidence {
            audits[0].collected = Some(evidence.collected.clone().without_keys());
            audits[0].sanitizer.clone_from(&evidence.sanitizer);
        }
        audits[0].join_trials(trials::of(subject, evidence)?, old.audit(), &limits)?;
        audits[0].conclude(old.audit());
        let audit = &audits[0];
        let (history, _) = milestones(&plan.out, name, Some(date))?;
        let accepted = AcceptedFile::read(&plan.out, name)?.about(audit);
        let heading = Heading { baseline, accepted, history, ..heading };
        Ok(match plan.template.as_str() {
            view::DELIVERABLE => Made::Many(Box::new(Snapshot::new(heading, audit.clone())), audits),
            _ => {
                let snapshot = Snapshot::new(heading, audits.swap_remove(0));
                Made::Profiled(Box::new(snapshot), instructions.map(Box::new))
            }
        })
    }
}

/// Makes the pages of snapshots again, or the comment on them.
fn again(arguments: &Generate, out: &mut dyn Write) -> Result<(), Failure> {
    let templates = Templates::load_with(arguments.templates.as_deref(), &arguments.template_files)?;
    let template = arguments.template.as_deref().unwrap_or(DEFAULT_TEMPLATE);
    let mut all = Vec::new();
    for path in &arguments.from {
        let made = match StaticSnapshot::is_said_by(path)? {
            true => Made::Static(Box::new(StaticSnapshot::read(path)?)),
            false => Made::Profiled(Box::new(Snapshot::read(path)?), None),
        };
        let folder = arguments.out.as_deref().or(path.parent()).unwrap_or(Path::new("")).to_owned();
        match arguments.format {
            PageFormat::Pr => all.push((made, folder)),
            format => {
                let place = Place { folder: &folder, has_snapshot: false };
                write_page(&made, format, &place, &templates, template, arguments.force, out)?;
            }
        }
    }
    if arguments.format == PageFormat::Pr {
        print_comment(&all, &templates, arguments.link_base.as_deref(), out)?;
    }
    Ok(())
}

/// The builds of a subject: those under audit, and those before.
#[derive(Default)]
struct Builds {
    new: Vec<CodeBuild>,
    old: Vec<CodeBuild>,
}

fn code(
    places: &Places,
    folder: &Path,
    subject: &Subject,
    evidence: Option<&Evidence>,
    time: &mut ToolTime,
) -> Result<Builds, Failure> {
    let kept = evidence.and_then(|evidence| evidence.build(subject.code.as_ref()?));
    if let (Some(Code::Source { path, .. }), Some(kept)) = (&subject.code, &kept) {
        let new = kept_build(places, folder, path, kept, time)?;
        let old = match &subject.baseline_code {
            Some(code) => builds(places, folder, code, time)?,
            None => Vec::new(),
        };
        return Ok(Builds { new, old });
    }
    let mut made = |code: &Option<crate::config::Code>| match code {
        Some(code) => builds(places, folder, code, time),
        None => Ok(Vec::new()),
    };
    Ok(Builds { new: made(&subject.code)?, old: made(&subject.baseline_code)? })
}

fn timings(all: Duration, tools: ToolTime) -> Result<(), Failure> {
    let own = all.saturating_sub(tools.wall);
    let share = if tools.wall.is_zero() { 100.0 } else { 100.0 * own.as_secs_f64() / tools.wall.as_secs_f64() };
    writeln!(
        anstream::stderr(),
        "timings: {:.3} s in all, {:.3} s in {} runs of NVIDIA's tools, {:.3} s for the rest ({share:.1} % of the tools' time)",
        all.as_secs_f64(),
        tools.wall.as_secs_f64(),
        tools.runs,
        own.as_secs_f64(),
    )?;
    Ok(())
}

/// The audit of the kernel with the most device time; for the page of one line each, those of all kernels that the
/// subject takes, that kernel first, and without a comparison. Never empty.
fn audits(
    subject: &Subject,
    report: &Path,
    old: Option<Old<'_>>,
    plan: &Plan,
    code: &Builds,
    want: &Want,
) -> Result<(Vec<Audit>, Option<SourceView>), Failure> {
    let is_many = plan.template == view::DELIVERABLE;
    let limits = Limits { overrides: plan.thresholds.clone() };
    let selection = Selection { kernel: subject.kernel.clone(), baseline_kernel: subject.baseline_kernel.clone() };
    let mut profile = Profile::open(report, want.allow_damage)?;
    let rows = |report: &Report| match is_many {
        true => analysis::chosen_rows(report, &selection),
        false => analysis::subject_rows(report, &selection),
    };
    let new = profile.read_chosen(want, analysis::brief(), rows)?;
    let builds =
        subject.ptxas.iter().map(|path| source::read_build_log(path)).collect::<Result<Vec<_>, source::ReadError>>()?;
    let view = lines::source_view(&mut profile, &new, &selection, want.allow_damage, &code.new)?;
    let old_view = match (old, &subject.baseline) {
        (Some(Old::Report(report)), Some(path)) if !is_many => {
            let launch = analysis::old_launch_at_barriers(&new, report, &selection);
            launch.map(|launch| lines::old_view(path, launch, want.allow_damage)).transpose()?.flatten()
        }
        _ => None,
    };
    let launched = if code.new.is_empty() { None } else { Some(Launched::of(&new, &profile.cubins()?, &selection)?) };
    let inputs = Inputs {
        new: &new,
        old: old.filter(|_| !is_many),
        builds: &builds,
        source: view.as_slice(),
        old_source: old_view.as_ref(),
        selection,
        work: stated_work(subject, &limits),
        limits,
    };
    if is_many {
        return Ok((analysis::analyse_all(&inputs)?, None));
    }
    let mut audit = analysis::analyse(&inputs)?;
    audit.code = judged(subject, code, launched.as_ref())?;
    Ok((vec![audit], view))
}

fn static_audit(subject: &Subject, plan: &Plan, code: &Builds) -> Result<StaticAudit, Failure> {
    let limits = Limits { overrides: plan.thresholds.clone() };
    Ok(StaticAudit { work: stated_work(subject, &limits), code: judged(subject, code, None)?, hypotheses: Vec::new() })
}

/// Every build of a subject, each beside the old build of its architecture.
fn judged(subject: &Subject, code: &Builds, launched: Option<&Launched>) -> Result<Vec<CodeAudit>, Failure> {
    let one = |build: &CodeBuild| {
        Ok(audit_code(&CodeInputs {
            build,
            old: code.old.iter().find(|old| old.cubin.arch == build.cubin.arch),
            kernel: subject.kernel.as_ref(),
            old_kernel: subject.baseline_kernel.as_ref(),
            launched,
            shape: subject.launch,
            checks: &subject.checks,
        })?)
    };
    code.new.iter().map(one).collect()
}

/// The command that makes the same page again, without home folders: by the subject's name where the configuration file
/// says everything, else with every choice spelled out. Where the page is written is not part of it.
fn command(plan: &Plan, subject: &Subject, date: &str, commit: &str, allow_damage: bool) -> String {
    let mut words = vec!["audit".to_owned(), "generate".to_owned()];
    match &plan.config {
        Some(config) => {
            words.push(subject.name.to_string());
            if config != Path::new(DEFAULT_CONFIG) {
                words.extend(["--config".to_owned(), quoted(&config.display().to_string())]);
            }
        }
        None => {
            // Flags cannot state code, so that a subject with code keeps its file.
            if let Some(file) = plan.file.as_ref().filter(|_| subject.code.is_some()) {
                words.extend([subject.name.to_string(), "--config".to_owned(), quoted(&file.display().to_string())]);
            }
            describe(plan, subject, &mut words);
        }
    }
    words.extend(["--date".to_owned(), date.to_owned()]);
    if !commit.is_empty() && (plan.config.is_none() || subject.commit.as_deref() != Some(commit)) {
        words.extend(["--commit".to_owned(), quoted(commit)]);
    }
    words.extend(allow_damage.then(|| "--allow-damage".to_owned()));
    analysis::without_home(&words.join(" "))
}

/// Every choice of a subject and its template as flags.
fn describe(plan: &Plan, subject: &Subject, words: &mut Vec<String>) {
    let mut option = |name: &str, value: &str| words.extend([name.to_owned(), quoted(value)]);
    let path = |path: &Path| path.display().to_string();
    option("--name", subject.name.as_str());
    subject.report.iter().for_each(|file| option("--report", &path(file)));
    subject.baseline.iter().for_each(|file| option("--baseline", &path(file)));
    subject.ptxas.iter().for_each(|file| option("--ptxas", &path(file)));
    for (name, file) in [
        ("--correctness", &subject.trials.correctness),
        ("--benchmark", &subject.trials.benchmark),
        ("--baseline-benchmark", &subject.trials.baseline_benchmark),
        ("--reference", &subject.trials.reference),
    ] {
        file.iter().for_each(|file| option(name, &path(file)));
    }
    subject.kernel.iter().for_each(|filter| option("--kernel", filter.as_str()));
    subject.baseline_kernel.iter().for_each(|filter| option("--baseline-kernel", filter.as_str()));
    for (name, word) in [
        ("--title", &subject.title),
        ("--change", &subject.change),
        ("--work-shape", &subject.work.shape),
        ("--work-types", &subject.work.types),
    ] {
        word.iter().for_each(|word| option(name, word));
    }
    subject.work.flop.iter().for_each(|amount| option("--work-flop", amount.text()));
    subject.work.bytes.iter().for_each(|amount| option("--work-bytes", amount.text()));
    subject.tiles.iter().for_each(|tiles| option("--tiles", &tiles.to_string()));
    subject.checklists.iter().for_each(|id| option("--check", id));
    subject.expect.iter().for_each(|expect| option("--expect", &expect.to_string()));
    if plan.template != DEFAULT_TEMPLATE {
        option("--template", &plan.template);
    }
    plan.templates.iter().for_each(|folder| option("--templates", &path(folder)));
    let file = |one: &Override| format!("{}={}", one.name, one.file.display());
    plan.overrides.iter().for_each(|one| option("--template-file", &file(one)));
    plan.thresholds.iter().for_each(|(id, value)| option("--threshold", &format!("{id}={value}")));
    words.extend(plan.is_without_charts.then(|| "--no-charts".to_owned()));
}
