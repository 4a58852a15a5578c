//! The step of Nsight Systems: the whole program is recorded, and what `audit timeline` reads of that is kept.
//!
//! The recording itself is large and read by nsys alone; it goes with its temporary folder.

use super::run::Session;
use super::step::{Judged, Missed, Step, call};
use crate::collect::launcher::Watch;
use crate::collect::request::{recording, timeline_words};
use crate::collect::{CollectError, Setback, Tool, Words, files, run};

/// The tables that `audit timeline` reads.
const TABLES: &str = "cuda_gpu_kern_sum,cuda_gpu_trace,cuda_gpu_mem_time_sum,cuda_gpu_mem_size_sum,cuda_api_sum";

impl Session<'_> {
    pub(super) fn timeline(&mut self, inputs: &str) -> Result<(), CollectError> {
        let (request, context) = (self.request, self.context);
        let step = Step {
            name: files::TIMELINE.0,
            file: files::TIMELINE.1,
            tool: Some(Tool::Nsys),
            words: &timeline_words,
            key_words: &timeline_words,
            program: request.program.watched(Watch::Profile(1)),
            inputs,
        };
        let here = context.places.find(Tool::Nsys).map(|found| found.path);
        let watcher = Some(here.unwrap_or_else(|_| Tool::Nsys.name().into()));
        self.perform(&step, &|path, ran, text| {
            let refused = |what: String| {
                let cure = "collect.log in the evidence folder has the whole command and all that it printed";
                Missed::For(Setback::new(what, cure))
            };
            let last =
                || text.lines().map(str::trim).rfind(|line| !line.is_empty()).unwrap_or("it said nothing").to_owned();
            let recorded = recording(path);
            if !recorded.is_file() {
                return Err(refused(format!("nsys ended with {} and recorded nothing: {}", ran.status, last())));
            }
            let mut words: Words = ["stats", "--format", "csv", "--report", TABLES].into_iter().collect();
            words.one(&recorded);
            let tables = run(&call(request, context, watcher.clone(), &words, request.keys().timeout));
            let tables = tables.map_err(|error| refused(format!("`nsys stats` gave no tables: {error}")))?;
            if !tables.status.success() || tables.stdout.is_empty() {
                return Err(refused(format!("`nsys stats` ended with {} and gave no tables", tables.status)));
            }
            std::fs::write(path, &tables.stdout)
                .map_err(|error| refused(format!("the tables cannot be kept: {error}")))?;
            (context.is_timeline)(path)
                .map_err(|found| refused(format!("what nsys printed cannot be read: {found}")))?;
            Ok(Judged::default())
        })
        .map(|_| ())
    }
}
