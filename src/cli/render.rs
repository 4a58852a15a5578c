//! `audit render`: the pages of snapshots, made again without their reports, or the comment on them.

use super::Failure;
use super::args::{PageFormat, Render};
use super::made::{Made, Place, print_comment, write_page};
use crate::config::DEFAULT_TEMPLATE;
use crate::render::Templates;
use crate::snapshot::Snapshot;
use crate::view::DELIVERABLE;
use std::collections::HashMap;
use std::io::Write;
use std::path::{Path, PathBuf};

pub(super) fn run(arguments: &Render, out: &mut dyn Write) -> Result<(), Failure> {
    arguments.pages.are_honoured(&[])?;
    let templates = Templates::load_with(arguments.pages.templates.as_deref(), &arguments.pages.template_files)?;
    let mut all: Vec<(Made, PathBuf)> = Vec::new();
    for path in &arguments.snapshots {
        let folder = arguments.out.as_deref().or(path.parent()).unwrap_or(Path::new("")).to_owned();
        all.push((Made::of(Snapshot::read(path)?), folder));
    }
    if arguments.pages.format == PageFormat::Pr {
        return print_comment(&all, &templates, arguments.pages.link_base.as_deref(), out);
    }
    are_apart(&arguments.snapshots, &all)?;
    let chosen = |made: &Made| arguments.pages.template.clone().unwrap_or_else(|| made.heading().template.clone());
    if let Some((made, _)) = all.iter().find(|(made, _)| chosen(made) == DELIVERABLE) {
        return Err(Failure::usage(format!(
            "the {DELIVERABLE} has a line for each kernel of a report, and the snapshot of {} keeps one\n  help: make it from the report: audit generate … --template {DELIVERABLE}",
            made.heading().subject
        )));
    }
    for (made, folder) in &all {
        let place = Place { folder, has_snapshot: false };
        let template = Some(chosen(made)).filter(|template| !template.is_empty());
        let template = template.as_deref().unwrap_or(DEFAULT_TEMPLATE);
        write_page(made, arguments.pages.format, &place, &templates, template, arguments.pages.force, out)?;
    }
    Ok(())
}

/// Fails where the page of one snapshot would be written over that of another.
fn are_apart(snapshots: &[PathBuf], all: &[(Made, PathBuf)]) -> Result<(), Failure> {
    let mut known: HashMap<PathBuf, &Path> = HashMap::new();
    for (path, (made, folder)) in snapshots.iter().zip(all) {
        let page = folder.join(made.heading().stem());
        // Two spellings of a folder are one place.
        let place = std::path::absolute(&page).unwrap_or_else(|_| page.clone());
        if let Some(other) = known.insert(place, path) {
            let (other, path, page) = (other.display(), path.display(), page.display());
            return Err(Failure::usage(format!(
                "{other} and {path} would both be written as {page}\n  help: nothing was written; render each with an --out of its own"
            )));
        }
    }
    Ok(())
}
