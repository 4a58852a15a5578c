//! How any step goes: it is kept where its file is there from the same, else its tool runs and what it wrote is judged.

use super::run::{Session, seconds};
use crate::collect::request::percentage;
use crate::collect::{Call, CollectError, Context, Done, Ran, Request, Setback, Stage, Tool, Words, run_watched};
use crate::evidence::{CollectedStep, StepOutcome};
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// A run of the subject's program, with a tool or alone.
pub(super) struct Step<'s> {
    pub(super) name: &'s str,
    pub(super) file: &'s str,
    /// What watches the program; `None` where it runs alone.
    pub(super) tool: Option<Tool>,
    /// The words for a file to write: those of the tool, or of the program where it runs alone.
    pub(super) words: &'s dyn Fn(&str) -> Words,
    /// The words that decide what it makes, where they are not the ones that are run.
    pub(super) key_words: &'s dyn Fn(&str) -> Words,
    /// The program that the tool watches.
    pub(super) program: Words,
    pub(super) inputs: &'s str,
}

impl Step<'_> {
    /// How long it may take, and which key of audit.toml raises that.
    pub(super) fn limit(&self, request: &Request) -> (Duration, &'static str) {
        match self.tool {
            Some(Tool::ComputeSanitizer) => (request.keys().sanitizer_timeout, "sanitizer_timeout"),
            _ => (request.keys().timeout, "timeout"),
        }
    }
}

/// Why an attempt gave no file.
pub(super) enum Missed {
    /// For good.
    For(Setback),
    /// It is made again in another way.
    Again,
}

/// What is known of a file that was made.
#[derive(Default)]
pub(super) struct Judged {
    pub(super) passes: Option<u64>,
    pub(super) absent: Vec<String>,
    pub(super) remarks: Vec<String>,
    pub(super) note: String,
}

