//! Levers that take work off memory units: sectors, banks, local memory, atomics, constants, reuse.

use super::{Ask, Draft, banks, shapes};
use crate::analysis::derive::coalescing::SECTORS;
use crate::analysis::derive::data_stage::DataStage;
use crate::analysis::derive::traffic::Traffic;
use crate::analysis::diagnose::level;
use crate::analysis::diagnose::machine::Change;
use crate::analysis::diagnose::measures::Measures;
use crate::analysis::diagnose::rules::memory::{
    LOCAL, Retries, SHARED, SHARED_IDEAL, are_spills, atomics, excess, index_work, off_boundary, packable, retries,
    sectors, wavefronts,
};
use crate::analysis::diagnose::rules::{count, share};
use crate::catalog::{Action, Code, Counter, Part, StallReason, Threshold};
use crate::quantity::format;
use crate::words;
use cuda_binary::op::{Pipe, Space};
use cuda_binary::{Class, Op};

/// Operand wavefronts for each FMA from which L1 takes longer than the arithmetic.
const OPERANDS_PER_FMA: f64 = 0.25;
/// The part of the sectors that are global from which local memory costs little.
const MOSTLY_GLOBAL: f64 = 0.9;
/// Sectors that one lookup of L2's tags finds at most.
const SECTORS_PER_LOOKUP: f64 = 4.0;

pub(super) fn drafts(ask: &Ask<'_, '_, '_>) -> Vec<Draft> {
    let found = [
        register_tile(ask),
        banks::draft(ask),
        coalesce(ask),
        align(ask),
        keep_in_registers(ask),
        fewer_atomics(ask),
        constants(ask),
        bytes(ask),
        reuse(ask),
    ];
    found.into_iter().flatten().collect()
}

fn counted(ask: &Ask<'_, '_, '_>, takes: impl Fn(Op) -> bool) -> f64 {
    ask.m.mix.count(takes).unwrap_or(0.0)
}

/// Several outputs a thread, so that each operand that is loaded feeds more arithmetic. Only the arithmetic stays.
fn register_tile(ask: &Ask<'_, '_, '_>) -> Option<Draft> {
    let m = ask.m;
    let fma = counted(ask, |op| op.class() == Some(Class::Fp32));
    let wavefronts = m.kernel.value(SHARED_IDEAL).filter(|loads| *loads > 0.0)?;
    // Sums without products share no operands between outputs as the rows and columns of a tile do.
    let is_product = 2.0 * counted(ask, |op| op == Op::FFMA) >= fma;
    if fma == 0.0 || !is_product || m.has_tensor || wavefronts / fma < OPERANDS_PER_FMA {
        return None;
    }
    let now = wavefronts / fma;
    // What is read falls to half a wavefront for each FMA, or to an eighth by wide loads; the arithmetic stays.
    let reads = (if now > 0.5 { 0.5 } else { 0.13 }) / now;
    let executed = m.kernel.value(Counter::SmspInstExecutedSum).filter(|executed| *executed > 0.0)?;
    let issue = (fma / executed).min(1.0);
    let arithmetic = fma / counted(ask, |op| op.pipe() == Some(Pipe::Fma) || op == Op::HFMA2).max(1.0);
    let waits =
        [StallReason::ShortScoreboard, StallReason::MioThrottle, StallReason::Barrier, StallReason::LongScoreboard];
    let draft = Draft::of(Action::RegisterTile, Change::default())
        .rewrites()
        .keeps(Part::ComputeFma, arithmetic, arithmetic)
        .keeps(Part::Issue, issue + (1.0 - issue) * reads, issue)
        .keeps(Part::MemoryShared, reads, 0.0)
        .keeps(Part::MemoryL1tex, reads, 0.0)
        .keeps(Part::MemoryLsu, reads, 0.0)
        .frees_of(ask, &waits, 1.0 - reads);
    let goal = if now > 0.5 { "0.5" } else { "0.13" };
    let registers = m.kernel.value(Counter::LaunchRegistersPerThread);
    let risk = registers.map(|now| words!("{} registers now; occupancy falls with more", count(now)));
    Some(
        draft
            .says(
                "Register tile: several outputs a thread (4 × 4: 8 loads for 16 FFMA)".into(),
                words!(
                    "{} wavefronts of shared memory per FMA; 4 × 4 needs 0.5, with LDS.128 0.13",
                    format::fixed(now, 2)
                ),
            )
            .risks(risk.unwrap_or_default())
            .checks(words!("wavefronts of shared memory per FMA {} → {}", format::fixed(now, 2), goal), SHARED),
    )
}

