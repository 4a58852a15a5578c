//! One audit on its way out: as a page with its files, as HTML, or as a part of a comment.

use super::args::PageFormat;
use super::files::Files;
use super::show::WIDTH;
use super::{Failure, say};
use crate::analysis::{Audit, Evidence, Listing, Standing, Verdict};
use crate::evidence::SourceView;
use crate::quantity::{Quantity, Unit, format};
use crate::render::{Templates, prose, terminal};
use crate::snapshot::Snapshot;
use crate::view::{self, Document, Entry, Heading, SourceText};
use crate::words::{Words, words};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// An audit with what its page and its snapshot are made from.
pub(super) struct Made {
    pub(super) snapshot: Snapshot,
    pub(super) audit: Audit,
    /// The audits of every kernel that the subject takes, this one first, for a page with one line each.
    pub(super) all: Vec<Audit>,
    /// The launch by instruction and that of the old side: of the reports where they are at hand, else of what the snapshot keeps.
    pub(super) launches: [Option<Arc<SourceView>>; 2],
    /// Whether no audit was made from this evidence before.
    pub(super) is_first_made: bool,
}

impl Made {
    pub(super) fn of(snapshot: Snapshot) -> Made {
        let launches = Self::launches(&snapshot.evidence);
        Made { audit: snapshot.audit(), snapshot, all: Vec::new(), launches, is_first_made: false }
    }

    /// Both sides of some evidence by instruction, the one under audit first.
    pub(super) fn launches(evidence: &Evidence) -> [Option<Arc<SourceView>>; 2] {
        let profiles = [evidence.new.profile.as_ref(), evidence.old.as_ref().and_then(|old| old.profile.as_ref())];
        profiles.map(|profile| profile?.instructions.clone())
    }

    pub(super) fn document(&self) -> Document {
        match self.all.as_slice() {
            [] => view::document(self.heading(), &self.audit),
            all => view::deliverable(self.heading(), all),
        }
    }

    fn data(&self) -> Result<Vec<u8>, Failure> {
        self.snapshot.to_json().map_err(|error| {
            Failure::usage(format!("the audit of {} cannot be kept as JSON: {error}", self.heading().subject))
        })
    }

    pub(super) fn heading(&self) -> &Heading {
        &self.snapshot.heading
    }

    pub(super) fn source(&self) -> SourceText {
        match &self.launches {
            [Some(own), Some(old)] if self.all.is_empty() => view::source_text(&Listing::of(own).beside(old)),
            [Some(own), None] if self.all.is_empty() => view::source_text(&Listing::of(own)),
            _ => SourceText::default(),
        }
    }
}

pub(super) struct Place<'a> {
    pub(super) folder: &'a Path,
    /// Whether the snapshot is written too; else it is what the page is made from.
    pub(super) has_snapshot: bool,
}

pub(super) fn write_page(
    made: &Made,
    format: PageFormat,
    place: &Place<'_>,
    templates: &Templates,
    template: &str,
    force: bool,
    out: &mut dyn Write,
) -> Result<(), Failure> {
    // The page does not need the snapshot, nor the snapshot the page.
    let has_snapshot = place.has_snapshot && matches!(format, PageFormat::Md | PageFormat::Pr);
    let data = || has_snapshot.then(|| made.data()).transpose();
    let written = std::thread::scope(|scope| {
        let running = scope.spawn(data);
        let document = made.document();
        let files = Files::of(place.folder, made.heading(), &document)?;
        let html = |page: &str| {
            let document = document.clone().concluded(files.authored(page)?.map(|text| prose(&text)));
            templates.html(template, &document, &made.source())
        };
        match format {
            PageFormat::Html => {
                let page = templates.marked_page(template, &document)?;
                files.write_alone("html", &html(&page.text)?, force, crate::render::html::is_own)
            }
            PageFormat::Text => {
                let text = first_screen(&document)?;
                // A first screen is known by its title.
                let title = |text: &str| text.lines().next().map(str::to_owned);
                let is_own = |there: &Path| crate::read::text(there).is_ok_and(|there| title(&there) == title(&text));
                files.write_alone("txt", &text, force, is_own)
            }
            PageFormat::Md | PageFormat::Pr => {
                let first = made.is_first_made.then_some(&made.snapshot.evidence.new);
                let page = templates.marked_page(template, &document)?;
                let html = made.heading().has_html.then(|| html(&page.text)).transpose()?;
                let data = running.join().unwrap_or_else(|_| data())?;
                files.write(&page, data.as_deref(), html.as_deref(), first, force)
            }
        }
    })?;
    writeln!(out, "{}", written.join("\n"))?;
    say(in_a_line(made))
}

