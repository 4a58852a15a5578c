//! Tiles of shared memory: a second buffer, so that the next one is on its way while this one is computed on.

use super::stages::shared_of_block;
use super::*;
use crate::analysis::phases::{Loop, reached};

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
pub(super) fn double_buffer(m: &Measures<'_>) -> Option<Draft> {
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
