//! `audit generate`: read the evidence, analyse it, write the page and its snapshot.

use super::args::Generate;
use super::code::{ToolTime, builds, places};
use super::failure::Failure;
use super::plan::{DEFAULT_CONFIG, Plan, plan};
use super::snapshot::{Snapshot, StaticSnapshot};
use super::{lines, moment};
use crate::analysis::code::{CodeAudit, CodeInputs, Launched, StaticAudit, audit_code};
use crate::analysis::{self, Audit, Expectation, Inputs, Limits, Selection, Tiles, Work};
use crate::catalog;
use crate::collect::Places;
use crate::config::{Amount, DEFAULT_TEMPLATE, Subject};
use crate::evidence::{CodeBuild, Report, Want};
use crate::render::{Output, Templates, write_together};
use crate::source;
use crate::view::{self, Heading};
use std::io::Write;
use std::path::Path;
use std::sync::OnceLock;
use std::time::{Duration, Instant};

pub(super) fn run(arguments: Generate, out: &mut dyn Write) -> Result<(), Failure> {
    let start = Instant::now();
    let plan = plan(&arguments)?;
    let date = moment::date(arguments.date)?.to_string();
    let templates = Templates::load(plan.templates.as_deref())?;
    let tree = OnceLock::new();
    let places = places(&plan.tools, &plan.folder);
    let mut time = ToolTime::default();
    for subject in &plan.subjects {
        let commit = match &subject.commit {
            Some(commit) => commit.clone(),
            None => tree.get_or_init(|| moment::commit(&plan.folder).unwrap_or_default()).clone(),
        };
        let heading = Heading {
            subject: subject.name.to_string(),
            title: subject.title.clone().unwrap_or_default(),
            command: command(&plan, subject, &date, &commit, arguments.allow_damage),
            date: date.clone(),
            commit,
            change: subject.change.clone().unwrap_or_default(),
            program: env!("CARGO_PKG_VERSION").to_owned(),
        };
        let code = code(&places, &plan.folder, subject, &mut time)?;
        let json = |error| Failure::usage(format!("the audit of {} cannot be kept as JSON: {error}", subject.name));
        let (document, data) = match &subject.report {
            Some(report) => {
                let mut audits = audits(subject, report, &plan, &code, arguments.allow_damage)?;
                let document = match plan.template.as_str() {
                    view::DELIVERABLE => view::deliverable(&heading, &audits),
                    _ => view::document(&heading, &audits[0]),
                };
                (document, Snapshot::new(heading, audits.swap_remove(0)).to_json().map_err(json)?)
            }
            None => {
                let audit = static_audit(subject, &plan, &code)?;
                (view::static_document(&heading, &audit), StaticSnapshot::new(heading, audit).to_json().map_err(json)?)
            }
        };
        let page = templates.page(&plan.template, &document)?;
        let stem = format!("{date}-{}", subject.name);
        let (page_path, data_path) = (plan.out.join(format!("{stem}.md")), plan.out.join(format!("{stem}.json")));
        write_together(&[
            Output { path: &page_path, bytes: page.as_bytes() },
            Output { path: &data_path, bytes: &data },
        ])?;
        writeln!(out, "{}\n{}", page_path.display(), data_path.display())?;
    }
    if arguments.timings {
        timings(start.elapsed(), time)?;
    }
    Ok(())
}

/// The builds of a subject: those under audit, and those before.
#[derive(Default)]
struct Builds {
    new: Vec<CodeBuild>,
    old: Vec<CodeBuild>,
}

fn code(places: &Places, folder: &Path, subject: &Subject, time: &mut ToolTime) -> Result<Builds, Failure> {
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

/// What the subject states, with the checklists that it names spelled out.
fn stated_work(subject: &Subject, limits: &Limits) -> Work {
    let stated = &subject.work;
    let lists = subject.checklists.iter().filter_map(|id| catalog::profile(id));
    let listed = lists.flat_map(|profile| Expectation::of_profile(profile, limits));
    let own = subject.expect.iter().map(|e| Expectation::own(&e.metric, e.op, e.value, e.label.as_deref()));
    Work {
        shape: stated.shape.clone().unwrap_or_default(),
        types: stated.types.clone().unwrap_or_default(),
        flop: stated.flop.as_ref().map(Amount::value),
        bytes: stated.bytes.as_ref().map(Amount::value),
        tiles: subject.tiles.as_ref().map(|tiles| Tiles {
            count: tiles.count.value(),
            stores_per_warp: tiles.stores_per_warp.value(),
            warps: tiles.warps.value(),
        }),
        expected: listed.chain(own).collect(),
    }
}

/// The audit of the kernel with the most device time; for the page of one line each, those of all kernels that the
/// subject takes, that kernel first, and without a comparison. Never empty.
fn audits(
    subject: &Subject,
    report: &Path,
    plan: &Plan,
    code: &Builds,
    allow_damage: bool,
) -> Result<Vec<Audit>, Failure> {
    let is_many = plan.template == view::DELIVERABLE;
    let limits = Limits { overrides: plan.thresholds.clone() };
    let work = stated_work(subject, &limits);
    let want = Want { allow_damage, ..analysis::want_for(&work) };
    let read = |path: &Path| -> Result<Report, Failure> { Ok(source::read_profile(path, &want)?) };
    let new = read(report)?;
    let old = subject.baseline.as_deref().filter(|_| !is_many).map(read).transpose()?;
    let builds =
        subject.ptxas.iter().map(|path| source::read_build_log(path)).collect::<Result<Vec<_>, source::ReadError>>()?;
    let selection = Selection { kernel: subject.kernel.clone(), baseline_kernel: subject.baseline_kernel.clone() };
    let view = lines::source_view(report, &new, &selection, allow_damage, &code.new)?;
    let launched = if code.new.is_empty() {
        None
    } else {
        Some(Launched::of(&new, &source::read_report_cubins(report)?, &selection)?)
    };
    let inputs =
        Inputs { new: &new, old: old.as_ref(), builds: &builds, source: view.as_ref(), selection, work, limits };
    if is_many {
        return Ok(analysis::analyse_all(&inputs)?);
    }
    let mut audit = analysis::analyse(&inputs)?;
    audit.code = judged(subject, code, launched.as_ref())?;
    Ok(vec![audit])
}

fn static_audit(subject: &Subject, plan: &Plan, code: &Builds) -> Result<StaticAudit, Failure> {
    let limits = Limits { overrides: plan.thresholds.clone() };
    Ok(StaticAudit { work: stated_work(subject, &limits), code: judged(subject, code, None)? })
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
    if !commit.is_empty() && (plan.config.is_none() || subject.commit.is_none()) {
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
    plan.thresholds.iter().for_each(|(id, value)| option("--threshold", &format!("{id}={value}")));
}

/// A word as a POSIX shell takes it.
fn quoted(word: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "-_./:=,+@%^".contains(c);
    if !word.is_empty() && word.chars().all(is_plain) {
        word.to_owned()
    } else {
        format!("'{}'", word.replace('\'', "'\\''"))
    }
}

#[cfg(test)]
mod tests {
    use super::quoted;

    #[test]
    fn words_are_quoted_where_a_shell_needs_it() {
        assert_eq!(quoted("a/b.ncu-rep"), "a/b.ncu-rep");
        assert_eq!(quoted("2*3"), "'2*3'");
        assert_eq!(quoted("it's"), "'it'\\''s'");
        assert_eq!(quoted(""), "''");
    }
}
