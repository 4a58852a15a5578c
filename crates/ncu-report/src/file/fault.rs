//! A place where the bytes are not what the format asks for; an error or an entry in the list of damage.

use crate::Damage;
use crate::bounds::FAULTS;
use cuda_binary::ReadError;
use std::io;
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
        let cure = "copy the report again from where it was made, or profile again";
        ReadError::malformed(path, format!("byte {}", self.at), &self.expected, &self.found, cure)
    }

    /// The fault as something that was left out.
    pub(super) fn damage(&self) -> Damage {
        Damage {
            at: self.at,
            what: format!("expected {}, found {}; not read: {}", self.expected, self.found, self.lost),
        }
    }
}

/// Why a walk over a report ended: only what the file holds is damage, not what the system says.
pub(super) enum Stop {
    Damaged(Fault),
    Unreadable(io::Error),
}

impl From<Fault> for Stop {
    fn from(fault: Fault) -> Stop {
        Stop::Damaged(fault)
    }
}

impl From<io::Error> for Stop {
    fn from(error: io::Error) -> Stop {
        Stop::Unreadable(error)
    }
}

/// The faults of one pass over a report: the first ones, and how many came behind them.
#[derive(Debug, Default)]
pub(super) struct Faults {
    first: Vec<Fault>,
    more: u64,
    last: u64,
}

impl Faults {
    pub(super) fn push(&mut self, fault: Fault) {
        if self.first.len() < FAULTS {
            return self.first.push(fault);
        }
        self.more += 1;
        self.last = fault.at;
    }

    pub(super) fn first(&self) -> Option<&Fault> {
        self.first.first()
    }

    /// What was left out; what is not listed stands in one entry, at the last of them.
    pub(super) fn damage(&self) -> Vec<Damage> {
        let mut damage: Vec<Damage> = self.first.iter().map(Fault::damage).collect();
        if self.more > 0 {
            let what = format!("the last of {} more places that are damaged like these", self.more);
            damage.push(Damage { at: self.last, what });
        }
        damage
    }
}
