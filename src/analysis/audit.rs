//! The whole analysis of one subject: the only way from evidence to an audit.

use crate::analysis::artefact::Artefact;
use crate::analysis::code::{self, CheckResult, CodeAudit};
use crate::analysis::correctness::{Fault, Looked, Standing, Void};
use crate::analysis::derive::asked;
use crate::analysis::derive::coalescing::Coalescing;
use crate::analysis::derive::mix::InstructionMix;
use crate::analysis::derive::named;
use crate::analysis::derive::occupancy::Occupancy;
use crate::analysis::derive::panels::Panel;
use crate::analysis::derive::roofline::Roofline;
use crate::analysis::derive::stalls::Stalls;
use crate::analysis::derive::stores::StoreCount;
use crate::analysis::diagnose::finding::Finding;
use crate::analysis::diagnose::lever::Lever;
use crate::analysis::diagnose::{self, Bottleneck, Kernel};
use crate::analysis::evidence::{Evidence, Side};
use crate::analysis::kernel::build::BuildRow;
use crate::analysis::kernel::configurations::Configuration;
use crate::analysis::kernel::overview::{OtherKernel, time_of_all};
use crate::analysis::kernel::row::{Performance, Row};
use crate::analysis::kernel::select::KernelKey;
use crate::analysis::kernel::stated::Work;
use crate::analysis::kernel::summary::KernelSummary;
use crate::analysis::limits::Limits;
use crate::analysis::lines::SourceLines;
use crate::analysis::others::{self, OtherVerdict};
use crate::analysis::over_time::OverTime;
use crate::analysis::phases::{Phases, Unavoidable};
use crate::analysis::profile::Profile;
use crate::analysis::results::changed::TimeOfChange;
use crate::analysis::results::floor::Stated;
use crate::analysis::results::pair::Pair;
use crate::analysis::results::reference::ReferenceProfile;
use crate::analysis::results::timed::Timed;
use crate::analysis::results::timing::Timing;
use crate::analysis::results::variants::VariantTimes;
use crate::analysis::version::Version;
use crate::analysis::versus::aims::Sides;
use crate::analysis::versus::checklist::{self, CheckedLine};
use crate::analysis::versus::common::{LimiterChange, limiter_change, unseen};

use crate::analysis::versus::estimates::Estimates;
use crate::analysis::versus::hypothesis::{self, Compared, Tested};
use crate::analysis::versus::rewrite::{self, OpcodeMove};
use crate::analysis::versus::setting::Setting;
use crate::analysis::versus::story::Story;
use crate::analysis::versus::verdict::Comparison;
use crate::catalog::Code;
use crate::evidence::{Collected, Correctness, Origin, Reading, SanitizerRun, TestRun, Workload};

