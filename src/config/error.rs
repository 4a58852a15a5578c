//! Errors of a configuration file, drawn with the line they are about.

use crate::plain;
use annotate_snippets::{AnnotationKind, Group, Level, Renderer, Snippet};
use std::fmt;
use std::ops::Range;
use std::path::PathBuf;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ConfigErrorKind {
    /// The configuration file itself cannot be read.
    Unreadable,
    /// The file says something that it may not say.
    Wrong,
    /// The file names another file that is not there.
    MissingFile,
    /// The command line asks for something that the file does not hold.
    Absent,
}

/// The part of a file that is wrong.
#[derive(Debug)]
pub(super) struct Place {
    pub(super) text: String,
    /// The part, in bytes.
    pub(super) span: Range<usize>,
    /// A word on it; may be empty.
    pub(super) label: String,
}

/// A mistake in a configuration file. Displays as a plain report of several lines, without a leading `error:`.
#[derive(Debug)]
pub struct ConfigError {
    pub kind: ConfigErrorKind,
    pub(super) path: PathBuf,
    pub(super) message: String,
    pub(super) place: Option<Box<Place>>,
    pub(super) help: Option<String>,
}

impl ConfigError {
    /// The report with ANSI colours, starting with `error:`.
    pub fn styled(&self) -> String {
        self.draw(&Renderer::styled())
    }

    fn draw(&self, renderer: &Renderer) -> String {
        let path = plain::one_line(&self.path.display().to_string());
        let message = plain::message(&self.message);
        let Some(place) = &self.place else { return self.bare(&message, renderer) };
        let mut title = Group::with_title(Level::ERROR.primary_title(&message));
        let mark = AnnotationKind::Primary.span(place.span.clone()).label(place.label.as_str());
        title = title.element(Snippet::source(place.text.as_str()).path(path.as_str()).fold(true).annotation(mark));
        let mut groups = vec![title];
        if let Some(help) = &self.help {
            groups.push(Group::with_title(Level::HELP.secondary_title(help.as_str())));
        }
        renderer.render(&groups)
    }

    /// The report of a mistake that is at no line, in the form of every other error.
    fn bare(&self, message: &str, renderer: &Renderer) -> String {
        let title = renderer.render(&[Group::with_title(Level::ERROR.primary_title(message))]);
        let help = self.help.as_ref().map(|help| format!("\n  help: {}", plain::message(help)));
        title + &help.unwrap_or_default()
    }
}

impl fmt::Display for ConfigError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let report = self.draw(&Renderer::plain());
        f.write_str(report.strip_prefix("error: ").unwrap_or(&report))
    }
}

impl std::error::Error for ConfigError {}