/// Neighbouring lanes at neighbouring addresses, where a memory unit is busy and the order is not the data's.
fn coalesce(ask: &Ask<'_, '_, '_>) -> Option<Draft> {
    let m = ask.m;
    let accesses = packable(m);
    let (all, excess) = (sectors(m)?, excess(m)?);
    if excess / all < m.limits[Threshold::SectorsExcessShare] / 100.0 {
        return None;
    }
    let kept = 1.0 - excess / all;
    let dram = m.unit(Part::MemoryDram).zip(moved(m)).map(|(dram, moved)| {
        let needed = 32.0 * packed(m).unwrap_or(all - excess);
        (Part::MemoryDram, if moved > 0.0 { dram.share * needed.min(moved) / moved } else { dram.share })
    });
    let stage = m.cycles.zip(m.sms).map(|(cycles, sms)| cycles * sms);
    let l1 = DataStage::of(m.kernel).zip(stage).map(|(own, cycles)| {
        let global = m.kernel_of.phases.map(|phases| phases.accesses.as_slice()).unwrap_or_default();
        let wavefronts = global
            .iter()
            .map(|access| access.requests as f64 * (access.width_bits.unwrap_or(32) as f64 / 32.0).max(1.0));
        own.shared / 100.0 + (wavefronts.sum::<f64>() / cycles).min(own.other() / 100.0)
    });
    let mut unknown = if dram.is_none() { vec![Part::MemoryDram] } else { Vec::new() };
    unknown.extend(l1.is_none().then_some([Part::MemoryL1tex, Part::MemoryShared]).into_iter().flatten());
    let mut after: Vec<(Part, f64)> = dram.into_iter().collect();
    after.extend(l1.into_iter().flat_map(|l1| [(Part::MemoryL1tex, l1), (Part::MemoryShared, l1)]));
    // A request of fewer sectors is answered sooner, and queues less behind others.
    let waits = [StallReason::LongScoreboard, StallReason::LgThrottle];
    Some(
        Draft::relieves(ask, Action::Coalesce, &after)
            .rewrites()
            .keeps(Part::MemoryL2, kept, kept / SECTORS_PER_LOOKUP)
            .frees_of(ask, &waits, 1.0 - kept)
            .unknown(ask, &unknown)
            .says(
                accesses.first().map_or_else(
                    || "Coalesce the global accesses: neighbouring lanes at neighbouring addresses".into(),
                    |first| words!("Coalesce the access at `:{}`", first.at.line.to_string()),
                ),
                words!("{} of the sectors would go if the bytes were packed", share(excess / all)),
            )
            .risks("layout of the data, or a transpose through shared memory".into())
            .checks(words!("sectors of global accesses {} → {}", count(all), count(all - excess)), SECTORS),
    )
}

/// Sectors of global accesses once those that could lie side by side do, each line once: loads of one row that lie in the same 32 bytes
/// bring them once.
fn packed(m: &Measures<'_, '_>) -> Option<f64> {
    let accesses = &m.kernel_of.phases.filter(|phases| !phases.accesses.is_empty())?.accesses;
    let excess: u64 = packable(m).iter().map(|access| access.excess()).sum();
    Some((accesses.iter().map(|access| access.sectors).sum::<u64>() - excess) as f64)
}

/// Contiguous accesses that start off a sector's boundary: L1 asks L2 for a sector more with each request that no neighbour shares.
/// DRAM moves the same bytes.
fn align(ask: &Ask<'_, '_, '_>) -> Option<Draft> {
    let m = ask.m;
    let accesses = off_boundary(m);
    let excess: u64 = accesses.iter().map(|access| access.excess()).sum();
    let all = m.kernel.value(SECTORS).filter(|all| *all > 0.0)?;
    let gone = excess as f64 / all;
    if gone < m.limits[Threshold::SectorsExcessShare] / 100.0 {
        return None;
    }
    let touched = [Part::MemoryL2, Part::MemoryL1tex];
    let after: Vec<(Part, f64)> =
        touched.into_iter().filter_map(|part| Some((part, m.unit(part)?.share * (1.0 - gone)))).collect();
    let first = accesses.first()?;
    Some(
        Draft::relieves(ask, Action::AlignBase, &after)
            .says(
                words!("Start the rows of `:{}` at a multiple of 32 bytes", first.at.line.to_string()),
                words!("contiguous, {} of the sectors only because they start between two", share(gone)),
            )
            .risks("padding of the rows, or elements in front done apart".into())
            .checks(words!("sectors of global accesses {} → {}", count(all), count(all - excess as f64)), SECTORS),
    )
}

