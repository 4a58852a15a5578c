//! One audit on its way out: as a page with its files, as HTML, or as a part of a comment.

use super::args::PageFormat;
use super::failure::Failure;
use super::files::Files;
use crate::analysis::{Audit, Listing};
use crate::evidence::SourceView;
use crate::render::{Templates, marked};
use crate::snapshot::{Snapshot, StaticSnapshot};
use crate::view::{self, Document, Entry, Heading, SourceText};
use std::io::Write;
use std::path::{Path, PathBuf};

/// The audit that a page and its snapshot are made from.
pub(super) enum Made {
    /// With a report; its instructions are there where the report is.
    Profiled(Box<Snapshot>, Option<Box<SourceView>>),
    /// Of every kernel that the subject takes, one line each; the snapshot is that of the first.
    Many(Box<Snapshot>, Vec<Audit>),
    /// Of the code alone.
    Static(Box<StaticSnapshot>),
}

impl Made {
    /// The document and the bytes of the snapshot.
    pub(super) fn parts(&self) -> (Document, serde_json::Result<Vec<u8>>) {
        match self {
            Made::Profiled(made, _) => (view::document(&made.heading, &made.audit), made.to_json()),
            Made::Many(made, audits) => (view::deliverable(&made.heading, audits), made.to_json()),
            Made::Static(made) => (view::static_document(&made.heading, &made.audit), made.to_json()),
        }
    }

    pub(super) fn heading(&self) -> &Heading {
        match self {
            Made::Profiled(made, _) | Made::Many(made, _) => &made.heading,
            Made::Static(made) => &made.heading,
        }
    }

    /// The source view: of the report where it is at hand, else of what the snapshot keeps.
    pub(super) fn source(&self) -> SourceText {
        match self {
            Made::Profiled(_, Some(lines)) => view::source_text(&Listing::of(lines)),
            Made::Profiled(made, None) => {
                made.audit.source.as_ref().map(|lines| view::source_text(&Listing::kept(lines))).unwrap_or_default()
            }
            Made::Many(..) | Made::Static(_) => SourceText::default(),
        }
    }
}

/// Where the files of an audit go.
pub(super) struct Place<'a> {
    pub(super) folder: &'a Path,
    /// Whether the snapshot is written too; else it is what the page is made from.
    pub(super) has_snapshot: bool,
}

/// Writes the page of one audit and prints the paths.
pub(super) fn write_page(
    made: &Made,
    format: PageFormat,
    place: &Place<'_>,
    templates: &Templates,
    template: &str,
    force: bool,
    out: &mut dyn Write,
) -> Result<(), Failure> {
    let (document, data) = made.parts();
    let files = Files::of(place.folder, made.heading(), &document)?;
    let written = match format {
        PageFormat::Html => files.write_html(&templates.html(template, &document, &made.source())?)?,
        PageFormat::Md | PageFormat::Pr => {
            let data = data.map_err(|error| unkept(&made.heading().subject, &error))?;
            let page = marked(&templates.page(template, &document)?, &document);
            files.write(&page, place.has_snapshot.then_some(&data), force)?
        }
    };
    writeln!(out, "{}", written.join("\n"))?;
    Ok(())
}

/// Prints the comment on some audits, each with the folder of its page.
pub(super) fn print_comment(
    all: &[(Made, PathBuf)],
    templates: &Templates,
    base: Option<&str>,
    out: &mut dyn Write,
) -> Result<(), Failure> {
    let mut pages: Vec<(&Made, String, String)> = Vec::new();
    for (made, folder) in all {
        let page = folder.join(format!("{}.md", made.heading().stem()));
        // A path of this machine means nothing to a reader of the comment.
        let page =
            if page.is_relative() { page.display().to_string() } else { format!("{}.md", made.heading().stem()) };
        let page = page.trim_start_matches("./").to_owned();
        let link = base.map(|base| format!("{base}/{page}")).unwrap_or_default();
        pages.push((made, page, link));
    }
    let entries: Vec<Entry<'_>> = pages
        .iter()
        .map(|(made, page, link)| Entry {
            heading: made.heading(),
            audit: match made {
                Made::Profiled(made, _) | Made::Many(made, _) => Some(&made.audit),
                Made::Static(_) => None,
            },
            page: page.clone(),
            link: link.clone(),
        })
        .collect();
    let text = view::comment(&entries, |document| templates.page(view::COMMENT, document))?;
    write!(out, "{text}")?;
    Ok(())
}

pub(super) fn unkept(subject: &str, error: &serde_json::Error) -> Failure {
    Failure::usage(format!("the audit of {subject} cannot be kept as JSON: {error}"))
}
