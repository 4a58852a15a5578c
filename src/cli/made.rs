//! One audit on its way out: as a page with its files, as HTML, or as a part of a comment.

use super::args::PageFormat;
use super::failure::Failure;
use super::files::Files;
use crate::analysis::{Audit, Listing};
use crate::evidence::SourceView;
use crate::render::Templates;
use crate::snapshot::Snapshot;
use crate::view::{self, Document, Entry, Heading, SourceText};
use std::io::Write;
use std::path::{Path, PathBuf};

/// An audit with what its page and its snapshot are made from.
pub(super) struct Made {
    pub(super) snapshot: Snapshot,
    pub(super) audit: Audit,
    /// The audits of every kernel that the subject takes, this one first, for a page with one line each.
    pub(super) all: Vec<Audit>,
    /// The launch by instruction, where the report is there.
    pub(super) instructions: Option<SourceView>,
}

impl Made {
    /// The audit of a snapshot.
    pub(super) fn of(snapshot: Snapshot) -> Made {
        Made { audit: snapshot.audit(), snapshot, all: Vec::new(), instructions: None }
    }

    /// The document that a template prints.
    pub(super) fn document(&self, template: &str) -> Document {
        match self.all.as_slice() {
            [] if template == view::BRIEF => view::brief(self.heading(), &self.audit),
            [] => view::document(self.heading(), &self.audit),
            all => view::deliverable(self.heading(), all),
        }
    }

    /// The bytes of the snapshot.
    fn data(&self) -> Result<Vec<u8>, Failure> {
        self.snapshot.to_json().map_err(|error| {
            Failure::usage(format!("the audit of {} cannot be kept as JSON: {error}", self.heading().subject))
        })
    }

    pub(super) fn heading(&self) -> &Heading {
        &self.snapshot.heading
    }

    /// The source view: of the report where it is at hand, else of what the snapshot keeps.
    pub(super) fn source(&self) -> SourceText {
        match (self.all.as_slice(), &self.instructions, &self.audit.source) {
            ([], Some(lines), _) => view::source_text(&Listing::of(lines)),
            ([], None, Some(lines)) => view::source_text(&Listing::kept(lines)),
            _ => SourceText::default(),
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
    let written = match format {
        PageFormat::Html => {
            let document = made.document(template);
            let files = Files::of(place.folder, made.heading(), &document)?;
            files.write_html(&templates.html(template, &document, &made.source())?)?
        }
        PageFormat::Md | PageFormat::Pr => {
            let document = made.document(template);
            let files = Files::of(place.folder, made.heading(), &document)?;
            // The page needs neither the snapshot nor the drawings, nor they the page.
            let beside = || Ok::<_, Failure>((place.has_snapshot.then(|| made.data()).transpose()?, files.drawn()));
            std::thread::scope(|scope| {
                let running = scope.spawn(beside);
                let page = templates.marked_page(template, &document)?;
                let (data, drawn) = running.join().unwrap_or_else(|_| beside())?;
                files.write(&page, data.as_deref(), &drawn, force)
            })?
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
            audit: Some(&made.audit).filter(|audit| !audit.is_of_code_alone()),
            page: page.clone(),
            link: link.clone(),
        })
        .collect();
    let text = view::comment(&entries, |document| templates.page(view::COMMENT, document))?;
    write!(out, "{text}")?;
    Ok(())
}
