//! Rules on why the memory system is busy: one slice, local memory, sectors, banks.

use super::{At, Held, count, share};
use crate::analysis::derive::coalescing::{IDEAL, SECTORS};
pub(in crate::analysis::diagnose) use crate::analysis::derive::coalescing::{
    WAVEFRONTS as SHARED, WAVEFRONTS_IDEAL as SHARED_IDEAL,
};
use crate::analysis::derive::data_stage::DataStage;
use crate::analysis::derive::units;
use crate::analysis::diagnose::level::{self, Level};
use crate::analysis::diagnose::measures::{CYCLES, Measures};
use crate::analysis::lines::Sits;
use crate::analysis::phases::SectorAccess;
use crate::catalog::{Code, Counter, Part, StallReason, Threshold};
use crate::quantity::format;
use crate::words;
use cuda_binary::op::{Act, Space};
use cuda_binary::{Class, Op};

/// Sectors of local accesses.
pub(in crate::analysis::diagnose) const LOCAL: Counter = Counter::MemoryL2TheoreticalSectorsLocal;
/// The same as the hardware counts them at L1, loads and stores.
const LOCAL_AT_L1: [Counter; 2] =
    [Counter::L1texTSectorsPipeLsuMemLocalOpLdSum, Counter::L1texTSectorsPipeLsuMemLocalOpStSum];
/// Sectors of global loads at L1, and those that L2 is asked for.
const LOADS: [Counter; 2] = [Counter::L1texTSectorsPipeLsuMemGlobalOpLdSum, Counter::LtsTSectorsSrcunitTexOpReadSum];
/// The same of stores.
const STORES: [Counter; 2] = [Counter::L1texTSectorsPipeLsuMemGlobalOpStSum, Counter::LtsTSectorsSrcunitTexOpWriteSum];
/// Hit rate of L1, percent.
const L1_HITS: Counter = Counter::L1texTSectorHitRatePct;
/// Instructions that spill or fill a register.
const SPILLS: Counter = Counter::SassInstExecutedRegisterSpilling;

/// Executed atomics on memory, by warps.
pub(in crate::analysis::diagnose) fn atomics(m: &Measures<'_, '_>) -> f64 {
    m.mix.count(Op::is_l2_atomic).unwrap_or(0.0)
}

/// One slice or channel is several times as busy as the average, and full. The atomic unit of a slice takes up to several cycles for
/// an operation, so that additions which follow one another at one address fill it at less than its peak.
pub(super) fn hot_spot(m: &Measures<'_, '_>) -> Option<Held> {
    let (spot, average) = units::hot_spot(m.kernel, m.limits[Threshold::HotSliceFactor])?;
    let atomics = atomics(m);
    let is_quiet = m.memory().is_none_or(|unit| 100.0 * unit.share < m.limits[Threshold::SolLow]);
    let waits = m.waits(&[
        StallReason::LongScoreboard,
        StallReason::LgThrottle,
        StallReason::Drain,
        StallReason::ShortScoreboard,
    ]);
    let is_awaited = 100.0 * waits >= m.limits[Threshold::ChainShare];
    let least = match atomics > 0.0 && is_quiet && is_awaited {
        true => m.limits[Threshold::HotSliceAtomics],
        false => m.limits[Threshold::HotSlice],
    };
    let factor = format::fixed(spot.percent / average.max(0.01), 0);
    let what = match atomics > 0.0 {
        true => words!("{} warp-level atomics hit one slice of L2", count(atomics)),
        false => words!("The accesses hit one instance of {}", &spot.label),
    };
    let sentence = words!(
        "{}, which is at {} % of peak, {} times the average (`{}`).",
        what,
        format::fixed(spot.percent, 1),
        factor,
        &spot.counter
    );
    let code = if atomics > 0.0 { Code::AtomicContention } else { Code::MemoryHotSpot };
    let sits = if atomics > 0.0 { Sits::Atomics } else { Sits::Nowhere };
    let held = Held::new(code, spot.percent, least, sentence).only_if(is_quiet).at(At::Line(sits));
    held.holds.then(|| held.from(m.readings(&[&spot.counter])))
}

/// Executed loads and stores of local memory, by warps; `None` where opcodes were not counted.
fn moves(m: &Measures<'_, '_>) -> Option<f64> {
    m.mix.count(|op| op.is_in(Space::Local))
}

/// Whether most accesses to local memory spill or refill a register; `None` where one of both was not counted.
pub(in crate::analysis::diagnose) fn are_spills(m: &Measures<'_, '_>) -> Option<bool> {
    let spills = m.kernel.value(SPILLS)?;
    if spills == 0.0 { Some(false) } else { moves(m).map(|moves| 2.0 * spills >= moves) }
}

