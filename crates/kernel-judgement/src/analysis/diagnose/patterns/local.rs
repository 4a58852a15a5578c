//! Local memory: spills and arrays that are indexed at run time; words that a loop loads again.

use super::work::arithmetic;
use super::*;
use crate::analysis::derive::coalescing::SECTORS;
use crate::analysis::phases::{Loop, address};

pub(super) const PATTERNS: [Pattern; 2] = [
    Pattern::asks("Do spills or local arrays fill the memory system?", local, Stands::For(Action::KeepInRegisters))
        .needs(("sectors of local memory", |m| m.value(LOCAL).or_else(|| m.sum(LOCAL_AT_L1)).is_some()))
        .cured_by(&[keep_in_registers]),
    Pattern::asks("Does a loop load again what it stored?", kept_in_memory, Stands::Beside),
];

/// Sectors of local accesses.
const LOCAL: Counter = Counter::MemoryL2TheoreticalSectorsLocal;

/// The same as the hardware counts them at L1, loads and stores.
const LOCAL_AT_L1: [Counter; 2] =
    [Counter::L1texTSectorsPipeLsuMemLocalOpLdSum, Counter::L1texTSectorsPipeLsuMemLocalOpStSum];

/// Instructions that spill or fill a register.
pub(super) const SPILLS: Counter = Counter::SassInstExecutedRegisterSpilling;

/// Executed loads and stores of local memory, by warps; `None` where opcodes were not counted.
pub(super) fn moves(m: &Measures<'_>) -> Option<f64> {
    m.executions(|op| op.is_in(Space::Local))
}

/// The register that says where the local memory of a thread ends.
const STACK: u8 = 1;

/// Whether most accesses to local memory spill or refill a register, and none where an array is indexed and they
/// were not counted; `None` where neither is known.
fn are_spills(m: &Measures<'_>) -> Option<bool> {
    let Some(spills) = m.value(SPILLS) else {
        let code = &m.study?.code;
        let is_indexed = |row: &usize| {
            code.op(*row).is_in(Space::Local) && address(code, *row).is_some_and(|own| own.number != STACK)
        };
        return code.run().any(|row| is_indexed(&row)).then_some(false);
    };
    if spills == 0.0 { Some(false) } else { moves(m).map(|moves| 2.0 * spills >= moves) }
}

/// Sectors that loads of local memory touch at most.
pub(super) fn loaded(m: &Measures<'_>) -> f64 {
    m.value(LOCAL_AT_L1[0]).or_else(|| m.value(LOCAL)).unwrap_or_default()
}

/// Local memory makes much of the sectors, and the memory system or the waits show it.
fn local(m: &Measures<'_>) -> Option<Held> {
    let sectors = m.value(LOCAL).or_else(|| m.sum(LOCAL_AT_L1)).filter(|sectors| *sectors > 0.0)?;
    let part = sectors / (sectors + m.value(SECTORS)?);
    let are_spills = are_spills(m);
    let accesses = moves(m).map(|executed| words!(" ({} accesses)", count(executed))).unwrap_or_default();
    let of_all = words!("{} of the sectors of loads and stores", share(part));
    let mut sentence = match (m.value(SPILLS), are_spills) {
        (Some(spills), Some(true)) => {
            let spills = count(spills);
            words!("{} executed instructions spill or refill registers; local memory causes {}.", spills, of_all)
        }
        (_, Some(false)) => words!("Local arrays, indexed at run time, cause {}{}.", of_all, accesses),
        _ => words!("Local memory, of spills or of arrays, causes {}{}.", of_all, accesses),
    };
    // Where it is most of what a busy pipe does.
    let is_busy = m.unit(Part::ComputeControl).is_some_and(|unit| unit.level > Level::Idle);
    let is_most = |(own, all): &(f64, f64)| is_busy && 100.0 * own / all >= m.limits[Threshold::CauseShare];
    let index = index_work(m).filter(is_most);
    if let Some((own, all)) = index {
        let (own, all) = (count(own), count(all));
        sentence.push(words!(
            " {} of {} executed instructions of the uniform datapath only compute their addresses.",
            own,
            all
        ));
    }
    let is_felt = index.is_some()
        || m.memory().is_some_and(|unit| 100.0 * unit.share >= m.limits[Threshold::SolLow])
        || 100.0 * m.waits(&FOR_LOADS) >= m.limits[Threshold::QueueShare];
    let code = if are_spills == Some(true) { Code::RegisterSpilling } else { Code::LocalMemory };
    let held = Held::new(code, 100.0 * part, m.limits[Threshold::LocalShare], sentence).only_if(is_felt);
    Some(held.at(At::most(m, |op| op.is_in(Space::Local))).from(m.held(&[SPILLS, LOCAL, LOCAL_AT_L1[0], SECTORS])))
}

