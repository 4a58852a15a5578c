//! The files of one audit: page, snapshot, HTML page and charts, written together.

use super::{Failure, Status};
use crate::analysis::Side;
use crate::config::SubjectName;
use crate::render::{
    MarkedPage, Output, RenderError, authored, carried, html, merged, page_lock, svg, sweep, write_together, write_with,
};
use crate::snapshot::{Snapshot, named};
use crate::view::charts::{CHARTS, Chart};
use crate::view::{Document, Heading};
use chrono::NaiveDate;
use std::fs;
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

/// Fails where a file is there that is not this program's, unless `force` is set.
fn is_free(path: &Path, force: bool, is_own: impl Fn(&Path) -> bool) -> Result<(), RenderError> {
    let is_there = fs::symlink_metadata(path).is_ok();
    if is_there && !force && !is_own(path) { Err(RenderError::foreign(path)) } else { Ok(()) }
}

/// The text of a page; `None` where there is none. Errors: a page that is there and cannot be read, or is no text: what
/// people wrote on it would be lost.
pub(super) fn text_of(path: &Path) -> Result<Option<String>, RenderError> {
    match crate::read::text(path) {
        Ok(text) => Ok(Some(text)),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
        Err(error) if error.kind() == ErrorKind::InvalidData => Err(RenderError::not_text(path)),
        Err(error) => Err(unreadable(path, error)),
    }
}

fn unreadable(path: &Path, source: io::Error) -> RenderError {
    let cure = "make it readable, or move it away".to_owned();
    RenderError::Write { path: path.to_owned(), doing: "reading what is there", cure, source }
}

/// Where the files of an audit lie, with the charts that belong to its page.
pub(super) struct Files<'d> {
    page: PathBuf,
    snapshot: PathBuf,
    html: PathBuf,
    folder: PathBuf,
    /// The folder of audits, which the charts' files are relative to.
    out: PathBuf,
    charts: Vec<&'d Chart>,
    subject: String,
}

