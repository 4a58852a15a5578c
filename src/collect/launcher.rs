//! What launches the kernel: the subject's own program, or `audit launch`, which can also check and time it.

use super::{Words, files};
use std::path::PathBuf;

/// What launches the kernel under audit.
#[derive(Clone, Debug)]
pub enum Launcher {
    /// A program of the subject's own.
    Program(Words),
    /// This program with a subject's launch.
    Own(Box<OwnLauncher>),
}

/// `audit launch SUBJECT` and what it can do with the subject.
#[derive(Clone, Debug)]
pub struct OwnLauncher {
    /// The words up to what it is to do, from the program's own path on.
    pub words: Words,
    /// What audit.toml says of the launch, in one text: it decides what every step makes.
    pub stated: String,
    /// What decides the check of the outputs; `None` where the subject states none.
    pub check: Option<Stated>,
    /// What decides the times.
    pub time: Stated,
    /// What decides the profile of the reference; `None` where the subject states none.
    pub reference: Option<Stated>,
}

/// What decides a trial beside the launch itself.
#[derive(Clone, Debug, Default)]
pub struct Stated {
    /// What audit.toml says, in one text.
    pub text: String,
    /// Files that it names, relative to the project's folder.
    pub inputs: Vec<PathBuf>,
}

/// A trial that the launcher makes by itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Trial {
    /// The outputs are compared with those of the reference.
    Check,
    /// The kernel is timed.
    Time,
}

impl Trial {
    /// The step and its file.
    pub fn file(self) -> (&'static str, &'static str) {
        match self {
            Trial::Check => files::CORRECTNESS,
            Trial::Time => files::BENCHMARK,
        }
    }
}

impl Launcher {
    /// The program that a tool watches while it launches the kernel `launches` times.
    pub(super) fn watched(&self, launches: u64) -> Words {
        match self {
            Launcher::Program(words) => words.clone(),
            Launcher::Own(own) => {
                let mut words = own.words.clone();
                words.pair("--times", &launches.saturating_sub(1).to_string());
                words
            }
        }
    }

    /// The program that launches the reference once and nothing else; `None` where there is none.
    pub(super) fn reference(&self) -> Option<Words> {
        let Launcher::Own(own) = self else { return None };
        own.reference.as_ref()?;
        let mut words = own.words.clone();
        words.one("--reference-only");
        words.pair("--times", "0");
        Some(words)
    }

    /// The command of a trial that writes to `file`; `None` where the subject does not have it.
    pub(super) fn trial(&self, trial: Trial, file: &str) -> Option<Words> {
        let Launcher::Own(own) = self else { return None };
        self.stated(trial)?;
        let mut words = own.words.clone();
        words.one(match trial {
            Trial::Check => "--check",
            Trial::Time => "--time",
        });
        words.file("--json-to", file);
        Some(words)
    }

    /// What decides a trial; `None` where the subject does not have it.
    pub(super) fn stated(&self, trial: Trial) -> Option<&Stated> {
        let Launcher::Own(own) = self else { return None };
        match trial {
            Trial::Check => own.check.as_ref(),
            Trial::Time => Some(&own.time),
        }
    }
}
