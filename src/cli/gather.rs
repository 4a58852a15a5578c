//! Gathering: the files of a subject, read into the evidence that its audit is made from.

use super::code::{ToolTime, builds, kept_build, places};
use super::evidence::{self, Folder};
use super::failure::Failure;
use super::plan::Plan;
use super::stated::stated_work;
use super::{baseline, lines, trials};
use crate::analysis::code::{CodeAudit, CodeInputs, Launched, audit_code};
use crate::analysis::{self, Build, Evidence, Limits, Reduction, Selection, Side, Work};
use crate::collect::Places;
use crate::config::{Code, Subject};
use crate::evidence::{BuildLog, CodeBuild, Report, SourceView, Want};
use crate::source::{self, Profile};
use crate::view::DELIVERABLE;
use chrono::NaiveDate;
use std::path::Path;

/// How the files of subjects are read.
pub(super) struct Gatherer<'p> {
    plan: &'p Plan,
    /// The day of the audits; earlier ones are their old side.
    pub(super) date: NaiveDate,
    pub(super) limits: Limits,
    /// Whether damaged reports are read.
    pub(super) allow_damage: bool,
    /// Whether every kernel that a subject takes is read, and none compared.
    pub(super) is_of_all_kernels: bool,
    places: Places,
    /// What NVIDIA's tools took.
    pub(super) time: ToolTime,
}

/// What the files of a subject hold.
pub(super) struct Gathered {
    pub(super) evidence: Evidence,
    /// The other kernels that the subject takes, where all are asked for.
    pub(super) others: Vec<Evidence>,
    /// The launch that is looked at by instruction.
    pub(super) instructions: Option<SourceView>,
    /// In words where the old side comes from, or why there is none.
    pub(super) baseline: String,
}

