//! Warps that wait at mbarriers: for bulk copies, or for warps of another role.

use super::epilogue::{at, registers};
use super::*;
use crate::analysis::phases::Pace;

pub(super) const PATTERNS: [Pattern; 1] = [Pattern::changes(&[stages])];

/// The answer of an mbarrier comes through a long scoreboard: a stage is not filled or not free, and no load is waited for.
pub(in crate::analysis::diagnose) fn mbarriers(m: &Measures<'_>) -> Option<Held> {
    let reason = StallReason::LongScoreboard;
    let wait = m.wait(reason)?;
    let stage = m.sampled().map(|phases| phases.share(PhaseKind::StageWait)).filter(|share| *share > 0.0);
    let stage =
        stage.map(|stage| format!(", and the pacing warps wait for a stage {} of their lifetime", share(stage)));
    let sentence = words!(
        "Warps wait for bulk copies or for warps of another role: long scoreboard takes {} of their time, {} % of that at mbarriers{}{}{}.",
        share(wait),
        whole(m.at_mbarriers()),
        stage.unwrap_or_default(),
        m.unfilled(),
        m.busiest()
    );
    let held = Held::new(Code::SyncMbarrier, 100.0 * wait, 0.0, sentence);
    Some(held.at(At::Line(Sits::Waits(reason))).from(m.held(&[&reason.per_issue()])))
}

/// The part of the shared memory of an SM that a further stage needs at least.
const STAGE: f64 = 0.2;

/// Bytes of shared memory that a block takes; `None` where neither part is known.
pub(super) fn shared_of_block(m: &Measures<'_>) -> Option<f64> {
    let own = [Counter::LaunchSharedMemPerBlockStatic, Counter::LaunchSharedMemPerBlockDynamic];
    let known = || own.into_iter().filter_map(|name| m.value(name));
    known().next().map(|_| known().sum())
}

/// The part of the shared memory of an SM that no block takes.
fn shared_left(m: &Ask<'_>) -> Option<f64> {
    Some(1.0 - shared_of_block(m)? * m.occupancy.blocks_per_sm? / f64::from(m.chip()?.shared_per_sm))
}

/// Stages that are filled earlier. The warps that set the pace wait for them; that is what it can free.
fn stages(m: &Ask<'_>) -> Option<Draft> {
    let phases = m.sampled().filter(|_| m.at_mbarriers() > 0.0)?;
    let parts = phases.phases.iter().flat_map(|phase| &phase.parts);
    let cost: f64 = parts.filter(|part| part.kind == PhaseKind::StageWait).map(|part| part.cost).sum();
    if cost < WORTH {
        return None;
    }
    let waits = phases.share(PhaseKind::StageWait);
    // Stages take shared memory: where they have most of it, no further one fits.
    let has_room = shared_left(m).is_none_or(|left| left >= STAGE);
    let work = producer(phases);
    let sentence = match (work.first(), has_room) {
        (Some(first), true) if first.kind == PhaseKind::SlotWait => {
            "More stages: the producer waits for a free one".into()
        }
        (Some(first), false) if first.kind == PhaseKind::SlotWait => {
            "Smaller stages, or free them sooner: the producer waits for a free one".into()
        }
        (Some(first), true) => words!("Take work off the producer, first {}; or more stages", named(first)),
        (Some(first), false) => words!("Take work off the producer, first {}: no further stage fits", named(first)),
        (None, true) => "Fill the stages earlier: more stages, or less work for the producer".into(),
        (None, false) => "Fill the stages earlier: less work for the producer (no further stage fits)".into(),
    };
    let of = words::join(work.iter().take(2).map(|line| words!("{} {}", named(line), share(line.share))), ", ");
    let of = if work.is_empty() { of } else { words!("; of the producer's samples {}", of) };
    let draft = Draft::overlaps(Action::MoreInFlight, cost);
    let check = stall("wait for the stage", waits, draft.saves(m));
    let draft = draft.at(work.first().map_or_else(|| At::waits(m, StallReason::LongScoreboard), at));
    let draft =
        draft.says(sentence, words!("the pacing warps wait for a stage {} of their lifetime{}", share(waits), of));
    let full = registers(m).map(|full| words!("{}: no more warps", full));
    let draft = draft.risks(full.unwrap_or_else(|| "shared memory for the stages".into()));
    Some(draft.checks(check, StallReason::LongScoreboard.per_issue()))
}

/// The lines of the warps that the others wait for, where these hold no products and their lines are told.
fn producer(phases: &Phases) -> &[Phase] {
    match phases.pace {
        Some(Pace::Role(at)) if phases.roles[at].tensor == 0 => &phases.roles[at].lines,
        _ => &[],
    }
}

/// `write_block` with the line that calls it, or the line itself.
fn named(line: &Phase) -> Words {
    match &line.name {
        Some(name) => words!("`{}` (:{})", &name.name, name.call.to_string()),
        None => words!("`:{}`", line.at.first.to_string()),
    }
}
