//! The lever on bank conflicts: a layout without them, or copies where the data choose the addresses.

use super::{Ask, Draft, WORTH};
use crate::analysis::diagnose::rules::count;
use crate::analysis::diagnose::rules::memory::{SHARED, Wavefronts, wavefronts};
use crate::catalog::{Action, Part, StallReason};
use crate::quantity::format;
use crate::words;

/// The part of the excess from which its cause is that of all of it.
const MOST: f64 = 0.5;

/// C15: a layout without bank conflicts.
pub(super) fn draft(ask: &Ask<'_, '_, '_>) -> Option<Draft> {
    let m = ask.m;
    let Wavefronts { all, ideal, excess } = wavefronts(m)?;
    let l1 = m.busiest_of(&[Part::MemoryShared, Part::MemoryL1tex])?;
    if excess < WORTH {
        return None;
    }
    let goal = (l1.share - excess).max(0.0);
    let after = [(Part::MemoryShared, goal), (Part::MemoryL1tex, goal), (Part::MemoryLsu, goal)];
    let by_data = m.sampled().and_then(|phases| phases.conflicts_by_data).is_some_and(|part| part >= MOST);
    let (sentence, risk) = match by_data {
        true => {
            ("A copy of the table for each bank or group of lanes, or fewer look-ups", "shared memory for the copies")
        }
        false => (
            "Pad or swizzle the shared-memory layout",
            "shared memory for the padding; row pitch and alignment of vectors",
        ),
    };
    // What waits for the data stage, in proportion to its wavefronts, and warps that wait for those.
    let behind = m.waits(&[StallReason::ShortScoreboard, StallReason::MioThrottle, StallReason::LgThrottle]);
    let with = m.wait(StallReason::Barrier).unwrap_or_default()
        + m.at_mbarriers() * m.wait(StallReason::LongScoreboard).unwrap_or_default();
    let gone = 1.0 - ideal / all;
    let draft = Draft::relieves(ask, Action::Unconflict, &after)
        .frees(gone * behind, gone * (behind + with))
        .says(
            sentence.into(),
            words!(
                "{} wavefronts, {} without conflicts; {} {} → {} %",
                count(all),
                count(ideal),
                &l1.name,
                format::fixed(100.0 * l1.share, 0),
                format::fixed(100.0 * goal, 0)
            ),
        )
        .risks(risk.into())
        .checks(words!("wavefronts of shared memory {} → {}", count(all), count(ideal)), SHARED);
    Some(if m.top_waits().is_empty() { draft.open("the section WarpStateStats") } else { draft })
}
