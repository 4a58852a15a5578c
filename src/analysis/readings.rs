//! The numbers of one kernel in one profile, launch by launch: which are kept, and the metrics that they stand for.

use crate::analysis::derive::units::{self, AVERAGE, BUSIEST};
use crate::analysis::derive::{mix, occupancy, roofline, stalls};
use crate::analysis::kernel::stated::Work;
use crate::analysis::kernel::summary::{KernelSummary, median_of_sorted};
use crate::catalog::{self, Counter, CounterPlace};
use crate::evidence::{Instance, Metric, Value};
use crate::quantity::Unit;
use cuda_binary::Op;
use std::collections::{BTreeMap, HashSet};
use std::sync::{Arc, LazyLock};

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
    /// ncu's name.
    pub name: Arc<str>,
    /// The base unit.
    pub unit: Unit,
    /// What was found.
    pub found: Found,
}

/// The readings of one kernel, launch by launch.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Readings {
    /// The metrics, sorted by name.
    pub metrics: Vec<KeptMetric>,
    /// Executions by opcode, the median over the launches.
    pub opcodes: BTreeMap<Arc<str>, f64>,
    /// Executions by opcode with its modifiers, of stores to shared memory, matrix products and conversions of bytes; `None`
    /// where no opcode is counted so.
    pub with_modifiers: Option<BTreeMap<Arc<str>, f64>>,
    /// Curves of the occupancy by metric: (value, warps) at both ends of each stretch in which the warps are the same.
    pub curves: BTreeMap<Arc<str>, Vec<(u64, f64)>>,
    /// NVIDIA's lists of the counters that a throughput is made of.
    pub breakdowns: BTreeMap<Arc<str>, Arc<str>>,
}

/// How the names of the breakdown lists begin. Those of the busiest instances name the same counters.
const BREAKDOWN: &str = "breakdown:";

/// Names of the catalog and of the counters that are read of a launch by name.
static KNOWN: LazyLock<HashSet<&'static str>> = LazyLock::new(|| {
    let named = catalog::metrics().iter().flat_map(catalog::MetricRow::spellings);
    let read = catalog::counters().iter().filter(|row| row.from == CounterPlace::Launch);
    named.chain(read.map(|row| row.id)).collect()
});

/// The metrics that a command line of ncu asks for by name, as it lists them; `None` where it names at most one.
fn asked(command_line: &str) -> Option<&str> {
    let (_, rest) = command_line.split_once(" --metrics ")?;
    rest.split(' ').next().filter(|list| list.contains(','))
}

/// Metrics of a command line that are kept by name.
const LISTED: usize = 8;

/// A command line of ncu with a long list of metrics as their number: the readings and those that are said to be missing name them.
pub(in crate::analysis) fn with_counted_list(command_line: &str) -> String {
    match asked(command_line).map(|list| (list, list.split(',').count())) {
        Some((list, count)) if count > LISTED => command_line.replacen(list, &format!("'<{count} metrics>'"), 1),
        _ => command_line.to_owned(),
    }
}

