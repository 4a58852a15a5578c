//! The whole analysis of one subject.

use crate::analysis::code::{CodeAudit, remember_checks};
use crate::analysis::derive::coalescing::Coalescing;
use crate::analysis::derive::line;
use crate::analysis::derive::mix::InstructionMix;
use crate::analysis::derive::named::{self, Known};
use crate::analysis::derive::occupancy::Occupancy;
use crate::analysis::derive::panels::Panel;
use crate::analysis::derive::roofline::Roofline;
use crate::analysis::derive::stalls::Stalls;
use crate::analysis::diagnose;
use crate::analysis::diagnose::bottleneck::Bottleneck;
use crate::analysis::diagnose::finding::Finding;
use crate::analysis::diagnose::lever::Lever;
use crate::analysis::kept::{Kept, Readings};
use crate::analysis::kernel::build::{self, BuildRow};
use crate::analysis::kernel::performance::{Performance, Work};
use crate::analysis::kernel::private;
use crate::analysis::kernel::select::{self, KernelGroup, Selection, SelectionError};
use crate::analysis::kernel::side::{OtherKernel, Side, members, overview, side};
use crate::analysis::kernel::summary::KernelSummary;
use crate::analysis::kernel::tiles::StoreCount;
use crate::analysis::limits::Limits;
use crate::analysis::lines::{Parked, SourceLines};
use crate::analysis::results::reference::ReferenceProfile;
use crate::analysis::results::timing::Timing;
use crate::analysis::versus::before::{Alone, Before};
use crate::analysis::versus::checklist::{self, CheckedLine};
use crate::analysis::versus::estimates::Estimates;
use crate::analysis::versus::hypothesis::{self, Tested};
use crate::analysis::versus::setting::{self, Seen, Setting};
use crate::analysis::versus::verdict::Comparison;
use crate::catalog::Code;
use crate::evidence::{BuildLog, Collected, Correctness, Origin, Reading, Report, SanitizerRun, SourceView};

/// What an audit is made from.
#[derive(Clone, Debug)]
pub struct Inputs<'r> {
    /// The report under audit.
    pub new: &'r Report,
    /// What to compare with.
    pub old: Option<Old<'r>>,
    /// Launches of [`subject_launches`](crate::analysis::subject_launches) by instruction, read with [`source_want`](crate::analysis::source_want); empty without.
    pub source: &'r [SourceView],
    /// The launch of the old kernel by instruction, where it was read: it tells idle warps from waits at barriers.
    pub old_source: Option<&'r SourceView>,
    /// Build logs.
    pub builds: &'r [BuildLog],
    /// Which kernel.
    pub selection: Selection,
    /// What one launch has to do.
    pub work: Work,
    /// What judgements compare with.
    pub limits: Limits,
}

