//! The text of audit.toml: errors, drawn with the line they are about, and the values that several keys share.

use super::amount::Amount;
use crate::nearest::nearest;
use crate::plain;
use annotate_snippets::{AnnotationKind, Group, Level, Renderer, Snippet};
use std::fmt;
use std::ops::Range;
use std::path::{Path, PathBuf};
use toml::Spanned;

/// The text of a file, for building values and errors from it.
#[derive(Debug)]
pub(super) struct Text {
    pub(super) path: PathBuf,
    pub(super) text: String,
}

/// A list, or one value as one.
pub(super) fn one_or_more(value: toml::Value) -> Vec<toml::Value> {
    match value {
        toml::Value::Array(values) => values,
        one => vec![one],
    }
}

impl Text {
    pub(super) fn paths(&self, value: Spanned<toml::Value>) -> Result<Vec<Spanned<PathBuf>>, ConfigError> {
        let span = value.span();
        let path = |value: toml::Value| match value {
            toml::Value::String(path) => Ok(Spanned::new(span.clone(), PathBuf::from(path))),
            other => {
                let found = format!("found {}", other.type_str());
                Err(self.wrong("expected a path or a list of paths".into(), span.clone(), &found, None))
            }
        };
        one_or_more(value.into_inner()).into_iter().map(path).collect()
    }

    pub(super) fn amount(&self, value: &Spanned<toml::Value>) -> Result<Amount, ConfigError> {
        let span = value.span();
        let help = || Some("whole numbers with +, *, / and parentheses, such as \"2*2048*1024*1024\"".to_owned());
        match value.get_ref() {
            toml::Value::Integer(number) => match u64::try_from(*number) {
                Ok(number) => Ok(Amount::from(number)),
                Err(_) => Err(self.wrong("an amount of work cannot be negative".into(), span, "", help())),
            },
            toml::Value::String(text) => text.parse().map_err(|error: super::AmountError| {
                // In a string without escapes the place is known to the character.
                let quoted = self.text.get(span.start + 1..span.end.saturating_sub(1)) == Some(text.as_str());
                let at = span.start + 1 + error.at;
                let length = text[error.at..].chars().next().map_or(0, char::len_utf8);
                let place = if quoted { at..at + length } else { span };
                let reason = format!("expected {}, found {}", error.expected, error.found);
                self.wrong("this is not an amount of work".into(), place, &reason, help())
            }),
            other => {
                let found = format!("found {}", other.type_str());
                Err(self.wrong("expected a whole number or an expression".into(), span, &found, help()))
            }
        }
    }

    pub(super) fn wrong(&self, message: String, span: Range<usize>, label: &str, help: Option<String>) -> ConfigError {
        let place = Some(Box::new(Place { text: self.text.clone(), span, label: label.to_owned() }));
        ConfigError { kind: ConfigErrorKind::Wrong, path: self.path.clone(), message, place, help }
    }

    /// A name that a closed list does not have.
    pub(super) fn no_such(&self, what: &str, word: &Spanned<String>, known: &[&str]) -> ConfigError {
        let near = nearest(word.get_ref(), known.iter().copied());
        let near = near.map_or_else(String::new, |near| format!("did you mean {near:?}? "));
        let help = format!("{near}There are {}", known.join(", "));
        self.wrong(format!("no {what} is called {:?}", word.get_ref()), word.span(), "unknown", Some(help))
    }

    pub(super) fn missing(&self, path: &Path, what: &str, span: Range<usize>) -> ConfigError {
        let found = if path.exists() { "is something else" } else { "does not exist" };
        let place = Some(Box::new(Place { text: self.text.clone(), span, label: format!("no such {what}") }));
        ConfigError {
            kind: ConfigErrorKind::MissingFile,
            path: self.path.clone(),
            message: format!("expected a {what}: {} {found}", path.display()),
            place,
            help: Some("paths are relative to the folder of this file".to_owned()),
        }
    }

    pub(super) fn absent(&self, what: &str, help: &str) -> ConfigError {
        ConfigError {
            kind: ConfigErrorKind::Absent,
            path: self.path.clone(),
            message: format!("{} {what}", self.path.display()),
            place: None,
            help: Some(help.to_owned()),
        }
    }

    /// A mistake that the TOML reader found: of syntax, of type, an unknown key or a missing one. `keys_of` gives the keys of
    /// a table of a subject.
    pub(super) fn syntax(&self, error: &toml::de::Error, keys_of: impl Fn(&str) -> Vec<String>) -> ConfigError {
        let span = error.span().unwrap_or(0..0);
        let message = error.message().trim().replace('\n', ", ");
        let mut quoted = message.split('`').skip(1).step_by(2);
        let help = if message.starts_with("unknown field") || message.starts_with("unknown variant") {
            let unknown = quoted.next().unwrap_or_default();
            let known: Vec<&str> = quoted.collect();
            let near = || nearest(unknown, known.iter().copied()).map(|near| format!("did you mean `{near}`?"));
            let table = known.iter().find(|table| keys_of(table).iter().any(|key| key == unknown));
            table.map(|table| format!("`{unknown}` is a key of [subject.{table}]")).or_else(near)
        } else {
            None
        };
        self.wrong(message, span, "", help)
    }
}

/// The last line of a regular expression's error, which says what is wrong.
pub(crate) fn regex_reason(error: &regex::Error) -> String {
    let text = error.to_string();
    let last = text.lines().last().unwrap_or_default();
    last.strip_prefix("error: ").unwrap_or(last).to_owned()
}

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
