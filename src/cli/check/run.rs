//! The run of the gate, and `--accept`, which notes every comparison that did not pass as accepted, with its reason.

use super::base::Base;
use super::baseline::Committed;
use super::gate::Gate;
use super::outcome::{Checked, Outcome, Seen};
use super::past::Past;
use crate::analysis::Limits;
use crate::cli::args::Check;
use crate::cli::generate::Maker;
use crate::cli::plan::{self, out_folder};
use crate::cli::slot::Days;
use crate::cli::stale::Sources;
use crate::cli::threads::on_threads;
use crate::cli::{Failure, Made, Status, moment};
use crate::config::Config;
use crate::nearest::did_you_mean;
use crate::plain;
use crate::render::{Level as Weight, Output, Remark, github, junit, page_lock, write_together};
use crate::snapshot::{Accepted, AcceptedFile, Found, Pins, every};
use std::collections::{BTreeMap, BTreeSet};
use std::io::Write;
use std::path::Path;

/// Subjects that were left out and are named; of more the count is told.
const NAMED: usize = 5;

/// The gate. One that could not be run says so where its outcome would stand: in the annotations and in the JUnit file.
/// Errors: its own; what cannot be written of them is not said.
pub(in crate::cli) fn run(arguments: &Check, out: &mut dyn Write) -> Result<(), Failure> {
    gate(arguments, out).inspect_err(|failure| {
        if failure.report().is_empty() {
            return;
        }
        let text = plain::clean(&anstream::adapter::strip_str(failure.report()).to_string()).into_owned();
        let (name, file) = ("audit check".to_owned(), String::new());
        let remark = [Remark { name, level: Weight::Fail, text, file, seconds: 0.0 }];
        if let Some(path) = &arguments.junit {
            let _ = write_together(&[Output { path, bytes: junit(&remark).as_bytes() }]);
        }
        if arguments.github {
            let _ = out.write_all(github(&remark).as_bytes());
        }
    })
}

