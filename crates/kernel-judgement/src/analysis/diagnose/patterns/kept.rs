//! Values that go through global memory though one thread, or one block, alone needs them; and loads that pass L1 by.

use super::reuse::REUSED;
use super::work::{answered, executed_on};
use super::*;
use crate::analysis::diagnose::level::L2_SECTORS;
use crate::analysis::phases::{Loop, PIPES, Place, reached};
use crate::evidence::{Arithmetic, Operand, OperandFrom};
use cuda_binary::op::Computes;
use std::collections::{BTreeMap, BTreeSet};

/// Accesses that go, with the part of each, 0 to 1.
type Gone = BTreeMap<usize, f64>;

/// Whether both are the same place for certain.
fn is_known(own: &Place, other: &Place) -> bool {
    own == other && own.bytes().is_some()
}

fn is_access(study: &Study<'_>, row: usize) -> bool {
    let op = study.code.op(row);
    let is_strong = || study.code.word(row).is_strong;
    study.code.executed[row] > 0 && (op.loads_global() || op.stores_global()) && !is_strong()
}

/// What a thread stores to one place on every turn of a loop, and what it loads there; and what it loads again from one place because a store
/// between may have changed it. Behind barriers, fences and atomics another thread may have written it.
fn again(study: &Study<'_>) -> Gone {
    let code = &study.code;
    let places = code.places();
    let stores = |row: &usize| code.op(*row).stores_global() && code.executed[*row] > 0;
    let is_shared = |row: &usize| {
        let op = code.op(*row);
        code.executed[*row] > 0 && (code.is_block_barrier(*row) || op.is_fence() || op.is_l2_atomic())
    };
    let left = |row: usize| {
        let place = places.get(&row)?;
        let block = code.flow.blocks[code.block_of[row]].instructions.start;
        let is_before = |other: &usize| {
            let is_here = is_access(study, *other) && places.get(other).is_some_and(|own| is_known(own, place));
            is_here && code.op(*other).loads_global() && (*other..row).any(|row| stores(&row))
        };
        if code.op(row).loads_global()
            && (block..row).any(|row| is_before(&row))
            && !(block..row).any(|row| is_shared(&row))
        {
            return Some(0.0);
        }
        let cycle = code.innermost(row)?;
        let inside: Vec<usize> = code.rows_of(&cycle.blocks).collect();
        if inside.iter().any(is_shared) || !inside.iter().any(stores) {
            return None;
        }
        if code.stands(row, cycle) {
            return Some((code.entered(cycle)? as f64 / code.executed[row] as f64).min(1.0));
        }
        // Turns around that go through the same places again: what is stored there is a row of the thread's own.
        let is_stored =
            inside.iter().filter(|row| stores(row)).any(|row| places.get(row).is_some_and(|own| is_known(own, place)));
        let inner = code.turns_of(cycle)?;
        (is_stored && inner <= IN_REGISTERS).then(|| 1.0 / code.turns_over(row))
    };
    let own = (0..code.rows.len()).filter(|row| is_access(study, *row));
    own.filter_map(|row| Some((row, 1.0 - left(row)?))).filter(|(_, part)| *part > 0.0).collect()
}

/// Loads that stand behind a store of their block where others there bring again what was loaded before it: where no store changes what is
/// loaded, all of them go out with the first ones.
fn held_back(study: &Study<'_>, gone: &Gone) -> Vec<usize> {
    let code = &study.code;
    let is_run = |row: &usize| code.executed[*row] > 0;
    let is_held = |row: &usize| {
        let block = code.flow.blocks[code.block_of[*row]].instructions.clone();
        let is_stored = (block.start..*row).filter(is_run).any(|row| code.op(row).stores_global());
        is_stored && block.into_iter().any(|row| gone.get(&row) == Some(&1.0))
    };
    let loads = gone.keys().all(|row| code.op(*row).loads_global()).then_some(0..code.rows.len());
    let loads = loads.into_iter().flatten().filter(|row| is_access(study, *row) && code.op(*row).loads_global());
    loads.filter(|row| !gone.contains_key(row) && is_held(row)).collect()
}

