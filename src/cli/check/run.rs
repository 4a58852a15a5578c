//! The run of the gate.

use super::outcome::{Outcome, outcome};
use crate::analysis::Limits;
use crate::cli::args::Check;
use crate::cli::failure::{Failure, Status};
use crate::cli::generate::Maker;
use crate::cli::made::Made;
use crate::cli::moment;
use crate::cli::plan::{self, out_folder};
use crate::config::Config;
use crate::render::{Level, Output, Remark, github, junit, write_together};
use crate::snapshot::{Accepted, AcceptedFile, Snapshot, StaticSnapshot, earlier, subjects};
use std::io::Write;
use std::path::{Path, PathBuf};

/// A subject, its audit where there is one, and the snapshot's path where it was read.
struct Checked {
    subject: String,
    snapshot: Option<Snapshot>,
    file: Option<PathBuf>,
    outcome: Outcome,
    why: String,
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
        limits.overrides.insert("regression".to_owned(), percent);
    }
    let folder = out_folder(arguments.folder.out.as_deref(), arguments.folder.config.as_deref())?;
    let mut all = if arguments.fresh { fresh(arguments)? } else { kept(arguments, config.as_ref(), &folder)? };
    for checked in &mut all {
        judge(checked, &folder, &limits)?;
    }
    if arguments.accept {
        accept(arguments, &folder, &mut all)?;
        for checked in &mut all {
            judge(checked, &folder, &limits)?;
        }
    }
    report(arguments, &all, out)?;
    let any = |outcome: Outcome| all.iter().any(|checked| checked.outcome == outcome);
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
        let snapshot = match &file {
            Some(file) if !StaticSnapshot::is_said_by(file)? => Some(Snapshot::read(file)?),
            _ => None,
        };
        Ok(Checked { subject, snapshot, file, outcome: Outcome::Inconclusive, why: String::new() })
    };
    names.into_iter().map(checked).collect()
}

/// The audits that `audit generate` would write today.
fn fresh(arguments: &Check) -> Result<Vec<Checked>, Failure> {
    let plan = plan::of_subjects(&arguments.subjects, &arguments.folder)?;
    let mut maker = Maker::new(&plan, moment::date(arguments.date)?, false);
    let checked = |subject: &crate::config::Subject| {
        let snapshot = match maker.make(subject)? {
            Made::Profiled(snapshot, _) | Made::Many(snapshot, _) => Some(*snapshot),
            Made::Static(_) => None,
        };
        let subject = subject.name.to_string();
        Ok(Checked { subject, snapshot, file: None, outcome: Outcome::Inconclusive, why: String::new() })
    };
    plan.subjects.iter().map(checked).collect()
}

fn judge(checked: &mut Checked, folder: &Path, limits: &Limits) -> Result<(), Failure> {
    (checked.outcome, checked.why) = match &checked.snapshot {
        Some(snapshot) => {
            let accepted = AcceptedFile::read(folder, &checked.subject)?.about(&snapshot.audit);
            outcome(&snapshot.audit, &accepted, limits)
        }
        None => {
            let why = match &checked.file {
                Some(_) => "NOT MEASURED: its last audit is of the code alone, without a report.".to_owned(),
                None => format!("NOT MEASURED: {} holds no snapshot of it. Run `audit generate`.", folder.display()),
            };
            (Outcome::Inconclusive, why)
        }
    };
    Ok(())
}

/// Notes every comparison that did not pass as accepted.
fn accept(arguments: &Check, folder: &Path, all: &mut [Checked]) -> Result<(), Failure> {
    let date = moment::date(arguments.date)?.to_string();
    let mut files = Vec::new();
    for checked in all.iter().filter(|checked| checked.outcome != Outcome::Pass) {
        if checked.outcome == Outcome::Wrong {
            return Err(Failure::usage(format!(
                "{}: wrong results cannot be accepted\n  help: {}",
                checked.subject, checked.why
            )));
        }
        let compared = checked.snapshot.as_ref().and_then(|snapshot| {
            let old = snapshot.audit.old.as_ref()?;
            let comparison = snapshot.audit.comparison.as_ref()?;
            Some((snapshot, old.origin.blake3.clone(), comparison.whole.verdict))
        });
        let Some((snapshot, old, verdict)) = compared else {
            return Err(Failure::usage(format!(
                "{}: there is no comparison to accept\n  help: {}",
                checked.subject, checked.why
            )));
        };
        let mut file = AcceptedFile::read(folder, &checked.subject)?;
        file.accepted.push(Accepted {
            date: date.clone(),
            commit: snapshot.heading.commit.clone(),
            verdict: verdict.word().to_owned(),
            reason: arguments.reason.clone().unwrap_or_default(),
            new: snapshot.audit.new.origin.blake3.clone(),
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
        level: match checked.outcome {
            Outcome::Pass => Level::Pass,
            Outcome::Regression | Outcome::Wrong => Level::Fail,
            Outcome::Inconclusive if arguments.allow_inconclusive => Level::Skip,
            Outcome::Inconclusive => Level::Unsure,
        },
        text: checked.why.clone(),
        file: checked.file.as_ref().map(|file| file.with_extension("md").display().to_string()).unwrap_or_default(),
        seconds: checked
            .snapshot
            .as_ref()
            .and_then(|snapshot| snapshot.audit.performance.time.new.value())
            .map_or(0.0, |ns| ns / 1e9),
    };
    let remarks: Vec<Remark> = all.iter().map(remark).collect();
    if let Some(path) = &arguments.junit {
        write_together(&[Output { path, bytes: junit(&remarks).as_bytes() }])?;
    }
    for checked in all {
        writeln!(out, "{} {}: {}", checked.outcome.word(), checked.subject, checked.why)?;
    }
    if arguments.github {
        out.write_all(github(&remarks).as_bytes())?;
    }
    Ok(())
}
