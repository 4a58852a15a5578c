//! Levers that shorten waits or the work of issue: loads in flight, chains, barriers, code, lanes.

use super::{Ask, Draft, WORTH, gathers};
use crate::analysis::diagnose::rules::lanes::LANES;
use crate::analysis::diagnose::rules::{count, share};
use crate::analysis::phases::{PIPES, PhaseKind};
use crate::catalog::{Action, Code, Counter, Part, StallReason, Threshold};
use crate::quantity::format;
use crate::words;
use crate::words::Words;
use cuda_binary::Op;
use cuda_binary::op::{Act, Space};

/// Instructions of all warps.
const EXECUTED: Counter = Counter::SmspInstExecutedSum;
/// Independent loads that share one latency in a loop that is unrolled by four: a warp then waits a quarter as long for each.
const AT_A_TIME: f64 = 4.0;
/// The part of all instructions from which index arithmetic is what to cut.
const INDEX: f64 = 0.25;
/// Bits of the widest access of a lane.
const WIDEST: u64 = 128;
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
        instructions(ask),
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
        Draft::overlaps(ask, Action::DoubleBuffer, cost)
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
    if 100.0 * chain.share < m.limits[Threshold::ChainShare] || matches!(ask.limiter, Code::Unit(_)) {
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
            .rises()
            .weighs(chain.share),
    )
}

/// More independent loads in front of the first use.
fn in_flight(ask: &Ask<'_, '_, '_>) -> Option<Draft> {
    let m = ask.m;
    let reason = StallReason::LongScoreboard;
    let wait = m.waits_for_loads()?;
    let has_chain =
        m.kernel_of.phases.and_then(|phases| phases.chain.as_ref()).is_some_and(|chain| 2.0 * chain.share >= wait);
    let waits = matches!(
        ask.limiter,
        Code::Wait(StallReason::LongScoreboard)
            | Code::LatencyL2
            | Code::OccupancyLimit
            | Code::LaunchUnderfilled
            | Code::NoSingleLimiter
            | Code::LaunchSmallGrid
            | Code::Unit(Part::Issue)
    );
    // A stream that does not fill device memory, although the fabric of L2 reads high.
    let dram = m.unit(Part::MemoryDram).filter(|_| m.is_thin || ask.limiter == Code::Unit(Part::MemoryDram));
    let is_thin = dram.is_some_and(|dram| !dram.is_saturated() && 100.0 * wait >= m.limits[Threshold::ChainShare]);
    let is_open = is_thin || waits && !m.is_saturated();
    if !is_open || has_chain || 100.0 * wait < m.limits[Threshold::StallShare] {
        return None;
    }
    // Wider loads are fewer instructions as well, which a busy front end is asked for by a lever of its own.
    let is_wide = ask.limiter != Code::Unit(Part::Issue);
    let through = gathers::waited(m, wait).filter(|_| is_wide);
    let is_scattered = through.is_some_and(|found| gathers::is_scattered(m, found));
    let is_wider = is_wide && !is_scattered;
    let after = narrow(ask).filter(|_| is_wider).and_then(|gone| without_index(ask, gone));
    let unknown = if is_wider && after.is_none() { &INDEXED[..] } else { &[] };
    let sentence = match (through, is_wide) {
        (Some(found), _) => gathers::sentence(m, found),
        (None, true) => "More bytes in flight: several independent loads before the first use, 16 bytes a lane".into(),
        (None, false) => "More bytes in flight: several independent loads before the first use".into(),
    };
    let why = through.map_or_else(|| words!("warps wait for loads {} of their time", share(wait)), gathers::why);
    let sorting = if is_scattered { "; the cost of sorting" } else { "" };
    let draft = Draft::relieves(ask, Action::MoreInFlight, &after.unwrap_or_default())
        .unknown(ask, unknown)
        .says(sentence, why)
        .risks(words!("registers for the loads in flight{}", sorting))
        .weighs(wait);
    let saves = if draft.is_open() { 1.0 } else { draft.saves() };
    Some(match dram.filter(|_| is_thin) {
        Some(dram) => {
            let goal = (dram.share / (1.0 - saves).max(0.01)).min(STREAM);
            draft.checks(words!("DRAM {} → {}", share(dram.share), share(goal)), dram.counter.clone()).rises()
        }
        None => {
            let now = m.wait(reason).unwrap_or(wait);
            let freed = saves.min(wait * (1.0 - 1.0 / AT_A_TIME));
            let goal = match m.kernel.value(reason.per_issue()) {
                Some(cycles) => {
                    let (now, goal) = (format::fixed(cycles, 1), format::fixed(cycles * (1.0 - freed / now), 1));
                    words!("long scoreboard {} → {} cycles an instruction", now, goal)
                }
                None => stall(&"long scoreboard".into(), now, freed),
            };
            draft.checks(goal, reason.per_issue())
        }
    })
}

