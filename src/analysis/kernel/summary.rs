//! One kernel's readings: the median over its launches, found under whichever spelling the report uses.

use crate::analysis::kernel::select::{KernelGroup, KernelKey};
use crate::catalog::{self, Counter};
use crate::evidence::{Launch, Measured, Metric, Missing, Provenance, Reading, Spread};
use crate::quantity::{Quantity, Unit};
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;
use std::sync::Arc;

/// The metric that a kernel's time is taken from.
pub(in crate::analysis) const DURATION: Counter = Counter::GpuTimeDurationSum;
/// The metric that a kernel's cycles are taken from.
pub(in crate::analysis) const CYCLES: Counter = Counter::GpcCyclesElapsedMax;

/// The launches of one kernel at one shape, read as one.
#[derive(Clone, Debug)]
pub struct KernelSummary<'r> {
    group: KernelGroup<'r>,
    /// The launches whose metrics are not those of the launch before: together they hold every name.
    holders: Vec<&'r Launch>,
    /// Where a metric stands in the first of them that has it.
    places: FxHashMap<&'r str, (&'r Arc<str>, usize)>,
}

impl<'r> KernelSummary<'r> {
    /// A summary of a group of launches.
    pub fn new(group: KernelGroup<'r>) -> KernelSummary<'r> {
        let mut holders: Vec<&'r Launch> = Vec::new();
        for launch in &group.launches {
            let is_same = |before: &&Launch| {
                before.metrics.len() == launch.metrics.len()
                    && before.metrics.iter().zip(&launch.metrics).all(|(a, b)| Arc::ptr_eq(&a.name, &b.name))
            };
            if !holders.last().is_some_and(is_same) {
                holders.push(launch);
            }
        }
        let mut places = FxHashMap::default();
        for (at, metric) in holders.iter().flat_map(|launch| launch.metrics.iter().enumerate()) {
            places.entry(&*metric.name).or_insert((&metric.name, at));
        }
        KernelSummary { group, holders, places }
    }

    /// What the launches share.
    pub fn key(&self) -> &KernelKey {
        &self.group.key
    }

    /// Summed device time of the launches in ns; `None` when none has a duration.
    pub(in crate::analysis) fn total_time(&self) -> Option<f64> {
        self.group.total_time()
    }

    /// The launches, in ncu's row order.
    pub fn launches(&self) -> &[&'r Launch] {
        &self.group.launches
    }

    /// The first launch: for facts that all launches of a kernel share.
    pub fn first(&self) -> &'r Launch {
        self.group.launches[0]
    }

    /// The spelling of the metric that the launches hold: the catalog's id, else its aliases in their order.
    fn spelling(&self, id: &str) -> Option<(&'r Arc<str>, bool)> {
        let find = |name: &str| self.places.get(name).map(|(name, _)| *name);
        if let Some(name) = find(id) {
            return Some((name, false));
        }
        let aliases = catalog::metric(id).map(|row| row.aliases.as_slice()).unwrap_or_default();
        aliases.iter().find_map(|alias| find(alias)).map(|name| (name, true))
    }

    /// The finite values of a metric, one for each launch that has one.
    pub fn values(&self, id: impl AsRef<str>) -> Vec<f64> {
        let Some((name, _)) = self.spelling(id.as_ref()) else { return Vec::new() };
        self.metrics(name).filter_map(Metric::quantity).map(Quantity::value).collect()
    }

    /// Whether no launch has a number for a metric, and one has NaN.
    pub(in crate::analysis) fn is_nan(&self, id: impl AsRef<str>) -> bool {
        let id = id.as_ref();
        let is_nan = |metric: &Metric| metric.value.as_ref().is_some_and(crate::evidence::Value::is_nan);
        self.values(id).is_empty() && self.spelling(id).is_some_and(|(name, _)| self.metrics(name).any(is_nan))
    }

    /// The metric over all launches: its value, or the median with the spread when there are several.
    pub fn reading(&self, id: impl AsRef<str>) -> Reading {
        let id = id.as_ref();
        let missing = |why: &str| Reading::Missing(Missing::NotCollected { what: vec![id.into()], why: why.into() });
        let Some((name, is_alias)) = self.spelling(id) else {
            return self.threads(id).unwrap_or_else(|| missing(""));
        };
        let held = || self.metrics(name);
        let mut values: Vec<f64> = held().filter_map(Metric::quantity).map(Quantity::value).collect();
        let Some(unit) = held().map(|m| m.unit).next() else { return missing("") };
        if values.is_empty() {
            return missing(if self.is_nan(id) { "the report holds NaN" } else { "the report holds no number for it" });
        }
        values.sort_by(f64::total_cmp);
        let Some(quantity) = Quantity::new(median_of_sorted(&values), unit) else { return missing("") };
        let spread = (self.group.launches.len() > 1).then(|| Spread {
            count: values.len(),
            min: values[0],
            max: values[values.len() - 1],
        });
        let alias_of = is_alias.then(|| Arc::from(id));
        let from = Provenance { metrics: vec![name.clone()], formula: "".into(), alias_of };
        Reading::Measured(Measured { quantity, spread, from })
    }

