//! All costs by line of one launch, and the places in the source that findings point at.

use super::accesses::{ACCESS, Accesses, EXECUTED, LANES, Space, WIDTH};
use super::counts::{self, LaneLine, LineCount};
use super::limiting::{self, LimitingLines, SECTORS};
use super::spot::{Groups, Spot};
use super::{attribution::Attribution, parked::Parked, waits::Waits};
use crate::analysis::{KernelSummary, Limits, derive::coalescing::WAVEFRONTS, derive::stalls::sampled_reason};
use crate::catalog::{Code, Counter};
use crate::evidence::{Launch, Lines, NameSet, SourceView, Want};
use arcstr::ArcStr;

/// Cycles in which L2 and L1 worked, and all cycles: NVIDIA's rules UncoalescedGlobalAccess and UncoalescedSharedAccess
/// scale their estimates by these.
const ACTIVITY: [[Counter; 2]; 2] = [
    [Counter::LtsCyclesActiveSum, Counter::LtsCyclesElapsedSum],
    [Counter::L1texCyclesActiveSum, Counter::L1texCyclesElapsedSum],
];

/// Metrics that are read by instruction, beside the samples.
const BY_INSTRUCTION: [Counter; 9] = [
    EXECUTED,
    LANES,
    ACCESS,
    WIDTH,
    SECTORS[0],
    Counter::MemoryL2TheoreticalSectorsGlobalIdeal,
    SECTORS[1],
    WAVEFRONTS,
    Counter::MemoryL1WavefrontsSharedIdeal,
];

/// What the analysis by line asks of a reader, for launches whose aggregates tell which stall reasons the report samples.
pub fn source_want(launches: &[&Launch]) -> Want {
    let metrics = launches.iter().flat_map(|launch| &launch.metrics);
    let sampled = metrics.filter(|metric| sampled_reason(&metric.name).is_some());
    let names = BY_INSTRUCTION.into_iter().map(ArcStr::from).chain(sampled.map(|metric| metric.name.clone()));
    let metrics = NameSet::exactly(names);
    Want { instances: metrics.clone(), metrics, ..Want::default() }
}

/// The costs of one launch by source line.
#[derive(Clone, Debug, PartialEq, serde::Serialize)]
pub struct SourceLines {
    /// The launch: row of the report.
    pub launch: u32,
    /// Whether lines are known; else spots are instructions.
    pub lines: Lines,
    /// Samples.
    pub waits: Option<Waits>,
    pub global: Option<Accesses>,
    pub shared: Option<Accesses>,
    pub local: Option<Accesses>,
    /// Lines that leave lanes idle; `None` where the report does not count them.
    pub idle_lanes: Option<Vec<LaneLine>>,
    pub executed: Vec<LineCount>,
    /// The lines that make the work of the part that limits.
    pub limiting: Option<LimitingLines>,
    /// Warps at the last barrier, with nothing left to do.
    pub parked: Option<Parked>,
    /// The lines that execute the most atomics on memory: (line, share of those executions in percent).
    pub atomics: Vec<(Spot, f64)>,
}

impl SourceLines {
    /// Every place that it names.
    pub fn spots(&self) -> impl Iterator<Item = &Spot> {
        let waits = self.waits.iter().flat_map(|waits| {
            let lines = waits.lines.iter().chain(&waits.hotspots).map(|line| &line.spot);
            let reasons = waits.reasons.iter().flat_map(|reason| reason.lines.iter().chain(&reason.causes));
            lines.chain(reasons.map(|(spot, _)| spot))
        });
        let accesses = [&self.global, &self.shared, &self.local].into_iter().flatten();
        let accesses = accesses.flat_map(|all| all.lines.iter().chain(&all.instructions)).map(|line| &line.spot);
        let idle = self.idle_lanes.iter().flatten().map(|line| &line.spot);
        let limiting = self.limiting.iter().flat_map(|limiting| &limiting.lines).chain(&self.atomics);
        waits
            .chain(accesses)
            .chain(idle)
            .chain(self.executed.iter().map(|line| &line.spot))
            .chain(limiting.map(|(spot, _)| spot))
            .chain(self.parked.iter().map(|parked| &parked.at))
    }

    /// The costs of a launch beside what limits it, with the rows that do not count there; `kernel` gives the units' activity, for bounds.
    pub(in crate::analysis) fn of(
        view: &SourceView,
        attribution: Option<&Attribution<'_>>,
        (limiter, once, parked): (Code, &[usize], Option<Parked>),
        kernel: &KernelSummary<'_>,
        limits: &Limits,
    ) -> SourceLines {
        let groups = Groups::of(view);
        let [l2, l1] = ACTIVITY.map(|[active, all]| {
            let share = kernel.value(active)? / kernel.value(all).filter(|all| *all > 0.0)?;
            Some(share.min(1.0))
        });
        let waits = attribution.map(|attribution| Waits::of(attribution, &groups, limits));
        let awaited = waits.as_ref().map(Waits::by_need).unwrap_or_default();
        let limiting = LimitingLines::of((limiter, once), view, &groups, kernel, (&awaited, limits));
        SourceLines {
            launch: view.launch,
            lines: view.lines.clone(),
            waits,
            global: Accesses::of(Space::Global, view, &groups, l2),
            shared: Accesses::of(Space::Shared, view, &groups, l1),
            local: Accesses::of(Space::Local, view, &groups, l2),
            idle_lanes: counts::idle_lanes(view, &groups, limits),
            executed: counts::executed(view, &groups),
            limiting,
            parked,
            atomics: limiting::atomics(view, &groups),
        }
    }
}
