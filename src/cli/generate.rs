//! `audit generate`: read the evidence, analyse it, write the page and its snapshot.

use super::args::{Generate, PageFormat};
use super::code::ToolTime;
use super::foresight::Commits;
use super::gather::Gatherer;
use super::made::{Made, Place, print_comment, write_page};
use super::moment::AskedCommit;
use super::plan::{DEFAULT_CONFIG, Plan, plan};
use super::slot::Days;
use super::stale::{Since, Sources, beside, is_commit};
use super::{Failure, Status, collect, index, requests, say};
use crate::analysis::{self, Milestone, audit};
use crate::catalog::{self, Threshold};
use crate::config::{Config, DEFAULT_TEMPLATE, Subject};
use crate::render::{Override, Templates};
use crate::shell::quoted;
use crate::snapshot::{Accepted, Entry, Found, Placed, Snapshot};
use crate::view::{DELIVERABLE, Heading};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

pub(super) fn run(arguments: Generate, out: &mut dyn Write) -> Result<(), Failure> {
    let start = Instant::now();
    arguments.are_honoured()?;
    // The catalogs are read while the report is found and read.
    std::thread::Builder::new().spawn(catalog::read_ahead).ok();
    let plan = plan(&arguments)?;
    let templates = Templates::load_with(plan.templates.as_deref(), &plan.overrides)?;
    pages(&arguments, &plan, &templates, start, out)
}

fn pages(
    arguments: &Generate,
    plan: &Plan,
    templates: &Templates,
    start: Instant,
    out: &mut dyn Write,
) -> Result<(), Failure> {
    let mut collected = collect::Outcome::default();
    if arguments.collect || arguments.dry_run {
        let place = requests::Place { project: &plan.folder, config: plan.file.as_deref(), tools: &plan.tools };
        collected = collect::for_pages(&plan.subjects, &place, &arguments.collecting(), out)?;
        if arguments.dry_run {
            return Ok(());
        }
    }
    let days = Days::of(arguments.date)?;
    let days = if plan.subjects.len() > 1 { days.of_many() } else { days };
    let mut maker = Maker::new(plan, days, arguments.allow_damage);
    let sources = Sources::of(&plan.folder);
    let mut all = Vec::new();
    let mut together = Vec::new();
    let mut failed: Vec<(&str, Status)> = Vec::new();
    let is_one_document = plan.template == DELIVERABLE && plan.subjects.len() > 1;
    for subject in plan.subjects.iter().filter(|subject| !collected.is_lost(subject)) {
        let mut one = || -> Result<(), Failure> {
            let made = maker.make(subject, collected.has(subject))?;
            say_stale(&made, subject, maker.tree.as_deref(), &sources, &plan.series)?;
            match arguments.pages.format {
                PageFormat::Pr => all.push((made, plan.out.clone())),
                _ if is_one_document => together.push(made),
                format => {
                    let place = Place { folder: &plan.out, has_snapshot: true };
                    write_page(&made, format, &place, templates, &plan.template, arguments.pages.force, out)?;
                }
            }
            Ok(())
        };
        if let Err(failure) = one().map_err(|failure| failure.about(subject.name.as_str())) {
            if plan.subjects.len() == 1 || failure.report().is_empty() {
                return Err(failure);
            }
            // The others get their pages.
            say(format!("error: {}", failure.text()))?;
            failed.push((subject.name.as_str(), failure.status()));
        }
    }
    if let Some(made) = joined(together)? {
        let place = Place { folder: &plan.out, has_snapshot: false };
        write_page(&made, arguments.pages.format, &place, templates, &plan.template, arguments.pages.force, out)?;
    }
    if arguments.pages.format == PageFormat::Md && !is_one_document && failed.len() < plan.subjects.len() {
        let names: Vec<&str> = plan.subjects.iter().map(|subject| subject.name.as_str()).collect();
        let written =
            index::write(&plan.out, arguments.out.is_none(), &names, maker.gatherer.limits[Threshold::Regression])?;
        written.map_or(Ok(()), |path| writeln!(out, "{}", path.display()))?;
    }
    if arguments.pages.format == PageFormat::Pr {
        print_comment(&all, templates, arguments.pages.link_base.as_deref(), out)?;
    }
    if arguments.timings {
        timings(start.elapsed(), maker.gatherer.time)?;
    }
    if let Some(worst) = failed.iter().map(|(_, status)| *status).max_by_key(|status| *status as u8) {
        let names: Vec<&str> = failed.iter().map(|(name, _)| *name).collect();
        say(format!("without a page: {} of {} subjects: {}", names.len(), plan.subjects.len(), names.join(", ")))?;
        return Err(Failure::verdict(worst));
    }
    collected.failure.map_or(Ok(()), Err)
}