    /// Threads of the average warp instruction where a report holds the two counts and not NVIDIA's quotient of them:
    /// thread instructions over warp instructions, as the Metrics Reference defines the ratio.
    fn threads(&self, id: &str) -> Option<Reading> {
        let all = match id {
            _ if *id == Counter::SmspThreadInstExecutedPerInstExecutedRatio => Counter::SmspThreadInstExecutedSum,
            _ if *id == Counter::SmspThreadInstExecutedPredOnPerInstExecutedRatio => {
                Counter::SmspThreadInstExecutedPredOnSum
            }
            _ => return None,
        };
        let counts = (self.reading(all), self.reading(Counter::SmspInstExecutedSum));
        let (Reading::Measured(threads), Reading::Measured(warps)) = &counts else { return None };
        let quantity = Quantity::new(threads.quantity.value() / warps.quantity.value(), Unit::NONE)?;
        let metrics = threads.from.metrics.iter().chain(&warps.from.metrics).cloned().collect();
        Some(Reading::derived(quantity, metrics, "first / second"))
    }

    /// The number of a metric, when it was measured.
    pub fn value(&self, id: impl AsRef<str>) -> Option<f64> {
        self.reading(id).value()
    }

    /// The time of a launch in seconds.
    pub(in crate::analysis) fn seconds(&self) -> Option<f64> {
        self.value(DURATION).map(|ns| ns / 1e9).filter(|seconds| *seconds > 0.0)
    }

    /// The text of a text metric of the first launch that has it.
    pub fn text(&self, id: impl AsRef<str>) -> Option<&'r str> {
        let (name, _) = self.spelling(id.as_ref())?;
        self.holders.iter().find_map(|l| l.value(name)?.as_text())
    }

    /// Instances of a metric with text ids, each the median over the launches, by id.
    pub fn by_text(&self, id: impl AsRef<str>) -> BTreeMap<Arc<str>, f64> {
        let mut all: BTreeMap<Arc<str>, Vec<f64>> = BTreeMap::new();
        for metric in self.spelling(id.as_ref()).into_iter().flat_map(|(name, _)| self.metrics(name)) {
            for instance in &metric.instances {
                if let (Some(key), Some(value)) = (instance.id.as_text(), instance.value.as_f64()) {
                    all.entry(key.into()).or_default().push(value);
                }
            }
        }
        let medians = all.into_iter().map(|(key, mut values)| {
            values.sort_by(f64::total_cmp);
            (key, median_of_sorted(&values))
        });
        medians.filter(|(_, value)| value.is_finite()).collect()
    }

    /// Names of all metrics that the launches hold, each once, sorted.
    pub fn metric_names(&self) -> Vec<&'r Arc<str>> {
        let mut names: Vec<_> = self.holders.iter().flat_map(|l| l.metrics.iter().map(|m| &m.name)).collect();
        names.sort();
        names.dedup();
        names
    }

    /// The metric of each launch; `None` for one that does not have it. Launches of one kernel mostly hold the same metrics, so it is looked for
    /// where the launch before had it.
    pub(in crate::analysis) fn launch_metrics(&self, name: &'r Arc<str>) -> impl Iterator<Item = Option<&'r Metric>> {
        let mut near = self.places.get(&**name).map_or(0, |(_, at)| *at);
        self.group.launches.iter().map(move |launch| {
            if let Some(metric) = launch.metrics.get(near).filter(|metric| Arc::ptr_eq(&metric.name, name)) {
                return Some(metric);
            }
            near = launch.metrics.binary_search_by(|metric| metric.name.as_ref().cmp(name)).ok()?;
            Some(&launch.metrics[near])
        })
    }

    /// The metric of the launches that have it.
    fn metrics(&self, name: &'r Arc<str>) -> impl Iterator<Item = &'r Metric> {
        self.launch_metrics(name).flatten()
    }
}

/// The median of sorted values: the middle one, or the mean of the two in the middle. NaN for none.
pub(in crate::analysis) fn median_of_sorted(values: &[f64]) -> f64 {
    let middle = values.len() / 2;
    match values.len() {
        0 => f64::NAN,
        n if n % 2 == 1 => values[middle],
        _ => f64::midpoint(values[middle - 1], values[middle]),
    }
}

impl KernelGroup<'_> {
    /// Summed device time of the group in ns; `None` when no launch has a duration.
    pub fn total_time(&self) -> Option<f64> {
        let mut spellings = DURATION.spellings();
        let name = spellings.find(|name| self.launches.iter().any(|launch| launch.metric(name).is_some()))?;
        let values = || self.launches.iter().filter_map(|launch| Some(launch.metric(name)?.quantity()?.value()));
        values().next().map(|_| values().sum())
    }
}

#[cfg(test)]
mod tests {
    use super::median_of_sorted;

    #[test]
    fn medians_by_hand() {
        assert_eq!(median_of_sorted(&[1.0, 2.0, 10.0]), 2.0);
        assert_eq!(median_of_sorted(&[1.0, 2.0, 4.0, 10.0]), 3.0);
        assert!(median_of_sorted(&[]).is_nan());
    }
}
