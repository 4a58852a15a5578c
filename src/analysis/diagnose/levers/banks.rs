//! The lever on bank conflicts: a layout without them, or copies where the data choose the addresses.

use super::{Ask, Draft, WORTH};
use crate::analysis::diagnose::rules::count;
use crate::analysis::diagnose::rules::memory::{SHARED, Wavefronts, wavefronts};
use crate::catalog::{Action, Code, Part, StallReason};
use crate::quantity::format;
use crate::words;

/// The part of the excess from which its cause is that of all of it.
const MOST: f64 = 0.5;

/// Whether a part of L1 limits.
pub(super) fn is_l1(code: Code) -> bool {
    matches!(code, Code::Unit(Part::MemoryShared | Part::MemoryL1tex | Part::MemoryLsu))
}

/// A layout without bank conflicts.
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
    let draft = Draft::relieves(ask, Action::Unconflict, &after)
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
        .checks(words!("wavefronts of shared memory {} → {}", count(all), count(ideal)), SHARED)
        .weighs(excess);
    if is_l1(ask.limiter) || ask.limiter == Code::SharedBankConflicts {
        return Some(draft);
    }
    // Where the data stage does not limit, what falls are waits for it, in proportion to its wavefronts, and waits for warps that wait.
    if m.top_waits().is_empty() {
        return Some(draft.open("the section WarpStateStats"));
    }
    let waits = m.waits(&[
        StallReason::ShortScoreboard,
        StallReason::MioThrottle,
        StallReason::LgThrottle,
        StallReason::Barrier,
    ]);
    let awaited = waits + m.at_mbarriers() * m.wait(StallReason::LongScoreboard).unwrap_or_default();
    Some(draft.capped((awaited * (1.0 - ideal / all)).max(excess)))
}
