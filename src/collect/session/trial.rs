//! The steps that the launcher of this program makes: the check of the outputs, the times, the profile of the reference;
//! those that a program of the project makes, its tests among them; and when a step is not worth its time.

use super::run::Session;
use super::step::{DEADLINE, Judged, Missed, Step};
use crate::collect::{CollectError, Launcher, Setback, Stated, Tool, Trial, Words, files};
use crate::evidence::StepOutcome;

/// Steps that do not end in time after which the sanitizers that remain are left out.
const LATE: usize = 2;

impl Session<'_> {
    pub(super) fn trial(&mut self, trial: Trial, inputs: &str) -> Result<(), CollectError> {
        let (request, context) = (self.request, self.context);
        let Some(stated) = request.stated(trial) else { return Ok(()) };
        let (name, file) = trial.file();
        let words = |path: &str| request.trial(trial, path).unwrap_or_default();
        let step = Step {
            name,
            file,
            tool: None,
            words: &words,
            key_words: &words,
            program: Words::default(),
            inputs: &self.stated(stated, inputs),
        };
        let program = match trial {
            Trial::Check | Trial::Time => "audit launch",
            Trial::Bench => "the program",
            Trial::Tests => "the command of the tests",
        };
        self.perform(&step, &|path, ran, text| {
            let lines: Vec<&str> = text.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
            if !path.is_file() {
                let last =
                    lines.iter().find(|line| line.starts_with("error")).or(lines.last()).unwrap_or(&"it said nothing");
                let what = format!("{program} ended with {}: {last}", ran.status);
                return Err(Missed::For(Setback::new(
                    what,
                    "run it by hand; collect.log in the evidence folder has the command",
                )));
            }
            // A kernel that is wrong ends with status 1 and is a result, and so do tests that fail.
            let note = (context.outcome)(trial, path).map_err(|found| {
                let what = format!("what {program} wrote cannot be read: {found}");
                Missed::For(Setback::new(what, "collect it again; look for a full disk"))
            })?;
            Ok(Judged { note, ..Judged::default() })
        })
        .map(|_| ())
    }

    pub(super) fn reference(&mut self, inputs: &str) -> Result<(), CollectError> {
        let request = self.request;
        let (Launcher::Own(own), Some(program)) = (&request.program, request.program.reference()) else {
            return Ok(());
        };
        let Some(stated) = &own.reference else { return Ok(()) };
        let mut inputs = self.stated(stated, inputs);
        // The benchmark chooses among the algorithms of the library.
        let chosen = self.store.manifest().step(files::BENCHMARK.0).filter(|step| step.outcome == StepOutcome::Made);
        if let Some(step) = chosen {
            inputs.push_str(&format!("benchmark {}\n", step.blake3));
        }
        self.profiled(files::REFERENCE, &request.profile.of_reference(), &program, &inputs)
    }

    /// Everything that decides a trial.
    fn stated(&self, stated: &Stated, inputs: &str) -> String {
        format!("{inputs}{}{}\n", self.hashes(&stated.inputs), stated.text)
    }

    /// Why a step is left out: a program that hung in the steps before hangs in this one. A profile is made of any
    /// program that came to its end once.
    pub(super) fn hopeless(&self, step: &Step<'_>) -> Option<Setback> {
        if let Some(deadline) = self.request.keys().deadline.filter(|_| self.left().is_zero()) {
            let what = format!("left out: the deadline of {} s for the subject has passed", deadline.as_secs());
            return Some(Setback::new(what, DEADLINE));
        }
        let is_check = step.tool == Some(Tool::ComputeSanitizer);
        if self.late.len() < LATE || (!is_check && self.has_ended) {
            return None;
        }
        let what = format!("left out: {} did not end in time", self.late.join(" and "));
        Some(Setback::new(
            what,
            "make sure the program terminates by itself, or raise the time limits under [subject.collect]",
        ))
    }
}