/// Everything that is known and concluded about a subject.
#[derive(Clone, Debug, PartialEq, serde::Serialize)]
pub struct Audit {
    /// The new side; without launches on a page of code that nobody ran.
    pub new: Artefact,
    /// The old side.
    pub old: Option<Artefact>,
    /// Thresholds that the judgements compared with.
    pub limits: Limits,
    /// Stated work.
    pub work: Work,
    /// All kernels of the new report, the most device time first.
    pub kernels: Vec<OtherKernel>,
    /// Summed time of the launches of all of them in ns; `None` where not every launch has a time.
    #[serde(skip)]
    pub time_of_all: Option<f64>,
    /// What limits the others of them, where their time matters.
    pub others: Vec<OtherVerdict>,
    /// Kernels inside a range or graph: (name, launches); empty for a kernel.
    pub members: Vec<(String, usize)>,
    /// What the stated work comes to on this chip.
    pub stated: Stated,
    /// Measuring conditions.
    pub settings: Vec<Setting>,
    /// Time and rates.
    pub performance: Performance,
    /// The build, new side.
    pub build: Vec<BuildRow>,
    /// The build, old side.
    pub old_build: Vec<BuildRow>,
    /// Build logs that were read.
    pub build_logs: Vec<Origin>,
    /// Warnings of the assembler: (log, line from 1, text).
    pub build_warnings: Vec<(String, u64, String)>,
    /// Tables made of metrics, by the catalog's ids, in the catalog's order.
    pub panels: Vec<Panel>,
    /// The counters that ncu was asked for by name, of a report without sections.
    pub asked: Vec<Row>,
    pub stalls: Stalls,
    /// Executions by opcode.
    pub mix: InstructionMix,
    /// Uncoalesced accesses.
    pub coalescing: Coalescing,
    /// Costs of one launch of the new side by source line; `None` for an artefact that holds no instructions.
    pub source: Option<SourceLines>,
    /// Where the time of one launch goes; `None` where the report does not count and sample by instruction.
    pub phases: Option<Phases>,
    /// The same of the old side.
    pub old_phases: Option<Phases>,
    /// What each level of memory cannot avoid to move.
    pub unavoidable: Unavoidable,
    /// What one launch does over its time; `None` where PM sampling was not collected.
    pub over_time: Option<OverTime>,
    /// The same of the old side.
    pub old_over_time: Option<OverTime>,
    pub occupancy: Occupancy,
    /// Ceilings and the new side's points.
    pub roofline: Roofline,
    /// The same of the old side.
    pub old_roofline: Option<Roofline>,
    /// What limits the new side.
    pub bottleneck: Bottleneck,
    /// Everything that the checks found on the new side, the most severe first.
    pub findings: Vec<Finding>,
    /// Codes of what the checks found on the old side; `None` without one.
    pub old_findings: Option<Vec<Code>>,
    /// Codes of findings that the metrics of the old side could not show, so that nobody knows whether it had them.
    pub unseen_before: Vec<Code>,
    /// Codes of the old side's findings that the metrics of the new side could not show.
    pub unseen_after: Vec<Code>,
    /// What made it faster or slower; `None` where the cycles did not change, or nothing tells.
    pub story: Option<Story>,
    /// Opcodes that came, went or run another number of times; `None` where a side was not counted by instruction.
    pub moves: Option<Vec<OpcodeMove>>,
    /// Initialisations of mbarriers in the launch, old and new; `None` where a side was not counted by instruction.
    #[serde(skip)]
    pub mbarriers: Option<(u64, u64)>,
    /// What became of the limiter; `None` without an old side.
    pub limiter_change: Option<LimiterChange>,
    /// The new side in one line: readings by name.
    pub line: Vec<(String, Reading)>,
    /// What the subject expects, line by line.
    pub checks: Vec<CheckedLine>,
    /// What the change was expected to do, and did.
    pub hypotheses: Vec<Tested>,
    /// The bounds that levers had on the old side, and what came; `None` without an old side.
    pub estimates: Option<Estimates>,
    /// Stores by the subject's tile arithmetic and as executed; `None` where the subject states no tiles.
    pub stores: Option<StoreCount>,
    /// What limited the old side.
    pub old_bottleneck: Option<Bottleneck>,
    /// What is left on the table.
    pub levers: Vec<Lever>,
    /// What the comparison comes to; `None` without an old side.
    pub comparison: Option<Comparison>,
    /// The machine code, one for each architecture that was built; empty when the subject names no source or cubin.
    pub code: Vec<CodeAudit>,
    /// The stated checks of machine code that no build was at hand for.
    pub unchecked: Vec<CheckResult>,
    /// How the evidence was collected; `None` for evidence that was given.
    pub collected: Option<Collected>,
    /// What compute-sanitizer found, in the order in which its tools ran; empty where none was run.
    pub sanitizer: Vec<SanitizerRun>,
    /// The check of the outputs; `None` where there was none.
    pub correctness: Option<Correctness>,
    /// What the project's own tests of its results found.
    pub tested: Option<TestRun>,
    /// The times outside the profiler.
    pub timing: Option<Timing>,
    /// The measured builds of the source side by side, the one under audit first; empty where it is the only one.
    pub variants: Vec<VariantTimes>,
    /// The configurations that its autotuner chooses among, the fastest first.
    pub configurations: Vec<Configuration>,
    /// The profile of what it is timed beside.
    pub reference: Option<ReferenceProfile>,
    /// The files that these three come from, each with what it is.
    pub trial_files: Vec<(String, Origin)>,
    /// Which of these three were meant to be there and are not, and why.
    pub trials_missed: Vec<(String, String)>,
}

