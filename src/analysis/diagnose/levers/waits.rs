//! Levers that shorten waits or the work of issue: loads in flight, chains, barriers, code, lanes.

use super::instructions::{self, narrow, without_index};
use super::{Ask, Draft, WORTH, gathers};
use crate::analysis::diagnose::account::times_idle;
use crate::analysis::diagnose::machine::Change;
use crate::analysis::diagnose::rules::lanes::LANES;
use crate::analysis::diagnose::rules::{count, share};
use crate::analysis::phases::PhaseKind;
use crate::catalog::{self, Action, Counter, Part, StallReason, Threshold};
use crate::quantity::format;
use crate::words;
use crate::words::Words;
use cuda_binary::Op;
use cuda_binary::op::{Act, Space};

/// Independent loads that share one latency in a loop that is unrolled by four: a warp then waits a quarter as long for each.
const AT_A_TIME: f64 = 4.0;
/// The part of its peak that DRAM reaches at best: a plain triad on an H200 reads 90.2 %.
const STREAM: f64 = 0.9;

pub(super) fn drafts(ask: &Ask<'_, '_, '_>) -> Vec<Draft> {
    let found = [
        double_buffer(ask),
        chains(ask),
        in_flight(ask),
        stages(ask),
        barriers(ask),
        fences(ask),
        smaller_code(ask),
        regroup(ask),
        instructions::draft(ask),
    ];
    found.into_iter().flatten().collect()
}

/// Load the next tile while this one is computed on.
fn double_buffer(ask: &Ask<'_, '_, '_>) -> Option<Draft> {
    let phases = ask.m.sampled()?;
    let main = phases.phases.iter().find(|phase| phase.kind == PhaseKind::MainLoop)?;
    let has = |kind: PhaseKind| main.parts.iter().any(|part| part.kind == kind);
    let is_tile =
        |op: Op| op.copies_global() || op.is_in(Space::Shared) && op.is_by_lane() && op.act() == Some(Act::Store);
    let writes_tiles = ask.m.mix.count(is_tile).is_some_and(|count| count > 0.0);
    if phases.tensor.is_some() || !writes_tiles || !has(PhaseKind::Barrier) || !has(PhaseKind::Load) {
        return None;
    }
    let waits = main.parts.iter().filter(|part| matches!(part.kind, PhaseKind::Barrier | PhaseKind::Load));
    let cost: f64 = waits.map(|part| part.cost).sum();
    let shared = ask.m.kernel.value(Counter::LaunchSharedMemPerBlockStatic).filter(|bytes| *bytes > 0.0);
    (cost >= WORTH).then(|| {
        Draft::overlaps(Action::DoubleBuffer, cost)
            .says(
                "Double-buffer the tiles".into(),
                words!("{} of a warp's lifetime in tile loads and barriers", share(cost)),
            )
            .risks(shared.map_or_else(
                || "shared memory for a second tile".into(),
                |bytes| words!("+ {} B of shared memory", count(bytes)),
            ))
            .checks("barrier + long scoreboard < 5 %".into(), StallReason::Barrier.per_issue())
    })
}

/// More chains of dependent loads at once. This launch alone does not get shorter.
fn chains(ask: &Ask<'_, '_, '_>) -> Option<Draft> {
    let m = ask.m;
    let chain = m.sampled()?.chain.as_ref()?;
    if 100.0 * chain.share < m.limits[Threshold::ChainShare] {
        return None;
    }
    let busiest = m.units.first()?;
    let fit = m.occupancy.blocks_per_sm.zip(m.sms);
    let sentence = match fit.map(|(blocks, sms)| count(blocks * sms)) {
        Some(blocks) => words!("More chains in flight: up to {} blocks, or several chains per thread", blocks),
        None => words!("More chains in flight: more blocks, or several chains per thread"),
    };
    Some(
        Draft::relieves(ask, Action::MoreChains, &[])
            .rate()
            .says(sentence, words!("busiest unit is {} at {}", &busiest.name, share(busiest.share)))
            .risks("needs independent chains".into())
            .checks(
                words!(
                    "{} {} → {} %",
                    &busiest.name,
                    share(busiest.share),
                    format::fixed(m.limits[Threshold::SolHigh].max(100.0 * busiest.share), 0)
                ),
                busiest.counter.clone(),
            )
            .rises(),
    )
}

