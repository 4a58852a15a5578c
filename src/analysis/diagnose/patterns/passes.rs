//! Bytes that are moved more often than the work needs: several passes, more than was stated.

use super::sectors::moved;
use super::{Ask, At, Draft, Pattern, count, share};
use crate::analysis::derive::traffic::Traffic;
use crate::analysis::diagnose::machine::Change;
use crate::analysis::phases::{Phases, SectorAccess};
use crate::catalog::{Action, Counter, Part, StallReason};
use crate::quantity::{SECTOR, format, glance};
use crate::words;
use cuda_binary::Op;

pub(super) const PATTERNS: [Pattern; 1] = [Pattern::changes(&[passes, bytes, narrow_index, kept_in_l2])];

/// Loads of two loops or more that bring the same sectors: as many requests of one width, and fewer bytes from DRAM than they ask for
/// together.
fn repeated(phases: &Phases, read: f64) -> Option<(usize, Vec<&SectorAccess>)> {
    let loads = || phases.accesses.iter().filter(|access| access.at.opcode.starts_with("LDG") && !access.is_inherent);
    let alike = |a: &SectorAccess, b: &SectorAccess| {
        (a.requests, a.sectors, a.width_bits) == (b.requests, b.sectors, b.width_bits)
    };
    let first = loads().max_by_key(|access| access.sectors)?;
    let mut group: Vec<&SectorAccess> = Vec::new();
    for access in loads().filter(|access| alike(access, first)) {
        // Loads of one loop, or of code without one, bring different inputs.
        if group.iter().all(|other| phases.loop_of(other.at.offset) != phases.loop_of(access.at.offset)) {
            group.push(access);
        }
    }
    let bytes = 32.0 * first.sectors as f64;
    let passes = group.len();
    let has_loops = group.iter().any(|access| phases.loop_of(access.at.offset).is_some());
    (passes > 1 && has_loops && read < (passes as f64 - 0.5) * bytes).then_some((passes, group))
}

fn passes(ask: &Ask<'_, '_, '_>) -> Option<Draft> {
    let m = ask.m;
    let phases = m.sampled()?;
    let (passes, group) = repeated(phases, m.kernel.value(Counter::DramBytesReadSum)?)?;
    let all: u64 = phases.accesses.iter().map(|access| access.sectors).sum();
    let gone = group[1..].iter().map(|access| access.sectors).sum::<u64>() as f64 / all.max(1) as f64;
    let lines = words::join(group.iter().map(|access| words!("`:{}`", access.at.line.to_string())), ", ");
    let waits = [StallReason::LongScoreboard, StallReason::LgThrottle];
    let parts = [Part::MemoryL1tex, Part::MemoryLsu, Part::MemoryL2];
    let draft = Draft::of(Action::FewerPasses, Change::default()).rewrites();
    Some(
        draft
            .keeps_all(&parts, 1.0 - gone, 0.0)
            .frees_of(ask, &waits, 1.0 - 1.0 / passes as f64)
            .at(At::point(&group[0].at))
            .says(
                words!("Read the input once: keep it in registers or shared memory between the passes ({})", lines),
                words!(
                    "{} loops load the same {} sectors; {} of all sectors are loaded again",
                    format::plain(passes as f64, 0),
                    count(group[0].sectors as f64),
                    share(gone)
                ),
            )
            .risks("registers or shared memory for a row".into())
            .checks(
                words!("sectors of global accesses {} → {}", count(all as f64), count(all as f64 * (1.0 - gone))),
                Counter::L1texTSectorsPipeLsuMemGlobalOpLdSum,
            ),
    )
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
            .at(At::most(m, Op::reads_global))
            .says(
                "Move only the bytes that the work needs: whole sectors, reuse in L2".into(),
                words!("DRAM moved {} times the stated bytes", format::fixed(1.0 / kept, 2)),
            )
            .checks(words!("DRAM bytes / stated bytes = 1.0"), Counter::DramBytesReadSum),
    )
}

