//! A task of a job array: where it ran and how it ended, noted beside its log for whoever waits for the array.
//!
//! A task that dies leaves its beginning alone. Names of hosts stay in these notes: neither evidence nor pages have them.

use super::moment::now;
use super::{Failure, mention};
use serde::{Deserialize, Serialize};
use std::fs::{self, OpenOptions};
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::time::Instant;

/// A line of the notes of a subject.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "event", rename_all = "kebab-case")]
pub(super) enum Note {
    Begun {
        /// Slurm's name of the node, else the host's.
        node: String,
        /// `2026-11-20T14:03:11Z`.
        moment: String,
    },
    Ended {
        seconds: f64,
        /// Why it failed, in one line; empty where it did not.
        failure: String,
    },
}

impl Note {
    pub(super) fn node(&self) -> Option<&str> {
        match self {
            Note::Begun { node, .. } => Some(node),
            Note::Ended { .. } => None,
        }
    }

    /// How long an attempt took that came to its end.
    pub(super) fn seconds(&self) -> f64 {
        match self {
            Note::Begun { .. } => 0.0,
            Note::Ended { seconds, .. } => *seconds,
        }
    }
}

#[cfg(unix)]
fn host() -> String {
    rustix::system::uname().nodename().to_string_lossy().into_owned()
}

/// The machine's name; empty where the system does not tell it.
#[cfg(not(unix))]
fn host() -> String {
    std::env::var("COMPUTERNAME").unwrap_or_default()
}

pub(super) struct Attempt {
    file: PathBuf,
    begun: Instant,
}

impl Attempt {
    pub(super) fn begin(folder: &Path, subject: &str) -> Attempt {
        let node = std::env::var("SLURMD_NODENAME").unwrap_or_else(|_| host());
        let attempt = Attempt { file: file(folder, subject), begun: Instant::now() };
        // Notes of arrays are of no use to a repository.
        let ignore = folder.parent().unwrap_or(folder).join(".gitignore");
        if !ignore.exists() {
            let _ = fs::create_dir_all(folder).and_then(|()| fs::write(ignore, "*\n"));
        }
        attempt.note(&Note::Begun { node, moment: now() });
        attempt
    }

    pub(super) fn end(self, failure: Option<&Failure>) {
        let text = failure.map(Failure::text).unwrap_or_default();
        let failure = text.lines().next().unwrap_or_default().to_owned();
        let seconds = (self.begun.elapsed().as_secs_f64() * 1000.0).round() / 1000.0;
        self.note(&Note::Ended { seconds, failure });
    }

    /// A note that cannot be written is no reason to stop: evidence is what counts.
    fn note(&self, note: &Note) {
        let Ok(mut line) = serde_json::to_vec(note) else { return };
        line.push(b'\n');
        let written =
            OpenOptions::new().create(true).append(true).open(&self.file).and_then(|mut f| f.write_all(&line));
        if let Err(error) = written {
            mention(format!("cannot write {}: {error}", self.file.display()));
        }
    }
}

/// The notes of a subject; lines that are cut or damaged are passed over.
pub(super) fn notes(folder: &Path, subject: &str) -> Vec<Note> {
    let text = crate::read::text(&file(folder, subject)).unwrap_or_default();
    text.lines().filter_map(|line| serde_json::from_str(line).ok()).collect()
}

fn file(folder: &Path, subject: &str) -> PathBuf {
    folder.join(format!("{subject}.jsonl"))
}
