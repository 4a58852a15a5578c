//! The files of one audit: page, snapshot and charts, written together.

use super::failure::Failure;
use crate::config::SubjectName;
use crate::render::{Output, PageLock, RenderError, merged, svg, write_together, write_with};
use crate::view::charts::{CHARTS, Chart};
use crate::view::{Document, Heading};
use chrono::NaiveDate;
use std::path::{Path, PathBuf};

/// Where the files of an audit lie, with the charts that belong to its page.
pub(super) struct Files<'d> {
    page: PathBuf,
    snapshot: PathBuf,
    html: PathBuf,
    folder: PathBuf,
    charts: Vec<(PathBuf, &'d Chart)>,
}

impl<'d> Files<'d> {
    /// The files of the audit of `heading` in the folder of audits `out`.
    ///
    /// # Errors
    /// A date or a name that could lead out of the folder: a snapshot may come from anyone.
    pub(super) fn of(out: &Path, heading: &Heading, document: &'d Document) -> Result<Files<'d>, Failure> {
        let is_date = heading.date.parse::<NaiveDate>().is_ok();
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
            charts: document.charts().into_iter().map(|chart| (out.join(&chart.file), chart)).collect(),
        })
    }

    /// Writes the HTML page alone.
    ///
    /// # Errors
    /// A file that cannot be written.
    pub(super) fn write_html(&self, html: &str) -> Result<Vec<String>, Failure> {
        write_together(&[Output { path: &self.html, bytes: html.as_bytes() }])?;
        Ok(vec![self.html.display().to_string()])
    }

    /// The drawings of the charts.
    pub(super) fn drawn(&self) -> Vec<String> {
        self.charts.iter().map(|(_, chart)| svg::file(chart)).collect()
    }

    /// Writes the page, with what people wrote between the blocks of the one that is there, and the files beside it:
    /// the snapshot, and the charts as [`Files::drawn`] gives them. Charts that the page no longer shows are removed.
    /// Gives the paths in the order of writing.
    ///
    /// # Errors
    /// A page whose blocks were edited, unless `force` is set, or a file that cannot be written; then none is.
    pub(super) fn write(
        &self,
        page: &str,
        snapshot: Option<&[u8]>,
        drawn: &[String],
        force: bool,
    ) -> Result<Vec<String>, Failure> {
        let _lock = PageLock::take(&self.page)?;
        let path = &self.page;
        let merged = match std::fs::read(path) {
            Ok(existing) => match String::from_utf8(existing) {
                Ok(existing) => merged(path, &existing, page, force)?,
                Err(_) if force => page.to_owned(),
                Err(_) => return Err(RenderError::not_text(path).into()),
            },
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => page.to_owned(),
            Err(source) => {
                let cure = "make it readable, or move it away".to_owned();
                return Err(RenderError::Write {
                    path: path.clone(),
                    doing: "reading the one that is there",
                    cure,
                    source,
                }
                .into());
            }
        };
        let outputs: Vec<Output<'_>> = std::iter::once(Output { path, bytes: merged.as_bytes() })
            .chain(snapshot.map(|bytes| Output { path: &self.snapshot, bytes }))
            .collect();
        let drawings = self.charts.iter().zip(drawn);
        let drawings: Vec<Output<'_>> =
            drawings.map(|((path, _), text)| Output { path, bytes: text.as_bytes() }).collect();
        // Charts are drawn again from the snapshot with `audit render`.
        write_with(&outputs, &drawings)?;
        self.remove_stale();
        Ok(outputs.iter().chain(&drawings).map(|output| output.path.display().to_string()).collect())
    }

    /// Removes the charts of an earlier run that this page does not show, and the folder when it is left empty. What
    /// cannot be removed is left: the page does not refer to it.
    fn remove_stale(&self) {
        for id in CHARTS {
            let path = self.folder.join(format!("{id}.svg"));
            if self.charts.iter().all(|(known, _)| *known != path) {
                let _ = std::fs::remove_file(path);
            }
        }
        let _ = std::fs::remove_dir(&self.folder);
    }
}