/// What is left where some accesses go in part, and nobody waits for some more, without words.
fn without(m: &Measures<'_>, study: &Study<'_>, action: Action, gone: &Gone, held: &[usize]) -> Option<Draft> {
    let (code, [sectors, _]) = (&study.code, study.sectors()?);
    let sum = |of: &[u64], is_meant: &dyn Fn(usize) -> bool| -> f64 {
        gone.iter().filter(|(row, _)| is_meant(**row)).map(|(row, part)| of[*row] as f64 * part).sum()
    };
    let is_load = |row: usize| code.op(row).loads_global();
    let (loads, stores) = (sum(&sectors, &is_load), sum(&sectors, &|row| !is_load(row)));
    let of_l2 = (((1.0 - answered(m)) * loads + stores) / m.value(L2_SECTORS)?).min(1.0);
    let fewer = sum(&code.executed, &|_| true);
    let stage = m.stage()?;
    let of_stage = (loads + stores) / sectors.iter().sum::<u64>().max(1) as f64 * stage.other() / stage.whole;
    let [of_requests, of_issue] = [m.requests()?, m.executed()?].map(|all| (fewer / all).min(1.0));
    let rows: Vec<usize> = gone.keys().copied().filter(|row| is_load(*row)).collect();
    let part = loads / rows.iter().map(|row| sectors[*row] as f64).sum::<f64>().max(1.0);
    let most = m.waits(&FOR_LOADS);
    let [own, held] = [&rows, held].map(|rows| traced(study, rows).unwrap_or_default());
    let for_loads = (part * own + held) * m.waits(&FOR_LOADS[..1]);
    let freed = for_loads + of_requests * m.waits(&FOR_LOADS[1..]);
    // Stores of one place meet in L2 mostly: DRAM is written once.
    let draft = Draft::new(action)
        .stays(&[Part::MemoryL2], 1.0 - of_l2)
        .keeps(&[Part::MemoryDram], 1.0, 1.0 - of_l2)
        .stays(&DATA_STAGE, 1.0 - of_stage)
        .stays(&[Part::MemoryLsu], 1.0 - of_requests)
        .stays(&[Part::Issue], 1.0 - of_issue)
        .frees(freed, most.max(freed));
    let first = gone.iter().max_by(|(a, of_a), (b, of_b)| {
        let weight = |row: usize, part: f64| sectors[row] as f64 * part;
        weight(**a, **of_a).total_cmp(&weight(**b, **of_b))
    })?;
    let draft = draft.at(At::row(study, *first.0));
    Some(match sum(&code.executed, &is_load) {
        0.0 => draft.loses(m, "sectors in L2", stores, count, L2_SECTORS),
        fewer => draft.loses(m, "requests of global loads", fewer, count, GLOBAL_LOADS),
    })
}

/// What serves some accesses alone: what makes their addresses, takes words apart that they load, or puts those together that they store.
fn serves(code: &KernelCode<'_>, accesses: &BTreeSet<usize>) -> BTreeSet<usize> {
    let readers = code.readers();
    let is_move = |row: &usize| code.word(*row).is_copy() || code.op(*row).computes() == Some(Computes::Permuted);
    let loaded = |row: usize| readers[row].iter().copied().filter(is_move);
    let stored = |row: usize| -> Vec<usize> {
        let from =
            if accesses.contains(&row) { code.data_of(row).collect() } else { Vec::from_iter(code.operands_of(row)) };
        from.into_iter().filter(is_move).collect()
    };
    let (loads, stores): (Vec<usize>, Vec<usize>) = accesses.iter().partition(|row| code.op(**row).loads_global());
    let moves = reached(loads, loaded).into_iter().chain(reached(stores, stored));
    moves.chain(code.only_for(accesses)).chain(accesses.iter().copied()).collect()
}

