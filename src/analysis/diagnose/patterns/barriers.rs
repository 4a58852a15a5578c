//! Barriers and fences of the block, and tiles that are loaded between two of them.

use super::stages::shared_of_block;
use super::units::wait;
use super::*;
use cuda_binary::op::Control;

pub(super) const PATTERNS: [Pattern; 1] = [Pattern::asks(
    "Do warps exchange values in rounds of barriers?",
    SOURCE,
    rounds,
    Stands::For(Action::FewerBarriers),
)
.cured_by(&[barriers, double_buffer])];

/// Accesses to shared memory for each barrier up to which they are an exchange between warps: two loads and a store, or a swap.
const ROUND: f64 = 4.0;

/// Rounds of few accesses to shared memory and a barrier, of which the barrier is the largest wait.
fn rounds(m: &Measures<'_>) -> Option<Held> {
    let reason = StallReason::Barrier;
    m.top_wait().filter(|(top, _)| *top == reason)?;
    let barriers = m.mix.count(|op| op == Op::BAR).filter(|count| *count > 0.0)?;
    let accesses = m.mix.count(|op| op.is_in(Space::Shared) && op.is_by_lane())?;
    (accesses <= ROUND * barriers).then(|| wait(m, reason)).flatten()
}

/// What is expected to stay of the work of rounds through shared memory.
const ROUNDS: f64 = 0.6;

/// The part of the wait at barriers from which on a loop that asks for other blocks is what it is for.
const POLLED: f64 = 0.25;

/// A loop that asks memory until another block has written it, in which a warp of each block spends a good part of the time that the
/// others wait at the barrier. It stores nothing, and what leads out of it is a value from an address that stays the same in the loop,
/// which a compiler loads again only where others may write it.
fn asks_other_blocks(m: &Measures<'_>, wait: f64) -> Option<Point> {
    let study = m.sampled_code()?;
    let (code, flows) = (&study.code, &study.flows);
    let asks = |rows: &[usize]| {
        let is_inside = |row: &usize| rows.binary_search(row).is_ok();
        if rows.iter().any(|row| code.op(*row).act() == Some(Act::Store)) {
            return None;
        }
        let branches = rows.iter().filter(|row| code.op(**row).control() == Some(Control::Branch));
        let mut behind = branches.flat_map(|row| flows.behind_row(code, *row)).filter(is_inside);
        behind.find(|row| {
            let is_load = code.op(*row).loads_global() && code.executed[*row] > 0;
            is_load && !flows.address_behind(code, *row).iter().any(is_inside)
        })
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

/// The part of the wait at the barrier of a tile that is for the barrier, and not for the tile.
const AT_TILES: f64 = 0.25;

/// Fewer barriers of the block.
fn barriers(m: &Ask<'_>) -> Option<Draft> {
    let reason = StallReason::Barrier;
    let wait = m.wait(reason).filter(|wait| 100.0 * wait >= m.limits[Threshold::StallBarrierShare])?;
    if m.has_tensor || m.stalls.are_hidden {
        return None;
    }
    // A round of barriers is also a round through shared memory.
    let through = m.waits(&[StallReason::ShortScoreboard, StallReason::MioThrottle]);
    let draft = Draft::new(Action::FewerBarriers).rewrites().keeps(&L1, ROUNDS, 0.0).keeps(&[Part::Issue], ROUNDS, 0.0);
    // In a loop of tiles those who wait for the others wait for their loads, which stay.
    let is_of_loads = m.top_wait().is_some_and(|(top, _)| top == StallReason::LongScoreboard);
    let of_barrier = if is_of_loads && double_buffer(m).is_some() { AT_TILES } else { 1.0 };
    let draft = draft.frees(0.8 * of_barrier * wait + (1.0 - ROUNDS) * through, wait + through);
    if let Some(asks) = asks_other_blocks(m, wait) {
        return Some(draft.not_here(words!(
            "at the barrier the block waits for other blocks, which `:{}` asks for: more steps for each such wait help",
            asks.line.to_string()
        )));
    }
    let check = stall("barrier stall", wait, draft.saves(m));
    let how = "Fewer barriers: exchange by shuffle, publish before waiting, use fewer rounds";
    let draft = draft.says(how, words!("warps wait at block barriers {} of their time", share(wait)));
    Some(draft.at(At::waits(m, reason)).risks("races: run racecheck").checks(check, reason.per_issue()))
}

/// The share of a phase's samples that wait for data.
fn waits_for_data(part: &Phase) -> f64 {
    part.waits.iter().find(|wait| wait.reason == "long_scoreboard").map_or(0.0, |wait| wait.share)
}

/// Load the next tile while this one is computed on: with products, one more stage in front of them.
fn double_buffer(m: &Ask<'_>) -> Option<Draft> {
    let phases = m.sampled()?;
    let main = phases.phase(PhaseKind::MainLoop)?;
    let of = |kind: PhaseKind| main.parts.iter().filter(move |part| part.kind == kind);
    let tile = || of(PhaseKind::Barrier).chain(of(PhaseKind::Load));
    let is_tile =
        |op: Op| op.copies_global() || op.is_in(Space::Shared) && op.is_by_lane() && op.act() == Some(Act::Store);
    m.mix.count(is_tile).filter(|count| *count > 0.0)?;
    let has_products = phases.tensor.is_some();
    let cost: f64 = match has_products {
        // Who waits at the barrier for other warps waits for no data; the stages of bulk copies have a row of their own.
        true if m.at_mbarriers() > 0.0 => return None,
        true => of(PhaseKind::StageWait).map(|part| part.cost * waits_for_data(part)).sum(),
        false if of(PhaseKind::Barrier).next().is_none() || of(PhaseKind::Load).next().is_none() => return None,
        false => tile().map(|part| part.cost).sum(),
    };
    if cost < WORTH {
        return None;
    }
    let draft = Draft::overlaps(Action::DoubleBuffer, cost);
    let tiles = shared_of_block(m).filter(|bytes| *bytes > 0.0);
    let most = m.chip().map(|chip| f64::from(chip.shared_per_block_max));
    if let Some((bytes, most)) = tiles.zip(most).filter(|(bytes, most)| 2.0 * bytes > *most) {
        let why = words!("a block has {} of at most {} B of shared memory", count(bytes), count(most));
        return Some(draft.not_here(why));
    }
    let (sentence, why) = match has_products {
        true => (
            "One more stage of tiles in flight",
            words!("{} of a warp's lifetime waits for the data of a stage", share(cost)),
        ),
        false => {
            // Warps that wait for their turn lose nothing there.
            let all: f64 = tile().map(|part| part.share).sum();
            let ready = Some(all - cost).filter(|ready| *ready >= 0.001);
            let ready =
                ready.map(|ready| words!(", {} points of them ready and not selected", fixed(100.0 * ready, 1)));
            let ready = ready.unwrap_or_default();
            (
                "Double-buffer the tiles",
                words!("{} of a warp's lifetime in tile loads and barriers{}", share(all), ready),
            )
        }
    };
    let risk = tiles.map(|bytes| words!("+ {} B of shared memory", count(bytes)));
    let draft = draft.at(At::span(&main.at)).says(sentence, why);
    let draft = draft.risks(risk.unwrap_or_else(|| "shared memory for a second tile".into()));
    Some(draft.checks("barrier + long scoreboard < 5 %", StallReason::Barrier.per_issue()))
}
