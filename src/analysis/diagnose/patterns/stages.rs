//! Warps that wait at mbarriers: for bulk copies, or for warps of another role.

use super::draft::stall;
use super::epilogue::{at, registers};
use super::{Ask, At, Draft, Held, Pattern, WORTH, share};
use crate::analysis::diagnose::measures::Measures;
use crate::analysis::lines::Sits;
use crate::analysis::phases::{Pace, Phase, PhaseKind, Phases};
use crate::catalog::{self, Action, Code, Counter, StallReason};
use crate::quantity::format;
use crate::words;
use crate::words::Words;

pub(super) const PATTERNS: [Pattern; 1] = [Pattern::changes(&[stages])];

/// The answer of an mbarrier comes through a long scoreboard: a stage is not filled or not free, and no load is waited for.
pub(in crate::analysis::diagnose) fn mbarriers(m: &Measures<'_, '_>) -> Option<Held> {
    let reason = StallReason::LongScoreboard;
    let part = m.at_mbarriers();
    let wait = m.wait(reason)?;
    let stage = m.sampled().map(|phases| phases.share(PhaseKind::StageWait)).filter(|share| *share > 0.0);
    let sentence = words!(
        "Warps wait for bulk copies or for warps of another role: long scoreboard takes {} of their time, {} of that at mbarriers{}{}{}.",
        share(wait),
        format!("{} %", format::fixed(100.0 * part, 0)),
        stage
            .map(|stage| format!(", and the pacing warps wait for a stage {} of their lifetime", share(stage)))
            .unwrap_or_default(),
        m.unfilled(),
        m.units.first().map(|unit| format!(" (busiest: {} %)", unit.said())).unwrap_or_default()
    );
    let held = Held::new(Code::SyncMbarrier, 100.0 * wait, 0.0, sentence);
    Some(held.at(At::Line(Sits::Waits(reason))).from(m.held(&[&reason.per_issue()])))
}

/// The part of the shared memory of an SM that a further stage needs at least.
const STAGE: f64 = 0.2;

/// Bytes of shared memory that a block takes; `None` where neither part is known.
pub(super) fn shared_of_block(m: &Measures<'_, '_>) -> Option<f64> {
    let own = [Counter::LaunchSharedMemPerBlockStatic, Counter::LaunchSharedMemPerBlockDynamic];
    let known = || own.into_iter().filter_map(|name| m.kernel.value(name));
    known().next().map(|_| known().sum())
}

/// The part of the shared memory of an SM that no block takes.
fn shared_left(ask: &Ask<'_, '_, '_>) -> f64 {
    let found = || {
        let chip = catalog::chip(ask.m.kernel.device().compute_capability?)?;
        let bytes = shared_of_block(ask.m)?;
        Some(1.0 - bytes * ask.m.occupancy.blocks_per_sm? / f64::from(chip.shared_per_sm))
    };
    found().unwrap_or(1.0)
}

/// Stages that are filled earlier. The warps that set the pace wait for them; that is what it can free.
fn stages(ask: &Ask<'_, '_, '_>) -> Option<Draft> {
    let phases = ask.m.sampled().filter(|_| ask.m.at_mbarriers() > 0.0)?;
    let parts = phases.phases.iter().flat_map(|phase| &phase.parts);
    let cost: f64 = parts.filter(|part| part.kind == PhaseKind::StageWait).map(|part| part.cost).sum();
    if cost < WORTH {
        return None;
    }
    let waits = phases.share(PhaseKind::StageWait);
    // Stages take shared memory: where they have most of it, no further one fits.
    let has_room = shared_left(ask) >= STAGE;
    let work = producer(phases);
    let sentence = match (work.first(), has_room) {
        (Some(first), _) if first.kind == PhaseKind::SlotWait => match has_room {
            true => "More stages: the producer waits for a free one".into(),
            false => "Smaller stages, or free them sooner: the producer waits for a free one".into(),
        },
        (Some(first), true) => words!("Take work off the producer, first {}; or more stages", named(first)),
        (Some(first), false) => words!("Take work off the producer, first {}: no further stage fits", named(first)),
        (None, true) => "Fill the stages earlier: more stages, or less work for the producer".into(),
        (None, false) => "Fill the stages earlier: less work for the producer (no further stage fits)".into(),
    };
    let of = words::join(work.iter().take(2).map(|line| words!("{} {}", named(line), share(line.share))), ", ");
    let of = if work.is_empty() { of } else { words!("; of the producer's samples {}", of) };
    let draft = Draft::overlaps(Action::MoreInFlight, cost);
    let saves = draft.saves(ask);
    let at = work.first().map_or_else(|| At::waits(ask.m, StallReason::LongScoreboard), at);
    let full = registers(ask).map(|full| words!("{}: no more warps", full));
    Some(
        draft
            .at(at)
            .says(sentence, words!("the pacing warps wait for a stage {} of their lifetime{}", share(waits), of))
            .risks(full.unwrap_or_else(|| "shared memory for the stages".into()))
            .checks(stall(&"wait for the stage".into(), waits, saves), StallReason::LongScoreboard.per_issue()),
    )
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
