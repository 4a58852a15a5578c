//! Levers of kernels that multiply matrices, and of tiles in loops.

use super::draft::busiest;
use super::{Ask, Draft, WORTH};
use crate::analysis::derive::data_stage::DataStage;
use crate::analysis::diagnose::lever::Along;
use crate::analysis::diagnose::rules::{count, share};
use crate::analysis::phases::{PhaseKind, Phases, SectorAccess};
use crate::catalog::{self, Action, Counter, Part, StallReason, Threshold};
use crate::quantity::format;
use crate::words;
use crate::words::Words;
use cuda_binary::Class;

/// Busy cycles of the tensor pipe.
const TENSOR: Counter = Counter::SmPipeTensorCyclesActiveAvgPctElapsed;
/// Narrow loads in a phase from which wider ones are worth trying.
const NARROW_LOADS: f64 = 16.0;
/// Bits of a lane's element that are narrow.
const NARROW: u64 = 32;
/// A register file is nearly full from this part on.
const NEARLY_FULL: f64 = 0.95;
/// L1 at this share of its peak caps an overlap.
const L1_HIGH: f64 = 0.6;

pub(super) fn drafts(ask: &Ask<'_, '_, '_>) -> Vec<Draft> {
    let Some(phases) = ask.m.sampled() else { return Vec::new() };
    let overlap = overlap(ask, phases);
    let copies = copies(ask, phases, overlap.as_ref());
    let found = [overlap, persistent(ask, phases), copies, drain(ask, phases), fence(phases), exit(ask, phases)];
    found.into_iter().flatten().chain(wide_loads(phases)).collect()
}

fn tensor(ask: &Ask<'_, '_, '_>) -> Option<f64> {
    ask.m.unit(Part::ComputeTensor).map(|unit| unit.share)
}

/// `tensor active 40 → 60 %`: the same work in less time.
fn busier(ask: &Ask<'_, '_, '_>, saves: f64) -> Words {
    let Some(now) = tensor(ask) else { return Words::default() };
    let goal = (now / (1.0 - saves).max(0.01)).min(1.0);
    words!("tensor active {} → {} %", format::fixed(100.0 * now, 0), format::fixed(100.0 * goal, 0))
}

/// The part of the register file that a block takes, where it is nearly all.
fn registers(ask: &Ask<'_, '_, '_>) -> Option<Words> {
    let used = ask.m.occupancy.file_in_use()?;
    (used.share >= NEARLY_FULL).then(|| {
        words!(
            "register file {} % full ({} × {} threads)",
            format::fixed(100.0 * used.share, 0),
            count(used.file.per_thread),
            count(used.threads)
        )
    })
}

/// The epilogue of a tile beside the products of the next one.
fn overlap(ask: &Ask<'_, '_, '_>, phases: &Phases) -> Option<Draft> {
    let epilogue = phases.phases.iter().find(|phase| phase.kind == PhaseKind::Epilogue)?;
    if phases.tensor.is_none() || epilogue.tensor != Some(0.0) || epilogue.cost < WORTH {
        return None;
    }
    let draft = Draft::overlaps(Action::OverlapEpilogue, epilogue.cost);
    let (unit, left) = busiest(ask, &[]);
    let saves = draft.saves(ask);
    Some(
        draft
            .says(
                "Overlap the epilogue with the next tile's products (two consumer warpgroups on different tiles)"
                    .into(),
                words!("{} of the time exposed; {} at {} caps it", share(epilogue.share), unit, share(left)),
            )
            .risks(registers(ask).map_or_else(
                || "a second accumulator, or smaller tiles".into(),
                |full| words!("{}: a producer warpgroup needs `setmaxnreg`", full),
            ))
            .checks(busier(ask, saves), TENSOR),
    )
}

