//! Levers on the launch: grid, blocks, occupancy, waves.

use super::{Ask, Draft, WORTH};
use crate::analysis::derive::block_size::{BlockSize, BlockSizes};
use crate::analysis::diagnose::machine::Change;
use crate::analysis::diagnose::measures::{ACHIEVED, THEORETICAL, WAVES};
use crate::analysis::diagnose::rules::{count, share};
use crate::catalog::{Action, Code, Counter, Threshold};
use crate::quantity::format;
use crate::words;

/// Waves from which blocks no longer run in waves.
const MANY_WAVES: f64 = 20.0;
/// Waves from which a launch fills the chip once: a grid of as many blocks as fit.
const FULL_WAVE: f64 = 0.95;
/// Room for warps below which more of it is worth trying.
const LITTLE_ROOM: f64 = 0.5;

/// The part of the time without a block from which the launch is most of it.
const MOSTLY: f64 = 0.5;

pub(super) fn drafts(ask: &Ask<'_, '_, '_>) -> Vec<Draft> {
    let found = [waves(ask), warps(ask), larger_blocks(ask), more_blocks(ask), even(ask), fuse(ask)];
    found.into_iter().flatten().collect()
}

/// The last wave. Blocks that wait for one slice of L2, or many short ones, do not run in waves.
fn waves(ask: &Ask<'_, '_, '_>) -> Option<Draft> {
    let m = ask.m;
    let phases = m.kernel_of.phases?;
    let waves = m.waves.filter(|waves| *waves > 1.0 && *waves < MANY_WAVES)?;
    let cost = phases.time.last_wave.filter(|cost| *cost >= WORTH && !phases.is_persistent)?;
    if [Code::AtomicContention, Code::MemoryHotSpot, Code::LaunchShortBlocks].into_iter().any(|code| ask.has(code)) {
        return None;
    }
    let left = m
        .units
        .iter()
        .filter(|unit| crate::analysis::diagnose::level::is_shared(unit.part))
        .any(|unit| unit.is_saturated());
    (!left).then(|| {
        Draft::of(Action::WholeWaves, Change { fixed: (0.5 * cost, cost), ..Change::default() })
            .says(
                "Fill the last wave: smaller tail tiles, or a split of the reduction".into(),
                match m.blocks {
                    Some(blocks) => words!("{} blocks = {} waves", count(blocks), format::fixed(waves, 2)),
                    None => words!("{} waves", format::fixed(waves, 2)),
                },
            )
            .risks("partial sums through L2".into())
            .checks(words!("waves {} → {}", format::fixed(waves, 2), format::fixed(waves.ceil(), 2)), WAVES)
    })
}

/// Room for more warps, where latency limits; of a block whose size leaves slots empty, the size that fills them.
fn warps(ask: &Ask<'_, '_, '_>) -> Option<Draft> {
    let m = ask.m;
    let sizes = m.block_sizes();
    let fuller = sizes.as_ref().and_then(BlockSizes::fuller);
    let room = m.theoretical.filter(|room| *room <= LITTLE_ROOM || fuller.is_some())?;
    // Warps that are missing are no room that is missing.
    if m.is_by_design() != Some(false) || m.waves.is_some_and(|waves| waves < FULL_WAVE) {
        return None;
    }
    // The next step: a block more on an SM, or the block that fits better; at best all slots.
    let step = match (&fuller, m.occupancy.blocks_per_sm.filter(|blocks| *blocks >= 1.0)) {
        (Some(size), _) => f64::from(size.warps) / sizes.as_ref().map_or(1.0, |sizes| f64::from(sizes.most_warps())),
        (None, Some(blocks)) => (room * (blocks + 1.0) / blocks).min(1.0),
        (None, None) => room,
    };
    let draft = Draft::of(Action::MoreWarps, Change { warps: ((room / step).min(1.0), room), ..Change::default() });
    // What is not kept in shared memory need not be brought there.
    let binding = m.occupancy.binding();
    let draft = if binding.is_empty() || binding.contains(&"shared memory") { draft.rewrites() } else { draft };
    // Without the caps nobody knows the next step.
    let draft = if step > room { draft } else { draft.open("--section Occupancy") };
    let Some((size, sizes)) = fuller.zip(sizes) else {
        let limits = Some(m.occupancy.binding().join(" and ")).filter(|limits| !limits.is_empty());
        let limits = limits.map(|limits| format!(" ({limits})"));
        let more = words!("Raise occupancy: use less of what limits it{}", limits.unwrap_or_default());
        let draft = draft.says(more, words!("{} theoretical occupancy", share(room)));
        let draft = draft.risks("spills, or smaller tiles".into());
        // The next step: a block more on an SM.
        let next =
            m.occupancy.blocks_per_sm.filter(|blocks| *blocks >= 1.0).map(|blocks| room * (blocks + 1.0) / blocks);
        let goal = next.map_or_else(|| "more".to_owned(), |next| share(next.min(1.0)));
        return Some(draft.checks(words!("theoretical occupancy {} → {}", share(room), goal), THEORETICAL));
    };
    let (now, most) = (sizes.now(), f64::from(sizes.most_warps()));
    let threads = |size: BlockSize| count(size.threads.into());
    let fits = |size: BlockSize| format!("{} = {} warps", format::counted(size.blocks.into(), "block"), size.warps);
    Some(
        draft
            .says(
                words!("Blocks of {} threads: an SM holds {}", threads(size), fits(size)),
                words!("of {} threads it holds {} of {}", threads(now), fits(now), count(most)),
            )
            .risks("the work per block changes: index arithmetic, shared tiles".into())
            .checks(
                words!("theoretical occupancy {} → {}", share(room), share(f64::from(size.warps) / most)),
                THEORETICAL,
            ),
    )
}

