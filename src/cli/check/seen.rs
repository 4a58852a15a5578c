//! A subject as the gate sees it, and with what it says of it.

use super::outcome::{Outcome, Said};
use crate::cli::failure::{Failure, Status};
use crate::cli::made::Made;
use crate::snapshot::{Entry, Record};
use std::path::PathBuf;

/// A subject as the gate sees it.
pub(super) struct Seen {
    pub(super) record: Record,
    /// Its newest audit, compared with what the series stands on.
    pub(super) made: Option<Made>,
    /// The same as its page has it, where that compared it with another audit.
    pub(super) written: Option<Made>,
    /// The snapshot's path where it was read.
    pub(super) file: Option<PathBuf>,
}

impl Seen {
    /// The earlier audit that was made from the launches of the newest one, to which the kernel went back.
    pub(super) fn back(&self) -> Option<&Entry> {
        let newest = self.record.newest().filter(|newest| !newest.milestone.measured.is_empty())?;
        let is_same =
            |entry: &&Entry| entry.milestone.measured == newest.milestone.measured && entry.found.at < newest.found.at;
        self.record.entries.iter().find(is_same)
    }
}

/// A subject with what the gate says of it.
pub(super) struct Checked {
    pub(super) subject: String,
    /// Its page, where an audit was read; empty otherwise.
    pub(super) page: String,
    pub(super) seconds: f64,
    pub(super) said: Said,
    /// What HEAD has another version of.
    pub(super) stale: Option<String>,
    /// How it ends where it could not be checked.
    pub(super) failed: Option<Status>,
}

impl Checked {
    /// A subject that could not be checked: the others are.
    pub(super) fn failed(subject: &str, failure: &Failure) -> Checked {
        Checked {
            subject: subject.to_owned(),
            page: String::new(),
            seconds: 0.0,
            said: Said { outcome: Outcome::Broken, text: failure.text() },
            stale: None,
            failed: Some(failure.status()),
        }
    }
}