/// Executions by warps of instructions of the uniform datapath that do nothing but address local arrays, and of all of its instructions;
/// `None` where no local array is indexed there.
fn index_work(m: &Measures<'_>) -> Option<(f64, f64)> {
    let own = m.study?.local_index()[0] as f64;
    let all = m.count(|op| op.class() == Some(Class::Uniform));
    (own > 0.0 && all > 0.0).then_some((own, all.max(own)))
}

/// The part of the sectors that are global from which local memory costs little.
const MOSTLY_GLOBAL: f64 = 0.9;

/// C16: values in registers in place of local memory.
pub(super) fn keep_in_registers(m: &Measures<'_>) -> Option<Draft> {
    let (local, global) = (m.value(LOCAL).filter(|local| *local > 0.0)?, m.value(SECTORS)?);
    let kept = Some(global / (global + local)).filter(|kept| *kept <= MOSTLY_GLOBAL)?;
    let index = index_work(m);
    let others = m.study.map_or(0.0, |study| study.local_index()[1] as f64);
    let gone = m.count(|op| op.is_in(Space::Local)) + others + index.map_or(0.0, |(own, _)| own);
    let issue = m.unit(Part::Issue).zip(m.executed());
    let left = issue.map(|(_, all)| 1.0 - gone / all.max(gone).max(1.0));
    // Code that indexes at run time is another one when it is unrolled, with its arithmetic; spills leave it as it is.
    let is_other = are_spills(m) == Some(false);
    let least = left.map_or(0.0, |left| if is_other { left.min(arithmetic(m).unwrap_or_default()) } else { left });
    // What goes is known where opcodes were counted, those of addresses by instruction.
    let is_counted = issue.is_some() && m.executions(|_| true).is_some() && m.phases.is_some();
    let unknown = if is_counted { &[][..] } else { &[Part::Issue, Part::ComputeControl] };
    let control = m.unit(Part::ComputeControl).zip(index);
    let control = control.map(|(unit, (own, all))| (Part::ComputeControl, unit.share * (1.0 - own / all)));
    // What the global accesses need at most stays with DRAM, read and written: local memory that hits in a cache takes nothing of it.
    let of_global = |way: usize, is_own: fn(Op) -> bool| {
        let own: Vec<_> = m.accesses().iter().filter(|access| is_own(access.at.op())).collect();
        let sectors = if m.accesses().is_empty() { global } else { sectors_of(own) };
        Some(m.value(DRAM_BYTES[way])?.min(SECTOR * sectors))
    };
    let of_global = || Some(of_global(0, Op::reads_global)? + of_global(1, Op::writes_global)?);
    let moved = m.moved();
    let stays = moved.zip(of_global()).map_or(kept, |(moved, own)| (own / moved).clamp(0.0, 1.0));
    let after: Vec<(Part, f64)> = control.into_iter().collect();
    let draft = Draft::relieves(m, Action::KeepInRegisters, &after).rewrites().stays(&L1, kept);
    let draft = left.into_iter().fold(draft, |draft, left| draft.keeps(&[Part::Issue], left, least));
    let draft = draft.stays(&[Part::MemoryL2], kept).stays(&[Part::MemoryDram], stays);
    let part = share(1.0 - kept);
    let (how, mut why) = match are_spills(m) {
        Some(true) => {
            (words!("Keep the spilled values in registers{}", capped(m)), words!("{} of the sectors are spills", part))
        }
        Some(false) => (
            "Index local arrays by constants (unroll), or keep them in shared memory".into(),
            words!("local arrays cause {} of the sectors", part),
        ),
        None => (
            words!("Keep spilled values in registers{}, or index local arrays by constants (unroll)", capped(m)),
            words!("local memory causes {} of the sectors", part),
        ),
    };
    why.push(against_l2(m).unwrap_or_default());
    // Loads of global memory are waited for as before; loads and stores queue for the LSU.
    let parts = [awaited(m), of_both(m, |_| true)].map(|part| part.unwrap_or(1.0 - kept));
    let each = left.map_or(0.0, |left| (1.0 - left) * m.waits(&OF_EACH));
    let freed = FOR_LOADS.iter().zip(parts).map(|(reason, part)| part * m.waits(&[*reason])).sum::<f64>() + each;
    let draft = draft.frees_of(m, &FOR_LOADS, 1.0 - kept);
    let draft = draft.frees(freed, m.waits(&FOR_LOADS) + each).unknown(m, unknown).says(how, why);
    let draft = draft.at(At::most(m, |op| op.is_in(Space::Local)));
    Some(draft.checks(goes("LDL + STL", m.count(|op| op.is_in(Space::Local))), LOCAL))
}