impl Readings {
    /// What is worth keeping of a kernel: every metric of the catalog and of the roofline, every stall that a table shows,
    /// the counters of the breakdowns, what the subject names, and what the command line of the report asks for.
    pub(super) fn of<'r>(kernel: &KernelSummary<'r>, command_line: &str, work: &Work) -> Readings {
        let breakdowns: BTreeMap<Arc<str>, Arc<str>> = kernel
            .metric_names()
            .into_iter()
            .filter(|name| name.starts_with(BREAKDOWN) && name.ends_with(AVERAGE))
            .filter_map(|name| {
                let counters: Vec<&str> = kernel.text(name)?.split(',').map(str::trim).collect();
                Some((name.clone(), counters.join(",").into()))
            })
            .collect();
        let asked: HashSet<&str> = asked(command_line).into_iter().flat_map(|list| list.split(',')).collect();
        let mut named: HashSet<String> = work.readings().map(str::to_owned).collect();
        for counter in breakdowns.values().flat_map(|list| list.split(',')) {
            let shared = counter.strip_suffix(AVERAGE).filter(|_| units::is_of_shared_memory(counter));
            named.extend(shared.map(|unit| format!("{unit}{BUSIEST}")));
            named.insert(counter.to_owned());
        }
        let modified = kernel.by_text(mix::WITH_MODIFIERS);
        let multiplies = modified.keys().any(|opcode| is_product(opcode));
        let metric = |name: &'r Arc<str>| {
            let is_worth = KNOWN.contains(&**name)
                || asked.contains(&**name)
                || named.contains(&**name)
                || stalls::is_shown(name)
                || roofline::tells_tensor_work(name, multiplies, |counter| kernel.value(counter));
            if !is_worth {
                return None;
            }
            let held: Vec<Option<&Metric>> = kernel.launch_metrics(name).collect();
            let unit = held.iter().flatten().next()?.unit;
            Some(KeptMetric { name: name.clone(), unit, found: found(&held) })
        };
        let curve = |name: Counter| {
            let points = ends(occupancy::points(kernel.first().metric(name)?));
            (!points.is_empty()).then(|| (name.into(), points))
        };
        Readings {
            metrics: kernel.metric_names().into_iter().filter_map(metric).collect(),
            opcodes: kernel.by_text(mix::PER_OPCODE),
            with_modifiers: (!modified.is_empty())
                .then(|| modified.into_iter().filter(|(opcode, _)| is_told_apart(opcode)).collect()),
            curves: occupancy::curve_metrics().filter_map(curve).collect(),
            breakdowns,
        }
    }

    /// The same of one launch: of each metric the median over the launches that have it.
    #[must_use]
    pub(super) fn medians(mut self) -> Readings {
        for kept in &mut self.metrics {
            if let Found::Each(each) = &kept.found {
                let mut values: Vec<f64> = each.iter().copied().flatten().collect();
                values.sort_by(f64::total_cmp);
                kept.found = Found::Number(median_of_sorted(&values));
            }
        }
        self
    }

    /// The metrics of the launch at a position, sorted by name.
    pub(super) fn metrics_of(&self, at: usize) -> Vec<Metric> {
        let value = |kept: &KeptMetric| match &kept.found {
            Found::Number(all) => Some(*all),
            Found::Each(some) => some.get(at).copied().flatten(),
            Found::NotANumber => Some(f64::NAN),
            Found::NoNumber => None,
        };
        let mut metrics: Vec<Metric> = self
            .metrics
            .iter()
            .map(|kept| Metric {
                name: kept.name.clone(),
                unit: kept.unit,
                value: value(kept).map(Value::F64),
                instances: Box::default(),
            })
            .collect();
        put_instances(&mut metrics, mix::PER_OPCODE, by_text(&self.opcodes));
        if let Some(kept) = &self.with_modifiers {
            // An opcode without a name stands for those that are not kept.
            let others = BTreeMap::from([("".into(), 0.0)]);
            put_instances(&mut metrics, mix::WITH_MODIFIERS, by_text(if kept.is_empty() { &others } else { kept }));
        }
        for (name, points) in &self.curves {
            let point = |(at, warps): &(u64, f64)| Instance { id: Value::U64(*at), value: Value::F64(*warps) };
            put_instances(&mut metrics, name, points.iter().map(point).collect());
        }
        for (name, list) in &self.breakdowns {
            let text = Some(Value::Text(list.clone()));
            match metrics.binary_search_by(|metric| metric.name.cmp(name)) {
                Ok(at) => metrics[at].value = text,
                Err(at) => {
                    metrics.insert(
                        at,
                        Metric { name: name.clone(), unit: Unit::NONE, value: text, instances: Box::default() },
                    );
                }
            }
        }
        metrics
    }
}

/// Whether an opcode with its modifiers multiplies matrices.
fn is_product(opcode: &str) -> bool {
    Op::of(opcode).is_product()
}

/// Whether something is told by the modifiers of an opcode: the width of a store, the shape of a product, the type that a
/// conversion unpacks.
fn is_told_apart(opcode: &str) -> bool {
    mix::is_shared_store(opcode) || is_product(opcode) || mix::unpacks_bytes(opcode)
}

/// What the launches have; each with the metric, or without.
fn found(launches: &[Option<&Metric>]) -> Found {
    let number = |metric: &Option<&Metric>| metric.and_then(Metric::quantity).map(|quantity| quantity.value());
    let values: Vec<Option<f64>> = launches.iter().map(number).collect();
    let is_one = |first: f64| values.iter().all(|value| value.is_some_and(|value| value.to_bits() == first.to_bits()));
    match values.first() {
        _ if values.iter().all(Option::is_none) => {
            let is_nan = launches.iter().flatten().any(|metric| metric.value.as_ref().is_some_and(Value::is_nan));
            if is_nan { Found::NotANumber } else { Found::NoNumber }
        }
        Some(Some(first)) if is_one(*first) => Found::Number(*first),
        _ => Found::Each(values),
    }
}

fn by_text(counts: &BTreeMap<Arc<str>, f64>) -> Box<[Instance]> {
    counts.iter().map(|(id, count)| Instance { id: Value::Text(id.clone()), value: Value::F64(*count) }).collect()
}

/// Gives a metric its instances; metrics stay sorted by name.
fn put_instances(metrics: &mut Vec<Metric>, name: impl AsRef<str>, instances: Box<[Instance]>) {
    let name = name.as_ref();
    if instances.is_empty() {
        return;
    }
    match metrics.binary_search_by(|metric| metric.name.as_ref().cmp(name)) {
        Ok(at) => metrics[at].instances = instances,
        Err(at) => metrics.insert(at, Metric { name: name.into(), unit: Unit::INST, value: None, instances }),
    }
}

/// The first and the last point of each stretch of one height.
fn ends(points: Vec<(u64, f64)>) -> Vec<(u64, f64)> {
    let height = |at: usize| points.get(at).map(|point| point.1);
    let is_end = |at: &usize| *at == 0 || height(at - 1) != height(*at) || height(at + 1) != height(*at);
    (0..points.len()).filter(is_end).map(|at| points[at]).collect()
}
