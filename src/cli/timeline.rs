//! `audit timeline`: what Nsight Systems recorded of a whole program, and which kernel to profile.

use super::args::Timeline;
use super::failure::Failure;
use super::show::width;
use crate::analysis::{self, Limits, TimelineAudit};
use crate::evidence::Origin;
use crate::render::terminal;
use crate::{source, view};
use std::io::Write;

/// What the JSON's `schema` says.
const SCHEMA: &str = "kernel-audit/timeline/1";

/// The JSON of a timeline.
#[derive(serde::Serialize)]
struct Printed<'a> {
    schema: &'static str,
    /// The files.
    files: Vec<Origin>,
    #[serde(flatten)]
    audit: &'a TimelineAudit,
}

pub(super) fn run(arguments: &Timeline, out: &mut dyn Write) -> Result<(), Failure> {
    let timeline = source::read_timeline(&arguments.files)?;
    let limits = Limits { overrides: arguments.thresholds.iter().cloned().collect() };
    let audit = analysis::judge_timeline(&timeline, &limits);
    if arguments.json {
        let files = timeline
            .origins
            .iter()
            .map(|origin| Origin { path: analysis::without_home(&origin.path), ..origin.clone() });
        let printed = Printed { schema: SCHEMA, files: files.collect(), audit: &audit };
        let text = serde_json::to_string_pretty(&printed)
            .map_err(|error| Failure::usage(format!("the timeline cannot be printed: {error}")))?;
        writeln!(out, "{text}")?;
        return Ok(());
    }
    let names: Vec<&str> = timeline.origins.iter().map(|origin| origin.path.as_str()).collect();
    terminal::print(&view::timeline_document(&names.join(", "), &audit), width(arguments.width), out)?;
    Ok(())
}
