//! Everything that was read, measured or stated about a subject. Serialised, it is the snapshot.

use crate::analysis::code::{Checked, CodeFacts};
use crate::analysis::kernel::select::{KernelGroup, choose};
use crate::analysis::kernel::summary::{CYCLES, DURATION};
use crate::analysis::kernel::{commands, private};
use crate::analysis::{
    Build, Configuration, KernelKey, KernelSummary, Limits, Profile, Reduction, Selection, SelectionError, Work, groups,
};
use crate::evidence::{
    Benchmark, Collected, Correctness, Dim3, LaunchFacts, Origin, Report, SanitizerRun, SourceView, TestRun,
};

/// What an audit is made from.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Evidence {
    /// The version under audit.
    pub new: Side,
    pub old: Option<Side>,
    /// The profile of what the kernel is timed beside.
    pub reference: Option<Reference>,
}

impl Evidence {
    /// A profile alone, with nothing stated about it.
    pub fn of(profile: Profile) -> Evidence {
        Evidence { new: Side { profile: Some(profile), ..Side::default() }, ..Evidence::default() }
    }
}

impl Evidence {
    /// The evidence as anyone may see it: commands without what is of a program, a machine or a person, paths without
    /// what stands before the project. Evidence that was read a moment ago and a snapshot from anyone go through this.
    #[must_use]
    pub fn made_public(mut self) -> Evidence {
        for side in std::iter::once(&mut self.new).chain(&mut self.old) {
            side.make_public();
        }
        if let Some(reference) = &mut self.reference {
            reference.profile.make_public();
        }
        self
    }
}

/// One version of a kernel: whatever of it is there.
#[derive(Clone, Debug, Default, PartialEq, serde::Serialize, serde::Deserialize)]
#[serde(default)]
pub struct Side {
    /// What one launch has to do, as the subject states it.
    pub work: Work,
    /// The kernel as it was measured; `None` for a build that nobody ran.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub profile: Option<Profile>,
    pub build: Build,
    /// The machine code, one for each architecture that was built.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub code: Vec<CodeFacts>,
    /// The stated checks of machine code that no build was at hand for, each with why.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub unchecked: Vec<Checked>,
    /// How the evidence was collected; `None` for evidence that was given.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub collected: Option<Collected>,
    /// What compute-sanitizer found, in the order in which its tools ran; empty where none was run.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub sanitizer: Vec<SanitizerRun>,
    /// The check of the outputs; `None` where there was none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub correctness: Option<Correctness>,
    /// What the project's own tests of its results found.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tested: Option<TestRun>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub benchmark: Option<Benchmark>,
    /// Launches that ncu timed and asked nothing else; `None` where none were.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub launches: Option<TimedLaunches>,
    /// The builds of its source that were measured, the one of this side first; empty where it is the only one.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub variants: Vec<MeasuredVariant>,
    /// The configurations that its autotuner chooses among, the fastest first; empty where the report shows none.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub configurations: Vec<Configuration>,
    /// The files that these come from, each with what it is.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub files: Vec<(String, Origin)>,
    /// What was meant to be found by launching and was not, and why.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub missed: Vec<(String, String)>,
}

impl Side {
    fn make_public(&mut self) {
        self.profile.iter_mut().for_each(Profile::make_public);
        for (log, _, text) in &mut self.build.warnings {
            (*log, *text) = (private::public_path(log), private::public_text(text));
        }
        self.code.iter_mut().for_each(make_code_public);
        let files = self.files.iter_mut().map(|(_, origin)| origin);
        for origin in self.build.logs.iter_mut().chain(files) {
            origin.path = private::public_path(&origin.path);
        }
        for step in self.collected.iter_mut().flat_map(|collected| &mut collected.steps) {
            commands::make_step_public(step);
        }
        for case in self.tested.iter_mut().flat_map(|tested| tested.failed.iter_mut().chain(&mut tested.broken)) {
            case.why = private::public_text(&case.why);
        }
        self.missed.iter_mut().for_each(|(_, why)| *why = private::public_text(why));
        let further = self.variants.iter_mut().flat_map(|variant| &mut variant.sanitizer);
        for run in self.sanitizer.iter_mut().chain(further) {
            run.not_measured = private::public_text(&run.not_measured);
        }
    }

    /// What its kernel was launched with, where the launcher wrote it down.
    pub(in crate::analysis) fn launch(&self) -> Option<&LaunchFacts> {
        let checked = self.correctness.as_ref().map(|check| &check.launch);
        checked.or(self.benchmark.as_ref().filter(|times| times.told.is_none()).map(|times| &times.launch))
    }

    /// The hash by which what was measured is known: that of the report, or of the code of a build that nobody ran.
    pub fn hash(&self) -> Option<&str> {
        let hash = match &self.profile {
            Some(profile) => profile.origin.blake3.as_str(),
            None => self.code.first()?.code_sha256.as_str(),
        };
        (!hash.is_empty()).then_some(hash)
    }

