//! The step that compiles the subject's source.

use super::run::{Session, seconds};
use super::step::Key;
use crate::collect::{CollectError, Done, Tool, compile, files};
use crate::evidence::{CollectedStep, StepOutcome};
use std::time::Duration;

impl Session<'_> {
    /// Compiles, where there is a source; the cubin and what ptxas said are kept together.
    pub(super) fn build(&mut self) -> Result<(), CollectError> {
        let Some(build) = &self.request.build else { return Ok(()) };
        if let Some(plan) = &mut self.plan {
            let (arch, flags, source) = (&build.arch, build.flags.join(" "), build.source.display());
            let command = format!("nvcc -cubin -arch={arch} -lineinfo -Xptxas -v {flags} -o build.cubin {source}");
            plan.push((files::BUILD.0.to_owned(), command));
            return Ok(());
        }
        let (subject, places) = (&self.request.subject, self.context.places);
        let (_, tool) = self.tool(Tool::Nvcc)?;
        let source = crate::read::bytes(&self.request.project.join(&build.source));
        let source =
            source.map_err(|source| CollectError::Io { doing: format!("read {}", build.source.display()), source })?;
        let mut key = Key::new(files::BUILD.0);
        key.part("source", &source).part("arch", &build.arch).part("flags", build.flags.join("\n"));
        let key = key.finish();
        let has = |(step, file): (&str, &str)| {
            self.store.has(step, &key, &tool) && self.store.manifest().step(step).is_some_and(|kept| kept.file == file)
        };
        let has_both = has(files::BUILD) && has(files::PTXAS);
        if has_both && !self.request.again {
            self.end(files::BUILD.0, Done::Kept, Duration::ZERO);
            return Ok(());
        }
        if self.only_looks {
            self.lacks(files::BUILD.0);
            return Ok(());
        }
        self.context.progress.begin(subject, files::BUILD.0, None);
        let made = match compile(places, &self.request.project, build) {
            Ok(made) => made,
            Err(error) => {
                self.journal.remark(files::BUILD.0, &error.to_string());
                return Err(error);
            }
        };
        self.journal.begin(files::BUILD.0, &made.command);
        for ((step, file), bytes) in [(files::BUILD, &made.cubin), (files::PTXAS, &made.log)] {
            let mut stage = self.store.stage(file)?;
            let refused = |source| CollectError::Io { doing: format!("write {file}"), source };
            std::fs::write(stage.path(), bytes).map_err(refused)?;
            stage.make_public(&self.request.project, self.context.public)?;
            if step == files::BUILD.0 {
                stage.pack(file)?;
            }
            let record = CollectedStep {
                command: made.command.clone(),
                tool: made.tool.clone(),
                status: "exit status: 0".into(),
                seconds: seconds(made.wall),
                ..self.record(step, file, &key, StepOutcome::Made)
            };
            self.store.put(&stage, record)?;
        }
        self.end(files::BUILD.0, Done::Made(String::new()), made.wall);
        Ok(())
    }
}
