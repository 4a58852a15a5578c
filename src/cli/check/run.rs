//! The run of the gate.

use super::outcome::{Outcome, Said, compared};
use super::{baseline, stated};
use crate::analysis::{Limits, Severity};
use crate::cli::args::{Check, Level};
use crate::cli::failure::{Failure, Status};
use crate::cli::generate::Maker;
use crate::cli::made::Made;
use crate::cli::moment;
use crate::cli::plan::{self, out_folder};
use crate::cli::slot::Days;
use crate::cli::stale::{Since, Sources};
use crate::config::Config;
use crate::nearest::did_you_mean;
use crate::plain;
use crate::render::{Level as Weight, Output, PageLock, Remark, github, junit, write_together};
use crate::snapshot::{Accepted, AcceptedFile, Dated, Measured, Of, Snapshot, change, earlier, subjects};
use std::collections::BTreeSet;
use std::io::Write;
use std::path::{Path, PathBuf};

/// What is locked while acceptances are written.
const ACCEPTING: &str = "accepted.toml";

/// A subject, what is there of it, and the snapshot's path where it was read.
struct Checked {
    subject: String,
    made: Option<Made>,
    file: Option<PathBuf>,
    said: Said,
}

impl Checked {
    fn new(subject: String, made: Option<Made>, file: Option<PathBuf>) -> Checked {
        Checked { subject, made, file, said: Said::together([]) }
    }
}

pub(in crate::cli) fn run(arguments: &Check, out: &mut dyn Write) -> Result<(), Failure> {
    if arguments.accept && arguments.reason.as_ref().is_none_or(|reason| reason.trim().is_empty()) {
        return Err(Failure::usage("a regression is accepted for a reason\n  help: give it with --reason TEXT"));
    }
    let config = plan::config_of(&arguments.folder)?;
    let mut limits = Limits::default();
    if let Some(config) = &config {
        limits.overrides.clone_from(&config.thresholds);
    }
    if let Some(percent) = arguments.regression {
        limits.overrides.insert(crate::catalog::Threshold::Regression, percent);
    }
    let folder = out_folder(&arguments.folder)?;
    let Asked { names, left_out } = Asked::of(arguments, config.as_ref(), &folder)?;
    let mut all = if arguments.fresh { fresh(arguments, &names)? } else { kept(names, &folder)? };
    let project = config.as_ref().map(|config| config.folder.clone()).unwrap_or_default();
    let sources = Sources::of(&project);
    let gate =
        Gate { arguments, config: config.as_ref(), folder: &folder, project: &project, sources, limits: &limits };
    for checked in &mut all {
        checked.said = gate.judge(checked)?;
    }
    if arguments.accept {
        accept(&gate, &mut all)?;
        for checked in &mut all {
            checked.said = gate.judge(checked)?;
        }
    }
    report(arguments, &all, &left_out, &gate.stale(&all), out)?;
    let any = |outcome: Outcome| all.iter().any(|checked| checked.said.outcome == outcome);
    if any(Outcome::Regression) || any(Outcome::Wrong) {
        return Err(Failure::verdict(Status::Findings));
    }
    let is_unsure = any(Outcome::Inconclusive) && !arguments.allow_inconclusive;
    if is_unsure || any(Outcome::New) && !arguments.allow_new {
        return Err(Failure::verdict(Status::Inconclusive));
    }
    Ok(())
}

/// Which subjects are checked.
struct Asked {
    names: Vec<String>,
    /// The others: of the configuration file, and those that only the folder knows.
    left_out: Vec<String>,
}

impl Asked {
    /// # Errors
    /// A name that neither the configuration file nor the folder of audits knows, or nothing to check.
    fn of(arguments: &Check, config: Option<&Config>, folder: &Path) -> Result<Asked, Failure> {
        let kept = subjects(folder)?;
        let stated: Vec<String> = match config {
            Some(config) => config.subjects.iter().map(|subject| subject.name.to_string()).collect(),
            None => kept.clone(),
        };
        let known: BTreeSet<&String> = stated.iter().chain(&kept).collect();
        if let Some(unknown) = arguments.subjects.iter().find(|name| !known.contains(name)) {
            let near = did_you_mean(unknown, known.iter().map(|name| name.as_str()));
            return Err(Failure::usage(format!(
                "no subject is called {unknown:?}{near}\n  help: {} and the configuration file know: {}",
                folder.display(),
                known.iter().map(|name| name.as_str()).collect::<Vec<_>>().join(", ")
            )));
        }
        let names = if arguments.subjects.is_empty() { stated.clone() } else { arguments.subjects.clone() };
        if names.is_empty() {
            return Err(Failure::usage(format!(
                "{} holds no snapshot to check\n  help: run `audit generate`, or name the folder with --out",
                folder.display()
            )));
        }
        let left_out = known.into_iter().filter(|name| !names.contains(name)).cloned().collect();
        Ok(Asked { names, left_out })
    }
}

