//! The profile, of the subject or of its reference, and the launches that are only timed.

use super::run::Session;
use super::step::{Judged, Missed, Step};
use crate::collect::launcher::Watch;
use crate::collect::{CollectError, NcuSaid, Profile, Setback, Tool, Words, files};
use crate::evidence::StepOutcome;
use std::cell::Cell;

impl Session<'_> {
    pub(super) fn profile(&mut self, inputs: &str) -> Result<(), CollectError> {
        let profile = &self.request.profile;
        let program = self.request.program.watched(Watch::Profile(profile.launches()));
        self.profiled(files::PROFILE, profile, &program, inputs)
    }

    /// Times launches by themselves, where the profile was made: what ncu may not profile it may not time.
    pub(super) fn launches(&mut self, inputs: &str) -> Result<(), CollectError> {
        let Some(timed) = self.request.timed() else { return Ok(()) };
        let profiled = self.store.manifest().step(files::PROFILE.0);
        if self.plan.is_none() && profiled.is_none_or(|step| step.outcome != StepOutcome::Made) {
            return Ok(());
        }
        let program = self.request.program.watched(Watch::Times(timed.launches()));
        self.profiled(files::LAUNCHES, &timed, &program, inputs)
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
}
