//! Blocks of the grid: too few, unequal, or a last wave that is not full.

use super::atomics::{hot_spot, shared_atomics};
use super::occupancy::{filled, short_blocks};
use super::{Ask, At, Draft, Held, Pattern, Stands, WORTH, count, share};
use crate::analysis::diagnose::account::ERROR;
use crate::analysis::diagnose::machine::Change;
use crate::analysis::diagnose::measures::{ACHIEVED, Measures, RESIDENT, RESIDENT_MOST, THEORETICAL, WAVES};
use crate::analysis::phases::Study;
use crate::catalog::{Action, Code, Counter, StallReason, Threshold};
use crate::quantity::format;
use crate::words;

pub(super) const PATTERNS: [Pattern; 4] = [
    Pattern::asks("Does the grid leave SMs idle?", "--section LaunchStats", small_grid, Stands::Beside)
        .cured_by(&[more_blocks]),
    Pattern::asks("Do blocks end at very different times?", "--section WorkloadDistribution", tail, Stands::Beside)
        .cured_by(&[even]),
    Pattern::asks(
        "Are there too few blocks to fill the warp slots?",
        "--section Occupancy",
        underfilled,
        Stands::Warps(filled),
    ),
    Pattern::changes(&[waves]),
];

/// Blocks for at most the threshold's share of the SMs. Fewer idle SMs are a remark: 128 blocks on 132 SMs limit nothing.
pub(in crate::analysis::diagnose) fn small_grid(m: &Measures<'_, '_>) -> Option<Held> {
    let (blocks, sms) = (m.blocks?, m.sms?);
    let idle = 100.0 * (1.0 - blocks / sms);
    let least = 100.0 - m.limits[Threshold::SmallGrid];
    (blocks < sms).then(|| {
        let sentence = words!(
            "{} {} of {} SMs idle, and every share of peak averages over them.",
            if blocks == 1.0 { "1 block leaves".to_owned() } else { format!("{} blocks leave", count(blocks)) },
            count(sms - blocks),
            count(sms)
        );
        Held::new(Code::LaunchSmallGrid, idle, least, sentence).from(m.readings(&[WAVES])).noted()
    })
}

/// Whether most of the time in which the average SM is idle is that of SMs without a block.
pub(in crate::analysis::diagnose) fn is_small_grid(m: &Measures<'_, '_>) -> bool {
    let empty = m.blocks.zip(m.sms).map_or(0.0, |(blocks, sms)| 1.0 - blocks / sms);
    empty > 0.0 && m.unequal.is_none_or(|idle| 2.0 * empty >= idle)
}

/// `1 − average / longest` of the time that SMs hold a block: whatever a unit does while they run, the rest of the chip is idle.
pub(in crate::analysis::diagnose) fn tail(m: &Measures<'_, '_>) -> Option<Held> {
    let idle = m.unequal.filter(|_| !is_small_grid(m))?;
    let waves = m.waves.map(|waves| format!(" in {} waves", format::fixed(waves, 2))).unwrap_or_default();
    let blocks = m.blocks.map_or_else(|| "the blocks".to_owned(), |blocks| format::counted(blocks as u64, "block"));
    let sentence = words!(
        "The average SM is busy for {} of the busiest SM's time: {}{} are too few, or unequal.",
        share(1.0 - idle),
        blocks,
        waves
    );
    let held = Held::new(Code::LaunchTail, 100.0 * idle, m.limits[Threshold::TailIdle], sentence);
    Some(held.from(m.held(&[RESIDENT, RESIDENT_MOST, WAVES])))
}

/// Whether a last wave that does not reach all SMs makes most of the time in which the average SM is idle: of equal blocks it is
/// `(1 − blocks of that wave / SMs) / waves`, with whole waves.
fn is_last_wave(m: &Measures<'_, '_>) -> bool {
    let of_wave = || {
        let (blocks, sms) = (m.blocks?, m.sms?);
        let waves = m.waves.filter(|waves| *waves > 1.0 && waves.fract() > 0.0)?;
        Some((1.0 - blocks * waves.fract() / waves / sms).max(0.0) / waves.ceil())
    };
    of_wave().zip(m.unequal).is_some_and(|(of_wave, idle)| 2.0 * of_wave >= idle)
}

/// Less than one wave, and few of the warps that fit: blocks are missing, not room.
fn underfilled(m: &Measures<'_, '_>) -> Option<Held> {
    let (waves, filled) = (m.waves.filter(|waves| *waves < 1.0)?, m.filled()?);
    let least = m.limits[Threshold::FilledLow];
    let blocks = m.blocks? as u64;
    let sentence = words!(
        "{} {} {} waves: an SM holds {} warps, {} of those that fit.",
        format::counted(blocks, "block"),
        if blocks == 1 { "makes" } else { "make" },
        format::fixed(waves, 2),
        format::fixed(m.warps?, 1),
        share(filled)
    );
    let held = Held::new(Code::LaunchUnderfilled, 100.0 - 100.0 * filled, 100.0 - least, sentence);
    let is_possible = m.is_by_design() == Some(false) && is_covered(m) && !waits_in_chains(m);
    is_possible.then(|| held.from(m.readings(&[WAVES, ACHIEVED, THEORETICAL])))
}