/// The newest snapshot of each subject.
fn kept(names: Vec<String>, folder: &Path) -> Result<Vec<Checked>, Failure> {
    let checked = |subject: String| {
        let file = earlier(folder, &subject, None)?.pop().map(|found| found.path);
        let made = file.as_deref().map(Snapshot::read).transpose()?.map(Made::of);
        Ok(Checked::new(subject, made, file))
    };
    names.into_iter().map(checked).collect()
}

/// The audits that `audit generate` would write today.
fn fresh(arguments: &Check, names: &[String]) -> Result<Vec<Checked>, Failure> {
    let plan = plan::of_subjects(names, &arguments.folder)?;
    let mut maker = Maker::new(&plan, Days::today(arguments.date)?, false);
    let checked = |subject: &crate::config::Subject| {
        Ok(Checked::new(subject.name.to_string(), Some(maker.make(subject, false)?), None))
    };
    plan.subjects.iter().map(checked).collect()
}

/// What subjects are held to.
struct Gate<'a> {
    arguments: &'a Check,
    config: Option<&'a Config>,
    folder: &'a Path,
    /// Where the paths that audits name are relative to.
    project: &'a Path,
    sources: Sources<'a>,
    limits: &'a Limits,
}

impl Gate<'_> {
    fn judge(&self, checked: &Checked) -> Result<Said, Failure> {
        let held = self.held(checked)?;
        let current = self.since(checked).filter(|_| self.arguments.current).and_then(stated::current);
        Ok(Said::together(std::iter::once(held).chain(current)))
    }

    /// What became of the kernel's source since its last audit; `None` without an audit.
    fn since(&self, checked: &Checked) -> Option<Since> {
        let mut stated = self.config.iter().flat_map(|config| &config.subjects);
        let subject = stated.find(|subject| subject.name.as_str() == checked.subject);
        Some(self.sources.since(checked.made.as_ref()?, subject, checked.file.as_deref()))
    }

    /// The audits that are of another version than HEAD's, where the gate does not hold them to that.
    fn stale(&self, all: &[Checked]) -> Vec<(String, String)> {
        let stale = |checked: &Checked| match self.since(checked)? {
            Since::Changed(how) => Some((checked.subject.clone(), format!("{how}. Profile what HEAD has."))),
            Since::Same | Since::Unknown(_) => None,
        };
        if self.arguments.current { Vec::new() } else { all.iter().filter_map(stale).collect() }
    }

    fn held(&self, checked: &Checked) -> Result<Said, Failure> {
        let Some(made) = &checked.made else {
            let text =
                format!("{} holds no audit of it. Run `audit generate {}`.", self.folder.display(), checked.subject);
            return Ok(Said { outcome: Outcome::New, text });
        };
        let audit = &made.audit;
        let checks = if self.arguments.no_checks { None } else { stated::checks(audit) };
        let page = checked.file.as_ref().and_then(|file| stated::page(&file.with_extension("md"), made, self.config));
        let findings = self.arguments.findings.map(|level| stated::findings(audit, severity(level)));
        if audit.is_of_code_alone() {
            let alone = "Its last audit is of the code alone: time is NOT MEASURED.";
            let checks = match checks {
                Some(checks) => Said { outcome: checks.outcome, text: format!("{} {alone}", checks.text) },
                None => {
                    let text = format!("NOT MEASURED: it states no checks. {alone}");
                    Said { outcome: Outcome::Inconclusive, text }
                }
            };
            return Ok(Said::together([Some(checks), page, findings].into_iter().flatten()));
        }
        let compared = self.compared(made)?;
        let correctness = if self.arguments.no_checks { None } else { stated::correctness(audit) };
        Ok(Said::together([Some(compared), page, checks, correctness, findings].into_iter().flatten()))
    }

    /// The comparison alone, which is what can be accepted.
    fn compared(&self, made: &Made) -> Result<Said, Failure> {
        let (audit, heading) = (&made.audit, made.heading());
        let known = AcceptedFile::read(self.folder, &heading.subject)?;
        let said = compared(audit, self.is_first(made)?, &known.about(audit), self.limits);
        let mut text = said.text + &baseline::told(made, self.folder, self.project)?;
        let is_old = |accepted: &&Accepted| accepted.is_of_reports(audit);
        if let Some(old) = known.accepted.iter().rfind(is_old).filter(|_| said.outcome != Outcome::Pass) {
            text += &format!(
                " The acceptance of {} names two reports and no kernel, as earlier versions of audit wrote it, and accepts nothing: accept again with --accept.",
                old.date
            );
        }
        Ok(Said { text, ..said })
    }

    /// Whether the folder holds no earlier audit of the subject with a time.
    fn is_first(&self, made: &Made) -> Result<bool, Failure> {
        let heading = made.heading();
        let Ok(date) = heading.date.parse() else { return Ok(false) };
        let before = earlier(self.folder, &heading.subject, Some(Dated { date, number: heading.number }))?;
        let is_code = |path: &Path| Snapshot::read_milestone(path).is_ok_and(|milestone| milestone.is_code_alone);
        Ok(before.iter().all(|found| is_code(&found.path)))
    }
}

