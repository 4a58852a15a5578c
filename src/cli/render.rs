//! `audit render`: the pages of snapshots, made again without their reports, or the comment on them.

use super::args::{PageFormat, Render};
use super::failure::Failure;
use super::made::{Made, Place, print_comment, write_page};
use crate::config::DEFAULT_TEMPLATE;
use crate::render::Templates;
use crate::snapshot::Snapshot;
use std::io::Write;
use std::path::Path;

pub(super) fn run(arguments: &Render, out: &mut dyn Write) -> Result<(), Failure> {
    arguments.pages.are_honoured(&[])?;
    let templates = Templates::load_with(arguments.pages.templates.as_deref(), &arguments.pages.template_files)?;
    let template = arguments.pages.template.as_deref().unwrap_or(DEFAULT_TEMPLATE);
    let mut all = Vec::new();
    for path in &arguments.snapshots {
        let made = Made::of(Snapshot::read(path)?);
        let folder = arguments.out.as_deref().or(path.parent()).unwrap_or(Path::new("")).to_owned();
        match arguments.pages.format {
            PageFormat::Pr => all.push((made, folder)),
            format => {
                let place = Place { folder: &folder, has_snapshot: false };
                write_page(&made, format, &place, &templates, template, arguments.pages.force, out)?;
            }
        }
    }
    if arguments.pages.format == PageFormat::Pr {
        print_comment(&all, &templates, arguments.pages.link_base.as_deref(), out)?;
    }
    Ok(())
}
