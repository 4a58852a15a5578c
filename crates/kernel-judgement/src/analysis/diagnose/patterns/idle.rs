//! Warps of a block that have nothing to load, and wait at its barriers for those that have.

use super::work::exchanges;
use super::*;
use cuda_binary::flow::Dominators;

/// The part of all warps of the blocks below which a branch leaves some out: a last block that is not full is no such branch.
const ALL: f64 = 0.97;

/// The part of a block of today that a smaller one is at most: the next power of two below the warps that have work.
const HALF: f64 = 0.5;

/// The warps of a block that have work.
struct Busy {
    /// In the mean of the blocks.
    warps: f64,
    /// The part of the executed instructions that is behind the branch that tells them apart.
    within: f64,
}

/// Warps that go behind a branch on the number of the thread in front of all loads that differ by lane, where what follows is an exchange
/// between all warps of the block. `None` where all of them load.
fn busy(m: &Measures<'_>) -> Option<Busy> {
    let (study, all) = (m.study.filter(|_| exchanges(m) == Some(true))?, m.block_warps?);
    let code = &study.code;
    let rows = 0..code.rows.len();
    // Each warp of a block comes once to the barrier that is executed least.
    let barriers = rows.clone().filter(|row| code.is_block_barrier(*row)).map(|row| code.executed[row]);
    let passes = barriers.filter(|executed| *executed > 0).min()? as f64;
    let loads = rows.clone().filter(|row| code.executed[*row] > 0 && code.op(*row).reads_global());
    let dominators = Dominators::of(&code.flow);
    let mut heads: Vec<usize> = Vec::new();
    for row in loads.filter(|row| code.differs_by_lane(*row, false)) {
        let is_for_some = |block: &usize| {
            (code.entries(*block) as f64) < ALL * passes && dominators.dominates(*block, code.block_of[row])
        };
        let ahead: Vec<usize> = (0..code.flow.blocks.len()).filter(is_for_some).collect();
        let first = ahead.iter().find(|own| ahead.iter().all(|other| dominators.dominates(**own, *other)))?;
        let is_by_thread = |from: &usize| {
            let guard = code.origin_of_guard(code.flow.blocks[*from].instructions.end - 1);
            guard.thread && !guard.elected
        };
        code.predecessors[*first].iter().any(is_by_thread).then_some(())?;
        heads.push(*first);
    }
    heads.sort_unstable();
    heads.dedup();
    let entered: u64 = heads.iter().map(|head| code.entries(*head)).sum();
    let is_within = |row: &usize| heads.iter().any(|head| dominators.dominates(*head, code.block_of[*row]));
    let within: u64 = rows.filter(is_within).map(|row| code.executed[row]).sum();
    let executed: u64 = code.executed.iter().sum();
    (entered > 0).then(|| Busy { warps: all * entered as f64 / passes, within: within as f64 / executed as f64 })
}

/// Blocks of as many warps as have work: more of them are there at once, and each has fewer to wait for.
pub(super) fn smaller_blocks(m: &Measures<'_>) -> Option<Draft> {
    let now = m.block_warps.filter(|_| m.waves.is_some_and(|waves| waves >= 1.0) && !m.has_tensor)?;
    let Busy { warps, within } = busy(m)?;
    let then = warps.max(1.0).log2().floor().exp2();
    let (part, turns) = (then / now, warps / then);
    if part > HALF {
        return None;
    }
    // Of blocks of a warp several make one, with a part of the work for each.
    let slots = m.warps? / m.filled()?;
    let fit = m.chip().filter(|_| then > 1.0).map_or(slots, |chip| then * f64::from(chip.max_blocks_per_sm));
    let latency = part * (slots / fit).max(1.0);
    // Who has work has as much of it, in more turns.
    let waits = m.waits_for_loads().unwrap_or_default();
    let expected = latency * (1.0 + (turns.max(1.0) - 1.0) * waits);
    let stays = within + (1.0 - within) * part;
    let change = Change { warps: (expected, latency), ..Change::default() };
    let draft = Draft::of(Action::SmallerBlocks, change).keeps(&m.machine.inside(), stays, within).at(At::Launch);
    let how = match then > 1.0 {
        true => words!("Blocks of {} threads", count(WARP * then)),
        false => words!("A warp for what a block does now, shuffles in place of its barriers, several to a block"),
    };
    let why = words!(
        "of the {} warps of a block {} have something to load; the others wait at its barriers",
        count(now),
        fixed(warps, 1)
    );
    let executed = m.executed().map(|all| words!("executed instructions {} → {}", count(all), count(stays * all)));
    Some(draft.says(how, why).checks(executed.unwrap_or_default(), EXECUTED))
}