/// By how much a load takes longer than in an idle chip, from which on more of them in flight only lengthen the queue.
const QUEUED: f64 = 2.2;

/// C19: more independent loads in front of the first use. What waits is the latency; what queues behind a busy unit stays, since the
/// machine counts that unit's need.
fn in_flight(ask: &Ask<'_, '_, '_>) -> Option<Draft> {
    let m = ask.m;
    let reason = StallReason::LongScoreboard;
    let wait = m.waits_for_loads()?;
    let has_chain =
        m.kernel_of.phases.and_then(|phases| phases.chain.as_ref()).is_some_and(|chain| 2.0 * chain.share >= wait);
    if has_chain || 100.0 * wait < m.limits[Threshold::StallShare] {
        return None;
    }
    // What is in front of them has to be busy, else it is a long way and no queue.
    let memory = [Part::MemoryDram, Part::MemoryL2, Part::MemoryL1tex, Part::MemoryShared, Part::MemoryLsu];
    let is_queued = ask.need_of(&memory) >= BUSY && times_idle(m).is_some_and(|times| times >= QUEUED);
    let through = gathers::waited(m, wait);
    let is_scattered = through.is_some_and(|found| gathers::is_scattered(m, found));
    let gone = narrow(ask).filter(|_| !is_scattered);
    let sentence = match through {
        Some(found) => gathers::sentence(m, found),
        None if gone == Some(0.0) => "More bytes in flight: several independent loads before the first use".into(),
        None => "More bytes in flight: several independent loads before the first use, 16 bytes a lane".into(),
    };
    let why = through.map_or_else(|| words!("warps wait for loads {} of their time", share(wait)), gathers::why);
    let sorting = if is_scattered { "; the cost of sorting" } else { "" };
    // Wide loads also take index arithmetic away.
    let after = gone.and_then(|gone| without_index(ask, gone)).unwrap_or_default();
    let hidden = if is_queued { 0.0 } else { wait * (1.0 - 1.0 / AT_A_TIME) };
    let sorted = through.filter(|_| is_scattered).map(|found| found.excess());
    let hidden = sorted.map_or(hidden, |excess| hidden.max(SORTED * excess * wait));
    let draft = Draft::relieves(ask, Action::MoreInFlight, &after).frees(hidden, wait);
    // Sorted by index, lanes share sectors: at best all that nobody asked for go, with the waits for them.
    let draft = match sorted {
        Some(excess) => [Part::MemoryL2, Part::MemoryDram, Part::MemoryL1tex]
            .into_iter()
            .fold(draft, |draft, part| draft.keeps(part, 1.0 - SORTED * excess, 1.0 - excess)),
        None => draft,
    };
    let draft = draft.says(sentence, why).risks(words!("registers for the loads in flight{}", sorting));
    let dram = m
        .unit(Part::MemoryDram)
        .filter(|dram| m.is_thin || m.units.first().is_some_and(|first| first.part == dram.part));
    let saves = draft.expected(ask);
    Some(match dram {
        Some(dram) => {
            let goal = (dram.share / (1.0 - saves).max(0.01)).min(STREAM);
            draft.checks(words!("DRAM {} → {}", share(dram.share), share(goal)), dram.counter.clone()).rises()
        }
        None => {
            let now = m.wait(reason).unwrap_or(wait);
            let goal = match m.kernel.value(reason.per_issue()) {
                Some(cycles) => {
                    let (now, goal) = (format::fixed(cycles, 1), format::fixed(cycles * (1.0 - hidden / now), 1));
                    words!("long scoreboard {} → {} cycles an instruction", now, goal)
                }
                None => stall(&"long scoreboard".into(), now, saves),
            };
            draft.checks(goal, reason.per_issue())
        }
    })
}

