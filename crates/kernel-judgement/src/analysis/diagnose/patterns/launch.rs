//! The launch: one that did not run or is shorter than what starts it; blocks that are too few, unequal, or leave a last wave.

use super::atomics::{hot_spot, shared_atomics};
use super::balance::{Pieces, at_block, at_loop, dealt, is_last_wave, last_wave, pieces, share_out, take_from_queue};
use super::barriers::meeting;
use super::grid::{is_covered, is_small_grid, more_blocks, small_grid};
use super::occupancy::short_blocks;
use super::tile::sums;
use super::*;
use crate::analysis::diagnose::account::ERROR;
use crate::analysis::over_time::OverTime;
use crate::evidence::Workload;

pub(super) const PATTERNS: [Pattern; 7] = [
    Pattern::asks("Did the launch fail?", failed, Stands::Before).needs(NOTHING),
    Pattern::asks("Is the launch too short to measure?", brief, Stands::Before)
        .needs(("the duration", |m| m.duration.is_some())),
    Pattern::changes(&[fuse]),
    Pattern::asks("Does the grid leave SMs idle?", small_grid, Stands::Beside)
        .needs(("the grid", |m| m.blocks.and(m.sms).is_some()))
        .cured_by(&[more_blocks, share_out]),
    Pattern::asks("Do blocks end at very different times?", tail, Stands::Beside)
        .needs(("busy cycles of each SM", |m| m.unequal.is_some()))
        .cured_by(&[even]),
    Pattern::asks(
        "Are there too few blocks to fill the warp slots?",
        underfilled,
        Stands::Warps(|m| m.filled(), Action::MoreBlocks),
    )
    .needs(WARPS),
    Pattern::changes(&[waves]),
];

/// A launch of which every counter of the hardware is no number: it did not run.
fn failed(m: &Measures<'_>) -> Option<Held> {
    m.kernel.readings.has_failed().then(|| {
        let sentence = words!("The launch failed: every counter of it is NaN, so nothing ran that could be judged.");
        Held::new(Code::LaunchFailed, 100.0, 0.0, sentence).from(m.readings(&[DURATION, CYCLES]))
    })
}

/// Too short for steady percentages.
fn brief(m: &Measures<'_>) -> Option<Held> {
    let least = m.limits[Threshold::ShortKernel];
    m.duration.filter(|ns| !m.has_several() && *ns < least)?;
    let least = plain(least / 1e3, 1);
    Some(overhead(m, words!("The launch takes less than {} µs: launch overhead and cold caches dominate.", least)))
}

fn overhead(m: &Measures<'_>, sentence: Words) -> Held {
    let code = if m.has_several() { Code::RangeGaps } else { Code::LaunchShort };
    Held::new(code, 100.0, 0.0, sentence).from(m.held(&[DURATION, RESIDENT, SM_CYCLES]))
}

/// No SM holds a block for much of the time.
pub(in crate::analysis::diagnose) fn short(m: &Measures<'_>) -> Option<Held> {
    // What starts a launch of a few µs is counted by its time alone, where no cycles are.
    let Some(held) = m.active.map(share) else { return brief(m) };
    Some(overhead(
        m,
        match m.has_several() {
            true => words!(
                "Of the time from its first to its last kernel an SM holds a block for {}; the rest is gaps between kernels, launches, drains and idle SMs.",
                held
            ),
            false => words!("An SM holds a block for {} of the time; the rest is launch, drain and idle SMs.", held),
        },
    ))
}

/// Whether a launch is shorter than what starts it.
pub(in crate::analysis::diagnose) fn is_mostly_launch(m: &Measures<'_>) -> bool {
    !m.has_several() && (brief(m).is_some() || m.machine.time.empty >= MOST)
}

/// A launch that is shorter than what starts it, or kernels with gaps between them.
pub(super) fn fuse(m: &Measures<'_>) -> Option<Draft> {
    let empty = m.machine.time.empty;
    let has_gaps = m.has_several() && empty >= WORTH_A_TRY;
    if !is_mostly_launch(m) && !has_gaps {
        return None;
    }
    let draft = Draft::relieves(m, Action::Fuse, &[]).open("a timeline").at(At::Launch);
    let idle = || words!("no SM holds a block for {} of the time", share(empty));
    let draft = match m.kernel.key().workload {
        Workload::Kernel => draft
            .says("Fuse it with its neighbours, or launch it in a CUDA graph", "launch and drain dominate its time"),
        Workload::Graph => {
            draft.says("Close the gaps between its kernels: branches side by side, fused neighbours", idle())
        }
        Workload::Range | Workload::Cmdlist => draft
            .says("Close the gaps between its kernels: a CUDA graph, streams side by side, fused neighbours", idle()),
    };
    let own = m.duration.filter(|_| !m.has_several());
    let own = own.map(|ns| format!(" falls by up to {} µs", fixed(ns / 1e3, 1)));
    Some(draft.checks(words!("time of the sequence{}", words::maybe(own)), DURATION))
}