/// `barrier stall 32.7 % → 4.2 %`: a share of the warps' time, and what is left of it where a share of all time is freed from it.
fn stall(name: &Words, now: f64, freed: f64) -> Words {
    words!("{} {} → {}", name, share(now), share(kept(now, freed)))
}

/// What a share of the time comes to where a share of all time is freed from it: both the part and the whole become less.
fn kept(now: f64, freed: f64) -> f64 {
    if freed >= 1.0 { 0.0 } else { ((now - freed) / (1.0 - freed)).max(0.0) }
}

/// Stages that are filled earlier. The warps that set the pace wait for them; that is what it can free.
fn stages(ask: &Ask<'_, '_, '_>) -> Option<Draft> {
    let phases = ask.m.sampled().filter(|_| ask.limiter == Code::SyncMbarrier)?;
    let parts = phases.phases.iter().flat_map(|phase| &phase.parts);
    let cost: f64 = parts.filter(|part| part.kind == PhaseKind::StageWait).map(|part| part.cost).sum();
    let waits = phases.share(PhaseKind::StageWait);
    (cost >= WORTH).then(|| {
        let draft = Draft::overlaps(ask, Action::MoreInFlight, cost);
        let saves = draft.saves();
        draft
            .says(
                "Fill the stages earlier: prefetch further ahead with more stages, or take work off the producer"
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
    let draft = Draft::overlaps(ask, Action::FewerBarriers, wait);
    let saves = draft.saves();
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
    let wait = ask.m.wait(reason).filter(|_| ask.limiter == Code::Wait(reason))?;
    let draft = Draft::overlaps(ask, Action::NarrowFence, wait);
    let saves = draft.saves();
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
        Draft::overlaps(ask, Action::SmallerCode, wait)
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
    let lanes = m.kernel.value(LANES)?;
    if ask.limiter != Code::Divergence {
        return None;
    }
    let is_own = |part: Part| part == Part::Issue || <&str>::from(part).starts_with("compute-");
    let units = m.units.iter().filter(|unit| is_own(unit.part));
    let after: Vec<(Part, f64)> = units.map(|unit| (unit.part, unit.share * lanes / 32.0)).collect();
    Some(
        Draft::relieves(ask, Action::Regroup, &after)
            .says(
                "Sort or regroup the work so that the lanes of a warp take one path, or branch per warp".into(),
                words!("{} of 32 lanes are active in the average instruction", format::fixed(lanes, 1)),
            )
            .risks("the cost of sorting; order of the output".into())
            .checks(words!("lanes per instruction {} → 32", format::fixed(lanes, 1)), LANES),
    )
}

/// Cycles of its pipe that a wide integer multiplication takes, where other instructions take one.
const IMAD_CYCLES: f64 = 4.0;

/// What index arithmetic is work of.
const INDEXED: [Part; 5] = [Part::Issue, PIPES[0], PIPES[1], PIPES[2], PIPES[3]];

/// Issue and the pipes of index arithmetic without a part of that, 0 to 1: at least what is left of each; `None` where it was not
/// counted.
fn without_index(ask: &Ask<'_, '_, '_>, gone: f64) -> Option<Vec<(Part, f64)>> {
    let (phases, total) = ask.m.sampled().zip(ask.m.mix.total)?;
    let index = phases.index.unwrap_or_default();
    let left = |part: Part| {
        let row = part.row()?;
        let all = ask.m.mix.count(|op| row.runs(op))?;
        let own = index.on(part) as f64;
        let rest = (all - own).max(0.0);
        let own = own * if part == Part::ComputeFma { IMAD_CYCLES } else { 1.0 };
        (own > 0.0).then(|| 1.0 - gone * own / (own + rest))
    };
    let parts = PIPES.into_iter().map(|part| (part, left(part)));
    let all = parts.chain([(Part::Issue, Some(1.0 - gone * index.executed as f64 / total))]);
    Some(all.filter_map(|(part, left)| Some((part, ask.m.unit(part)?.share * left?))).collect())
}

/// The part of the index arithmetic that loads of 16 bytes a lane take away: 0 where all are as wide; `None` where no accesses were
/// counted.
fn narrow(ask: &Ask<'_, '_, '_>) -> Option<f64> {
    let narrowest = ask.m.sampled()?.accesses.iter().map(|access| access.width_bits.unwrap_or(8)).min()?;
    Some(1.0 - narrowest as f64 / WIDEST as f64)
}

/// The part of the instructions that only make addresses: of all of them, or of those of a pipe.
fn of_index(ask: &Ask<'_, '_, '_>, part: Part) -> Option<f64> {
    let index = ask.m.sampled()?.index.unwrap_or_default();
    let (own, all) = match part {
        Part::Issue => (index.executed, ask.m.mix.total?),
        _ => (index.on(part), ask.m.mix.count(|op| part.row().is_some_and(|row| row.runs(op)))?),
    };
    (all > 0.0).then_some(own as f64 / all)
}

/// Fewer instructions. Where issue limits, arithmetic on values stays; issue, the ALU and the index arithmetic on other pipes fall.
/// Where a pipe does, and much of its work is index arithmetic, that falls.
fn instructions(ask: &Ask<'_, '_, '_>) -> Option<Draft> {
    let m = ask.m;
    let Code::Unit(part) = ask.limiter else { return None };
    let unit = m.unit(part).filter(|_| part == Part::Issue || PIPES.contains(&part))?;
    let index = of_index(ask, part);
    let is_index = index.is_some_and(|own| own >= INDEX);
    if part != Part::Issue && !is_index {
        return None;
    }
    let counted = without_index(ask, 1.0);
    let unknown = if counted.is_none() { &INDEXED[..] } else { &[] };
    let mut after = counted.unwrap_or_default();
    if part == Part::Issue {
        after.retain(|(part, _)| !matches!(part, Part::Issue | Part::ComputeAlu));
        after.extend([(Part::Issue, 0.0), (Part::ComputeAlu, 0.0)]);
    }
    let draft = Draft::relieves(ask, Action::FewerInstructions, &after).unknown(ask, unknown);
    // Issued at the same rate, they are as many as the time at the ceiling.
    let kept = 1.0 - draft.saves();
    let check = match (m.kernel.value(EXECUTED), draft.is_open()) {
        (Some(now), false) => words!("executed instructions {} → {}", count(now), count(now * kept)),
        (Some(now), true) => words!("executed instructions below {}", count(now)),
        (None, false) => words!("executed instructions −{}", share(1.0 - kept)),
        (None, true) => words!("fewer executed instructions"),
    };
    let sentence = match index {
        _ if is_index => {
            "Less index arithmetic: several neighbouring elements a thread, offsets out of the loop, divisors known when compiled"
        }
        Some(own) if 100.0 * own < m.limits[Threshold::LeverLeast] => {
            "Fewer instructions for the same result: cheaper arithmetic, fewer conversions"
        }
        _ => "Fewer instructions for the same result: wider accesses, hoisted index arithmetic, fewer conversions",
    };
    let of_pipe = if part == Part::Issue { "the instructions" } else { "its instructions" };
    let addresses = index.filter(|_| is_index).map(|own| words!("; {} of {} only make addresses", share(own), of_pipe));
    let why = words!("{} at {}{}", &unit.name, share(unit.share), addresses.unwrap_or_default());
    Some(draft.says(sentence.into(), why).checks(check, EXECUTED))
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