fn gate(arguments: &Check, out: &mut dyn Write) -> Result<(), Failure> {
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
    let found = every(&folder)?;
    let file = arguments.folder.config.as_deref().unwrap_or(Path::new(plan::DEFAULT_CONFIG));
    // What the base states holds where it is gone here.
    let file = (config.is_some() || arguments.folder.out.is_none()).then_some(file);
    let base = |name: &String| Base::of(name, file, &folder, arguments.folder.out.is_some());
    let base = arguments.base.as_ref().map(base).transpose()?;
    let lowered = base.as_ref().map(|base| base.limits(&mut limits)).unwrap_or_default();
    let Asked { names, left_out } = Asked::of(arguments, config.as_ref(), &folder, &found, base.as_ref())?;
    let project = config.as_ref().map(|config| config.folder.clone()).unwrap_or_default();
    let pins = Pins::read(&folder)?;
    let gate = Gate {
        arguments,
        config: config.as_ref(),
        folder: &folder,
        project: &project,
        sources: Sources::of(&project),
        committed: Committed::of(&folder),
        limits: &limits,
        pins: base.as_ref().map_or(&pins, |base| &base.pins),
        own_pins: &pins,
        base: base.as_ref(),
        past: Past::of(&folder, config.as_ref(), &found),
        found: &found,
    };
    let mut fresh = if arguments.fresh { fresh(arguments, &names)? } else { BTreeMap::new() };
    let all: Vec<Checked> = match arguments.accept || arguments.fresh {
        false => checked(&gate, &names),
        true => {
            let mut all = Vec::new();
            for name in &names {
                all.push(match gate.seen(name, fresh.remove(name)) {
                    Ok(seen) => (judged(&gate, name, &seen)?, Some(seen)),
                    Err(failure) => (Checked::failed(name, &failure), None),
                });
            }
            if arguments.accept {
                accept(&gate, &all)?;
                for (checked, seen) in &mut all {
                    let Some(old) = seen.take() else { continue };
                    let accepted = AcceptedFile::read(&folder, &checked.subject)?;
                    let seen = Seen { record: old.record.accepting(accepted), ..old };
                    *checked = judged(&gate, &checked.subject, &seen)?;
                }
            }
            all.into_iter().map(|(checked, _)| checked).collect()
        }
    };
    report(arguments, &all, &left_out, &lowered, out)?;
    if let Some(status) = all.iter().filter_map(|checked| checked.failed).max_by_key(|status| *status as u8) {
        return Err(Failure::verdict(status));
    }
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

fn judged(gate: &Gate<'_>, subject: &str, seen: &Seen) -> Result<Checked, Failure> {
    let (said, stale) = gate.judge(subject, seen)?;
    let page = seen.file.as_ref().map(|file| file.with_extension("md").display().to_string()).unwrap_or_default();
    let ns = seen.made.as_ref().and_then(|made| made.audit.performance.time.new.value());
    let subject = subject.to_owned();
    Ok(Checked { subject, page, seconds: ns.map_or(0.0, |ns| ns / 1e9), said, stale, failed: None })
}

/// What the gate says of some subjects, on as many threads as the machine has; an audit is let go once it was judged.
fn checked(gate: &Gate<'_>, names: &[String]) -> Vec<Checked> {
    on_threads(names, |name| {
        let checked = gate.seen(name, None).and_then(|seen| judged(gate, name, &seen));
        checked.unwrap_or_else(|failure| Checked::failed(name, &failure))
    })
}

struct Asked {
    names: Vec<String>,
    /// The others: of the configuration file, and those that only the folder knows.
    left_out: Vec<String>,
}

impl Asked {
    /// Errors: a name that neither the configuration file nor the folder of audits knows, or nothing to check.
    fn of(
        arguments: &Check,
        config: Option<&Config>,
        folder: &Path,
        found: &BTreeMap<String, Vec<Found>>,
        base: Option<&Base>,
    ) -> Result<Asked, Failure> {
        let kept: Vec<String> = found.keys().cloned().collect();
        let former: Vec<String> = base.into_iter().flat_map(Base::subjects).cloned().collect();
        let stated: Vec<String> = match config {
            Some(config) => config.subjects.iter().map(|subject| subject.name.to_string()).collect(),
            None => kept.clone(),
        };
        let known: BTreeSet<&String> = stated.iter().chain(&kept).chain(&former).collect();
        if let Some(unknown) = arguments.subjects.iter().find(|name| !known.contains(name)) {
            let near = did_you_mean(unknown, known.iter().map(|name| name.as_str()));
            return Err(Failure::usage(format!(
                "no subject is called {unknown:?}{near}\n  help: {} and the configuration file know: {}",
                folder.display(),
                known.iter().map(|name| name.as_str()).collect::<Vec<_>>().join(", ")
            )));
        }
        let mut names = if arguments.subjects.is_empty() { stated.clone() } else { arguments.subjects.clone() };
        if arguments.subjects.is_empty() {
            // What the base has is held, whatever is named here.
            names.extend(former.iter().filter(|name| !stated.contains(name)).cloned());
        }
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

/// The audits that `audit generate` would write today, by their subjects.
fn fresh(arguments: &Check, names: &[String]) -> Result<BTreeMap<String, Made>, Failure> {
    let plan = plan::of_subjects(names, &arguments.folder)?;
    let mut maker = Maker::new(&plan, Days::today(arguments.date)?, false);
    plan.subjects.iter().map(|subject| Ok((subject.name.to_string(), maker.make(subject, false)?))).collect()
}

fn report(
    arguments: &Check,
    all: &[Checked],
    left_out: &[String],
    lowered: &[String],
    out: &mut dyn Write,
) -> Result<(), Failure> {
    let remark = |checked: &Checked| Remark {
        name: checked.subject.clone(),
        level: match checked.said.outcome {
            Outcome::Pass => Weight::Pass,
            Outcome::Regression | Outcome::Wrong | Outcome::Broken => Weight::Fail,
            Outcome::Inconclusive if arguments.allow_inconclusive => Weight::Skip,
            Outcome::New if arguments.allow_new => Weight::Skip,
            Outcome::Inconclusive | Outcome::New => Weight::Unsure,
        },
        text: checked.said.text.clone(),
        file: checked.page.clone(),
        seconds: checked.seconds,
    };
    let remarks: Vec<Remark> = all.iter().map(remark).collect();
    if let Some(path) = &arguments.junit {
        write_together(&[Output { path, bytes: junit(&remarks).as_bytes() }])?;
    }
    let stale = || all.iter().filter_map(|checked| Some((&checked.subject, checked.stale.as_ref()?)));
    let own = all.iter().map(|one| format!("{} {}: {}", one.said.outcome.word(), one.subject, one.said.text));
    let stale_lines = stale().map(|(subject, how)| format!("STALE {subject}: {how}"));
    for line in own.chain(stale_lines).chain(lowered.iter().cloned()) {
        writeln!(out, "{}", plain::no_command(&plain::one_line(&line)))?;
    }
    if !left_out.is_empty() {
        let told = match left_out.len() {
            ..=NAMED => left_out.join(", "),
            many => format!("{many} others"),
        };
        writeln!(out, "Not checked: {told}.")?;
    }
    if arguments.github {
        let warning = |(name, how): (&String, &String)| Remark {
            name: name.clone(),
            level: Weight::Skip,
            text: format!("STALE: {how}"),
            file: String::new(),
            seconds: 0.0,
        };
        out.write_all(github(&remarks).as_bytes())?;
        out.write_all(github(&stale().map(warning).collect::<Vec<_>>()).as_bytes())?;
    }
    Ok(())
}

/// What is locked while acceptances are written.
const ACCEPTING: &str = "accepted.toml";

pub(super) fn accept(gate: &Gate<'_>, all: &[(Checked, Option<Seen>)]) -> Result<(), Failure> {
    let (arguments, folder) = (gate.arguments, gate.folder);
    let date = moment::date(arguments.date)?.to_string();
    // What another run accepts meanwhile is kept, and nothing is accepted twice.
    let _lock = page_lock(&folder.join(ACCEPTING))?;
    let mut files = Vec::new();
    for (checked, seen) in all.iter().filter(|(checked, _)| checked.said.outcome != Outcome::Pass) {
        let refused = |why: &str| Failure::usage(format!("{}: {why}\n  help: {}", checked.subject, checked.said.text));
        if checked.said.outcome == Outcome::Wrong {
            return Err(refused("wrong results cannot be accepted"));
        }
        let made = seen.as_ref().and_then(|seen| Some((seen, seen.made.as_ref()?)));
        let found = made.and_then(|(seen, made)| {
            let milestone = &made.snapshot.milestone;
            Some((seen, made, milestone, milestone.compared.clone()?, milestone.verdict?))
        });
        let Some((seen, made, milestone, compared, verdict)) = found else {
            return Err(refused("there is no comparison to accept"));
        };
        let mut file = AcceptedFile::read(folder, &checked.subject)?;
        if seen.record.clone().accepting(file.clone()).series.now().problem.is_none() && file != seen.record.accepted {
            continue;
        }
        let is_of_base = gate.told_by_base(&checked.subject, seen).is_some();
        if gate.compared(seen, made)?.outcome == Outcome::Pass && !is_of_base {
            return Err(refused("its comparison passes, and a check that fails is not accepted"));
        }
        file.accepted.push(Accepted {
            date: date.clone(),
            commit: made.heading().commit.clone(),
            verdict: verdict.word().to_owned(),
            reason: arguments.reason.clone().unwrap_or_default(),
            change: compared.change,
            audit: Some(milestone.mark()),
            new: compared.new,
            old: compared.old,
        });
        let text = file.to_toml().map_err(|error| Failure::usage(format!("it cannot be kept: {error}")))?;
        files.push((AcceptedFile::path(folder, &checked.subject), text));
    }
    let outputs: Vec<Output<'_>> = files.iter().map(|(path, text)| Output { path, bytes: text.as_bytes() }).collect();
    write_together(&outputs)?;
    Ok(())
}
