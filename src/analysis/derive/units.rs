//! Which counters of the chip are busy: NVIDIA's two breakdown lists, in percent of each counter's peak.

use crate::analysis::kernel::summary::KernelSummary;
use crate::analysis::limits::Limits;
use crate::catalog::{self, ChipSide, Part, Threshold};

/// Compute throughput of the SMs, percent of peak.
pub(in crate::analysis) const SM: &str = "sm__throughput.avg.pct_of_peak_sustained_elapsed";
/// Throughput of the memory system, percent of peak.
pub(in crate::analysis) const MEMORY: &str = "gpu__compute_memory_throughput.avg.pct_of_peak_sustained_elapsed";

/// A counter of a throughput breakdown.
#[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct BusyUnit {
    /// ncu's name.
    pub counter: String,
    /// The part of the chip.
    pub code: Part,
    /// What a sentence calls that part.
    pub label: String,
    /// Percent of peak.
    pub percent: f64,
}

impl BusyUnit {
    fn new(counter: &str, percent: f64) -> BusyUnit {
        let place = catalog::subsystem_of(counter);
        BusyUnit {
            counter: counter.into(),
            code: place.map_or(Part::UnknownUnit, |part| part.code),
            label: place.map_or("a unit that this catalog does not place", |s| s.label).into(),
            percent,
        }
    }

    /// What the part does, where the catalog places it.
    pub(in crate::analysis) fn side(&self) -> Option<ChipSide> {
        self.code.row().map(|part| part.side)
    }
}

/// Ending of a counter's average over the instances of its unit.
pub(in crate::analysis) const AVERAGE: &str = ".avg.pct_of_peak_sustained_elapsed";
/// Ending of the same counter's busiest instance.
pub(in crate::analysis) const BUSIEST: &str = ".max.pct_of_peak_sustained_elapsed";

/// The names in the breakdown list of a throughput; none where the report has no such list.
fn listed<'k>(kernel: &'k KernelSummary<'_>, throughput: &str) -> impl Iterator<Item = &'k str> {
    let list = kernel.text(&format!("breakdown:{throughput}")).unwrap_or_default();
    list.split(',').map(str::trim).filter(|name| !name.is_empty())
}

/// The counter that a throughput comes from: the busiest of its breakdown list, with its percentage of peak.
pub(in crate::analysis) fn busiest_of(kernel: &KernelSummary<'_>, throughput: &str) -> Option<(String, f64)> {
    let measured = listed(kernel, throughput).filter_map(|name| Some((name.to_owned(), kernel.value(name)?)));
    measured.max_by(|(_, a), (_, b)| a.total_cmp(b))
}

/// The names in the two breakdown lists, each once.
fn members(kernel: &KernelSummary<'_>) -> Vec<String> {
    let names = [MEMORY, SM].into_iter().flat_map(|whole| listed(kernel, whole));
    let mut names: Vec<String> = names.map(str::to_owned).collect();
    names.sort();
    names.dedup();
    names
}

/// The counters of the breakdown lists with their values, the busiest first.
pub(in crate::analysis) fn busiest(kernel: &KernelSummary<'_>) -> Vec<BusyUnit> {
    let unit = |counter: String| Some(BusyUnit::new(&counter, kernel.value(&counter)?));
    let mut units: Vec<BusyUnit> = members(kernel).into_iter().filter_map(unit).collect();
    units.sort_by(|a, b| b.percent.total_cmp(&a.percent).then_with(|| a.counter.cmp(&b.counter)));
    units
}

/// The unit that the verdict is about. Instruction issue is the front end of every math pipe: a pipe whose every
/// instruction takes one issue slot is as busy as the slots themselves, so where a math pipe is near its peak and no
/// further below the issue rate than counts as a tie, the pipe is named. Otherwise the busiest.
pub(in crate::analysis) fn leading<'u>(units: &'u [BusyUnit], limits: &Limits) -> Option<&'u BusyUnit> {
    let first = units.first()?;
    let least = limits[Threshold::SolHigh].max(first.percent - limits[Threshold::SolBalance]);
    let pipe = units.iter().find(|u| u.side() == Some(ChipSide::Compute) && u.percent >= least);
    if first.side() == Some(ChipSide::Issue) { pipe.or(Some(first)) } else { Some(first) }
}

/// A memory unit one of whose instances is busy while the average over the chip is not: `counter` names the busiest
/// instance, `percent` is its share of peak, and the second number is the average's. A slice of L2 or a channel of
/// memory limits alone when all accesses meet in it; the SMs are left out because a chip-wide imbalance of theirs is a
/// matter of the launch.
pub(in crate::analysis) fn hot_spot(kernel: &KernelSummary<'_>, limits: &Limits) -> Option<(BusyUnit, f64)> {
    let low = limits[Threshold::SolLow];
    let spot = |counter: String| {
        let average = kernel.value(&counter)?;
        let name = format!("{}{BUSIEST}", counter.strip_suffix(AVERAGE)?);
        let unit = BusyUnit::new(&name, kernel.value(&name)?);
        let is_shared = matches!(unit.code, Part::MemoryDram | Part::MemoryL2);
        (is_shared && unit.percent >= low && average < unit.percent * limits[Threshold::HotSpotAverage] / 100.0)
            .then_some((unit, average))
    };
    members(kernel).into_iter().filter_map(spot).max_by(|(a, _), (b, _)| a.percent.total_cmp(&b.percent))
}
