//! `audit generate`: read the evidence, analyse it, write the page and its snapshot.

use super::args::Generate;
use super::baseline;
use super::failure::Failure;
use super::moment;
use super::plan::{DEFAULT_CONFIG, Plan, plan};
use crate::analysis::{self, Inputs, Limits, Old, Selection, Work};
use crate::config::{Amount, DEFAULT_TEMPLATE, Subject};
use crate::evidence::Want;
use crate::render::{Output, PageLock, RenderError, Templates, marked, merged, write_together};
use crate::snapshot::{AcceptedFile, Snapshot, milestones, stem};
use crate::source;
use crate::view::{self, Heading};
use chrono::NaiveDate;
use std::io::Write;
use std::path::Path;
use std::sync::OnceLock;

pub(super) fn run(arguments: Generate, out: &mut dyn Write) -> Result<(), Failure> {
    if let Some(snapshot) = &arguments.from {
        return again(snapshot, &arguments, out);
    }
    let plan = plan(&arguments)?;
    let date = moment::date(arguments.date)?;
    let templates = Templates::load(plan.templates.as_deref())?;
    let tree = OnceLock::new();
    for subject in &plan.subjects {
        let commit = match &subject.commit {
            Some(commit) => commit.clone(),
            None => tree.get_or_init(|| moment::commit(&plan.folder).unwrap_or_default()).clone(),
        };
        let snapshot = snapshot(&plan, subject, date, commit)?;
        let document = view::document(&snapshot.heading, &snapshot.audit);
        let page = marked(&templates.page(&plan.template, &document)?, &document);
        let data = snapshot.to_json().map_err(|error| unkept(subject, &error))?;
        let stem = stem(&snapshot.heading.date, subject.name.as_str());
        let (page_path, data_path) = (plan.out.join(format!("{stem}.md")), plan.out.join(format!("{stem}.json")));
        replace(&page_path, &page, Some(Output { path: &data_path, bytes: &data }), arguments.force)?;
        writeln!(out, "{}\n{}", page_path.display(), data_path.display())?;
    }
    Ok(())
}

/// Makes the page of a snapshot again.
fn again(path: &Path, arguments: &Generate, out: &mut dyn Write) -> Result<(), Failure> {
    let snapshot = Snapshot::read(path)?;
    let templates = Templates::load(arguments.templates.as_deref())?;
    let template = arguments.template.as_deref().unwrap_or(DEFAULT_TEMPLATE);
    let document = view::document(&snapshot.heading, &snapshot.audit);
    let page = marked(&templates.page(template, &document)?, &document);
    let folder = arguments.out.as_deref().or(path.parent()).unwrap_or(Path::new(""));
    let file = folder.join(format!("{}.md", stem(&snapshot.heading.date, &snapshot.heading.subject)));
    replace(&file, &page, None, arguments.force)?;
    writeln!(out, "{}", file.display())?;
    Ok(())
}

/// Writes a page, with what people wrote between the blocks of the one that is there, and the file beside it.
fn replace(path: &Path, page: &str, beside: Option<Output<'_>>, force: bool) -> Result<(), Failure> {
    let _lock = PageLock::take(path)?;
    let merged = match std::fs::read(path) {
        Ok(existing) => match String::from_utf8(existing) {
            Ok(existing) => merged(path, &existing, page, force)?,
            Err(_) if force => page.to_owned(),
            Err(_) => return Err(RenderError::not_text(path).into()),
        },
        Err(_) => page.to_owned(),
    };
    let outputs: Vec<Output<'_>> = std::iter::once(Output { path, bytes: merged.as_bytes() }).chain(beside).collect();
    write_together(&outputs)?;
    Ok(())
}

fn unkept(subject: &Subject, error: &serde_json::Error) -> Failure {
    Failure::usage(format!("the audit of {} cannot be kept as JSON: {error}", subject.name))
}

/// The audit of a subject with its heading, as its snapshot holds it.
pub(super) fn snapshot(plan: &Plan, subject: &Subject, date: NaiveDate, commit: String) -> Result<Snapshot, Failure> {
    let name = subject.name.as_str();
    let want = analysis::want();
    let (old, baseline) = baseline::find(subject.baseline.as_deref(), &plan.out, name, date, &want)?;
    let audit = audit(subject, old.as_old(), &want)?;
    let (history, _) = milestones(&plan.out, name, Some(date))?;
    let day = date.to_string();
    let heading = Heading {
        subject: name.to_owned(),
        title: subject.title.clone().unwrap_or_default(),
        command: command(plan, subject, &day, &commit),
        date: day,
        commit,
        change: subject.change.clone().unwrap_or_default(),
        program: env!("CARGO_PKG_VERSION").to_owned(),
        baseline,
        accepted: AcceptedFile::read(&plan.out, name)?.about(&audit),
        history,
    };
    Snapshot::new(heading, audit).map_err(|error| unkept(subject, &error))
}

fn audit(subject: &Subject, old: Option<Old<'_>>, want: &Want) -> Result<analysis::Audit, Failure> {
    let new = source::read_profile(&subject.report, want)?;
    let builds =
        subject.ptxas.iter().map(|path| source::read_build_log(path)).collect::<Result<Vec<_>, source::ReadError>>()?;
    let work = &subject.work;
    Ok(analysis::analyse(&Inputs {
        new: &new,
        old,
        builds: &builds,
        selection: Selection { kernel: subject.kernel.clone(), baseline_kernel: subject.baseline_kernel.clone() },
        work: Work {
            shape: work.shape.clone().unwrap_or_default(),
            types: work.types.clone().unwrap_or_default(),
            flop: work.flop.as_ref().map(Amount::value),
            bytes: work.bytes.as_ref().map(Amount::value),
        },
        limits: Limits::default(),
    })?)
}

/// The command that makes the same page again, without home folders: by the subject's name where the configuration file
/// says everything, else with every choice spelled out. Where the page is written is not part of it.
fn command(plan: &Plan, subject: &Subject, date: &str, commit: &str) -> String {
    let mut words = vec!["audit".to_owned(), "generate".to_owned()];
    match &plan.config {
        Some(config) => {
            words.push(subject.name.to_string());
            if config != Path::new(DEFAULT_CONFIG) {
                words.extend(["--config".to_owned(), quoted(&config.display().to_string())]);
            }
        }
        None => describe(plan, subject, &mut words),
    }
    words.extend(["--date".to_owned(), date.to_owned()]);
    if !commit.is_empty() && (plan.config.is_none() || subject.commit.is_none()) {
        words.extend(["--commit".to_owned(), quoted(commit)]);
    }
    analysis::without_home(&words.join(" "))
}

/// Every choice of a subject and its template as flags.
fn describe(plan: &Plan, subject: &Subject, words: &mut Vec<String>) {
    let mut option = |name: &str, value: &str| words.extend([name.to_owned(), quoted(value)]);
    let path = |path: &Path| path.display().to_string();
    option("--name", subject.name.as_str());
    option("--report", &path(&subject.report));
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
    if plan.template != DEFAULT_TEMPLATE {
        option("--template", &plan.template);
    }
    plan.templates.iter().for_each(|folder| option("--templates", &path(folder)));
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
