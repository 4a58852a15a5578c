//! One result as evidence.

use super::container::Entry;
use super::fault::Fault;
use super::kind::AnyResult;
use super::message::{NvtxState, ProcessInfo, RuleResult};
use super::metrics::MetricReader;
use super::nvtx;
use super::rules;
use super::text::Texts;
use crate::evidence::{Launch, Process, Workload};
use prost::Message;

/// The process of a block.
pub(super) fn process(info: &ProcessInfo, texts: &mut Texts) -> Process {
    let path = texts.of_field(info.path.as_ref());
    let name = path.rsplit(['/', '\\']).next().unwrap_or_default();
    Process { id: info.id.unwrap_or(0), name: texts.of(name) }
}

/// What is known of a result before its metrics are decoded; enough to decide whether it is wanted.
pub(super) fn head(
    id: u32,
    workload: Workload,
    process: &Process,
    result: &AnyResult<'_>,
    texts: &mut Texts,
) -> Launch {
    let name = texts.of_field(result.name.as_ref());
    let function = match workload {
        Workload::Kernel => texts.of_field(result.function.as_ref()),
        Workload::Range | Workload::Cmdlist | Workload::Graph => name.clone(),
    };
    Launch {
        id,
        workload,
        process: process.clone(),
        name,
        demangled: texts.of_field(result.demangled.as_ref()),
        mangled: texts.of_field(result.mangled.as_ref()),
        function,
        grid: result.grid,
        block: result.block,
        context: result.context,
        stream: result.stream,
        clock: result.clock,
        created: result.created,
        driver: result.driver,
        sources: result.references.iter().map(|reference| (process.id, *reference)).collect(),
        ..Launch::default()
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
    head: Launch,
    result: &AnyResult<'_>,
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
    // Some graphical captures of 2020.2 store the grid in threads; the metrics count blocks in every version.
    let grid = head.grid.map(|stored| device.grid().unwrap_or(stored));
    Launch { device: device.finish(), grid, nvtx, rules, metrics, ..head }
}
