//! Levers on the launch: grid, blocks, occupancy, waves.

use super::{Ask, Draft};
use crate::analysis::diagnose::lever::Action;
use crate::analysis::diagnose::measures::{ACHIEVED, THEORETICAL, WAVES};
use crate::analysis::diagnose::rules::{count, share};
use crate::catalog::{self, Code, Threshold};
use crate::quantity::format;
use crate::words;

/// Least share of the time that is worth a lever.
const LEAST: f64 = 0.02;
/// Waves from which blocks no longer run in waves.
const MANY_WAVES: f64 = 20.0;
/// Room for warps below which more of it is worth trying.
const LITTLE_ROOM: f64 = 0.5;

pub(super) fn drafts(ask: &Ask<'_, '_, '_>) -> Vec<Draft> {
    let found = [waves(ask), warps(ask), larger_blocks(ask), more_blocks(ask), even(ask), fuse(ask)];
    found.into_iter().flatten().collect()
}

/// C8: the last wave. Blocks that wait for one slice of L2, or many short ones, do not run in waves.
fn waves(ask: &Ask<'_, '_, '_>) -> Option<Draft> {
    let m = ask.m;
    let phases = m.kernel_of.phases?;
    let waves = m.waves.filter(|waves| *waves > 1.0 && *waves < MANY_WAVES)?;
    let cost = phases.time.last_wave.filter(|cost| *cost >= LEAST && !phases.is_persistent)?;
    if matches!(ask.limiter, Code::AtomicContention | Code::MemoryHotSpot | Code::LaunchShortBlocks) {
        return None;
    }
    let left = m
        .units
        .iter()
        .filter(|unit| crate::analysis::diagnose::level::is_shared(unit.part))
        .any(|unit| unit.is_saturated());
    (!left).then(|| {
        Draft::waves(cost)
            .says(
                "Fill the last wave: smaller tail tiles, or a split of the reduction".into(),
                words!("{} blocks = {} waves", count(m.blocks.unwrap_or_default()), format::fixed(waves, 2)),
            )
            .risks("partial sums through L2".into())
            .checks(words!("waves = {}", format::fixed(waves.ceil(), 2)), WAVES)
    })
}

/// C21: room for more warps, where latency limits.
fn warps(ask: &Ask<'_, '_, '_>) -> Option<Draft> {
    let m = ask.m;
    let room = m.theoretical.filter(|room| *room <= LITTLE_ROOM)?;
    let waits = ask.limiter.is_latency()
        || matches!(ask.limiter, Code::OccupancyLimit | Code::NoSingleLimiter | Code::InstructionFetch);
    if !waits || m.is_by_design() {
        return None;
    }
    // Where the number of blocks binds and nothing else, their size is what gives room.
    let chip = catalog::chip(m.kernel.first().device.compute_capability?);
    let larger = chip
        .filter(|_| m.occupancy.binding() == ["blocks"])
        .map(|chip| f64::from(chip.max_threads_per_sm / chip.max_blocks_per_sm));
    let (wait, _) = m.top_waits().into_iter().next()?;
    let weight = m.wait(wait).unwrap_or_default();
    Some(
        Draft::relieves(ask, Action::MoreWarps, &[])
            .says(
                match larger {
                    Some(threads) => words!("Blocks of {} threads or more: an SM holds no more blocks", count(threads)),
                    None => words!(
                        "More warps on an SM: use less of what limits occupancy ({})",
                        m.occupancy.binding().join(" and ")
                    ),
                },
                words!("{} theoretical occupancy", share(room)),
            )
            .risks("spills, or smaller tiles".into())
            .checks(words!("theoretical occupancy above {}", share(room)), THEORETICAL)
            .weighs(weight),
    )
}

/// C22: blocks with more work.
fn larger_blocks(ask: &Ask<'_, '_, '_>) -> Option<Draft> {
    let m = ask.m;
    if ask.limiter != Code::LaunchShortBlocks {
        return None;
    }
    let (warps, life) = (m.block_warps?, m.life?);
    let resident = m.occupancy.blocks_per_sm.zip(m.sms).map(|(blocks, sms)| count(blocks * sms)).unwrap_or_default();
    let size = (256.0 / 32.0_f64).max(warps);
    Some(
        Draft::relieves(ask, Action::LargerBlocks, &[])
            .says(
                words!(
                    "Blocks of {} threads, each with several elements, or a grid of {} resident blocks that stride",
                    count(32.0 * size),
                    resident
                ),
                words!("a block of {} lives {} cycles", format::counted(warps as u64, "warp"), count(life)),
            )
            .risks("a tail where the count does not divide".into())
            .checks(
                words!("achieved occupancy {} → above 60 % of what fits", share(m.achieved.unwrap_or_default())),
                ACHIEVED,
            )
            .weighs(1.0 - m.filled().unwrap_or(0.0)),
    )
}

/// C23: blocks for every SM.
fn more_blocks(ask: &Ask<'_, '_, '_>) -> Option<Draft> {
    let m = ask.m;
    if !matches!(ask.limiter, Code::LaunchSmallGrid | Code::LaunchUnderfilled) {
        return None;
    }
    let (blocks, sms) = (m.blocks?, m.sms?);
    let resident = m.occupancy.blocks_per_sm.map(|per| count(per * sms)).unwrap_or_default();
    Some(
        Draft::relieves(ask, Action::MoreBlocks, &[])
            .says(
                words!("Split the work further (rows over warps, split-K): {} blocks fit at once", resident),
                words!("{} on {} SMs", format::counted(blocks as u64, "block"), count(sms)),
            )
            .risks("a reduction over blocks".into())
            .checks("waves ≥ 1".into(), WAVES)
            // Warps that fit on the chip and are not there; the occupancy that is measured leaves idle SMs out.
            .weighs(1.0 - m.filled().unwrap_or(0.0) * (blocks / sms).min(1.0)),
    )
}

/// Blocks of equal work.
fn even(ask: &Ask<'_, '_, '_>) -> Option<Draft> {
    let m = ask.m;
    let idle = m.unequal.filter(|idle| 100.0 * idle >= m.limits[Threshold::TailIdle])?;
    if ask.limiter != Code::LaunchTail {
        return None;
    }
    Some(
        Draft::overlaps(ask, Action::EvenBlocks, idle)
            .says(
                "Even out the blocks: pair short with long ones, split long ones, or take work from a queue".into(),
                words!("the average SM is idle {} of the time that the busiest works", share(idle)),
            )
            .risks("a reduction over the parts of a split block".into())
            .checks("sm__cycles_active.avg / .max → 1".into(), "sm__cycles_active.avg"),
    )
}

/// A launch that is shorter than what starts it.
fn fuse(ask: &Ask<'_, '_, '_>) -> Option<Draft> {
    (ask.limiter == Code::LaunchShort).then(|| {
        Draft::relieves(ask, Action::Fuse, &[])
            .open("a timeline")
            .says(
                "Fuse it with its neighbours, or launch a CUDA graph".into(),
                "launch and drain are most of its time".into(),
            )
            .checks("time of the sequence".into(), "gpu__time_duration.sum")
    })
}
