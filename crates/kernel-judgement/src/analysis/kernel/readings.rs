//! The numbers of one kernel, launch by launch: what a report holds, and what an audit keeps of it.

use super::select::KernelGroup;
use crate::catalog::Counter;
use crate::evidence::{Launch, Metric, Spread, Value};
use crate::quantity::Unit;
use crate::quantity::metric_table::{MetricType, split};
use arcstr::ArcStr;
use std::cmp::Ordering;
use std::collections::{BTreeMap, BTreeSet};

/// Instances by base opcode.
pub(in crate::analysis) const PER_OPCODE: Counter = Counter::SassInstExecutedPerOpcode;
pub(in crate::analysis) const WITH_MODIFIERS: Counter = Counter::SassInstExecutedPerOpcodeWithModifierAll;
/// Curves of the occupancy: facts of the kernel and its shape, the same in every launch.
pub(in crate::analysis) const CURVES: [Counter; 2] =
    [Counter::LaunchOccupancyPerRegisterCount, Counter::LaunchOccupancyPerBlockSize];
/// How the names of NVIDIA's lists of counters begin.
const BREAKDOWN: &str = "breakdown:";

/// What the launches of a kernel have for a metric.
#[derive(Clone, Debug, PartialEq)]
pub enum Found {
    /// The number of every launch.
    Number(f64),
    /// One number for each launch in order; `None` where a launch has none.
    Each(Vec<Option<f64>>),
    /// Nothing but NaN.
    NotANumber,
    /// No number in any launch: a text, or instances alone.
    NoNumber,
}

/// The numbers of one metric over the launches of a kernel.
#[derive(Clone, Debug, PartialEq)]
pub struct KeptMetric {
    pub name: ArcStr,
    pub unit: Unit,
    pub found: Found,
}

/// The readings of one kernel, launch by launch.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Readings {
    /// The metrics, sorted by name.
    pub metrics: Vec<KeptMetric>,
    /// Executions by opcode, the median over the launches.
    pub opcodes: BTreeMap<ArcStr, f64>,
    /// Executions by opcode with modifiers, of shared stores, products and conversions of bytes; `None` where none is counted so.
    pub with_modifiers: Option<BTreeMap<ArcStr, f64>>,
    /// Curves of the occupancy by metric: (value, warps) at both ends of each stretch in which the warps are the same.
    pub curves: BTreeMap<ArcStr, Vec<(u64, f64)>>,
    /// NVIDIA's lists of the counters that a throughput is made of.
    pub breakdowns: BTreeMap<ArcStr, ArcStr>,
}

impl KeptMetric {
    /// What launches have for a metric; `None` where none has it.
    pub(super) fn of(name: &ArcStr, launches: &[Option<&Metric>]) -> Option<KeptMetric> {
        let unit = launches.iter().flatten().next()?.unit;
        Some(KeptMetric { name: name.clone(), unit, found: Found::of(launches) })
    }

    /// The median of the finite numbers of so many launches, and their spread; `None` without one.
    pub(super) fn middle(&self, launches: usize) -> Option<(f64, Spread)> {
        if let Found::Number(number) = self.found {
            return Some((number, Spread { count: launches, min: number, max: number }));
        }
        let mut values = self.values(launches);
        values.sort_by(f64::total_cmp);
        let spread = Spread { count: values.len(), min: *values.first()?, max: *values.last()? };
        Some((median_of_sorted(&values), spread))
    }

    /// The finite numbers, one for each launch that has one, of so many launches.
    pub(super) fn values(&self, launches: usize) -> Vec<f64> {
        match &self.found {
            Found::Number(number) => vec![*number; launches],
            Found::Each(each) => each.iter().copied().flatten().collect(),
            Found::NotANumber | Found::NoNumber => Vec::new(),
        }
    }
}

