//! Tensor ceilings: operations that the counters of the tensor path saw, or those of the opcodes that were executed, under
//! the dense peak of their type.

use super::ceilings::{Ceiling, CeilingKind, SM_CLOCK, product};
use super::products::{self, Products};
use crate::analysis::derive::mix::{InstructionMix, WITH_MODIFIERS};
use crate::analysis::{KernelSummary, kernel::summary::DURATION};
use crate::evidence::Reading;
use crate::quantity::{Quantity, Unit};
use arcstr::ArcStr;
use cuda_binary::Op;
use std::collections::BTreeSet;

/// How the names of the counters begin.
pub(in crate::analysis) const PREFIX: &str = "sm__ops_path_tensor_";
const RATE: &str = ".sum.per_second";
const PEAK: &str = ".sum.peak_sustained";
/// Types without a sparse variant: the peak of their counter is dense.
const NEVER_SPARSE: [&str; 2] = ["src_fp64", "src_int1"];

/// Whether a metric counts tensor work that was seen, or is a peak for a kernel that multiplies; `value` gives a metric's number.
pub(in crate::analysis) fn tells_tensor_work(
    metric: &str,
    multiplies: bool,
    value: impl Fn(&str) -> Option<f64>,
) -> bool {
    let Some(rest) = metric.strip_prefix(PREFIX) else { return false };
    if multiplies && rest.ends_with(PEAK) {
        return true;
    }
    let stem = rest.strip_suffix(RATE).or_else(|| rest.strip_suffix(PEAK));
    stem.and_then(|stem| value(&format!("{PREFIX}{stem}{RATE}"))).is_some_and(|rate| rate > 0.0)
}

/// One counter of the tensor path.
struct Rate<'n> {
    /// What stands between prefix and ending: `op_hmma_src_fp16_dst_fp32_sparsity_off`.
    stem: &'n str,
    value: f64,
}

impl Rate<'_> {
    /// The operand type and what follows, without the instruction: `src_fp16_dst_fp32_sparsity_off`.
    fn operands(&self) -> &str {
        self.stem.find("src_").map_or(self.stem, |at| &self.stem[at..])
    }

    /// The operand type: `fp16`.
    fn source(&self) -> &str {
        self.operands().trim_start_matches("src_").split('_').next().unwrap_or_default()
    }

    fn is_total(&self) -> bool {
        !self.stem.starts_with("op_")
    }

    /// Whether this counts a part of what the other counts: `src_fp8_sparsity_off` of `src_fp8`.
    fn refines(&self, other: &Rate<'_>) -> bool {
        self.stem.strip_prefix(other.stem).is_some_and(|rest| rest.starts_with('_'))
    }

    /// The factor from the counter's peak to its dense peak: a total that does not tell sparse from dense has the sparse one, twice it.
    fn dense_factor(&self) -> f64 {
        let names_it = ["_sparsity_on", "_sparsity_off"].iter().any(|end| self.stem.ends_with(end));
        let is_dense = names_it || NEVER_SPARSE.iter().any(|name| self.operands().starts_with(name));
        if is_dense { 1.0 } else { 0.5 }
    }
}

/// Operations of all matrix instructions, two to a multiply-add, with the type of most operands; `None` where an opcode hides its own.
pub(in crate::analysis) fn executed_operations(kernel: &KernelSummary<'_>) -> Option<(&'static str, f64)> {
    let by = products::operations(kernel);
    let most = by.iter().max_by(|(_, a), (_, b)| a.total_cmp(b))?;
    Some((most.0.operands, by.values().sum()))
}

