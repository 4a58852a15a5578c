//! Barriers and fences of the block, and tiles that are loaded between two of them.

use super::balance::recurs_in_shared;
use super::indices::{divided, of_index};
use super::stages::shared_of_block;
use super::units::wait;
use super::work::{arithmetic, barriers_executed, by_shuffles, exchanges, is_once, of_values, width};
use super::*;
use crate::analysis::phases::{Loop, reached};
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
        None => draft.because(why),
    })
}

/// Barriers of the block in a turn of the main loop below which its tiles have two buffers.
const TWO_BUFFERS: f64 = 1.5;

fn barriers_a_turn(m: &Measures<'_>) -> Option<f64> {
    let code = &m.study?.code;
    let barriers: Vec<usize> = m.study?.main_rows().filter(|row| code.is_block_barrier(*row)).collect();
    let holds = |cycle: &&Loop| barriers.iter().any(|row| code.is_in(*row, cycle));
    // A loop inside that holds none turns more often than the tiles do.
    let cycle = code.loops.iter().filter(holds).min_by_key(|cycle| cycle.blocks.len())?;
    let own = barriers.iter().filter(|row| code.is_in(**row, cycle));
    let turns = Some(code.entries(cycle.header)).filter(|turns| *turns > 0)?;
    Some(code.sum(own) as f64 / turns as f64)
}

/// The part of the arithmetic of a turn from which on a load in front of it is for the next one.
const AHEAD: f64 = 0.25;

/// Whether the loads of the main loop go out so far in front of the first use of their values that arithmetic of the loop runs meanwhile.
fn loads_ahead(m: &Measures<'_>) -> bool {
    let Some(study) = m.study else { return false };
    let code = &study.code;
    let rows: Vec<usize> = study.main_rows().filter(|row| code.executed[*row] > 0).collect();
    let computes = |rows: &[usize]| -> u64 {
        rows.iter().filter(|row| code.op(**row).class() == Some(Class::Fp32)).map(|row| code.executed[*row]).sum()
    };
    let is_ahead = |at: usize| {
        let registers = &code.registers(rows[at]);
        let own: Vec<Register> = registers.written().filter(|own| own.file == RegisterFile::General).collect();
        let meets = |row: &usize| code.registers(*row).read().any(|read| own.iter().any(|own| own.meets(&read)));
        let until = rows[at + 1..].iter().position(meets).map_or(rows.len(), |found| at + 1 + found);
        computes(&rows[at..until]) as f64 >= AHEAD * computes(&rows) as f64
    };
    let mut loads = (0..rows.len()).filter(|at| code.op(rows[*at]).loads_global()).peekable();
    loads.peek().is_some() && computes(&rows) > 0 && loads.all(is_ahead)
}

/// The part of the wait for a tile that goes with a second buffer: addresses change with the buffer, and warps that wait no longer meet in front
/// of the units. Of 149 M warp cycles that `mma_two_stages` waits less for loads than `mma_one_stage` 74 M come back, with 1.5 times the
/// instructions (both in pairs/h200.ncu-repz).
const OVERLAPPED: f64 = 0.5;

/// Whether it brings global memory to shared memory, by whatever arithmetic of its thread: what other lanes have a part in is their sum.
fn brings(code: &KernelCode<'_>, row: usize) -> bool {
    let is_load = |at: usize| code.op(at).loads_global();
    let behind = |at: usize| code.operands_of(at).filter(move |_| !is_load(at)).collect::<Vec<usize>>();
    let is_loaded = || {
        let values: Vec<usize> = code.data_of(row).collect();
        let made_of = reached(values.iter().copied(), behind);
        let mut all = values.iter().chain(&made_of);
        all.clone().any(|at| is_load(*at)) && !all.any(|at| code.op(*at).is_shuffle())
    };
    code.executed[row] > 0 && (code.op(row).copies_global() || code.op(row).stores_shared() && is_loaded())
}