/// Local memory makes much of the sectors, and the memory system or the waits show it.
pub(super) fn local(m: &Measures<'_, '_>) -> Option<Held> {
    let at_l1 = || Some(m.kernel.value(LOCAL_AT_L1[0])? + m.kernel.value(LOCAL_AT_L1[1])?);
    let sectors = m.kernel.value(LOCAL).or_else(at_l1).filter(|sectors| *sectors > 0.0)?;
    let part = sectors / (sectors + m.kernel.value(SECTORS)?);
    let are_spills = are_spills(m);
    let accesses = moves(m).map(|executed| words!(" ({} accesses)", count(executed))).unwrap_or_default();
    let sentence = match (m.kernel.value(SPILLS), are_spills) {
        (Some(spills), Some(true)) => words!(
            "{} executed instructions spill or refill registers; local memory causes {} of the sectors of loads and stores.",
            count(spills),
            share(part)
        ),
        (_, Some(false)) => words!(
            "Local arrays, indexed at run time, cause {} of the sectors of loads and stores{}.",
            share(part),
            accesses
        ),
        _ => words!(
            "Local memory, of spills or of arrays, causes {} of the sectors of loads and stores{}.",
            share(part),
            accesses
        ),
    };
    let waits = m.waits(&[StallReason::LongScoreboard, StallReason::LgThrottle]);
    let index = index_work(m);
    let is_index = index.is_some_and(|index| index.fills_its_pipe(m));
    let sentence = match index.filter(|_| is_index) {
        Some(index) => words!(
            "{} {} of {} executed instructions of the uniform datapath only compute their addresses.",
            &sentence,
            count(index.own),
            count(index.all)
        ),
        None => sentence,
    };
    let is_felt = is_index
        || m.memory().is_some_and(|unit| 100.0 * unit.share >= m.limits[Threshold::SolLow])
        || 100.0 * waits >= m.limits[Threshold::QueueShare];
    let code = if are_spills == Some(true) { Code::RegisterSpilling } else { Code::LocalMemory };
    let held = Held::new(code, 100.0 * part, m.limits[Threshold::LocalShare], sentence);
    Some(held.only_if(is_felt).at(At::Line(Sits::LocalAccesses)).from(m.held(&[
        SPILLS,
        LOCAL,
        LOCAL_AT_L1[0],
        SECTORS,
    ])))
}

/// What addresses of local arrays take of the uniform datapath, in executions by warps.
#[derive(Clone, Copy)]
pub(in crate::analysis::diagnose) struct IndexWork {
    /// Instructions that do nothing else.
    pub(in crate::analysis::diagnose) own: f64,
    /// All instructions of the datapath.
    all: f64,
}

impl IndexWork {
    /// Its share of the datapath's instructions.
    pub(in crate::analysis::diagnose) fn share(self) -> f64 {
        (self.own / self.all).min(1.0)
    }

    /// Whether it is most of what a busy pipe does.
    fn fills_its_pipe(self, m: &Measures<'_, '_>) -> bool {
        let is_busy = m.unit(Part::ComputeControl).is_some_and(|unit| unit.level > Level::Idle);
        is_busy && 100.0 * self.share() >= m.limits[Threshold::CauseShare]
    }
}

/// `None` where no local array is indexed on the uniform datapath.
pub(in crate::analysis::diagnose) fn index_work(m: &Measures<'_, '_>) -> Option<IndexWork> {
    let own = m.kernel_of.phases?.local_index.as_ref()?.uniform as f64;
    let all = m.mix.count(|op| op.class() == Some(Class::Uniform)).unwrap_or(0.0);
    (own > 0.0 && all > 0.0).then_some(IndexWork { own, all })
}

/// The accesses whose sectors would go if their bytes lay side by side, without those whose order is the data's and those that are
/// contiguous; the largest excess first, of equal ones the first in the source. Behind L1 what it answers itself is no excess.
pub(in crate::analysis::diagnose) fn packable<'a>(m: &Measures<'a, '_>) -> Vec<&'a SectorAccess> {
    let all = m.kernel_of.phases.map(|phases| phases.accesses.as_slice()).unwrap_or_default();
    let mut found: Vec<&SectorAccess> =
        all.iter().filter(|access| access.excess() > 0 && !access.is_inherent && !access.is_shifted()).collect();
    let [loads, stores] = if is_l1(m) { [1.0; 2] } else { [LOADS, STORES].map(|names| passed_on(m, names)) };
    let weight =
        |access: &SectorAccess| access.excess() as f64 * if access.at.op().reads_global() { loads } else { stores };
    found.sort_by(|a, b| weight(b).total_cmp(&weight(a)).then(a.at.line.cmp(&b.at.line)));
    found
}