impl Audit {
    /// A panel by the catalog's id.
    pub fn panel(&self, id: &str) -> Option<&Panel> {
        self.panels.iter().find(|panel| panel.id == id)
    }

    fn looked(&self) -> Looked<'_> {
        Looked { correctness: self.correctness.as_ref(), tested: self.tested.as_ref(), sanitizer: &self.sanitizer }
    }

    /// The time of a launch on both sides, the one that everything says of the change: by the benchmarks where these compare, else of the
    /// launches that ncu timed. `None` without an old side.
    pub fn time_of_change(&self) -> Option<TimeOfChange> {
        self.comparison.as_ref()?.whole.time_of_change(self.timing.as_ref().and_then(|timing| timing.change.as_ref()))
    }

    /// The change of that time in percent.
    pub fn change_of_time(&self) -> Option<f64> {
        self.time_of_change().map(|time| time.percent())
    }

    /// What is known of the kernel's results.
    pub fn standing(&self) -> Standing {
        self.looked().standing()
    }

    /// What is wrong with the kernel's results; empty where nothing is known to be.
    pub fn faults(&self) -> Vec<Fault<'_>> {
        self.looked().faults()
    }

    /// Why the check of the outputs cannot tell; `None` where it can, or where there was none.
    pub fn void_check(&self) -> Option<Void<'_>> {
        self.looked().void_check()
    }

    /// Findings of the profile that the old side did not show, though it could have; all of them without an old side.
    pub fn new_findings(&self) -> impl Iterator<Item = &Finding> {
        let old = self.old_findings.as_deref().unwrap_or_default();
        self.findings.iter().filter(|found| !old.contains(&found.code) && !self.unseen_before.contains(&found.code))
    }

    /// Codes of what the old side showed and the new one does not, though it could have.
    pub fn gone_findings(&self) -> impl Iterator<Item = Code> {
        let is_there = |code: &Code| self.findings.iter().any(|finding| finding.code == *code);
        let old = self.old_findings.iter().flatten().copied();
        old.filter(move |code| !is_there(code) && !self.unseen_after.contains(code))
    }

    /// Whether its lines are those of a Python source, whose launches are a program's own.
    pub fn is_from_python(&self) -> bool {
        let lines = self.source.iter().flat_map(|lines| &lines.executed);
        lines.into_iter().any(|line| line.spot.file.ends_with(".py"))
    }

    /// Whether it is of a build that nobody ran.
    pub fn is_of_code_alone(&self) -> bool {
        self.new.launches.is_empty()
    }
}