impl<'p> Gatherer<'p> {
    pub(super) fn new(plan: &'p Plan, date: NaiveDate, allow_damage: bool) -> Gatherer<'p> {
        Gatherer {
            plan,
            date,
            limits: Limits { overrides: plan.thresholds.clone() },
            allow_damage,
            is_of_all_kernels: plan.template == DELIVERABLE,
            places: places(&plan.tools, &plan.folder),
            time: ToolTime::default(),
        }
    }

    /// Reads the files of a subject; `is_collected` says whether its evidence was collected in this run.
    pub(super) fn gather(&mut self, subject: &Subject, is_collected: bool) -> Result<Gathered, Failure> {
        let folder = evidence::of(subject, &self.plan.folder, is_collected)?;
        let folder = folder.as_ref();
        let subject = &folder.map_or_else(|| Ok(subject.clone()), |folder| folder.subject(subject))?;
        let work = stated_work(subject, &self.limits);
        let builds = self.builds(subject, folder)?;
        match &subject.report {
            Some(report) => self.profiled(subject, report, folder, work, &builds),
            None => {
                let new = Side { work, code: judged(subject, &builds, None, &self.limits)?, ..Side::default() };
                let old = baseline::code(&self.plan.out, subject.name.as_str(), self.date);
                let old = old.map(|code| Side { code, ..Side::default() });
                let evidence = Evidence { new, old, reference: None };
                Ok(Gathered { evidence, others: Vec::new(), instructions: None, baseline: String::new() })
            }
        }
    }

    fn profiled(
        &self,
        subject: &Subject,
        report: &Path,
        folder: Option<&Folder>,
        work: Work,
        builds: &Builds,
    ) -> Result<Gathered, Failure> {
        let want = Want { allow_damage: self.allow_damage, ..analysis::want_for(&work) };
        let selection = Selection { kernel: subject.kernel.clone(), baseline_kernel: subject.baseline_kernel.clone() };
        let mut profile = Profile::open(report, want.allow_damage)?;
        let rows = |report: &Report| match self.is_of_all_kernels {
            true => analysis::chosen_rows(report, &selection),
            false => analysis::subject_rows(report, &selection),
        };
        let report = profile.read_chosen(&want, analysis::brief(), rows)?;
        let mut views = match self.is_of_all_kernels {
            true => lines::source_views(&mut profile, &report, &selection, self.allow_damage)?,
            false => {
                Vec::from_iter(lines::source_view(&mut profile, &report, &selection, self.allow_damage, &builds.new)?)
            }
        };
        let with = Reduction { source: &views, work: &work, limits: &self.limits };
        let mut kernels = analysis::Profile::chosen(&report, subject.kernel.as_ref(), &with)?.into_iter();
        let Some(kernel) = kernels.next() else { return Err(Failure::usage("the report holds no kernel")) };
        let logs = subject.ptxas.iter().map(|path| source::read_build_log(path));
        let logs = logs.collect::<Result<Vec<BuildLog>, source::ReadError>>()?;
        let launched = match builds.new.is_empty() {
            true => None,
            false => Some(Launched::of(&report, &profile.cubins()?, &selection)?),
        };
        let mut new = Side {
            build: Build::of(&kernel.kernel, &kernel.device, &logs),
            code: judged(subject, builds, launched.as_ref(), &self.limits)?,
            collected: folder.map(|folder| folder.collected.clone().without_keys()),
            sanitizer: folder.map(|folder| folder.sanitizer.clone()).unwrap_or_default(),
            profile: Some(kernel),
            work,
            ..Side::default()
        };
        let beside = trials::read(subject, folder, &mut new)?;
        new.is_of_one_kernel()?;
        let (mut old, words) = match self.is_of_all_kernels {
            true => (None, String::new()),
            false => self.old(subject, &report, &new, &logs, &selection, &want)?,
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
        let others = if self.is_of_all_kernels { kernels.map(other).collect() } else { Vec::new() };
        let instructions = if views.is_empty() { None } else { Some(views.swap_remove(0)) };
        let evidence = Evidence { new, old, reference: beside.reference };
        Ok(Gathered { evidence, others, instructions, baseline: words })
    }

    /// The old side, and in words where it comes from or why there is none.
    fn old(
        &self,
        subject: &Subject,
        report: &Report,
        new: &Side,
        logs: &[BuildLog],
        selection: &Selection,
        want: &Want,
    ) -> Result<(Option<Side>, String), Failure> {
        let path = match &subject.baseline {
            Some(path) if !baseline::is_snapshot(path) => path,
            given => return baseline::find(given.as_deref(), &self.plan.out, subject.name.as_str(), self.date),
        };
        let old = source::read_profile(path, want)?;
        let launch = analysis::old_launch_at_barriers(report, &old, selection);
        let view = launch.map(|launch| lines::old_view(path, launch, self.allow_damage)).transpose()?.flatten();
        let with = Reduction { source: view.as_slice(), work: &new.work, limits: &self.limits };
        let filter = selection.baseline_kernel.as_ref().or(selection.kernel.as_ref());
        let Some(kernel) = new.profile.as_ref().map(|profile| &profile.kernel) else {
            return Ok((None, String::new()));
        };
        let profile = analysis::Profile::counterpart(&old, kernel, filter, &with)?;
        let side = Side {
            build: Build::of(&profile.kernel, &profile.device, logs),
            profile: Some(profile),
            ..Side::default()
        };
        Ok((Some(side.as_old()), String::new()))
    }

    fn builds(&mut self, subject: &Subject, folder: Option<&Folder>) -> Result<Builds, Failure> {
        let (places, project) = (&self.places, &self.plan.folder);
        let kept = folder.and_then(|folder| folder.build(subject.code.as_ref()?));
        let new = match (&subject.code, &kept) {
            (Some(Code::Source { path, .. }), Some(kept)) => kept_build(places, project, path, kept, &mut self.time)?,
            (Some(code), _) => builds(places, project, code, &mut self.time)?,
            (None, _) => Vec::new(),
        };
        let old = subject.baseline_code.iter().map(|code| builds(places, project, code, &mut self.time));
        Ok(Builds { new, old: old.collect::<Result<Vec<_>, Failure>>()?.concat() })
    }
}

/// The builds of a subject: those under audit, and those before.
struct Builds {
    new: Vec<CodeBuild>,
    old: Vec<CodeBuild>,
}

/// Every build of a subject, each beside the old build of its architecture.
fn judged(
    subject: &Subject,
    builds: &Builds,
    launched: Option<&Launched>,
    limits: &Limits,
) -> Result<Vec<CodeAudit>, Failure> {
    let one = |build: &CodeBuild| {
        Ok(audit_code(&CodeInputs {
            build,
            old: builds.old.iter().find(|old| old.cubin.arch == build.cubin.arch),
            kernel: subject.kernel.as_ref(),
            old_kernel: subject.baseline_kernel.as_ref(),
            launched,
            shape: subject.launch,
            checks: &subject.checks,
            limits,
        })?)
    };
    builds.new.iter().map(one).collect()
}
