//! What the gate holds a subject to beside its time: its checks, correctness, findings of a severity, and that what lies beside
//! its audits fits them.

use super::outcome::{Outcome, Said, Seen};
use crate::analysis::code::{CodeAudit, Identity};
use crate::analysis::{Audit, Finding, Milestone, Severity};
use crate::catalog::{Code, LimiterKind};
use crate::cli::stale::Since;
use crate::cli::{Made, args, evidence};
use crate::collect::files;
use crate::config::{Config, DEFAULT_TEMPLATE, Subject};
use crate::render::{Templates, intact, otherwise};
use crate::shell::split;
use crate::snapshot::Snapshot;
use crate::source::Profile;
use crate::view;
use crate::words::Words;
use std::path::Path;

/// The checklists and expectations of a subject, and its checks on the machine code; `None` where it states none.
pub(super) fn checks(audit: &Audit) -> Option<Said> {
    let lines = audit.checks.iter().map(|line| (Outcome::of(line.outcome), line.expected.label.clone()));
    let unchecked = audit.unchecked.iter().map(|check| (Outcome::of(check.verdict), check.name.clone()));
    told(lines.chain(of_code(&audit.code)).chain(unchecked).collect())
}

/// What a cubin that was given holds is nothing of the kernel where another code was timed.
fn of_code(code: &[CodeAudit]) -> impl Iterator<Item = (Outcome, String)> {
    code.iter().flat_map(|build| {
        let arch = &build.facts.arch;
        let is_other = build.facts.cubin.is_some() && matches!(build.facts.identity, Identity::Differs { .. });
        build.checks.iter().map(move |check| match Outcome::of(check.verdict) {
            Outcome::Pass if is_other => {
                (Outcome::Inconclusive, format!("{} ({arch}, its cubin is not what was timed)", check.name))
            }
            found => (found, format!("{} ({arch})", check.name)),
        })
    })
}

fn told(lines: Vec<(Outcome, String)>) -> Option<Said> {
    if lines.is_empty() {
        return None;
    }
    let named = |outcome: Outcome| -> Vec<&str> {
        lines.iter().filter(|(found, _)| *found == outcome).map(|(_, label)| label.as_str()).collect()
    };
    let (failed, unknown) = (named(Outcome::Regression), named(Outcome::Inconclusive));
    let mut text = format!("{} of {} checks pass", named(Outcome::Pass).len(), lines.len());
    if !failed.is_empty() {
        text += &format!("; FAIL: {}", failed.join(", "));
    }
    if !unknown.is_empty() {
        text += &format!("; NOT MEASURED: {}", unknown.join(", "));
    }
    let outcome = match (failed.is_empty(), unknown.is_empty()) {
        (false, _) => Outcome::Regression,
        (true, false) => Outcome::Inconclusive,
        (true, true) => Outcome::Pass,
    };
    Some(Said { outcome, text: text + "." })
}

/// That the page beside a snapshot was edited where the program writes it, lacks a block, or is of another report; `None` where it
/// is as the program wrote it.
pub(super) fn page(path: &Path, made: &Made, config: Option<&Config>) -> Option<Said> {
    let why = match crate::read::text(path) {
        Ok(text) => match intact(path, &text) {
            Ok(()) => other(&text, made, config)?,
            Err(error) => error.to_string(),
        },
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return None,
        Err(error) => format!("{} cannot be read: {error}", path.display()),
    };
    let text = format!("Its page does not say what its snapshot says: {}.", why.lines().next().unwrap_or_default());
    Some(Said { outcome: Outcome::Regression, text })
}

/// Which block of a page of a built-in template says something else than its snapshot, or is not there; `None` where each is as it
/// should be, or somebody's own template or another version of this program wrote it.
fn other(page: &str, made: &Made, config: Option<&Config>) -> Option<String> {
    let heading = made.heading();
    let is_own = |config: &Config| config.templates.is_some() || !config.overrides.is_empty();
    if config.is_some_and(is_own)
        || [" --templates ", " --template-file "].iter().any(|flag| heading.command.contains(flag))
        || heading.program != env!("CARGO_PKG_VERSION")
    {
        return None;
    }
    let template = if heading.template.is_empty() { DEFAULT_TEMPLATE } else { &heading.template };
    let whole = Templates::load(None).ok()?.marked_page(template, &made.document()).ok()?.text;
    otherwise(page, &whole).map(|(block, is_there)| match is_there {
        true => format!("the block {block:?} is of another audit"),
        false => format!("it lacks the block {block:?}"),
    })
}

/// Stated work that cannot be, which fails; else how far the newest audit is from the floor of its work.
pub(super) fn work(audit: &Audit, milestones: &[Milestone]) -> Option<Said> {
    let impossible: Vec<String> = view::impossible(audit).iter().map(Words::to_plain).collect();
    if impossible.is_empty() {
        return view::of_series(milestones).map(|text| Said { outcome: Outcome::Pass, text });
    }
    Some(Said { outcome: Outcome::Regression, text: format!("{}.", impossible.join("; ")) })
}

/// That HEAD has another version of the kernel than the one that was audited, or that nobody can tell; `None` where it has
/// the same.
pub(super) fn current(since: Since) -> Option<Said> {
    match since {
        Since::Same => None,
        Since::Changed(how) => {
            Some(Said { outcome: Outcome::Regression, text: format!("STALE: {how}. Profile what HEAD has.") })
        }
        Since::Unknown(why) => {
            let text = format!("Whether HEAD's kernel is the one that was audited is NOT MEASURED: {why}.");
            Some(Said { outcome: Outcome::Inconclusive, text })
        }
    }
}

