//! `audit generate`: read the evidence, analyse it, write the page and its snapshot.

use super::args::{Generate, PageFormat, described};
use super::code::ToolTime;
use super::failure::Failure;
use super::gather::Gatherer;
use super::made::{Made, Place, print_comment, write_page};
use super::plan::{DEFAULT_CONFIG, Plan, plan};
use super::{collect, moment};
use crate::analysis::{self, audit};
use crate::config::{DEFAULT_TEMPLATE, Subject};
use crate::render::{Override, Templates};
use crate::shell::quoted;
use crate::snapshot::{AcceptedFile, Snapshot, milestones};
use crate::view::Heading;
use chrono::NaiveDate;
use std::io::Write;
use std::path::Path;
use std::sync::OnceLock;
use std::time::{Duration, Instant};

pub(super) fn run(arguments: Generate, out: &mut dyn Write) -> Result<(), Failure> {
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
        let made = maker.make(subject, collected.has(subject))?;
        match arguments.format {
            PageFormat::Pr => all.push((made, plan.out.clone())),
            format => {
                let place = Place { folder: &plan.out, has_snapshot: true };
                write_page(&made, format, &place, templates, &plan.template, arguments.force, out)?;
            }
        }
    }
    if arguments.format == PageFormat::Pr {
        print_comment(&all, templates, arguments.link_base.as_deref(), out)?;
    }
    if arguments.timings {
        timings(start.elapsed(), maker.gatherer.time)?;
    }
    collected.failure.map_or(Ok(()), Err)
}

/// Where and when audits are made.
pub(super) struct Maker<'p> {
    plan: &'p Plan,
    gatherer: Gatherer<'p>,
    tree: OnceLock<String>,
}

impl<'p> Maker<'p> {
    pub(super) fn new(plan: &'p Plan, date: NaiveDate, allow_damage: bool) -> Maker<'p> {
        Maker { plan, gatherer: Gatherer::new(plan, date, allow_damage), tree: OnceLock::new() }
    }

    /// The audit of a subject with its heading, as its snapshot holds it.
    pub(super) fn make(&mut self, subject: &Subject, is_collected: bool) -> Result<Made, Failure> {
        let (plan, date, name) = (self.plan, self.gatherer.date, subject.name.as_str());
        let commit = match plan.commit.as_ref().or(subject.commit.as_ref()) {
            Some(commit) => commit.clone(),
            None => self.tree.get_or_init(|| moment::commit(&plan.folder).unwrap_or_default()).clone(),
        };
        let gathered = self.gatherer.gather(subject, is_collected)?;
        let limits = &self.gatherer.limits;
        let audit = audit(&gathered.evidence, limits);
        let mut all = Vec::new();
        if self.gatherer.is_of_all_kernels && !audit.is_of_code_alone() {
            all.push(audit.clone());
            all.extend(gathered.others.iter().map(|other| analysis::audit(other, limits)));
        }
        let day = date.to_string();
        let heading = Heading {
            subject: name.to_owned(),
            title: subject.title.clone().unwrap_or_default(),
            command: command(plan, subject, &day, &commit, self.gatherer.allow_damage),
            date: day,
            commit,
            change: subject.change.clone().unwrap_or_default(),
            program: env!("CARGO_PKG_VERSION").to_owned(),
            is_without_charts: plan.is_without_charts,
            baseline: gathered.baseline,
            accepted: AcceptedFile::read(&plan.out, name)?.about(&audit),
            history: milestones(&plan.out, name, Some(date))?.0,
        };
        let snapshot = Snapshot::new(heading, gathered.evidence, &audit);
        Ok(Made { snapshot, audit, all, instructions: gathered.instructions })
    }
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
    described(subject).iter().for_each(|(flag, value)| option(flag, value));
    if plan.template != DEFAULT_TEMPLATE {
        option("--template", &plan.template);
    }
    plan.templates.iter().for_each(|folder| option("--templates", &path(folder)));
    let file = |one: &Override| format!("{}={}", one.name, one.file.display());
    plan.overrides.iter().for_each(|one| option("--template-file", &file(one)));
    plan.thresholds.iter().for_each(|(id, value)| option("--threshold", &format!("{id}={value}")));
    words.extend(plan.is_without_charts.then(|| "--no-charts".to_owned()));
}
