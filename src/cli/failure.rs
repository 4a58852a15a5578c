//! What ends a run early, and with which exit status.

use crate::analysis::code::CodeError;
use crate::analysis::{OtherKernelTried, SelectionError};
use crate::collect::CollectError;
use crate::config::{ConfigError, ConfigErrorKind};
use crate::plain;
use crate::render::RenderError;
use crate::snapshot::SnapshotError;
use crate::source::ReadError;
use audit_launch::LaunchError;
use std::io;
use std::process::ExitCode;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Status {
    Done = 0,
    Findings = 1,
    /// Wrong usage, configuration or template; a kernel filter that matches nothing.
    Usage = 2,
    /// A file that cannot be read or written.
    Unreadable = 3,
    /// A tool that is missing or failed.
    Tool = 4,
    /// A page that was rejected before it was written.
    Rejected = 5,
    /// Not enough evidence to decide.
    Inconclusive = 6,
    Interrupted = 130,
}

impl From<Status> for ExitCode {
    fn from(status: Status) -> ExitCode {
        ExitCode::from(status as u8)
    }
}

#[derive(Debug)]
pub(crate) struct Failure {
    status: Status,
    /// The report for the user, with ANSI colours; empty when there is nothing to say.
    report: String,
}

impl Failure {
    /// Wrong usage; `message` may have further lines, such as a help line.
    pub(crate) fn usage(message: impl std::fmt::Display) -> Failure {
        Failure::of(Status::Usage, message)
    }

    /// An outcome that was printed and ends with its own status.
    pub(super) fn verdict(status: Status) -> Failure {
        Failure { status, report: String::new() }
    }

    pub(crate) fn status(&self) -> Status {
        self.status
    }

    /// What to print on the error stream, with ANSI colours.
    pub(crate) fn report(&self) -> &str {
        &self.report
    }

    /// The same failure with the subject that it is of.
    #[must_use]
    pub(super) fn about(self, subject: &str) -> Failure {
        let text = self.text();
        if self.report.is_empty() || text.starts_with(&format!("{subject}: ")) {
            return self;
        }
        Failure::of(self.status, format!("{subject}: {text}"))
    }

    pub(super) fn unprinted(what: &str) -> impl Fn(serde_json::Error) -> Failure {
        move |error| Failure::usage(format!("{what} cannot be printed as JSON: {error}"))
    }

    /// What it says, without colours and the word that it begins with.
    pub(super) fn text(&self) -> String {
        let plain = anstream::adapter::strip_str(&self.report).to_string();
        plain.strip_prefix("error: ").unwrap_or(&plain).to_owned()
    }

    /// A failure with a status of its own; `message` may have further lines.
    pub(super) fn of(status: Status, message: impl std::fmt::Display) -> Failure {
        let message = plain::message(&message.to_string());
        Failure { status, report: format!("\x1b[1m\x1b[91merror\x1b[0m: {message}") }
    }
}

/// A reader that went away is no failure.
impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Failure {
        if error.kind() == io::ErrorKind::BrokenPipe {
            return Failure { status: Status::Done, report: String::new() };
        }
        Failure::of(Status::Unreadable, format!("cannot write to the output: {error}"))
    }
}

/// Errors, each with the status that it ends the run with: those of its variants that are named, and that of all others.
macro_rules! ends_with {
    ($($error:ident: $($($variant:ident)|+ => $own:ident,)* _ => $status:ident;)+) => {
        $(impl From<$error> for Failure {
            fn from(error: $error) -> Failure {
                let status = match error {
                    $($($error::$variant { .. })|+ => Status::$own,)*
                    _ => Status::$status,
                };
                Failure::of(status, error)
            }
        })+
    };
}

ends_with! {
    ReadError: _ => Unreadable;
    SnapshotError: _ => Unreadable;
    CodeError: _ => Usage;
    OtherKernelTried: _ => Usage;
    SelectionError: _ => Usage;
    CollectError: Interrupted => Interrupted, InUse | Manifest | NotAsMade | Folder => Unreadable, _ => Tool;
    LaunchError: Arguments | Beyond | AllZero | NoKernel | NotStated | NoSuchDevice => Usage, _ => Tool;
    RenderError: Rejected | Edited => Rejected, Write | TemplateFolder => Unreadable, _ => Usage;
}

impl From<ConfigError> for Failure {
    fn from(error: ConfigError) -> Failure {
        let status = match error.kind {
            ConfigErrorKind::Unreadable | ConfigErrorKind::MissingFile => Status::Unreadable,
            ConfigErrorKind::Wrong | ConfigErrorKind::Absent => Status::Usage,
        };
        let lines: Vec<_> = error.styled().lines().map(|line| plain::no_command(line).into_owned()).collect();
        Failure { status, report: lines.join("\n") }
    }
}