/// Whether L1 is the busiest part of the memory system.
fn is_l1(m: &Measures<'_, '_>) -> bool {
    m.memory().is_some_and(|unit| !level::is_shared(unit.part))
}

/// The part of the sectors at L1 that L2 is asked for; all where that is not counted.
fn passed_on(m: &Measures<'_, '_>, [at_l1, at_l2]: [Counter; 2]) -> f64 {
    let asked = m.kernel.value(at_l1).filter(|sectors| *sectors > 0.0).zip(m.kernel.value(at_l2));
    asked.map_or(1.0, |(at_l1, at_l2)| (at_l2 / at_l1).min(1.0))
}

/// Contiguous accesses that start off a sector's boundary, where each sector is brought once: the address that they start from is
/// what is off. Where L1 answers most of them they are neighbours that read the same bytes again.
pub(in crate::analysis::diagnose) fn off_boundary<'a>(m: &Measures<'a, '_>) -> Vec<&'a SectorAccess> {
    let is_reread = m.kernel.value(L1_HITS).is_none_or(|hits| 2.0 * hits >= 100.0);
    let all = m.kernel_of.phases.filter(|_| !is_reread).map_or(&[][..], |phases| phases.accesses.as_slice());
    all.iter().filter(|access| access.is_shifted() && !access.is_inherent).collect()
}

/// Sectors beyond those that the bytes need, without those of contiguous bytes and those whose order is the data's. L1 serves each request by itself; loads of one
/// row that lie in the same 32 bytes cost L2 and DRAM nothing more, and count once where these are busier.
pub(in crate::analysis::diagnose) fn excess(m: &Measures<'_, '_>) -> Option<f64> {
    let all = m.kernel.value(SECTORS)? - m.kernel.value(IDEAL)?;
    let Some(phases) = m.kernel_of.phases.filter(|phases| !phases.accesses.is_empty()) else { return Some(all) };
    if !is_l1(m) {
        return Some(packable(m).iter().map(|access| access.excess()).sum::<u64>() as f64);
    }
    let is_kept = |access: &&SectorAccess| access.is_inherent || access.is_shifted();
    let kept: u64 = phases.accesses.iter().filter(is_kept).map(SectorAccess::excess).sum();
    Some((all - kept as f64).max(0.0))
}

