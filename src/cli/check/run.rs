//! The run of the gate.

use super::outcome::{Outcome, Said, compared};
use super::{baseline, stated};
use crate::analysis::{Audit, Limits, Severity};
use crate::cli::args::{Check, Level};
use crate::cli::failure::{Failure, Status};
use crate::cli::generate::Maker;
use crate::cli::made::Made;
use crate::cli::moment;
use crate::cli::plan::{self, out_folder};
use crate::config::Config;
use crate::render::{Level as Weight, Output, Remark, github, junit, write_together};
use crate::snapshot::{Accepted, AcceptedFile, Snapshot, earlier, subjects};
use std::io::Write;
use std::path::{Path, PathBuf};

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
    let folder = out_folder(arguments.folder.out.as_deref(), arguments.folder.config.as_deref())?;
    let mut all = if arguments.fresh { fresh(arguments)? } else { kept(arguments, config.as_ref(), &folder)? };
    let project = config.as_ref().map(|config| config.folder.clone()).unwrap_or_default();
    let gate = Gate { arguments, folder: &folder, project: &project, limits: &limits };
    for checked in &mut all {
        checked.said = gate.judge(checked)?;
    }
    if arguments.accept {
        accept(&gate, &mut all)?;
        for checked in &mut all {
            checked.said = gate.judge(checked)?;
        }
    }
    report(arguments, &all, out)?;
    let any = |outcome: Outcome| all.iter().any(|checked| checked.said.outcome == outcome);
    if any(Outcome::Regression) || any(Outcome::Wrong) {
        return Err(Failure::verdict(Status::Findings));
    }
    if any(Outcome::Inconclusive) && !arguments.allow_inconclusive {
        return Err(Failure::verdict(Status::Inconclusive));
    }
    Ok(())
}

/// The newest snapshot of each subject that is asked for, of the configuration file, or of the folder.
fn kept(arguments: &Check, config: Option<&Config>, folder: &Path) -> Result<Vec<Checked>, Failure> {
    let names = match (arguments.subjects.is_empty(), config) {
        (false, _) => arguments.subjects.clone(),
        (true, Some(config)) => config.defaults().map(|subject| subject.name.to_string()).collect(),
        (true, None) => subjects(folder)?,
    };
    if names.is_empty() {
        return Err(Failure::usage(format!(
            "{} holds no snapshot to check\n  help: run `audit generate`, or name the folder with --out",
            folder.display()
        )));
    }
    let checked = |subject: String| {
        let file = earlier(folder, &subject, None)?.pop().map(|found| found.path);
        let made = file.as_deref().map(Snapshot::read).transpose()?.map(Made::of);
        Ok(Checked::new(subject, made, file))
    };
    names.into_iter().map(checked).collect()
}

/// The audits that `audit generate` would write today.
fn fresh(arguments: &Check) -> Result<Vec<Checked>, Failure> {
    let plan = plan::of_subjects(&arguments.subjects, &arguments.folder)?;
    let mut maker = Maker::new(&plan, moment::date(arguments.date)?, false);
    let checked = |subject: &crate::config::Subject| {
        Ok(Checked::new(subject.name.to_string(), Some(maker.make(subject, false)?), None))
    };
    plan.subjects.iter().map(checked).collect()
}

/// What subjects are held to.
struct Gate<'a> {
    arguments: &'a Check,
    /// Where audits lie.
    folder: &'a Path,
    /// Where the paths that audits name are relative to.
    project: &'a Path,
    limits: &'a Limits,
}

impl Gate<'_> {
    fn judge(&self, checked: &Checked) -> Result<Said, Failure> {
        let Some(made) = &checked.made else {
            let text =
                format!("NOT MEASURED: {} holds no snapshot of it. Run `audit generate`.", self.folder.display());
            return Ok(Said { outcome: Outcome::Inconclusive, text });
        };
        let audit = &made.audit;
        let checks = if self.arguments.no_checks { None } else { stated::checks(audit) };
        if audit.is_of_code_alone() {
            let alone = "Its last audit is of the code alone: time is NOT MEASURED.";
            return Ok(match checks {
                Some(checks) => Said { outcome: checks.outcome, text: format!("{} {alone}", checks.text) },
                None => {
                    let text = format!("NOT MEASURED: it states no checks. {alone}");
                    Said { outcome: Outcome::Inconclusive, text }
                }
            });
        }
        let compared = self.compared(&checked.subject, audit)?;
        let correctness = if self.arguments.no_checks { None } else { stated::correctness(audit) };
        let findings = self.arguments.findings.map(|level| stated::findings(audit, severity(level)));
        Ok(Said::together([Some(compared), checks, correctness, findings].into_iter().flatten()))
    }

    /// The comparison alone, which is what can be accepted.
    fn compared(&self, subject: &str, audit: &Audit) -> Result<Said, Failure> {
        let accepted = AcceptedFile::read(self.folder, subject)?.about(audit);
        let said = compared(audit, &accepted, self.limits);
        Ok(Said { text: said.text + &baseline::told(audit, subject, self.folder, self.project), ..said })
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
    let mut files = Vec::new();
    for checked in all.iter().filter(|checked| checked.said.outcome != Outcome::Pass) {
        if checked.said.outcome == Outcome::Wrong {
            return Err(Failure::usage(format!(
                "{}: wrong results cannot be accepted\n  help: {}",
                checked.subject, checked.said.text
            )));
        }
        let found = checked.made.as_ref().and_then(|made| {
            let old = made.audit.old.as_ref()?;
            let comparison = made.audit.comparison.as_ref()?;
            Some((made, old.origin.blake3.clone(), comparison.whole.verdict))
        });
        let Some((made, old, verdict)) = found else {
            return Err(Failure::usage(format!(
                "{}: there is no comparison to accept\n  help: {}",
                checked.subject, checked.said.text
            )));
        };
        if gate.compared(&checked.subject, &made.audit)?.outcome == Outcome::Pass {
            return Err(Failure::usage(format!(
                "{}: its comparison passes, and a check that fails is not accepted\n  help: {}",
                checked.subject, checked.said.text
            )));
        }
        let mut file = AcceptedFile::read(folder, &checked.subject)?;
        file.accepted.push(Accepted {
            date: date.clone(),
            commit: made.heading().commit.clone(),
            verdict: verdict.word().to_owned(),
            reason: arguments.reason.clone().unwrap_or_default(),
            new: made.audit.new.origin.blake3.clone(),
            old,
        });
        let text = file.to_toml().map_err(|error| Failure::usage(format!("it cannot be kept: {error}")))?;
        files.push((AcceptedFile::path(folder, &checked.subject), text));
    }
    let outputs: Vec<Output<'_>> = files.iter().map(|(path, text)| Output { path, bytes: text.as_bytes() }).collect();
    write_together(&outputs)?;
    Ok(())
}

fn report(arguments: &Check, all: &[Checked], out: &mut dyn Write) -> Result<(), Failure> {
    let remark = |checked: &Checked| Remark {
        name: checked.subject.clone(),
        level: match checked.said.outcome {
            Outcome::Pass => Weight::Pass,
            Outcome::Regression | Outcome::Wrong => Weight::Fail,
            Outcome::Inconclusive if arguments.allow_inconclusive => Weight::Skip,
            Outcome::Inconclusive => Weight::Unsure,
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
        writeln!(out, "{} {}: {}", checked.said.outcome.word(), checked.subject, checked.said.text)?;
    }
    if arguments.github {
        out.write_all(github(&remarks).as_bytes())?;
    }
    Ok(())
}
