//! Sectors of global accesses: those that the bytes need, those beside, and where they start.

use super::barriers::meeting;
use super::patch::as_patch;
use super::work::brought_again;
use super::*;
use crate::analysis::derive::coalescing::{IDEAL, SECTORS, WAVEFRONTS};
use crate::analysis::derive::units;

pub(super) const PATTERNS: [Pattern; 3] = [
    Pattern::asks("Do accesses touch more sectors than their bytes need?", uncoalesced, Stands::For(Action::Coalesce))
        .needs(("sectors and those that the bytes need", |m| sectors(m).is_some()))
        .cured_by(&[coalesce, in_order, apart]),
    Pattern::asks("Do contiguous accesses start off a sector boundary?", misaligned, Stands::Beside),
    Pattern::asks("Do asynchronous copies bring sectors twice?", split, Stands::For(Action::AlignCopies))
        .cured_by(&[align_copies]),
];

/// Sectors of global loads at L1, and those that L2 is asked for.
const LOADS: [Counter; 2] = [TOUCHED, Counter::LtsTSectorsSrcunitTexOpReadSum];
/// The same of stores.
const STORES: [Counter; 2] = [Counter::L1texTSectorsPipeLsuMemGlobalOpStSum, Counter::LtsTSectorsSrcunitTexOpWriteSum];
/// Bytes that bulk copies bring.
const BULK: Counter = Counter::L1texMXbar2l1texReadBytesMemGlobalOpTmaLdSum;

/// Whether another order of the lanes would not take its excess: it is the data's, the bytes are contiguous, or the words beside them are
/// added by the next instruction.
fn is_ordered(access: &SectorAccess) -> bool {
    access.is_inherent || access.is_shifted || access.is_split() || access.is_gappy || access.stays < 1.0
}

/// The accesses whose sectors would go if their bytes lay side by side, without those that are ordered already; the largest excess first, of equal ones the first in the source. Behind L1 what it answers itself is no excess.
pub(in crate::analysis::diagnose) fn packable<'a>(m: &Measures<'a>) -> Vec<&'a SectorAccess> {
    let all = m.accesses();
    let mut found: Vec<&SectorAccess> =
        all.iter().filter(|access| access.excess() > 0 && !is_ordered(access)).collect();
    // The part of the sectors at L1 that L2 is asked for; all where that is not counted.
    let [loads, stores] = [LOADS, STORES].map(|[at_l1, at_l2]| {
        let asked = m.value(at_l1).filter(|sectors| *sectors > 0.0 && !is_l1(m)).zip(m.value(at_l2));
        asked.map_or(1.0, |(at_l1, at_l2)| (at_l2 / at_l1).min(1.0))
    });
    let weight =
        |access: &SectorAccess| access.excess() as f64 * if access.at.op().reads_global() { loads } else { stores };
    found.sort_by(|a, b| weight(b).total_cmp(&weight(a)).then(a.at.line.cmp(&b.at.line)));
    found
}

/// Whether L1 is the busiest part of the memory system.
fn is_l1(m: &Measures<'_>) -> bool {
    m.memory().is_some_and(|unit| !level::is_shared(unit.part))
}

/// Of the accesses that are meant, the one with the most excess, and the part of all sectors that is their excess, where it is worth a
/// word.
fn leading<'a>(m: &Measures<'a>, is_meant: impl Fn(&SectorAccess) -> bool) -> Option<(&'a SectorAccess, f64)> {
    let own = || m.accesses().iter().filter(|access| is_meant(access));
    let part = excess_of(own()) / m.value(SECTORS).filter(|all| *all > 0.0)?;
    own().next().map(|first| (first, part)).filter(|_| 100.0 * part >= m.limits[Threshold::SectorsExcessShare])
}

/// Contiguous accesses that start off a sector's boundary, where each sector is brought once: the address that they start from is
/// what is off; with the part of all sectors that is there only for that. Where L1 answers most of them they are neighbours that read
/// the same bytes again.
fn off_boundary<'a>(m: &Measures<'a>) -> Option<(&'a SectorAccess, f64)> {
    m.value(L1_HITS).filter(|hits| 2.0 * hits < 100.0)?;
    leading(m, |access| access.is_shifted && !access.is_inherent)
}

