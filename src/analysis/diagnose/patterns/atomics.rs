//! Atomics at one address: a slice of L2, or words of shared memory.

use super::{Ask, At, Draft, Held, Pattern, SOURCE, SPEED, Stands, count, share};
use crate::analysis::derive::coalescing::WAVEFRONTS as SHARED;
use crate::analysis::derive::units;
use crate::analysis::diagnose::level::{Level, place};
use crate::analysis::diagnose::measures::Measures;
use crate::analysis::lines::Sits;
use crate::catalog::{Action, Code, Counter, Part, StallReason, Threshold};
use crate::quantity::format;
use crate::words;
use cuda_binary::Op;
use cuda_binary::op::{Act, Space};

pub(super) const PATTERNS: [Pattern; 2] = [
    Pattern::asks("Is one L2 slice or memory channel full?", SPEED, hot_spot, Stands::ByItself(Action::FewerAtomics))
        .cured_by(&[fewer_atomics]),
    Pattern::asks(
        "Do lanes add to few words of shared memory?",
        SOURCE,
        shared_atomics,
        Stands::For(Action::FewerAtomics),
    )
    .cured_by(&[copies]),
];

/// Executed atomics on memory, by warps.
pub(super) fn atomics(m: &Measures<'_, '_>) -> f64 {
    m.mix.count(Op::is_l2_atomic).unwrap_or(0.0)
}

/// The stretches of the launch in which no memory unit is busy, and their share of the time.
fn quiet(m: &Measures<'_, '_>) -> (Vec<usize>, f64) {
    let parts = [Part::MemoryL1tex, Part::MemoryShared, Part::MemoryL2, Part::MemoryDram];
    let is_quiet = |at: &usize| {
        let units = parts.iter().filter_map(|part| m.unit(*part));
        units.fold(0.0, |most: f64, unit| most.max(m.stretches[*at].level(unit.part, unit.share)))
            < m.limits[Threshold::SolLow] / 100.0
    };
    let found: Vec<usize> = (0..m.stretches.len()).filter(is_quiet).collect();
    let share = found.iter().map(|at| m.stretches[*at].share).sum();
    (found, share)
}

/// The stretches of the launch in which a hot spot is not what warps wait for; `None` where there is none.
pub(super) fn beside_hot_spot(m: &Measures<'_, '_>) -> Option<Vec<usize>> {
    hot_spot(m)?;
    let (quiet, _) = quiet(m);
    Some((0..m.stretches.len()).filter(|at| !quiet.contains(at)).collect())
}

/// One slice or channel is several times as busy as the average, and full while no unit is busy. The atomic unit of a slice takes up to
/// several cycles for an operation, so that additions which follow one another at one address fill it at less than its peak.
pub(super) fn hot_spot(m: &Measures<'_, '_>) -> Option<Held> {
    let (spot, average) = units::hot_spot(m.kernel, m.limits[Threshold::HotSliceFactor])?;
    let atomics = atomics(m);
    let (stretches, of_time) = quiet(m);
    let is_quiet = !stretches.is_empty();
    let percent = if is_quiet { (spot.percent / of_time).min(100.0) } else { spot.percent };
    let waits = m.waits(&[
        StallReason::LongScoreboard,
        StallReason::LgThrottle,
        StallReason::Drain,
        StallReason::ShortScoreboard,
    ]);
    let is_awaited = 100.0 * waits >= m.limits[Threshold::ChainShare];
    let least = match atomics > 0.0 && is_quiet && is_awaited {
        true => m.limits[Threshold::HotSliceAtomics],
        false => m.limits[Threshold::HotSlice],
    };
    let factor = format::fixed(spot.percent / average.max(0.01), 0);
    let what = match atomics > 0.0 {
        true => words!("{} warp-level atomics hit one slice of L2", count(atomics)),
        false => words!("The accesses hit one instance of {}", &spot.label),
    };
    let then =
        (of_time < 1.0).then(|| format!(" in the {} of the time in which no memory unit is busy", share(of_time)));
    let sentence = words!(
        "{}, which is at {} % of peak{}, {} times the average (`{}`).",
        what,
        format::fixed(percent, 1),
        then.unwrap_or_default(),
        factor,
        &spot.counter
    );
    let code = if atomics > 0.0 { Code::AtomicContention } else { Code::MemoryHotSpot };
    let sits = if atomics > 0.0 { Sits::Atomics } else { Sits::Nowhere };
    let held = Held::new(code, percent, least, sentence).only_if(is_quiet).at(At::Line(sits));
    held.holds.then(|| held.from(m.readings(&[&spot.counter])))
}

/// Additions to shared memory that are tried until no other lane came in between: the chip adds floats there by compare and swap.
#[derive(Clone, Copy)]
pub(super) struct Retries {
    /// Compare-and-swap instructions of warps.
    tries: f64,
    /// Additions of warps, at most: loops that lanes leave one by one.
    additions: f64,
}

impl Retries {
    /// The share of the tries beyond the first of each addition, 0 to 1.
    fn in_vain(self) -> f64 {
        1.0 - self.additions / self.tries
    }
}