/// Says that HEAD has another version of the kernel than the one that a page is of. A page of the commit that is checked out,
/// and one of none that is made for the first time, has no other: git is not asked.
fn say_stale(
    made: &Made,
    subject: &Subject,
    head: Option<&str>,
    sources: &Sources<'_>,
    series: &Path,
) -> Result<(), Failure> {
    let commit = made.heading().commit.as_str();
    let is_of_head = if is_commit(commit) { head == Some(commit) } else { made.is_first_made };
    if is_of_head {
        return Ok(());
    }
    let snapshot = series.join(format!("{}.json", made.heading().stem()));
    let since = sources.since(made, Some(subject), commit, Some(&snapshot));
    if let Since::Changed(how) = since {
        say(format!("note: {} is STALE: {how}", subject.name))?;
    }
    Ok(())
}

/// One document of several subjects, a line for each of their kernels; `None` without subjects.
fn joined(all: Vec<Made>) -> Result<Option<Made>, Failure> {
    let names: Vec<String> = all.iter().map(|made| made.heading().subject.clone()).collect();
    if let Some(made) = all.iter().find(|made| made.all.is_empty()) {
        let subject = &made.heading().subject;
        return Err(Failure::usage(format!(
            "the {DELIVERABLE} has a line for each profiled kernel, and {subject} has no report\n  help: leave it out, or collect its evidence first"
        )));
    }
    let mut all = all.into_iter();
    let Some(mut first) = all.next() else { return Ok(None) };
    first.all.extend(all.flat_map(|made| made.all));
    let heading = &mut first.snapshot.heading;
    heading.command = heading.command.replacen(&names[0], &names.join(" "), 1);
    heading.subject = DELIVERABLE.to_owned();
    heading.title.clear();
    Ok(Some(first))
}

pub(super) struct Maker<'p> {
    plan: &'p Plan,
    gatherer: Gatherer<'p>,
    /// The commit of the tree, once it was asked for, and once it is known.
    asked: Option<AskedCommit>,
    tree: Option<String>,
    commits: Commits,
}