/// `barrier stall 32.7 % → 4.2 %`: a share of the warps' time, and what is left of it where a share of all time is freed from it.
fn stall(name: &Words, now: f64, freed: f64) -> Words {
    words!("{} {} → {}", name, share(now), share(kept(now, freed)))
}

/// What is expected to stay of the work of rounds through shared memory.
const ROUNDS: f64 = 0.6;
/// The need from which a part makes those that come wait.
const BUSY: f64 = 0.5;
/// The part of the sectors beside the bytes that an order by index is expected to save.
const SORTED: f64 = 0.5;
/// Lanes of an average instruction from which few are idle.
const MOST_LANES: f64 = 26.0;

/// What a share of the time comes to where a share of all time is freed from it: both the part and the whole become less.
fn kept(now: f64, freed: f64) -> f64 {
    if freed >= 1.0 { 0.0 } else { ((now - freed) / (1.0 - freed)).max(0.0) }
}

/// The part of the shared memory of an SM that a further stage needs at least.
const STAGE: f64 = 0.2;

/// The part of the shared memory of an SM that no block takes.
fn shared_left(ask: &Ask<'_, '_, '_>) -> f64 {
    let found = || {
        let chip = catalog::chip(ask.m.kernel.device().compute_capability?)?;
        let own = [Counter::LaunchSharedMemPerBlockStatic, Counter::LaunchSharedMemPerBlockDynamic];
        let bytes: f64 = own.into_iter().filter_map(|name| ask.m.kernel.value(name)).sum();
        Some(1.0 - bytes * ask.m.occupancy.blocks_per_sm? / f64::from(chip.shared_per_sm))
    };
    found().unwrap_or(1.0)
}

/// Stages that are filled earlier. The warps that set the pace wait for them; that is what it can free.
fn stages(ask: &Ask<'_, '_, '_>) -> Option<Draft> {
    // Stages take shared memory: where they have most of it, no further one fits.
    let phases = ask.m.sampled().filter(|_| ask.m.at_mbarriers() > 0.0)?;
    let parts = phases.phases.iter().flat_map(|phase| &phase.parts);
    let cost: f64 = parts.filter(|part| part.kind == PhaseKind::StageWait).map(|part| part.cost).sum();
    let waits = phases.share(PhaseKind::StageWait);
    (cost >= WORTH).then(|| {
        let draft = Draft::overlaps(Action::MoreInFlight, cost);
        let saves = draft.saves(ask);
        draft
            .says(
                match shared_left(ask) >= STAGE {
                    true => "Fill the stages earlier: prefetch further ahead with more stages, or take work off the producer",
                    false => "Fill the stages earlier: take work off the producer (shared memory has no room for a further stage)",
                }
                .into(),
                words!("the pacing warps wait for a stage {} of their lifetime", share(waits)),
            )
            .risks("shared memory for the stages".into())
            .checks(stall(&"wait for the stage".into(), waits, saves), StallReason::LongScoreboard.per_issue())
    })
}

/// Fewer barriers of the block.
fn barriers(ask: &Ask<'_, '_, '_>) -> Option<Draft> {
    let m = ask.m;
    let reason = StallReason::Barrier;
    let wait = m.wait(reason).filter(|wait| 100.0 * wait >= m.limits[Threshold::StallBarrierShare])?;
    if m.has_tensor || m.stalls.are_hidden {
        return None;
    }
    // A round of barriers is also a round through shared memory.
    let through = m.waits(&[StallReason::ShortScoreboard, StallReason::MioThrottle]);
    let rounds = [Part::MemoryShared, Part::MemoryL1tex, Part::MemoryLsu, Part::Issue];
    let draft = Draft::of(Action::FewerBarriers, Change::default()).rewrites();
    let draft = rounds.into_iter().fold(draft, |draft, part| draft.keeps(part, ROUNDS, 0.0));
    let draft = draft.frees(0.8 * wait + (1.0 - ROUNDS) * through, wait + through);
    let saves = draft.saves(ask);
    Some(
        draft
            .says(
                "Fewer barriers: exchange by shuffle, publish before waiting, use fewer rounds".into(),
                words!("warps wait at block barriers {} of their time", share(wait)),
            )
            .risks("races: run racecheck".into())
            .checks(stall(&"barrier stall".into(), wait, saves), reason.per_issue()),
    )
}

