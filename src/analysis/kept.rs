//! What a snapshot keeps of its reports: the readings of both kernels, enough to stand in for either report.

use crate::analysis::derive::mix;
use crate::analysis::derive::occupancy;
use crate::analysis::derive::roofline;
use crate::analysis::derive::stalls;
use crate::analysis::kernel::side::Side;
use crate::analysis::kernel::summary::KernelSummary;
use crate::catalog;
use crate::evidence::{Device, Instance, Launch, Metric, Process, Report, Value};
use crate::quantity::Unit;
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
    /// The device.
    pub device: Device,
    /// The metrics, sorted by name.
    pub metrics: Vec<KeptMetric>,
    /// Executions by opcode, the median over the launches.
    pub opcodes: BTreeMap<Arc<str>, f64>,
    /// Executions by opcode with its modifiers, of stores to shared memory and of matrix products; `None` where no opcode is
    /// counted so.
    pub with_modifiers: Option<BTreeMap<Arc<str>, f64>>,
    /// Curves of the occupancy by metric: (value, warps) at both ends of each stretch in which the warps are the same.
    pub curves: BTreeMap<Arc<str>, Vec<(u64, f64)>>,
}

/// The readings of both sides; their JSON is one table (docs/guide/snapshot.md).
#[derive(Clone, Debug, Default, PartialEq, serde::Serialize, serde::Deserialize)]
#[serde(into = "crate::analysis::kept_json::KeptJson", from = "crate::analysis::kept_json::KeptJson")]
pub struct Kept {
    /// The kernel under audit.
    pub new: Readings,
    /// The kernel that it is compared with.
    pub old: Option<Readings>,
    /// The metrics that the profiler was asked for, in the order of its command line, where a stored audit says them
    /// here and not in the command line; empty for an audit in memory.
    pub asked: Vec<Arc<str>>,
}

/// Names of the catalog and of the roofline.
static KNOWN: LazyLock<HashSet<&'static str>> = LazyLock::new(|| {
    let named = catalog::metrics().iter().flat_map(catalog::MetricRow::spellings).chain(roofline::METRICS);
    named.chain([occupancy::SHARED_OF_SM, occupancy::SHARED_OF_BLOCK]).collect()
});

/// The metrics that a command line of ncu asks for by name, as it lists them; `None` where it names at most one.
pub(in crate::analysis) fn asked(command_line: &str) -> Option<&str> {
    let (_, rest) = command_line.split_once(" --metrics ")?;
    rest.split(' ').next().filter(|list| list.contains(','))
}

impl Readings {
    /// What is worth keeping of a kernel: every metric of the catalog and of the roofline, every stall that a table shows, and what
    /// the command line of the report asks for.
    pub(in crate::analysis) fn of<'r>(kernel: &KernelSummary<'r>, command_line: &str) -> Readings {
        let asked: HashSet<&str> = asked(command_line).into_iter().flat_map(|list| list.split(',')).collect();
        let modified = kernel.by_text(mix::WITH_MODIFIERS);
        let multiplies = modified.keys().any(|opcode| is_product(opcode));
        let metric = |name: &'r Arc<str>| {
            let is_worth = KNOWN.contains(&**name)
                || asked.contains(&**name)
                || stalls::is_shown(name)
                || roofline::tells_tensor_work(name, multiplies, |counter| kernel.value(counter));
            if !is_worth {
                return None;
            }
            let held: Vec<Option<&Metric>> = kernel.launch_metrics(name).collect();
            let unit = held.iter().flatten().next()?.unit;
            Some(KeptMetric { name: name.clone(), unit, found: found(&held) })
        };
        let curve = |name: &str| {
            let points = ends(occupancy::points(kernel.first().metric(name)?));
            (!points.is_empty()).then(|| ((*name).into(), points))
        };
        Readings {
            device: kernel.first().device.clone(),
            metrics: kernel.metric_names().into_iter().filter_map(metric).collect(),
            opcodes: kernel.by_text(mix::PER_OPCODE),
            with_modifiers: (!modified.is_empty())
                .then(|| modified.into_iter().filter(|(opcode, _)| is_told_apart(opcode)).collect()),
            curves: occupancy::curve_metrics().filter_map(curve).collect(),
        }
    }

    /// A report with the kernel of `side` that holds these readings and nothing else.
    pub(in crate::analysis) fn report(&self, side: &Side) -> Report {
        let launches = side.launches.iter().enumerate().map(|(at, id)| self.launch(side, at, *id)).collect();
        Report { origin: side.origin.clone(), launches, ..Report::default() }
    }

    fn launch(&self, side: &Side, at: usize, id: u32) -> Launch {
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
        let key = &side.kernel;
        Launch {
            id,
            workload: key.workload,
            process: Process::default(),
            device: self.device.clone(),
            name: key.name.clone(),
            demangled: key.name.clone(),
            mangled: key.mangled.clone(),
            function: key.function.clone(),
            grid: key.grid,
            block: key.block,
            context: None,
            stream: None,
            clock: None,
            created: None,
            nvtx: Vec::new(),
            rules: Vec::new(),
            driver: None,
            sources: Vec::new(),
            metrics,
        }
    }
}

/// Whether an opcode with its modifiers multiplies matrices.
fn is_product(opcode: &str) -> bool {
    mix::is_matrix(opcode.split('.').next().unwrap_or_default())
}

/// Whether something is told by the modifiers of an opcode: the width of a store, the shape of a product.
fn is_told_apart(opcode: &str) -> bool {
    mix::is_shared_store(opcode) || is_product(opcode)
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
fn put_instances(metrics: &mut Vec<Metric>, name: &str, instances: Box<[Instance]>) {
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