/// Bytes between L2 and DRAM.
fn moved(m: &Measures<'_, '_>) -> Option<f64> {
    [Counter::DramBytesReadSum, Counter::DramBytesWriteSum].map(|name| m.kernel.value(name)).into_iter().sum()
}

/// C16: values in registers in place of local memory.
fn keep_in_registers(ask: &Ask<'_, '_, '_>) -> Option<Draft> {
    let m = ask.m;
    let (local, global) = (m.kernel.value(LOCAL).filter(|local| *local > 0.0)?, m.kernel.value(SECTORS)?);
    let kept = global / (global + local);
    if kept > MOSTLY_GLOBAL {
        return None;
    }
    let executed = m.kernel.value(Counter::SmspInstExecutedSum);
    let moves = counted(ask, |op| op.is_in(Space::Local));
    let index = index_work(m);
    let others = m.kernel_of.phases.and_then(|phases| phases.local_index.as_ref()).map_or(0.0, |own| own.others as f64);
    let gone = moves + others + index.map_or(0.0, |index| index.own);
    let issue = m.unit(Part::Issue).zip(executed);
    let issue = issue.map(|(unit, all)| (Part::Issue, unit.share * (1.0 - gone / all.max(gone).max(1.0))));
    // What goes is known where opcodes were counted, those of addresses by instruction.
    let is_counted = issue.is_some() && m.mix.total.is_some() && m.kernel_of.phases.is_some();
    let unknown = if is_counted { &[][..] } else { &[Part::Issue, Part::ComputeControl] };
    let control = m.unit(Part::ComputeControl).zip(index);
    let parts = [Part::MemoryL2, Part::MemoryDram, Part::MemoryL1tex, Part::MemoryLsu, Part::MemoryShared];
    // What the global accesses need at most stays with DRAM: local memory that hits in a cache takes nothing of it.
    let stays = moved(m).filter(|moved| *moved > 0.0).map_or(kept, |moved| (32.0 * global / moved).clamp(0.0, 1.0));
    let of_part = |part: Part| if part == Part::MemoryDram { stays } else { kept };
    let mut after: Vec<(Part, f64)> =
        parts.into_iter().filter_map(|part| Some((part, m.unit(part)?.share * of_part(part)))).collect();
    after.extend(issue);
    after.extend(control.map(|(unit, index)| (Part::ComputeControl, unit.share * (1.0 - index.share()))));
    let (sentence, mut why) = match are_spills(m) {
        Some(true) => (
            words!("Keep the spilled values in registers{}", capped(ask)),
            words!("{} of the sectors are spills", share(1.0 - kept)),
        ),
        Some(false) => (
            words!("Index local arrays by constants (unroll), or keep them in shared memory"),
            words!("local arrays cause {} of the sectors", share(1.0 - kept)),
        ),
        None => (
            words!("Keep spilled values in registers{}, or index local arrays by constants (unroll)", capped(ask)),
            words!("local memory causes {} of the sectors", share(1.0 - kept)),
        ),
    };
    why.push(against_l2(ask).unwrap_or_default());
    Some(
        Draft::relieves(ask, Action::KeepInRegisters, &after)
            .rewrites()
            .frees_of(ask, &[StallReason::LongScoreboard, StallReason::LgThrottle], 1.0 - kept)
            .unknown(ask, unknown)
            .says(sentence, why)
            .risks("more registers per thread: fewer warps".into())
            .checks("LDL + STL = 0".into(), LOCAL),
    )
}

/// Local memory of all resident threads, where it is more than L2 holds.
fn against_l2(ask: &Ask<'_, '_, '_>) -> Option<words::Words> {
    let of_thread = ask.m.kernel_of.local_bytes? as f64;
    let bytes = of_thread * resident_threads(ask)?;
    let l2 = ask.m.kernel.value(Counter::DeviceAttributeL2CacheSize).filter(|l2| bytes > *l2)?;
    Some(words!(
        "; {} B of local memory × all resident threads = {} MB, {} × L2",
        count(of_thread),
        format::fixed(bytes / 1e6, 0),
        format::fixed(bytes / l2, 1)
    ))
}