/// Fences that warps wait at: each waits until everything that its warp stored before is seen.
fn fences(ask: &Ask<'_, '_, '_>) -> Option<Draft> {
    let reason = StallReason::Membar;
    let wait = ask.m.wait(reason).filter(|wait| *wait >= WORTH)?;
    let draft = Draft::overlaps(Action::NarrowFence, wait);
    let saves = draft.saves(ask);
    Some(
        draft
            .says(
                "Fewer and narrower fences: one after several stores, block scope where only the block reads".into(),
                words!("warps wait at fences {} of their time", share(wait)),
            )
            .risks("the ordering that other blocks rely on: run racecheck".into())
            .checks(stall(&"memory barrier stall".into(), wait, saves), reason.per_issue()),
    )
}

/// Code that stays in the instruction cache.
fn smaller_code(ask: &Ask<'_, '_, '_>) -> Option<Draft> {
    let m = ask.m;
    let reason = StallReason::NoInstruction;
    let wait = m.wait(reason).filter(|wait| 100.0 * wait >= m.limits[Threshold::FetchShare])?;
    if m.is_hardly_sampled() {
        return None;
    }
    Some(
        Draft::overlaps(Action::SmallerCode, wait)
            .says(
                "Less unrolling, fewer inlined copies in the loop".into(),
                words!("warps wait for the next instruction {} of their time", share(wait)),
            )
            .risks("more instructions for loop control".into())
            .checks("no instruction < 5 %".into(), reason.per_issue()),
    )
}

/// Warps whose lanes go one way.
fn regroup(ask: &Ask<'_, '_, '_>) -> Option<Draft> {
    let m = ask.m;
    let lanes = m.kernel.value(LANES).filter(|lanes| *lanes <= MOST_LANES)?;
    let is_own = |part: Part| part == Part::Issue || <&str>::from(part).starts_with("compute-");
    let units = m.units.iter().filter(|unit| is_own(unit.part));
    let after: Vec<(Part, f64)> = units.map(|unit| (unit.part, unit.share * lanes / 32.0)).collect();
    Some(
        Draft::relieves(ask, Action::Regroup, &after)
            .rewrites()
            .frees_of(
                ask,
                &[StallReason::Wait, StallReason::Selected, StallReason::BranchResolving],
                1.0 - lanes / 32.0,
            )
            .says(
                "Sort or regroup the work so that the lanes of a warp take one path, or branch per warp".into(),
                words!("{} of 32 lanes are active in the average instruction", format::fixed(lanes, 1)),
            )
            .risks("the cost of sorting; order of the output".into())
            .checks(words!("lanes per instruction {} → 32", format::fixed(lanes, 1)), LANES),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_freed_from_a_wait_leaves_the_whole_as_well() {
        // Of 100 cycles 60 wait; 50 are freed: 10 of 50 are left.
        assert!((kept(0.6, 0.5) - 0.2).abs() < 1e-9);
        assert_eq!(stall(&"barrier stall".into(), 0.6, 0.5).to_plain(), "barrier stall 60.0 % → 20.0 %");
        // All of a wait that is all of the time.
        assert_eq!((kept(0.3, 0.3), kept(1.0, 1.0)), (0.0, 0.0));
        assert_eq!(kept(0.3, 0.0), 0.3);
    }
}