/// Values of one thread in its registers.
pub(super) fn of_thread(m: &Measures<'_>) -> Option<Draft> {
    let study = m.sampled_code()?;
    let (gone, [sectors, _]) = (again(study), study.sectors()?);
    let draft = without(m, study, Action::KeepInRegisters, &gone, &held_back(study, &gone))?;
    // At best nothing is left of what they alone need, nor of other loads that turns around bring again: registers hold several rows of these.
    let code = &study.code;
    let is_beside = |row: &usize| {
        let is_again = is_access(study, *row) && code.op(*row).loads_global() && code.turns_over(*row) > 1.0;
        is_again && gone.keys().any(|own| code.innermost(*own) == code.innermost(*row))
    };
    let served = serves(code, &gone.keys().copied().chain((0..code.rows.len()).filter(is_beside)).collect());
    let least = |part: Part, all: f64, runs: &dyn Fn(Op) -> bool| {
        (part, 1.0 - code.sum(served.iter().filter(|row| runs(code.op(**row)))) as f64 / all)
    };
    let pipes = PIPES.into_iter().filter_map(|part| {
        let all = executed_on(m, part).filter(|all| *all > 0.0)?;
        Some(least(part, all, &m.runs(part)?))
    });
    let all = pipes.chain([least(Part::Issue, m.executed()?, &|_| true)]);
    let draft = all.fold(draft, |draft, (part, least)| {
        let expected = draft.leaves(part);
        draft.keeps(&[part], expected, least.clamp(0.0, expected))
    });
    let sum = |is_store: bool| -> f64 {
        let own = gone.iter().filter(|(row, _)| study.code.op(**row).stores_global() == is_store);
        own.map(|(row, part)| sectors[*row] as f64 * part).sum()
    };
    let (loads, stores) = (sum(false), sum(true));
    let of_all = share((loads + stores) / sectors.iter().sum::<u64>().max(1) as f64);
    let how = match stores > 0.0 {
        true => "Keep what a thread adds up in registers, and store it once: its loop goes to one place for it on every turn".into(),
        false => words!(
            "Load it once: `{}` says that no store changes what is loaded, else copies in registers in front of the stores",
            "__restrict__"
        ),
    };
    Some(draft.says(how, words!("{} of the sectors are of places that the thread has loaded or stored before", of_all)))
}

/// The byte of the constant bank at which arguments begin at the earliest, behind the dimensions of the launch: on sm_70 to sm_89; since sm_90
/// at 0x210.
const ARGUMENTS: u16 = 0x160;

/// The pointers among the arguments that are behind the address of an access, by their bytes: words of which the next one is there as well.
pub(super) fn pointers(study: &Study<'_>, row: usize) -> BTreeSet<u16> {
    let code = &study.code;
    let mut words = BTreeSet::new();
    for behind in code.address_behind(row).iter().copied() {
        let constant = |operand: &Operand| match operand.from {
            OperandFrom::Constant(byte) => Some(byte),
            _ => None,
        };
        let count = code.registers(behind).written().map(|own| u16::from(own.count)).max().unwrap_or(1);
        match code.word(behind).arithmetic {
            Arithmetic::Constant(byte) => words.extend((0..count).map(|at| byte + 4 * at)),
            Arithmetic::MultiplyAdd([_, _, add]) => words.extend(constant(&add)),
            Arithmetic::Sum(parts) => words.extend(parts.iter().filter_map(constant)),
            Arithmetic::ShiftAdd(_, _, add) => words.extend(constant(&add)),
            _ => {}
        }
    }
    let is_pointer = |byte: &u16| *byte >= ARGUMENTS && byte.is_multiple_of(8) && words.contains(&(byte + 4));
    words.iter().copied().filter(is_pointer).collect()
}

/// Whether some stores of these accesses stand behind a load of them, or in a loop whose turns have one place for both: what was read is replaced.
fn is_stored_again(code: &KernelCode<'_>, rows: &[usize]) -> bool {
    let is_around = |cycle: &Loop, row: usize| cycle.blocks.contains(&code.block_of[row]) && code.stands(row, cycle);
    let turns = |load, store| code.loops.iter().any(|cycle| is_around(cycle, load) && is_around(cycle, store));
    let (loads, stores): (Vec<usize>, Vec<usize>) = rows.iter().partition(|row| code.op(**row).loads_global());
    stores.into_iter().any(|store| loads.iter().any(|load| *load < store || turns(*load, store)))
}

