//! Barriers and fences of the block, and tiles that are loaded between two of them.

use super::draft::stall;
use super::waits::wait;
use super::{Ask, At, Draft, Held, Pattern, SOURCE, Stands, WORTH, count, share};
use crate::analysis::diagnose::machine::Change;
use crate::analysis::diagnose::measures::Measures;
use crate::analysis::phases::PhaseKind;
use crate::catalog::{Action, Counter, Part, StallReason, Threshold};
use crate::quantity::format::fixed;
use crate::words;
use cuda_binary::Op;
use cuda_binary::op::{Act, Space};

pub(super) const PATTERNS: [Pattern; 2] = [
    Pattern::asks(
        "Do warps exchange values in rounds of barriers?",
        SOURCE,
        rounds,
        Stands::For(Action::FewerBarriers),
    )
    .cured_by(&[barriers]),
    Pattern::changes(&[double_buffer]),
];

/// Accesses to shared memory for each barrier up to which they are an exchange between warps: two loads and a store, or a swap.
const ROUND: f64 = 4.0;

/// Rounds of few accesses to shared memory and a barrier, of which the barrier is the largest wait.
fn rounds(m: &Measures<'_, '_>) -> Option<Held> {
    let reason = StallReason::Barrier;
    m.top_waits().first().filter(|(top, _)| *top == reason)?;
    let barriers = m.mix.count(|op| op == Op::BAR).filter(|count| *count > 0.0)?;
    let accesses = m.mix.count(|op| op.is_in(Space::Shared) && op.is_by_lane())?;
    (accesses <= ROUND * barriers).then(|| wait(m, reason)).flatten()
}

/// What is expected to stay of the work of rounds through shared memory.
const ROUNDS: f64 = 0.6;

/// Fewer barriers of the block.
fn barriers(ask: &Ask<'_, '_, '_>) -> Option<Draft> {
    let m = ask.m;
    let reason = StallReason::Barrier;
    let wait = m.wait(reason).filter(|wait| 100.0 * wait >= m.limits[Threshold::StallBarrierShare])?;
    if m.has_tensor || m.stalls.are_hidden {
        return None;
    }
    // A round of barriers is also a round through shared memory.
    let through = m.waits(&[StallReason::ShortScoreboard, StallReason::MioThrottle]);
    let rounds = [Part::MemoryShared, Part::MemoryL1tex, Part::MemoryLsu, Part::Issue];
    let draft = Draft::of(Action::FewerBarriers, Change::default()).rewrites();
    let draft = rounds.into_iter().fold(draft, |draft, part| draft.keeps(part, ROUNDS, 0.0));
    let draft = draft.frees(0.8 * wait + (1.0 - ROUNDS) * through, wait + through);
    let saves = draft.saves(ask);
    Some(
        draft
            .at(At::waits(m, reason))
            .says(
                "Fewer barriers: exchange by shuffle, publish before waiting, use fewer rounds".into(),
                words!("warps wait at block barriers {} of their time", share(wait)),
            )
            .risks("races: run racecheck".into())
            .checks(stall(&"barrier stall".into(), wait, saves), reason.per_issue()),
    )
}

/// Load the next tile while this one is computed on.
fn double_buffer(ask: &Ask<'_, '_, '_>) -> Option<Draft> {
    let phases = ask.m.sampled()?;
    let main = phases.phases.iter().find(|phase| phase.kind == PhaseKind::MainLoop)?;
    let has = |kind: PhaseKind| main.parts.iter().any(|part| part.kind == kind);
    let is_tile =
        |op: Op| op.copies_global() || op.is_in(Space::Shared) && op.is_by_lane() && op.act() == Some(Act::Store);
    let writes_tiles = ask.m.mix.count(is_tile).is_some_and(|count| count > 0.0);
    if phases.tensor.is_some() || !writes_tiles || !has(PhaseKind::Barrier) || !has(PhaseKind::Load) {
        return None;
    }
    let waits = || main.parts.iter().filter(|part| matches!(part.kind, PhaseKind::Barrier | PhaseKind::Load));
    let (cost, all): (f64, f64) = (waits().map(|part| part.cost).sum(), waits().map(|part| part.share).sum());
    // Warps that wait for their turn lose nothing there.
    let ready = Some(all - cost).filter(|ready| *ready >= 0.001);
    let ready = ready.map(|ready| format!(", {} points of them ready and not selected", fixed(100.0 * ready, 1)));
    let ready = ready.unwrap_or_default();
    let shared = ask.m.kernel.value(Counter::LaunchSharedMemPerBlockStatic).filter(|bytes| *bytes > 0.0);
    (cost >= WORTH).then(|| {
        Draft::overlaps(Action::DoubleBuffer, cost)
            .at(At::span(&main.at))
            .says(
                "Double-buffer the tiles".into(),
                words!("{} of a warp's lifetime in tile loads and barriers{}", share(all), ready),
            )
            .risks(shared.map_or_else(
                || "shared memory for a second tile".into(),
                |bytes| words!("+ {} B of shared memory", count(bytes)),
            ))
            .checks("barrier + long scoreboard < 5 %".into(), StallReason::Barrier.per_issue())
    })
}
