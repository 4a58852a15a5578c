//! The order of the steps, and what they share.

use crate::collect::{
    CollectError, Context, Done, Journal, Launcher, ORDERS, Request, Setback, Store, Summary, Trial, files,
};
use crate::evidence::{CollectedStep, SanitizerTool, StepOutcome};
use std::path::PathBuf;
use std::sync::{MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// Collects a subject. A step that fails leaves the others their chance; what is whole is kept for the next run.
/// Errors: when there is no GPU to run on, the source does not compile, the folder cannot be written to, or the user
/// stops the run.
pub fn collect(request: &Request, context: &Context<'_>) -> Result<Summary, CollectError> {
    if let Some(setback) = context.machine.setback().filter(|_| request.behind().is_empty()) {
        return Err(CollectError::Setback(setback));
    }
    let store = Store::open(&request.evidence, &request.subject, context.version, context.patience)?;
    let journal = Journal::open(&request.evidence, context.now)?;
    if let Some(warning) = context.machine.warning() {
        context.progress.remark(&request.subject, &warning);
    }
    let mut session = Session::new(request, context, store, journal, false);
    session.steps()?;
    Ok(session.summary)
}

/// Says which steps of a subject are there and which are missing, with what is known of why. It runs and changes
/// nothing, and needs neither GPU nor tools. Errors: a manifest that is damaged, and a source that cannot be read.
pub(crate) fn survey(request: &Request, context: &Context<'_>) -> Result<Summary, CollectError> {
    let mut session = looking(request, context)?;
    session.steps()?;
    Ok(session.summary)
}

/// The commands that [`collect`] would run, in order: (step, command). It runs and changes nothing. Errors: a manifest
/// that is damaged.
pub fn planned(request: &Request, context: &Context<'_>) -> Result<Vec<(String, String)>, CollectError> {
    let mut session = looking(request, context)?;
    session.plan = Some(Vec::new());
    session.steps()?;
    Ok(session.plan.unwrap_or_default())
}

fn looking<'s>(request: &'s Request, context: &'s Context<'s>) -> Result<Session<'s>, CollectError> {
    let store = Store::look(&request.evidence, &request.subject, context.version)?;
    Ok(Session::new(request, context, store, Journal::nowhere(context.now), true))
}

pub(super) struct Session<'s> {
    pub(super) request: &'s Request,
    pub(super) context: &'s Context<'s>,
    pub(super) store: Store,
    pub(super) journal: Journal<'s>,
    pub(super) summary: Summary,
    /// Steps that did not end in time.
    pub(super) late: Vec<String>,
    /// Whether the program came to its end in any step.
    pub(super) has_ended: bool,
    /// Whether nothing is run.
    pub(super) only_looks: bool,
    /// The commands of the steps, where nothing but these is asked for.
    pub(super) plan: Option<Vec<(String, String)>>,
    pub(super) pace: Pace,
    pub(super) begun: Instant,
}

/// What is expected of the tools that have not run yet.
#[derive(Debug, Default)]
pub(super) struct Pace {
    /// Seconds expected of each tool that is to run, in order; those that ran are gone.
    pub(super) left: Vec<(SanitizerTool, f64)>,
    /// Seconds expected of those that ran, and what they took.
    expected: f64,
    took: f64,
    /// Whether the program has been timed, or could not be.
    pub(super) is_known: bool,
}

impl Pace {
    /// Seconds until the last tool ends, from how the first ones kept to what was expected of them.
    pub(super) fn seconds(&self) -> Option<f64> {
        let sum: f64 = self.left.iter().map(|(_, seconds)| seconds).sum();
        let correction = if self.expected > 0.0 { self.took / self.expected } else { 1.0 };
        (sum > 0.0).then_some(sum * correction)
    }

    fn ran(&mut self, name: &str, took: Duration) {
        if let Some(at) = self.left.iter().position(|(tool, _)| tool.name() == name) {
            self.expected += self.left.remove(at).1;
            self.took += took.as_secs_f64();
        }
    }
}

