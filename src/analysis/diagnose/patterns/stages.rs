//! Warps that wait at mbarriers: for bulk copies, or for warps of another role.

use super::draft::stall;
use super::{Ask, At, Draft, Held, Pattern, WORTH, share};
use crate::analysis::diagnose::measures::Measures;
use crate::analysis::lines::Sits;
use crate::analysis::phases::PhaseKind;
use crate::catalog::{self, Action, Code, Counter, StallReason};
use crate::quantity::format;
use crate::words;

pub(super) const PATTERNS: [Pattern; 1] = [Pattern::changes(&[stages])];

/// The answer of an mbarrier comes through a long scoreboard: a stage is not filled or not free, and no load is waited for.
pub(in crate::analysis::diagnose) fn mbarriers(m: &Measures<'_, '_>) -> Option<Held> {
    let reason = StallReason::LongScoreboard;
    let part = m.at_mbarriers();
    let wait = m.wait(reason)?;
    let stage = m.sampled().map(|phases| phases.share(PhaseKind::StageWait)).filter(|share| *share > 0.0);
    let sentence = words!(
        "Warps wait for bulk copies or for warps of another role: long scoreboard takes {} of their time, {} of that at mbarriers{}; no unit is saturated{}.",
        share(wait),
        format!("{} %", format::fixed(100.0 * part, 0)),
        stage
            .map(|stage| format!(", and the pacing warps wait for a stage {} of their lifetime", share(stage)))
            .unwrap_or_default(),
        m.units.first().map(|unit| format!(" (busiest: {} %)", unit.said())).unwrap_or_default()
    );
    let held = Held::new(Code::SyncMbarrier, 100.0 * wait, 0.0, sentence);
    Some(held.at(At::Line(Sits::Waits(reason))).from(m.held(&[&reason.per_issue()])))
}

/// The part of the shared memory of an SM that a further stage needs at least.
const STAGE: f64 = 0.2;

/// The part of the shared memory of an SM that no block takes.
fn shared_left(ask: &Ask<'_, '_, '_>) -> f64 {
    let found = || {
        let chip = catalog::chip(ask.m.kernel.device().compute_capability?)?;
        let own = [Counter::LaunchSharedMemPerBlockStatic, Counter::LaunchSharedMemPerBlockDynamic];
        let bytes: f64 = own.into_iter().filter_map(|name| ask.m.kernel.value(name)).sum();
        Some(1.0 - bytes * ask.m.occupancy.blocks_per_sm? / f64::from(chip.shared_per_sm))
    };
    found().unwrap_or(1.0)
}

/// Stages that are filled earlier. The warps that set the pace wait for them; that is what it can free.
fn stages(ask: &Ask<'_, '_, '_>) -> Option<Draft> {
    // Stages take shared memory: where they have most of it, no further one fits.
    let phases = ask.m.sampled().filter(|_| ask.m.at_mbarriers() > 0.0)?;
    let parts = phases.phases.iter().flat_map(|phase| &phase.parts);
    let cost: f64 = parts.filter(|part| part.kind == PhaseKind::StageWait).map(|part| part.cost).sum();
    let waits = phases.share(PhaseKind::StageWait);
    (cost >= WORTH).then(|| {
        let draft = Draft::overlaps(Action::MoreInFlight, cost);
        let saves = draft.saves(ask);
        draft
            .at(At::waits(ask.m, StallReason::LongScoreboard)).says(
                match shared_left(ask) >= STAGE {
                    true => "Fill the stages earlier: prefetch further ahead with more stages, or take work off the producer",
                    false => "Fill the stages earlier: take work off the producer (shared memory has no room for a further stage)",
                }
                .into(),
                words!("the pacing warps wait for a stage {} of their lifetime", share(waits)),
            )
            .risks("shared memory for the stages".into())
            .checks(stall(&"wait for the stage".into(), waits, saves), StallReason::LongScoreboard.per_issue())
    })
}