/// `1 − average / longest` of the time that SMs hold a block: whatever a unit does while they run, the rest of the chip is idle.
pub(in crate::analysis::diagnose) fn tail(m: &Measures<'_>) -> Option<Held> {
    let idle = m.unequal.filter(|_| !is_small_grid(m))?;
    let waves = m.waves.map(|waves| format!(" in {} waves", fixed(waves, 2))).unwrap_or_default();
    let blocks = m.blocks.map_or_else(|| "the blocks".to_owned(), |blocks| format::counted(blocks as u64, "block"));
    // What the code shows of its blocks says more.
    let lives = life(m).filter(|_| m.study.is_none());
    let what = match (m.waves, lives) {
        _ if is_last_wave(m) => words!("leave SMs idle in the last wave"),
        (None, _) if m.sms.is_none() && m.study.is_none() => words!("are too few, or unequal"),
        (Some(waves), _) if waves < 1.0 => words!("are too few, or unequal"),
        (_, Some(life)) if is_drain(m, life) => {
            words!("live {} of the launch each, and the last ones drain", share(life))
        }
        (_, Some(life)) => {
            words!("live {} of the launch each: a few last longer, or it starts and ends slowly", share(life))
        }
        _ => words!("end at different times"),
    };
    let sentence =
        words!("The average SM is busy for {} of the {}: {}{} {}.", share(1.0 - idle), of_what(m), blocks, waves, what);
    let held = Held::new(Code::LaunchTail, 100.0 * idle, m.limits[Threshold::TailIdle], sentence);
    Some(held.from(m.held(&[RESIDENT, RESIDENT_MOST, WAVES])))
}