/// What keeps the results from being known, where somebody looked; `None` where nothing does. Results that are wrong go
/// before everything, with the comparison.
pub(super) fn correctness(audit: &Audit) -> Option<Said> {
    let unknown: Vec<&str> =
        audit.trials.sanitizer.iter().filter(|run| !run.not_measured.is_empty()).map(|run| run.tool.name()).collect();
    let tools = (!unknown.is_empty()).then(|| format!("compute-sanitizer did not finish: {}.", unknown.join(", ")));
    let outputs = view::void_check(audit).map(|why| format!("The check of the outputs cannot tell: {why}."));
    let said = |text| Said { outcome: Outcome::Inconclusive, text };
    let parts: Vec<Said> = tools.into_iter().chain(outputs).map(said).collect();
    (!parts.is_empty()).then(|| Said::together(parts))
}

/// Patterns of that severity or a graver one that the old side did not show; all of them where there is no old side. A
/// limiter is no pattern: every kernel has one.
pub(super) fn findings(audit: &Audit, least: Severity) -> Said {
    let is_pattern = |finding: &&Finding| {
        finding.severity <= least && finding.code.row().is_some_and(|row| row.kind != LimiterKind::Limiter)
    };
    fn unknown<'a>(found: &'a [Finding], old: Option<&'a [Code]>) -> impl Iterator<Item = &'a Finding> {
        found.iter().filter(move |finding| !old.unwrap_or_default().contains(&finding.code))
    }
    let of_code = audit.code.iter().flat_map(|code| unknown(&code.findings, code.old_findings.as_deref()));
    let said = |finding: &Finding| {
        let at = finding.at.as_ref().map(|at| format!(" at {}:{}", at.file, at.line)).unwrap_or_default();
        format!("{}{at}", finding.code)
    };
    let new: Vec<String> = audit.new_findings().chain(of_code).filter(is_pattern).map(said).collect();
    let unseen = |finding: &&Finding| {
        audit.change.as_ref().is_some_and(|change| change.unseen_before.contains(&finding.code)) && is_pattern(finding)
    };
    let unseen: Vec<String> =
        audit.now.findings.iter().filter(unseen).map(|finding| finding.code.to_string()).collect();
    let beside = match unseen.as_slice() {
        [] => String::new(),
        some => format!(" The old side did not measure what would show {}.", some.join(", ")),
    };
    match new.as_slice() {
        [] => Said { outcome: Outcome::Pass, text: format!("No new finding.{beside}") },
        some => Said { outcome: Outcome::Regression, text: format!("New findings: {}.{beside}", some.join(", ")) },
    }
}

/// How a file begins that stands for one that Git LFS did not fetch.
const POINTER: &[u8] = b"version https://git-lfs";

/// That the report which the subject names is another than the newest audit's; `None` where it is the same, or not here.
pub(super) fn report(subject: &Subject, project: &Path, seen: &Seen) -> Option<Said> {
    let audited = &seen.made.as_ref()?.snapshot.evidence.new.profile.as_ref()?.origin.blake3;
    let path = match &subject.report {
        Some(report) => report.clone(),
        None => evidence::folder_of(subject, project).join(files::PROFILE.1),
    };
    if audited.is_empty() || !path.is_file() || crate::read::head(&path, 64).ok()?.starts_with(POINTER) {
        return None;
    }
    let hash = Profile::open(&path, false).and_then(|mut profile| profile.hash()).ok()?;
    if hash == *audited {
        return None;
    }
    let newest = seen.record.newest().map(|entry| entry.milestone.day()).unwrap_or_default();
    let of = |entry: &&crate::snapshot::Entry| {
        let profile = Snapshot::read(&entry.found.path).ok().and_then(|snapshot| snapshot.evidence.new.profile);
        profile.is_some_and(|profile| profile.origin.blake3 == hash)
    };
    let shown = crate::analysis::without_home(&path.display().to_string());
    let text = match seen.record.entries.iter().rev().find(of) {
        Some(entry) => format!(
            "{shown} is the report of {}, and {newest} was audited last: the kernel went back. `audit generate {}` notes it.",
            entry.milestone.day(),
            subject.name
        ),
        None => format!("{shown} is not what was audited last, on {newest}: run `audit generate {}`.", subject.name),
    };
    Some(Said { outcome: Outcome::Inconclusive, text })
}

/// That the newest audit was made with choices that audit.toml does not state; `None` where it was made as everybody makes it.
pub(super) fn chosen(subject: &Subject, config: &Config, made: &Made) -> Option<Said> {
    let command = &made.heading().command;
    let thresholds = config.thresholds.iter().map(|(id, number)| format!("{id}={number}")).collect::<Vec<_>>();
    let words = split(command);
    let other = words.windows(2).filter(|pair| pair[0] == "--threshold" && !thresholds.contains(&pair[1]));
    let other = args::chosen(command, subject).into_iter().chain(other.map(|pair| pair.join(" ")));
    let other = other.collect::<Vec<_>>().join(", ");
    let text = format!(
        "It was made with {other}, which audit.toml does not state: state it there or leave it out, and run `audit generate {}`.",
        subject.name
    );
    (!other.is_empty()).then_some(Said { outcome: Outcome::Inconclusive, text })
}
