//! One result as evidence, with the NVTX ranges that were open.

use super::fault::Fault;
use super::kind::AnyResult;
use super::message::{NvtxState, ProcessInfo, RuleResult};
use super::metrics::{MetricReader, StoredMetrics};
use super::rules;
use crate::{Launch, NvtxRange, Process, Workload};
use bytes::Bytes;
use cuda_binary::text::Texts;
use prost::Message;
use std::collections::HashMap;

/// The process of a block.
pub(super) fn process(info: &ProcessInfo, texts: &mut Texts) -> Process {
    let path = texts.of_field(info.path.as_ref());
    let name = path.rsplit(['/', '\\']).next().unwrap_or_default();
    Process { id: info.id.unwrap_or(0), name: texts.of(name) }
}

/// What is known of a result before its metrics are decoded; nothing for one without a workload.
pub(super) fn head(id: u32, process: &Process, result: &AnyResult<'_>, texts: &mut Texts) -> Option<Launch> {
    let workload = result.workload?;
    let name = texts.of_field(result.name.as_ref());
    let function = match workload {
        Workload::Kernel => texts.of_field(result.function.as_ref()),
        Workload::Range | Workload::Cmdlist | Workload::Graph => name.clone(),
    };
    Some(Launch {
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
    })
}

/// How much of a launch is read.
#[derive(Clone, Copy)]
pub(super) struct Scope {
    /// With NVIDIA's rule results.
    pub(super) rules: bool,
    /// With what is read of the first result of a kernel alone.
    pub(super) is_first: bool,
    /// With all that was asked for; else with no more than what tells its kernel.
    pub(super) is_whole: bool,
}

/// The whole launch: metrics, rules and NVTX ranges, as far as they were asked for.
pub(super) fn launch(
    head: Launch,
    result: &AnyResult<'_>,
    stored: &StoredMetrics<'_>,
    scope: Scope,
    reader: &mut MetricReader<'_>,
) -> Launch {
    let (metrics, device) = reader.read(stored, scope);
    let mut rules = Vec::new();
    for stored in result.rules.iter().filter(|_| scope.rules) {
        match RuleResult::decode(*stored) {
            Ok(rule) => {
                let at = reader.offset_of(stored);
                rules.extend(rules::entries(&rule, reader.texts, |found| {
                    reader.faults.push(Fault::new(at, "a table of a rule", found, "this table"));
                }));
            }
            Err(error) => {
                let at = reader.offset_of(stored);
                reader.faults.push(Fault::new(at, "a rule result", error.to_string(), "this rule result"));
            }
        }
    }
    let nvtx = match result.nvtx.map(NvtxState::decode) {
        None => Vec::new(),
        Some(Ok(state)) => ranges(&state, result.thread, reader.texts),
        Some(Err(error)) => {
            let at = reader.at;
            reader.faults.push(Fault::new(at, "an NVTX state", error.to_string(), "the NVTX ranges of this result"));
            Vec::new()
        }
    };
    let grid = head.grid.map(|stored| device.grid(stored, head.block));
    Launch { device: device.finish(), grid, nvtx, rules, metrics, ..head }
}

/// Push-pop ranges of the launching thread, outermost first, domain by domain; then start-end ranges of the process.
pub(super) fn ranges(state: &NvtxState, thread: Option<u32>, texts: &mut Texts) -> Vec<NvtxRange> {
    let default = state.default_domain;
    let domains: HashMap<Option<u64>, &Option<Bytes>> =
        state.domains.iter().map(|domain| (domain.id, &domain.name)).collect();
    let domain = |id: Option<u64>| if id == default { None } else { domains.get(&id).and_then(|name| name.as_ref()) };
    let stacks = state.threads.iter().filter(|of| of.id == thread).flat_map(|thread| &thread.stacks);
    let pushed = stacks.flat_map(|stack| stack.ranges.iter().map(|range| (stack.domain, range.name.as_ref())));
    let groups = state.start_end.iter();
    let started = groups.flat_map(|group| group.ranges.iter().map(|range| (group.domain, range.name.as_ref())));
    let named = pushed.chain(started);
    named.map(|(id, name)| NvtxRange { domain: texts.of_field(domain(id)), name: texts.of_field(name) }).collect()
}