impl<'r> Inputs<'r> {
    /// A report alone, with nothing stated about it.
    pub fn of(new: &'r Report) -> Inputs<'r> {
        Inputs {
            new,
            old: None,
            source: &[],
            old_source: None,
            builds: &[],
            selection: Selection::default(),
            work: Work::default(),
            limits: Limits::default(),
        }
    }
}

/// The side to compare with.
#[derive(Clone, Copy, Debug)]
pub enum Old<'r> {
    /// A report; the selection picks its kernel.
    Report(&'r Report),
    /// An earlier audit: its new side is the old side here, as its snapshot kept it.
    Audit(&'r Audit),
}

/// Everything that is known and concluded about the subject.
#[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct Audit {
    /// The new side.
    pub new: Side,
    /// The old side.
    pub old: Option<Side>,
    /// Thresholds that the judgements compared with.
    #[serde(default, skip_serializing_if = "is_default")]
    pub limits: Limits,
    /// Stated work.
    pub work: Work,
    /// All kernels of the new report, the most device time first.
    #[serde(default, skip_serializing_if = "is_default")]
    pub kernels: Vec<OtherKernel>,
    /// Kernels inside a range or graph: (name, launches); empty for a kernel.
    pub members: Vec<(String, usize)>,
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
    #[serde(default, skip_serializing_if = "is_default")]
    pub panels: Vec<Panel>,
    /// Stalls.
    #[serde(default, skip_serializing_if = "is_default")]
    pub stalls: Stalls,
    /// Executions by opcode.
    #[serde(default, skip_serializing_if = "is_default")]
    pub mix: InstructionMix,
    /// Uncoalesced accesses.
    #[serde(default, skip_serializing_if = "is_default")]
    pub coalescing: Coalescing,
    /// Costs of one launch of the new side by source line; `None` for an artefact that holds no instructions.
    pub source: Option<SourceLines>,
    /// Occupancy.
    #[serde(default, skip_serializing_if = "is_default")]
    pub occupancy: Occupancy,
    /// Ceilings and the new side's points.
    #[serde(default, skip_serializing_if = "is_default")]
    pub roofline: Roofline,
    /// The same of the old side.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub old_roofline: Option<Roofline>,
    /// What limits the new side.
    pub bottleneck: Bottleneck,
    /// Everything that the checks found on the new side, the most severe first.
    pub findings: Vec<Finding>,
    /// Codes of what the checks found on the old side; `None` without one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub old_findings: Option<Vec<Code>>,
    /// The new side in one line: readings by name.
    #[serde(default, skip_serializing_if = "Vec::is_empty", with = "crate::analysis::named_json")]
    pub line: Vec<(String, Reading)>,
    /// What the subject expects, line by line.
    pub checks: Vec<CheckedLine>,
    /// What the change was expected to do, and did; [`Audit::conclude`] completes it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub hypotheses: Vec<Tested>,
    /// The bounds that levers had on the old side, and what came; `None` without an old side.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub estimates: Option<Estimates>,
    /// Stores by the subject's tile arithmetic and as executed; `None` where the subject states no tiles.
    pub stores: Option<StoreCount>,
    /// What limited the old side.
    pub old_bottleneck: Option<Bottleneck>,
    /// What is left on the table.
    pub levers: Vec<Lever>,
    /// What the comparison comes to; `None` without an old side.
    pub comparison: Option<Comparison>,
    /// The readings of both sides, launch by launch.
    pub kept: Kept,
    /// Names of the parts that a stored audit leaves out, since its readings tell them; empty for an audit in memory.
    #[serde(default, skip_serializing_if = "is_default")]
    pub left_out: Vec<String>,
    /// The machine code, one for each architecture that was built; empty when the subject names no source or cubin.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub code: Vec<CodeAudit>,
    /// How the evidence was collected; `None` for evidence that was given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub collected: Option<Collected>,
    /// What compute-sanitizer found, in the order in which its tools ran; empty where none was run.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub sanitizer: Vec<SanitizerRun>,
    /// The check of the outputs; `None` where there was none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub correctness: Option<Correctness>,
    /// The times outside the profiler.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub timing: Option<Timing>,
    /// The profile of what it is timed beside.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reference: Option<ReferenceProfile>,
    /// The files that these three come from, each with what it is.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub trial_files: Vec<(String, Origin)>,
    /// Which of these three were meant to be there and are not, and why.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub trials_missed: Vec<(String, String)>,
}

fn is_default<T: Default + PartialEq>(part: &T) -> bool {
    *part == T::default()
}

impl Audit {
    /// A panel by the catalog's id.
    pub fn panel(&self, id: &str) -> Option<&Panel> {
        self.panels.iter().find(|panel| panel.id == id)
    }

