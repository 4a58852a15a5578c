//! Which counters of the chip are busy: NVIDIA's two breakdown lists, in percent of each counter's peak.

use crate::analysis::KernelSummary;
use crate::catalog::{self, Counter, Part};
use arcstr::ArcStr;
use std::collections::BTreeSet;

/// Compute throughput of the SMs, percent of peak.
pub(in crate::analysis) const SM: Counter = Counter::SmThroughputAvgPctElapsed;
/// Throughput of the memory system, percent of peak.
pub(in crate::analysis) const MEMORY: Counter = Counter::GpuComputeMemoryThroughputAvgPctElapsed;

/// A counter of a throughput breakdown.
#[derive(Clone, Debug, PartialEq, serde::Serialize)]
pub struct BusyUnit {
    pub counter: String,
    pub code: Part,
    /// What a sentence calls that part.
    pub label: String,
    /// Percent of peak.
    pub percent: f64,
}

impl BusyUnit {
    pub(in crate::analysis) fn new(counter: impl AsRef<str>, percent: f64) -> BusyUnit {
        let counter = counter.as_ref();
        let place = catalog::subsystem_of(counter);
        BusyUnit {
            counter: counter.into(),
            code: place.map_or(Part::UnknownUnit, |part| part.code),
            label: place.map_or("a unit that this catalog does not place", |part| part.watched(counter)).into(),
            percent,
        }
    }
}

/// Ending of a counter's average over the instances of its unit.
pub(in crate::analysis) const AVERAGE: &str = ".avg.pct_of_peak_sustained_elapsed";
/// Ending of the same counter's busiest instance.
pub(in crate::analysis) const BUSIEST: &str = ".max.pct_of_peak_sustained_elapsed";

/// The names in the two breakdown lists, each once; none where the report has no such lists.
fn members<'k>(kernel: &'k KernelSummary<'_>) -> BTreeSet<&'k str> {
    let lists = [MEMORY, SM].into_iter().filter_map(|whole| kernel.breakdown(&format!("breakdown:{whole}")));
    lists.flat_map(|list| list.split(',').map(str::trim).filter(|name| !name.is_empty())).collect()
}

/// Ending of an average over the cycles in which an SM holds a block.
const WHILE_HELD: &str = ".avg.pct_of_peak_sustained_active";

/// Pipes and issue by counters that were collected one by one, where no breakdown lists them; `active` is the part of the time in which an
/// SM holds a block.
pub(in crate::analysis) fn by_name(kernel: &KernelSummary<'_>, active: Option<f64>) -> Vec<BusyUnit> {
    let unit = |name: &ArcStr| {
        let is_meant = |code: Part| code == Part::MemoryLsu || !<&str>::from(code).starts_with("memory-");
        let part = catalog::subsystem_of(name).filter(|part| is_meant(part.code));
        let scale = if name.ends_with(AVERAGE) { Some(1.0) } else { active.filter(|_| name.ends_with(WHILE_HELD)) };
        Some(BusyUnit::new(part.and(Some(name))?, scale? * kernel.value(name)?))
    };
    if members(kernel).is_empty() { kernel.metric_names().filter_map(unit).collect() } else { Vec::new() }
}

/// The counters of the breakdown lists with their values, the busiest first.
pub(in crate::analysis) fn busiest(kernel: &KernelSummary<'_>) -> Vec<BusyUnit> {
    let unit = |counter: &str| Some(BusyUnit::new(counter, kernel.value(counter)?));
    let mut units: Vec<BusyUnit> = members(kernel).into_iter().filter_map(unit).collect();
    units.sort_by(|a, b| b.percent.total_cmp(&a.percent).then_with(|| a.counter.cmp(&b.counter)));
    units
}

/// Whether a counter is of a slice of L2 or a channel of memory, which all SMs share: of these the busiest instance counts.
pub(in crate::analysis) fn is_of_shared_memory(counter: &str) -> bool {
    catalog::subsystem_of(counter).is_some_and(|part| matches!(part.code, Part::MemoryDram | Part::MemoryL2))
}

/// A memory unit one of whose instances is at least `factor` times as busy as the average over the chip: `counter` names the busiest
/// instance, `percent` is its share of peak, and the second number is the average's. A slice of L2 or a channel of memory limits
/// alone when all accesses meet in it; the SMs are left out because a chip-wide imbalance of theirs is a matter of the launch.
pub(in crate::analysis) fn hot_spot(kernel: &KernelSummary<'_>, factor: f64) -> Option<(BusyUnit, f64)> {
    let spot = |counter: &str| {
        let average = kernel.value(counter)?;
        let name = format!("{}{BUSIEST}", counter.strip_suffix(AVERAGE)?);
        let percent = kernel.value(&name).filter(|percent| *percent >= factor * average)?;
        let is_own = is_of_shared_memory(&name) && !name.contains("internal_activity");
        is_own.then(|| (BusyUnit::new(&name, percent), average))
    };
    members(kernel).into_iter().filter_map(spot).max_by(|(a, _), (b, _)| a.percent.total_cmp(&b.percent))
}