/// Threads that all SMs hold at once.
fn resident_threads(ask: &Ask<'_, '_, '_>) -> Option<f64> {
    Some(32.0 * ask.m.block_warps? * ask.m.occupancy.blocks_per_sm? * ask.m.sms?)
}

/// Whether registers are cut to what a stated number of blocks leaves: a launch bound is what causes the spills.
fn capped(ask: &Ask<'_, '_, '_>) -> words::Words {
    let found = || {
        let used = ask.m.occupancy.file_in_use()?;
        (used.share >= 1.0).then(|| {
            words!(
                ": {} registers × {} threads fill the register file, so a launch bound (`__launch_bounds__`, `maxrregcount`) caps them; allow fewer blocks per SM",
                count(used.file.per_thread),
                count(used.threads)
            )
        })
    };
    found().unwrap_or_default()
}

/// Fewer atomics to one address. What they take of the way to L2 falls with them; how much of it is theirs is not known.
fn fewer_atomics(ask: &Ask<'_, '_, '_>) -> Option<Draft> {
    if !ask.has(Code::AtomicContention) {
        return None;
    }
    if let Some(retries) = retries(ask.m).filter(|retries| atomics(ask.m) < retries.additions) {
        return Some(copies(ask, retries));
    }
    let blocks = ask.m.blocks?;
    let executed = atomics(ask.m);
    let touched = [Part::MemoryL2, Part::MemoryL1tex, Part::MemoryShared, Part::MemoryLsu].map(|part| (part, 0.0));
    Some(
        Draft::relieves(ask, Action::FewerAtomics, &touched)
            .rewrites()
            .frees_of(ask, &[StallReason::LongScoreboard, StallReason::LgThrottle, StallReason::Drain], 1.0)
            .says(
                "Reduce in registers, then in shared memory, then one atomic per block".into(),
                words!("{} warp-level atomics, {} per block", count(executed), format::fixed(executed / blocks, 1)),
            )
            .risks("shared memory and a barrier per block; the order of additions changes".into())
            .checks(
                words!("atomic instructions {} → {}", count(executed), count(blocks.min(executed))),
                Counter::LtsTSectorsMax,
            ),
    )
}

/// Copies of the words that lanes add to, so that each addition is tried once.
fn copies(ask: &Ask<'_, '_, '_>, retries: Retries) -> Draft {
    let m = ask.m;
    let stays = 1.0 - retries.in_vain();
    let parts = [Part::MemoryShared, Part::MemoryLsu, Part::Issue, Part::ComputeAlu, Part::ComputeControl];
    let after: Vec<(Part, f64)> =
        parts.into_iter().filter_map(|part| Some((part, m.unit(part)?.share * stays))).collect();
    Draft::relieves(ask, Action::FewerAtomics, &after)
        .rewrites()
        .frees_of(ask, &[StallReason::ShortScoreboard, StallReason::MioThrottle], 1.0 - stays)
        .says(
            "A copy of the words for each lane of a warp, in banks side by side, added up at the end; or reduce by shuffles first".into(),
            words!("{} tries for each addition to shared memory", format::fixed(retries.tries / retries.additions, 1)),
        )
        .risks("shared memory for the copies; another order of additions".into())
        .checks(words!("ATOMS {} → {}", count(retries.tries), count(retries.additions)), SHARED)
}

/// Constants at addresses that differ from lane to lane.
fn constants(ask: &Ask<'_, '_, '_>) -> Option<Draft> {
    ask.has(Code::ConstantDivergence).then(|| {
        Draft::relieves(ask, Action::MoveConstants, &[(Part::ComputeControl, 0.0)])
            .rewrites()
            .frees_of(ask, &[StallReason::ImcMiss, StallReason::ShortScoreboard, StallReason::MioThrottle], 0.75)
            .says(
                "Keep the table in shared memory, in registers with SHFL, or in global memory".into(),
                "lanes read different constant addresses, served one at a time".into(),
            )
            .risks("bank conflicts instead of serialised constant reads".into())
            .checks("LDC in the loop = 0".into(), Counter::IdcRequestCyclesActiveAvgPctElapsed)
    })
}

