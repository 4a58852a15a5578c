//! The loop that the work of blocks is in, and what ends it.

use super::*;
use crate::analysis::phases::{Carried, Line, Loop, Origin};
use crate::evidence::WarpSync;

/// The loop that a block spends most samples in, of those that are in no other one and turn.
pub(super) fn outermost<'a>(m: &Measures<'a>) -> Option<(&'a Study<'a>, &'a Loop)> {
    let study = m.study?;
    let code = &study.code;
    let turns = |cycle: &&Loop| code.repeats(cycle) == Some(true);
    let is_inside =
        |cycle: &Loop, other: &Loop| other.blocks.len() > cycle.blocks.len() && other.blocks.contains(&cycle.header);
    let found = code.loops.iter().filter(turns);
    let found = found.filter(|cycle| !code.loops.iter().filter(turns).any(|other| is_inside(cycle, other)));
    let samples = |cycle: &&Loop| study.samples.at(&code.rows_of(&cycle.blocks).collect::<Vec<usize>>());
    found.max_by_key(samples).map(|cycle| (study, cycle))
}

/// The branches that lead out of a loop.
pub(super) fn exits<'s>(study: &'s Study<'_>, cycle: &'s Loop) -> impl Iterator<Item = usize> {
    let blocks = &study.code.flow.blocks;
    let leads_out = |block: &&usize| blocks[**block].successors.iter().any(|to| !cycle.blocks.contains(to));
    cycle.blocks.iter().filter(leads_out).map(|block| blocks[*block].instructions.end - 1)
}

/// What is behind them.
pub(super) fn ends(study: &Study<'_>, cycle: &Loop) -> Vec<Origin> {
    exits(study, cycle).map(|row| study.code.origin_of_guard(row)).collect()
}

/// Whether all that a turn of a loop leaves in shared memory is made of what it read there behind a barrier.
pub(super) fn recurs_in_shared(study: &Study<'_>, cycle: &Loop) -> bool {
    let code = &study.code;
    let rows: Vec<usize> = code.run_in(cycle);
    let is_made_of_shared = |row: &usize| {
        let behind = code.behind_row(*row);
        behind.iter().any(|row| code.op(*row).loads_shared() && code.is_in(*row, cycle))
    };
    // A copy past the registers brings what no turn before has made.
    let mut stores =
        rows.iter().filter(|row| code.op(**row).stores_shared() || code.op(**row).copies_global()).peekable();
    stores.peek().is_some()
        && rows.iter().any(|row| code.is_block_barrier(*row))
        && stores.all(|row| code.op(*row).stores_shared() && is_made_of_shared(row))
}

/// How the turns of a loop follow one another, where they do, and why: each stores a value that the turn before left in registers (of
/// several the one that nobody has before), takes a function of it and hands the result on, or all that it leaves in shared memory is made of
/// what it read there behind a barrier.
pub(super) fn hands_on(study: &Study<'_>, cycle: &Loop) -> Option<(Carried, &'static str)> {
    let code = &study.code;
    let rows: Vec<usize> = code.run_in(cycle);
    let stored = rows.iter().filter(|row| code.op(**row).stores_global());
    let carried = stored.filter_map(|row| code.carried(*row));
    // Neighbours may hand on by shared memory what each of them adds up.
    let in_shared = || recurs_in_shared(study, cycle);
    let hands = carried.max_by_key(|own| *own == Carried::Recurrence);
    if let Some(own) = hands.filter(|own| *own == Carried::Recurrence || !in_shared()) {
        let why = "each turn of the loop stores a value that the turn before left, so that they follow one another";
        return Some((own, why));
    }
    // Of the loop itself: an inner one turns for itself, and what is called twice comes behind itself.
    let called = code.called_by(&cycle.blocks);
    let is_own = |row: usize| {
        let own = code.innermost(row).is_some_and(|own| own.header == cycle.header);
        own && !called.contains(&code.block_of[row])
    };
    let is_function = |row: &&usize| code.op(**row).is_of(&[Class::SpecialFunction]) && is_own(**row);
    if rows.iter().filter(is_function).any(|row| code.behind_row(*row).contains(row)) {
        let why = "each turn of the loop goes on from a function of what the turn before left, so that they follow one another";
        return Some((Carried::Recurrence, why));
    }
    in_shared().then_some((
        Carried::Recurrence,
        "each turn of the loop makes what it leaves in shared memory of what the turn before left there, so that they follow one another",
    ))
}