impl Found {
    fn of(launches: &[Option<&Metric>]) -> Found {
        let number = |metric: &Option<&Metric>| metric.and_then(Metric::quantity).map(|quantity| quantity.value());
        let values: Vec<Option<f64>> = launches.iter().map(number).collect();
        let is_one =
            |first: f64| values.iter().all(|value| value.is_some_and(|value| value.to_bits() == first.to_bits()));
        match values.first() {
            _ if values.iter().all(Option::is_none) => {
                let is_nan = launches.iter().flatten().any(|metric| metric.value.as_ref().is_some_and(Value::is_nan));
                if is_nan { Found::NotANumber } else { Found::NoNumber }
            }
            Some(Some(first)) if is_one(*first) => Found::Number(*first),
            _ => Found::Each(values),
        }
    }
}

/// Names of counters that run from the start of a launch to its end.
const WHOLE: [&str; 2] = ["cycles_elapsed", "time_duration"];

impl Readings {
    /// Counters of the hardware that hold NaN in every launch. A quotient that does is one of nothing by nothing.
    pub(in crate::analysis) fn failed(&self) -> impl Iterator<Item = &ArcStr> {
        let is_quotient = |name: &str| split(name).is_none_or(|(base, _)| base.metric_type == MetricType::Ratio);
        let nan = self.metrics.iter().filter(|metric| metric.found == Found::NotANumber);
        nan.map(|metric| &metric.name).filter(move |name| !is_quotient(name))
    }

    /// Whether nothing ran: counters hold NaN, and none that counts cycles or time from start to end holds a number.
    pub(in crate::analysis) fn has_failed(&self) -> bool {
        let is_number = |found: &Found| !matches!(found, Found::NotANumber | Found::NoNumber);
        let ran =
            |metric: &KeptMetric| WHOLE.iter().any(|whole| metric.name.contains(whole)) && is_number(&metric.found);
        self.failed().next().is_some() && !self.metrics.iter().any(ran)
    }

    /// Everything that the launches of a group hold.
    pub(super) fn whole(group: &KernelGroup<'_>) -> Readings {
        let launches = Columns::of(&group.launches);
        let first = group.launches[0];
        let mut breakdowns = BTreeMap::new();
        let mut metrics = Vec::with_capacity(launches.names.len());
        for name in &launches.names {
            let held: Vec<Option<&Metric>> = in_each(launches.launches, name).collect();
            if name.starts_with(BREAKDOWN)
                && let Some(list) = held.iter().flatten().find_map(|metric| metric.value.as_ref()?.as_text())
            {
                let counters: Vec<&str> = list.split(',').map(str::trim).collect();
                breakdowns.insert((*name).clone(), counters.join(",").into());
            }
            metrics.extend(KeptMetric::of(name, &held));
        }
        let modified = launches.by_text(WITH_MODIFIERS);
        let curve = |name: Counter| Some((ArcStr::from(name), points(first.metric(name)?)));
        Readings {
            metrics,
            opcodes: launches.by_text(PER_OPCODE),
            with_modifiers: (!modified.is_empty()).then_some(modified),
            curves: CURVES.into_iter().filter_map(curve).filter(|(_, points)| !points.is_empty()).collect(),
            breakdowns,
        }
    }

    /// Of a group of launches no more than some counters, under the spellings that they have.
    pub(super) fn only(group: &KernelGroup<'_>, counters: &[Counter]) -> Readings {
        let spellings = counters.iter().flat_map(|counter| counter.spellings());
        let metric = |name: &str| {
            let held: Vec<Option<&Metric>> = in_each(&group.launches, name).collect();
            let own = held.iter().flatten().next()?.name.clone();
            KeptMetric::of(&own, &held)
        };
        let mut metrics: Vec<KeptMetric> = spellings.filter_map(metric).collect();
        metrics.sort_by(|a, b| a.name.cmp(&b.name));
        Readings { metrics, ..Readings::default() }
    }