/// The part of the waits for loads that is for those of local memory; where it was not sampled, a warp waits once for a load, whatever
/// sectors it touches.
pub(super) fn awaited(m: &Measures<'_>) -> Option<f64> {
    m.value(LOCAL).filter(|sectors| *sectors > 0.0)?;
    let of_samples = m.sampled_code().and_then(|study| {
        let code = &study.code;
        traced(study, &code.run().filter(|row| code.op(*row).is_in(Space::Local)).collect::<Vec<usize>>())
    });
    of_samples.or_else(|| of_both(m, |op| op.act() == Some(Act::Load) || op.copies_global()))
}

/// The part of executed accesses to local or global memory that is of local memory.
fn of_both(m: &Measures<'_>, is_meant: impl Fn(Op) -> bool) -> Option<f64> {
    let own = m.executions(|op| op.is_in(Space::Local) && is_meant(op))?;
    let all = own + m.executions(|op| op.is_in(Space::Global) && is_meant(op))?;
    (all > 0.0).then(|| own / all)
}

/// Local memory of all resident threads, where it is more than L2 holds.
fn against_l2(m: &Measures<'_>) -> Option<Words> {
    let of_thread = m.local_bytes? as f64;
    let threads = 32.0 * m.block_warps? * m.at_once()?;
    let bytes = of_thread * threads;
    let l2 = m.value(Counter::DeviceAttributeL2CacheSize).filter(|l2| bytes > *l2)?;
    Some(words!(
        "; {} B of local memory × all resident threads = {} MB, {} × L2",
        count(of_thread),
        fixed(bytes / 1e6, 0),
        fixed(bytes / l2, 1)
    ))
}

/// Registers that a thread has at most.
const MOST_REGISTERS: f64 = 255.0;

/// Whether registers are all that a thread can have, or cut to what a stated number of blocks leaves: a launch bound is what causes the spills.
fn capped(m: &Measures<'_>) -> Words {
    let Some(used) = m.occupancy.file_in_use() else { return Words::default() };
    match used.file.per_thread >= MOST_REGISTERS {
        true => words!(
            ": {} are the most of a thread, so keep fewer values live or split the kernel",
            count(MOST_REGISTERS)
        ),
        false if used.share < 1.0 => Words::default(),
        false => words!(
            ": allow fewer blocks per SM, as a launch bound (`__launch_bounds__`, `maxrregcount`) for {} threads caps them at {}",
            count(used.threads),
            count(used.file.per_thread)
        ),
    }
}

/// Share of the executed instructions, in percent, from which loads of a word that stays are worth a line.
const RELOADED: f64 = 5.0;

/// A loop loads a word on every turn and stores it at the same address, which no turn changes: the thread's own value, which a
/// register could hold. The compiler has to load it again where others may have written it: behind a barrier, or through a pointer.
fn kept_in_memory(m: &Measures<'_>) -> Option<Held> {
    let study = m.study?;
    let code = &study.code;
    // The address with the rows that make it, where none of them is in the loop.
    let stays = |row: usize, cycle: &Loop| {
        let (register, made) = (address(code, row)?, code.address_of(row)?);
        let is_outside = made.iter().all(|row| !code.is_in(*row, cycle));
        Some((register, made, code.registers(row).offset)).filter(|_| is_outside)
    };
    let is_reloaded = |load: &usize| {
        let cycle = code.innermost(*load).filter(|cycle| code.repeats(cycle) == Some(true));
        let is_stored = |cycle: &Loop| {
            let (own, space) = (stays(*load, cycle), code.op(*load).space());
            let is_of_it = |op: Op| op.act() == Some(Act::Store) && op.space() == space;
            own.is_some() && code.run_in(cycle).iter().any(|row| is_of_it(code.op(*row)) && stays(*row, cycle) == own)
        };
        cycle.is_some_and(is_stored)
    };
    let is_load = |row: &usize| code.op(*row).loads_global() || code.op(*row).loads_shared();
    let loads: Vec<usize> = code.run().filter(is_load).filter(is_reloaded).collect();
    let most = loads.iter().copied().max_by_key(|row| (code.executed[*row], std::cmp::Reverse(*row)))?;
    let share = 100.0 * code.sum(&loads) as f64 / code.sum(code.run()) as f64;
    if share < RELOADED {
        return None;
    }
    let at = point(study, most);
    let place = if at.line > 0 { format!("{}:{}", at.file, at.line) } else { format!("SASS {:#x}", at.offset) };
    let sentence = words!(
        "At `{}` a loop loads a word again on every turn and stores it where it was: {} of the executed instructions are such loads. \
         A register can hold the value where no other thread writes it.",
        place,
        percent(share)
    );
    let held = Held::remark(m, Code::KeptInMemory, share, sentence).noted();
    Some(held.from(m.readings(&[Counter::SmspInstExecutedSum])))
}
