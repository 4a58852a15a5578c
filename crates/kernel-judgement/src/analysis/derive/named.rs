//! Readings by name, for checklists and hypotheses: any metric of the report, and the derived readings of the catalog; the tables
//! of a kernel in one line are such readings.

use crate::analysis::derive::coalescing::{Coalescing, SECTORS, WAVEFRONTS, WAVEFRONTS_IDEAL, share_above};
use crate::analysis::derive::mix::{InstructionMix, PER_OPCODE};
use crate::analysis::derive::{named, units};
use crate::analysis::{KernelSummary, StallBasis, derive::stalls::Stalls};
use crate::catalog::{self, Counter, Part, ReadingForm, ReadingName, StallReason};
use crate::evidence::{Missing, Reading};
use crate::quantity::Unit;
use cuda_binary::Op;
use cuda_binary::op::{Act, ProductBy, Space};

/// What derived readings are computed from.
pub(in crate::analysis) struct Known<'a, 'r> {
    pub(in crate::analysis) kernel: &'a KernelSummary<'r>,
    pub(in crate::analysis) stalls: &'a Stalls,
    pub(in crate::analysis) mix: &'a InstructionMix,
    pub(in crate::analysis) coalescing: &'a Coalescing,
    /// The part of the samples of barriers that is for products in flight, 0 to 1.
    pub(in crate::analysis) at_products: f64,
}

/// The reading of a name of `audit explain readings`. What only a comparison tells is settled by hypotheses.
pub(in crate::analysis) fn reading(known: &Known<'_, '_>, name: &str) -> Reading {
    let ReadingName { form, word } = ReadingName::of(name);
    let executed =
        |act: Act| count(known.mix, |op| op.is_in(Space::Shared) && op.is_by_lane() && op.act() == Some(act));
    match form {
        ReadingForm::Stall => stall(known, word),
        ReadingForm::MemoryStalls => memory_stalls(known),
        ReadingForm::StallRank => stall_rank(known.stalls, word),
        ReadingForm::Opcode => count(known.mix, |op| op == Op::of(word)),
        ReadingForm::Class => count(known.mix, |op| op.class().is_some_and(|class| class.id() == word)),
        ReadingForm::TensorInstructions => known.mix.tensor.clone(),
        ReadingForm::TensorShare => known.mix.tensor_share.clone(),
        ReadingForm::TensorBusy => tensor_busy(known.kernel),
        ReadingForm::SharedPerBlock => shared_per_block(known.kernel),
        ReadingForm::SharedConflictShare => {
            let [all, least] = [WAVEFRONTS, WAVEFRONTS_IDEAL].map(|counter| known.kernel.reading(counter));
            share_above(all, least, "no shared-memory accesses")
        }
        ReadingForm::TensorWgmmaShare => wgmma_share(known.mix),
        ReadingForm::SharedLoadsPerStore => loads_per_store(known.kernel, executed(Act::Load), executed(Act::Store)),
        ReadingForm::SharedWideStoreShare => known.mix.wide_shared_stores.clone(),
        ReadingForm::GlobalExcessShare => excess_share(known.coalescing),
        ReadingForm::PredicationEfficiency => known.mix.predication.clone(),
        form if form.is_of_change() => Reading::not_collected(name),
        _ => known.kernel.reading(name),
    }
}

/// The share of a reason, as the verdict counts it: barriers without parked warps, and without waits for products in flight.
fn stall(known: &Known<'_, '_>, reason: &str) -> Reading {
    let held = |basis: StallBasis| {
        let table = known.stalls.table(basis)?;
        Some((table, table.rows.iter().find(|row| row.reason == reason)?))
    };
    let metric = catalog::per_issue(reason);
    let Some((table, row)) = [StallBasis::ShareOfWarpTime, StallBasis::ShareOfActive].into_iter().find_map(held) else {
        let other = held(StallBasis::PercentOfPeak).or_else(|| held(StallBasis::PerIssue));
        let why = other.map_or("", |_| "the report has the reason, and not what all reasons sum up to");
        return Reading::Missing(Missing::NotCollected { what: vec![metric.into()], why: why.into() });
    };
    let products = if reason == "barrier" { known.at_products } else { 0.0 };
    let all = row.row.new.value();
    let counted = known.stalls.counted(table, row).zip(all).map(|(counted, all)| (counted - all * products).max(0.0));
    match counted {
        Some(counted) if all != Some(counted) => {
            let from = [metric, StallReason::Barrier.samples()];
            Reading::number(counted, Unit::PERCENT, &from, "without parked warps and waits for products in flight")
        }
        _ => row.row.new.clone(),
    }
}

/// The sum of the stalls of warps that wait for memory or stand in its queues.
fn memory_stalls(known: &Known<'_, '_>) -> Reading {
    let parts = ["long_scoreboard", "lg_throttle", "mio_throttle"].map(|reason| stall(known, reason));
    let Some(sum) = parts.iter().map(Reading::value).sum::<Option<f64>>() else {
        return parts.into_iter().find(|part| part.value().is_none()).unwrap_or_default();
    };
    Reading::number(sum, Unit::PERCENT, &["smsp__average_warps_issue_stalled_*"], "sum of three reasons")
}

/// Products of warpgroups over all products, by executed opcodes; zero where the kernel has no products.
fn wgmma_share(mix: &InstructionMix) -> Reading {
    let of = |takes: &dyn Fn(Op) -> bool| count(mix, |op| op.is_product() && takes(op));
    let is_wgmma = |op: Op| op.product_by() == Some(ProductBy::Warpgroup);
    let all = of(&|_| true);
    if all.value() == Some(0.0) {
        return Reading::number(0.0, Unit::PERCENT, &[PER_OPCODE], "no products were executed");
    }
    of(&is_wgmma).part_of(all, 100.0, Unit::PERCENT)
}