impl Session<'_> {
    /// Runs a tool, unless its file is there from the same, and puts its file in place when `judge` takes it. Whether
    /// `judge` wants another attempt.
    pub(super) fn perform(
        &mut self,
        step: &Step<'_>,
        judge: &dyn Fn(&Path, &Ran, &str) -> Result<Judged, Missed>,
    ) -> Result<bool, CollectError> {
        let (request, context) = (self.request, self.context);
        let line = |prefix: &[String], words: &Words| {
            let before: Words = prefix.iter().map(String::as_str).chain(step.tool.map(Tool::name)).collect();
            before.then(words).then(&step.program).shown()
        };
        let command = line(request.behind(), &(step.words)(step.file));
        if let Some(plan) = &mut self.plan {
            plan.push((step.name.to_owned(), command));
            return Ok(false);
        }
        let Some((watcher, tool)) = self.watcher(step)? else { return Ok(false) };
        let mut key = Key::new(step.name);
        let device = if request.is_of_this_machine() { context.machine.line() } else { String::new() };
        let deciding = line(&request.keys().prefix, &(step.key_words)(step.file));
        key.part("command", &deciding).part("inputs", step.inputs).part("device", &device);
        let key = key.finish();
        if self.store.has(step.name, &key, &tool) && !request.again {
            self.has_ended = true;
            self.end(step.name, Done::Kept, Duration::ZERO);
            return Ok(false);
        }
        let packed =
            Some(format!("{}z", step.file)).filter(|_| step.file.ends_with(".ncu-rep") && !request.keys().plain);
        let file = packed.as_deref().unwrap_or(step.file);
        if self.store.has_stranger(file) && !request.again {
            let what =
                format!("{file} lies in {} and no step of its collected.json made it", request.evidence.display());
            let setback = Setback::new(what, "move it away, or give --again to replace it");
            self.end(step.name, Done::Missed(setback), Duration::ZERO);
            return Ok(false);
        }
        if self.only_looks {
            self.lacks(step.name);
            return Ok(false);
        }
        let mut record = CollectedStep { command, tool, ..self.record(step.name, file, &key, StepOutcome::Failed) };
        if let Some(setback) = self.hopeless(step) {
            record.why.clone_from(&setback.what);
            self.store.miss(record)?;
            self.end(step.name, Done::Missed(setback), Duration::ZERO);
            return Ok(false);
        }
        self.expect(step)?;
        context.progress.begin(&request.subject, step.name, self.expected(step));
        let mut stage = self.store.stage(step.file)?;
        let begun = Instant::now();
        let judged = self.attempt(step, watcher, &stage, &mut record, judge)?;
        let done = match judged {
            Ok(judged) => {
                record.outcome = StepOutcome::Made;
                stage.make_public(&request.project, context.public)?;
                if let Some(file) = &packed {
                    stage.pack(file)?;
                }
                (record.passes, record.absent_metrics, record.remarks) = (judged.passes, judged.absent, judged.remarks);
                record.remarks.extend(context.machine.warning());
                self.store.put(&stage, record)?;
                Done::Made(judged.note)
            }
            Err(Missed::Again) => {
                self.journal.remark(step.name, "once more without the name that ncu does not know");
                return Ok(true);
            }
            Err(Missed::For(setback)) => {
                record.why.clone_from(&setback.what);
                self.journal.remark(step.name, &setback.to_string());
                self.store.miss(record)?;
                Done::Missed(setback)
            }
        };
        self.end(step.name, done, begun.elapsed());
        Ok(false)
    }

    /// Runs the tool once and has what it wrote judged; `record` takes how it ended.
    fn attempt(
        &mut self,
        step: &Step<'_>,
        watcher: Option<PathBuf>,
        stage: &Stage,
        record: &mut CollectedStep,
        judge: &dyn Fn(&Path, &Ran, &str) -> Result<Judged, Missed>,
    ) -> Result<Result<Judged, Missed>, CollectError> {
        let (request, context) = (self.request, self.context);
        let path = std::path::absolute(stage.path()).unwrap_or_else(|_| stage.path());
        let words = (step.words)(&path.display().to_string()).then(&step.program);
        let turn = self.turn();
        let (limit, key) = step.limit(request);
        let call = call(request, context, watcher, &words, limit.min(self.left()));
        self.journal.begin(step.name, &record.command);
        let begun = Instant::now();
        let ended = run_watched(&call, &mut |bytes| {
            if let Some(percent) = percentage(bytes) {
                context.progress.advance(&request.subject, step.name, percent);
            }
        });
        drop(turn);
        self.journal.end(step.name, &ended);
        record.ended = self.journal.now();
        record.seconds = seconds(begun.elapsed());
        match ended {
            Ok(ran) => {
                self.has_ended = true;
                record.status = ran.status.to_string();
                let text = String::from_utf8_lossy(&ran.stdout) + "\n" + String::from_utf8_lossy(&ran.stderr);
                Ok(judge(&path, &ran, &text))
            }
            Err(CollectError::TimedOut { seconds, .. }) => {
                record.outcome = StepOutcome::TimedOut;
                self.late.push(step.name.to_owned());
                Ok(Err(Missed::For(match request.keys().deadline.filter(|_| call.limit < limit) {
                    Some(deadline) => past(step, deadline),
                    None => too_late(step, key, seconds),
                })))
            }
            Err(error) => Err(error),
        }
    }

    /// What watches the program, if anything does, and its name with its version; `None` where it is not here, which is
    /// noted.
    fn watcher(&mut self, step: &Step<'_>) -> Result<Option<(Option<PathBuf>, String)>, CollectError> {
        let Some(tool) = step.tool else { return Ok(Some((None, format!("audit {}", self.context.version)))) };
        match self.tool(tool) {
            Ok((program, tool)) => Ok(Some((Some(program), tool))),
            Err(error @ (CollectError::ToolMissing { .. } | CollectError::NotThere { .. })) => {
                let setback = missing(&error);
                if self.store.manifest().step(step.name).is_none() {
                    let record = self.record(step.name, step.file, "", StepOutcome::Failed);
                    self.store.miss(CollectedStep { why: setback.what.clone(), ..record })?;
                }
                self.end(step.name, Done::Missed(setback), Duration::ZERO);
                Ok(None)
            }
            Err(error) => Err(error),
        }
    }

    /// The program of a tool and its version. Behind a prefix or in a job array, a tool that is not here is there under its
    /// plain name.
    pub(super) fn tool(&self, tool: Tool) -> Result<(PathBuf, String), CollectError> {
        match self.context.places.find(tool) {
            Ok(found) => {
                let version = self.context.places.version(&found)?;
                Ok((found.path, format!("{} {version}", tool.name())))
            }
            Err(CollectError::ToolMissing { .. } | CollectError::NotThere { .. }) if self.only_looks => {
                Ok((tool.name().into(), tool.name().to_owned()))
            }
            Err(CollectError::ToolMissing { .. }) if !self.request.behind().is_empty() => {
                Ok((tool.name().into(), tool.name().to_owned()))
            }
            Err(error) => Err(error),
        }
    }
}

