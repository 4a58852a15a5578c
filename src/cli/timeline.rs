//! `audit timeline`: what Nsight Systems recorded of a whole program, and which kernel to profile.

use super::args::Timeline;
use super::evidence::folder_of;
use super::files::text_of;
use super::plan::{DEFAULT_CONFIG, config_at};
use super::show::width;
use super::{Failure, moment};
use crate::analysis::{self, Limits, TimelineAudit};
use crate::collect::files;
use crate::evidence::Origin;
use crate::render::{Output, Templates, merged, page_lock, terminal, write_together};
use crate::shell::quoted;
use crate::{source, view};
use std::io::Write;
use std::path::Path;

const SCHEMA: &str = "kernel-audit/timeline/1";

#[derive(serde::Serialize)]
struct Printed<'a> {
    schema: &'static str,
    files: Vec<Origin>,
    #[serde(flatten)]
    audit: &'a TimelineAudit,
}

pub(super) fn run(arguments: &Timeline, out: &mut dyn Write) -> Result<(), Failure> {
    if let Some(subject) = &arguments.subject {
        return page(subject, arguments, out);
    }
    let timeline = source::read_timeline(&arguments.files)?;
    let limits = Limits { overrides: arguments.thresholds.iter().cloned().collect() };
    let audit = analysis::judge_timeline(&timeline, &limits);
    if arguments.json {
        let public = |origin: &Origin| Origin { path: analysis::public_path(&origin.path), ..origin.clone() };
        let printed = Printed { schema: SCHEMA, files: timeline.origins.iter().map(public).collect(), audit: &audit };
        let printed = serde_json::to_string_pretty(&printed).map_err(Failure::unprinted("the timeline"))?;
        return Ok(writeln!(out, "{printed}")?);
    }
    let names: Vec<&str> = timeline.origins.iter().map(|origin| origin.path.as_str()).collect();
    terminal::print(&view::timeline_document(&names.join(", "), &audit), width(arguments.width), out)?;
    Ok(())
}

/// Writes the page of a subject's program, beside the charts of its audit of that day. What people wrote between its
/// blocks stays.
fn page(subject: &str, arguments: &Timeline, out: &mut dyn Write) -> Result<(), Failure> {
    let (path, config) = config_at(arguments.config.as_ref())?;
    let named = config.named(&[subject.to_owned()])?;
    let Some(subject) = named.first() else { return Ok(()) };
    let kept = folder_of(subject, &config.folder).join(files::TIMELINE.1);
    if arguments.files.is_empty() && !kept.is_file() {
        return Err(Failure::usage(format!(
            "{} has no timeline: {} is not there\n  help: run `audit collect {} --timeline` where Nsight Systems is, or name what `nsys stats --format csv` printed",
            subject.name,
            kept.display(),
            subject.name
        )));
    }
    let read = if arguments.files.is_empty() { vec![kept] } else { arguments.files.clone() };
    let timeline = source::read_timeline(&read)?;
    let mut overrides = config.thresholds.clone();
    overrides.extend(arguments.thresholds.iter().cloned());
    let audit = analysis::judge_timeline(&timeline, &Limits { overrides });
    let date = moment::date(arguments.date)?;
    let mut words = vec!["audit".to_owned(), "timeline".to_owned()];
    words.extend(arguments.files.iter().map(|file| file.display().to_string()));
    words.extend(["--subject", subject.name.as_str(), "--date"].map(str::to_owned));
    words.push(date.to_string());
    for (id, value) in &arguments.thresholds {
        words.extend(["--threshold".to_owned(), format!("{id}={value}")]);
    }
    if path != Path::new(DEFAULT_CONFIG) {
        words.extend(["--config".to_owned(), path.display().to_string()]);
    }
    let command: Vec<String> = words.iter().map(|word| quoted(word)).collect();
    let title = subject.title.as_deref().unwrap_or(subject.name.as_str());
    let document = view::timeline_page(title, &date.to_string(), &timeline.origins, &command.join(" "), &audit);
    let made = Templates::load(None)?.marked_page("full", &document)?;
    let folder = arguments.out.as_ref().unwrap_or(&config.out).join(format!("{date}-{}", subject.name));
    let path = folder.join("timeline.md");
    let _lock = page_lock(&path)?;
    let text = match text_of(&path)? {
        Some(existing) => merged(&path, &existing, &made.text, arguments.force)?,
        None => made.text,
    };
    write_together(&[Output { path: &path, bytes: text.as_bytes() }])?;
    writeln!(out, "{}", path.display())?;
    Ok(())
}
