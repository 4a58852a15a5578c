//! Sectors of global accesses: those that the bytes need, those beside, and where they start.

use super::*;
use crate::analysis::derive::coalescing::{IDEAL, SECTORS};

pub(super) const PATTERNS: [Pattern; 2] = [
    Pattern::asks(
        "Do accesses touch more sectors than their bytes need?",
        SOURCE,
        uncoalesced,
        Stands::For(Action::Coalesce),
    )
    .cured_by(&[coalesce]),
    Pattern::asks("Do contiguous accesses start off a sector boundary?", SOURCE, misaligned, Stands::Beside)
        .cured_by(&[align]),
];

/// Sectors of global loads at L1, and those that L2 is asked for.
const LOADS: [Counter; 2] = [Counter::L1texTSectorsPipeLsuMemGlobalOpLdSum, Counter::LtsTSectorsSrcunitTexOpReadSum];

/// The same of stores.
const STORES: [Counter; 2] = [Counter::L1texTSectorsPipeLsuMemGlobalOpStSum, Counter::LtsTSectorsSrcunitTexOpWriteSum];

/// The accesses whose sectors would go if their bytes lay side by side, without those whose order is the data's and those that are
/// contiguous; the largest excess first, of equal ones the first in the source. Behind L1 what it answers itself is no excess.
pub(in crate::analysis::diagnose) fn packable<'a>(m: &Measures<'a>) -> Vec<&'a SectorAccess> {
    let all = m.accesses();
    let mut found: Vec<&SectorAccess> =
        all.iter().filter(|access| access.excess() > 0 && !access.is_inherent && !access.is_shifted()).collect();
    let [loads, stores] = if is_l1(m) { [1.0; 2] } else { [LOADS, STORES].map(|names| passed_on(m, names)) };
    let weight =
        |access: &SectorAccess| access.excess() as f64 * if access.at.op().reads_global() { loads } else { stores };
    found.sort_by(|a, b| weight(b).total_cmp(&weight(a)).then(a.at.line.cmp(&b.at.line)));
    found
}

/// Whether L1 is the busiest part of the memory system.
pub(super) fn is_l1(m: &Measures<'_>) -> bool {
    m.memory().is_some_and(|unit| !level::is_shared(unit.part))
}

/// The part of the sectors at L1 that L2 is asked for; all where that is not counted.
fn passed_on(m: &Measures<'_>, [at_l1, at_l2]: [Counter; 2]) -> f64 {
    let asked = m.value(at_l1).filter(|sectors| *sectors > 0.0).zip(m.value(at_l2));
    asked.map_or(1.0, |(at_l1, at_l2)| (at_l2 / at_l1).min(1.0))
}

/// Contiguous accesses that start off a sector's boundary, where each sector is brought once: the address that they start from is
/// what is off. Where L1 answers most of them they are neighbours that read the same bytes again.
pub(super) fn off_boundary<'a>(m: &Measures<'a>) -> Vec<&'a SectorAccess> {
    let is_reread = m.value(L1_HITS).is_none_or(|hits| 2.0 * hits >= 100.0);
    let all = m.phases.filter(|_| !is_reread).map_or(&[][..], |phases| phases.accesses.as_slice());
    all.iter().filter(|access| access.is_shifted() && !access.is_inherent).collect()
}

/// Sectors beyond those that the bytes need, without those of contiguous bytes and those whose order is the data's. L1 serves each request by itself; loads of one
/// row that lie in the same 32 bytes cost L2 and DRAM nothing more, and count once where these are busier.
pub(in crate::analysis::diagnose) fn excess(m: &Measures<'_>) -> Option<f64> {
    let all = m.value(SECTORS)? - m.value(IDEAL)?;
    let Some(phases) = m.phases.filter(|phases| !phases.accesses.is_empty()) else { return Some(all) };
    if !is_l1(m) {
        return Some(packable(m).iter().map(|access| access.excess()).sum::<u64>() as f64);
    }
    let is_kept = |access: &&SectorAccess| access.is_inherent || access.is_shifted();
    let kept: u64 = phases.accesses.iter().filter(is_kept).map(SectorAccess::excess).sum();
    Some((all - kept as f64).max(0.0))
}

/// What [`excess`] is a part of: the sectors at L1, or those of each line once where the parts behind it are busier.
pub(super) fn sectors(m: &Measures<'_>) -> Option<f64> {
    let all = m.value(SECTORS).filter(|all| *all > 0.0);
    let by_line = m.phases.map(|phases| phases.accesses.iter().map(|access| access.sectors).sum::<u64>());
    match by_line.filter(|sectors| *sectors > 0 && !is_l1(m)) {
        Some(sectors) => Some(sectors as f64),
        None => all,
    }
}

