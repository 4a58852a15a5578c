//! One kernel's readings: the median over its launches, found under whichever spelling the report uses.

use super::readings::{Found, KeptMetric, Readings, in_each};
use super::select::{KernelGroup, KernelKey};
use crate::catalog::{self, Counter};
use crate::evidence::{ClockStatus, Device, Measured, Missing, Provenance, Reading, RuleResult};
use crate::quantity::{Quantity, Unit};
use arcstr::ArcStr;
use std::borrow::Cow;
use std::collections::BTreeMap;

/// The metric that a kernel's time is taken from.
pub(in crate::analysis) const DURATION: Counter = Counter::GpuTimeDurationSum;
/// The metric that a kernel's cycles are taken from.
pub(in crate::analysis) const CYCLES: Counter = Counter::GpcCyclesElapsedMax;

/// The launches of one kernel at one shape, read as one: of a report, or of the facts that an audit keeps.
#[derive(Clone, Debug)]
pub struct KernelSummary<'r> {
    pub(in crate::analysis) key: Cow<'r, KernelKey>,
    /// Launches: at least one.
    pub(in crate::analysis) launches: usize,
    pub(in crate::analysis) device: Cow<'r, Device>,
    pub(in crate::analysis) program: ArcStr,
    pub(in crate::analysis) clock: Option<ClockStatus>,
    pub(in crate::analysis) driver: Option<f32>,
    /// NVIDIA's rules, of the first launch that has some.
    pub(in crate::analysis) rules: Cow<'r, [RuleResult]>,
    pub(in crate::analysis) readings: Cow<'r, Readings>,
}