impl<'d> Files<'d> {
    /// The files of the audit of `heading` in the folder of audits `out`. Errors: a date or a name that could lead out
    /// of the folder: a snapshot may come from anyone.
    pub(super) fn of(out: &Path, heading: &Heading, document: &'d Document) -> Result<Files<'d>, Failure> {
        // `2026-1-1` is a date as well, and no file name is found by it.
        let is_date = heading.date.parse::<NaiveDate>().is_ok_and(|date| date.to_string() == heading.date);
        if !is_date || heading.subject.parse::<SubjectName>().is_err() {
            let (date, subject) = (&heading.date, &heading.subject);
            return Err(Failure::usage(format!(
                "an audit of {subject:?} on {date:?} has no file name\n  help: expected a date, and small letters, digits, `_` and `-`"
            )));
        }
        let stem = heading.stem();
        Ok(Files {
            page: out.join(format!("{stem}.md")),
            snapshot: out.join(format!("{stem}.json")),
            html: out.join(format!("{stem}.html")),
            folder: out.join(&stem),
            out: out.to_owned(),
            charts: document.charts(),
            subject: heading.subject.clone(),
        })
    }

    /// Writes the audit in another format than Markdown, alone, in the file with this ending. Errors: a file that
    /// cannot be written, and without `force` one that is there and that `is_own` does not know as this program's.
    pub(super) fn write_alone(
        &self,
        ending: &str,
        text: &str,
        force: bool,
        is_own: impl Fn(&Path) -> bool,
    ) -> Result<Vec<String>, Failure> {
        let path = self.page.with_extension(ending);
        is_free(&path, force, is_own)?;
        write_together(&[Output { path: &path, bytes: text.as_bytes() }])?;
        Ok(vec![path.display().to_string()])
    }

    /// What the author of the page concluded: on the page that is there, else on `page` as the newest one before it
    /// carries to it. Errors: a page that is there and cannot be read.
    pub(super) fn authored(&self, page: &str) -> Result<Option<String>, RenderError> {
        let own = text_of(&self.page)?.and_then(|page| authored(&page).map(str::to_owned));
        if own.is_some() {
            return Ok(own);
        }
        Ok(self.carried(page)?.and_then(|page| authored(&page).map(str::to_owned)))
    }

    /// The page with what the author of the newest page of the subject before it wrote; `None` where there is nothing.
    fn carried(&self, page: &str) -> Result<Option<String>, RenderError> {
        let moment = |path: &Path| {
            named(path.file_name()?.to_str()?, ".md").filter(|(_, of)| *of == self.subject).map(|(at, _)| at)
        };
        let own = moment(&self.page);
        let ending = format!("-{}.md", self.subject);
        let entries = match fs::read_dir(&self.out) {
            Ok(entries) => entries,
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(unreadable(&self.out, error)),
        };
        let mut newest = None;
        for entry in entries {
            let entry = entry.map_err(|error| unreadable(&self.out, error))?;
            if entry.file_name().as_encoded_bytes().ends_with(ending.as_bytes()) {
                let path = entry.path();
                let at = moment(&path).filter(|at| Some(at) < own.as_ref());
                newest = newest.max(at.map(|at| (at, path)));
            }
        }
        let Some((at, path)) = newest else { return Ok(None) };
        Ok(text_of(&path)?.and_then(|earlier| carried(page, &earlier, &at.to_string())))
    }

    /// Writes the page, with what people wrote between the blocks of the one that is there, and the files beside it:
    /// the snapshot, the HTML page, and the charts that the page shows. Charts that it no longer shows are removed.
    /// Gives the paths in the order of writing. `first` is what was measured where there was no audit of it when the
    /// name was chosen. Errors: an audit that another run wrote under this name since, a page whose blocks were edited
    /// or a file that is someone's own, unless `force` is set, or a file that cannot be written; then none is.
    pub(super) fn write(
        &self,
        page: &MarkedPage,
        snapshot: Option<&[u8]>,
        html: Option<&str>,
        first: Option<&Side>,
        force: bool,
    ) -> Result<Vec<String>, Failure> {
        let _lock = page_lock(&self.page)?;
        if let (Some(_), Some(side)) = (snapshot, first)
            && self.snapshot.exists()
            && !Snapshot::read(&self.snapshot)?.evidence.new.is_same_measurement(side)
        {
            return Err(Failure::of(
                Status::Unreadable,
                format!(
                    "{} was written by another run of audit meanwhile\n  help: run this one again; its audit takes the next number of the day",
                    self.snapshot.display()
                ),
            ));
        }
        let path = &self.page;
        let own = self.carried(&page.text)?;
        let own = own.as_deref().unwrap_or(&page.text);
        let merged = match text_of(path) {
            Ok(Some(existing)) => merged(path, &existing, own, force)?,
            Ok(None) => own.to_owned(),
            Err(RenderError::Edited { .. }) if force => own.to_owned(),
            Err(error) => return Err(error.into()),
        };
        let outputs: Vec<Output<'_>> = std::iter::once(Output { path, bytes: merged.as_bytes() })
            .chain(snapshot.map(|bytes| Output { path: &self.snapshot, bytes }))
            .collect();
        let shown = self.charts.iter().filter(|chart| page.charts.contains(&chart.file));
        let drawn: Vec<(PathBuf, String)> = shown.map(|chart| (self.out.join(&chart.file), svg::file(chart))).collect();
        if html.is_some() {
            is_free(&self.html, force, html::is_own)?;
        }
        if !drawn.is_empty() {
            is_free(&self.folder, force, |folder| fs::symlink_metadata(folder).is_ok_and(|found| !found.is_symlink()))?;
        }
        drawn.iter().try_for_each(|(path, _)| is_free(path, force, svg::is_own))?;
        // HTML page and charts are made again from the snapshot with `audit render`.
        let charts = drawn.iter().map(|(path, text)| Output { path, bytes: text.as_bytes() });
        let html = html.map(|html| Output { path: &self.html, bytes: html.as_bytes() });
        let derived: Vec<Output<'_>> = html.into_iter().chain(charts).collect();
        write_with(&outputs, &derived)?;
        self.remove_stale(&drawn);
        path.parent().into_iter().for_each(sweep);
        Ok(outputs.iter().chain(&derived).map(|output| output.path.display().to_string()).collect())
    }

    /// Removes the charts of an earlier run that this page does not show, and the folder when it is left empty. What
    /// cannot be removed is left: the page does not refer to it.
    fn remove_stale(&self, drawn: &[(PathBuf, String)]) {
        // What lies behind a link is not this program's.
        if !fs::symlink_metadata(&self.folder).is_ok_and(|found| found.is_dir()) {
            return;
        }
        for id in CHARTS {
            let path = self.folder.join(format!("{id}.svg"));
            if drawn.iter().all(|(known, _)| *known != path) && svg::is_own(&path) {
                let _ = fs::remove_file(path);
            }
        }
        let _ = fs::remove_dir(&self.folder);
    }
}
