//! Barriers and fences of the block, and tiles that are loaded between two of them.

use super::draft::stall;
use super::stages::shared_of_block;
use super::waits::wait;
use super::{Ask, At, Draft, Held, Pattern, SOURCE, Stands, WORTH, count, share};
use crate::analysis::diagnose::machine::Change;
use crate::analysis::diagnose::measures::Measures;
use crate::analysis::phases::{Phase, PhaseKind, Point, point};
use crate::catalog::{self, Action, Part, StallReason, Threshold};
use crate::quantity::format::fixed;
use crate::words;
use cuda_binary::Op;
use cuda_binary::op::{Act, Control, Space};

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

/// The part of the wait at the barrier of a tile that is for the barrier, and not for the tile.
const AT_TILES: f64 = 0.25;

/// The part of the wait at barriers from which on a loop that asks for other blocks is what it is for.
const POLLED: f64 = 0.25;

/// A loop that asks memory until another block has written it, in which a warp of each block spends a good part of the time that the
/// others wait at the barrier. It stores nothing, and what leads out of it is a value from an address that stays the same in the loop,
/// which a compiler loads again only where others may write it.
fn asks_other_blocks(m: &Measures<'_, '_>, wait: f64) -> Option<Point> {
    let study = m.sampled_code()?;
    let (code, flows) = (&study.code, &study.flows);
    let asks = |rows: &[usize]| {
        let is_inside = |row: &usize| rows.binary_search(row).is_ok();
        if rows.iter().any(|row| code.op(*row).act() == Some(Act::Store)) {
            return None;
        }
        let mut open: Vec<usize> =
            rows.iter().copied().filter(|row| code.op(*row).control() == Some(Control::Branch)).collect();
        let mut seen = open.clone();
        while let Some(row) = open.pop() {
            if code.op(row).loads_global() {
                let is_same = !flows.address_behind(code, row).iter().any(is_inside);
                if is_same && code.executed[row] > 0 {
                    return Some(row);
                }
                continue;
            }
            let behind: Vec<usize> = flows.operands_of(code, row).filter(is_inside).collect();
            open.extend(behind.iter().filter(|row| !seen.contains(row)));
            seen.extend(behind);
        }
        None
    };
    let all = study.samples.sum as f64;
    code.loops.iter().find_map(|cycle| {
        let mut rows: Vec<usize> = code.rows_of(&cycle.blocks).collect();
        rows.sort_unstable();
        let spent = study.samples.at(&rows) as f64 / all * m.block_warps?;
        let row = asks(&rows).filter(|_| spent >= POLLED * wait)?;
        Some(point(study, row))
    })
}

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
    let draft = Draft::of(Action::FewerBarriers, Change::default()).rewrites().keeps_all(&rounds, ROUNDS, 0.0);
    // In a loop of tiles those who wait for the others wait for their loads, which stay.
    let is_tile = m.top_waits().first().is_some_and(|(top, _)| *top == StallReason::LongScoreboard)
        && double_buffer(ask).is_some();
    let of_loads = if is_tile { AT_TILES } else { 1.0 };
    let draft = draft.frees(0.8 * of_loads * wait + (1.0 - ROUNDS) * through, wait + through);
    if let Some(asks) = asks_other_blocks(m, wait) {
        let why = words!(
            "at the barrier the block waits for other blocks, which `:{}` asks for: more steps for each such wait help",
            asks.line.to_string()
        );
        return Some(draft.not_here(why));
    }
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

/// The share of a phase's samples that wait for a reason.
fn waited(part: &Phase, reason: StallReason) -> f64 {
    let name: &str = reason.into();
    part.waits.iter().find(|wait| wait.reason == name).map_or(0.0, |wait| wait.share)
}

/// Load the next tile while this one is computed on: with products, one more stage in front of them.
fn double_buffer(ask: &Ask<'_, '_, '_>) -> Option<Draft> {
    let phases = ask.m.sampled()?;
    let main = phases.phases.iter().find(|phase| phase.kind == PhaseKind::MainLoop)?;
    let of = |kind: PhaseKind| main.parts.iter().filter(move |part| part.kind == kind);
    let is_tile =
        |op: Op| op.copies_global() || op.is_in(Space::Shared) && op.is_by_lane() && op.act() == Some(Act::Store);
    ask.m.mix.count(is_tile).filter(|count| *count > 0.0)?;
    let has_products = phases.tensor.is_some();
    let cost: f64 = match has_products {
        // Who waits at the barrier for other warps waits for no data; the stages of bulk copies have a row of their own.
        true if ask.m.at_mbarriers() > 0.0 => return None,
        true => of(PhaseKind::StageWait).map(|part| part.cost * waited(part, StallReason::LongScoreboard)).sum(),
        false if of(PhaseKind::Barrier).next().is_none() || of(PhaseKind::Load).next().is_none() => return None,
        false => of(PhaseKind::Barrier).chain(of(PhaseKind::Load)).map(|part| part.cost).sum(),
    };
    if cost < WORTH {
        return None;
    }
    // Warps that wait for their turn lose nothing there.
    let all: f64 = of(PhaseKind::Barrier).chain(of(PhaseKind::Load)).map(|part| part.share).sum();
    let ready = Some(all - cost).filter(|ready| *ready >= 0.001);
    let ready = ready.map(|ready| format!(", {} points of them ready and not selected", fixed(100.0 * ready, 1)));
    let draft = Draft::overlaps(Action::DoubleBuffer, cost);
    let tiles = shared_of_block(ask.m).filter(|bytes| *bytes > 0.0);
    let chip = ask.m.kernel.device().compute_capability.and_then(catalog::chip);
    let no_room = tiles.zip(chip).filter(|(bytes, chip)| 2.0 * bytes > f64::from(chip.shared_per_block_max));
    if let Some((bytes, chip)) = no_room {
        let why = words!(
            "a block has {} of at most {} B of shared memory",
            count(bytes),
            count(chip.shared_per_block_max.into())
        );
        return Some(draft.not_here(why));
    }
    Some(
        draft
            .at(At::span(&main.at))
            .says(
                if has_products { "One more stage of tiles in flight" } else { "Double-buffer the tiles" }.into(),
                match has_products {
                    true => words!("{} of a warp's lifetime waits for the data of a stage", share(cost)),
                    false => words!(
                        "{} of a warp's lifetime in tile loads and barriers{}",
                        share(all),
                        ready.unwrap_or_default()
                    ),
                },
            )
            .risks(tiles.map_or_else(
                || "shared memory for a second tile".into(),
                |bytes| words!("+ {} B of shared memory", count(bytes)),
            ))
            .checks("barrier + long scoreboard < 5 %".into(), StallReason::Barrier.per_issue()),
    )
}