fn severity(level: Level) -> Severity {
    match level {
        Level::Limits => Severity::Limits,
        Level::Costs => Severity::Costs,
        Level::Notes => Severity::Notes,
    }
}

/// Notes every comparison that did not pass as accepted.
fn accept(gate: &Gate<'_>, all: &mut [Checked]) -> Result<(), Failure> {
    let (arguments, folder) = (gate.arguments, gate.folder);
    let date = moment::date(arguments.date)?.to_string();
    // What another run accepts meanwhile is kept, and nothing is accepted twice.
    let _lock = PageLock::take(&folder.join(ACCEPTING))?;
    let mut files = Vec::new();
    for checked in all.iter().filter(|checked| checked.said.outcome != Outcome::Pass) {
        if checked.said.outcome == Outcome::Wrong {
            return Err(Failure::usage(format!(
                "{}: wrong results cannot be accepted\n  help: {}",
                checked.subject, checked.said.text
            )));
        }
        let found = checked.made.as_ref().and_then(|made| {
            let comparison = made.audit.comparison.as_ref()?;
            Some((made, Measured::sides(&made.audit)?, comparison.whole.verdict))
        });
        let Some((made, (new, old), verdict)) = found else {
            return Err(Failure::usage(format!(
                "{}: there is no comparison to accept\n  help: {}",
                checked.subject, checked.said.text
            )));
        };
        let mut file = AcceptedFile::read(folder, &checked.subject)?;
        if file.accepted.iter().any(|accepted| accepted.is_about(&made.audit)) {
            continue;
        }
        if gate.compared(made)?.outcome == Outcome::Pass {
            return Err(Failure::usage(format!(
                "{}: its comparison passes, and a check that fails is not accepted\n  help: {}",
                checked.subject, checked.said.text
            )));
        }
        file.accepted.push(Accepted {
            date: date.clone(),
            commit: made.heading().commit.clone(),
            verdict: verdict.word().to_owned(),
            reason: arguments.reason.clone().unwrap_or_default(),
            change: change(&made.audit),
            new: Of::Kernel(new),
            old: Of::Kernel(old),
        });
        let text = file.to_toml().map_err(|error| Failure::usage(format!("it cannot be kept: {error}")))?;
        files.push((AcceptedFile::path(folder, &checked.subject), text));
    }
    let outputs: Vec<Output<'_>> = files.iter().map(|(path, text)| Output { path, bytes: text.as_bytes() }).collect();
    write_together(&outputs)?;
    Ok(())
}

fn report(
    arguments: &Check,
    all: &[Checked],
    left_out: &[String],
    stale: &[(String, String)],
    out: &mut dyn Write,
) -> Result<(), Failure> {
    let remark = |checked: &Checked| Remark {
        name: checked.subject.clone(),
        level: match checked.said.outcome {
            Outcome::Pass => Weight::Pass,
            Outcome::Regression | Outcome::Wrong => Weight::Fail,
            Outcome::Inconclusive if arguments.allow_inconclusive => Weight::Skip,
            Outcome::New if arguments.allow_new => Weight::Skip,
            Outcome::Inconclusive | Outcome::New => Weight::Unsure,
        },
        text: checked.said.text.clone(),
        file: checked.file.as_ref().map(|file| file.with_extension("md").display().to_string()).unwrap_or_default(),
        seconds: checked
            .made
            .as_ref()
            .and_then(|made| made.audit.performance.time.new.value())
            .map_or(0.0, |ns| ns / 1e9),
    };
    let remarks: Vec<Remark> = all.iter().map(remark).collect();
    if let Some(path) = &arguments.junit {
        write_together(&[Output { path, bytes: junit(&remarks).as_bytes() }])?;
    }
    for checked in all {
        let line = format!("{} {}: {}", checked.said.outcome.word(), checked.subject, checked.said.text);
        writeln!(out, "{}", plain::no_command(&plain::one_line(&line)))?;
    }
    for (subject, how) in stale {
        writeln!(out, "{}", plain::no_command(&plain::one_line(&format!("STALE {subject}: {how}"))))?;
    }
    if !left_out.is_empty() {
        writeln!(out, "Not checked: {}.", left_out.join(", "))?;
    }
    if arguments.github {
        let warning = |(name, how): &(String, String)| Remark {
            name: name.clone(),
            level: Weight::Skip,
            text: format!("STALE: {how}"),
            file: String::new(),
            seconds: 0.0,
        };
        out.write_all(github(&remarks).as_bytes())?;
        out.write_all(github(&stale.iter().map(warning).collect::<Vec<_>>()).as_bytes())?;
    }
    Ok(())
}