/// The part of what the sectors are of that is not in their words, 0 to 1.
pub(super) fn wasted(m: &Measures<'_>) -> f64 {
    sectors(m).map_or(0.0, |(all, excess)| (excess / all).min(1.0))
}

/// Sectors that bulk copies bring.
pub(super) fn bulk(m: &Measures<'_>) -> f64 {
    m.value(BULK).unwrap_or_default() / SECTOR
}

/// Sectors of global accesses, and those beyond what the bytes need, without those of accesses that are ordered already. L1 serves each
/// request by itself; loads of one row that lie in the same 32 bytes cost L2 and DRAM nothing more, and count once where these are busier.
pub(in crate::analysis::diagnose) fn sectors(m: &Measures<'_>) -> Option<(f64, f64)> {
    let (all, ideal) = (m.value(SECTORS)?, m.value(IDEAL)?);
    let accesses = m.accesses();
    if !accesses.is_empty() && !is_l1(m) {
        // Bulk copies cross from L2 too. Of what loads touch beyond what came beside those L1 answers waste and bytes alike, and what their
        // bytes need, or what DRAM was read for, comes once in any order.
        let bulk = bulk(m);
        let (loads, stores): (Vec<_>, Vec<_>) = accesses.iter().partition(|access| access.at.op().reads_global());
        let touched = sectors_of(loads.iter().copied());
        let beside = m.value(RECEIVED).map_or(touched, |bytes| (bytes / SECTOR - bulk).clamp(0.0, touched));
        let once = loads.iter().map(|access| access.ideal as f64).sum::<f64>();
        let once = m.dram_read().map_or(once, |read| once.min(read / SECTOR));
        let (loads, kept): (Vec<_>, Vec<_>) = packable(m).into_iter().partition(|access| access.at.op().reads_global());
        let wasted = excess_of(loads) / touched.max(1.0) * beside;
        let excess = wasted.min((beside - once).max(0.0)) + excess_of(kept);
        return Some((beside + sectors_of(stores) + bulk, excess));
    }
    let kept = accesses.iter().filter(|access| is_ordered(access));
    // Neighbours whose row the data choose are one wide access; no order of the lanes brings them together.
    let neighbours: u64 = accesses.iter().filter(|access| access.is_inherent).map(|access| access.again).sum();
    (all > 0.0).then(|| (all, (all - ideal - excess_of(kept) - neighbours as f64).max(0.0)))
}

/// Which sectors these are.
fn counted_at(m: &Measures<'_>) -> &'static str {
    if is_l1(m) || m.accesses().is_empty() { "of global accesses" } else { "that L2 is asked for" }
}

/// What becomes of them once the lanes are in order, or where neighbours of one row alone ask twice.
fn then(m: &Measures<'_>) -> &'static str {
    let has_neighbours = is_l1(m) && m.accesses().iter().any(|access| access.again > 0 && !access.is_inherent);
    match (packable(m).is_empty(), has_neighbours) {
        (true, true) => "are asked for again by the load beside it",
        (false, true) => "would go if the bytes were packed, and loads side by side were one",
        (_, false) => "would go if the bytes were packed",
    }
}

/// Sectors of a request, as they are and as the bytes need; of neighbours of one row, for L1 those of each of them, no less than all lanes
/// fill side by side.
fn of_a_request(m: &Measures<'_>, access: &SectorAccess) -> [f64; 2] {
    let requests = access.requests.max(1) as f64;
    let [sectors, ideal] = [access.sectors, access.ideal].map(|own| own as f64 / requests);
    let filled = (WARP * access.width_bits.unwrap_or(8) as f64 / 8.0 / SECTOR).min(ideal);
    [sectors, if is_l1(m) { (ideal / access.side_by_side()).max(filled) } else { ideal }]
}

/// The access with the most of them; where each request counts by itself, neighbours of one row are such as well.
fn first_of<'a>(m: &Measures<'a>) -> Option<&'a SectorAccess> {
    let neighbours = || m.accesses().iter().filter(|access| access.again > 0 && !access.is_inherent && is_l1(m));
    packable(m).into_iter().next().or_else(|| neighbours().max_by_key(|access| access.again))
}

