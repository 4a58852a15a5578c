//! Barriers and fences of the block, and tiles that are loaded between two of them.

use super::balance::recurs_in_shared;
use super::buffers::double_buffer;
use super::indices::{divided, of_index};
use super::units::wait;
use super::work::{arithmetic, barriers_executed, by_shuffles, exchanges, is_once, of_values, width};
use super::*;
use crate::analysis::phases::reached;
use cuda_binary::op::Control;

pub(super) const PATTERNS: [Pattern; 1] =
    [Pattern::asks("Do warps exchange values in rounds of barriers?", rounds, Stands::For(Action::FewerBarriers))
        .needs(("stall reasons and executions by opcode", |m| {
            m.top_wait().is_some() && m.executions(|_| true).is_some()
        }))
        .cured_by(&[barriers, double_buffer])];

/// Rounds of few accesses to shared memory and a barrier, of which the barrier is the largest wait.
fn rounds(m: &Measures<'_>) -> Option<Held> {
    let reason = StallReason::Barrier;
    // Behind products the barrier is for them, or for a stage.
    m.top_wait().filter(|(top, _)| *top == reason && !m.has_tensor)?;
    exchanges(m)?.then(|| wait(m, reason)).flatten()
}

/// Whether what goes through shared memory is an exchange between warps, in rounds of barriers.
pub(super) fn is_in_rounds(m: &Measures<'_>) -> bool {
    exchanges(m) == Some(true) || steps(m).is_some()
}

/// Loads of a value of the turn before: by its own thread, and by one to each side.
const READERS: f64 = 3.0;

/// Rows of a problem that a thread keeps in registers at most, each of a few values.
const ROWS: f64 = 8.0;

/// Warps of a scheduler from which on one issues while another waits for the result before.
const BUSY_WARPS: f64 = 2.0;

/// Turns of a loop whose values lie in shared memory from turn to turn, each read by a few threads behind a barrier, and the rows of a
/// thread where a warp takes the whole problem of a block. A tree or a butterfly over the threads of a block takes as many turns as the
/// logarithm of their number; what takes more has rows of its own there, as a table of scores by its diagonals, or steps of time. `None`
/// elsewhere, where the rows are too many for registers, and where the grid has too few problems for a warp each.
fn steps(m: &Measures<'_>) -> Option<(f64, f64)> {
    let (study, warps) = (m.sampled_code()?, m.block_warps.filter(|warps| (2.0..=ROWS).contains(warps))?);
    let code = &study.code;
    let schedulers = m.sms? * f64::from(m.chip()?.schedulers_per_sm);
    let count =
        |rows: &[usize], is_own: fn(Op) -> bool| code.sum(rows.iter().filter(|row| is_own(code.op(**row)))) as f64;
    let turns = |barrier: usize| {
        let cycle = code.innermost(barrier).filter(|cycle| recurs_in_shared(study, cycle))?;
        let rows: Vec<usize> = code.rows_of(&cycle.blocks).collect();
        let turns = code.turns_of(cycle)?;
        let is_near = count(&rows, Op::loads_shared) <= READERS * count(&rows, Op::stores_shared);
        (is_near && turns > 2.0 * (WARP * warps).log2()).then_some(turns)
    };
    let barriers = code.run().filter(|row| code.is_block_barrier(*row));
    let found = barriers.filter_map(turns).max_by(f64::total_cmp)?;
    (m.blocks? >= BUSY_WARPS * schedulers).then_some((found, warps))
}

/// Instructions of a round for each of its accesses and barriers: beside that its address, or who takes part.
const OF_ONE: f64 = 2.0;

/// What is expected to stay of the work of rounds through shared memory.
const ROUNDS: f64 = 0.6;

/// What a block waits for at a barrier behind a loop that asks memory until another block has written it.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Meeting {
    /// All blocks: whoever asks has added to a counter.
    Grid,
    /// The block before: the one behind is told what came of its answer.
    Chain,
    Other,
}