    /// A name of what was measured, the same for the same launches of one report, and for builds with the same code that
    /// nobody ran; empty where there is nothing to tell it by.
    pub fn mark(&self) -> String {
        /// Digits that tell the measurements of a subject apart.
        const DIGITS: usize = 16;
        let Some(hash) = self.hash() else { return String::new() };
        let what = match &self.profile {
            Some(profile) => {
                let KernelKey { name, mangled, grid, block, .. } = &profile.kernel;
                let dim = |dim: &Option<Dim3>| dim.map(|dim| dim.to_string()).unwrap_or_default();
                let launches: Vec<String> = profile.launches.iter().map(u32::to_string).collect();
                [&**name, mangled, &dim(grid), &dim(block), &launches.join(" ")].join("\n")
            }
            None => self
                .builds()
                .into_iter()
                .flat_map(|(arch, name, code)| [arch, name, code])
                .collect::<Vec<_>>()
                .join("\n"),
        };
        let digest = blake3::hash(format!("{hash}\n{what}").as_bytes()).to_hex();
        digest[..DIGITS].to_owned()
    }

    fn builds(&self) -> Vec<(&str, &str, &str)> {
        self.code.iter().map(|code| (code.arch.as_str(), code.mangled.as_str(), code.code_sha256.as_str())).collect()
    }

    /// Whether both are one measurement: the same launches of one report, or builds with the same code that nobody ran.
    /// What is stated of them, and what was found beside, does not count.
    pub fn is_same_measurement(&self, other: &Side) -> bool {
        if self.hash().is_none() || self.hash() != other.hash() {
            return false;
        }
        match (&self.profile, &other.profile) {
            (Some(one), Some(other)) => one.kernel == other.kernel && one.launches == other.launches,
            (None, None) => self.builds() == other.builds(),
            _ => false,
        }
    }

    /// What an old side is compared by: without the story of its collection.
    #[must_use]
    pub fn as_old(mut self) -> Side {
        if let Some(profile) = &mut self.profile {
            (profile.kernels, profile.others) = (Vec::new(), Vec::new());
        }
        self.code.iter_mut().for_each(|code| code.before = None);
        let (variants, configurations, files, missed) = Default::default();
        Side { collected: None, variants, configurations, files, missed, ..self }
    }
}

fn make_code_public(code: &mut CodeFacts) {
    code.input = private::public_path(&code.input);
    code.command = commands::public_command(&code.command);
    (code.compiler, code.disassembler) =
        (private::public_text(&code.compiler), private::public_text(&code.disassembler));
    code.warnings.iter_mut().for_each(|(_, text)| *text = private::public_text(text));
    if let Some(cubin) = &mut code.cubin {
        cubin.path = private::public_path(&cubin.path);
    }
    if let Some(before) = &mut code.before {
        make_code_public(before);
    }
}

/// What was measured of one of several builds of a source. Of the first, which is the side itself, only the name is here.
#[derive(Clone, Debug, Default, PartialEq, serde::Serialize, serde::Deserialize)]
#[serde(default)]
pub struct MeasuredVariant {
    /// What the subject calls it.
    pub name: String,
    /// Its launches under ncu: those that were timed by themselves, else those of its profile; `None` where there are none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub launches: Option<TimedLaunches>,
    /// The times outside the profiler.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub benchmark: Option<Benchmark>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub correctness: Option<Correctness>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub sanitizer: Vec<SanitizerRun>,
}

/// Time and cycles of many launches of a kernel: what a verdict rests on, where the counters are of few.
#[derive(Clone, Debug, Default, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct TimedLaunches {
    /// Time of each launch in ns.
    pub ns: Vec<f64>,
    pub cycles: Vec<f64>,
}

impl TimedLaunches {
    /// The launches of a kernel in a report; `None` where it holds none.
    pub fn of(report: &Report, kernel: &KernelKey) -> Option<TimedLaunches> {
        let is_it =
            |key: &KernelKey| key.function == kernel.function && key.grid == kernel.grid && key.block == kernel.block;
        let group = groups(report).into_iter().find(|group| is_it(&group.key))?;
        let launches = TimedLaunches::of_group(group);
        (!launches.ns.is_empty()).then_some(launches)
    }

    /// The launches of the selected kernel of a report; without numbers where not measured. Errors: when the selection matches none.
    pub fn of_selected(report: &Report, selection: &Selection) -> Result<TimedLaunches, SelectionError> {
        Ok(TimedLaunches::of_group(choose(report, selection.kernel.as_ref())?.swap_remove(0)))
    }

    fn of_group(group: KernelGroup<'_>) -> TimedLaunches {
        let summary = KernelSummary::timed(group);
        TimedLaunches { ns: summary.values(DURATION), cycles: summary.values(CYCLES) }
    }
}

/// The profile of what a kernel is timed beside: its kernel with the most device time.
#[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct Reference {
    pub profile: Profile,
    pub others: usize,
}

impl Reference {
    /// The kernel of a report with what is known of it by instruction; `None` for a report without any.
    pub fn of(report: &Report, source: &[SourceView]) -> Option<Reference> {
        let (work, limits) = (Work::default(), Limits::default());
        let with = Reduction { source, work: &work, limits: &limits };
        let mut profile = Profile::subject(report, None, &with).ok()?;
        let others = profile.kernels.len().saturating_sub(1);
        (profile.kernels, profile.rules) = (Vec::new(), Vec::new());
        // Of a reference whose instructions were not sampled the code alone says nothing.
        let is_sampled = profile.studied(&profile.summary(), &limits).phases.is_some();
        profile.instructions = profile.instructions.filter(|_| is_sampled);
        Some(Reference { profile, others })
    }
}
