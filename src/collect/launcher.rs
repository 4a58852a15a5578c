//! What launches the kernel: the subject's own program, or `audit launch`, which can also check and time it; and the words of
//! commands.

use super::files;
use crate::shell::quoted;
use std::ffi::{OsStr, OsString};
use std::path::PathBuf;

#[derive(Clone, Debug)]
pub enum Launcher {
    /// A program of the subject's own.
    Program(Words),
    /// One that calls `kernel_audit.bench`, which reads from the environment what is wanted of it.
    Bench(Words),
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
    Time,
    /// The program checks and times its kernels by itself.
    Bench,
    Tests,
}

/// Why a tool watches the program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Watch {
    Sanitize,
    /// ncu reads counters of so many launches.
    Profile(u64),
    /// ncu times so many launches.
    Times(u64),
}

impl Trial {
    pub fn file(self) -> (&'static str, &'static str) {
        match self {
            Trial::Check => files::CORRECTNESS,
            Trial::Time => files::BENCHMARK,
            Trial::Bench => files::BENCH,
            Trial::Tests => files::TESTS,
        }
    }
}

/// What lets Triton's autotuner keep the choice that it made without a profiler.
const CHOICE: &str = "TRITON_CACHE_AUTOTUNING=1";

impl Launcher {
    pub(super) fn watched(&self, watch: Watch) -> Words {
        match self {
            Launcher::Program(words) => words.clone(),
            Launcher::Bench(words) => {
                let step = match watch {
                    Watch::Sanitize => "sanitize",
                    Watch::Profile(_) => "profile",
                    Watch::Times(_) => "launches",
                };
                ["env", &format!("KERNEL_AUDIT_STEP={step}"), CHOICE].into_iter().collect::<Words>().then(words)
            }
            Launcher::Own(own) => {
                let mut words = own.words.clone();
                let launches = match watch {
                    Watch::Sanitize => 1,
                    Watch::Profile(launches) | Watch::Times(launches) => launches,
                };
                words.pair("--times", launches.saturating_sub(1).to_string());
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
        self.stated(trial)?;
        let (own, flag) = match (self, trial) {
            (Launcher::Bench(words), _) => {
                let mut all: Words = ["env", CHOICE].into_iter().collect();
                all.shown_as(format!("KERNEL_AUDIT_BENCH={file}"), format!("KERNEL_AUDIT_BENCH={}", files::BENCH.1));
                return Some(all.then(words));
            }
            (Launcher::Own(own), Trial::Check) => (own, "--check"),
            (Launcher::Own(own), Trial::Time) => (own, "--time"),
            (Launcher::Own(_), Trial::Bench | Trial::Tests) | (Launcher::Program(_), _) => return None,
        };
        let mut words = own.words.clone();
        words.one(flag);
        words.file("--json-to", file);
        Some(words)
    }

    /// What decides a trial; `None` where the subject does not have it.
    pub(super) fn stated(&self, trial: Trial) -> Option<&Stated> {
        const BY_ITSELF: &Stated = &Stated { text: String::new(), inputs: Vec::new() };
        match (self, trial) {
            (Launcher::Own(own), Trial::Check) => own.check.as_ref(),
            (Launcher::Own(own), Trial::Time) => Some(&own.time),
            (Launcher::Bench(_), Trial::Bench) => Some(BY_ITSELF),
            _ => None,
        }
    }
}

/// Arguments, each with what stands for it where the command is shown: an output file loses its temporary folder.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Words(Vec<(OsString, String)>);

/// Words that are shown as they are.
impl<W: AsRef<OsStr>> FromIterator<W> for Words {
    fn from_iter<I: IntoIterator<Item = W>>(all: I) -> Words {
        let mut words = Words::default();
        all.into_iter().for_each(|word| words.one(word));
        words
    }
}

impl Words {
    /// A word that is shown as it is.
    pub fn one(&mut self, word: impl AsRef<OsStr>) {
        let word = word.as_ref();
        self.0.push((word.to_owned(), word.to_string_lossy().into_owned()));
    }

    /// A word that is shown as another.
    pub fn shown_as(&mut self, word: impl AsRef<OsStr>, shown: impl Into<String>) {
        self.0.push((word.as_ref().to_owned(), shown.into()));
    }

    pub fn pair(&mut self, option: &str, value: impl AsRef<OsStr>) {
        self.one(option);
        self.one(value);
    }

    /// An option and a file, which is shown by its name alone.
    pub fn file(&mut self, option: &str, path: &str) {
        self.one(option);
        self.shown_as(path, path.rsplit(['/', '\\']).next().unwrap_or(path));
    }

    pub fn then(mut self, words: &Words) -> Words {
        self.0.extend_from_slice(&words.0);
        self
    }

    pub fn arguments(&self) -> impl Iterator<Item = OsString> {
        self.0.iter().map(|(word, _)| word.clone())
    }

    /// The command line as a POSIX shell takes it.
    pub fn shown(&self) -> String {
        self.0.iter().map(|(_, shown)| quoted(shown)).collect::<Vec<_>>().join(" ")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_shown_can_be_given_to_a_shell() {
        let mut words = Words::default();
        words.pair("--kernel-name", "regex:^a$");
        words.file("--export", "/tmp/.making/x.ncu-rep");
        words.one("it's");
        assert_eq!(words.shown(), "--kernel-name 'regex:^a$' --export x.ncu-rep 'it'\\''s'");
        assert_eq!(words.arguments().nth(3), Some("/tmp/.making/x.ncu-rep".into()));
    }
}
