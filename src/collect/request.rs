//! What is to be collected of a subject, with what, what it comes to, and what is told of it meanwhile.

use super::launcher::{Launcher, Stated, Trial, Watch};
use super::{Collecting, Machine, Places, Profile, Setback, Words};
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::time::Duration;

#[derive(Clone, Debug)]
pub struct Build {
    /// The source, relative to the project's folder.
    pub source: PathBuf,
    /// `sm_90a`.
    pub arch: String,
    /// Further flags: `-O3`, `-I`, `-D`, `-std`.
    pub flags: Vec<String>,
}

/// A smaller program for compute-sanitizer.
#[derive(Clone, Debug)]
pub struct Check {
    pub program: Words,
    /// Its files, relative to the project's folder.
    pub inputs: Vec<PathBuf>,
}

#[derive(Clone, Debug)]
pub struct Tests {
    /// Their command, which takes `--junit-xml=FILE`.
    pub program: Words,
    /// What decides them beside the program under test.
    pub stated: Stated,
}

#[derive(Clone, Debug)]
pub struct Request {
    /// The subject; of several in one run of their program, the first.
    pub subject: String,
    /// The others that this run serves.
    pub also: Vec<String>,
    /// The project's folder: tools and programs work in it.
    pub project: PathBuf,
    pub evidence: PathBuf,
    /// What is compiled; nothing for a program that brings its own kernels.
    pub build: Option<Build>,
    pub program: Launcher,
    /// Files that decide what the program does.
    pub inputs: Vec<PathBuf>,
    /// Whether this process is where the prefix would lead: a task of a job array.
    pub is_task: bool,
    /// How the kernel is profiled, with what audit.toml says of the collection.
    pub profile: Profile,
    /// What compute-sanitizer watches, where it is not what is measured.
    pub check: Option<Check>,
    /// The tests that say whether its results are right, where the subject states some.
    pub tests: Option<Tests>,
    /// The commit that is checked out; empty where git does not say it.
    pub commit: String,
    /// Whether Nsight Systems records the whole program as well.
    pub has_timeline: bool,
    pub again: bool,
}

impl Request {
    pub fn names(&self) -> impl Iterator<Item = &str> {
        std::iter::once(&self.subject).chain(&self.also).map(String::as_str)
    }

    pub fn keys(&self) -> &Collecting {
        &self.profile.keys
    }

    /// How launches are timed by themselves; `None` where nobody asks for it, or the profile has as many.
    pub fn timed(&self) -> Option<Profile> {
        let Collecting { launches, count, .. } = *self.keys();
        (launches > count).then(|| self.profile.of_times(launches))
    }

    /// What goes before every command that needs a GPU, from where this process is.
    pub fn behind(&self) -> &[String] {
        if self.is_task { &[] } else { &self.keys().prefix }
    }

    /// The program that compute-sanitizer watches.
    pub(super) fn checked(&self) -> Words {
        self.check.as_ref().map_or_else(|| self.program.watched(Watch::Sanitize), |check| check.program.clone())
    }

    /// The command of a trial that writes to `file`; `None` where the subject does not have it.
    pub(super) fn trial(&self, trial: Trial, file: &str) -> Option<Words> {
        let Trial::Tests = trial else { return self.program.trial(trial, file) };
        let mut words = self.tests.as_ref()?.program.clone();
        words.shown_as(format!("--junit-xml={file}"), format!("--junit-xml={}", trial.file().1));
        Some(words)
    }

    /// What decides a trial; `None` where the subject does not have it.
    pub(super) fn stated(&self, trial: Trial) -> Option<&Stated> {
        match trial {
            Trial::Tests => self.tests.as_ref().map(|tests| &tests.stated),
            _ => self.program.stated(trial),
        }
    }

    /// Whether the GPU is that of this machine, and what is collected belongs to it. Behind a prefix and in a job array
    /// any node that the scheduler gives is as good as another, so that both agree on what is done.
    pub(super) fn is_of_this_machine(&self) -> bool {
        self.keys().prefix.is_empty() && !self.is_task
    }
}

/// Gives the metrics of a list that a report does not hold; an error for a file that is no whole report.
type Absent<'c> = dyn Fn(&Path, &[String]) -> Result<Vec<String>, String> + 'c;

