//! Collecting one subject: the steps in their order, each kept, made, or missed with its reason.

use super::progress::percentage;
use super::request::{shown, shown_own};
use super::{
    Call, CollectError, Compile, Context, Done, Journal, Launcher, NcuSaid, Profile, Ran, Request, SanitizerSaid,
    Setback, Store, Summary, Tool, Trial, Words, compile, files, run_watched, sanitizer_words,
};
use crate::evidence::{CollectedStep, SanitizerTool, StepOutcome};
use std::cell::Cell;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::PoisonError;
use std::time::{Duration, Instant};

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
    pub(super) limit: Duration,
    /// Which key of audit.toml raises the limit.
    pub(super) limit_key: &'static str,
    pub(super) inputs: &'s str,
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
    fn build(&mut self) -> Result<(), CollectError> {
        let Some(build) = &self.request.build else { return Ok(()) };
        let (subject, places) = (&self.request.subject, self.context.places);
        let nvcc = places.find(Tool::Nvcc)?;
        let tool = format!("nvcc {}", places.version(&nvcc)?);
        let source = std::fs::read(self.request.project.join(&build.source));
        let source =
            source.map_err(|source| CollectError::Io { doing: format!("read {}", build.source.display()), source })?;
        let mut key = Key::new(files::BUILD.0);
        key.part("source", &source).part("arch", &build.arch).part("flags", build.flags.join("\n")).part("tool", &tool);
        let key = key.finish();
        let has_both = self.store.has(files::BUILD.0, &key) && self.store.has(files::PTXAS.0, &key);
        if has_both && !self.request.again {
            self.end(files::BUILD.0, Done::Kept, Duration::ZERO);
            return Ok(());
        }
        self.context.progress.begin(subject, files::BUILD.0);
        let what =
            Compile { folder: &self.request.project, source: &build.source, arch: &build.arch, flags: &build.flags };
        let made = compile(places, &what);
        let made = match made {
            Ok(made) => made,
            Err(error) => {
                self.journal.remark(files::BUILD.0, &error.to_string());
                return Err(error);
            }
        };
        self.journal.begin(files::BUILD.0, &made.command);
        for ((step, file), bytes) in [(files::BUILD, &made.cubin), (files::PTXAS, &made.log)] {
            let stage = self.store.stage(file)?;
            let refused = |source| CollectError::Io { doing: format!("write {file}"), source };
            std::fs::write(stage.path(), bytes).map_err(refused)?;
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

    fn sanitizer(&mut self, tool: SanitizerTool, inputs: &str) -> Result<(), CollectError> {
        let file = files::sanitizer(tool);
        let step = Step {
            name: tool.name(),
            file: &file,
            tool: Some(Tool::ComputeSanitizer),
            words: &|path| sanitizer_words(tool, path),
            key_words: &|path| sanitizer_words(tool, path),
            program: self.request.program.watched(1),
            limit: self.request.sanitizer_limit,
            limit_key: "sanitizer_timeout",
            inputs,
        };
        self.perform(&step, &|path, ran, text| {
            let said = SanitizerSaid::read(text);
            if let Some(setback) = said.setback(tool, &ran.status.to_string(), path.is_file()) {
                return Err(Missed::For(setback));
            }
            let note = said.summary.clone();
            let remarks = std::iter::once(said.summary).chain(said.remarks).collect();
            Ok(Judged { remarks, note, ..Judged::default() })
        })
        .map(|_| ())
    }

    fn profile(&mut self, inputs: &str) -> Result<(), CollectError> {
        let profile = &self.request.profile;
        let program = self.request.program.watched(profile.launches());
        self.profiled(files::PROFILE, profile, &program, inputs)
    }

    /// Profiles. Versions of ncu differ in the names that they know beside the chip's counters: one of our own set that
    /// ncu fails on is left out, and the profile made without it.
    pub(super) fn profiled(
        &mut self,
        name: (&str, &str),
        wanted: &Profile,
        program: &Words,
        inputs: &str,
    ) -> Result<(), CollectError> {
        let mut profile = wanted.clone();
        let mut left_out = Vec::new();
        loop {
            let unknown = Cell::new(None);
            let step = Step {
                name: name.0,
                file: name.1,
                tool: Some(Tool::Ncu),
                words: &|path| profile.words(path),
                key_words: &|path| wanted.words(path),
                program: program.clone(),
                limit: self.request.profile_limit,
                limit_key: "timeout",
                inputs,
            };
            if !self.profiled_once(&step, &profile, &left_out, &unknown)? {
                return Ok(());
            }
            let name: String = unknown.take().unwrap_or_default();
            match profile.without(&name) {
                Some(rest) => profile = rest,
                None => return Ok(()),
            }
            left_out.push(name);
        }
    }

    /// One attempt; whether it is to be made again without the name that `unknown` then has.
    fn profiled_once(
        &mut self,
        step: &Step<'_>,
        profile: &Profile,
        left_out: &[String],
        unknown: &Cell<Option<String>>,
    ) -> Result<bool, CollectError> {
        let context = self.context;
        self.perform(step, &|path, ran, text| {
            let said = NcuSaid::read(text);
            if let Some(name) = said.unknown().filter(|name| profile.without(name).is_some()) {
                unknown.set(Some(name));
                return Err(Missed::Again);
            }
            if let Some(setback) = said.setback(profile, &ran.status.to_string(), path.is_file()) {
                return Err(Missed::For(setback));
            }
            let mut absent = (context.absent)(path, &profile.asked()).map_err(|found| {
                let what = format!("the report that ncu wrote cannot be read: {found}");
                Missed::For(Setback::new(what, "collect it again; look for a full disk"))
            })?;
            absent.extend(left_out.iter().cloned());
            let passes = said.passes.iter().max().copied();
            let mut note = passes.map_or_else(String::new, |passes| format!("{passes} passes"));
            if said.passes.len() > 1 {
                note = format!("{} launches, {note} each", said.passes.len());
            }
            if !absent.is_empty() {
                note = format!("{note}; {} metrics did not come", absent.len());
            }
            Ok(Judged { passes, absent, remarks: said.warnings, note })
        })
    }

    /// Runs a tool, unless its file is there from the same, and puts its file in place when `judge` takes it. Whether
    /// `judge` wants another attempt.
    pub(super) fn perform(
        &mut self,
        step: &Step<'_>,
        judge: &dyn Fn(&Path, &Ran, &str) -> Result<Judged, Missed>,
    ) -> Result<bool, CollectError> {
        let (request, context) = (self.request, self.context);
        let found = match step.tool {
            Some(tool) => self.tool(tool).map(|(program, tool)| (Some(program), tool)),
            None => Ok((None, format!("audit {}", context.version))),
        };
        let (watcher, tool) = match found {
            Ok(found) => found,
            Err(error @ (CollectError::ToolMissing { .. } | CollectError::NotThere { .. })) => {
                let setback = missing(&error);
                if self.store.manifest().step(step.name).is_none() {
                    let record = self.record(step.name, step.file, "", StepOutcome::Failed);
                    self.store.miss(CollectedStep { why: setback.what.clone(), ..record })?;
                }
                self.end(step.name, Done::Missed(setback), Duration::ZERO);
                return Ok(false);
            }
            Err(error) => return Err(error),
        };
        let line = |words: &Words| match step.tool {
            Some(tool) => shown(request, tool, words, &step.program),
            None => shown_own(request, words),
        };
        let command = line(&(step.words)(step.file));
        let mut key = Key::new(step.name);
        let device = if request.prefix.is_empty() { context.machine.line() } else { String::new() };
        let deciding = line(&(step.key_words)(step.file));
        key.part("command", &deciding).part("tool", &tool).part("inputs", step.inputs).part("device", &device);
        let key = key.finish();
        if self.store.has(step.name, &key) && !request.again {
            self.has_ended = true;
            self.end(step.name, Done::Kept, Duration::ZERO);
            return Ok(false);
        }
        let mut record =
            CollectedStep { command, tool, ..self.record(step.name, step.file, &key, StepOutcome::Failed) };
        if let Some(setback) = self.hopeless(step) {
            record.why.clone_from(&setback.what);
            self.store.miss(record)?;
            self.end(step.name, Done::Missed(setback), Duration::ZERO);
            return Ok(false);
        }
        if self.store.has_stranger(step.file) && !request.again {
            let what = format!(
                "{} lies in {} and no step of its collected.json made it",
                step.file,
                request.evidence.display()
            );
            let setback = Setback::new(what, "move it away, or give --again to replace it");
            self.end(step.name, Done::Missed(setback), Duration::ZERO);
            return Ok(false);
        }
        context.progress.begin(&request.subject, step.name);
        let stage = self.store.stage(step.file)?;
        let path = std::path::absolute(stage.path()).unwrap_or_else(|_| stage.path());
        let mut words = (step.words)(&path.display().to_string());
        words.extend(step.program.clone());
        let call = self.call(watcher, words, step.limit);
        self.journal.begin(step.name, &record.command);
        let begun = Instant::now();
        let ended = {
            let _alone = request.prefix.is_empty().then(|| context.gpu.lock().unwrap_or_else(PoisonError::into_inner));
            run_watched(&call, &mut |bytes| {
                if let Some(percent) = percentage(bytes) {
                    context.progress.advance(&request.subject, step.name, percent);
                }
            })
        };
        self.journal.end(step.name, &ended);
        record.ended = self.journal.now();
        record.seconds = seconds(begun.elapsed());
        let judged = match ended {
            Ok(ran) => {
                self.has_ended = true;
                record.status = ran.status.to_string();
                let text = String::from_utf8_lossy(&ran.stdout) + "\n" + String::from_utf8_lossy(&ran.stderr);
                judge(&path, &ran, &text)
            }
            Err(CollectError::TimedOut { seconds, .. }) => {
                record.outcome = StepOutcome::TimedOut;
                self.late.push(step.name.to_owned());
                let name = step.tool.map_or("audit launch", Tool::name);
                let what = format!("{name} did not end within {seconds} s and was stopped with all its children");
                let cure = format!(
                    "see that the program ends by itself, or raise `{}` under [subject.collect]",
                    step.limit_key
                );
                Err(Missed::For(Setback::new(what, cure)))
            }
            Err(error) => return Err(error),
        };
        let done = match judged {
            Ok(judged) => {
                record.outcome = StepOutcome::Made;
                (record.passes, record.absent_metrics, record.remarks) = (judged.passes, judged.absent, judged.remarks);
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

    /// The program of a tool and its version. Behind a prefix, a tool that is not here is there under its plain name.
    fn tool(&self, tool: Tool) -> Result<(PathBuf, String), CollectError> {
        match self.context.places.find(tool) {
            Ok(found) => {
                let version = self.context.places.version(&found)?;
                Ok((found.path, format!("{} {version}", tool.name())))
            }
            Err(CollectError::ToolMissing { .. }) if !self.request.prefix.is_empty() => {
                Ok((tool.name().into(), tool.name().to_owned()))
            }
            Err(error) => Err(error),
        }
    }

    /// The words that run behind the prefix, after the tool that watches them.
    fn call(&self, watcher: Option<PathBuf>, words: Words, limit: Duration) -> Call {
        let mut all: Vec<OsString> = self.request.prefix.iter().map(OsString::from).collect();
        all.extend(watcher.map(PathBuf::into_os_string));
        all.extend(words.arguments());
        let mut arguments = all.into_iter();
        let first = arguments.next().unwrap_or_default();
        // A prefix with a folder in its name is meant from the project's folder; others are looked for in PATH.
        let is_here = self.request.prefix.first().is_some_and(|first| first.contains('/'));
        let program = if is_here { self.request.project.join(&first) } else { first.into() };
        let arguments = arguments.collect();
        let interrupt = self.context.places.interrupt.clone();
        Call { arguments, folder: self.request.project.clone(), limit, interrupt, ..Call::new(program) }
    }

    /// A note about a step that has not ended yet.
    fn record(&self, step: &str, file: &str, key: &str, outcome: StepOutcome) -> CollectedStep {
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

    fn end(&mut self, step: &str, done: Done, wall: Duration) {
        self.context.progress.end(&self.request.subject, step, &done, wall);
        self.summary.steps.push((step.to_owned(), done));
    }
}

/// A missing tool as a setback of one step.
fn missing(error: &CollectError) -> Setback {
    let text = error.to_string();
    let (what, cure) = text.split_once("\n  help: ").unwrap_or((&text, ""));
    Setback::new(what.replace("\n ", ";"), cure)
}

/// To a millisecond.
fn seconds(wall: Duration) -> f64 {
    (wall.as_secs_f64() * 1000.0).round() / 1000.0
}

/// A hash over named parts.
struct Key(blake3::Hasher);

impl Key {
    fn new(step: &str) -> Key {
        let mut key = Key(blake3::Hasher::new());
        key.part("step", step);
        key
    }

    fn part(&mut self, name: &str, value: impl AsRef<[u8]>) -> &mut Key {
        let value = value.as_ref();
        // The length keeps two parts from reading as one.
        self.0.update(format!("{name} {}\n", value.len()).as_bytes());
        self.0.update(value);
        self
    }

    fn finish(&self) -> String {
        self.0.finalize().to_hex().to_string()
    }
}