/// Sectors beyond those that the bytes need, of accesses that could be ordered otherwise, in front of a busy memory unit.
fn uncoalesced(m: &Measures<'_>) -> Option<Held> {
    let (all, excess) = sectors(m)?;
    // What a block can put in order is not the data's.
    let scattered = filled(m).unwrap_or_default().into_iter().filter(|access| access.is_inherent);
    let excess = excess + excess_of(scattered.clone());
    let part = Some(100.0 * excess / all).filter(|part| *part >= m.limits[Threshold::SectorsExcessShare])?;
    let first = first_of(m).into_iter().chain(scattered).max_by_key(|access| access.excess());
    let of_first = first.map(|access| {
        let [now, ideal] = of_a_request(m, access);
        let (line, used) = (access.at.line.to_string(), fixed(SECTOR * ideal / now, 0));
        let [now, ideal] = [now, ideal].map(|sectors| fixed(sectors, 1));
        words!("; `:{}` touches {} sectors a request instead of {}, {} of 32 bytes used", line, now, ideal, used)
    });
    let sentence = words!(
        "{} of {} sectors {} ({} %) {}{}.",
        count(excess),
        count(all),
        counted_at(m),
        fixed(part, 1),
        then(m),
        words::maybe(of_first)
    );
    Some(beside(m, Code::UncoalescedGlobalAccess, part, first, sentence))
}

/// Sectors beside those that are needed, this percent of all, in front of a busy memory unit.
fn beside(m: &Measures<'_>, code: Code, part: f64, first: Option<&SectorAccess>, sentence: Words) -> Held {
    let is_busy = m.memory().is_some_and(|unit| 100.0 * unit.share >= m.limits[Threshold::SolLow]);
    let held = Held::new(code, part, m.limits[Threshold::UncoalescedShare], sentence).only_if(is_busy);
    let at = first.map_or(At::Nowhere, |access| At::point(&access.at));
    let held = held.at(at).from(m.readings(&[SECTORS, IDEAL]));
    if part >= m.limits[Threshold::CostShare] { held } else { held.noted() }
}

/// Contiguous accesses that start off a sector's boundary in front of a busy memory unit. They limit nothing: neighbours share what
/// they touch beyond their bytes.
fn misaligned(m: &Measures<'_>) -> Option<Held> {
    let (first, part) = off_boundary(m)?;
    m.busiest_of(&[Part::MemoryL1tex, Part::MemoryL2, Part::MemoryDram])
        .filter(|unit| 100.0 * unit.share >= m.limits[Threshold::SolLow])?;
    let all = m.value(SECTORS)?;
    let [now, ideal] = of_a_request(m, first).map(|sectors| fixed(sectors, 1));
    let sentence = words!(
        "{} of {} sectors of global accesses ({} %) are there because contiguous bytes start off a sector's boundary, first at `:{}`: {} sectors a request instead of {}.",
        count(part * all),
        count(all),
        fixed(100.0 * part, 1),
        first.at.line.to_string(),
        now,
        ideal
    );
    let held = Held::new(Code::MisalignedGlobalAccess, 100.0 * part, 100.0, sentence).only_if(false).noted();
    Some(held.at(At::point(&first.at)).from(m.readings(&[SECTORS, IDEAL])))
}

/// Sectors that asynchronous copies bring twice, in front of a busy memory unit.
fn split(m: &Measures<'_>) -> Option<Held> {
    let (first, part) = leading(m, SectorAccess::is_split)?;
    let all = m.value(SECTORS)?;
    let [now, ideal] = of_a_request(m, first).map(|sectors| fixed(sectors, 1));
    let sentence = words!(
        "{} of {} sectors of global accesses ({} %) are brought a second time by copies of 16 bytes a lane, first at `:{}` ({} sectors a copy instead of {}): their halves go to two 32-byte pieces of shared memory, or the source starts between two sectors.",
        count(part * all),
        count(all),
        fixed(100.0 * part, 1),
        first.at.line.to_string(),
        now,
        ideal
    );
    Some(beside(m, Code::SplitCopies, 100.0 * part, Some(first), sentence))
}