/// Persistent blocks, where it is not known that the epilogue is empty of products.
fn persistent(ask: &Ask<'_, '_, '_>, phases: &Phases) -> Option<Draft> {
    let epilogue = phases.phases.iter().find(|phase| phase.kind == PhaseKind::Epilogue)?;
    let tensor = phases.time.tensor?;
    let one = ask.m.occupancy.blocks_per_sm.is_some_and(|blocks| blocks <= 1.0);
    if phases.is_persistent || epilogue.tensor == Some(0.0) || !one || phases.fence_chain.is_some() {
        return None;
    }
    let wave = phases.time.last_wave;
    let cost = 1.0 - tensor - wave.unwrap_or(0.0);
    let less = wave.map(|wave| words!(", less {} of the last wave", share(wave)));
    let draft = Draft::overlaps(Action::PersistentBlocks, cost);
    let saves = draft.saves(ask);
    Some(
        draft
            .says(
                "Persistent blocks: overlap the store of a tile with the next tile's products".into(),
                words!("tensor idle {} of the time{}", share(1.0 - tensor), less.unwrap_or_default()),
            )
            .risks(registers(ask).map_or_else(
                || "consumers on different tiles".into(),
                |full| words!("{}: no second accumulator, so consumers on different tiles", full),
            ))
            .checks(busier(ask, saves), TENSOR),
    )
}

/// TMA in place of `cp.async`. Its writes do not pass the load/store data stage of L1.
fn copies(ask: &Ask<'_, '_, '_>, phases: &Phases, overlap: Option<&Draft>) -> Option<Draft> {
    let chip = catalog::chip(ask.m.kernel.device().compute_capability?)?;
    let stage = DataStage::of(ask.m.kernel)?;
    let copied: u64 = phases.accesses.iter().filter(|access| is_copy(access)).map(|access| access.sectors).sum();
    let all: u64 = phases.accesses.iter().map(|access| access.sectors).sum();
    let l1 = ask.m.busiest_of(&[Part::MemoryL1tex, Part::MemoryShared])?;
    // Rows at addresses that are loaded values are no box of a tensor map.
    let is_gathered = phases.accesses.iter().any(|access| is_copy(access) && access.is_inherent);
    let caps = overlap.is_some() && busiest(ask, &[]).0 == l1.name;
    if !chip.has_bulk_copies || copied == 0 || is_gathered || !(l1.share >= L1_HIGH || caps) {
        return None;
    }
    let is_by_warpgroups = ask.m.mix.has_class(Class::TensorWgmma).or(stage.operands.map(|operands| operands > 0.0));
    // Products of warpgroups read their operands themselves; other reads of the tiles stay as they are.
    let shared = match (stage.operands, is_by_warpgroups) {
        (Some(operands), Some(true)) => stage.shared - operands.min(stage.shared),
        _ => 0.0,
    };
    let is_known = is_by_warpgroups == Some(false) || stage.operands.is_some();
    let unknown = if is_known { &[][..] } else { &[Part::MemoryL1tex, Part::MemoryShared, Part::MemoryLsu] };
    let goal = (stage.whole - shared - copied as f64 / all as f64 * stage.other()) / 100.0;
    let after = [(Part::MemoryL1tex, goal), (Part::MemoryShared, goal), (Part::MemoryLsu, goal.min(l1.share))];
    let (next, left) = busiest(ask, &after);
    let epilogue = phases.phases.iter().find(|phase| phase.kind == PhaseKind::Epilogue).map(|phase| phase.cost);
    let draft = match (overlap, epilogue) {
        (Some(_), Some(cost)) if caps => {
            let both = Draft::relieves(ask, Action::BulkCopies, &after);
            both.frees(cost, cost).beside(Some(Along::With(Action::OverlapEpilogue)))
        }
        _ => Draft::relieves(ask, Action::BulkCopies, &after),
    };
    Some(
        draft
            .unknown(ask, unknown)
            .says(
                words!("TMA for the copies of `cp.async`"),
                words!(
                    "{} {} → {} %, then {} ({}) is next",
                    &l1.name,
                    format::fixed(100.0 * l1.share, 0),
                    format::fixed(100.0 * goal, 0),
                    next,
                    share(left)
                ),
            )
            .risks(words!("mbarriers in place of `wait_group`; tensor maps as arguments"))
            .checks("LDGSTS = 0".into(), l1.counter.clone()),
    )
}

fn is_copy(access: &SectorAccess) -> bool {
    access.at.op().copies_global()
}