/// The same where what is loaded is loaded for the sums of parts as well; at best these are handed on, and it is not.
pub(super) fn read_twice(m: &Measures<'_>, draft: Draft) -> Draft {
    let part = |own: f64, all: f64| if all > 0.0 { (own / all).min(1.0) } else { 1.0 };
    let again = 1.0 + part(sectors_of(reads(m)), sectors_of(m.accesses()));
    let of_dram = m.dram_read().zip(m.sum(DRAM_BYTES)).map_or(1.0, |(read, moved)| part(read, moved));
    let parts: Vec<Part> = m.machine.parts().filter(|part| *part != Part::MemoryDram).collect();
    draft.keeps(&parts, again, 1.0).keeps(&[Part::MemoryDram], 1.0 + of_dram, 1.0)
}

/// The share of the samples from which a loop makes blocks differ.
const FELT: f64 = 0.02;

/// How the work of blocks compares, by what ends their loops.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Pieces {
    /// Neither memory nor a value that is not traced ends a loop, and each block takes as many turns.
    Equal,
    /// The same, but for one turn more or less: the number of the block ends a loop of these turns in the mean, no whole number.
    ToATurn(f64),
    /// The number of the block says how many turns it takes.
    ByNumber,
    /// The data of a block, or nobody knows what, ends its loops.
    Apart,
}

/// The loops that many samples are in.
fn felt<'s>(study: &'s Study<'_>) -> impl Iterator<Item = &'s Loop> {
    let samples = |cycle: &Loop| study.samples.at(&study.code.rows_of(&cycle.blocks).collect::<Vec<usize>>());
    study.code.loops.iter().filter(move |cycle| samples(cycle) as f64 >= FELT * study.samples.sum as f64)
}

/// Pieces that an SM has, where the numbers of its blocks say which these take, and loaded values how long each is.
pub(super) fn dealt(m: &Measures<'_>) -> Option<f64> {
    let (study, cycle) = outermost(m)?;
    let code = &study.code;
    let ends_by = ends(study, cycle);
    let is_by_number = ends_by.iter().any(|end| end.block) && !ends_by.iter().any(|end| end.memory || end.unknown);
    let asks = |own: &Loop| code.rows_of(&own.blocks).any(|row| code.sync(row) == WarpSync::MbarrierTest);
    let is_by_data = |own: &Loop| own != cycle && !asks(own) && ends(study, own).iter().any(|end| end.memory);
    let pieces = code.turns_of(cycle)? * m.blocks? / m.sms?;
    (is_by_number && felt(study).any(is_by_data)).then_some(pieces)
}

/// Whether blocks that stay draw the number of each tile: an atomic on L2 that answers to one lane for each, give or take one a block.
pub(super) fn take_from_queue(m: &Measures<'_>) -> bool {
    let tiles = m.phases.filter(|phases| phases.is_persistent).and_then(|phases| phases.tiles);
    let (Some(study), Some(tiles), Some(blocks)) = (m.study, tiles, m.blocks) else { return false };
    let code = &study.code;
    let answers = |row: usize| code.op(row).is_l2_atomic() && code.registers(row).written().next().is_some();
    let lanes = code.lanes.as_deref().unwrap_or_default().iter().enumerate();
    lanes.filter(|(_, lanes)| (**lanes as f64 - tiles).abs() <= blocks).any(|(row, _)| answers(row))
}

pub(super) fn pieces(m: &Measures<'_>) -> Pieces {
    let Some(study) = m.study else { return Pieces::Apart };
    let code = &study.code;
    let mut pieces = Pieces::Equal;
    for cycle in felt(study) {
        let ends = ends(study, cycle);
        if ends.is_empty() || ends.iter().any(|end| end.memory || end.unknown) {
            return Pieces::Apart;
        }
        let is_inside = |other: &Loop| other.blocks.len() > cycle.blocks.len() && other.blocks.contains(&cycle.header);
        // The number of the block ends it, so that some blocks take more turns than others.
        let by_block = |row: usize| m.kernel.key().grid.is_some_and(|grid| code.turns_by_block(cycle, row, grid.0));
        if !code.loops.iter().any(is_inside) && exits(study, cycle).any(by_block) {
            pieces = Pieces::ByNumber;
        }
        let turns = code.turns_of(cycle);
        match turns.filter(|turns| turns.fract() > 0.0) {
            Some(turns) if pieces == Pieces::Equal && ends.iter().any(|end| end.block) => {
                pieces = Pieces::ToATurn(turns);
            }
            None if turns.is_none() && ends.iter().any(|end| end.block) => return Pieces::Apart,
            _ => {}
        }
    }
    pieces
}