impl<'s> Session<'s> {
    fn new(
        request: &'s Request,
        context: &'s Context<'s>,
        store: Store,
        journal: Journal<'s>,
        only_looks: bool,
    ) -> Session<'s> {
        let (summary, late, plan) = (Summary::default(), Vec::new(), None);
        let (pace, begun) = (Pace::default(), Instant::now());
        Session { request, context, store, journal, summary, late, has_ended: false, only_looks, plan, pace, begun }
    }

    /// The step's turn on the GPU of this machine, before its time counts: two at a time would measure each other.
    pub(super) fn turn(&self) -> Option<MutexGuard<'s, ()>> {
        let gpu = self.context.gpu;
        self.request.behind().is_empty().then(|| gpu.lock().unwrap_or_else(PoisonError::into_inner))
    }

    fn steps(&mut self) -> Result<(), CollectError> {
        self.build()?;
        let inputs = self.inputs();
        self.trial(Trial::Check, &inputs)?;
        self.trial(Trial::Bench, &inputs)?;
        self.trial(Trial::Tests, &inputs)?;
        if self.request.keys().order == ORDERS[1] {
            self.measured(&inputs)?;
            self.sanitized(&inputs)?;
        } else {
            self.sanitized(&inputs)?;
            self.measured(&inputs)?;
        }
        if self.request.has_timeline {
            self.timeline(&inputs)?;
        }
        Ok(())
    }

    fn measured(&mut self, inputs: &str) -> Result<(), CollectError> {
        self.trial(Trial::Time, inputs)?;
        self.profile(inputs)?;
        self.launches(inputs)?;
        self.reference(inputs)
    }

    fn sanitized(&mut self, inputs: &str) -> Result<(), CollectError> {
        let request = self.request;
        let own = request.check.as_ref().map(|check| format!("{inputs}{}", self.hashes(&check.inputs)));
        request.keys().sanitizers.iter().try_for_each(|tool| self.sanitizer(*tool, own.as_deref().unwrap_or(inputs)))
    }
}

impl Session<'_> {
    /// Everything that decides what the program does: hashes of its files, and what is stated of its launch.
    fn inputs(&self) -> String {
        let cubin = self.store.manifest().step(files::BUILD.0).filter(|_| self.request.build.is_some());
        let mut text = cubin.map_or_else(String::new, |step| format!("cubin {}\n", step.blake3));
        text.push_str(&self.hashes(&self.request.inputs));
        if let Launcher::Own(own) = &self.request.program {
            text.push_str(&own.stated);
            text.push('\n');
        }
        text
    }

    /// Hashes of files, one to a line.
    pub(super) fn hashes(&self, files: &[PathBuf]) -> String {
        let hash = |path: &PathBuf| {
            let hash = crate::read::blake3(&self.request.project.join(path)).unwrap_or_default();
            format!("{} {hash}\n", path.display())
        };
        files.iter().map(hash).collect()
    }

    /// A note about a step that has not ended yet.
    pub(super) fn record(&self, step: &str, file: &str, key: &str, outcome: StepOutcome) -> CollectedStep {
        let (step, file, key) = (step.to_owned(), file.to_owned(), key.to_owned());
        let commit = self.request.commit.clone();
        CollectedStep { step, file, outcome, key, commit, ended: self.journal.now(), ..CollectedStep::default() }
    }

    /// Notes a step that is not there, without making it.
    pub(super) fn lacks(&mut self, step: &str) {
        let what = match self.store.manifest().step(step) {
            Some(record) if !record.why.is_empty() => record.why.clone(),
            Some(_) => "what is there was made from something else, or is damaged".to_owned(),
            None => "not collected yet".to_owned(),
        };
        self.end(step, Done::Missed(Setback::new(what, "collect it")), Duration::ZERO);
    }

    /// Says that a step is over, and keeps it for the summary.
    pub(super) fn end(&mut self, step: &str, done: Done, wall: Duration) {
        if !self.only_looks {
            self.context.progress.end(&self.request.subject, step, &done, wall);
        }
        if done != Done::Kept {
            self.pace.ran(step, wall);
        }
        self.summary.steps.push((step.to_owned(), done));
    }
}

/// To a millisecond.
pub(super) fn seconds(wall: Duration) -> f64 {
    (wall.as_secs_f64() * 1000.0).round() / 1000.0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_left_is_corrected_by_what_the_first_tools_took() {
        let mut pace =
            Pace { left: vec![(SanitizerTool::Synccheck, 2.0), (SanitizerTool::Racecheck, 30.0)], ..Pace::default() };
        assert_eq!(pace.seconds(), Some(32.0));
        pace.ran("synccheck", Duration::from_secs(6));
        assert_eq!(pace.seconds(), Some(90.0));
        pace.ran("profile", Duration::from_secs(100));
        pace.ran("racecheck", Duration::from_secs(90));
        assert_eq!(pace.seconds(), None);
    }
}
