//! Stages of tiles: how they are copied, and warps that wait for them at mbarriers.

use super::epilogue::{at, overlap, registers};
use super::*;
use crate::analysis::derive::occupancy::STAGE;
use crate::analysis::phases::Pace;

/// The answer of an mbarrier comes through a long scoreboard: a stage is not filled or not free, and no load is waited for.
pub(in crate::analysis::diagnose) fn mbarriers(m: &Measures<'_>) -> Option<Held> {
    let reason = StallReason::LongScoreboard;
    let wait = m.wait(reason)?;
    let stage = m.sampled().map(|phases| phases.share(PhaseKind::StageWait)).filter(|share| *share > 0.0);
    let stage =
        stage.map(|stage| format!(", and the pacing warps wait for a stage {} of their lifetime", share(stage)));
    if let Some(phases) = m.sampled().filter(|phases| phases.producer().is_some()) {
        let work = producer(phases);
        let of = of_producer(work);
        let step = phases.step_efficiency;
        let step = step.map(|step| words!("; the tensor pipe works for {} of a step", share(step)));
        let sentence = words!(
            "The producer sets the pace: the warps that multiply wait for a stage {} of their lifetime{}{}.",
            share(phases.share(PhaseKind::StageWait)),
            words::maybe(step),
            of
        );
        let held = Held::new(Code::SyncMbarrier, 100.0 * wait, 0.0, sentence).of_wait(m, reason, &[]);
        return Some(match work.first() {
            Some(first) => held.at(at(first)),
            None => held,
        });
    }
    let sentence = words!(
        "Warps wait for bulk copies or for warps of another role: long scoreboard takes {} of their time, {} % of that at mbarriers{}{}{}.",
        share(wait),
        whole(m.at_mbarriers()),
        words::maybe(stage),
        m.unfilled(),
        m.busiest()
    );
    let held = Held::new(Code::SyncMbarrier, 100.0 * wait, 0.0, sentence);
    Some(held.of_wait(m, reason, &[]))
}

/// Bytes of shared memory that a block takes; `None` where neither part is known.
pub(super) fn shared_of_block(m: &Measures<'_>) -> Option<f64> {
    let own = [Counter::LaunchSharedMemPerBlockStatic, Counter::LaunchSharedMemPerBlockDynamic];
    let known = || own.into_iter().filter_map(|name| m.value(name));
    known().next().map(|_| known().sum())
}

/// How many times the shared memory of the blocks that an SM holds it has for them.
pub(super) fn room_for_stages(m: &Measures<'_>) -> Option<f64> {
    let (own, chip) = (shared_of_block(m).filter(|bytes| *bytes > 0.0)?, m.chip()?);
    let held = m.fit?.min((m.blocks? / m.sms?).ceil());
    Some((f64::from(chip.shared_per_sm) / (held * own)).min(f64::from(chip.shared_per_block_max) / own))
}

/// What the pacing warps spend at the mbarriers of stages in the main loop, without those that are ready, and all of it, in shares of their
/// lifetime. Products tell the parts of a step; without them its samples do.
fn at_stages(phases: &Phases) -> (f64, f64) {
    let parts = phases.phases.iter().flat_map(|phase| &phase.parts);
    let parts: Vec<&Phase> = parts.filter(|part| part.kind == PhaseKind::StageWait).collect();
    let sum = |of: fn(&Phase) -> f64| parts.iter().map(|part| of(part)).sum::<f64>();
    let main = phases.phase(PhaseKind::MainLoop).filter(|_| parts.is_empty() && phases.tensor.is_none());
    match main {
        Some(main) => {
            let share = main.at_mbarriers();
            (share * main.cost, share * main.share)
        }
        None => (sum(|part| part.cost), sum(|part| part.share)),
    }
}