/// The line on which that loop turns; the launch where the code is not known.
pub(super) fn at_loop(m: &Measures<'_>) -> At {
    let Some((study, cycle)) = outermost(m) else { return At::Launch };
    let last = exits(study, cycle).max_by_key(|row| study.code.executed[*row]);
    at_call(point(study, last.unwrap_or(study.code.flow.blocks[cycle.header].instructions.start)))
}

/// The line on which a kernel asks which block it is, and takes its share of the work by it; the launch where the code is not known.
pub(super) fn at_block(m: &Measures<'_>) -> At {
    let asks = m.study.and_then(|study| Some(point(study, study.code.asks_for_block()?)));
    asks.map_or(At::Launch, at_call)
}

/// The line that calls the function of a line, else that line.
fn at_call(at: Point) -> At {
    match at.call.clone() {
        Some(Line { file, line }) => At::point(&Point { file, line, call: None, ..at }),
        None => At::point(&at),
    }
}

/// The part of the warps of a block up to which few outlive the others: lives of all lengths would leave half of them.
const LONE: f64 = 1.0 / 8.0;

/// Whether nearly all warps of a block end early in less than a wave: the chain of those that stay is the time, and blocks beside it have
/// chains as long.
pub(super) fn is_lone(m: &Measures<'_>) -> bool {
    let is_part = m.waves.is_some_and(|waves| waves < 1.0) && m.blocks.zip(m.sms).is_some_and(|(own, sms)| own <= sms);
    is_part && m.warps.zip(m.block_warps).is_some_and(|(held, all)| held <= LONE * all)
}

/// What is left to the last warps of a block, shared out.
pub(super) fn share_out(m: &Measures<'_>) -> Option<Draft> {
    let (held, all) = m.warps.zip(m.block_warps).filter(|_| is_lone(m))?;
    let how = "Share out what the last warps of a block do alone: over lanes and warps, or do it before the launch";
    let why =
        words!("of the {} warps of a block {} are there on average: one chain is the time", count(all), fixed(held, 1));
    let draft = Draft::new(Action::EvenBlocks).open("what ends the loops of that warp").at(at_loop(m)).says(how, why);
    let draft = draft.risks("another order of the work");
    Some(draft.checks(words!("warps on an SM {} → {}", fixed(held, 1), count(all)), ACHIEVED))
}

/// The largest share of the time that a last wave can cost: the rest of it, and no more than the slots for warps that stood idle.
pub(super) fn last_wave(m: &Measures<'_>) -> Option<f64> {
    if let Some(phases) = m.phases {
        return phases.time.last_wave.filter(|_| !phases.is_persistent);
    }
    let waves = m.waves.filter(|waves| *waves > 1.0)?;
    let unequal = m.unequal?;
    let idle = m.filled().map_or(unequal, |filled| 1.0 - (1.0 - unequal) * filled);
    Some((1.0 - waves / waves.ceil()).min(idle))
}

/// Whether most of the time in which the average SM is idle it waits for those that have most blocks, where all blocks are equal and run in
/// waves. Where a block of the last wave lasts as long as any, the SMs without one wait: `(1 − blocks of that wave / SMs) / waves`, with
/// whole waves. Where fewer blocks on an SM run faster, the SMs that had a block less wait: `1 − n / ⌈n⌉`, with n blocks for each SM.
pub(super) fn is_last_wave(m: &Measures<'_>) -> bool {
    let waves = m.waves.filter(|waves| *waves > 1.0 && waves.fract() > 0.0);
    let Some(((waves, idle), (blocks, sms))) = waves.zip(m.unequal).zip(m.blocks.zip(m.sms)) else { return false };
    let without = (1.0 - blocks * waves.fract() / waves / sms).max(0.0) / waves.ceil();
    let each = blocks / sms;
    2.0 * without.max(1.0 - each / each.ceil()) >= idle
}