/// What every collection of a run shares.
pub struct Context<'c> {
    pub places: &'c Places,
    pub machine: &'c Machine,
    pub now: &'c dyn Fn() -> String,
    pub progress: &'c dyn Progress,
    /// Held while something runs on the GPU of this machine: two at a time would measure each other.
    pub gpu: &'c Mutex<()>,
    /// How long another run that collects the same is waited for.
    pub patience: Duration,
    pub version: &'c str,
    pub absent: &'c Absent<'c>,
    /// Says in a word how a trial came out; an error for a file that is not what the trial writes.
    pub outcome: &'c dyn Fn(Trial, &Path) -> Result<String, String>,
    /// Says whether a file is a timeline that can be read; an error says what is wrong.
    pub is_timeline: &'c dyn Fn(&Path) -> Result<(), String>,
    /// A plain report without what it says of people and machines; `None` for one that is not whole. Other bytes stay.
    pub public: &'c dyn Fn(&[u8]) -> Option<Vec<u8>>,
}

/// How a collection came out, step by step.
#[derive(Clone, Debug, Default)]
pub struct Summary {
    pub steps: Vec<(String, Done)>,
}

impl Summary {
    /// Steps without their file, with the reason.
    pub fn missed(&self) -> impl Iterator<Item = (&str, &Setback)> {
        self.steps.iter().filter_map(|(step, done)| match done {
            Done::Missed(setback) => Some((step.as_str(), setback)),
            Done::Made(_) | Done::Kept => None,
        })
    }
}

/// The arguments of nsys up to the program, for a timeline at `path`.
pub(super) fn timeline_words(path: &str) -> Words {
    let mut words: Words = ["profile", "--trace=cuda", "--force-overwrite=true"].into_iter().collect();
    words.file("--output", &recording(Path::new(path)).display().to_string());
    words
}

/// Where nsys records to, beside the timeline.
pub(super) fn recording(path: &Path) -> PathBuf {
    path.with_extension("nsys-rep")
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Done {
    /// Its file was made; a few words about it may follow.
    Made(String),
    /// Its file is there from an earlier run, made by the same.
    Kept,
    /// It made nothing that can be used.
    Missed(Setback),
}

/// Hears of steps as they begin, move on and end. Steps of several subjects may be told at a time.
pub trait Progress: Sync {
    /// A step begins; `left` is how long it and those like it after it may take.
    fn begin(&self, _subject: &str, _step: &str, _left: Option<Duration>) {}
    /// Something is worth knowing of what comes.
    fn remark(&self, _subject: &str, _text: &str) {}
    /// A step says how far it is, in percent of its present kernel.
    fn advance(&self, _subject: &str, _step: &str, _percent: u8) {}
    fn end(&self, _subject: &str, _step: &str, _done: &Done, _wall: Duration) {}
}

/// A time that is not known well: seconds, or minutes where they are many.
pub fn about(time: Duration) -> String {
    let seconds = time.as_secs_f64();
    if seconds < 120.0 { format!("{:.0} s", seconds.max(1.0)) } else { format!("{:.0} min", seconds / 60.0) }
}

/// The last percentage in a piece of what ncu prints: `0%....50%....100%`.
pub(super) fn percentage(bytes: &[u8]) -> Option<u8> {
    let text = String::from_utf8_lossy(bytes);
    let end = text.rfind('%')?;
    let digits = text[..end].bytes().rev().take_while(u8::is_ascii_digit).count();
    text[end - digits..end].parse().ok().filter(|percent| *percent <= 100)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_time_that_is_not_known_well_is_rounded() {
        let times = [0.2, 119.0, 1200.0].map(|seconds| about(Duration::from_secs_f64(seconds)));
        assert_eq!(times, ["1 s", "119 s", "20 min"]);
    }

    #[test]
    fn the_last_percentage_of_a_piece_counts() {
        assert_eq!(percentage(b"==PROF== Profiling \"x\" - 0: 0%....50%.."), Some(50));
        assert_eq!(percentage(b"...100% - 38 passes\n"), Some(100));
        assert_eq!(percentage(b"no number % here"), None);
        assert_eq!(percentage(b"900%"), None);
    }
}
