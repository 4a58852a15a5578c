//! What a snapshot keeps of its report: enough to stand in for it as the old side, or in a comparison of several.

use super::side::Side;
use super::summary::KernelSummary;
use crate::catalog;
use crate::evidence::{Device, Instance, Launch, Metric, Process, Report, Value};
use crate::quantity::Unit;
use crate::quantity::ncu_units::unit_of;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// The numbers of one metric over the launches of a kernel.
#[derive(Clone, Debug, PartialEq)]
pub struct KeptMetric {
    /// ncu's name.
    pub name: Arc<str>,
    /// The base unit.
    pub unit: Unit,
    /// One value for each launch in order, `null` where a launch has none; a single one where all launches agree.
    pub values: Vec<Option<f64>>,
}

/// [`KeptMetric`] as JSON: the value where all launches agree, else the values; the unit where the name does not tell it.
#[derive(serde::Serialize, serde::Deserialize)]
#[serde(untagged)]
enum KeptJson {
    One(Arc<str>, f64),
    Each(Arc<str>, Vec<Option<f64>>),
    WithUnit(Arc<str>, Vec<Option<f64>>, Unit),
}

impl serde::Serialize for KeptMetric {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let name = self.name.clone();
        let json = match self.values.as_slice() {
            values if unit_of(&name) != self.unit => KeptJson::WithUnit(name, values.to_vec(), self.unit),
            [Some(value)] => KeptJson::One(name, *value),
            values => KeptJson::Each(name, values.to_vec()),
        };
        json.serialize(serializer)
    }
}

impl<'de> serde::Deserialize<'de> for KeptMetric {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<KeptMetric, D::Error> {
        Ok(match KeptJson::deserialize(deserializer)? {
            KeptJson::One(name, value) => KeptMetric { unit: unit_of(&name), name, values: vec![Some(value)] },
            KeptJson::Each(name, values) => KeptMetric { unit: unit_of(&name), name, values },
            KeptJson::WithUnit(name, values, unit) => KeptMetric { name, unit, values },
        })
    }
}

/// The readings of the kernel under audit, launch by launch.
#[derive(Clone, Debug, Default, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct Kept {
    /// The device.
    pub device: Device,
    /// The metrics that tables are made of, sorted by name.
    pub metrics: Vec<KeptMetric>,
    /// Executions by opcode, the median over the launches.
    pub opcodes: BTreeMap<Arc<str>, f64>,
}

impl Kept {
    /// What is worth keeping of a kernel: every number under a name of the catalog, and of every stall family.
    pub(super) fn of(kernel: &KernelSummary<'_>) -> Kept {
        let known: BTreeSet<&str> = catalog::metrics().iter().flat_map(catalog::MetricRow::spellings).collect();
        let is_stall = |name: &str| catalog::stall_families().iter().any(|family| name.starts_with(family.prefix));
        let names = kernel.metric_names().into_iter().filter(|name| known.contains(&***name) || is_stall(name));
        let metric = |name: &Arc<str>| {
            let unit = kernel.launch_metrics(name).flatten().map(|metric| metric.unit).next()?;
            let mut values: Vec<Option<f64>> = kernel
                .launch_metrics(name)
                .map(|metric| metric.and_then(Metric::quantity).map(|quantity| quantity.value()))
                .collect();
            if values.iter().all(Option::is_none) {
                return None;
            }
            if values.windows(2).all(|pair| pair[0] == pair[1]) {
                values.truncate(1);
            }
            Some(KeptMetric { name: name.clone(), unit, values })
        };
        Kept {
            device: kernel.first().device.clone(),
            metrics: names.filter_map(metric).collect(),
            opcodes: kernel.by_text(super::mix::PER_OPCODE),
        }
    }

    /// A report with the kernel of `side` that holds these readings and nothing else.
    pub(super) fn report(&self, side: &Side) -> Report {
        let launches = side.launches.iter().enumerate().map(|(at, id)| self.launch(side, at, *id)).collect();
        Report { origin: side.origin.clone(), launches, ..Report::default() }
    }

    fn launch(&self, side: &Side, at: usize, id: u32) -> Launch {
        let value = |kept: &KeptMetric| match kept.values.as_slice() {
            [all] => *all,
            some => some.get(at).copied().flatten(),
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
        if !self.opcodes.is_empty() {
            let name: Arc<str> = super::mix::PER_OPCODE.into();
            let instance = |(opcode, count): (&Arc<str>, &f64)| Instance {
                id: Value::Text(opcode.clone()),
                value: Value::F64(*count),
            };
            let instances = self.opcodes.iter().map(instance).collect();
            match metrics.iter_mut().find(|metric| metric.name == name) {
                Some(metric) => metric.instances = instances,
                None => metrics.push(Metric { name, unit: Unit::INST, value: None, instances }),
            }
        }
        metrics.sort_by(|a, b| a.name.cmp(&b.name));
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
