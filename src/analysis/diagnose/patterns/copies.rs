//! Tiles that are copied by `cp.async` where the chip has TMA.

use super::epilogue::overlap;
use super::*;

pub(super) const PATTERNS: [Pattern; 1] = [Pattern::changes(&[bulk])];

/// L1 at this share of its peak caps an overlap.
const L1_HIGH: f64 = 0.6;

/// TMA in place of `cp.async`. Its writes do not pass the load/store data stage of L1.
fn bulk(m: &Ask<'_>) -> Option<Draft> {
    let phases = m.sampled()?;
    let overlap = overlap(m);
    let chip = m.chip()?;
    let stage = DataStage::of(m.kernel)?;
    let copied: u64 = phases.accesses.iter().filter(|access| is_copy(access)).map(|access| access.sectors).sum();
    let all: u64 = phases.accesses.iter().map(|access| access.sectors).sum();
    let l1 = m.busiest_of(&[Part::MemoryL1tex, Part::MemoryShared])?;
    // Rows at addresses that are loaded values are no box of a tensor map.
    let gathered = phases.accesses.iter().find(|access| is_copy(access) && access.is_inherent);
    let caps = overlap.is_some() && busiest(m, &[]).0 == l1.name;
    if !chip.has_bulk_copies || copied == 0 || !(l1.share >= L1_HIGH || caps) {
        return None;
    }
    let is_by_warpgroups = m.mix.has_class(Class::TensorWgmma).or(stage.operands.map(|operands| operands > 0.0));
    // Products of warpgroups read their operands themselves; other reads of the tiles stay as they are.
    let shared = match (stage.operands, is_by_warpgroups) {
        (Some(operands), Some(true)) => stage.shared - operands.min(stage.shared),
        _ => 0.0,
    };
    let is_known = is_by_warpgroups == Some(false) || stage.operands.is_some();
    let unknown = if is_known { &[][..] } else { &[Part::MemoryL1tex, Part::MemoryShared, Part::MemoryLsu] };
    let goal = (stage.whole - shared - copied as f64 / all as f64 * stage.other()) / 100.0;
    let after = [(Part::MemoryL1tex, goal), (Part::MemoryShared, goal), (Part::MemoryLsu, goal.min(l1.share))];
    let (next, left) = busiest(m, &after);
    let epilogue = phases.phases.iter().find(|phase| phase.kind == PhaseKind::Epilogue).map(|phase| phase.cost);
    let draft = match (overlap, epilogue) {
        (Some(_), Some(cost)) if caps => {
            let both = Draft::relieves(m, Action::BulkCopies, &after);
            both.frees(cost, cost).beside(Some(Along::With(Action::OverlapEpilogue)))
        }
        _ => Draft::relieves(m, Action::BulkCopies, &after),
    };
    if let Some(access) = gathered {
        let why = words!("the copies at `:{}` gather rows whose addresses are loaded", access.at.line.to_string());
        return Some(draft.not_here(why));
    }
    Some(
        draft
            .unknown(m, unknown)
            .at(phases
                .accesses
                .iter()
                .find(|access| is_copy(access))
                .map_or(At::Launch, |access| At::point(&access.at)))
            .says(
                words!("TMA for the copies of `cp.async`"),
                words!(
                    "{} {} → {} %, then {} ({}) is next",
                    &l1.name,
                    fixed(100.0 * l1.share, 0),
                    fixed(100.0 * goal, 0),
                    next,
                    share(left)
                ),
            )
            .risks(words!("mbarriers in place of `wait_group`; tensor maps as arguments"))
            .checks("LDGSTS = 0", l1.counter.clone()),
    )
}

fn is_copy(access: &SectorAccess) -> bool {
    access.at.op().copies_global()
}
