//! The order of the steps, and what they share.

use crate::collect::{CollectError, Context, Done, Journal, Launcher, Request, Store, Summary, Trial, files};
use crate::evidence::{CollectedStep, StepOutcome};
use std::path::PathBuf;
use std::time::Duration;

/// Collects a subject. A step that fails leaves the others their chance; what is whole is kept for the next run.
///
/// # Errors
/// When there is no GPU to run on, the source does not compile, the folder cannot be written to, or the user stops the run.
pub fn collect(request: &Request, context: &Context<'_>) -> Result<Summary, CollectError> {
    if let Some(setback) = context.machine.setback().filter(|_| request.prefix.is_empty()) {
        return Err(CollectError::Setback(setback));
    }
    let store = Store::open(&request.evidence, &request.subject, context.version)?;
    let journal = Journal::open(&request.evidence, context.now)?;
    let mut session =
        Session { request, context, store, journal, summary: Summary::default(), late: Vec::new(), has_ended: false };
    session.build()?;
    let inputs = session.inputs();
    session.trial(Trial::Check, &inputs)?;
    for tool in &request.sanitizers {
        session.sanitizer(*tool, &inputs)?;
    }
    session.trial(Trial::Time, &inputs)?;
    session.profile(&inputs)?;
    session.reference(&inputs)?;
    Ok(session.summary)
}

/// A subject on its way through the steps.
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
            let bytes = std::fs::read(self.request.project.join(path)).unwrap_or_default();
            format!("{} {}\n", path.display(), blake3::hash(&bytes).to_hex())
        };
        files.iter().map(hash).collect()
    }

    /// A note about a step that has not ended yet.
    pub(super) fn record(&self, step: &str, file: &str, key: &str, outcome: StepOutcome) -> CollectedStep {
        CollectedStep {
            step: step.to_owned(),
            file: file.to_owned(),
            outcome,
            why: String::new(),
            command: String::new(),
            tool: String::new(),
            status: String::new(),
            seconds: 0.0,
            passes: None,
            absent_metrics: Vec::new(),
            remarks: Vec::new(),
            key: key.to_owned(),
            blake3: String::new(),
            bytes: 0,
            ended: self.journal.now(),
        }
    }

    /// Says that a step is over, and keeps it for the summary.
    pub(super) fn end(&mut self, step: &str, done: Done, wall: Duration) {
        self.context.progress.end(&self.request.subject, step, &done, wall);
        self.summary.steps.push((step.to_owned(), done));
    }
}

/// To a millisecond.
pub(super) fn seconds(wall: Duration) -> f64 {
    (wall.as_secs_f64() * 1000.0).round() / 1000.0
}