impl<'r> KernelSummary<'r> {
    /// A summary of a group of launches, with everything that they hold.
    pub fn new(group: KernelGroup<'r>) -> KernelSummary<'r> {
        let readings = Readings::whole(&group);
        KernelSummary::with(group, readings)
    }

    /// The times and cycles of a group of launches.
    pub(in crate::analysis) fn timed(group: KernelGroup<'r>) -> KernelSummary<'r> {
        let readings = Readings::only(&group, &[DURATION, CYCLES]);
        KernelSummary::with(group, readings)
    }

    fn with(group: KernelGroup<'r>, readings: Readings) -> KernelSummary<'r> {
        let first = group.launches[0];
        let ruled = group.launches.iter().find(|launch| !launch.rules.is_empty());
        KernelSummary {
            launches: group.launches.len(),
            device: Cow::Borrowed(&first.device),
            program: first.process.name.clone(),
            clock: first.clock,
            driver: first.driver,
            rules: Cow::Borrowed(ruled.map_or(&[][..], |launch| &launch.rules)),
            readings: Cow::Owned(readings),
            key: Cow::Owned(group.key),
        }
    }

    pub fn key(&self) -> &KernelKey {
        &self.key
    }

    pub fn device(&self) -> &Device {
        &self.device
    }

    /// Summed device time of the launches in ns; `None` when none has a duration.
    pub(in crate::analysis) fn total_time(&self) -> Option<f64> {
        let values = self.values(DURATION);
        (!values.is_empty()).then(|| values.iter().sum())
    }

    /// What is held under the spelling that the launches have: the catalog's id, else its aliases in their order.
    fn spelled(&self, id: &str) -> Option<(&KeptMetric, bool)> {
        if let Some(metric) = self.readings.metric(id) {
            return Some((metric, false));
        }
        let aliases = catalog::metric(id).map(|row| row.aliases.as_slice()).unwrap_or_default();
        aliases.iter().find_map(|alias| self.readings.metric(alias)).map(|metric| (metric, true))
    }

    /// The name under which the launches have a metric; its own where they have none.
    pub(in crate::analysis) fn held_as<'n>(&'n self, id: &'n str) -> &'n str {
        self.spelled(id).map_or(id, |(metric, _)| &metric.name)
    }

    /// The finite values of a metric, one for each launch that has one.
    pub fn values(&self, id: impl AsRef<str>) -> Vec<f64> {
        self.spelled(id.as_ref()).map(|(metric, _)| metric.values(self.launches)).unwrap_or_default()
    }

    /// Whether no launch has a number for a metric, and one has NaN.
    pub(in crate::analysis) fn is_nan(&self, id: impl AsRef<str>) -> bool {
        self.spelled(id.as_ref()).is_some_and(|(metric, _)| metric.found == Found::NotANumber)
    }

    /// The metric over all launches: its value, or the median with the spread when there are several.
    pub fn reading(&self, id: impl AsRef<str>) -> Reading {
        let id = id.as_ref();
        let missing = |why: &str| Reading::Missing(Missing::NotCollected { what: vec![id.into()], why: why.into() });
        let Some((metric, is_alias)) = self.spelled(id) else {
            return self.derived(id).unwrap_or_else(|| missing(""));
        };
        let Some((median, spread)) = metric.middle(self.launches) else {
            let is_nan = metric.found == Found::NotANumber;
            return missing(if is_nan { "the report holds NaN" } else { "the report holds no number for it" });
        };
        let Some(quantity) = Quantity::new(median, metric.unit) else { return missing("") };
        let spread = (self.launches > 1).then_some(spread);
        let alias_of = is_alias.then(|| ArcStr::from(id));
        let from = Provenance { metrics: vec![metric.name.clone()], formula: "".into(), alias_of };
        Reading::Measured(Measured { quantity, spread, from })
    }

    /// What a report does not hold and what it holds says: threads of the average warp instruction, as the Metrics Reference
    /// defines the ratio, and how busy DRAM is.
    fn derived(&self, id: &str) -> Option<Reading> {
        let lanes = |all: Counter| {
            let warps = self.reading(Counter::SmspInstExecutedSum);
            self.reading(all).with(warps, Unit::NONE, "first / second", Reading::NO_NUMBER, |all, warps| all / warps)
        };
        let reading = match id {
            _ if *id == Counter::SmspThreadInstExecutedPerInstExecutedRatio => {
                lanes(Counter::SmspThreadInstExecutedSum)
            }
            _ if *id == Counter::SmspThreadInstExecutedPredOnPerInstExecutedRatio => {
                lanes(Counter::SmspThreadInstExecutedPredOnSum)
            }
            _ if *id == Counter::GpuDramThroughputAvgPctElapsed => self.dram()?,
            _ => return None,
        };
        reading.quantity().is_some().then_some(reading)
    }

    /// Bytes that DRAM moves in a second, in percent of what its bus can at its highest clock, at both edges of it. NVIDIA's counter
    /// is the same within 2 % of it on chips with HBM or GDDR6, and higher by the cycles of commands where reads and writes alternate.
    fn dram(&self) -> Option<Reading> {
        let parts = [Counter::DramBytesReadSumPerSecond, Counter::DramBytesWriteSumPerSecond];
        let rate = self.value(Counter::DramBytesSumPerSecond).map(|rate| (rate, vec![Counter::DramBytesSumPerSecond]));
        let rate =
            rate.or_else(|| Some((parts.iter().map(|part| self.value(part)).sum::<Option<f64>>()?, parts.to_vec())));
        let bus = [Counter::DeviceAttributeMemoryClockRate, Counter::DeviceAttributeGlobalMemoryBusWidth];
        let (rate, mut counters) = rate?;
        let [clock, width] = bus.map(|counter| self.value(counter));
        counters.extend(bus);
        let peak = 2.0 * 1e3 * clock? * width? / 8.0;
        Some(Reading::number(
            100.0 * rate / peak,
            Unit::PERCENT,
            &counters,
            "100 × bytes a second / (2 × clock × width / 8)",
        ))
    }

    /// The number of a metric, when it was measured.
    pub fn value(&self, id: impl AsRef<str>) -> Option<f64> {
        match self.spelled(id.as_ref()) {
            Some((metric, _)) => Some(Quantity::new(metric.middle(self.launches)?.0, metric.unit)?.value()),
            None => self.derived(id.as_ref())?.value(),
        }
    }

    /// The time of a launch in seconds.
    pub(in crate::analysis) fn seconds(&self) -> Option<f64> {
        self.value(DURATION).map(|ns| ns / 1e9).filter(|seconds| *seconds > 0.0)
    }

    /// NVIDIA's list of the counters that a throughput is made of.
    pub(in crate::analysis) fn breakdown(&self, name: &str) -> Option<&str> {
        self.readings.breakdowns.get(name).map(AsRef::as_ref)
    }

    /// Executions by base opcode, the median over the launches; empty where they were not counted.
    pub(in crate::analysis) fn opcodes(&self) -> &BTreeMap<ArcStr, f64> {
        &self.readings.opcodes
    }

    /// Executions by opcode with its modifiers, of those that are told apart by them; `None` where they were not counted.
    pub(in crate::analysis) fn with_modifiers(&self) -> Option<&BTreeMap<ArcStr, f64>> {
        self.readings.with_modifiers.as_ref()
    }

    /// The points of a curve; none where the report does not hold it.
    pub(in crate::analysis) fn curve(&self, metric: Counter) -> Option<&[(u64, f64)]> {
        self.readings.curves.get(metric.name()).map(Vec::as_slice)
    }

    /// Names of all metrics that are held, each once, sorted.
    pub fn metric_names(&self) -> impl Iterator<Item = &ArcStr> {
        self.readings.metrics.iter().map(|metric| &metric.name)
    }
}

impl KernelGroup<'_> {
    /// Summed device time of the group in ns; `None` when no launch has a duration.
    pub fn total_time(&self) -> Option<f64> {
        let held = |name: &str| in_each(&self.launches, name).flatten().collect::<Vec<_>>();
        let held = DURATION.spellings().map(held).find(|held| !held.is_empty())?;
        let values: Vec<f64> = held.iter().filter_map(|metric| Some(metric.quantity()?.value())).collect();
        (!values.is_empty()).then(|| values.iter().sum())
    }
}

#[cfg(test)]
pub(in crate::analysis) mod fixtures {
    use super::KernelSummary;
    use crate::analysis::groups;

    /// What is read of the first kernel of a fixture.
    pub(in crate::analysis) fn of_fixture<T>(file: &str, read: impl FnOnce(&KernelSummary<'_>) -> T) -> T {
        let path = format!("{}/../../tests/fixtures/{file}.ncu-repz", env!("CARGO_MANIFEST_DIR"));
        let report = crate::source::read_profile(path.as_ref(), &crate::analysis::want()).expect("readable");
        read(&KernelSummary::new(groups(&report).remove(0)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::groups;
    use crate::source::ncu_csv::made;

    /// DRAM's share of its peak in a launch that reads 600 and writes 300 GB/s, with these further columns.
    fn dram(more: &[(&str, &str, &str)]) -> Option<f64> {
        let mut columns = vec![
            ("dram__bytes_read.sum.per_second", "Gbyte/second", "600"),
            ("dram__bytes_write.sum.per_second", "Gbyte/second", "300"),
        ];
        columns.extend(more);
        let report = made::report(&columns);
        KernelSummary::new(groups(&report).remove(0)).value(Counter::GpuDramThroughputAvgPctElapsed)
    }

    #[test]
    fn the_share_of_dram_follows_from_its_rate_and_its_bus_where_no_counter_has_it() {
        // 384 lines at 10 GHz, two bits a cycle: 960 GB/s.
        let bus = [
            ("device__attribute_memory_clock_rate", "", "10000000"),
            ("device__attribute_global_memory_bus_width", "", "384"),
        ];
        assert!((dram(&bus).unwrap() - 93.75).abs() < 1e-9);
        assert_eq!(dram(&bus[..1]), None);
        let counter = ("gpu__dram_throughput.avg.pct_of_peak_sustained_elapsed", "%", "95");
        assert_eq!(dram(&[bus[0], bus[1], counter]), Some(95.0));
    }
}