/// C3: wide loads, where narrow ones are what a phase waits for.
fn wide_loads(phases: &Phases) -> Vec<Draft> {
    let Some(tiles) = phases.tiles else { return Vec::new() };
    let warps = phases.roles.get(phases.pacing).map_or(phases.warps, |role| role.warps).max(1) as f64;
    let turns = tiles.max(1.0) * warps;
    let narrow = |line: u32| {
        let own = phases.accesses.iter().filter(|access| access.width_bits.is_some_and(|bits| bits <= NARROW));
        let own = own.filter(|access| access.at.op().loads_global() && !access.is_inherent);
        own.filter(|access| access.at.line == line).map(|access| access.requests).sum::<u64>() as f64 / turns
    };
    let found = phases.phases.iter().filter(|phase| phase.kind == PhaseKind::Epilogue).filter_map(|phase| {
        let wait = phase.waits.iter().find(|wait| wait.reason == "long_scoreboard")?;
        let cause =
            wait.groups.iter().filter_map(|group| group.cause.as_ref()).find(|cause| cause.op().reads_global())?;
        let loads = narrow(cause.line);
        let cost = phase.share * wait.share;
        if loads < NARROW_LOADS || cost < WORTH {
            return None;
        }
        let draft = Draft::overlaps(Action::WideLoads, cost);
        Some(
            draft
                .says(
                    words!("16-byte loads at `:{}`", cause.line.to_string()),
                    words!(
                        "{} LDG of 32 bits or less a thread and tile; {} of the epilogue waits on long scoreboard",
                        count(loads),
                        share(wait.share)
                    ),
                )
                .risks("shuffles to redistribute, alignment of 16 bytes".into())
                .checks("32-bit LDG in the epilogue = 0".into(), StallReason::LongScoreboard.per_issue()),
        )
    });
    found.collect()
}

/// Products in flight across steps.
fn drain(ask: &Ask<'_, '_, '_>, phases: &Phases) -> Option<Draft> {
    let cost = phases.drain_in_loop.filter(|cost| *cost >= WORTH)?;
    let draft = Draft::overlaps(Action::KeepProducts, cost);
    let (step, products) = (phases.step_cycles()?, phases.tensor? / phases.steps?);
    let now = phases.step_efficiency.map(|now| format!(" {}", format::fixed(100.0 * now, 0)));
    Some(
        draft
            .says(
                "Keep one wgmma group in flight across steps".into(),
                words!(
                    "waiting for all products in the loop drains the pipe: {} cycles a step, {} of them tensor-busy",
                    count(step),
                    count(products)
                ),
            )
            .risks("a stage is freed one step later".into())
            .checks(
                words!(
                    "tensor in the main loop{} → {} %",
                    now.unwrap_or_default(),
                    format::fixed(ask.m.limits[Threshold::StepEfficiency], 0)
                ),
                TENSOR,
            ),
    )
}

/// C5: the fence chain.
fn fence(phases: &Phases) -> Option<Draft> {
    let chain = phases.fence_chain.as_ref().filter(|chain| chain.cost >= WORTH)?;
    let draft = Draft::overlaps(Action::NarrowFence, chain.cost);
    Some(
        draft
            .says(
                words!(
                    "Drop the release before the arrivals (`:{}`): `.relaxed`, or block scope",
                    chain.at.line.to_string()
                ),
                words!(
                    "{} of a warp's lifetime waits on {} fences: late arrival, late refill, late first product",
                    share(chain.cost),
                    count(chain.lanes as f64)
                ),
            )
            .risks("safe only where the barrier orders shared memory alone".into())
            .checks("MEMBAR in the loop = 0".into(), StallReason::Membar.per_issue()),
    )
}

/// A release in front of the last barrier, behind which nothing is read or written.
fn exit(ask: &Ask<'_, '_, '_>, phases: &Phases) -> Option<Draft> {
    let exit = phases.phases.iter().find(|phase| phase.kind == PhaseKind::Exit && phase.share >= WORTH)?;
    exit.waits.iter().find(|wait| wait.reason == "membar")?;
    let cost = exit.share * ask.m.active.unwrap_or(1.0);
    let draft = Draft::overlaps(Action::ExitBarrier, cost);
    Some(
        draft
            .says(
                words!("Drop the release of the exit barrier (`:{}`)", exit.at.last.to_string()),
                words!(
                    "a fence before a barrier after which nothing is stored; the exit takes {} of a block",
                    share(exit.share)
                ),
            )
            .risks("the wait itself has to stay".into())
            .checks("MEMBAR behind the last store = 0".into(), StallReason::Membar.per_issue())
            .beside(Some(Along::PartOf(Action::PersistentBlocks))),
    )
}
