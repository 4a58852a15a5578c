//! Gathering: the files of a subject, read into the evidence that its audit is made from.

use super::baseline::Found;
use super::code::{self, Builds, ToolTime, builds, kept_build, places};
use super::evidence::{self, Folder};
use super::plan::Plan;
use super::slot::{self, Before, Days, Slot};
use super::stated::stated_work;
use super::trials::{self, Further, measured};
use super::{Failure, baseline, parts, say};
use crate::analysis::code::Launched;
use crate::analysis::{
    self, Build, Evidence, Hypothesis, KernelKey, Limits, Pick, Reduction, Selection, Side, TimedLaunches, Work,
};
use crate::collect::{CollectError, Places, Tool, files};
use crate::config::{Code, Subject, Variant};
use crate::evidence::{BuildLog, Dim3, Report, Want};
use crate::snapshot::{Placed, Record, is_snapshot};
use crate::source::{self, Profile};
use crate::view::DELIVERABLE;
use std::borrow::Cow;
use std::path::{Path, PathBuf};

pub(super) struct Gatherer<'p> {
    plan: &'p Plan,
    days: Days,
    pub(super) limits: Limits,
    pub(super) allow_damage: bool,
    /// Whether every kernel that a subject takes is read, and none compared.
    pub(super) is_of_all_kernels: bool,
    places: Places,
    /// What NVIDIA's tools took.
    pub(super) time: ToolTime,
}

pub(super) struct Gathered {
    pub(super) evidence: Evidence,
    /// The other kernels that the subject takes, where all are asked for.
    pub(super) others: Vec<Evidence>,
    pub(super) slot: Slot,
    /// In words where the old side comes from, or why there is none.
    pub(super) baseline: String,
    /// The snapshot that it comes from.
    pub(super) against: String,
    pub(super) record: Record,
    pub(super) placed: Placed,
    /// The commit that was checked out when its report was collected; empty where nobody noted it.
    pub(super) measured_at: String,
}

