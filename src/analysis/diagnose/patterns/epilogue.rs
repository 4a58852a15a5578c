//! The epilogue of a tile: products beside it, its loads.

use super::*;
use crate::analysis::lines::Place;

pub(super) const PATTERNS: [Pattern; 2] = [
    Pattern::asks(
        "Is the tensor pipe idle in the epilogue?",
        SOURCE,
        exposed_epilogue,
        Stands::ByItself(Action::OverlapEpilogue),
    )
    .cured_by(&[overlap]),
    Pattern::changes(&[persistent, wide_loads]),
];

/// An epilogue in which the tensor pipe is idle for certain.
fn exposed_epilogue(m: &Measures<'_>) -> Option<Held> {
    let phases = m.sampled()?;
    let epilogue = phases.phases.iter().find(|phase| phase.kind == PhaseKind::Epilogue)?;
    if phases.tensor.is_none() || epilogue.tensor != Some(0.0) {
        return None;
    }
    let sentence = words!(
        "{} of the warp samples are in {}, entered after the last products: the tensor pipe is idle there{}.",
        share(epilogue.share),
        named(epilogue),
        m.unfilled()
    );
    let held = Held::new(Code::ExposedEpilogue, 100.0 * epilogue.share, m.limits[Threshold::EpilogueExposed], sentence);
    Some(held.at(at(epilogue)).from(m.held(&[Counter::SmPipeTensorCyclesActiveAvgPctElapsed])))
}

/// What a phase is called: the function that it is, and its lines.
fn named(phase: &Phase) -> Words {
    match (&phase.name, phase.at.first) {
        (Some(name), _) if name.first == name.last => words!("`{}` (:{})", &name.name, name.first.to_string()),
        (Some(name), _) => {
            words!("`{}` (:{}–:{})", &name.name, name.first.to_string(), name.last.to_string())
        }
        (None, 0) => format!("the epilogue (SASS {:#x})", phase.at.start).into(),
        (None, first) if first == phase.at.last => words!("the epilogue (:{})", first.to_string()),
        (None, first) => words!("the epilogue (:{}–:{})", first.to_string(), phase.at.last.to_string()),
    }
}

/// The call of a phase, else its first line.
pub(super) fn at(phase: &Phase) -> At {
    let place = |line: u32| At::Place(Place { file: phase.at.file.clone(), line, inlined_at: Vec::new() });
    match &phase.name {
        Some(name) => place(name.call),
        None if phase.at.first > 0 => place(phase.at.first),
        None => At::Line(Sits::Nowhere),
    }
}

/// Busy cycles of the tensor pipe.
pub(super) const TENSOR: Counter = Counter::SmPipeTensorCyclesActiveAvgPctElapsed;

/// Narrow loads in a phase from which wider ones are worth trying.
const NARROW_LOADS: f64 = 16.0;

/// Bits of a lane's element that are narrow.
const NARROW: u64 = 32;

/// A register file is nearly full from this part on.
const NEARLY_FULL: f64 = 0.95;

fn tensor(m: &Ask<'_>) -> Option<f64> {
    m.unit(Part::ComputeTensor).map(|unit| unit.share)
}

/// `tensor active 40 → 60 %`: the same work in less time.
fn busier(m: &Ask<'_>, saves: f64) -> Words {
    let Some(now) = tensor(m) else { return Words::default() };
    let goal = (now / (1.0 - saves).max(0.01)).min(1.0);
    words!("tensor active {} → {} %", fixed(100.0 * now, 0), fixed(100.0 * goal, 0))
}

/// The part of the register file that a block takes, where it is nearly all.
pub(super) fn registers(m: &Ask<'_>) -> Option<Words> {
    let used = m.occupancy.file_in_use()?;
    (used.share >= NEARLY_FULL).then(|| {
        words!(
            "register file {} % full ({} × {} threads)",
            fixed(100.0 * used.share, 0),
            count(used.file.per_thread),
            count(used.threads)
        )
    })
}

