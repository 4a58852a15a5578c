//! A grid of too few blocks.

use super::atomics::hot_spot;
use super::balance::{at_loop, dealt, ends, hands_on, is_lone, outermost, read_twice};
use super::occupancy::FULL_WAVE;
use super::sectors::may_pack;
use super::work::barriers_executed;
use super::*;
use crate::analysis::phases::Carried;
use cuda_binary::op::Sync;

/// Instructions of a warp below which it hardly has a loop: a vector addition takes 20.
const SHORTEST: f64 = 64.0;

/// Threads of the largest block.
const THREADS: f64 = 1024.0;

/// Blocks for at most the threshold's share of the SMs. Fewer idle SMs are a remark: 128 blocks on 132 SMs limit nothing.
pub(in crate::analysis::diagnose) fn small_grid(m: &Measures<'_>) -> Option<Held> {
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
pub(in crate::analysis::diagnose) fn is_small_grid(m: &Measures<'_>) -> bool {
    let empty = m.without_block();
    empty > 0.0 && m.unequal.is_none_or(|idle| 2.0 * empty >= idle)
}

/// Whether more blocks cover what warps wait for most: memory and results, but no barrier, which all of them reach as late.
pub(super) fn is_covered(m: &Measures<'_>) -> bool {
    m.top_wait().is_none_or(|(reason, _)| reason != StallReason::Barrier)
}

/// Blocks for every SM. What is to be split is a loop: without one each thread has one piece of the work.
pub(super) fn more_blocks(m: &Measures<'_>) -> Option<Draft> {
    let (blocks, sms) = (m.blocks?, m.sms?);
    let is_part = m.waves.map_or(blocks < sms, |waves| waves < 1.0);
    let is_covered = is_covered(m);
    // SMs without a block are the tail, chains of loads are as many as the problem has, one slice of L2 serves more blocks no faster, and
    // where nobody counted instructions it can be what few blocks differ by.
    let differ = m.study.is_none() && blocks < sms && !is_small_grid(m);
    let is_idle = is_lone(m) || differ || m.chain().is_some() || hot_spot(m).is_some() || !is_covered && blocks >= sms;
    let whole = outermost(m);
    if !is_part || is_idle || m.is_by_design() != Some(false) || m.study.is_some() && whole.is_none() {
        return None;
    }
    // Without counts by instruction: code without a way back has no loop, and a warp that runs no more of it than there is takes one turn.
    let issued = || Some(m.need(Part::Issue) * f64::from(m.chip()?.schedulers_per_sm) * m.sm_cycles()?);
    let executed = m.executed().or_else(issued).filter(|executed| *executed > 0.0);
    let length = executed.zip(m.block_warps).map(|(all, warps)| all / (warps * blocks));
    let is_straight = m.code().is_some_and(|code| code.loops.is_empty());
    let rows = m.code().map_or(0.0, |code| code.rows.len() as f64);
    if m.study.is_none() && (is_straight || length.is_some_and(|length| length < rows.max(SHORTEST))) {
        return None;
    }
    let stores = whole.is_some_and(|(study, cycle)| {
        study.code.rows_of(&cycle.blocks).any(|row| study.code.op(row).stores_global() && study.code.executed[row] > 0)
    });
    // In a full wave a split fills no slots. Turns that store their own results cost nothing to split, and shorter blocks end together;
    // sums over all turns need one more pass.
    if m.waves.is_some_and(|waves| waves >= FULL_WAVE) && !stores {
        return None;
    }
    // The warps of an SM that has a block, of those that fit.
    let filled = if is_covered { m.filled().unwrap_or(1.0) } else { 1.0 };
    // More blocks that all stay share out pieces of unequal length in turn as well.
    let tail = if dealt(m).is_some() { 1.0 } else { 0.0 };
    // What a warp of few instructions does is what each part of it does again.
    let own = length.map_or(0.0, |length| (SHORTEST / length).min(1.0)).max(filled);
    let change = Change { warps: (own.max(0.25), own), tail: (tail, 0.0), ..Change::default() };
    let carried = whole.and_then(|(study, cycle)| hands_on(study, cycle));
    let fit = m.at_once().map(|fit| words!(": {} blocks fit at once", count(fit))).unwrap_or_default();
    // Threads that share the turns of a loop take fewer each where they are more.
    let is_shared = whole.is_some_and(|(study, cycle)| ends(study, cycle).iter().any(|end| end.thread && !end.block));
    let registers = m.value(Counter::LaunchRegistersPerThread).zip(m.occupancy.registers);
    let has_room = registers.is_none_or(|(own, file)| THREADS * own <= file.all);
    // Larger blocks leave SMs without a block as they are: where most are, the split comes first.
    let has_blocks = 2.0 * blocks >= sms;
    let is_larger = has_blocks && is_shared && has_room;
    let is_larger = is_larger && m.block_warps.is_some_and(|warps| 2.0 * WARP * warps <= THREADS);
    let (how, risk) = match (is_larger, stores) {
        _ if matches!(carried, Some((Carried::Scan, _))) => (
            words!(
                "A scan: parts of the loop side by side, each reduced first, then gone through from what those before it leave{}",
                fit
            ),
            "the input is read twice, or results are handed on from part to part (look-back); another order of additions",
        ),
        (true, _) => (
            words!("Blocks of up to {} threads for the same loop, then the loop split{}", count(THREADS), fit),
            "a reduction over more warps",
        ),
        (false, true) => {
            (words!("More blocks with a shorter loop each{}", fit), "what each block does before its loop")
        }
        (false, false) => {
            (words!("Split the loop: its turns across more warps or blocks{}", fit), "a reduction across blocks")
        }
    };
    let why = words!("{} on {} SMs", format::counted(blocks as u64, "block"), count(sms));
    // Turns that go to neighbouring lanes bring these together.
    let draft = may_pack(m, Draft::of(Action::MoreBlocks, change)).at(at_loop(m)).says(how, why);
    // Blocks that fill a wave leave slots, or SMs, empty by ending apart.
    let is_full = m.waves.is_some_and(|waves| waves >= FULL_WAVE);
    let emptied = [m.filled(), m.unequal.map(|idle| 1.0 - idle)].map(|left| left.filter(|_| is_full));
    let check = match (emptied, m.waves) {
        ([slots, Some(sms)], _) if slots.is_none_or(|slots| slots > sms) => {
            words!("busy time of the average SM over the busiest {} → 1", fixed(sms, 2))
        }
        ([Some(slots), _], _) => words!("warps on an SM {} of those that fit → {}", share(slots), share(1.0)),
        (_, Some(now)) => words!("waves {} → 1", fixed(now, 2)),
        (_, None) => "waves ≥ 1".into(),
    };
    let draft = draft.risks(risk).checks(check, WAVES);
    Some(match carried {
        Some((Carried::Recurrence, why)) => spread(m, why).unwrap_or_else(|| draft.not_here(why)),
        Some((Carried::Scan, _)) => read_twice(m, draft),
        None => draft,
    })
}

/// The warps of a few large blocks on all SMs, where the turns of their loop follow one another and no barrier holds a block together: what
/// each warp waits for itself stays, the queues of those beside it go. At best nothing stays but what each of its instructions takes.
fn spread(m: &Measures<'_>, turns: &'static str) -> Option<Draft> {
    let (blocks, sms, warps) = (m.blocks?, m.sms?, m.block_warps?);
    let each = (blocks * warps / sms).ceil();
    let meets = |op: Op| matches!(op.sync(), Some(Sync::Mbarrier));
    if blocks >= sms || each >= warps || barriers_executed(m) != Some(0.0) || m.count(meets) > 0.0 {
        return None;
    }
    let saves = |left: f64| (1.0 - m.machine.time.ramp) * (1.0 - left);
    let [left, least] = m.machine.spread(each / warps, m.waits(&OF_EACH));
    let draft = Draft::of(Action::MoreBlocks, Change { fixed: (saves(left), saves(least)), ..Change::default() });
    let all = blocks * warps;
    let how = words!("Smaller blocks: the {} warps of the grid on {} SMs", count(all), count(all.min(sms)));
    let why = words!("{} on {} SMs; {}", format::counted(blocks as u64, "block"), count(sms), turns);
    let check = words!("warps on an SM {} → {}", fixed(m.warps?, 1), fixed((all / sms).max(1.0), 1));
    Some(draft.at(At::Launch).says(how, why).risks("what each block does once, more often").checks(check, ACHIEVED))
}
