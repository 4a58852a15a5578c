//! A place where the bytes are not what the format asks for; an error or an entry in the list of damage.

use crate::evidence::Damage;
use crate::source::ReadError;
use std::path::Path;

/// What is wrong at one byte.
#[derive(Clone, Debug)]
pub(super) struct Fault {
    /// Offset in the file.
    pub(super) at: u64,
    /// What the format asks for.
    pub(super) expected: String,
    /// What is there.
    pub(super) found: String,
    /// What cannot be read because of it.
    pub(super) lost: &'static str,
}

impl Fault {
    pub(super) fn new(at: u64, expected: impl Into<String>, found: impl Into<String>, lost: &'static str) -> Fault {
        Fault { at, expected: expected.into(), found: found.into(), lost }
    }

    /// The fault as the reason why the file is refused.
    pub(super) fn refuse(&self, path: &Path) -> ReadError {
        ReadError::Malformed {
            path: path.to_owned(),
            position: format!("byte {}", self.at),
            expected: self.expected.clone(),
            found: self.found.clone(),
            cure: "copy the report again from where it was made, or profile again; \
                   `--allow-damage` reads what is whole"
                .into(),
        }
    }

    /// The fault as something that was left out.
    pub(super) fn damage(&self) -> Damage {
        Damage {
            at: self.at,
            what: format!("expected {}, found {}; not read: {}", self.expected, self.found, self.lost),
        }
    }
}
