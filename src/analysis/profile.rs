//! The facts of one kernel in one profile: what an audit is made from, as small as it can be kept.
//!
//! Receives a report with the counters by instruction, keeps what judgements read and nothing else. Everything that is
//! concluded is a function of these facts, so that a snapshot of them gives the same audit.

use crate::analysis::derive::units::{self, AVERAGE, BUSIEST};
use crate::analysis::derive::{data_stage, mix, occupancy, roofline, stalls};
use crate::analysis::kernel::overview::{OtherKernel, members, overview};
use crate::analysis::kernel::private;
use crate::analysis::kernel::select::{self, KernelGroup, KernelKey, SelectionError};
use crate::analysis::kernel::stated::Work;
use crate::analysis::kernel::summary::KernelSummary;
use crate::analysis::limits::Limits;
use crate::analysis::lines::{ACTIVITY, Parked, SourceLines};
use crate::analysis::phases::{self, Phases};
use crate::catalog;
use crate::evidence::{
    ClockStatus, Damage, Device, Instance, Launch, Metric, Origin, Process, Report, RuleResult, Session, SourceView,
    Value,
};
use crate::quantity::Unit;
use regex::Regex;
use std::collections::{BTreeMap, HashSet};
use std::sync::{Arc, LazyLock};

/// One kernel as a profile has it.
#[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct Profile {
    /// The artefact.
    pub origin: Origin,
    /// Who measured: versions and the command line.
    pub session: Session,
    /// The kernel.
    pub kernel: KernelKey,
    /// Rows of the report (ncu's IDs), one for each launch.
    pub launches: Vec<u32>,
    /// The device.
    pub device: Device,
    /// Base name of the program that launched it; empty where the artefact does not say.
    pub program: Arc<str>,
    /// Clock control.
    pub clock: Option<ClockStatus>,
    /// Display driver version that the result itself carries.
    pub driver: Option<f32>,
    /// NVIDIA's rules that estimate a speedup: title, estimate, and the first metric that each points at.
    pub rules: Vec<RuleResult>,
    /// The numbers, launch by launch; the JSON of [`Evidence`](crate::analysis::Evidence) has them in one table.
    #[serde(skip)]
    pub readings: Readings,
    /// Metrics that were asked for and that no result holds.
    pub dropped: Vec<String>,
    /// Fields and lines that were not understood.
    pub not_understood: Vec<(String, u64)>,
    /// Damage of the artefact.
    pub damage: Vec<Damage>,
    /// All kernels of the artefact, the most device time first.
    pub kernels: Vec<OtherKernel>,
    /// Kernels inside a range or graph: (name, launches); empty for a kernel.
    pub members: Vec<(String, usize)>,
    /// Costs of one launch by source line; `None` where no instructions were read.
    pub lines: Option<SourceLines>,
    /// Warps that stand at the last barrier with nothing left to do.
    pub parked: Option<Parked>,
    /// Where the time of one launch goes; `None` where no instructions were read, or too little of each.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub phases: Option<Phases>,
}

/// What a kernel's facts are read with.
#[derive(Clone, Copy, Debug)]
pub struct Reduction<'a> {
    /// Launches by instruction; those of other kernels do not count.
    pub source: &'a [SourceView],
    /// What the subject states: the readings that it names are kept.
    pub work: &'a Work,
    /// Which lines are worth keeping.
    pub limits: &'a Limits,
}

impl Profile {
    /// Every kernel of a report that the filter takes, the most device time first.
    ///
    /// # Errors
    /// When the filter takes none.
    pub fn chosen(
        report: &Report,
        filter: Option<&Regex>,
        with: &Reduction<'_>,
    ) -> Result<Vec<Profile>, SelectionError> {
        let groups = select::choose(report, filter)?;
        Ok(groups.into_iter().map(|group| Profile::of(report, group, with)).collect())
    }

    /// The counterpart of a kernel in the report of the old side.
    ///
    /// # Errors
    /// When the filter takes no kernel, or none can be meant.
    pub fn counterpart(
        report: &Report,
        of: &KernelKey,
        filter: Option<&Regex>,
        with: &Reduction<'_>,
    ) -> Result<Profile, SelectionError> {
        Ok(Profile::of(report, select::counterpart(report, of, filter)?, with))
    }

    /// See [`Evidence::made_public`](crate::analysis::Evidence::made_public).
    pub(in crate::analysis) fn make_public(&mut self) {
        self.origin.path = private::public_path(&self.origin.path);
        self.session = Session {
            ncu_version: self.session.ncu_version.clone(),
            cuda_version: self.session.cuda_version.clone(),
            driver_version: self.session.driver_version.clone(),
            command_line: private::public_command(&self.session.command_line).into(),
            ..Session::default()
        };
        self.program = private::public_text(&private::public_path(&self.program)).into();
    }

