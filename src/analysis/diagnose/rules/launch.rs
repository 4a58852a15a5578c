//! Rules on the launch: grid, length, blocks.

use super::{At, Held, count, share};
use crate::analysis::diagnose::measures::{
    ACHIEVED, CYCLES, Measures, RESIDENT, RESIDENT_MOST, SM_CYCLES, THEORETICAL, WAVES,
};
use crate::analysis::kernel::readings::Found;
use crate::analysis::kernel::summary::DURATION;
use crate::analysis::lines::Sits;
use crate::catalog::{Code, StallReason, Threshold};
use crate::quantity::format;
use crate::words;

/// A launch without blocks, or of which every counter is no number: it did not run.
pub(super) fn failed(m: &Measures<'_, '_>) -> Option<Held> {
    let is_empty = m.blocks == Some(0.0);
    let is_nan = m.kernel.readings.metrics.iter().any(|metric| metric.found == Found::NotANumber);
    let ran = m.duration.is_some() || m.cycles.is_some();
    (is_empty || is_nan && !ran).then(|| {
        let why = if is_empty { "its grid has no block" } else { "every counter of it is NaN" };
        let sentence = words!("The launch failed: {}, so nothing ran that could be judged.", why);
        Held::new(Code::LaunchFailed, 100.0, 0.0, sentence).from(m.readings(&[DURATION, CYCLES]))
    })
}

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

/// Too short for steady percentages.
pub(super) fn brief(m: &Measures<'_, '_>) -> Option<Held> {
    let (ns, least) = (m.duration?, m.limits[Threshold::ShortKernel]);
    let sentence = words!(
        "The launch takes {}, under {}: launch overhead and cold caches dominate.",
        microseconds(ns),
        microseconds(least)
    );
    (ns < least)
        .then(|| Held::new(Code::LaunchShort, 100.0, 90.0, sentence).from(m.held(&[DURATION, RESIDENT, SM_CYCLES])))
}

/// No SM holds a block for much of the time.
pub(in crate::analysis::diagnose) fn short(m: &Measures<'_, '_>) -> Option<Held> {
    let sentence =
        words!("An SM holds a block for {} of the time; the rest is launch, drain and idle SMs.", share(m.active?));
    Some(Held::new(Code::LaunchShort, 100.0, 90.0, sentence).from(m.held(&[DURATION, RESIDENT, SM_CYCLES])))
}

/// `2.5 µs`.
fn microseconds(ns: f64) -> String {
    format!("{} µs", format::plain(ns / 1e3, 1))
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

/// Less than one wave, and few of the warps that fit: blocks are missing, not room. More blocks cover waits for memory and for results,
/// but not those at a barrier, which all of them reach as late.
pub(super) fn underfilled(m: &Measures<'_, '_>) -> Option<Held> {
    let (waves, filled) = (m.waves.filter(|waves| *waves < 1.0)?, m.filled()?);
    let least = m.limits[Threshold::FilledLow];
    let sentence = words!(
        "{} make {} waves: an SM holds {} warps, {} of those that fit.",
        format::counted(m.blocks? as u64, "block"),
        format::fixed(waves, 2),
        format::fixed(m.warps?, 1),
        share(filled)
    );
    let held = Held::new(Code::LaunchUnderfilled, 100.0 - 100.0 * filled, 100.0 - least, sentence);
    let is_covered = m.top_waits().first().is_none_or(|(reason, _)| *reason != StallReason::Barrier);
    // Chains of loads are as many as the problem has.
    let chain = m.sampled().and_then(|phases| phases.chain.as_ref()).map_or(0.0, |chain| 100.0 * chain.share);
    let is_possible = m.is_by_design() == Some(false) && is_covered && chain < m.limits[Threshold::ChainShare];
    is_possible.then(|| held.from(m.readings(&[WAVES, ACHIEVED, THEORETICAL])))
}

/// The part of the room for warps that is filled.
pub(super) fn filled(m: &Measures<'_, '_>) -> Option<f64> {
    m.filled().map(|filled| filled.min(1.0))
}

/// The part of the slots for warps that there is room for.
pub(super) fn room(m: &Measures<'_, '_>) -> Option<f64> {
    m.theoretical
}

/// Waves from which the blocks of a grid fill the chip.
const FULL_WAVE: f64 = 0.95;

/// Room for few of the warps that an SM can hold, though blocks are there to fill it.
pub(super) fn occupancy(m: &Measures<'_, '_>) -> Option<Held> {
    let room = m.theoretical.filter(|room| *room < 1.0)?;
    if m.is_by_design() != Some(false) || m.waves.is_some_and(|waves| waves < FULL_WAVE) {
        return None;
    }
    let (reason, wait) = m.top_waits().into_iter().next()?;
    let binding = Some(m.occupancy.binding().join(" and ")).filter(|binding| !binding.is_empty());
    let sentence = words!(
        "{} takes {} of the warps' time at {} occupancy{}; no unit is saturated{}.",
        reason.row()?.label,
        share(wait),
        share(room),
        binding.map(|binding| format!(", limited by {binding}")).unwrap_or_default(),
        m.units.first().map(|unit| format!(" (busiest: {} %)", unit.said())).unwrap_or_default()
    );
    let few = 100.0 - m.limits[Threshold::OccupancyFew];
    let held = Held::new(Code::OccupancyLimit, 100.0 - 100.0 * room, few, sentence).at(At::Line(Sits::Waits(reason)));
    Some(held.from(m.held(&[&reason.per_issue(), THEORETICAL.name(), ACHIEVED.name()])))
}

/// Several waves, few of the warps that fit, and warps that live shortly: slots are empty again before new blocks fill them.
pub(super) fn short_blocks(m: &Measures<'_, '_>) -> Option<Held> {
    let (waves, filled, life) = (m.waves.filter(|waves| *waves > 1.0)?, m.filled()?, m.life?);
    let blocks = m.blocks?;
    let every = m.cycles.zip(m.active).zip(m.sms).map(|((cycles, active), sms)| cycles * active * sms / blocks);
    let is_short = life < m.limits[Threshold::ShortLife];
    let sentence = words!(
        "{} blocks of {} live {} cycles each{}: an SM holds {} warps, {} of those that fit.",
        count(blocks),
        format::counted(m.block_warps? as u64, "warp"),
        count(life),
        every.map(|cycles| format!(", and an SM starts one every {} cycles", count(cycles))).unwrap_or_default(),
        format::fixed(m.warps?, 1),
        share(filled)
    );
    let least = m.limits[Threshold::FilledLow];
    let held = Held::new(Code::LaunchShortBlocks, 100.0 - 100.0 * filled, 100.0 - least, sentence);
    (is_short && waves > 1.0).then(|| held.from(m.readings(&[WAVES, ACHIEVED, THEORETICAL])))
}