    /// What is held of the metric of that exact name.
    pub(super) fn metric(&self, name: &str) -> Option<&KeptMetric> {
        self.metrics.binary_search_by(|metric| metric.name.as_str().cmp(name)).ok().map(|at| &self.metrics[at])
    }

    /// The same of one launch: of each metric the median over the launches that have it.
    #[must_use]
    pub(in crate::analysis) fn medians(mut self) -> Readings {
        for kept in &mut self.metrics {
            if let Found::Each(each) = &kept.found {
                kept.found = Found::Number(median(each.iter().copied().flatten().collect()));
            }
        }
        self
    }
}

/// A metric of each launch; `None` for one that does not have it. Launches of a kernel mostly hold the same metrics, so that it is
/// looked for where the launch before has it, or would have it.
pub(super) fn in_each<'r>(launches: &[&'r Launch], name: &str) -> impl Iterator<Item = Option<&'r Metric>> {
    let mut near = 0;
    launches.iter().map(move |launch| {
        let metrics = &launch.metrics;
        // A report has one copy of each name.
        let is_own = |metric: &Metric| std::ptr::eq(metric.name.as_ref(), name);
        let order = |at: usize| {
            let metric = metrics.get(at)?;
            Some(if is_own(metric) { Ordering::Equal } else { metric.name.as_str().cmp(name) })
        };
        match order(near) {
            Some(Ordering::Equal) => return Some(&metrics[near]),
            None | Some(Ordering::Greater) if near > 0 && order(near - 1) == Some(Ordering::Less) => return None,
            _ => {}
        }
        let found = metrics.binary_search_by(|metric| metric.name.as_str().cmp(name));
        near = found.unwrap_or_else(|at| at);
        found.ok().map(|at| &metrics[at])
    })
}

struct Columns<'r> {
    launches: &'r [&'r Launch],
    /// Every name, once, sorted.
    names: Vec<&'r ArcStr>,
}

impl<'r> Columns<'r> {
    fn of(launches: &'r [&'r Launch]) -> Columns<'r> {
        let is_same = |pair: &&[&'r Launch]| {
            let [before, launch] = pair else { return false };
            before.metrics.len() == launch.metrics.len()
                && before.metrics.iter().zip(&launch.metrics).all(|(a, b)| ArcStr::ptr_eq(&a.name, &b.name))
        };
        let others = launches.windows(2).filter(|pair| !is_same(pair)).map(|pair| pair[1]);
        let holders = launches.first().copied().into_iter().chain(others);
        let names: BTreeSet<&ArcStr> = holders.flat_map(|launch| launch.metrics.iter().map(|m| &m.name)).collect();
        Columns { launches, names: names.into_iter().collect() }
    }

    /// Instances of a metric with text ids, each the median over the launches, by id.
    fn by_text(&self, metric: Counter) -> BTreeMap<ArcStr, f64> {
        let mut all: BTreeMap<ArcStr, Vec<f64>> = BTreeMap::new();
        for instance in in_each(self.launches, metric.name()).flatten().flat_map(|metric| &metric.instances) {
            if let (Value::Text(id), Some(value)) = (&instance.id, instance.value.as_f64()) {
                all.entry(id.clone()).or_default().push(value);
            }
        }
        let medians = all.into_iter().map(|(key, values)| (key, median(values)));
        medians.filter(|(_, value)| value.is_finite()).collect()
    }
}

fn points(curve: &Metric) -> Vec<(u64, f64)> {
    let mut points: Vec<(u64, f64)> =
        curve.instances.iter().filter_map(|i| Some((i.id.as_u64()?, i.value.as_f64()?))).collect();
    // A snapshot has no word for a number that is none.
    points.retain(|(_, y)| y.is_finite());
    points.sort_by_key(|(x, _)| *x);
    points
}

pub(in crate::analysis) fn median(mut values: Vec<f64>) -> f64 {
    values.sort_unstable_by(f64::total_cmp);
    median_of_sorted(&values)
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
