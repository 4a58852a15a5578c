//! Bytes that are moved more often than the work needs: several passes, more than was stated.

use super::sectors::fewer_sectors;
use super::*;
use crate::analysis::derive::traffic::Traffic;

pub(super) const PATTERNS: [Pattern; 1] = [Pattern::changes(&[passes, bytes, narrow_index])];

/// Loads of two loops or more that bring the same sectors: as many requests of one width, and fewer bytes from DRAM than they m for
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
    let bytes = SECTOR * first.sectors as f64;
    let passes = group.len();
    let has_loops = group.iter().any(|access| phases.loop_of(access.at.offset).is_some());
    (passes > 1 && has_loops && read < (passes as f64 - 0.5) * bytes).then_some((passes, group))
}

fn passes(m: &Ask<'_>) -> Option<Draft> {
    let phases = m.sampled()?;
    let (passes, group) = repeated(phases, m.value(DRAM_BYTES[0])?)?;
    let all = sectors_of(&phases.accesses);
    let gone = sectors_of(group[1..].iter().copied()) / all.max(1.0);
    let lines = words::join(group.iter().map(|access| words!("`:{}`", access.at.line.to_string())), ", ");
    let waits = [StallReason::LongScoreboard, StallReason::LgThrottle];
    let parts = [Part::MemoryL1tex, Part::MemoryLsu, Part::MemoryL2];
    let draft = Draft::new(Action::FewerPasses).rewrites().keeps(&parts, 1.0 - gone, 0.0);
    let draft = draft.frees_of(m, &waits, 1.0 - 1.0 / passes as f64).at(At::point(&group[0].at));
    let why = words!(
        "{} loops load the same {} sectors; {} of all sectors are loaded again",
        passes.to_string(),
        count(group[0].sectors as f64),
        share(gone)
    );
    let how = words!("Read the input once: keep it in registers or shared memory between the passes ({})", lines);
    let draft = draft.says(how, why).risks("registers or shared memory for a row");
    Some(draft.checks(fewer_sectors(all, gone), Counter::L1texTSectorsPipeLsuMemGlobalOpLdSum))
}

/// Bytes of DRAM that the stated work does not need.
fn bytes(m: &Ask<'_>) -> Option<Draft> {
    m.unit(Part::MemoryDram)?;
    let traffic = Traffic::of(m.kernel, m.work).filter(|traffic| !traffic.is_reached(m.limits))?;
    let kept = traffic.stated / traffic.moved;
    let draft = Draft::new(Action::FewerBytes).keeps(&[Part::MemoryL2, Part::MemoryDram], kept, kept);
    let why = words!("DRAM moved {} times the stated bytes", fixed(1.0 / kept, 2));
    let draft = draft.says("Move only the bytes that the work needs: whole sectors, reuse in L2", why);
    let draft = draft.at(At::most(m, Op::reads_global));
    Some(draft.checks("DRAM bytes / stated bytes = 1.0", DRAM_BYTES[0]))
}

/// Indices of 64 bits, where 32 would do for 4 G elements.
fn narrow_index(m: &Ask<'_>) -> Option<Draft> {
    let phases = m.sampled()?;
    let index = &m.study?.indirection()?.index;
    let is_own = |access: &&SectorAccess| access.at.offset == index.offset && access.width_bits == Some(64);
    let gone = 16.0 * phases.accesses.iter().find(is_own)?.sectors as f64;
    let moved = m.sum(DRAM_BYTES).filter(|moved| *moved > gone)?;
    let kept = 1.0 - gone / moved;
    let of_l2 = 1.0 - gone / (SECTOR * sectors_of(&phases.accesses));
    let draft = Draft::new(Action::FewerBytes).keeps(&[Part::MemoryDram], kept, kept);
    let why = words!("{} of the bytes of DRAM are upper halves of indices", share(1.0 - kept));
    let draft = draft.keeps(&[Part::MemoryL2], of_l2, of_l2).at(At::point(index));
    let draft = draft.says("Indices of 32 bits in place of 64", why).risks("at most 4 G elements");
    Some(draft.checks(words!("bytes of DRAM −{}B", glance::short(gone)), DRAM_BYTES[0]))
}
