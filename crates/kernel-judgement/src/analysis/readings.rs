//! Which numbers of a kernel an audit keeps.

use crate::analysis::derive::units::{self, AVERAGE, BUSIEST};
use crate::analysis::derive::{asked, mix, roofline, stalls};
use crate::analysis::kernel::{commands::listed, readings::Readings};
use crate::analysis::{KernelSummary, Work};
use crate::catalog::{self, CounterPlace};
use cuda_binary::Op;
use std::collections::HashSet;
use std::sync::LazyLock;

/// Names of the catalog and of the counters that are read of a launch by name.
static KNOWN: LazyLock<HashSet<&'static str>> = LazyLock::new(|| {
    let named = catalog::metrics().iter().flat_map(catalog::MetricRow::spellings);
    let read = catalog::counters().iter().filter(|row| row.from == CounterPlace::Launch);
    named.chain(read.map(|row| row.id)).collect()
});

/// What is worth keeping of a kernel: every metric of the catalog, the counters that are read by name, every stall that a table
/// shows, the counters of the breakdowns, what the subject names, and what the command line of the report asks for.
pub(in crate::analysis) fn kept(kernel: KernelSummary<'_>, command_line: &str, work: &Work) -> Readings {
    let named_in_command: HashSet<&str> = listed(command_line).into_iter().flat_map(|list| list.split(',')).collect();
    let mut named: HashSet<String> = work.readings().map(str::to_owned).collect();
    let breakdowns = kernel.readings.breakdowns.iter().filter(|(name, _)| name.ends_with(AVERAGE));
    for counter in breakdowns.flat_map(|(_, list)| list.split(',')) {
        let shared = counter.strip_suffix(AVERAGE).filter(|_| units::is_of_shared_memory(counter));
        named.extend(shared.map(|unit| format!("{unit}{BUSIEST}")));
        named.insert(counter.to_owned());
    }
    let multiplies =
        kernel.with_modifiers().into_iter().flat_map(|counts| counts.keys()).any(|opcode| is_product(opcode));
    let is_targeted = asked::is_targeted(&kernel);
    let is_worth = |name: &str| {
        is_targeted
            || KNOWN.contains(name)
            || named_in_command.contains(name)
            || named.contains(name)
            || stalls::is_shown(name)
            || roofline::tells_tensor_work(name, multiplies, |counter| kernel.value(counter))
    };
    let worth: Vec<bool> = kernel.metric_names().map(|name| is_worth(name)).collect();
    let mut readings = kernel.readings.into_owned();
    let mut worth = worth.into_iter();
    readings.metrics.retain(|_| worth.next().unwrap_or_default());
    // Of thousands of metrics some hundreds stay, for each kernel of a report.
    readings.metrics.shrink_to_fit();
    readings.breakdowns.retain(|name, _| name.ends_with(AVERAGE));
    readings.with_modifiers.iter_mut().for_each(|counts| {
        counts.retain(|opcode, _| {
            // The width of a store, the shape of a product, the type that a conversion unpacks.
            mix::is_shared_store(opcode) || is_product(opcode) || mix::unpacks_bytes(opcode)
        })
    });
    readings.curves.values_mut().for_each(|points| *points = ends(points));
    readings
}

/// Whether an opcode with its modifiers multiplies matrices.
fn is_product(opcode: &str) -> bool {
    Op::of(opcode).is_product()
}

/// The first and the last point of each stretch of one height.
fn ends(points: &[(u64, f64)]) -> Vec<(u64, f64)> {
    let height = |at: usize| points.get(at).map(|point| point.1);
    let is_end = |at: &usize| *at == 0 || height(at - 1) != height(*at) || height(at + 1) != height(*at);
    (0..points.len()).filter(is_end).map(|at| points[at]).collect()
}