/// The load that asks for other blocks, with what is waited for, where the barrier with most waits stands behind it and a warp of each
/// block spends a good part of that time on the way there. The loop stores nothing, and what leads out of it is a value from an address
/// that stays the same in the loop, which a compiler loads again only where others may write it.
pub(super) fn meeting(m: &Measures<'_>) -> Option<(Point, Meeting)> {
    let study = m.sampled_code()?;
    let code = &study.code;
    let asks = |rows: &[usize]| {
        let is_inside = |row: &usize| rows.contains(row);
        if rows.iter().any(|row| code.op(*row).act() == Some(Act::Store)) {
            return None;
        }
        let branches = rows.iter().filter(|row| code.op(**row).control() == Some(Control::Branch));
        let mut behind = branches.flat_map(|row| code.behind_row(*row)).filter(is_inside);
        behind.find(|row| {
            let is_load = code.op(*row).loads_global() && code.executed[*row] > 0;
            is_load && !code.address_behind(*row).iter().any(is_inside)
        })
    };
    let name: &str = StallReason::Barrier.into();
    let waits = study.samples.reasons.get(name)?;
    let barriers = (0..code.rows.len()).filter(|row| code.is_block_barrier(*row));
    let barrier = barriers.max_by_key(|row| waits[*row])?;
    let meets = |block: usize| code.rows_of([&block]).any(|row| code.is_block_barrier(row));
    // What few warps run, in front of the barrier that all reach.
    let is_for_few = |block: usize| 2 * code.entries(block) <= code.executed[barrier];
    code.loops.iter().find_map(|cycle| {
        let row = asks(&code.rows_of(&cycle.blocks).collect::<Vec<usize>>())?;
        let ahead = code.flow.reach(cycle.header, |from, _| !meets(from));
        let near = |block: usize| code.flow.blocks[block].successors.iter().chain(&code.predecessors[block]).copied();
        let around = reached(cycle.blocks.iter().copied(), |block| near(block).filter(|near| is_for_few(*near)));
        let rows: Vec<usize> = code.rows_of(cycle.blocks.union(&around)).collect();
        let spent = study.samples.at(&rows) as f64 * m.block_warps?;
        if !ahead.contains(&code.block_of[barrier]) || spent < MOST * waits[barrier] as f64 {
            return None;
        }
        let told = rows.iter().filter(|row| code.op(**row).writes_global() && code.executed[**row] > 0);
        let meeting = match told.clone().any(|told| code.behind_row(*told).contains(&row)) {
            true => Meeting::Chain,
            false if told.into_iter().any(|told| code.op(*told).is_l2_atomic()) => Meeting::Grid,
            false => Meeting::Other,
        };
        Some((point(study, row), meeting))
    })
}

/// Steps between two barriers of the grid, in place of one, that are expected.
const STEPS: f64 = 2.0;

/// Fewer waits of blocks for each other.
fn meets_less(wait: f64, (at, meeting): (Point, Meeting)) -> Draft {
    let asks = words!("warps wait at block barriers {} of their time, for a warp that asks for", share(wait));
    let (frees, how, why, risk) = match meeting {
        Meeting::Grid => (
            1.0 - 1.0 / STEPS,
            "Several steps between two barriers of the grid, on a wider halo that is computed twice",
            words!("{} all other blocks", asks),
            "more work a step; registers or shared memory for the halo",
        ),
        Meeting::Chain => (
            MOST_OF,
            "Publish the block's own part before waiting, and look back over several blocks (decoupled look-back)",
            words!("{} the block before, and tells the next one only then", asks),
            "a flag for each state of a part; the order of stores",
        ),
        Meeting::Other => {
            (1.0 - 1.0 / STEPS, "More work for each wait for another block", words!("{} another block", asks), "")
        }
    };
    let draft = Draft::new(Action::FewerBarriers).frees(frees * wait, wait);
    let check = stall("barrier stall", wait, frees * wait);
    draft.at(At::point(&at)).says(how, why).risks(risk).checks(check, StallReason::Barrier.per_issue())
}

/// The part of the wait at barriers that is expected to go with most of them.
const MOST_OF: f64 = 0.8;

/// The part of the wait at a barrier behind loads that is for the barrier, and not for them.
const AT_LOADS: f64 = 0.25;

/// Barriers of a warp that are no rounds.
const FEW: f64 = 2.0;

/// What stays for each element of a block that takes twice as many.
const TWICE: f64 = 0.5;

