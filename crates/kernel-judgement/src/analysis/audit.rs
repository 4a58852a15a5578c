//! The whole analysis of one subject: the only way from evidence to an audit.

use crate::analysis::code::{self, CheckResult, CodeAudit};
use crate::analysis::derive::{asked, named};
use crate::analysis::diagnose::{self, Kernel};
use crate::analysis::versus::checklist;
use crate::analysis::versus::hypothesis::{self, Compared};
use crate::analysis::{
    Artefact, Changed, CheckedLine, Comparison, Evidence, Examined, Fault, Finding, KernelKey, KernelSummary, Limits,
    Performance, Profile, ReferenceProfile, Reported, Row, Setting, Side, SourceLines, Standing, Tested, TimeOfChange,
    Timed, Timing, Trials, Void, Work, changed::Found, derive::panels::Panel, derive::stores::StoreCount,
    phases::Unavoidable, results::floor::Stated, results::pair::Pair, version::Version,
};
use crate::catalog::{Code, Counter};
use crate::evidence::{Reading, Workload};

/// Everything that is known and concluded about a subject.
#[derive(Clone, Debug, PartialEq, serde::Serialize)]
pub struct Audit {
    pub limits: Limits,
    pub work: Work,
    /// What the stated work comes to on this chip.
    pub stated: Stated,
    /// The version under audit; without launches on a page of code that nobody ran.
    pub now: Examined,
    /// The version before; `None` without its profile.
    pub before: Option<Examined>,
    /// From one to the other; `None` without a version before.
    pub change: Option<Changed>,
    pub report: Reported,
    pub settings: Vec<Setting>,
    pub performance: Performance,
    /// Tables made of metrics, by the catalog's ids, in the catalog's order.
    pub panels: Vec<Panel>,
    /// The counters that ncu was asked for by name, of a report without sections.
    pub asked: Vec<Row>,
    /// Costs of one launch of the new side by source line; `None` for an artefact that holds no instructions.
    pub source: Option<SourceLines>,
    /// What each level of memory cannot avoid to move.
    pub unavoidable: Unavoidable,
    /// The new side in one line: readings by name.
    pub line: Vec<(String, Reading)>,
    /// What the subject expects, line by line.
    pub checks: Vec<CheckedLine>,
    /// What the change was expected to do, and did.
    pub hypotheses: Vec<Tested>,
    /// Stores by the subject's tile arithmetic and as executed; `None` where the subject states no tiles.
    pub stores: Option<StoreCount>,
    /// The machine code, one for each architecture that was built; empty when the subject names no source or cubin.
    pub code: Vec<CodeAudit>,
    /// The stated checks of machine code that no build was at hand for.
    pub unchecked: Vec<CheckResult>,
    /// What was found out by launching and building beside the profile.
    pub trials: Trials,
}

impl Audit {
    pub fn panel(&self, id: &str) -> Option<&Panel> {
        self.panels.iter().find(|panel| panel.id == id)
    }

    /// What the comparison comes to; `None` without an old side.
    pub fn comparison(&self) -> Option<&Comparison> {
        self.change.as_ref().map(|change| &change.comparison)
    }

    /// The time of a launch on both sides, the one that everything says of the change: by the benchmarks where these compare, else of the
    /// launches that ncu timed. `None` without an old side.
    pub fn time_of_change(&self) -> Option<TimeOfChange> {
        self.comparison()?.whole.time_of_change(self.trials.timing.as_ref().and_then(|timing| timing.change.as_ref()))
    }

    /// The change of that time in percent.
    pub fn change_of_time(&self) -> Option<f64> {
        self.time_of_change().map(|time| time.percent())
    }

    pub fn standing(&self) -> Standing {
        self.trials.looked().standing()
    }