/// Both halves of each copied sector in one 32-byte piece of shared memory. A sector that is brought twice asks L2 twice: it has at most
/// a lookup of the tags to itself, where those of contiguous rows share one, and it holds the queue in which reads of shared memory wait.
fn align_copies(m: &Measures<'_>) -> Option<Draft> {
    let (first, gone) = leading(m, SectorAccess::is_split)?;
    let [now, ideal] = of_a_request(m, first).map(|sectors| fixed(sectors, 1));
    let why = words!("{} sectors a copy instead of {}: {} of all are brought twice", now, ideal, share(gone));
    let packed = 1.0 - gone;
    let draft = Draft::relieves(m, Action::AlignCopies, &[]);
    let draft = draft.keeps(&[Part::MemoryL2], packed, packed / (packed + SECTORS_PER_LOOKUP * gone));
    let waits = [StallReason::LongScoreboard, StallReason::LgThrottle, StallReason::MioThrottle];
    let draft = draft.frees_of(m, &waits, gone);
    let draft = draft.at(At::point(&first.at)).because(why);
    Some(draft.fewer_sectors(m.value(SECTORS)?, gone, SECTORS))
}

/// Sectors that one lookup of L2's tags finds at most.
const SECTORS_PER_LOOKUP: f64 = 4.0;

/// The need from which a cache or the LSU is asked for less.
pub(super) const ASKED: f64 = 0.3;

/// Passes of L1 for a request from which lanes are far apart or conflict, whatever their width: more than those of the widest one, 16 bytes a
/// lane, by what two rounded shares may be off.
const PASSES: f64 = 4.2;
/// Passes of a request that is expected once they do not: 8 bytes a lane, between the 4 and 16 that nobody knows of.
const PACKED: f64 = 2.0;

/// Lanes far apart, where nobody counted sectors or wavefronts: L1 works, and takes few requests in. It makes one pass a cycle and takes
/// in one request at most, on some chips half of one, so that their shares tell how many passes a request has at least. Where the share
/// of the requests is not there, the SM's roll-up of memory stands for it, which has them as a part, or the roll-up of the SM, which has
/// the instructions of the LSU as one.
fn passes<'m>(m: &'m Measures<'_>) -> Option<(&'m Unit, f64, f64)> {
    let is_counted = m.value(SECTORS).or_else(|| m.value(WAVEFRONTS)).is_some();
    let l1 = m.busiest_of(&[Part::MemoryL1tex]).filter(|unit| !is_counted && unit.resident >= ASKED)?;
    let requests = m.unit(Part::MemoryLsu).map(|unit| unit.share);
    let rolled_up = [Counter::SmMemoryThroughputAvgPctElapsed, units::SM].into_iter().find_map(|whole| m.value(whole));
    let requests = requests.or_else(|| Some(rolled_up? / 100.0))?;
    let passes = Some(l1.share / requests).filter(|passes| passes.is_finite() && *passes >= PASSES)?;
    Some((l1, requests, passes))
}

/// A change that may bring lanes together that [`passes()`] shows far apart: at best it leaves one pass for a request, and the words of what
/// was moved.
pub(super) fn may_pack(m: &Measures<'_>, draft: Draft) -> Draft {
    let Some((.., passes)) = passes(m) else { return draft };
    // What lanes far apart bring for nothing of L2 and DRAM may be all of a sector but one word.
    draft.keeps(&L1, 1.0, 1.0 / passes).keeps(&[Part::MemoryL2, Part::MemoryDram], 1.0, 4.0 / SECTOR)
}

/// Lanes side by side, where nobody counted how far apart they are.
pub(super) fn apart(m: &Measures<'_>) -> Option<Draft> {
    let (l1, requests, passes) = passes(m)?;
    let waits = [StallReason::LongScoreboard, StallReason::ShortScoreboard, StallReason::LgThrottle];
    let kept = PACKED / passes;
    let draft = may_pack(m, Draft::new(Action::Coalesce).rewrites());
    let draft = draft.keeps(&L1, kept, 1.0 / passes).frees_of(m, &waits, 1.0 - kept);
    let how = "Coalesce: neighbouring lanes at neighbouring addresses, or other banks";
    let (now, asked, passes) = (share(l1.share), share(requests), fixed(passes, 1));
    let why = words!("{} at {}, requests at {}: {} passes or more for each", &l1.name, &now, asked, passes);
    let check = words!("{} busy {} → {} of today's cycles", &l1.name, now, share(l1.share * kept));
    Some(draft.says(how, why).checks(check, l1.counter.clone()))
}