/// What the time of the average SM is a share of.
fn of_what(m: &Measures<'_>) -> &'static str {
    match () {
        () if m.value(RESIDENT_MOST).is_some() => "busiest SM's time",
        () if m.active.is_none() => "launch, by PM sampling",
        () => "launch without its ramp",
    }
}

/// The share of the launch that the average block lives, in more than a wave: blocks that all start at once do not end out of step.
fn life(m: &Measures<'_>) -> Option<f64> {
    m.waves.filter(|waves| *waves > 1.0)?;
    Some(m.life? / m.cycles?)
}

/// Whether the tail is that of equal blocks: when none is left to start, an SM is done within what those that it holds still have to live.
/// No queue shortens that; what goes beyond it, some blocks last longer than others.
fn is_drain(m: &Measures<'_>, life: f64) -> bool {
    m.machine.time.tail - life < ERROR
}

/// Less than one wave, and few of the warps that fit: blocks are missing, not room.
fn underfilled(m: &Measures<'_>) -> Option<Held> {
    let (waves, filled) = (m.waves.filter(|waves| *waves < 1.0)?, m.filled()?);
    let least = m.limits[Threshold::FilledLow];
    let blocks = m.blocks? as u64;
    let sentence = words!(
        "{} {} {} of a wave: an SM holds {} warps, {} of those that fit.",
        format::counted(blocks, "block"),
        if blocks == 1 { "makes" } else { "make" },
        share(waves),
        fixed(m.warps?, 1),
        share(filled)
    );
    let held = Held::new(Code::LaunchUnderfilled, 100.0 - 100.0 * filled, 100.0 - least, sentence);
    let is_possible = m.is_by_design() == Some(false) && is_covered(m) && m.chain().is_none();
    is_possible.then(|| held.from(m.readings(&[WAVES, ACHIEVED, THEORETICAL])))
}

/// The last wave. Blocks that wait for one slice of L2, or many short ones, do not run in waves.
fn waves(m: &Measures<'_>) -> Option<Draft> {
    let waves = m.waves.filter(|waves| *waves > 1.0 && *waves < MANY_WAVES)?;
    let cost = last_wave(m).filter(|cost| *cost >= WORTH)?;
    let is_found = |measure: fn(&Measures<'_>) -> Option<Held>| measure(m).is_some_and(|held| held.holds);
    let is_full =
        m.units.iter().any(|unit| level::is_shared(unit.part) && 100.0 * unit.share >= m.limits[Threshold::SolHigh]);
    if is_full || meeting(m).is_some() || [hot_spot, shared_atomics, short_blocks].into_iter().any(is_found) {
        return None;
    }
    // A wave that is nearly empty is shared among those before it.
    let is_rest = waves.fract() < 0.5;
    let goal = if is_rest { waves.floor() } else { waves.ceil() };
    let has_tiles = m.has_tensor || sums(m) > 0.0;
    let blocks = m.blocks.map(|blocks| format!("{} ", count(blocks * goal / waves))).unwrap_or_default();
    let (how, risk) = match is_rest {
        true => {
            (words!("Drop the last wave: {}blocks that share its work, or smaller blocks", blocks), "more work a block")
        }
        false if has_tiles => {
            ("Fill the last wave: smaller tail tiles, or a split of the reduction".into(), "partial sums through L2")
        }
        false => (
            words!("Fill the last wave: {}blocks that share the work, or smaller ones", blocks),
            "what each block does once, more often",
        ),
    };
    let now = fixed(waves, 2);
    let blocks = m.blocks.map(|blocks| format!("{} blocks = ", count(blocks))).unwrap_or_default();
    // Blocks of a last wave are fewer to an SM, down to one, and faster as far as units and not their own latency were what they took. All of
    // it as far as it leaves SMs without a block, else half: blocks that follow others end out of step.
    let fit = m.fit.map_or(1.0, |fit| fit.max(1.0));
    let lasts = m.machine.wave_of((waves.fract() * fit).ceil() / fit);
    let lost = ((lasts - waves.fract()) / (waves.floor() + lasts)).min(cost);
    let empty = if is_last_wave(m) { m.machine.time.tail.min(cost) } else { 0.0 };
    // Slots of warps that stand empty cost what the busiest part does not take of the time.
    let busiest = m.machine.busiest(|_| true).map_or(0.0, |(_, need)| need);
    let shown = m.machine.time.tail + m.filled().map_or(1.0, |filled| (1.0 - filled) * (1.0 - busiest));
    let expected = Some(if empty >= ERROR { empty.max(0.5 * lost) } else { (0.5 * lost).min(shown) });
    let expected = expected.filter(|expected| *expected >= WORTH)?;
    let change = Change { fixed: (expected, cost), takes: below_steady(m), ..Change::default() };
    let draft = Draft::of(Action::WholeWaves, change).at(at_block(m)).says(how, words!("{}{} waves", blocks, &now));
    Some(draft.risks(risk).checks(words!("waves {} → {}", now, fixed(goal, 2)), WAVES))
}

/// The share of the launch by which it would be shorter at the level of its steady state from the ramp on, by PM sampling: no order of
/// the same work saves more. A sample is as much as nobody knows of both ends. All of it where nobody sampled.
fn below_steady(m: &Measures<'_>) -> f64 {
    let below = |over: &OverTime| {
        let shape = over.shape.as_ref()?;
        Some(over.share(shape.middle.cost + shape.tail.cost + shape.drain.cost + over.step))
    };
    m.over_time.and_then(below).unwrap_or(1.0)
}

/// What the end of the launch costs, by PM sampling, where it lasts longer than a block lives: SMs still hold blocks, and ever fewer, which
/// last longer than others. Equal ones end within one life behind the last that starts.
fn lingers(m: &Measures<'_>) -> Option<f64> {
    let (over, life) = (m.over_time?, life(m)?);
    let tail = over.shape.as_ref()?.tail;
    let cost = over.share(tail.cost);
    (over.share(tail.ns) >= life + ERROR && cost >= m.machine.time.tail + ERROR).then_some(cost)
}

/// The part of the time for which SMs idle behind blocks that stay and have equal work, from which these do not run alike.
const UNALIKE: f64 = 0.08;

/// What is expected to stay of a tail of blocks that differ.
const STAYS_UNEVEN: f64 = 0.4;

/// Blocks of equal work, where the tail is longer than blocks differ by anyhow, and than a last wave leaves. SMs without a block are no
/// work of others; below a wave more blocks are also equal ones. Of many waves only a long block leaves a tail: without counts by
/// instruction nobody knows whether there is one, nor where the waves are not known.
fn even(m: &Measures<'_>) -> Option<Draft> {
    if m.study.is_none() {
        m.waves.filter(|waves| *waves < MANY_WAVES)?;
        if life(m).is_some_and(|life| is_drain(m, life)) {
            return None;
        }
    }
    let empty = m.without_block();
    let own = m.machine.time.tail - empty;
    let lingers = lingers(m);
    let idle = m.unequal.filter(|_| lingers.is_some() || m.machine.time.tail >= ERROR && !is_last_wave(m))?;
    let dealt = dealt(m);
    if more_blocks(m).is_some() && dealt.is_none() {
        return None;
    }
    let why = match lingers {
        Some(cost) => {
            words!("at its end SMs hold ever fewer warps, which costs {} of the launch, by PM sampling", share(cost))
        }
        None => words!("the average SM is idle for {} of the {}", share(idle), of_what(m)),
    };
    let work = match pieces(m) {
        // More than a turn explains, blocks differ by what they wait for.
        Pieces::ToATurn(turns) if own > 1.0 - turns / turns.ceil() + ERROR => Pieces::Equal,
        work => work,
    };
    let stays = m.phases.is_some_and(|phases| phases.is_persistent);
    let all = |left: f64| {
        let change = match lingers {
            Some(cost) => Change { fixed: ((1.0 - left) * cost, cost), ..Change::default() },
            None => Change { tail: (left, 0.0), ..Change::default() },
        };
        Draft::of(Action::EvenBlocks, Change { takes: below_steady(m), ..change })
    };
    let stays_so = match work {
        _ if meeting(m).is_some() => Some("blocks wait for one another, and whoever comes last ends the launch".into()),
        _ if lingers.is_none() && (own < ERROR || is_small_grid(m)) => Some(without_block(m, empty)?),
        Pieces::Equal if !(stays && own >= UNALIKE) => {
            Some("blocks have as much work each, and end apart by what the SMs wait for".into())
        }
        _ => None,
    };
    if let Some(why) = stays_so {
        return Some(all(0.0).not_here(why));
    }
    let (how, risk) = match work {
        Pieces::Equal => (
            "Let the blocks take their work from a queue: they have as much each, and end at different times".into(),
            "an atomic for each piece; another order of the pieces",
        ),
        // The busiest takes a turn more than the mean leaves.
        Pieces::ToATurn(turns) => (
            words!(
                "Smaller pieces, or blocks that share them evenly: {} turns of the loop a block, and whole ones for each",
                glance::digits(turns)
            ),
            "more loads and addresses for each piece",
        ),
        Pieces::ByNumber => (
            "Balance the blocks: those with the most turns of the loop first (blockIdx sets how many), or long ones paired with short ones"
                .into(),
            "another order of the blocks in L2",
        ),
        _ if dealt.is_some() => (
            "Let the blocks take their pieces from a queue, the longest first: they take them in turn, and loaded values say how long each is"
                .into(),
            "an atomic for each piece; another order of the pieces",
        ),
        _ if take_from_queue(m) => (
            "Balance the blocks: the longest pieces of their queue first, or split long ones".into(),
            "a reduction over the parts of a split piece",
        ),
        _ => (
            "Balance the blocks: pair short with long ones, split long ones, or use a work queue".into(),
            "a reduction over the parts of a split block",
        ),
    };
    let over = if m.value(RESIDENT_MOST).is_some() { "busiest" } else { "launch" };
    let (check, metric) = match lingers.zip(m.warps) {
        Some((cost, warps)) => {
            (words!("warps on an SM {} → {}", fixed(warps, 1), fixed(warps / (1.0 - cost), 1)), ACHIEVED)
        }
        None => (words!("busy time of the average SM over the {} {} → 1", over, fixed(1.0 - idle, 2)), RESIDENT),
    };
    // Of a queue an SM is left with its last piece: half of one of twice the mean length.
    let left = dealt.map_or(STAYS_UNEVEN, |pieces| (1.0 / pieces / m.machine.time.tail).min(STAYS_UNEVEN));
    Some(all(left).at(at_loop(m)).says(how, why).risks(risk).checks(check, metric))
}

/// Why SMs without a block stay so: pieces that are as many for the busiest block, were there a block on each SM.
fn without_block(m: &Measures<'_>, empty: f64) -> Option<Words> {
    let (blocks, sms) = m.blocks.zip(m.sms).filter(|_| empty > 0.0)?;
    let pieces = m.phases.filter(|phases| phases.is_persistent)?.tiles?;
    let [now, then] = [blocks, sms].map(|blocks| (pieces / blocks).ceil());
    (now == then).then(|| {
        words!(
            "{} SMs have no block, and with one on each the busiest still takes {} of {} tiles",
            count(sms - blocks),
            count(then),
            count(pieces)
        )
    })
}