/// What a block writes to global memory and reads again behind a barrier, before anything was read there, in shared memory: it is there for
/// this block alone, as far as the launch tells.
pub(super) fn of_block(m: &Measures<'_>) -> Option<Draft> {
    let study = m.sampled_code()?;
    let (code, [sectors, _], blocks) = (&study.code, study.sectors()?, m.blocks?);
    let barriers: Vec<usize> = code.run().filter(|row| code.is_block_barrier(*row)).collect();
    barriers.first()?;
    // What agrees with other blocks is not the block's own.
    let agrees = |row: &usize| code.op(*row).is_fence() || code.op(*row).is_l2_atomic();
    if code.run().any(|row| agrees(&row)) {
        return None;
    }
    let accesses = (0..code.rows.len()).filter(|row| is_access(study, *row) && code.is_of_block(*row));
    let accesses: Vec<(usize, BTreeSet<u16>)> = accesses.map(|row| (row, pointers(study, row))).collect();
    let all: BTreeSet<u16> = accesses.iter().flat_map(|(_, own)| own).copied().collect();
    let own = |pointer: &u16| -> Vec<usize> {
        accesses.iter().filter(|(_, own)| own.contains(pointer)).map(|(row, _)| *row).collect()
    };
    let held = f64::from(m.chip()?.shared_per_block_max);
    let is_scratch = |rows: &Vec<usize>| {
        let is_store = |row: &&usize| code.op(**row).stores_global();
        let (first, last) = (rows.first(), rows.iter().rev().find(|row| !is_store(row)));
        let is_between = |last: &usize| barriers.iter().any(|barrier| rows[0] < *barrier && barrier < last);
        let stored: f64 = rows.iter().filter(is_store).map(|row| SECTOR * sectors[*row] as f64).sum();
        first.is_some_and(|row| is_store(&row)) && last.is_some_and(is_between) && stored <= held * blocks
    };
    let rows =
        all.iter().map(own).filter(is_scratch).max_by_key(|rows| rows.iter().map(|row| sectors[*row]).sum::<u64>())?;
    let sum = |is_own: bool, is_store: bool| -> f64 {
        let meant = accesses.iter().map(|(row, _)| *row);
        let meant = meant.filter(|row| rows.contains(row) == is_own && code.op(*row).stores_global() == is_store);
        meant.map(|row| SECTOR * sectors[row] as f64).sum()
    };
    // What is stored once may be a result as well, and is expected to stay one.
    let is_own = is_stored_again(code, &rows);
    // What DRAM moves beyond the other accesses is of these.
    let moved = [m.dram_read()?, m.dram_written()?];
    let written = (moved[1] - sum(false, true)).clamp(0.0, sum(true, true));
    let beyond = (moved[0] - sum(false, false)).clamp(0.0, sum(true, false)) + if is_own { written } else { 0.0 };
    let of_dram = beyond / moved.iter().sum::<f64>().max(1.0);
    let gone: Gone = rows.iter().map(|row| (*row, 1.0)).collect();
    let loads: Gone = rows.iter().filter(|row| code.op(**row).loads_global()).map(|row| (*row, 1.0)).collect();
    // At best what is stored stays in L2 until the launch has ended.
    let least = (moved[0] - sum(true, false)).max(0.0) / moved.iter().sum::<f64>().max(1.0);
    let [draft, expected] =
        [&gone, if is_own { &gone } else { &loads }].map(|gone| without(m, study, Action::ReuseInSm, gone, &[]));
    let (draft, of_l2) = (draft?, expected?.leaves(Part::MemoryL2));
    let least_of_l2 = draft.leaves(Part::MemoryL2);
    let draft = draft.keeps(&[Part::MemoryL2], of_l2, least_of_l2);
    let draft = draft.keeps(&[Part::MemoryDram], 1.0 - of_dram, least.min(1.0 - of_dram));
    // Shared memory takes the stage as often.
    let draft = draft.stays(&DATA_STAGE, 1.0).stays(&[Part::MemoryLsu, Part::Issue], 1.0);
    let bytes = glance::bytes(sum(true, true) / blocks);
    let how = "Keep what a block reads again in shared memory: it is written to global memory, and read there behind a barrier";
    let why = words!("{} a block are stored and read again, {} of the bytes of DRAM", bytes, share(of_dram));
    Some(draft.says(how, why).risks("shared memory; what a later kernel reads must still be stored once"))
}