/// Whether an access goes through one of several lists that a thread merges.
fn merges(study: &Study<'_>, access: &SectorAccess) -> bool {
    study.code.row_at(access.at.offset).is_some_and(|row| study.code.merges(row))
}

/// Neighbouring lanes at neighbouring addresses, where a memory unit is busy and the order is not the data's.
pub(super) fn coalesce(m: &Measures<'_>) -> Option<Draft> {
    let (all, excess) = sectors(m)?;
    let part = Some(excess / all).filter(|part| 100.0 * part >= m.limits[Threshold::SectorsExcessShare])?;
    let accesses = packable(m);
    // Once those lie side by side that could, each line once: loads of one row that lie in the same 32 bytes bring them once.
    let packed = match m.accesses() {
        global if is_l1(m) && !global.is_empty() => sectors_of(global) - excess_of(accesses.iter().copied()),
        _ => all - excess,
    };
    let dram = m.unit(Part::MemoryDram).zip(m.sum(DRAM_BYTES)).map(|(dram, moved)| {
        let stays = if moved > 0.0 { (SECTOR * packed).min(moved) / moved } else { 1.0 };
        (Part::MemoryDram, dram.share * stays)
    });
    let is_moved = dram.is_some();
    let l1 = m.stage().zip(m.sm_cycles()).map(|(own, cycles)| {
        let words = |access: &SectorAccess| (access.width_bits.unwrap_or(32) as f64 / 32.0).max(1.0);
        let wavefronts: f64 = m.accesses().iter().map(|access| access.requests as f64 * words(access)).sum();
        own.shared / 100.0 + (wavefronts / cycles).min(own.other() / 100.0)
    });
    let unknown = if dram.is_none() { &[Part::MemoryDram][..] } else { &[] };
    let unknown = [unknown, if l1.is_none() { &DATA_STAGE } else { &[] }].concat();
    let l1 = l1.into_iter().flat_map(|l1| DATA_STAGE.map(|part| (part, l1)));
    let first = first_of(m);
    let patch = first.and_then(|first| as_patch(m, first));
    let goes = patch.unwrap_or(1.0);
    let less = |(part, goal): (Part, f64)| {
        let now = m.unit(part).map_or(goal, |unit| unit.share);
        (part, now - goes * (now - goal))
    };
    let after: Vec<(Part, f64)> = dram.into_iter().chain(l1).map(less).collect();
    // A request of fewer sectors is answered sooner, and queues less behind others. Nobody waits for a store: it keeps loads waiting as
    // far as it is what the way carries, and the way is busy.
    let waits = [StallReason::LongScoreboard, StallReason::LgThrottle];
    let is_load = |access: &SectorAccess| access.at.op().reads_global();
    let stored = sectors_of(m.accesses().iter().filter(|access| !is_load(access))) / all;
    let carried = m.memory().map_or(1.0, |unit| (unit.share / ROOF).min(1.0));
    let weight = |access: &SectorAccess| if is_load(access) { 1.0 } else { stored * carried };
    let awaited = |access: &&SectorAccess| weight(access) * access.excess() as f64;
    let awaited = match accesses.is_empty() {
        true => part,
        false => part * accesses.iter().map(awaited).sum::<f64>() / excess_of(accesses.iter().copied()).max(1.0),
    };
    let draft = Draft::relieves(m, Action::Coalesce, &after);
    let of_dram = draft.leaves(Part::MemoryDram);
    let once = 1.0 - brought_again(m);
    let draft = if is_moved { draft.keeps(&[Part::MemoryDram], of_dram, of_dram * once) } else { draft };
    // Blocks that wait for each other wait still.
    let draft = if meeting(m).is_some() { draft } else { draft.rewrites() };
    let draft = draft
        .keeps(&[Part::MemoryL2], 1.0 - goes * part, (1.0 - part) / SECTORS_PER_LOOKUP)
        .frees_of(m, &waits, goes * awaited)
        .unknown(m, &unknown)
        .at(first.map_or(At::Nowhere, |first| At::point(&first.at)));
    let why = words!("{} of the sectors {} {}", share(part), counted_at(m), then(m));
    // Few threads, of which each walks over a row of its own, leave SMs empty as well.
    let is_row = |access: &SectorAccess| {
        access.step.is_some_and(|step| step.group == 1 && (step.argument.is_some() || step.bytes.abs() as f64 >= LINE))
    };
    let is_few = m.waves.is_some_and(|waves| waves < 1.0);
    let walks = |access: &SectorAccess| m.phases.is_some_and(|phases| loop_of(phases, access).is_some());
    // Lists that begin where the data say are walked over by neighbouring lanes where a warp has one to itself.
    let how = match first.is_some_and(|first| first.is_walk) {
        _ if patch.is_some() => {
            "Blocks 8 threads wide, 16 or more tall: a warp covers 8 × 4 neighbours, not a row of 32"
        }
        true if first.zip(m.study).is_some_and(|(first, study)| merges(study, first)) => {
            "Coalesce: a warp takes the lists of a thread, its lanes load them side by side, and look entries of one up in the other"
        }
        true if first.is_some_and(|first| first.recurs) => {
            "Coalesce: a warp copies the lists of its threads to shared memory, its lanes side by side, and each thread walks over its own there"
        }
        true => {
            "Coalesce: a warp, or a part of one, walks over each list, in place of a thread, with its lanes side by side"
        }
        false if is_few && accesses.iter().any(|access| is_row(access) && walks(access)) => {
            "Coalesce: a warp or a block walks over each row, in place of a thread, with its lanes side by side"
        }
        false if accesses.is_empty() && first.is_some() => {
            "Coalesce: neighbouring lanes at neighbouring addresses, or one wider load in place of those side by side"
        }
        false => "",
    };
    let now = m.value(SECTORS)?;
    // Each request is counted by itself, and those of neighbours go as well.
    let again: u64 = accesses.iter().map(|access| access.again).sum();
    let gone = if is_l1(m) || accesses.is_empty() { part } else { (excess_of(accesses) + again as f64) / now };
    Some(draft.says(how, why).fewer_sectors(now, goes * gone, SECTORS))
}