/// What `audit show` prints of a document on a screen of the usual width, without colours.
fn first_screen(document: &Document) -> Result<String, Failure> {
    let mut screen = anstream::StripStream::new(Vec::new());
    terminal::print(&document.clone().first_screen(), WIDTH, &mut screen)?;
    Ok(String::from_utf8_lossy(&screen.into_inner()).into_owned())
}

/// An audit in one line: time, verdict and limiter.
fn in_a_line(made: &Made) -> String {
    let (audit, milestone) = (&made.audit, &made.snapshot.milestone);
    let time = milestone.ns().and_then(|ns| Quantity::new(ns, Unit::NS));
    let mut parts = vec![time.map_or_else(|| "time NOT MEASURED".to_owned(), format::quantity)];
    if let Some(verdict) = milestone.verdict {
        let time = audit.time_of_change().map(|time| (format::change(time.old, time.new), "time"));
        let cycles = || audit.performance.cycles.change().map(|one| (format::change(one.old, one.new), "cycles"));
        let change = time.or_else(cycles).filter(|_| verdict != Verdict::Wrong);
        let change = change.map(|(change, of)| format!(" {change} {of}")).unwrap_or_default();
        parts.push(format!("{verdict}{change}"));
    } else {
        parts.push("no baseline".to_owned());
    }
    if audit.standing() != Standing::Wrong && !audit.is_of_code_alone() {
        parts.push(format!("limited by {}", audit.now.bottleneck.limiter));
    }
    parts.extend(view::impossible(audit).iter().map(Words::to_plain));
    format!("{}: {}", made.heading().subject, parts.join(", "))
}

/// Where the index of the audits stands, when one lies in their folder.
fn index_of(all: &[(Made, PathBuf)], base: Option<&str>) -> Option<Words> {
    let (_, folder) = all.first()?;
    let path = folder.join("README.md");
    let shown = path.display().to_string().trim_start_matches("./").to_owned();
    (path.is_relative() && path.is_file()).then(|| match base {
        Some(base) => words!("{}", words::link(shown.as_str(), format!("{base}/{shown}"))),
        None => words!("{}", words::code(shown.as_str())),
    })
}

/// The last of several audits of one subject, for each: those before stand in its history.
fn last_of_each(all: &[(Made, PathBuf)]) -> Vec<&(Made, PathBuf)> {
    let at = |one: &(Made, PathBuf)| (one.0.heading().date.clone(), one.0.heading().number);
    let mut last: Vec<&(Made, PathBuf)> = Vec::new();
    for one in all {
        match last.iter_mut().find(|known| known.0.heading().subject == one.0.heading().subject) {
            Some(known) if at(known) <= at(one) => *known = one,
            Some(_) => {}
            None => last.push(one),
        }
    }
    last
}

/// Prints the comment on some audits, each with the folder of its page; of several of one subject the last.
pub(super) fn print_comment(
    all: &[(Made, PathBuf)],
    templates: &Templates,
    base: Option<&str>,
    out: &mut dyn Write,
) -> Result<(), Failure> {
    let mut pages: Vec<(&Made, String, String)> = Vec::new();
    for (made, folder) in last_of_each(all) {
        let page = folder.join(format!("{}.md", made.heading().stem()));
        // A path of this machine means nothing to a reader of the comment.
        let page =
            if page.is_relative() { page.display().to_string() } else { format!("{}.md", made.heading().stem()) };
        let page = page.trim_start_matches("./").to_owned();
        let link = base.map(|base| format!("{base}/{page}")).unwrap_or_default();
        pages.push((made, page, link));
    }
    let entries = pages.iter().map(|(made, page, link)| Entry {
        heading: made.heading(),
        audit: Some(&made.audit).filter(|audit| !audit.is_of_code_alone()),
        page: page.clone(),
        link: link.clone(),
    });
    let entries: Vec<Entry<'_>> = entries.collect();
    let text =
        view::comment(&entries, index_of(all, base).as_ref(), |document| templates.page(view::COMMENT, document))?;
    write!(out, "{text}")?;
    Ok(())
}