/// Waves from which blocks no longer run in waves.
const MANY_WAVES: f64 = 20.0;

/// The last wave. Blocks that wait for one slice of L2, or many short ones, do not run in waves.
fn waves(ask: &Ask<'_, '_, '_>) -> Option<Draft> {
    let m = ask.m;
    let phases = m.kernel_of.phases?;
    let waves = m.waves.filter(|waves| *waves > 1.0 && *waves < MANY_WAVES)?;
    let cost = phases.time.last_wave.filter(|cost| *cost >= WORTH && !phases.is_persistent)?;
    if [hot_spot, shared_atomics, short_blocks].into_iter().any(|measure| measure(m).is_some_and(|held| held.holds)) {
        return None;
    }
    let left = m
        .units
        .iter()
        .filter(|unit| crate::analysis::diagnose::level::is_shared(unit.part))
        .any(|unit| unit.is_saturated());
    // A wave that is nearly empty is shared among those before it.
    let is_rest = waves.fract() < 0.5;
    let whole = if is_rest { waves.floor() } else { waves.ceil() };
    (!left).then(|| {
        Draft::of(Action::WholeWaves, Change { fixed: (0.5 * cost, cost), ..Change::default() })
            .at(At::Launch)
            .says(
                match m.blocks.filter(|_| is_rest) {
                    Some(blocks) => words!(
                        "Drop the last wave: {} blocks that share its work, or smaller blocks",
                        count(blocks * whole / waves)
                    ),
                    None => "Fill the last wave: smaller tail tiles, or a split of the reduction".into(),
                },
                match m.blocks {
                    Some(blocks) => words!("{} blocks = {} waves", count(blocks), format::fixed(waves, 2)),
                    None => words!("{} waves", format::fixed(waves, 2)),
                },
            )
            .risks(if is_rest { "more work a block" } else { "partial sums through L2" }.into())
            .checks(words!("waves {} → {}", format::fixed(waves, 2), format::fixed(whole, 2)), WAVES)
    })
}

/// Blocks for every SM.
fn more_blocks(ask: &Ask<'_, '_, '_>) -> Option<Draft> {
    let m = ask.m;
    let (blocks, sms) = (m.blocks?, m.sms?);
    let is_part = m.waves.map_or(blocks < sms, |waves| waves < 1.0);
    // SMs without a block are the tail, whatever the others wait for.
    let is_covered = is_covered(m);
    // Chains of loads are as many as the problem has, and one slice of L2 serves more blocks no faster.
    if !is_part
        || m.is_by_design() != Some(false)
        || waits_in_chains(m)
        || hot_spot(m).is_some()
        || !is_covered && blocks >= sms
    {
        return None;
    }
    // The warps of an SM that has a block, of those that fit.
    let filled = if is_covered { m.filled().unwrap_or(1.0).min(1.0) } else { 1.0 };
    let change = Change { warps: (filled.max(0.25), filled), tail: (0.0, 0.0), ..Change::default() };
    let fit = m.occupancy.blocks_per_sm.map(|per| words!(": {} blocks fit at once", count(per * sms)));
    Some(
        Draft::of(Action::MoreBlocks, change)
            .at(At::Launch)
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

/// Blocks of equal work, where the tail is long enough to be told from what blocks differ by anyhow.
fn even(ask: &Ask<'_, '_, '_>) -> Option<Draft> {
    let m = ask.m;
    let idle = m.unequal.filter(|_| ask.machine.time.tail >= ERROR && !is_small_grid(m) && !is_last_wave(m))?;
    Some(
        Draft::of(Action::EvenBlocks, Change { tail: (0.4, 0.0), ..Change::default() })
            .at(At::Launch)
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

/// Whether more blocks cover what warps wait for most: memory and results, but no barrier, which all of them reach as late.
fn is_covered(m: &Measures<'_, '_>) -> bool {
    m.top_waits().first().is_none_or(|(reason, _)| *reason != StallReason::Barrier)
}

/// Whether chains of dependent loads are what it waits for.
fn waits_in_chains(m: &Measures<'_, '_>) -> bool {
    let chain = m.sampled_code().and_then(Study::chain);
    chain.is_some_and(|chain| 100.0 * chain.share >= m.limits[Threshold::ChainShare])
}