/// Indices of 64 bits, where 32 would do for 4 G elements.
fn narrow_index(ask: &Ask<'_, '_, '_>) -> Option<Draft> {
    let m = ask.m;
    let phases = m.sampled()?;
    let index = &m.study?.indirection()?.index;
    let own =
        phases.accesses.iter().find(|access| access.at.offset == index.offset && access.width_bits == Some(64))?;
    let gone = 16.0 * own.sectors as f64;
    let moved = moved(m).filter(|moved| *moved > gone)?;
    let asked: u64 = phases.accesses.iter().map(|access| access.sectors).sum();
    let kept = 1.0 - gone / moved;
    let of_l2 = 1.0 - gone / (32.0 * asked as f64);
    Some(
        Draft::of(Action::FewerBytes, Change::default())
            .keeps(Part::MemoryDram, kept, kept)
            .keeps(Part::MemoryL2, of_l2, of_l2)
            .at(At::point(index))
            .says(
                "Indices of 32 bits in place of 64".into(),
                words!("{} of the bytes of DRAM are upper halves of indices", share(1.0 - kept)),
            )
            .risks("at most 4 G elements".into())
            .checks(words!("bytes of DRAM −{}B", glance::short(gone)), Counter::DramBytesReadSum),
    )
}

/// The part of what is gathered that L2 answers from which most of the table is there, and streams push the rest out.
const NEARLY_ALL: f64 = 2.0 / 3.0;
/// The part of what is gathered from DRAM again that is expected to stay in L2.
const STAYS: f64 = 0.5;

/// A table that is gathered from beside streams, which are used once and take its place in L2. DRAM is read for the streams, and for what
/// of the table was pushed out; L2 looks for each sector, and takes those in that DRAM brings.
fn kept_in_l2(ask: &Ask<'_, '_, '_>) -> Option<Draft> {
    let m = ask.m;
    let accesses = &m.sampled()?.accesses;
    let sectors = |is_meant: &dyn Fn(&SectorAccess) -> bool| -> f64 {
        accesses.iter().filter(|access| is_meant(access)).map(|access| access.sectors as f64).sum()
    };
    let is_gathered = |access: &SectorAccess| access.is_inherent && access.at.op().loads_global();
    let gathered = sectors(&is_gathered);
    let streamed = sectors(&|access| !access.is_inherent && access.at.op().loads_global());
    let filled = m.kernel.value(Counter::DramBytesReadSum)? / SECTOR;
    let again = filled - streamed;
    let stored = sectors(&|access| !access.is_inherent && access.at.op().stores_global());
    let code = &m.study?.code;
    let is_global = |row: usize| code.op(row).reads_global() || code.op(row).stores_global();
    let is_marked = (0..code.rows.len()).any(|row| {
        code.executed[row] > 0 && is_global(row) && code.rows[row].word.is_some_and(|word| word.goes_first())
    });
    if is_marked || streamed == 0.0 || again <= 0.0 || again > (1.0 - NEARLY_ALL) * gathered {
        return None;
    }
    // Each sector of a stream pushes one of the table out.
    let gone = again.min(streamed + stored);
    let of_l2 = gone / (sectors(&|_| true) + filled);
    let of_dram = SECTOR * gone / moved(m)?;
    let table = accesses.iter().filter(|access| is_gathered(access)).max_by_key(|access| access.sectors)?;
    Some(
        Draft::of(Action::FewerBytes, Change::default())
            .keeps(Part::MemoryL2, 1.0 - STAYS * of_l2, 1.0 - of_l2)
            .keeps(Part::MemoryDram, 1.0 - STAYS * of_dram, 1.0 - of_dram)
            .at(At::point(&table.at))
            .says(
                "Keep the table in L2: mark what is read or written once (`__ldcs`, `__stcs`)".into(),
                words!(
                    "L2 answers {} of the gathers; {}B are read from DRAM beside the streams",
                    share(1.0 - again / gathered),
                    glance::short(SECTOR * again)
                ),
            )
            .risks("what a next kernel would find in L2".into())
            .checks(words!("bytes of DRAM −{}B", glance::short(STAYS * SECTOR * gone)), Counter::DramBytesReadSum),
    )
}