/// `None` where no such loop ran more than once. A try reads its word before it swaps; an addition of integers, which the chip has, does
/// not. Each loop reconverges its lanes behind it, and so opens with a `BSSY`.
pub(super) fn retries(m: &Measures<'_, '_>) -> Option<Retries> {
    let tries = m.mix.count(|op| op.is_in(Space::Shared) && op.act() == Some(Act::Atomic));
    let reads = m.mix.count(|op| op.is_in(Space::Shared) && op.act() == Some(Act::Load) && op.is_by_lane());
    let additions = m.mix.count(|op| op == Op::BSSY);
    let (tries, additions) = (tries?, additions.filter(|additions| *additions > 0.0)?);
    (reads? >= tries && tries > additions).then_some(Retries { tries, additions })
}

/// Lanes that add to few words of shared memory, in front of a busy data stage.
pub(super) fn shared_atomics(m: &Measures<'_, '_>) -> Option<Held> {
    let retries = retries(m)?;
    let stage = m.unit(Part::MemoryShared).filter(|unit| unit.level > Level::Idle)?;
    let sentence = words!(
        "Lanes add to few words of shared memory and take turns: {} compare-and-swap instructions of warps for at most {} additions, {} tries each; {} is at {}.",
        count(retries.tries),
        count(retries.additions),
        format::fixed(retries.tries / retries.additions, 1),
        format!("the {}", stage.name),
        share(stage.share)
    );
    let held = Held::new(Code::AtomicContention, 100.0 * retries.in_vain(), m.limits[Threshold::CauseShare], sentence);
    let held = held.at(At::Line(Sits::SharedAccesses)).from(m.readings(&[&stage.counter]));
    held.holds.then_some(held)
}

/// What stays of the additions with one for each block: lanes add one after the other, and warps where lanes were not counted.
fn stays(m: &Measures<'_, '_>, blocks: f64) -> f64 {
    let by_lanes = || {
        let code = &m.study?.code;
        let lanes = code.lanes.as_ref()?;
        Some((0..code.rows.len()).filter(|row| code.op(*row).is_l2_atomic()).map(|row| lanes[row] as f64).sum::<f64>())
    };
    blocks / by_lanes().unwrap_or(0.0).max(atomics(m)).max(blocks)
}

/// Fewer atomics to one address. What they take of the way to L2 falls with them; how much of it is theirs is not known. At best the
/// slice takes its time for those that stay.
fn fewer_atomics(ask: &Ask<'_, '_, '_>) -> Option<Draft> {
    // Additions to shared memory are copied, and not gathered.
    if own_retries(ask).is_some() || hot_spot(ask.m).is_none_or(|held| held.code != Code::AtomicContention) {
        return None;
    }
    let blocks = ask.m.blocks?;
    let executed = atomics(ask.m);
    let gone = 1.0 - stays(ask.m, blocks);
    let touched = [Part::MemoryL2, Part::MemoryL1tex, Part::MemoryShared, Part::MemoryLsu].map(|part| (part, 0.0));
    let draft = Draft::relieves(ask, Action::FewerAtomics, &touched);
    // Rewritten code has at best no work for the pipes.
    let pipes = ask.machine.parts().filter(|part| place(*part) == place(Part::Issue));
    let draft = pipes.fold(draft, |draft, part| draft.keeps(part, 1.0, 0.0));
    let waits = ask.m.waits(&[StallReason::LongScoreboard, StallReason::LgThrottle, StallReason::Drain]);
    Some(
        draft
            .frees(gone * waits, gone)
            .spares(beside_hot_spot(ask.m)?)
            .at(At::most(ask.m, Op::is_l2_atomic))
            .says(
                "Reduce in registers, then in shared memory, then one atomic per block".into(),
                words!("{} warp-level atomics, {} per block", count(executed), format::fixed(executed / blocks, 1)),
            )
            .risks("shared memory and a barrier per block; the order of additions changes".into())
            .checks(
                words!("atomic instructions {} → {}", count(executed), count(blocks.min(executed))),
                Counter::LtsTSectorsMax,
            ),
    )
}

/// Copies of the words that lanes add to, so that each addition is tried once.
fn copies(ask: &Ask<'_, '_, '_>) -> Option<Draft> {
    let m = ask.m;
    let retries = own_retries(ask)?;
    let stays = 1.0 - retries.in_vain();
    let parts = [Part::MemoryShared, Part::MemoryLsu, Part::Issue, Part::ComputeAlu, Part::ComputeControl];
    let after: Vec<(Part, f64)> =
        parts.into_iter().filter_map(|part| Some((part, m.unit(part)?.share * stays))).collect();
    Some(Draft::relieves(ask, Action::FewerAtomics, &after)
        .rewrites()
        .frees_of(ask, &[StallReason::ShortScoreboard, StallReason::MioThrottle], 1.0 - stays)
        .at(At::most(m, |op| op.is_in(Space::Shared) && op.act() == Some(Act::Atomic))).says(
            "A copy of the words for each lane of a warp, in banks side by side, added up at the end; or reduce by shuffles first".into(),
            words!("{} tries for each addition to shared memory", format::fixed(retries.tries / retries.additions, 1)),
        )
        .risks("shared memory for the copies; another order of additions".into())
        .checks(words!("ATOMS {} → {}", count(retries.tries), count(retries.additions)), SHARED))
}

/// Tries of additions to shared memory, where those are more than the atomics on L2.
fn own_retries(ask: &Ask<'_, '_, '_>) -> Option<Retries> {
    retries(ask.m).filter(|retries| shared_atomics(ask.m).is_some() && atomics(ask.m) < retries.additions)
}
