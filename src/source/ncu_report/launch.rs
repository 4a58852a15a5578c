//! One result as evidence.

use super::container::Entry;
use super::fault::Fault;
use super::kind::AnyResult;
use super::message::{NvtxState, ProcessInfo, RuleResult};
use super::metrics::MetricReader;
use super::nvtx;
use super::rules;
use super::text::Texts;
use crate::evidence::{Dim3, Launch, Process, Workload};
use prost::Message;
use std::sync::Arc;

/// What is known of a result before its metrics are decoded; enough to decide whether it is wanted.
#[derive(Clone, Debug, PartialEq)]
pub struct LaunchHead {
    /// Row number as ncu counts it.
    pub id: u32,
    /// What the result covers.
    pub workload: Workload,
    /// The process.
    pub process: Process,
    /// The name that ncu displays.
    pub name: Arc<str>,
    /// Demangled name; empty when there is none.
    pub demangled: Arc<str>,
    /// Mangled name; empty for results that are not kernels.
    pub mangled: Arc<str>,
    /// Function name without return type, parameters and template arguments, as `--kernel-name` matches it; the
    /// displayed name for results that are not kernels.
    pub function: Arc<str>,
    /// Grid as stored; `None` for results that are not kernels. In blocks, except in some captures of 2020.2.
    pub grid: Option<Dim3>,
    /// Block in threads; `None` for results that are not kernels.
    pub block: Option<Dim3>,
}

/// The process of a block.
pub(super) fn process(info: &ProcessInfo, texts: &mut Texts) -> Process {
    let path = texts.of_field(info.path.as_ref());
    let name = path.rsplit(['/', '\\']).next().unwrap_or_default();
    Process { id: info.id.unwrap_or(0), name: texts.of(name) }
}

/// The head of a result.
pub(super) fn head(
    id: u32,
    workload: Workload,
    process: &Process,
    result: &AnyResult<'_>,
    texts: &mut Texts,
) -> LaunchHead {
    let name = texts.of_field(result.name.as_ref());
    let function = match workload {
        Workload::Kernel => texts.of_field(result.function.as_ref()),
        Workload::Range | Workload::Cmdlist | Workload::Graph => name.clone(),
    };
    LaunchHead {
        id,
        workload,
        process: process.clone(),
        name,
        demangled: texts.of_field(result.demangled.as_ref()),
        mangled: texts.of_field(result.mangled.as_ref()),
        function,
        grid: result.grid,
        block: result.block,
    }
}

/// How much of a launch is read.
#[derive(Clone, Copy)]
pub(super) struct Scope {
    /// With NVIDIA's rule results.
    pub(super) rules: bool,
    /// With what is read of the first result of a kernel alone.
    pub(super) is_first: bool,
}

/// The whole launch: metrics, rules and NVTX ranges, as far as they were asked for.
pub(super) fn launch(
    head: LaunchHead,
    result: AnyResult<'_>,
    entry: &Entry,
    scope: Scope,
    reader: &mut MetricReader<'_>,
) -> Launch {
    let (metrics, device) = reader.read(&result.metrics, scope.is_first);
    let mut rules = Vec::new();
    for stored in result.rules.iter().filter(|_| scope.rules) {
        match RuleResult::decode(*stored) {
            Ok(rule) => {
                let at = reader.file.offset_of(stored);
                rules.extend(rules::entries(&rule, reader.texts, |found| {
                    reader.faults.push(Fault::new(at, "a table of a rule", found, "this table"));
                }));
            }
            Err(error) => {
                let at = reader.file.offset_of(stored);
                reader.faults.push(Fault::new(at, "a rule result", error.to_string(), "this rule result"));
            }
        }
    }
    let nvtx = match result.nvtx.map(NvtxState::decode) {
        None => Vec::new(),
        Some(Ok(state)) => nvtx::ranges(&state, result.thread, reader.texts),
        Some(Err(error)) => {
            let at = entry.range.start as u64;
            reader.faults.push(Fault::new(at, "an NVTX state", error.to_string(), "the NVTX ranges of this result"));
            Vec::new()
        }
    };
    let process = head.process.id;
    // Some graphical captures of 2020.2 store the grid in threads; the metrics count blocks in every version.
    let grid = head.grid.map(|stored| device.grid().unwrap_or(stored));
    Launch {
        id: head.id,
        workload: head.workload,
        process: head.process,
        device: device.finish(),
        name: head.name,
        demangled: head.demangled,
        mangled: head.mangled,
        function: head.function,
        grid,
        block: head.block,
        context: result.context,
        stream: result.stream,
        clock: result.clock,
        created: result.created,
        nvtx,
        rules,
        driver: result.driver,
        sources: result.references.into_iter().map(|reference| (process, reference)).collect(),
        metrics,
    }
}
