//! Values that all lanes read, or that each lane reads elsewhere: constants and tables.

use super::*;

pub(super) const PATTERNS: [Pattern; 1] = [Pattern::asks(
    "Do lanes read constants at different addresses?",
    SPEED,
    divergent,
    Stands::For(Action::MoveConstants),
)
.cured_by(&[move_constants, broadcasts])];

/// Requests of the constant cache that the LSU sends.
const CONSTANTS: Counter = Counter::IdcRequestCyclesActiveAvgPctElapsed;

/// Constants at addresses that differ from lane to lane are served one address after the other.
fn divergent(m: &Measures<'_>) -> Option<Held> {
    let busy = m.value(CONSTANTS)?;
    let sentence = words!(
        "Lanes read different constant addresses, served one at a time: the constant cache is busy {} % of the time.",
        fixed(busy, 1)
    );
    let held = Held::new(Code::ConstantDivergence, busy, m.limits[Threshold::ConstantRequests], sentence);
    held.at(constant_at(m)).from(m.readings(&[CONSTANTS])).if_large()
}

/// The load of a constant that warps wait at or for the most.
fn constant_at(m: &Measures<'_>) -> At {
    let mut found: Vec<(&Point, f64)> = Vec::new();
    for stall in m.phases.iter().flat_map(|phases| &phases.stalls) {
        for group in &stall.groups {
            let points = [Some(&group.at), group.cause.as_ref()].into_iter().flatten();
            let samples = stall.samples as f64 * group.share;
            found.extend(points.filter(|point| point.op().is_in(Space::Constant)).map(|point| (point, samples)));
        }
    }
    let most = found.into_iter().max_by(|(_, a), (_, b)| a.total_cmp(b));
    most.map_or(At::Line(Sits::Nowhere), |(point, _)| At::point(point))
}

/// Constants at addresses that differ from lane to lane.
fn move_constants(m: &Ask<'_>) -> Option<Draft> {
    divergent(m)?;
    let waits = [StallReason::ImcMiss, StallReason::ShortScoreboard, StallReason::MioThrottle];
    let draft = Draft::relieves(m, Action::MoveConstants, &[(Part::ComputeControl, 0.0)]).rewrites();
    let draft = draft.frees_of(m, &waits, 0.75).at(constant_at(m)).says(
        "Keep the table in shared memory, in registers with SHFL, or in global memory",
        "lanes read different constant addresses, served one at a time",
    );
    Some(draft.risks("bank conflicts instead of serialised constant reads").checks("LDC in the loop = 0", CONSTANTS))
}

/// What an inexact count of sectors may lie beside one a request.
const ONE_SECTOR: f64 = 1.05;

/// What a load through the constant cache keeps of a load through L1, in waiting.
const CONSTANT: f64 = 0.25;

/// Whether a load may read a copy in place of the value, and reads it more than once: other threads do not write it meanwhile, and it
/// is not one block's alone.
fn is_table(m: &Measures<'_>, access: &SectorAccess) -> bool {
    let row = |study: &Study<'_>| study.code.rows.iter().position(|row| row.offset == access.at.offset);
    let Some((study, row)) = m.study.and_then(|study| Some((study, row(study)?))) else { return true };
    let is_once = || m.kernel.key().grid.is_some_and(|grid| study.flows.is_read_once(&study.code, row, grid.0));
    !study.code.rows[row].word.is_some_and(|word| word.is_strong) && !is_once()
}

/// Loads through L1 of one address for all lanes.
fn broadcasts(m: &Ask<'_>) -> Option<Draft> {
    let is_one = |access: &&SectorAccess| {
        access.at.opcode.starts_with("LDG")
            && access.sectors as f64 <= ONE_SECTOR * access.requests as f64
            && access.width_bits.is_some_and(|bits| bits >= 32)
            && !access.is_inherent
            && is_table(m, access)
    };
    let loads: Vec<&SectorAccess> = m.accesses().iter().filter(is_one).collect();
    let own: u64 = loads.iter().map(|access| access.requests).sum();
    let requests: u64 = m.accesses().iter().map(|access| access.requests).sum();
    let part = own as f64 / requests.max(1) as f64;
    // Of the stage, global accesses take what shared memory does not.
    let stage = DataStage::of(m.kernel).filter(|stage| stage.whole > 0.0)?;
    let stays = 1.0 - part * stage.other() / stage.whole;
    let waits = m.waits_for_loads()? + m.waits(&[StallReason::LgThrottle]);
    let first = loads.into_iter().max_by_key(|access| access.requests)?;
    let draft = Draft::new(Action::MoveConstants)
        .keeps(&L1, stays, stays)
        .keeps(&[Part::Issue], 1.0 - 0.5 * own as f64 / m.executed()?, 0.0)
        .frees(part * (1.0 - CONSTANT) * waits, part * waits)
        .at(At::point(&first.at));
    let why = words!("{} of the requests bring one value to all lanes through L1", share(part));
    let draft = draft.says("Keep the table in shared memory, constant memory or registers", why);
    let draft = draft.risks("64 KB of constants; shared memory for a table or a tile of it");
    let check = words!("requests of global loads −{}", count(own as f64));
    Some(draft.checks(check, Counter::L1texTRequestsPipeLsuMemGlobalOpLdSum))
}