/// Shared loads over shared stores as the counters of each saw them, which leave out what the compiler pads a fence with
/// (`@!PT LDS`); where those were not collected, the same of executed opcodes.
fn loads_per_store(kernel: &KernelSummary<'_>, loads: Reading, stores: Reading) -> Reading {
    let counted_loads = kernel.reading(Counter::SmspSassInstExecutedOpSharedLdSum);
    let counted_stores = kernel.reading(Counter::SmspSassInstExecutedOpSharedStSum);
    match counted_loads.quantity().and(counted_stores.quantity()) {
        Some(_) => counted_loads.part_of(counted_stores, 1.0, Unit::NONE),
        None => loads.part_of(stores, 1.0, Unit::NONE),
    }
}

/// The place of a reason among the stalls, the largest first; `selected` and `not_selected` are none. It is not known where a reason
/// that the report does not hold may be larger.
fn stall_rank(stalls: &Stalls, reason: &str) -> Reading {
    let metric = catalog::per_issue(reason);
    // The order of the reasons is the same on every basis.
    let Some(table) = stalls.tables.first() else { return Reading::not_collected(&metric) };
    let is_stall = |id: &str| catalog::stall(id).is_none_or(catalog::StallRow::is_stall);
    let held =
        table.rows.iter().filter(|row| is_stall(&row.reason)).filter_map(|row| Some((row, row.row.new.value()?)));
    match held.enumerate().find(|(_, (row, _))| row.reason == reason) {
        Some((at, (_, share))) if share >= table.unheld() => {
            Reading::number((at + 1) as f64, Unit::NONE, &[&metric], "place among the stalls")
        }
        _ => Reading::not_collected(&metric),
    }
}

/// Executions of the opcodes that `takes` takes; zero where the report lists opcodes and none of them is among them.
fn count(mix: &InstructionMix, takes: impl Fn(Op) -> bool) -> Reading {
    match mix.count(takes) {
        Some(sum) => Reading::number(sum, Unit::INST, &[PER_OPCODE], "sum over opcodes"),
        None => Reading::not_collected(PER_OPCODE),
    }
}

fn tensor_busy(kernel: &KernelSummary<'_>) -> Reading {
    let unit = units::busiest(kernel).into_iter().find(|u| u.code == Part::ComputeTensor);
    unit.map_or_else(
        || Reading::not_collected("sm__pipe_tensor*.pct_of_peak_sustained_elapsed"),
        |u| kernel.reading(&u.counter),
    )
}

/// What a block asks for; the counter of their sum also has what the system adds to each block.
fn shared_per_block(kernel: &KernelSummary<'_>) -> Reading {
    let [own, asked] = [Counter::LaunchSharedMemPerBlockStatic, Counter::LaunchSharedMemPerBlockDynamic];
    kernel
        .reading(own)
        .with(kernel.reading(asked), Unit::BYTE, "sum of both", Reading::NO_NUMBER, |own, asked| own + asked)
}

fn excess_share(coalescing: &Coalescing) -> Reading {
    let row = coalescing.totals.iter().find(|row| row.id == "excess-share");
    row.map_or_else(|| Reading::not_collected(SECTORS), |row| row.new.clone())
}

/// Columns of a table: the title, and the name of the reading.
pub type Columns = &'static [(&'static str, &'static str)];

pub const LIGHT: Columns = &[
    ("Time", Counter::GpuTimeDurationSum.name()),
    ("Compute", Counter::SmThroughputAvgPctElapsed.name()),
    ("Memory", Counter::GpuComputeMemoryThroughputAvgPctElapsed.name()),
];
pub const OCCUPANCY: Columns = &[
    ("Waves per SM", Counter::LaunchWavesPerMultiprocessor.name()),
    ("Registers", Counter::LaunchRegistersPerThread.name()),
    ("Shared per block", "shared.per-block"),
    ("Achieved", Counter::SmWarpsActiveAvgPctActive.name()),
    ("Theoretical", Counter::SmMaximumWarpsPerActiveCyclePct.name()),
    ("Eligible warps", Counter::SmspWarpsEligibleAvgPerCycleActive.name()),
];
pub const SHARED: Columns = &[
    ("Data stage for shared", Counter::L1texDataPipeLsuWavefrontsMemSharedSumPctElapsed.name()),
    ("Bank conflicts", "shared.conflict-share"),
    ("LDS", Counter::SmspSassInstExecutedOpSharedLdSum.name()),
    ("STS", Counter::SmspSassInstExecutedOpSharedStSum.name()),
    ("Wide STS", "shared.wide-store-share"),
];
pub const INSTRUCTIONS: Columns = &[
    ("Instructions", Counter::SmspInstExecutedSum.name()),
    ("Tensor", "tensor.instructions"),
    ("Tensor share", "tensor.share"),
    ("Predicated on", "predication.efficiency"),
    ("Spills", Counter::SassInstExecutedRegisterSpilling.name()),
];

/// The line of a kernel: every reading of these tables with its name.
pub(in crate::analysis) fn line(known: &Known<'_, '_>) -> Vec<(String, Reading)> {
    let all = [LIGHT, OCCUPANCY, SHARED, INSTRUCTIONS].into_iter().flatten();
    all.map(|(_, name)| ((*name).to_owned(), named::reading(known, name))).collect()
}