impl<'p> Gatherer<'p> {
    pub(super) fn new(plan: &'p Plan, days: Days, allow_damage: bool) -> Gatherer<'p> {
        Gatherer {
            plan,
            days,
            limits: Limits { overrides: plan.thresholds.clone() },
            allow_damage,
            is_of_all_kernels: plan.template == DELIVERABLE,
            places: places(&plan.tools, &plan.folder),
            time: ToolTime::default(),
        }
    }

    /// Reads the files of a subject; `is_collected` says whether its evidence was collected in this run, `kept` are hypotheses
    /// that it is held against beside those that it states. What comes of it may be shown to anyone.
    pub(super) fn gather(
        &mut self,
        subject: &Subject,
        is_collected: bool,
        kept: &[Hypothesis],
    ) -> Result<Gathered, Failure> {
        let mut gathered = self.gathered(subject, is_collected, kept)?;
        gathered.evidence = gathered.evidence.made_public();
        gathered.others = gathered.others.into_iter().map(Evidence::made_public).collect();
        Ok(gathered)
    }

    fn gathered(&mut self, subject: &Subject, is_collected: bool, kept: &[Hypothesis]) -> Result<Gathered, Failure> {
        let folder = evidence::of(subject, &self.plan.folder, is_collected)?;
        let folder = folder.as_ref();
        let subject = &folder.map_or_else(|| Ok(subject.clone()), |folder| folder.subject(subject))?;
        let mut work = stated_work(subject, &self.limits);
        work.hypotheses.extend(kept.iter().cloned());
        let further = self.further(subject, folder.is_some())?;
        let builds = self.builds(subject, folder, &further)?;
        match &subject.report {
            Some(report) => self.profiled(subject, report, folder, work, &builds, &further),
            None => {
                let code = builds.facts(subject, None)?;
                let new = Side { work, unchecked: builds.unchecked(subject, &code), code, ..Side::default() };
                let slot = self.slot(subject, &new)?;
                let (record, after) = slot::series(subject, self.plan, &self.limits, &slot, &new)?;
                let series = &self.plan.series;
                let (old, baseline) = match baseline::code(series, subject.name.as_str(), slot.at, &new) {
                    Ok(code) => (code.map(|code| Side { code, ..Side::default() }), String::new()),
                    // An audit of today does not fail over a file of an earlier day.
                    Err(error) => {
                        let why = baseline::unusable(series, &error);
                        say(format!("note: {}: {why}", subject.name))?;
                        (None, why)
                    }
                };
                let evidence = Evidence { new, old, reference: None };
                Ok(Gathered {
                    evidence,
                    others: Vec::new(),
                    slot,
                    baseline,
                    against: String::new(),
                    record,
                    placed: Placed { after, ..Placed::default() },
                    measured_at: String::new(),
                })
            }
        }
    }

    fn profiled(
        &mut self,
        subject: &Subject,
        report: &Path,
        folder: Option<&Folder>,
        work: Work,
        builds: &Builds,
        further: &[Further<'_>],
    ) -> Result<Gathered, Failure> {
        let want = Want { allow_damage: self.allow_damage, ..analysis::want_for(&work) };
        let selection = Selection { kernel: subject.kernel.clone(), baseline_kernel: subject.baseline_kernel.clone() };
        let mut profile = Profile::open(report, want.allow_damage)?;
        let (mut missed, mut pick, mut tuned) = (None, subject.pick.clone(), None);
        let name = subject.name.as_str();
        let stated = subject.plan.as_ref().filter(|_| pick.grid.is_none() && pick.rows.is_none());
        let stated = stated.map(|plan| [plan.grid, plan.block].map(|sides| Dim3(sides.map(u64::from))));
        let leave_stated = |report: &mut Report| {
            stated.into_iter().for_each(|stated| analysis::leave_stated(report, subject.kernel.as_ref(), stated));
        };
        let rows = |report: &Report| {
            let mut meant = Cow::Borrowed(report);
            if stated.is_some() {
                leave_stated(meant.to_mut());
            }
            let shown = analysis::shown(report, name, &subject.pick);
            if shown.is_none() && !self.is_of_all_kernels {
                tuned = analysis::tuned(report, subject.kernel.as_ref(), &subject.pick);
            }
            let told = || tuned.as_ref().map(|tuned| tuned.pick.clone());
            pick = shown.or_else(told).unwrap_or_else(|| subject.pick.clone());
            if pick != Pick::default() {
                missed = pick.leave(meant.to_mut()).err();
            }
            let mut rows = match self.is_of_all_kernels {
                true => analysis::chosen_rows(&meant, &selection),
                false => analysis::page_rows(&meant, &selection),
            };
            rows.extend(analysis::configuration_rows(report, name));
            rows.extend(tuned.iter().flat_map(|tuned| &tuned.rows));
            rows
        };
        let mut report = profile.read_chosen(&want, analysis::brief(), rows)?;
        // By all readings now, of the launches that are read whole.
        let tuned = tuned.and_then(|_| analysis::tuned(&report, subject.kernel.as_ref(), &subject.pick));
        let all = (!analysis::configuration_rows(&report, name).is_empty()).then(|| report.clone());
        leave_stated(&mut report);
        missed.map_or_else(|| pick.leave(&mut report), Err)?;
        let views = match self.is_of_all_kernels {
            true => parts::source_views(&mut profile, &report, &selection, self.allow_damage)?,
            false => parts::page_views(&mut profile, &report, &selection, self.allow_damage, &builds.new)?,
        };
        let with = Reduction { source: &views, work: &work, limits: &self.limits };
        let filter = subject.kernel.as_ref();
        let (kernel, others) = match self.is_of_all_kernels {
            true => {
                let mut kernels = analysis::Profile::chosen(&report, filter, &with)?;
                (kernels.remove(0), kernels)
            }
            false => (analysis::Profile::subject(&report, filter, &with)?.beside_others(&report, &with), Vec::new()),
        };
        let shown = all.map(|all| analysis::configurations(&all, name, &kernel.kernel.function));
        let configurations = shown.or(tuned.map(|tuned| tuned.configurations)).unwrap_or_default();
        let own = self.instead(subject, &report, builds, &kernel.kernel)?;
        let builds = own.as_ref().unwrap_or(builds);
        let logs = subject.ptxas.iter().map(|path| source::read_build_log(path));
        let logs = logs.collect::<Result<Vec<BuildLog>, source::ReadError>>()?;
        // What the assembler printed needs no disassembler; a build that was read has it with its code.
        let kept = folder.filter(|_| logs.is_empty() && builds.new.is_empty());
        let kept = kept.and_then(|folder| folder.file(files::PTXAS.0));
        let kept: Vec<BuildLog> = kept.iter().map(|path| source::read_build_log(path)).collect::<Result<_, _>>()?;
        let launched = match builds.new.is_empty() {
            true => None,
            false => Some(Launched::of(&report, &profile.cubins()?, &selection)?),
        };
        let code = builds.facts(subject, launched.as_ref())?;
        let mut new = Side {
            build: Build::of(&kernel.kernel, &kernel.device, if kept.is_empty() { &logs } else { &kept }),
            unchecked: builds.unchecked(subject, &code),
            code,
            collected: folder.map(|folder| folder.collected.clone().without_keys()),
            sanitizer: folder.map(|folder| folder.sanitizer.clone()).unwrap_or_default(),
            profile: Some(kernel),
            configurations,
            work,
            ..Side::default()
        };
        let beside = trials::read(subject, folder, &mut new)?;
        new.variants = measured(subject, further, &mut new.files)?;
        new.missed.extend(builds.missed.iter().map(|why| ("code".to_owned(), why.clone())));
        new.is_of_one_kernel()?;
        let slot = self.slot(subject, &new)?;
        let (record, after) = slot::series(subject, self.plan, &self.limits, &slot, &new)?;
        slot::remember(&record, slot.at, &mut new.work);
        let Found { side: mut old, words, against, with } = match self.is_of_all_kernels {
            true => Found::default(),
            false => {
                let before = Before { record: &record, after: &after, at: slot.at };
                self.old(subject, &report, &new, &before, &logs, &selection, &want)?
            }
        };
        if let Some(benchmark) = beside.old_benchmark {
            old.get_or_insert_default().benchmark = Some(benchmark);
        }
        let other = |profile: analysis::Profile| {
            let side = Side {
                build: Build::of(&profile.kernel, &profile.device, &logs),
                work: new.work.clone(),
                ..Side::default()
            };
            Evidence { new: Side { profile: Some(profile), ..side }, ..Evidence::default() }
        };
        let others = others.into_iter().map(other).collect();
        let evidence = Evidence { new, old, reference: beside.reference };
        let placed = Placed { after, with, is_chosen: false };
        let measured_at = folder.map(Folder::measured_at).unwrap_or_default();
        Ok(Gathered { evidence, others, slot, baseline: words, against, record, placed, measured_at })
    }

    fn slot(&self, subject: &Subject, new: &Side) -> Result<Slot, Failure> {
        Slot::of(&self.plan.series, &self.plan.out, subject.name.as_str(), new, self.days)
    }

    /// The old side, and where it comes from or why there is none.
    #[allow(clippy::too_many_arguments, reason = "each is read once, where the new side is")]
    fn old(
        &self,
        subject: &Subject,
        report: &Report,
        new: &Side,
        before: &Before<'_>,
        logs: &[BuildLog],
        selection: &Selection,
        want: &Want,
    ) -> Result<Found, Failure> {
        let path = match &subject.baseline {
            Some(path) if !is_snapshot(path) => path,
            given => {
                let Before { record, after, at } = before;
                let (folder, name) = (&self.plan.series, subject.name.as_str());
                return baseline::find(given.as_deref(), folder, record, after, (name, *at), new);
            }
        };
        let old = source::read_profile(path, want)?;
        let view = parts::view_of(path, analysis::old_launch(report, &old, selection), self.allow_damage)?;
        let with = Reduction { source: view.as_slice(), work: &new.work, limits: &self.limits };
        let filter = selection.baseline_kernel.as_ref().or(selection.kernel.as_ref());
        let Some(kernel) = new.profile.as_ref().map(|profile| &profile.kernel) else {
            return Ok(Found::default());
        };
        let profile = analysis::Profile::counterpart(&old, kernel, filter, &with)?;
        let beside = evidence::beside(path)?;
        let timed = beside.as_ref().and_then(|folder| folder.file(files::LAUNCHES.0));
        let timed = timed.map(|path| source::read_profile(&path, &analysis::want())).transpose()?;
        let side = Side {
            build: Build::of(&profile.kernel, &profile.device, logs),
            launches: timed.and_then(|report| TimedLaunches::of(&report, &profile.kernel)),
            sanitizer: beside.map(|folder| folder.sanitizer).unwrap_or_default(),
            profile: Some(profile),
            ..Side::default()
        };
        if side.is_same_measurement(new) {
            return Ok(Found::none(baseline::ITSELF));
        }
        Ok(Found { side: Some(side.as_old()), ..Found::default() })
    }

    /// The further builds of a subject, with their evidence where the subject is about collected evidence.
    fn further<'s>(&self, subject: &'s Subject, is_collected: bool) -> Result<Vec<Further<'s>>, Failure> {
        let one = |variant: &'s Variant| {
            let folder = if is_collected { evidence::of_variant(subject, variant, &self.plan.folder)? } else { None };
            Ok(Further { variant, folder })
        };
        subject.variants.iter().skip(1).map(one).collect()
    }

    fn builds(
        &mut self,
        subject: &Subject,
        folder: Option<&Folder>,
        further: &[Further<'_>],
    ) -> Result<Builds, Failure> {
        let (places, project) = (&self.places, &self.plan.folder);
        let kept = folder.and_then(|folder| folder.build(subject.code.as_ref()?));
        if let (Some(why), Some(_)) = (self.missing_tool(subject, kept.is_some()), &subject.report) {
            return Ok(Builds { new: Vec::new(), others: Vec::new(), old: Vec::new(), missed: Some(why) });
        }
        let new = match (&subject.code, &kept) {
            (Some(Code::Source { path, .. }), Some(kept)) => kept_build(places, project, path, kept, &mut self.time)?,
            (Some(code), _) => builds(places, project, code, &mut self.time)?,
            (None, _) => Vec::new(),
        };
        let mut others = Vec::new();
        if let Some(Code::Source { path, archs, .. }) = &subject.code {
            for Further { variant, folder } in further {
                let code = Code::Source { path: path.clone(), archs: archs.clone(), flags: variant.flags.clone() };
                let built = match folder.as_ref().and_then(|folder| folder.build(&code)) {
                    Some(kept) => kept_build(places, project, path, &kept, &mut self.time)?,
                    // The page is there without it.
                    None if subject.report.is_some() && self.lacks(Tool::Nvcc) => continue,
                    None => builds(places, project, &code, &mut self.time)?,
                };
                others.extend(built.into_iter().map(|build| ((*variant).clone(), build)));
            }
        }
        let old = subject.baseline_code.iter().map(|code| builds(places, project, code, &mut self.time));
        Ok(Builds { new, others, old: old.collect::<Result<Vec<_>, Failure>>()?.concat(), missed: None })
    }

    /// Which tool the code of a subject needs and nobody installed, in words.
    fn missing_tool(&self, subject: &Subject, is_kept: bool) -> Option<String> {
        let needs_compiler = |code: &Code| matches!(code, Code::Source { .. });
        let new = subject.code.iter().filter(|_| !is_kept);
        let compiles = new.chain(&subject.baseline_code).any(needs_compiler);
        let any = subject.code.is_some() || subject.baseline_code.is_some();
        let needed = [(Tool::Nvcc, compiles), (Tool::Nvdisasm, any)];
        let missing = needed.into_iter().find(|(tool, is_needed)| *is_needed && self.lacks(*tool));
        missing.map(|(tool, _)| format!("{} is not here; `audit doctor` says how to get it", tool.name()))
    }

    fn lacks(&self, tool: Tool) -> bool {
        matches!(self.places.find(tool), Err(CollectError::ToolMissing { .. }))
    }

    /// The code that the report holds, where a tool to compile the source is missing, or checks are stated without a source.
    fn instead(
        &mut self,
        subject: &Subject,
        report: &Report,
        builds: &Builds,
        kernel: &KernelKey,
    ) -> Result<Option<Builds>, Failure> {
        let Some(path) = &subject.report else { return Ok(None) };
        let has_checks = !subject.code_checks.is_empty() || !subject.shared.is_empty();
        let why = match (&builds.missed, &subject.code) {
            (Some(why), _) => why.clone(),
            (None, None) if has_checks && self.lacks(Tool::Nvdisasm) => {
                "nvdisasm is not here; `audit doctor` says how to get it".to_owned()
            }
            (None, None) if has_checks => "checks are stated, and no source".to_owned(),
            _ => return Ok(None),
        };
        let input = match &subject.code {
            Some(Code::Source { path, .. }) => path.clone(),
            _ => PathBuf::from(&report.origin.path),
        };
        let can_read = self.places.find(Tool::Nvdisasm).is_ok();
        let new = match can_read {
            true => code::of_report(&self.places, path, kernel, &input, &mut self.time)?,
            false => Vec::new(),
        };
        let said = if new.is_empty() { "the code sections are NOT MEASURED" } else { "the code is that of the report" };
        say(format!("note: {}: {why}: {said}", subject.name))?;
        let missed = new.is_empty().then(|| match can_read {
            true => format!("{why}; the report does not hold the machine code"),
            false => why,
        });
        Ok(Some(Builds { new, others: Vec::new(), old: Vec::new(), missed }))
    }
}