/// Fewer barriers of the block.
pub(super) fn barriers(m: &Measures<'_>) -> Option<Draft> {
    let reason = StallReason::Barrier;
    // A round of barriers is also a round through shared memory; where nobody counted them, at best.
    let (is_round, steps) = (is_in_rounds(m), steps(m));
    let may_be = is_round || exchanges(m).is_none();
    let through = if may_be { m.waits(&FOR_SHARED) } else { 0.0 };
    let is_exchange = is_round && is_once(m) && steps.is_none();
    let wait = m.wait(reason)?;
    // Of waits that are hidden what is left is the work beside them, which rows in registers make less.
    if m.has_tensor || m.stalls.are_hidden && steps.is_none() {
        return None;
    }
    if let Some(found) = meeting(m) {
        return Some(meets_less(wait, found));
    }
    // One or two barriers in the life of a warp are no rounds: what they wait for is in front of them, which is less for each element
    // where its lanes bring several at once.
    let warps = m.blocks.zip(m.block_warps).map(|(blocks, warps)| blocks * warps);
    let each = barriers_executed(m).zip(warps).map(|(barriers, warps)| barriers / warps);
    // Those of a tile go with a second buffer for it, where there is room for one.
    let is_narrow = is_exchange && width(m, true).is_some_and(|(bits, _)| bits < WIDEST);
    if !is_narrow && each.is_some_and(|each| each <= FEW) || !may_be && double_buffer(m).is_some() {
        return None;
    }
    let of_loads = m.waits_for_loads().filter(|_| is_exchange);
    // What goes with a barrier of the work is the exchange around it; words of a tile, read many times between two of them, stay. A block
    // that loads each element once lives as long for twice as many: half of its waits for loads goes, and of its rounds stays what shuffles
    // leave. A thread that keeps several rows passes their edges on alone, and does for all of them what each turn does beside arithmetic.
    let kept = match of_loads {
        Some(_) => by_shuffles(m).unwrap_or(TWICE),
        None => steps.map_or(if is_round { ROUNDS } else { 1.0 }, |(_, rows)| 1.0 / rows),
    };
    // Where loads are the largest wait those who wait for the others wait for their loads, which stay.
    let for_loads = of_loads.is_none() && m.top_wait().is_some_and(|(top, _)| top == StallReason::LongScoreboard);
    let of_barrier = match steps {
        // A warp that has all rows of a problem meets no other.
        Some(_) => 1.0,
        None if for_loads => MOST_OF * AT_LOADS,
        None => MOST_OF,
    };
    let draft = Draft::new(Action::FewerBarriers);
    let draft = match may_be {
        true => {
            let accesses = m.executions(|op| op.is_in(Space::Shared) && op.is_by_lane()).filter(|_| of_loads.is_none());
            let all = accesses.zip(barriers_executed(m)).zip(m.executed());
            let part = all.map_or(1.0, |((own, barriers), all)| (OF_ONE * (own + barriers) / all).min(1.0));
            let draft = draft.rewrites().keeps(&L1, kept, 0.0);
            match steps {
                Some(_) => {
                    let values = of_values(m);
                    // Of values that are integers nobody knows which arithmetic is theirs: addresses alone are not. Divisions go by
                    // themselves.
                    let divisions = divided(m).map_or(0.0, |own| own.gone);
                    let is_of_values = arithmetic(m).is_some_and(|own| own >= WORTH_A_TRY);
                    let own = |part: Part| match is_of_values {
                        true => values.iter().find(|(own, _)| *own == part).map_or(0.0, |(_, own)| *own),
                        false => 1.0 - (of_index(m, part).unwrap_or_default() - divisions).max(0.0),
                    };
                    let pipes = m.machine.parts().filter(|part| level::place(*part) == level::PIPES);
                    pipes.fold(draft, |draft, part| {
                        draft.keeps(&[part], own(part) + (1.0 - own(part)) * kept, own(part))
                    })
                }
                None => draft.keeps(&[Part::Issue], 1.0 - (1.0 - kept) * part, 0.0),
            }
        }
        false => draft,
    };
    let pipes = m.machine.parts().filter(|part| of_loads.is_some() && level::place(*part) == level::PIPES);
    let draft = pipes.fold(draft, |draft, part| draft.keeps(&[part], kept, 0.0));
    let of_loads = of_loads.unwrap_or_default();
    let inside = of_barrier * wait + (1.0 - kept) * through;
    let draft = draft.frees(inside + (1.0 - TWICE) * of_loads, wait + through + of_loads);
    let draft = if felt(m) < 1.0 { draft.expects(felt(m) * inside) } else { draft };
    let check = stall("barrier stall", wait, draft.saves(m).min(of_barrier * wait));
    let why = words!("warps wait at block barriers {} of their time", share(wait));
    let draft = draft.at(At::waits(m, reason)).checks(check, reason.per_issue());
    if let Some((turns, rows)) = steps {
        let how = words!(
            "Rows in registers: a warp to a problem, {} times the rows a thread, the values of others by shuffles",
            count(rows)
        );
        let why = words!("{}, in each of {} turns over values in shared memory", why, count(turns));
        return Some(draft.says(how, why).risks("registers for the rows; steps before all lanes have work"));
    }
    Some(match each.filter(|_| is_exchange) {
        Some(each) => {
            let how = match m.count(Op::is_shuffle) > 0.0 && is_narrow {
                true => {
                    "Fewer rounds: several elements a thread in front of them, 16 bytes a load, in blocks of fewer warps"
                }
                false => "Fewer rounds: several elements a thread in front of them, shuffles within a warp",
            };
            let waits = words!("at barriers {} of the warps' time, for shared memory {}", share(wait), share(through));
            draft.says(
                how,
                words!(
                    "{} {} in the life of a warp; {}",
                    plain(each, 1),
                    if each > 1.0 { "barriers" } else { "barrier" },
                    waits
                ),
            )
        }
        None if !may_be => draft.says("More work between two barriers: a larger tile, or a second buffer", why),
        None if m.count(Op::is_shuffle) > 0.0 => {
            draft.says("Fewer barriers: publish before waiting, use fewer rounds", why)
        }
        None => draft.because(why),
    })
}
