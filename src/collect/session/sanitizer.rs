//! The steps of compute-sanitizer, one for each of its tools, and how long they will take, said before the first of them
//! starts and corrected by what those before took.

use super::run::Session;
use super::step::{Judged, Missed, Step, call};
use crate::catalog::sanitizer_ratio;
use crate::collect::{CollectError, SanitizerSaid, Tool, Words, about, files, run, sanitizer_words, survey};
use crate::evidence::SanitizerTool;
use std::time::{Duration, Instant};

/// The step in which the program runs with no tool.
const ALONE: &str = "alone";

impl Session<'_> {
    pub(super) fn sanitizer(&mut self, tool: SanitizerTool, inputs: &str) -> Result<(), CollectError> {
        let file = files::sanitizer(tool);
        let smaller = self.request.check.as_ref().map(|check| check.program.shown());
        let step = Step {
            name: tool.name(),
            file: &file,
            tool: Some(Tool::ComputeSanitizer),
            words: &|path| sanitizer_words(tool, path),
            key_words: &|path| sanitizer_words(tool, path),
            program: self.request.checked(),
            inputs,
        };
        self.perform(&step, &|path, ran, text| {
            let said = SanitizerSaid::read(text);
            if let Some(setback) = said.setback(tool, &ran.status.to_string(), path.is_file()) {
                return Err(Missed::For(setback));
            }
            let note = said.summary.clone();
            let smaller =
                smaller.clone().map(|program| format!("checked is `{program}`, not the program that is measured"));
            let remarks = std::iter::once(said.summary).chain(said.remarks).chain(smaller).collect();
            Ok(Judged { remarks, note, ..Judged::default() })
        })
        .map(|_| ())
    }

    /// Before the first tool of compute-sanitizer that has to run: times the program without one, and says how long all
    /// will take.
    pub(super) fn expect(&mut self, step: &Step<'_>) -> Result<(), CollectError> {
        if step.tool != Some(Tool::ComputeSanitizer) || std::mem::replace(&mut self.pace.is_known, true) {
            return Ok(());
        }
        let (request, context) = (self.request, self.context);
        let found = survey(request, context)?;
        let is_due = |tool: &&SanitizerTool| request.again || found.missed().any(|(step, _)| step == tool.name());
        let due: Vec<SanitizerTool> = request.keys().sanitizers.iter().filter(is_due).copied().collect();
        let Some(alone) = self.alone(&step.program, step.limit(request).0)? else { return Ok(()) };
        self.pace.left = due.iter().map(|tool| (*tool, alone.as_secs_f64() * sanitizer_ratio(tool.name()))).collect();
        let most = request.keys().sanitizer_timeout * u32::try_from(due.len()).unwrap_or(u32::MAX);
        let names: Vec<&str> = due.iter().map(|tool| tool.name()).collect();
        let line = format!(
            "the program takes {:.1} s alone; {} may take about {}, and at most {}",
            alone.as_secs_f64(),
            names.join(", "),
            about(Duration::from_secs_f64(self.pace.seconds().unwrap_or_default())),
            about(most.min(self.left()))
        );
        self.journal.remark(ALONE, &line);
        context.progress.remark(&request.subject, &line);
        Ok(())
    }

    /// How long the program takes without a tool; `None` where it does not come to its end in time.
    fn alone(&mut self, program: &Words, limit: Duration) -> Result<Option<Duration>, CollectError> {
        let context = self.context;
        let call = call(self.request, context, None, program, limit.min(self.left()));
        let turn = self.turn();
        self.journal.begin(ALONE, &program.shown());
        let ended = run(&call);
        drop(turn);
        self.journal.end(ALONE, &ended);
        match ended {
            Ok(ran) => {
                self.has_ended = true;
                Ok(Some(ran.wall))
            }
            Err(CollectError::TimedOut { seconds, .. }) => {
                let line = format!("the program alone did not end within {seconds} s");
                context.progress.remark(&self.request.subject, &line);
                Ok(None)
            }
            Err(error) => Err(error),
        }
    }

    /// What is left of the tools of compute-sanitizer when one of them begins.
    pub(super) fn expected(&self, step: &Step<'_>) -> Option<Duration> {
        let seconds = self.pace.seconds().filter(|_| step.tool == Some(Tool::ComputeSanitizer))?;
        Some(Duration::from_secs_f64(seconds))
    }

    /// What is left of the deadline of the subject.
    pub(super) fn left(&self) -> Duration {
        let deadline = self.request.keys().deadline.unwrap_or(Duration::MAX);
        deadline.saturating_sub(Instant::now().duration_since(self.begun))
    }
}
