//! Tiles that are copied by `cp.async` where the chip has TMA.

use super::epilogue::overlap;
use super::*;

pub(super) const PATTERNS: [Pattern; 1] = [Pattern::changes(&[bulk])];

/// L1 at this share of its peak caps an overlap.
const L1_HIGH: f64 = 0.6;

/// TMA in place of `cp.async`. Its writes do not pass the load/store data stage of L1.
fn bulk(m: &Ask<'_>) -> Option<Draft> {
    let phases = m.sampled()?;
    let stage = DataStage::of(m.kernel)?;
    let copies = || phases.accesses.iter().filter(|access| access.at.op().copies_global());
    let copied = sectors_of(copies());
    let l1 = m.busiest_of(&DATA_STAGE)?;
    // An epilogue beside the next products, where L1 caps that.
    let overlap = overlap(m).filter(|_| busiest(m, &[]).0 == l1.name);
    if !m.chip()?.has_bulk_copies || copied == 0.0 || !(l1.share >= L1_HIGH || overlap.is_some()) {
        return None;
    }
    let is_by_warpgroups = m.mix.has_class(Class::TensorWgmma).or(stage.operands.map(|operands| operands > 0.0));
    // Products of warpgroups read their operands themselves; other reads of the tiles stay as they are.
    let shared = match (stage.operands, is_by_warpgroups) {
        (Some(operands), Some(true)) => stage.shared - operands.min(stage.shared),
        _ => 0.0,
    };
    let is_known = is_by_warpgroups == Some(false) || stage.operands.is_some();
    let unknown = if is_known { &[][..] } else { &L1 };
    let goal = (stage.whole - shared - copied / sectors_of(&phases.accesses) * stage.other()) / 100.0;
    let after = [(Part::MemoryL1tex, goal), (Part::MemoryShared, goal), (Part::MemoryLsu, goal.min(l1.share))];
    let (next, left) = busiest(m, &after);
    let mut draft = Draft::relieves(m, Action::BulkCopies, &after);
    if let Some(epilogue) = phases.phase(PhaseKind::Epilogue).filter(|_| overlap.is_some()) {
        draft = draft.frees(epilogue.cost, epilogue.cost).beside(Along::With(Action::OverlapEpilogue));
    }
    // Rows at addresses that are loaded values are no box of a tensor map.
    if let Some(access) = copies().find(|access| access.is_inherent) {
        let why = words!("the copies at `:{}` gather rows whose addresses are loaded", access.at.line.to_string());
        return Some(draft.not_here(why));
    }
    let at = copies().next().map_or(At::Launch, |access| At::point(&access.at));
    let (now, then) = (whole(l1.share), whole(goal));
    let why = words!("{} {} → {} %, then {} ({}) is next", &l1.name, now, then, next, share(left));
    let draft = draft.unknown(m, unknown).at(at).says(words!("TMA for the copies of `cp.async`"), why);
    let draft = draft.risks(words!("mbarriers in place of `wait_group`; tensor maps as arguments"));
    Some(draft.checks("LDGSTS = 0", l1.counter.clone()))
}