impl<'p> Maker<'p> {
    pub(super) fn new(plan: &'p Plan, days: Days, allow_damage: bool) -> Maker<'p> {
        Maker {
            plan,
            gatherer: Gatherer::new(plan, days, allow_damage),
            asked: None,
            tree: None,
            commits: Commits::default(),
        }
    }

    /// What may change without making another version of the kernels: audits, evidence, and what is stated of them.
    fn beside(&self) -> Vec<PathBuf> {
        let plan = self.plan;
        let stated = plan.file.as_ref().and_then(|file| Some(PathBuf::from(file.file_name()?)));
        beside(&plan.subjects, &[&plan.series, &plan.out], &plan.folder).into_iter().chain(stated).collect()
    }

    /// The audit of a subject with its heading, as its snapshot holds it.
    pub(super) fn make(&mut self, subject: &Subject, is_collected: bool) -> Result<Made, Failure> {
        let (plan, name) = (self.plan, subject.name.as_str());
        if self.tree.is_none() && self.asked.is_none() && plan.commit.is_none() && subject.commit.is_none() {
            self.asked = Some(AskedCommit::of(&plan.folder, &self.beside()));
        }
        let mut gathered = self.gatherer.gather(subject, is_collected, &[])?;
        give_back();
        let own = gathered.slot.own.as_ref().map(|own| &own.heading.commit).filter(|commit| !commit.is_empty());
        if own.is_some() && plan.subjects.len() == 1 {
            self.asked = None;
        }
        // Evidence of an older commit makes no page of this one.
        let measured = Some(&gathered.measured_at).filter(|commit| !commit.is_empty());
        let commit = match plan.commit.as_ref().or(subject.commit.as_ref()).or(own).or(measured) {
            Some(commit) => commit.clone(),
            None => {
                let asked = &mut self.asked;
                let answer = || asked.take().and_then(AskedCommit::answer).unwrap_or_default();
                self.tree.get_or_insert_with(answer).clone()
            }
        };
        let now = gathered.evidence.new.work.hypotheses.clone();
        let own = gathered.slot.own.as_ref().map(|own| own.hypotheses.as_slice());
        let stated = self.commits.hypotheses(plan, name, &commit, &now, own);
        if let Some(kept) = stated.get(now.len()..).filter(|kept| !kept.is_empty()) {
            gathered = self.gatherer.gather(subject, is_collected, kept)?;
        }
        for (one, stated) in gathered.evidence.new.work.hypotheses.iter_mut().zip(stated) {
            one.foresight = stated.foresight;
        }
        let slot = &gathered.slot;
        let limits = &self.gatherer.limits;
        let audit = audit(&gathered.evidence, limits);
        let mut all = Vec::new();
        if self.gatherer.is_of_all_kernels && !audit.is_of_code_alone() {
            all.push(audit.clone());
            all.extend(gathered.others.iter().map(|other| analysis::audit(other, limits)));
        }
        let record = gathered.record;
        index::say_lost(record.lost.iter().filter(|(found, _)| found.at < slot.at).map(|(_, error)| &**error))?;
        let before = record.entries.iter().filter(|entry| entry.found.at < slot.at);
        let history: Vec<Milestone> = before.map(|entry| entry.milestone.clone()).collect();
        let date = slot.at.date.to_string();
        let heading = Heading {
            subject: name.to_owned(),
            title: subject.title.clone().unwrap_or_default(),
            command: command(plan, subject, &date, &commit, self.gatherer.allow_damage),
            date,
            number: slot.at.number,
            commit,
            change: subject.change.clone().unwrap_or_default(),
            program: env!("CARGO_PKG_VERSION").to_owned(),
            template: Some(&plan.template).filter(|own| *own != DEFAULT_TEMPLATE).cloned().unwrap_or_default(),
            is_without_charts: plan.is_without_charts,
            has_html: plan.html.unwrap_or(subject.html.unwrap_or(plan.has_html)),
            baseline: gathered.baseline,
            against: gathered.against,
            history: Heading::kept(history),
            ..Heading::default()
        };
        let launches = Made::launches(&gathered.evidence);
        let placed = Placed { is_chosen: is_chosen(plan, subject), ..gathered.placed };
        let mut snapshot = Snapshot::new(heading, gathered.evidence, &audit).placed(placed);
        let path = plan.series.join(format!("{}.json", snapshot.heading.stem()));
        let own = Entry { found: Found { at: slot.at, path }, milestone: snapshot.milestone.clone() };
        let mark = own.milestone.mark();
        let record = record.with(own);
        let standing = record.series.at(&mark).unwrap_or_default();
        let accepted = standing.accepted.and_then(|one| record.accepted.accepted.get(one));
        snapshot.heading.accepted = accepted.map(Accepted::shown).into_iter().collect();
        snapshot.heading.problem = standing.problem;
        snapshot.milestone.is_accepted = standing.accepted.is_some();
        snapshot.milestone.problem.clone_from(&snapshot.heading.problem);
        Ok(Made { snapshot, audit, all, launches, is_first_made: slot.own.is_none() })
    }
}

fn timings(all: Duration, tools: ToolTime) -> Result<(), Failure> {
    let own = all.saturating_sub(tools.wall);
    let share = if tools.wall.is_zero() { 100.0 } else { 100.0 * own.as_secs_f64() / tools.wall.as_secs_f64() };
    say(format!(
        "timings: {:.3} s in all, {:.3} s in {} runs of NVIDIA's tools, {:.3} s for the rest ({share:.1} % of the tools' time)",
        all.as_secs_f64(),
        tools.wall.as_secs_f64(),
        tools.runs,
        own.as_secs_f64(),
    ))
}

/// Whether the command line names another old side than the configuration file does for the subject.
fn is_chosen(plan: &Plan, subject: &Subject) -> bool {
    let is_given = plan.flags.iter().any(|(flag, _)| *flag == "--baseline");
    let file = plan.file.as_deref().unwrap_or(Path::new(DEFAULT_CONFIG));
    let config = if is_given { Config::read(file).ok() } else { None };
    let name = plan.named.as_ref().unwrap_or(&subject.name);
    let mut stated = config.iter().flat_map(|config| &config.subjects);
    stated.any(|stated| stated.name == *name && stated.baseline != subject.baseline)
}

/// The command that makes the same page again, with paths as anyone may see them: by the subject's name where there is a configuration
/// file, and with every choice that stood on the command line. Where the page is written is not part of it.
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
            if let Some(file) = &plan.file {
                words.push(plan.named.as_ref().unwrap_or(&subject.name).to_string());
                if file != Path::new(DEFAULT_CONFIG) {
                    words.extend(["--config".to_owned(), quoted(&file.display().to_string())]);
                }
            }
            describe(plan, &mut words);
        }
    }
    words.extend(["--date".to_owned(), date.to_owned()]);
    if !commit.is_empty() && (plan.config.is_none() || subject.commit.as_deref() != Some(commit)) {
        words.extend(["--commit".to_owned(), quoted(commit)]);
    }
    words.extend(allow_damage.then(|| "--allow-damage".to_owned()));
    let is_configured = plan.config.is_some() && subject.html.unwrap_or(plan.has_html);
    words.extend((plan.html == Some(true) && !is_configured).then(|| "--html".to_owned()));
    analysis::public_words(&words.join(" "))
}

/// What flags said of the subject and its template.
fn describe(plan: &Plan, words: &mut Vec<String>) {
    let mut option = |name: &str, value: &str| words.extend([name.to_owned(), quoted(value)]);
    let path = |path: &Path| path.display().to_string();
    plan.flags.iter().for_each(|(flag, value)| option(flag, value));
    if plan.template != DEFAULT_TEMPLATE {
        option("--template", &plan.template);
    }
    plan.templates.iter().for_each(|folder| option("--templates", &path(folder)));
    let file = |one: &Override| format!("{}={}", one.name, one.file.display());
    plan.overrides.iter().for_each(|one| option("--template-file", &file(one)));
    plan.thresholds.iter().for_each(|(id, value)| option("--threshold", &format!("{id}={value}")));
    words.extend(plan.is_without_charts.then(|| "--no-charts".to_owned()));
}

/// What was read and is not kept goes back to the system before the page is made: in between lies what stays.
fn give_back() {
    // SAFETY: it is called with a number, and any thread may allocate meanwhile.
    #[cfg(all(target_os = "linux", target_env = "gnu"))]
    unsafe {
        libc::malloc_trim(0)
    };
}
