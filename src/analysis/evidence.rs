//! Everything that was read, measured or stated about a subject. Serialised, it is the snapshot.

use crate::analysis::code::CodeAudit;
use crate::analysis::kernel::build::Build;
use crate::analysis::kernel::stated::Work;
use crate::analysis::limits::Limits;
use crate::analysis::profile::{Profile, Reduction};
use crate::evidence::{Benchmark, Collected, Correctness, Origin, Report, SanitizerRun};

/// What an audit is made from.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Evidence {
    /// The version under audit.
    pub new: Side,
    /// The version before.
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

/// One version of a kernel: whatever of it is there.
#[derive(Clone, Debug, Default, PartialEq, serde::Serialize, serde::Deserialize)]
#[serde(default)]
pub struct Side {
    /// What one launch has to do, as the subject states it.
    pub work: Work,
    /// The kernel as it was measured; `None` for a build that nobody ran.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub profile: Option<Profile>,
    /// What build logs say of it.
    pub build: Build,
    /// The machine code, one for each architecture that was built.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub code: Vec<CodeAudit>,
    /// How the evidence was collected; `None` for evidence that was given.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub collected: Option<Collected>,
    /// What compute-sanitizer found, in the order in which its tools ran; empty where none was run.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub sanitizer: Vec<SanitizerRun>,
    /// The check of the outputs; `None` where there was none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub correctness: Option<Correctness>,
    /// The times outside the profiler.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub benchmark: Option<Benchmark>,
    /// The files that these come from, each with what it is.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub files: Vec<(String, Origin)>,
    /// What was meant to be found by launching and was not, and why.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub missed: Vec<(String, String)>,
}

impl Side {
    /// What an old side is compared by: without its lines of source and the story of its collection.
    #[must_use]
    pub fn as_old(mut self) -> Side {
        if let Some(profile) = &mut self.profile {
            (profile.lines, profile.kernels) = (None, Vec::new());
        }
        Side { collected: None, files: Vec::new(), missed: Vec::new(), ..self }
    }
}

/// The profile of what a kernel is timed beside: its kernel with the most device time.
#[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct Reference {
    /// The kernel.
    pub profile: Profile,
    /// Further kernels in the report.
    pub others: usize,
}

impl Reference {
    /// The kernel of a report; `None` for a report without any.
    pub fn of(report: &Report) -> Option<Reference> {
        let (work, limits) = (Work::default(), Limits::default());
        let with = Reduction { source: &[], work: &work, limits: &limits };
        let mut kernels = Profile::chosen(report, None, &with).ok()?;
        let others = kernels.len() - 1;
        let mut profile = kernels.swap_remove(0);
        (profile.kernels, profile.rules) = (Vec::new(), Vec::new());
        Some(Reference { profile, others })
    }
}