/// Blocks with more work.
fn larger_blocks(ask: &Ask<'_, '_, '_>) -> Option<Draft> {
    let m = ask.m;
    if !ask.has(Code::LaunchShortBlocks) {
        return None;
    }
    let (warps, life, achieved) = (m.block_warps?, m.life?, m.achieved?);
    let filled = m.filled()?.min(1.0);
    // Blocks start no faster: as many as now are there at a time, whatever their size.
    let sizes = m.block_sizes();
    let filling = sizes.as_ref().and_then(|sizes| Some((sizes.filling(m.warps? / warps)?, sizes.most_warps())));
    let larger = filling.map_or_else(
        || "Larger blocks".to_owned(),
        |((size, _), _)| format!("Blocks of {} threads", count(size.threads.into())),
    );
    let fits = filling.map(|((size, _), _)| f64::from(size.blocks)).or(m.occupancy.blocks_per_sm);
    let resident = fits.zip(m.sms).map(|(blocks, sms)| format!("{} ", count(blocks * sms))).unwrap_or_default();
    let held = filling.map_or_else(
        || format!("above {} % of what fits", format::fixed(m.limits[Threshold::FilledLow], 0)),
        |((_, held), most)| format!("up to {}", share(f64::from(held) / f64::from(most))),
    );
    Some(
        Draft::of(Action::LargerBlocks, Change { warps: (filled, filled.powi(2)), ..Change::default() })
            .says(
                words!(
                    "{}, several elements per thread, or a grid-stride loop over {}resident blocks",
                    larger,
                    resident
                ),
                words!("a block of {} lives {} cycles", format::counted(warps as u64, "warp"), count(life)),
            )
            .risks("a tail where the element count is not a multiple".into())
            .checks(words!("achieved occupancy {} → {}", share(achieved), held), ACHIEVED),
    )
}

/// Blocks for every SM.
fn more_blocks(ask: &Ask<'_, '_, '_>) -> Option<Draft> {
    let m = ask.m;
    let (blocks, sms) = (m.blocks?, m.sms?);
    let is_part = m.waves.map_or(blocks < sms, |waves| waves < 1.0);
    // More blocks cover waits for memory and for results, but not those at a barrier, which all of them reach as late.
    if !is_part || m.is_by_design() != Some(false) {
        return None;
    }
    // The warps of an SM that has a block, of those that fit; SMs without one are the tail.
    let filled = m.filled().unwrap_or(1.0).min(1.0);
    let change = Change { warps: (filled.max(0.25), filled), tail: (0.0, 0.0), ..Change::default() };
    let fit = m.occupancy.blocks_per_sm.map(|per| words!(": {} blocks fit at once", count(per * sms)));
    Some(
        Draft::of(Action::MoreBlocks, change)
            .says(
                words!("Split the work further (rows across warps, split-K){}", fit.unwrap_or_default()),
                words!("{} on {} SMs", format::counted(blocks as u64, "block"), count(sms)),
            )
            .risks("a reduction across blocks".into())
            .checks(
                m.waves.map_or_else(|| "waves ≥ 1".into(), |now| words!("waves {} → 1", format::fixed(now, 2))),
                WAVES,
            ),
    )
}

/// Blocks of equal work.
fn even(ask: &Ask<'_, '_, '_>) -> Option<Draft> {
    let m = ask.m;
    let idle = m.unequal.filter(|idle| 100.0 * idle >= m.limits[Threshold::TailIdle])?;
    if !ask.has(Code::LaunchTail) {
        return None;
    }
    Some(
        Draft::of(Action::EvenBlocks, Change { tail: (0.4, 0.0), ..Change::default() })
            .says(
                "Balance the blocks: pair short with long ones, split long ones, or use a work queue".into(),
                words!("the average SM is idle for {} of the busiest SM's time", share(idle)),
            )
            .risks("a reduction over the parts of a split block".into())
            .checks(
                words!("sm__cycles_active.avg / .max {} → 1", format::fixed(1.0 - idle, 2)),
                Counter::SmCyclesActiveAvg,
            ),
    )
}

/// A launch that is shorter than what starts it.
fn fuse(ask: &Ask<'_, '_, '_>) -> Option<Draft> {
    let is_short = ask.has(Code::LaunchShort) || ask.machine.time.empty >= MOSTLY;
    is_short.then(|| {
        let own = ask.m.duration.map(|ns| format!(" falls by up to {} µs", format::fixed(ns / 1e3, 1)));
        Draft::relieves(ask, Action::Fuse, &[])
            .open("a timeline")
            .says(
                "Fuse it with its neighbours, or launch it in a CUDA graph".into(),
                "launch and drain dominate its time".into(),
            )
            .checks(words!("time of the sequence{}", own.unwrap_or_default()), Counter::GpuTimeDurationSum)
    })
}