/// Loads that must see what other threads write pass L1 by: those of values that nobody writes meanwhile are ordinary ones. Where the code
/// has no atomic and no fence, it agrees with no other block on anything. What L1 would answer are neighbours: loads that begin side by side,
/// of which each brings most of what the others bring to other lanes.
pub(super) fn past_l1(m: &Measures<'_>) -> Option<Draft> {
    let study = m.sampled_code()?;
    let (code, [sectors, _]) = (&study.code, study.sectors()?);
    let agrees = |row: usize| code.op(row).is_l2_atomic() || code.op(row).is_fence();
    let own: Vec<usize> = code.run().filter(|row| code.word(*row).is_strong).collect();
    let first = *own.iter().max_by_key(|row| sectors[**row])?;
    let places = code.places();
    let has_neighbour = |row: &&usize| {
        let is_beside = |other: &&usize| places.get(*other).zip(places.get(*row)).is_some_and(|(a, b)| a.is_beside(b));
        own.iter().filter(|other| other != row).any(|other| is_beside(&other))
    };
    let are_neighbours = 2 * own.iter().filter(has_neighbour).count() > own.len();
    if !are_neighbours || code.run().any(agrees) {
        return None;
    }
    let touched = own.iter().map(|row| sectors[*row] as f64).sum::<f64>();
    let once = (m.dram_read()? / SECTOR / touched).min(1.0);
    let part = (touched / m.value(L2_SECTORS)?).min(1.0);
    let [stays, least] = [once.max(REUSED), once].map(|left| 1.0 - part * (1.0 - left));
    let wait = traced(study, &own)? * m.waits(&FOR_LOADS[..1]);
    let most = m.waits(&FOR_LOADS);
    let draft = Draft::new(Action::ReuseInSm)
        .keeps(&[Part::MemoryL2], stays, least)
        .frees((1.0 - once.max(REUSED)) * wait, most)
        .at(At::row(study, first));
    let how =
        words!("Ordinary loads (`{}`): L1 never answers `volatile` ones and `{}`", "const __restrict__", "__ldcg");
    let why = words!(
        "{} strong loads of warps go to L2 for {} sectors; DRAM is read for {} of them",
        count(code.sum(&own) as f64),
        count(touched),
        share(once)
    );
    let draft = draft.says(how, why).risks("what another thread writes meanwhile is seen late or never");
    // Of the requests that are strong now as many more are answered as come again.
    let hits = m.value(L1_HITS)? / 100.0;
    let of_all = touched / study.sectors()?[0].iter().sum::<u64>().max(1) as f64;
    let then = (hits + of_all * (1.0 - REUSED)).min(1.0);
    Some(draft.checks(words!("hit rate of L1 {} → {} or more", share(hits), share(then)), L1_HITS).rises())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::phases::by_hand::{ended, r, word};
    use crate::evidence::MachineWord;
    use cuda_binary::sass::Flow;

    /// Accesses, of which the last one jumps back to a row.
    fn is_again(ops: &[Op], back: Option<u64>) -> bool {
        let mut words: Vec<MachineWord> = ops.iter().map(|op| word(*op, &[], &[])).collect();
        if let (Some(row), Some(last)) = (back, words.last_mut()) {
            (last.flow, last.target) = (Flow::Jump { conditional: true }, Some(16 * row));
        }
        let rows = ended(&words);
        let code = KernelCode::counted(&rows, vec![1; rows.len()], None);
        is_stored_again(&code, &(0..ops.len()).collect::<Vec<usize>>())
    }

    #[test]
    fn halves_of_a_word_are_there_for_its_accesses_and_what_is_made_of_them_is_not() {
        let rows = ended(&[
            word(Op::IADD3, &[r(2)], &[r(1)]),
            word(Op::LDG, &[r(4)], &[r(2)]),
            word(Op::PRMT, &[r(5)], &[r(4)]),
            word(Op::VIADD, &[r(6)], &[r(5)]),
            word(Op::PRMT, &[r(7)], &[r(6)]),
            word(Op::STG, &[], &[r(2), r(7)]),
        ]);
        let code = KernelCode::counted(&rows, vec![1; rows.len()], None);
        assert_eq!(Vec::from_iter(serves(&code, &BTreeSet::from([1, 5]))), [0, 1, 2, 4, 5]);
        assert_eq!(Vec::from_iter(serves(&code, &BTreeSet::from([1]))), [1, 2], "another access has its address");
    }

    #[test]
    fn what_is_stored_behind_a_load_of_it_is_no_result() {
        assert!(!is_again(&[Op::STG, Op::STG, Op::LDG, Op::LDG], None), "stored, and read behind a barrier");
        assert!(is_again(&[Op::STG, Op::LDG, Op::STG], None), "replaced");
        assert!(is_again(&[Op::STG, Op::LDG], Some(0)), "replaced on the next turn");
    }
}