/// Bytes of DRAM that the stated work does not need.
fn bytes(ask: &Ask<'_, '_, '_>) -> Option<Draft> {
    let m = ask.m;
    let dram = m.unit(Part::MemoryDram)?;
    let traffic = Traffic::of(m.kernel, m.work).filter(|traffic| !traffic.is_reached(m.limits))?;
    let kept = traffic.stated / traffic.moved;
    let l2 = m.unit(Part::MemoryL2).map(|l2| (Part::MemoryL2, l2.share * kept));
    let after: Vec<(Part, f64)> = l2.into_iter().chain([(Part::MemoryDram, dram.share * kept)]).collect();
    Some(
        Draft::relieves(ask, Action::FewerBytes, &after)
            .says(
                "Move only the bytes that the work needs: whole sectors, reuse in L2".into(),
                words!("DRAM moved {} times the stated bytes", format::fixed(1.0 / kept, 2)),
            )
            .checks(words!("DRAM bytes / stated bytes = 1.0"), Counter::DramBytesReadSum),
    )
}

/// The part of the work of L1's data stage, or of L2, that conflicts and sectors beside the bytes make.
fn wasted(m: &Measures<'_, '_>, is_inside: bool) -> f64 {
    let sectors = sectors(m).zip(excess(m)).map_or(0.0, |(all, excess)| (excess / all).min(1.0));
    let stage = DataStage::of(m.kernel).filter(|stage| is_inside && stage.whole > 0.0);
    let Some(stage) = stage else { return if is_inside { 0.0 } else { sectors } };
    let conflicts = wavefronts(m).map_or(0.0, |found| 100.0 * found.excess);
    ((conflicts + sectors * stage.other()) / stage.whole).min(1.0)
}

/// The need from which a cache or the LSU is asked for less.
const ASKED: f64 = 0.3;
/// The part of the largest need from which a part is worth relieving of what is no waste.
const LEADING: f64 = 0.8;
/// What is expected to stay of the accesses where values are used again.
const REUSED: f64 = 0.4;

/// A cache or the LSU serves accesses without waste: reuse.
fn reuse(ask: &Ask<'_, '_, '_>) -> Option<Draft> {
    let m = ask.m;
    let inside = [Part::MemoryL1tex, Part::MemoryLsu, Part::MemoryShared];
    // Operands of products are read by no access that could be wider.
    let is_inside = ask.need_of(&inside) >= ask.need(Part::MemoryL2) && shapes::operands(ask).is_none();
    let unit = if is_inside { m.busiest_of(&inside)? } else { m.unit(Part::MemoryL2)? };
    // What L2 gets from DRAM once is read by nobody twice.
    let is_stream = !is_inside && level::is_of_dram(m) != Some(false);
    let largest = m.units.iter().map(|unit| ask.need(unit.part)).fold(0.0, f64::max);
    if ask.need(unit.part) < (LEADING * largest).max(ASKED) || is_stream {
        return None;
    }
    let how = match is_inside {
        false => "Reuse data inside the SM: shared memory, registers, clusters",
        true => "Fewer and wider accesses: reuse values in registers, 16 bytes a lane",
    };
    let waits = match is_inside {
        true => [StallReason::ShortScoreboard, StallReason::MioThrottle, StallReason::LgThrottle],
        false => [StallReason::LongScoreboard, StallReason::LgThrottle, StallReason::TexThrottle],
    };
    // What each access wastes it wastes still; the rest is asked for less often.
    let kept = REUSED + (1.0 - REUSED) * wasted(m, is_inside);
    let draft = Draft::of(Action::ReuseInSm, Change::default()).rewrites().frees_of(ask, &waits, 1.0 - kept);
    let draft = match is_inside {
        false => draft.keeps(Part::MemoryL2, kept, 0.0),
        true => inside.into_iter().fold(draft, |draft, part| draft.keeps(part, kept, 0.0)),
    };
    // At the same rate its work falls with the time.
    let goal = unit.share * kept;
    Some(
        draft
            .says(how.into(), words!("{} at {}", &unit.name, share(unit.share)))
            .risks("registers, shared memory".into())
            .checks(
                words!("{} busy {} → {} of today's cycles", &unit.name, share(unit.share), share(goal)),
                unit.counter.clone(),
            ),
    )
}