/// The epilogue of a tile beside the products of the next one.
pub(super) fn overlap(m: &Ask<'_>) -> Option<Draft> {
    let phases = m.sampled()?;
    let epilogue = phases.phases.iter().find(|phase| phase.kind == PhaseKind::Epilogue)?;
    if phases.tensor.is_none() || epilogue.tensor != Some(0.0) || epilogue.cost < WORTH {
        return None;
    }
    let draft = Draft::overlaps(Action::OverlapEpilogue, epilogue.cost);
    let (unit, left) = busiest(m, &[]);
    let saves = draft.saves(m);
    Some(
        draft
            .at(at(epilogue))
            .says(
                "Overlap the epilogue with the next tile's products (two consumer warpgroups on different tiles)",
                words!("{} of the time exposed; {} at {} caps it", share(epilogue.share), unit, share(left)),
            )
            .risks(registers(m).map_or_else(
                || "a second accumulator, or smaller tiles".into(),
                |full| words!("{}: a producer warpgroup needs `setmaxnreg`", full),
            ))
            .checks(busier(m, saves), TENSOR),
    )
}

/// Persistent blocks, where it is not known that the epilogue is empty of products.
fn persistent(m: &Ask<'_>) -> Option<Draft> {
    let phases = m.sampled()?;
    let epilogue = phases.phases.iter().find(|phase| phase.kind == PhaseKind::Epilogue)?;
    let tensor = phases.time.tensor?;
    let one = m.occupancy.blocks_per_sm.is_some_and(|blocks| blocks <= 1.0);
    if phases.is_persistent || epilogue.tensor == Some(0.0) || !one || m.study?.fence_chain().is_some() {
        return None;
    }
    let wave = phases.time.last_wave;
    let cost = 1.0 - tensor - wave.unwrap_or(0.0);
    let less = wave.map(|wave| words!(", less {} of the last wave", share(wave)));
    let draft = Draft::overlaps(Action::PersistentBlocks, cost);
    let saves = draft.saves(m);
    Some(
        draft
            .at(at(epilogue))
            .says(
                "Persistent blocks: overlap the store of a tile with the next tile's products",
                words!("tensor idle {} of the time{}", share(1.0 - tensor), less.unwrap_or_default()),
            )
            .risks(registers(m).map_or_else(
                || "consumers on different tiles".into(),
                |full| words!("{}: no second accumulator, so consumers on different tiles", full),
            ))
            .checks(busier(m, saves), TENSOR),
    )
}

/// C3: wide loads, where narrow ones are what a phase waits for.
fn wide_loads(m: &Ask<'_>) -> Option<Draft> {
    let phases = m.sampled()?;
    let tiles = phases.tiles?;
    let warps = phases.roles.get(phases.pacing).map_or(phases.warps, |role| role.warps).max(1) as f64;
    let turns = tiles.max(1.0) * warps;
    let narrow = |line: u32| {
        let own = phases.accesses.iter().filter(|access| access.width_bits.is_some_and(|bits| bits <= NARROW));
        let own = own.filter(|access| access.at.op().loads_global() && !access.is_inherent);
        own.filter(|access| access.at.line == line).map(|access| access.requests).sum::<u64>() as f64 / turns
    };
    let mut epilogues = phases.phases.iter().filter(|phase| phase.kind == PhaseKind::Epilogue);
    epilogues.find_map(|phase| {
        let wait = phase.waits.iter().find(|wait| wait.reason == "long_scoreboard")?;
        let cause =
            wait.groups.iter().filter_map(|group| group.cause.as_ref()).find(|cause| cause.op().reads_global())?;
        let loads = narrow(cause.line);
        let cost = phase.share * wait.share;
        if loads < NARROW_LOADS || cost < WORTH {
            return None;
        }
        let draft = Draft::overlaps(Action::WideLoads, cost);
        Some(
            draft
                .at(At::point(cause))
                .says(
                    "16-byte loads",
                    words!(
                        "{} LDG of 32 bits or less a thread and tile; {} of the epilogue waits on long scoreboard",
                        count(loads),
                        share(wait.share)
                    ),
                )
                .risks("shuffles to redistribute, alignment of 16 bytes")
                .checks("32-bit LDG in the epilogue = 0", StallReason::LongScoreboard.per_issue()),
        )
    })
}