/// The audit of a subject. Pure: the same evidence and limits give the same audit.
pub fn audit(evidence: &Evidence, limits: &Limits) -> Audit {
    let (new, old) = (&evidence.new, evidence.old.as_ref());
    let work = &new.work;
    let unmeasured;
    let profile = match &new.profile {
        Some(profile) => profile,
        None => {
            unmeasured = Profile::unmeasured(built(new));
            &unmeasured
        }
    };
    let kernel = &profile.summary();
    let old_profile = old.and_then(|old| old.profile.as_ref());
    let old_kernel = old_profile.map(Profile::summary);
    let old_kernel = old_kernel.as_ref();
    let studied = &profile.studied(kernel, limits);
    let version = Version { side: new, profile, kernel, studied };
    let old_studied = old_profile.zip(old_kernel).map(|(profile, kernel)| profile.studied(kernel, limits));
    let old_version = old.zip(old_profile).zip(old_kernel).zip(old_studied.as_ref());
    let old_version =
        old_version.map(|(((side, profile), kernel), studied)| Version { side, profile, kernel, studied });

    let derived = Kernel::of(version.measurement(), old_version.map(|old| old.measurement()), work, limits);
    let diagnosis = diagnose::diagnose(&derived, |limiter| studied.lines(limiter, kernel, limits));
    let old_derived = old_version.map(|old| Kernel::of(old.measurement(), None, work, limits));
    let alone = old_derived.as_ref().map(|old| diagnose::diagnose(old, |_| None));

    let known = derived.known();
    let old_known = old_derived.as_ref().map(Kernel::known);
    let now = |name: &str| named::reading(&known, name);
    let was = |name: &str| Some(named::reading(old_known.as_ref()?, name));
    let mut performance = Performance::of(kernel, old_kernel, work);
    let studies = studied.study.as_ref().zip(old_studied.as_ref().and_then(|old| old.study.as_ref()));
    let moves = studies.map(|(new, old)| rewrite::moves(new, old));
    let mbarriers = studies.and_then(|(new, old)| rewrite::mbarriers(old).zip(rewrite::mbarriers(new)));
    let estimates = alone.as_ref().zip(old_known.as_ref()).map(|(alone, old)| {
        let old = |name: &str| named::reading(old, name);
        let code = studies.map(|(new, old)| (old, new));
        let phases = old_studied.as_ref().and_then(|old| old.phases.as_ref()).zip(studied.phases.as_ref());
        let sides = Sides { old: &old, new: &now, code, phases, mbarriers, moves: moves.as_deref() };
        Estimates::of(&alone.levers, &performance, &sides)
    });
    let estimates = estimates.zip(old_kernel).map(|(estimates, old)| estimates.beside_work(kernel, old));
    let old_bottleneck = alone.as_ref().map(|alone| alone.bottleneck.clone());
    let limiter = old_bottleneck.as_ref().map(|bottleneck| bottleneck.limiter);
    let story = old_kernel.and_then(|old| Story::of(kernel, old, limiter, limits));
    let old_findings: Option<Vec<Code>> = alone.as_ref().map(|alone| alone.codes().collect());
    let limiters = old_version.zip(limiter);
    let limiter_change = limiters.map(|old| limiter_change((version, diagnosis.bottleneck.limiter), old, work, limits));
    let unseen_before = old_version.map(|old| unseen(diagnosis.codes(), version, old, work, limits));
    let was_found = old_findings.iter().flatten().copied();
    let unseen_after = old_version.map(|old| unseen(was_found, old, version, work, limits));
    let code = code::concluded(&new.code, old.map(|old| old.code.as_slice()).unwrap_or_default(), limits);
    let pair = Pair::of(version, old_version, limits);
    let comparison = old_version.map(|old| pair.compared(version, old, limits));
    let hypotheses = match &new.profile {
        None => {
            hypothesis::of_code(&work.hypotheses, &code, old.is_some() || code.iter().any(|c| c.facts.diff.is_some()))
        }
        Some(_) => {
            let all = hypothesis::tested(&work.hypotheses, now, was);
            let old = old.filter(|old| old.profile.is_some());
            let timed = pair.timing.as_ref();
            let compared = Compared {
                comparison: comparison.as_ref(),
                timed: timed.and_then(|timing| timing.change.as_ref()?.of_time()),
                times: [
                    old.and_then(|_| {
                        time_of(timed.and_then(|one| one.change.as_ref()).map(|one| &one.old), old_kernel)
                    }),
                    time_of(timed.map(|timing| &timing.kernel), Some(kernel)),
                ],
            };
            hypothesis::settled(all, new, old, &code, &pair.settings, compared)
        }
    };
    let has_products = named::reading(&known, "tensor.instructions").value().is_some_and(|count| count > 0.0);
    let is_by_design = derived.occupancy.is_by_design(has_products) == Some(true);
    let checks = checklist::checked(&work.expected, &known, was, is_by_design);
    let line = named::line(&known);
    let stated = Stated::of(kernel, &derived.roofline, work, pair.timing.as_ref(), limits);
    let Kernel { stalls, mix, coalescing, occupancy, roofline, .. } = derived;
    let Pair { settings, panels, mut timing } = pair;
    if !stated.impossible.is_empty() {
        // What cannot be has no rate.
        performance = performance.without_rates();
        timing = timing.map(Timing::without_rates);
    }
    Audit {
        limits: limits.clone(),
        work: work.clone(),
        kernels: profile.kernels.clone(),
        time_of_all: time_of_all(&profile.kernels, kernel),
        others: others::verdicts(profile, limits),
        members: profile.members.clone(),
        build: new.build.rows(kernel),
        old_build: old.zip(old_kernel).map(|(old, kernel)| old.build.rows(kernel)).unwrap_or_default(),
        build_logs: new.build.logs.clone(),
        build_warnings: new.build.warnings.clone(),
        stores: work.tiles.map(|tiles| StoreCount::of(tiles, &mix)),
        checks,
        line,
        new: Artefact::of(profile, &panels, |row| Some(&row.new)),
        old: old_profile.map(|old| Artefact::of(old, &panels, |row| row.old.as_ref())),
        reference: evidence.reference.as_ref().map(|reference| ReferenceProfile::of(reference, kernel, limits)),
        phases: studied.phases.clone(),
        unavoidable: Unavoidable::of(new.launch(), studied.study.as_ref().zip(studied.phases.as_ref())),
        old_phases: old_version.and_then(|old| old.studied.phases.clone()),
        over_time: profile.over_time.clone(),
        old_over_time: old_profile.and_then(|old| old.over_time.clone()),
        bottleneck: diagnosis.bottleneck,
        findings: diagnosis.findings,
        unseen_before: unseen_before.unwrap_or_default(),
        unseen_after: unseen_after.unwrap_or_default(),
        // How to speed up what is wrong is no advice.
        levers: if new.looked().standing() == Standing::Wrong { Vec::new() } else { diagnosis.levers },
        source: diagnosis.lines,
        collected: new.collected.clone(),
        sanitizer: new.sanitizer.clone(),
        correctness: new.correctness.clone(),
        tested: new.tested.clone(),
        variants: VariantTimes::of(new, kernel, limits),
        configurations: new.configurations.clone(),
        trial_files: new.files.clone(),
        trials_missed: new.missed.clone(),
        unchecked: new.unchecked.iter().map(|check| check.beside(None)).collect(),
        settings,
        stated,
        performance,
        asked: asked::rows(kernel, old_kernel),
        panels,
        stalls,
        mix,
        coalescing,
        occupancy,
        roofline,
        old_roofline: old_derived.map(|old| old.roofline),
        old_findings,
        story,
        moves,
        mbarriers,
        limiter_change,
        hypotheses,
        estimates,
        old_bottleneck,
        comparison,
        code,
        timing,
    }
}

/// The time of one launch in ns: the benchmark's, else the profiler's.
fn time_of(timed: Option<&Timed>, kernel: Option<&KernelSummary<'_>>) -> Option<f64> {
    timed.map(|timed| timed.time.median).or_else(|| Some(1e9 * kernel?.seconds()?))
}

/// The kernel that a build holds.
fn built(side: &Side) -> KernelKey {
    let (name, mangled) = side.code.first().map_or(("", ""), |code| (code.kernel.as_str(), code.mangled.as_str()));
    let workload = Workload::Kernel;
    KernelKey { workload, name: name.into(), function: name.into(), mangled: mangled.into(), grid: None, block: None }
}
