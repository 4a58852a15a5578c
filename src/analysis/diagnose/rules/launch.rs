//! Rules on the launch: grid, length, blocks.

use super::{Held, count, share};
use crate::analysis::diagnose::measures::{
    ACHIEVED, CYCLES, Measures, RESIDENT, RESIDENT_MOST, SM_CYCLES, THEORETICAL, WAVES,
};
use crate::analysis::kernel::readings::Found;
use crate::analysis::kernel::summary::DURATION;
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
pub(super) fn small_grid(m: &Measures<'_, '_>) -> Option<Held> {
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

/// Whether so few blocks leave SMs idle that this alone limits.
fn is_small_grid(m: &Measures<'_, '_>) -> bool {
    small_grid(m).is_some_and(|held| held.holds)
}

/// Too short for steady percentages, or an SM without a block for most of it.
fn short(m: &Measures<'_, '_>) -> Option<Held> {
    let least = m.limits[Threshold::ShortKernel];
    let brief = m.duration.filter(|ns| *ns < least);
    // Of a small grid, the idle SMs are the same fact.
    let empty = m.active.filter(|active| 100.0 * active < m.limits[Threshold::ResidentLeast] && !is_small_grid(m));
    let sentence = match (brief, empty) {
        (Some(ns), _) => {
            words!(
                "The launch takes {}, under {}: launch overhead and cold caches dominate.",
                microseconds(ns),
                microseconds(least)
            )
        }
        (_, Some(active)) => {
            words!("An SM holds a block for {} of the time; the rest is launch, drain and idle SMs.", share(active))
        }
        (None, None) => return None,
    };
    Some(Held::new(Code::LaunchShort, 100.0, 90.0, sentence).from(m.held(&[DURATION, RESIDENT, SM_CYCLES])))
}

/// `2.5 µs`.
fn microseconds(ns: f64) -> String {
    format!("{} µs", format::plain(ns / 1e3, 1))
}

/// `1 − average / longest` of the time that SMs hold a block: whatever a unit does while they run, the rest of the chip is idle.
pub(super) fn unequal(m: &Measures<'_, '_>) -> Option<Held> {
    tailed(m, m.limits[Threshold::UnequalBlocks])
}

/// The same at a lower threshold, where nothing else limits.
pub(super) fn tail(m: &Measures<'_, '_>) -> Option<Held> {
    tailed(m, m.limits[Threshold::TailIdle])
}

fn tailed(m: &Measures<'_, '_>, least: f64) -> Option<Held> {
    let idle = m.unequal.filter(|_| !is_small_grid(m))?;
    let waves = m.waves.map(|waves| format!(" in {} waves", format::fixed(waves, 2))).unwrap_or_default();
    let blocks = m.blocks.map_or_else(|| "the blocks".to_owned(), |blocks| format::counted(blocks as u64, "block"));
    let sentence = words!(
        "The average SM is busy for {} of the busiest SM's time: {}{} are too few, or unequal.",
        share(1.0 - idle),
        blocks,
        waves
    );
    let held =
        Held::new(Code::LaunchTail, 100.0 * idle, least, sentence).from(m.held(&[RESIDENT, RESIDENT_MOST, WAVES]));
    held.holds.then_some(held)
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
    let held = held.only_if(!m.is_saturated() && m.is_by_design() == Some(false) && is_covered).from(m.readings(&[
        WAVES,
        ACHIEVED,
        THEORETICAL,
    ]));
    held.holds.then_some(held)
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
    let held = held.only_if(is_short && waves > 1.0).from(m.readings(&[WAVES, ACHIEVED, THEORETICAL]));
    held.holds.then_some(held)
}

/// [`short`], but for a long launch of which single SMs work to the end: that is no short one.
pub(super) fn too_short(m: &Measures<'_, '_>) -> Option<Held> {
    let is_brief = m.duration.is_none_or(|ns| ns < m.limits[Threshold::ShortKernel]);
    let is_unequal = m.unequal.is_some_and(|idle| 100.0 * idle >= m.limits[Threshold::UnequalBlocks]);
    short(m).filter(|_| is_brief || !is_unequal)
}