/// Stores that data scatters over few sectors: L2 writes each of these to DRAM about once, so that one block, or blocks side by side in
/// time, filled it.
fn filled<'a>(m: &Measures<'a>) -> Option<Vec<&'a SectorAccess>> {
    let scattered = || m.accesses().iter().filter(|access| access.is_inherent && access.at.op().stores_global());
    scattered().next()?;
    // Where one of a compiler's copies of a store is in a loop and goes on from a loaded place, the block orders what it stores as well.
    let is_copy =
        |access: &&SectorAccess| access.at.op().stores_global() && scattered().any(|own| own.at.line == access.at.line);
    let stored: Vec<&SectorAccess> = scattered().chain(packable(m).into_iter().filter(is_copy)).collect();
    let (own, excess) = (sectors_of(stored.iter().copied()), excess_of(stored.iter().copied()));
    let written = m.dram_written()? / SECTOR;
    (2.0 * written >= own - excess && 2.0 * written <= own).then_some(stored)
}

/// What they store in the order of the places needs no sector twice.
fn in_order(m: &Measures<'_>) -> Option<Draft> {
    let stored = filled(m)?;
    let (all, own, excess) =
        (sectors_of(m.accesses()), sectors_of(stored.iter().copied()), excess_of(stored.iter().copied()));
    let written = m.dram_written()? / SECTOR;
    let part = Some(excess / all).filter(|part| 100.0 * part >= m.limits[Threshold::SectorsExcessShare])?;
    let first = stored.iter().filter(|access| access.is_inherent).max_by_key(|access| access.excess())?;
    let kept = 1.0 - UNTOLD * part;
    let draft =
        Draft::new(Action::Coalesce).rewrites().keeps(&[Part::MemoryL2], kept, (1.0 - part) / SECTORS_PER_LOOKUP);
    let draft = draft.frees_of(m, &[StallReason::LgThrottle, StallReason::Drain], part);
    let how = "Put the values of a block in order in shared memory, then store them side by side";
    let why = words!(
        "{} sectors are stored for {}, and DRAM is written {}: neighbours come from one block",
        count(own),
        count(own - excess),
        count(written)
    );
    let draft = draft.at(At::point(&first.at)).says(how, why).risks("shared memory for the values, and a barrier");
    Some(draft.fewer_sectors(all, part, SECTORS))
}