/// Sectors beyond those that the bytes need, of accesses that could be ordered otherwise, in front of a busy memory unit.
pub(super) fn uncoalesced(m: &Measures<'_, '_>) -> Option<Held> {
    let (all, excess) = (m.kernel.value(SECTORS).filter(|all| *all > 0.0)?, excess(m)?);
    let accesses = packable(m);
    let part = 100.0 * excess / all;
    if part < m.limits[Threshold::SectorsExcessShare] {
        return None;
    }
    let first = accesses.first().map(|access| {
        words!(
            "; `:{}` touches {} sectors a request instead of {}, {} of 32 bytes used",
            access.at.line.to_string(),
            format::fixed(access.sectors as f64 / access.requests.max(1) as f64, 1),
            format::fixed(access.ideal as f64 / access.requests.max(1) as f64, 1),
            format::fixed(access.bytes_used(), 0)
        )
    });
    let sentence = words!(
        "{} of {} sectors of global accesses ({} %) would go if the bytes were packed{}.",
        count(excess),
        count(all),
        format::fixed(part, 1),
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
pub(super) fn misaligned(m: &Measures<'_, '_>) -> Option<Held> {
    let accesses = off_boundary(m);
    let (first, all) = (accesses.first()?, m.kernel.value(SECTORS).filter(|all| *all > 0.0)?);
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
        format::fixed(part, 1),
        first.at.line.to_string(),
        format::fixed(first.sectors as f64 / first.requests.max(1) as f64, 1),
        format::fixed(first.ideal as f64 / first.requests.max(1) as f64, 1)
    );
    let held = Held::new(Code::MisalignedGlobalAccess, part, 100.0, sentence).only_if(false).noted();
    Some(held.at(At::point(&first.at)).from(m.readings(&[SECTORS, IDEAL])))
}

/// Wavefronts of shared accesses: those that were needed, and those that were taken.
#[derive(Clone, Copy)]
pub(in crate::analysis::diagnose) struct Wavefronts {
    /// By the addresses of each access, no more than the data stage passed: the addresses of a `cp.async` make ncu count conflicts
    /// that the stage does not have.
    pub(in crate::analysis::diagnose) all: f64,
    /// What the same words need at least.
    pub(in crate::analysis::diagnose) ideal: f64,
    /// The excess, as a share of the data stage's cycles.
    pub(in crate::analysis::diagnose) excess: f64,
}

/// `None` where that was not counted.
pub(in crate::analysis::diagnose) fn wavefronts(m: &Measures<'_, '_>) -> Option<Wavefronts> {
    let (asked, ideal) = (m.kernel.value(SHARED).filter(|all| *all > 0.0)?, m.kernel.value(SHARED_IDEAL)?);
    let cycles = m.cycles? * m.sms?;
    let passed = DataStage::of(m.kernel).map(|stage| stage.whole / 100.0 * cycles);
    let all = match passed {
        Some(passed) => asked.min(passed.max(ideal)),
        // Without the stage only what holds no `cp.async` is known.
        None => Some(asked).filter(|_| m.mix.count(|op| op.copies_global() && !op.is_bulk()) == Some(0.0))?,
    };
    Some(Wavefronts { all, ideal, excess: (all - ideal) / cycles })
}

/// Additions to shared memory that are tried until no other lane came in between: the chip adds floats there by compare and swap.
#[derive(Clone, Copy)]
pub(in crate::analysis::diagnose) struct Retries {
    /// Compare-and-swap instructions of warps.
    pub(in crate::analysis::diagnose) tries: f64,
    /// Additions of warps, at most: loops that lanes leave one by one.
    pub(in crate::analysis::diagnose) additions: f64,
}

impl Retries {
    /// The share of the tries beyond the first of each addition, 0 to 1.
    pub(in crate::analysis::diagnose) fn in_vain(self) -> f64 {
        1.0 - self.additions / self.tries
    }
}

/// `None` where no such loop ran more than once. A try reads its word before it swaps; an addition of integers, which the chip has, does
/// not. Each loop reconverges its lanes behind it, and so opens with a `BSSY`.
pub(in crate::analysis::diagnose) fn retries(m: &Measures<'_, '_>) -> Option<Retries> {
    let tries = m.mix.count(|op| op.is_in(Space::Shared) && op.act() == Some(Act::Atomic));
    let reads = m.mix.count(|op| op.is_in(Space::Shared) && op.act() == Some(Act::Load) && op.is_by_lane());
    let additions = m.mix.count(|op| op == Op::BSSY);
    let (tries, additions) = (tries?, additions.filter(|additions| *additions > 0.0)?);
    (reads? >= tries && tries > additions).then_some(Retries { tries, additions })
}

/// Lanes that add to few words of shared memory, in front of a busy data stage.
pub(super) fn shared_atomics(m: &Measures<'_, '_>) -> Option<Held> {
    let retries = retries(m)?;
    let stage = m.unit(Part::MemoryShared).filter(|unit| unit.level > Level::Idle)?;
    let sentence = words!(
        "Lanes add to few words of shared memory and take turns: {} compare-and-swap instructions of warps for at most {} additions, {} tries each; {} is at {}.",
        count(retries.tries),
        count(retries.additions),
        format::fixed(retries.tries / retries.additions, 1),
        format!("the {}", stage.name),
        share(stage.share)
    );
    let held = Held::new(Code::AtomicContention, 100.0 * retries.in_vain(), m.limits[Threshold::CauseShare], sentence);
    let held = held.at(At::Line(Sits::SharedAccesses)).from(m.readings(&[&stage.counter]));
    held.holds.then_some(held)
}

/// Cycles of the L1 data stage that bank conflicts take: `(wavefronts − ideal) / (cycles × SMs)`.
pub(super) fn bank_conflicts(m: &Measures<'_, '_>) -> Option<Held> {
    let Wavefronts { all, ideal, excess } = wavefronts(m)?;
    let part = 100.0 * excess;
    if part < m.limits[Threshold::ExcessNamed] {
        return None;
    }
    let sentence = words!(
        "Shared memory takes {} wavefronts, {} without conflicts ({}×); the excess fills {} % of the L1 data stage's cycles.",
        count(all),
        count(ideal),
        format::fixed(all / ideal, 1),
        format::fixed(part, 1)
    );
    let held = Held::new(Code::SharedBankConflicts, part, m.limits[Threshold::BankConflictCycles], sentence);
    Some(held.at(At::Line(Sits::SharedAccesses)).from(m.held(&[SHARED, SHARED_IDEAL, CYCLES])))
}