    /// What is wrong with the kernel's results; empty where nothing is known to be.
    pub fn faults(&self) -> Vec<Fault<'_>> {
        self.trials.looked().faults()
    }

    /// Why the check of the outputs cannot tell; `None` where it can, or where there was none.
    pub fn void_check(&self) -> Option<Void<'_>> {
        self.trials.looked().void_check()
    }

    /// Findings of the profile that the old side did not show, though it could have; all of them without an old side.
    pub fn new_findings(&self) -> impl Iterator<Item = &Finding> {
        let old: Vec<Code> = self.before.iter().flat_map(Examined::codes).collect();
        let unseen = self.change.as_ref().map(|change| change.unseen_before.as_slice()).unwrap_or_default();
        self.now.findings.iter().filter(move |found| !old.contains(&found.code) && !unseen.contains(&found.code))
    }

    /// Codes of what the old side showed and the new one does not, though it could have.
    pub fn gone_findings(&self) -> impl Iterator<Item = Code> {
        let now: Vec<Code> = self.now.codes().collect();
        let unseen = self.change.as_ref().map(|change| change.unseen_after.as_slice()).unwrap_or_default();
        let old = self.before.iter().flat_map(Examined::codes);
        old.filter(move |code| !now.contains(code) && !unseen.contains(code))
    }

    /// Whether its lines are those of a Python source, whose launches are a program's own.
    pub fn is_from_python(&self) -> bool {
        let lines = self.source.iter().flat_map(|lines| &lines.executed);
        lines.into_iter().any(|line| line.spot.place.file.ends_with(".py"))
    }

    /// Whether it is of a build that nobody ran.
    pub fn is_of_code_alone(&self) -> bool {
        self.now.artefact.launches.is_empty()
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
    let mut diagnosis = diagnose::diagnose(&derived, |limiter| studied.lines(limiter, kernel, limits));
    let before = old_version.map(|version| {
        let derived = Kernel::of(version.measurement(), None, work, limits);
        let diagnosis = diagnose::diagnose(&derived, |_| None);
        (version, derived, diagnosis)
    });

    let pair = Pair::of(version, old_version, limits);
    let mut performance = Performance::of(kernel, old_kernel, work);
    let found = Found { version, derived: &derived, diagnosis: &diagnosis };
    let change = before.as_ref().map(|(version, derived, diagnosis)| {
        let old = Found { version: *version, derived, diagnosis };
        Changed::of(found, old, &pair, &performance, work, limits)
    });

    let known = derived.known();
    let old_known = before.as_ref().map(|(_, derived, _)| derived.known());
    let now = |name: &str| named::reading(&known, name);
    let was = |name: &str| Some(named::reading(old_known.as_ref()?, name));
    let code = code::concluded(&new.code, old.map(|old| old.code.as_slice()).unwrap_or_default(), limits);
    let hypotheses = match &new.profile {
        None => {
            hypothesis::of_code(&work.hypotheses, &code, old.is_some() || code.iter().any(|c| c.facts.diff.is_some()))
        }
        Some(_) => {
            let all = hypothesis::tested(&work.hypotheses, now, was);
            let old = old.filter(|old| old.profile.is_some());
            let timed = pair.timing.as_ref();
            let compared = Compared {
                comparison: change.as_ref().map(|change| &change.comparison),
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
    let Pair { settings, panels, mut timing } = pair;
    if !stated.impossible.is_empty() {
        // What cannot be has no rate.
        performance = performance.without_rates();
        timing = timing.map(Timing::without_rates);
    }
    if new.looked().standing() == Standing::Wrong {
        // How to speed up what is wrong is no advice.
        diagnosis.levers.clear();
    }
    let reference = evidence.reference.as_ref().map(|reference| ReferenceProfile::of(reference, kernel, limits));
    Audit {
        limits: limits.clone(),
        work: work.clone(),
        report: Reported::of(profile, kernel, limits),
        stores: work.tiles.map(|tiles| StoreCount::of(tiles, &derived.mix)),
        unavoidable: Unavoidable::of(
            new.launch(),
            studied.study.as_ref().zip(studied.phases.as_ref()),
            kernel.value(Counter::LtsTSectorsSrcunitTexOpReadSum),
        ),
        unchecked: new.unchecked.iter().map(|check| check.beside(None)).collect(),
        asked: asked::rows(kernel, old_kernel),
        source: diagnosis.lines.take(),
        trials: Trials::of(new, kernel, timing, reference, limits),
        now: Examined::of(version, Artefact::of(profile, &panels, |row| Some(&row.new)), derived, diagnosis),
        before: before.map(|(version, derived, diagnosis)| {
            let artefact = Artefact::of(version.profile, &panels, |row| row.old.as_ref());
            Examined::of(version, artefact, derived, diagnosis)
        }),
        change,
        settings,
        stated,
        performance,
        panels,
        checks,
        line,
        hypotheses,
        code,
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