/// The tensor ceilings that the kernel used, and the matrix instructions that it executed and no counter covers.
///
/// A counter of one instruction and type goes before the total of the type, and one that tells sparse from dense before one
/// that does not, so that no operation is shown or summed twice. A type without a counter of its own is counted by its
/// opcodes. Where matrix instructions were executed and neither saw their operations, the work is not measured.
pub(super) fn ceilings(kernel: &KernelSummary<'_>, mix: &InstructionMix) -> (Vec<Ceiling>, Vec<(String, f64)>) {
    let stems = kernel.metric_names().filter_map(|name| name.strip_prefix(PREFIX)?.strip_suffix(RATE));
    let counters = stems.filter_map(|stem| {
        let value = kernel.value(format!("{PREFIX}{stem}{RATE}")).filter(|value| *value > 0.0)?;
        Some(Rate { stem, value })
    });
    let counters: Vec<Rate<'_>> = counters.collect();
    let detailed: BTreeSet<&str> = counters.iter().filter(|c| !c.is_total()).map(Rate::source).collect();
    let shown = counters.iter().filter(|c| !c.is_total() || !detailed.contains(c.source()));
    let shown = shown.filter(|c| !counters.iter().any(|other| other.refines(c)));
    let mut ceilings: Vec<Ceiling> = shown.map(|counter| ceiling(kernel, counter)).collect();
    let counted: BTreeSet<&str> = counters.iter().map(Rate::source).collect();
    let by_opcode = products::operations(kernel);
    let others = by_opcode.iter().filter(|(products, _)| !counted.contains(products.operands));
    ceilings.extend(others.filter_map(|(products, operations)| of_opcodes(kernel, products, *operations)));
    let uncounted = if ceilings.is_empty() { mix.executed(Op::is_product) } else { Vec::new() };
    (ceilings, uncounted)
}

fn ceiling(kernel: &KernelSummary<'_>, counter: &Rate<'_>) -> Ceiling {
    let name = format!("{PREFIX}{}{RATE}", counter.stem);
    let metric = ArcStr::from(name.as_str());
    let achieved = Quantity::new(counter.value, Unit::FLOP_PER_SECOND)
        .map_or_else(|| Reading::not_collected(&name), |quantity| Reading::measured(quantity, &metric));
    let peak = format!("{PREFIX}{}{PEAK}", counter.stem);
    Ceiling {
        id: format!("tensor-{}", counter.stem.replace('_', "-")),
        label: label(counter),
        kind: CeilingKind::Compute,
        peak: product(kernel, &peak, SM_CLOCK, counter.dense_factor(), Unit::FLOP_PER_SECOND),
        achieved,
    }
}

pub(super) fn is_tensor(ceiling: &Ceiling) -> bool {
    ceiling.id.starts_with("tensor-")
}

/// The ceiling of products whose operations were counted by opcode; `None` without a duration.
fn of_opcodes(kernel: &KernelSummary<'_>, products: &Products, operations: f64) -> Option<Ceiling> {
    let rate = Quantity::new(operations / kernel.seconds()?, Unit::FLOP_PER_SECOND)?;
    let names = [WITH_MODIFIERS, DURATION].map(ArcStr::from).to_vec();
    let stems = products.stems();
    let peak = |stem: &String| format!("{PREFIX}{stem}{PEAK}");
    let stem = stems.iter().find(|stem| kernel.value(peak(stem)).is_some()).or(stems.last())?;
    let achieved = Reading::derived(rate, names, "sum of executions × 2·m·n·k of the opcode / second");
    Some(Ceiling { achieved, ..ceiling(kernel, &Rate { stem, value: rate.value() }) })
}

/// `tensor pipe, FP16 (HMMA, FP32 result)`; sparse counters say so, as their peak is that of sparse work.
fn label(counter: &Rate<'_>) -> String {
    let mut notes: Vec<String> = Vec::new();
    if let Some((instruction, _)) = counter.stem.strip_prefix("op_").and_then(|rest| rest.split_once('_')) {
        notes.push(instruction.to_uppercase());
    }
    if let Some((_, result)) = counter.operands().split_once("_dst_") {
        notes.push(format!("{} result", result.split('_').next().unwrap_or_default().to_uppercase()));
    }
    if counter.stem.ends_with("_sparsity_on") {
        notes.push("sparse".into());
    }
    let source = counter.source().to_uppercase();
    let notes = if notes.is_empty() { String::new() } else { format!(" ({})", notes.join(", ")) };
    format!("tensor pipe, {source}{notes}")
}