/// Stages that are filled earlier. The warps that set the pace wait for them; that is what it can free.
pub(super) fn stages(m: &Measures<'_>) -> Option<Draft> {
    let phases = m.sampled().filter(|_| m.at_mbarriers() > 0.0)?;
    let (cost, waits) = at_stages(phases);
    if cost < WORTH {
        return None;
    }
    // Stages take shared memory: where they have most of it, no further one fits.
    let taken = || Some(shared_of_block(m)? * m.fit? / f64::from(m.chip()?.shared_per_sm));
    let has_room = taken().is_none_or(|taken| 1.0 - taken >= STAGE);
    let work = producer(phases);
    // Warps that wait themselves are not what the others wait for.
    let mut producers = phases.roles.iter().filter(|role| role.tensor == 0);
    let is_idle = phases.pace == Some(Pace::Copies)
        || producers.any(|role| role.at_barriers.is_some_and(|waits| 2 * waits >= role.samples));
    let sentence = match (work.first(), has_room) {
        (Some(first), true) if first.kind == PhaseKind::SlotWait => {
            "More stages: the producer waits for a free one".into()
        }
        (Some(first), false) if first.kind == PhaseKind::SlotWait => {
            "Smaller stages, or free them sooner: the producer waits for a free one".into()
        }
        (Some(first), true) => words!("Take work off the producer, first {}; or more stages", named(first)),
        (Some(first), false) => words!("Take work off the producer, first {}: no further stage fits", named(first)),
        (None, true) if is_idle => "More copies in flight: more stages".into(),
        (None, false) if is_idle => "More copies in flight: smaller stages, as no further one of this size fits".into(),
        (None, true) => "Fill the stages earlier: more stages, or less work for the producer".into(),
        (None, false) => "Fill the stages earlier: less work for the producer (no further stage fits)".into(),
    };
    let of = of_producer(work);
    let draft = Draft::overlaps(Action::MoreInFlight, cost);
    let check = stall("wait for the stage", waits, draft.expected(m));
    let stage = phases.phases.iter().flat_map(|phase| &phase.parts).find(|part| part.kind == PhaseKind::StageWait);
    let draft = draft.at(work.first().or(stage).map_or_else(|| At::waits(m, StallReason::LongScoreboard), at));
    let who = if work.is_empty() { "the pacing warps" } else { "the warps that multiply" };
    let draft = draft.says(sentence, words!("{} wait for a stage {} of their lifetime{}", who, share(waits), of));
    let full = registers(m).map(|full| words!("{}: no more warps", full));
    let draft = draft.risks(full.unwrap_or_else(|| "shared memory for the stages".into()));
    Some(draft.checks(check, StallReason::LongScoreboard.per_issue()))
}

/// The lines of the warps that the others wait for, where these hold no products and their lines are told.
fn producer(phases: &Phases) -> &[Phase] {
    phases.producer().map_or(&[], |role| &role.lines)
}

/// The first two of them: ``; of the producer's samples `write_block` (:345) 12.0 % ``; empty without any.
fn of_producer(lines: &[Phase]) -> Words {
    if lines.is_empty() {
        return Words::default();
    }
    let first = lines.iter().take(2).map(|line| words!("{} {}", named(line), share(line.share)));
    words!("; of the producer's samples {}", words::join(first, ", "))
}

/// `write_block` with the line that calls it, or the line itself.
fn named(line: &Phase) -> Words {
    match &line.name {
        Some(name) => words!("`{}` ({})", &name.name, name.call.beside(&line.at.file)),
        None => words!("`:{}`", line.at.first.to_string()),
    }
}

/// L1 at this share of its peak caps an overlap.
const L1_HIGH: f64 = 0.6;

/// TMA in place of `cp.async`. Its writes do not pass the load/store data stage of L1.
pub(super) fn bulk(m: &Measures<'_>) -> Option<Draft> {
    let phases = m.sampled()?;
    let stage = m.stage()?;
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
    let draft = draft.unknown(m, unknown).at(at).because(why);
    let executed = copies().map(|access| access.requests).sum::<u64>();
    Some(draft.checks(goes("LDGSTS", executed as f64), l1.counter.clone()))
}
