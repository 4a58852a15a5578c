//! The steps of compute-sanitizer, one for each of its tools.

use super::run::Session;
use super::step::{Judged, Missed, Step};
use crate::collect::{CollectError, SanitizerSaid, Tool, files, sanitizer_words};
use crate::evidence::SanitizerTool;

impl Session<'_> {
    /// Runs the program under one tool.
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
            limit: self.request.keys().sanitizer_timeout,
            limit_key: "sanitizer_timeout",
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
}