    fn of(report: &Report, group: KernelGroup<'_>, with: &Reduction<'_>) -> Profile {
        let kernel = KernelSummary::new(group);
        let first = kernel.first();
        let is_own = |view: &&SourceView| kernel.launches().iter().any(|launch| launch.id == view.launch);
        let own = with.source.iter().find(is_own);
        let lines = report.unrecognised_lines.len() as u64;
        let not_understood = if lines > 0 { vec![("lines of text".into(), lines)] } else { Vec::new() };
        let ruled = kernel.launches().iter().find(|launch| !launch.rules.is_empty());
        let session = &report.session;
        Profile {
            origin: report.origin.clone(),
            session: Session {
                ncu_version: session.ncu_version.clone(),
                cuda_version: session.cuda_version.clone(),
                driver_version: session.driver_version.clone(),
                command_line: session.command_line.clone(),
                ..Session::default()
            },
            kernel: kernel.key().clone(),
            launches: kernel.launches().iter().map(|launch| launch.id).collect(),
            device: first.device.clone(),
            program: first.process.name.clone(),
            clock: first.clock,
            driver: first.driver,
            rules: ruled.iter().flat_map(|launch| &launch.rules).filter_map(estimate).collect(),
            readings: Readings::of(&kernel, &session.command_line, with.work),
            dropped: report.dropped.iter().map(ToString::to_string).collect(),
            not_understood,
            damage: report.damage.clone(),
            kernels: overview(report, kernel.key()),
            members: members(&kernel),
            lines: own.map(|view| SourceLines::of(view, &kernel, with.limits)),
            parked: own.and_then(|view| Parked::of(view, with.limits)),
            phases: own.and_then(|view| Phases::of(view, &kernel)),
        }
    }

    /// A kernel of which nothing was measured.
    pub fn unmeasured(kernel: KernelKey) -> Profile {
        Profile {
            origin: Origin::default(),
            session: Session::default(),
            kernel,
            launches: Vec::new(),
            device: Device::default(),
            program: "".into(),
            clock: None,
            driver: None,
            rules: Vec::new(),
            readings: Readings::default(),
            dropped: Vec::new(),
            not_understood: Vec::new(),
            damage: Vec::new(),
            kernels: Vec::new(),
            members: Vec::new(),
            lines: None,
            parked: None,
            phases: None,
        }
    }

    /// The launches with these readings and nothing else; one without any where nothing was measured.
    pub(in crate::analysis) fn launches(&self) -> Vec<Launch> {
        let ids = if self.launches.is_empty() { &[0][..] } else { &self.launches };
        let mut launches: Vec<Launch> = ids.iter().enumerate().map(|(at, id)| self.launch(at, *id)).collect();
        launches[0].rules.clone_from(&self.rules);
        launches
    }

    fn launch(&self, at: usize, id: u32) -> Launch {
        let key = &self.kernel;
        Launch {
            id,
            workload: key.workload,
            process: Process { id: 0, name: self.program.clone() },
            device: self.device.clone(),
            name: key.name.clone(),
            demangled: key.name.clone(),
            mangled: key.mangled.clone(),
            function: key.function.clone(),
            grid: key.grid,
            block: key.block,
            context: None,
            stream: None,
            clock: self.clock,
            created: None,
            nvtx: Vec::new(),
            rules: Vec::new(),
            driver: self.driver,
            sources: Vec::new(),
            metrics: self.readings.metrics_of(at),
        }
    }
}

/// What is kept of a rule; `None` for one without an estimate.
fn estimate(rule: &RuleResult) -> Option<RuleResult> {
    let mut kept = RuleResult {
        section: "".into(),
        messages: rule.messages.iter().filter(|message| !message.title.is_empty()).take(1).cloned().collect(),
        focus: rule.focus.iter().take(1).cloned().collect(),
        tables: Vec::new(),
        ..rule.clone()
    };
    // A snapshot has no word for a number that is none.
    kept.speedup.as_ref().filter(|speedup| speedup.percent.is_finite())?;
    kept.focus.retain(|focus| focus.value.is_finite());
    kept.messages.iter_mut().for_each(|message| message.text = "".into());
    kept.focus.iter_mut().for_each(|focus| focus.info = "".into());
    Some(kept)
}

/// The kernel of some launches, which are all of one.
pub(in crate::analysis) fn summary(launches: &[Launch]) -> KernelSummary<'_> {
    KernelSummary::new(KernelGroup { key: KernelKey::of(&launches[0]), launches: launches.iter().collect() })
}

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

/// Names of the catalog and of the roofline.
static KNOWN: LazyLock<HashSet<&'static str>> = LazyLock::new(|| {
    let named = catalog::metrics().iter().flat_map(catalog::MetricRow::spellings).chain(roofline::METRICS);
    named
        .chain([occupancy::SHARED_OF_SM, occupancy::SHARED_OF_BLOCK])
        .chain(ACTIVITY.into_iter().flatten())
        .chain([data_stage::OPERANDS])
        .chain(phases::METRICS)
        .collect()
});

/// The metrics that a command line of ncu asks for by name, as it lists them; `None` where it names at most one.
pub(in crate::analysis) fn asked(command_line: &str) -> Option<&str> {
    let (_, rest) = command_line.split_once(" --metrics ")?;
    rest.split(' ').next().filter(|list| list.contains(','))
}

impl Readings {
    /// What is worth keeping of a kernel: every metric of the catalog and of the roofline, every stall that a table shows,
    /// the counters of the breakdowns, what the subject names, and what the command line of the report asks for.
    fn of<'r>(kernel: &KernelSummary<'r>, command_line: &str, work: &Work) -> Readings {
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
        let curve = |name: &str| {
            let points = ends(occupancy::points(kernel.first().metric(name)?));
            (!points.is_empty()).then(|| ((*name).into(), points))
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

    /// The metrics of the launch at a position, sorted by name.
    fn metrics_of(&self, at: usize) -> Vec<Metric> {
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
    mix::is_matrix(opcode.split('.').next().unwrap_or_default())
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