    /// Concludes what needs the whole audit: the old side of checks on the code, and hypotheses. Called once, when code
    /// and correctness are in; `old` is the earlier audit where the old side is one.
    pub fn conclude(&mut self, old: Option<&Audit>) {
        if let Some(old) = old {
            remember_checks(&mut self.code, &old.code);
        }
        hypothesis::settle(self, old);
    }
}

/// Analyses one subject: of the kernels that the selection takes, the one with the most device time.
///
/// # Errors
/// When the selection matches no kernel of a report.
pub fn analyse(inputs: &Inputs<'_>) -> Result<Audit, SelectionError> {
    let mut chosen = select::choose(inputs.new, inputs.selection.kernel.as_ref())?;
    of_group(inputs, chosen.swap_remove(0))
}

/// Analyses every kernel that the selection takes, the most device time first. The old side of each is its counterpart.
///
/// # Errors
/// When the selection matches no kernel of a report, or the old report has no counterpart of one.
pub fn analyse_all(inputs: &Inputs<'_>) -> Result<Vec<Audit>, SelectionError> {
    let chosen = select::choose(inputs.new, inputs.selection.kernel.as_ref())?;
    chosen.into_iter().map(|group| of_group(inputs, group)).collect()
}

fn of_group(inputs: &Inputs<'_>, group: KernelGroup<'_>) -> Result<Audit, SelectionError> {
    let subject = KernelSummary::new(group);
    let old_filter = inputs.selection.baseline_kernel.as_ref().or(inputs.selection.kernel.as_ref());
    let earlier = match inputs.old {
        Some(Old::Audit(audit)) => Some(audit),
        Some(Old::Report(_)) | None => None,
    };
    let kept = earlier.map(|audit| audit.kept.new.report(&audit.new));
    let old_kernel = match inputs.old {
        Some(Old::Report(report)) => Some(select::counterpart(report, subject.key(), old_filter)?),
        Some(Old::Audit(_)) => kept.as_ref().and_then(|report| select::groups(report).into_iter().next()),
        None => None,
    };
    let old_kernel = old_kernel.map(KernelSummary::new);
    let old_kernel = old_kernel.as_ref();
    let seen = Seen { report: inputs.new, kernel: &subject };
    let conditions = match inputs.old {
        Some(Old::Audit(audit)) => setting::settings_since(seen, &inputs.work, &audit.settings, &audit.work),
        Some(Old::Report(report)) => setting::settings(seen, old_kernel.map(|kernel| Seen { report, kernel })),
        None => setting::settings(seen, None),
    };

    let is_own = |view: &&SourceView| subject.launches().iter().any(|launch| launch.id == view.launch);
    let own = inputs.source.iter().find(is_own);
    let parked = own.and_then(|view| Parked::of(view, &inputs.limits));
    let mut stalls = Stalls::of(&subject, old_kernel, &inputs.limits);
    stalls.parked = parked.as_ref().map(|parked| parked.share);
    let mix = InstructionMix::of(&subject, old_kernel);
    let coalescing = Coalescing::of(&subject, old_kernel, &mix);
    let occupancy = Occupancy::of(&subject, old_kernel);
    let roofline = Roofline::of(&subject, &mix, &inputs.work);
    let derived = diagnose::Kernel {
        kernel: &subject,
        stalls: &stalls,
        mix: &mix,
        coalescing: &coalescing,
        occupancy: &occupancy,
        roofline: &roofline,
        limits: &inputs.limits,
        work: &inputs.work,
    };
    let diagnosis = diagnose::diagnose(&derived, |limiter| {
        own.map(|view| SourceLines::of(view, &subject, limiter, parked, &inputs.limits))
    });
    let known = Known { kernel: &subject, stalls: &stalls, mix: &mix, coalescing: &coalescing };
    let old_parked = inputs.old_source.and_then(|view| Parked::of(view, &inputs.limits)).map(|parked| parked.share);
    let before = old_kernel.map(|kernel| Before::of(kernel, earlier, old_parked, &inputs.limits, &inputs.work));
    let old_reading = |name: &str| Some(before.as_ref()?.reading(name));
    let (checks, line) = (checklist::checked(&inputs.work.expected, &known, old_reading), line::line(&known));
    let hypotheses = hypothesis::tested(&inputs.work.hypotheses, |name| named::reading(&known, name), old_reading);
    let performance = Performance::of(&subject, old_kernel, &inputs.work);
    let alone = before.as_ref().map(|before| earlier.map_or_else(|| before.judged(&inputs.limits), Alone::told));
    let estimates = before.as_ref().zip(alone.as_ref()).map(|(before, alone)| {
        let now = |name: &str| named::reading(&known, name);
        Estimates::of(&alone.levers, &performance, |name| before.reading(name), now)
    });
    let panels = Panel::all(&subject, old_kernel);
    let old_commands = match inputs.old {
        Some(Old::Report(report)) => report.session.command_line.clone(),
        Some(Old::Audit(audit)) => audit.new.command_line.as_str().into(),
        None => "".into(),
    };
    let (old_bottleneck, old_roofline, old_findings) = match alone {
        Some(alone) => (Some(alone.bottleneck), Some(alone.roofline), Some(alone.findings)),
        None => (None, None, None),
    };
    Ok(Audit {
        new: side(inputs.new, &subject, &panels, |row| Some(&row.new)),
        old: match inputs.old {
            Some(Old::Report(report)) => old_kernel.map(|kernel| side(report, kernel, &panels, |row| row.old.as_ref())),
            Some(Old::Audit(audit)) => Some(audit.new.clone()),
            None => None,
        },
        comparison: old_kernel.map(|old| {
            let rows = panels.iter().flat_map(|panel| &panel.rows);
            Comparison::of(rows, &subject, old, &conditions, &inputs.limits)
        }),
        kept: Kept {
            new: Readings::of(&subject, &inputs.new.session.command_line),
            old: old_kernel.map(|kernel| Readings::of(kernel, &old_commands)),
            asked: Vec::new(),
        },
        left_out: Vec::new(),
        limits: inputs.limits.clone(),
        work: inputs.work.clone(),
        kernels: overview(inputs.new, subject.key()),
        members: members(&subject),
        performance,
        hypotheses,
        estimates,
        build: build::rows(&subject, inputs.builds),
        build_logs: inputs.builds.iter().map(|log| private::public(&log.origin)).collect(),
        build_warnings: inputs.builds.iter().flat_map(build_warnings).collect(),
        old_build: match earlier {
            Some(audit) => audit.build.clone(),
            None => old_kernel.map(|kernel| build::rows(kernel, inputs.builds)).unwrap_or_default(),
        },
        panels,
        stores: inputs.work.tiles.map(|tiles| StoreCount::of(tiles, &mix)),
        old_bottleneck,
        old_roofline,
        roofline,
        stalls,
        mix,
        coalescing,
        source: diagnosis.lines,
        occupancy,
        bottleneck: diagnosis.bottleneck,
        findings: diagnosis.findings,
        old_findings,
        checks,
        line,
        levers: diagnosis.levers,
        settings: conditions,
        code: Vec::new(),
        collected: None,
        sanitizer: Vec::new(),
        correctness: None,
        timing: None,
        reference: None,
        trial_files: Vec::new(),
        trials_missed: Vec::new(),
    })
}

fn build_warnings(log: &BuildLog) -> impl Iterator<Item = (String, u64, String)> {
    log.warnings.iter().map(|(line, text)| (private::public(&log.origin).path, *line, private::without_home(text)))
}
