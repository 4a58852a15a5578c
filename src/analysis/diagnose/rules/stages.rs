//! Warps that wait at mbarriers: for bulk copies, or for warps of another role.

use super::{At, Held, share};
use crate::analysis::diagnose::measures::Measures;
use crate::analysis::lines::Sits;
use crate::analysis::phases::PhaseKind;
use crate::catalog::{Code, StallReason};
use crate::quantity::format;
use crate::words;

/// The answer of an mbarrier comes through a long scoreboard: a stage is not filled or not free, and no load is waited for.
pub(super) fn mbarriers(m: &Measures<'_, '_>) -> Option<Held> {
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