/// The words that run behind the prefix of a request, after the tool that watches them.
pub(super) fn call(
    request: &Request,
    context: &Context<'_>,
    watcher: Option<PathBuf>,
    words: &Words,
    limit: Duration,
) -> Call {
    let mut all: Vec<OsString> = request.behind().iter().map(OsString::from).collect();
    all.extend(watcher.map(PathBuf::into_os_string));
    all.extend(words.arguments());
    let mut arguments = all.into_iter();
    let first = arguments.next().unwrap_or_default();
    // A prefix with a folder in its name is meant from the project's folder; others are looked for in PATH.
    let is_here = request.behind().first().is_some_and(|first| first.contains('/'));
    let program = if is_here { request.project.join(&first) } else { first.into() };
    let arguments = arguments.collect();
    let interrupt = context.places.interrupt.clone();
    Call { arguments, folder: request.project.clone(), limit, interrupt, ..Call::new(program) }
}

/// What to do about a deadline that is too short.
pub(super) const DEADLINE: &str =
    "raise `deadline` under [subject.collect]; name a smaller `check_run`, or fewer `sanitizers`";

fn too_late(step: &Step<'_>, key: &str, seconds: u64) -> Setback {
    let name = step.tool.map_or("audit launch", Tool::name);
    let what = format!("{name} did not end within {seconds} s and was stopped with all its children");
    let cure = format!("make sure the program terminates by itself, or raise `{key}` under [subject.collect]");
    Setback::new(what, cure)
}

/// A step that the deadline of its subject stopped.
fn past(step: &Step<'_>, deadline: Duration) -> Setback {
    let what =
        format!("{} was stopped: the deadline of {} s for the subject has passed", step.name, deadline.as_secs());
    Setback::new(what, DEADLINE)
}

/// A missing tool as a setback of one step.
fn missing(error: &CollectError) -> Setback {
    let text = error.to_string();
    let (what, cure) = text.split_once("\n  help: ").unwrap_or((&text, ""));
    Setback::new(what.replace("\n ", ";"), cure)
}

/// What decides a step, as a hash over named parts: a step whose key is the same is not made again.
pub(super) struct Key(blake3::Hasher);

impl Key {
    pub(super) fn new(step: &str) -> Key {
        let mut key = Key(blake3::Hasher::new());
        key.part("step", step);
        key
    }

    pub(super) fn part(&mut self, name: &str, value: impl AsRef<[u8]>) -> &mut Key {
        let value = value.as_ref();
        // The length keeps two parts from reading as one.
        self.0.update(format!("{name} {}\n", value.len()).as_bytes());
        self.0.update(value);
        self
    }

    pub(super) fn finish(&self) -> String {
        self.0.finalize().to_hex().to_string()
    }
}