/// Load the next tile while this one is computed on: with products, one more stage in front of them.
fn double_buffer(m: &Measures<'_>) -> Option<Draft> {
    let phases = m.sampled()?;
    let main = phases.phase(PhaseKind::MainLoop)?;
    let of = |kind: PhaseKind| main.parts.iter().filter(move |part| part.kind == kind);
    let tile = || of(PhaseKind::Barrier).chain(of(PhaseKind::Load));
    m.study.filter(|study| study.main_rows().any(|row| brings(&study.code, row)))?;
    let has_products = phases.tensor.is_some();
    let cost: f64 = match has_products {
        // Who waits at the barrier for other warps waits for no data; the stages of bulk copies have a row of their own.
        true if m.at_mbarriers() > 0.0 => return None,
        true => {
            let for_data =
                |part: &Phase| part.waits.iter().find(|wait| wait.reason == "long_scoreboard").map(|own| own.share);
            main.parts.iter().map(|part| part.cost * for_data(part).unwrap_or_default()).sum()
        }
        // A group of copies that stays in flight across the wait is the tile after this one.
        false if m.study.and_then(Study::copies_ahead).is_some_and(|ahead| ahead > 0) || loads_ahead(m) => return None,
        false if of(PhaseKind::Barrier).next().is_none() || of(PhaseKind::Load).next().is_none() => return None,
        false => tile().map(|part| part.cost).sum(),
    };
    if cost < WORTH {
        return None;
    }
    let draft = Draft::new(Action::DoubleBuffer).frees(OVERLAPPED * cost, cost);
    // An asynchronous copy passes no register: the stores of the tile go.
    let stores = |study: &Study<'_>| -> Vec<usize> {
        study.main_rows().filter(|row| study.code.op(*row).stores_shared()).collect()
    };
    let stored = m.sampled_code().filter(|_| has_products).and_then(|study| of_stage(m, &stores(study)));
    let draft = stored.into_iter().fold(draft, |draft, stored| draft.stays(&DATA_STAGE, 1.0 - stored));
    // With one buffer a turn takes two barriers, one before it is read and one before it is written again.
    let has_two = !has_products && barriers_a_turn(m).is_some_and(|barriers| barriers < TWO_BUFFERS);
    let tiles = shared_of_block(m).filter(|bytes| *bytes > 0.0 && !has_two);
    let most = m.chip().map(|chip| f64::from(chip.shared_per_block_max));
    if let Some((bytes, most)) = tiles.zip(most).filter(|(bytes, most)| 2.0 * bytes > *most) {
        let why = words!("a block has {} of at most {} B of shared memory", count(bytes), count(most));
        return Some(draft.not_here(why));
    }
    let has_stages = has_products && m.executions(Op::copies_global).is_some_and(|count| count > 0.0);
    let (sentence, why) = match has_products {
        true => (
            match has_stages {
                true => words!("One more stage of tiles in flight"),
                false => words!("Copy the next tile (`cp.async`, several stages) while this one is multiplied"),
            },
            words!("{} of a warp's lifetime waits for the data of a stage", share(cost)),
        ),
        false => {
            // Warps that wait for their turn lose nothing there.
            let all: f64 = tile().map(|part| part.share).sum();
            let ready = Some(all - cost).filter(|ready| *ready >= 0.001);
            let ready =
                ready.map(|ready| words!(", {} points of them ready and not selected", fixed(100.0 * ready, 1)));
            (
                match has_two {
                    true => words!("Load the next tile before this one is computed on: its buffer is there"),
                    false => words!("Double-buffer the tiles"),
                },
                words!("{} of a warp's lifetime in tile loads and barriers{}", share(all), words::maybe(ready)),
            )
        }
    };
    let risk = match (has_two, has_stages) {
        (true, _) => Some("registers for the next tile".into()),
        (_, true) => {
            tiles.map(|bytes| words!("one stage more of shared memory; those of today take {} B", count(bytes)))
        }
        (_, false) => tiles.map(|bytes| words!("+ {} B of shared memory", count(bytes))),
    };
    let draft = draft.at(At::span(&main.at)).says(sentence, why).risks(risk.unwrap_or_default());
    let waits = [StallReason::Barrier, StallReason::LongScoreboard];
    // Of reasons that nobody counted the samples of the tile tell.
    let check = match m.waits(&waits) > 0.0 {
        true => draft.waits_left(m, "barrier + long scoreboard", &waits),
        false => stall("samples in loads and barriers of a tile", cost, draft.expected(m)),
    };
    Some(draft.checks(check, StallReason::Barrier.per_issue()))
}