/// Sectors beyond those that the bytes need, of accesses that could be ordered otherwise, in front of a busy memory unit.
fn uncoalesced(m: &Measures<'_>) -> Option<Held> {
    let (all, excess) = (sectors(m)?, excess(m)?);
    let accesses = packable(m);
    let part = 100.0 * excess / all;
    if part < m.limits[Threshold::SectorsExcessShare] {
        return None;
    }
    let first = accesses.first().map(|access| {
        words!(
            "; `:{}` touches {} sectors a request instead of {}, {} of 32 bytes used",
            access.at.line.to_string(),
            fixed(access.sectors as f64 / access.requests.max(1) as f64, 1),
            fixed(access.ideal as f64 / access.requests.max(1) as f64, 1),
            fixed(access.bytes_used(), 0)
        )
    });
    let sentence = words!(
        "{} of {} sectors of global accesses ({} %) would go if the bytes were packed{}.",
        count(excess),
        count(all),
        fixed(part, 1),
        first.unwrap_or_default()
    );
    let is_busy = m.memory().is_some_and(|unit| 100.0 * unit.share >= m.limits[Threshold::SolLow]);
    let held = Held::new(Code::UncoalescedGlobalAccess, part, m.limits[Threshold::UncoalescedShare], sentence);
    let at = accesses.first().map_or(At::Line(Sits::GlobalAccesses), |access| At::point(&access.at));
    let held = held.only_if(is_busy).at(at).from(m.readings(&[SECTORS, IDEAL]));
    Some(if part >= m.limits[Threshold::CostShare] { held } else { held.noted() })
}

/// Contiguous accesses that start off a sector's boundary in front of a busy memory unit. They limit nothing: neighbours share what
/// they touch beyond their bytes.
fn misaligned(m: &Measures<'_>) -> Option<Held> {
    let accesses = off_boundary(m);
    let (first, all) = (accesses.first()?, m.value(SECTORS).filter(|all| *all > 0.0)?);
    let excess: u64 = accesses.iter().map(|access| access.excess()).sum();
    let part = 100.0 * excess as f64 / all;
    let is_busy = m.global_memory().is_some_and(|unit| 100.0 * unit.share >= m.limits[Threshold::SolLow]);
    if !is_busy || part < m.limits[Threshold::SectorsExcessShare] {
        return None;
    }
    let sentence = words!(
        "{} of {} sectors of global accesses ({} %) are there because contiguous bytes start off a sector's boundary, first at `:{}`: {} sectors a request instead of {}.",
        count(excess as f64),
        count(all),
        fixed(part, 1),
        first.at.line.to_string(),
        fixed(first.sectors as f64 / first.requests.max(1) as f64, 1),
        fixed(first.ideal as f64 / first.requests.max(1) as f64, 1)
    );
    let held = Held::new(Code::MisalignedGlobalAccess, part, 100.0, sentence).only_if(false).noted();
    Some(held.at(At::point(&first.at)).from(m.readings(&[SECTORS, IDEAL])))
}

/// Sectors that one lookup of L2's tags finds at most.
const SECTORS_PER_LOOKUP: f64 = 4.0;

/// Neighbouring lanes at neighbouring addresses, where a memory unit is busy and the order is not the data's.
fn coalesce(m: &Ask<'_>) -> Option<Draft> {
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
        let global = m.accesses();
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
        Draft::relieves(m, Action::Coalesce, &after)
            .rewrites()
            .keeps(Part::MemoryL2, kept, kept / SECTORS_PER_LOOKUP)
            .frees_of(m, &waits, 1.0 - kept)
            .unknown(m, &unknown)
            .at(accesses.first().map_or(At::Line(Sits::Nowhere), |first| At::point(&first.at)))
            .says(
                "Coalesce: neighbouring lanes at neighbouring addresses",
                words!("{} of the sectors would go if the bytes were packed", share(excess / all)),
            )
            .risks("layout of the data, or a transpose through shared memory")
            .checks(words!("sectors of global accesses {} → {}", count(all), count(all - excess)), SECTORS),
    )
}

/// Sectors of global accesses once those that could lie side by side do, each line once: loads of one row that lie in the same 32 bytes
/// bring them once.
fn packed(m: &Measures<'_>) -> Option<f64> {
    let accesses = &m.phases.filter(|phases| !phases.accesses.is_empty())?.accesses;
    let excess: u64 = packable(m).iter().map(|access| access.excess()).sum();
    Some((accesses.iter().map(|access| access.sectors).sum::<u64>() - excess) as f64)
}

/// Contiguous accesses that start off a sector's boundary: L1 asks L2 for a sector more with each request that no neighbour shares.
/// DRAM moves the same bytes.
fn align(m: &Ask<'_>) -> Option<Draft> {
    let accesses = off_boundary(m);
    let excess: u64 = accesses.iter().map(|access| access.excess()).sum();
    let all = m.value(SECTORS).filter(|all| *all > 0.0)?;
    let gone = excess as f64 / all;
    if gone < m.limits[Threshold::SectorsExcessShare] / 100.0 {
        return None;
    }
    let touched = [Part::MemoryL2, Part::MemoryL1tex];
    let after: Vec<(Part, f64)> =
        touched.into_iter().filter_map(|part| Some((part, m.unit(part)?.share * (1.0 - gone)))).collect();
    let first = accesses.first()?;
    Some(
        Draft::relieves(m, Action::AlignBase, &after)
            .at(At::point(&first.at))
            .says(
                "Start the rows at a multiple of 32 bytes",
                words!("contiguous, {} of the sectors only because they start between two", share(gone)),
            )
            .risks("padding of the rows, or elements in front done apart")
            .checks(words!("sectors of global accesses {} → {}", count(all), count(all - excess as f64)), SECTORS),
    )
}

/// Bytes between L2 and DRAM.
pub(super) fn moved(m: &Measures<'_>) -> Option<f64> {
    [Counter::DramBytesReadSum, Counter::DramBytesWriteSum].map(|name| m.value(name)).into_iter().sum()
}
