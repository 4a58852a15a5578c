//! Wavefronts of shared memory: bank conflicts, and loads that could be wider.

use super::*;
use crate::analysis::derive::coalescing::{WAVEFRONTS as SHARED, WAVEFRONTS_IDEAL as SHARED_IDEAL};

pub(super) const PATTERNS: [Pattern; 2] = [
    Pattern::asks("Do shared-memory banks conflict?", SOURCE, bank_conflicts, Stands::For(Action::Unconflict))
        .cured_by(&[unconflict]),
    Pattern::changes(&[wide_shared]),
];

/// Wavefronts of shared accesses: those that were needed, and those that were taken.
#[derive(Clone, Copy)]
pub(in crate::analysis::diagnose) struct Wavefronts {
    /// By the addresses of each access, no more than the data stage passed: the addresses of a `cp.async` make ncu count conflicts
    /// that the stage does not have.
    pub(in crate::analysis::diagnose) all: f64,
    /// What the same words need at least.
    pub(in crate::analysis::diagnose) ideal: f64,
    /// The excess, as a share of the data stage's cycles.
    pub(in crate::analysis::diagnose) excess: f64,
}

/// `None` where that was not counted.
pub(in crate::analysis::diagnose) fn wavefronts(m: &Measures<'_>) -> Option<Wavefronts> {
    let (asked, ideal) = (m.value(SHARED).filter(|all| *all > 0.0)?, m.value(SHARED_IDEAL)?);
    let cycles = m.cycles? * m.sms?;
    let passed = DataStage::of(m.kernel).map(|stage| stage.whole / 100.0 * cycles);
    let all = match passed {
        Some(passed) => asked.min(passed.max(ideal)),
        // Without the stage only what holds no `cp.async` is known.
        None => Some(asked).filter(|_| m.mix.count(|op| op.copies_global() && !op.is_bulk()) == Some(0.0))?,
    };
    Some(Wavefronts { all, ideal, excess: (all - ideal) / cycles })
}

/// Cycles of the L1 data stage that bank conflicts take: `(wavefronts − ideal) / (cycles × SMs)`.
fn bank_conflicts(m: &Measures<'_>) -> Option<Held> {
    let Wavefronts { all, ideal, excess } = wavefronts(m)?;
    let part = 100.0 * excess;
    if part < m.limits[Threshold::ExcessNamed] {
        return None;
    }
    let sentence = words!(
        "Shared memory takes {} wavefronts, {} without conflicts ({}×); the excess fills {} % of the L1 data stage's cycles.",
        count(all),
        count(ideal),
        fixed(all / ideal, 1),
        fixed(part, 1)
    );
    let held = Held::new(Code::SharedBankConflicts, part, m.limits[Threshold::BankConflictCycles], sentence);
    Some(held.at(At::Line(Sits::SharedAccesses)).from(m.held(&[SHARED, SHARED_IDEAL, CYCLES])))
}

/// The part of the excess from which its cause is that of all of it.
const MOST: f64 = 0.5;

/// Wavefronts of an instruction beyond those that its words need.
fn conflicts(study: &Study<'_>, row: usize) -> u64 {
    let all = study.view.counts(SHARED).zip(study.view.counts(SHARED_IDEAL));
    all.map_or(0, |(all, ideal)| all[row].saturating_sub(ideal[row]))
}

/// C15: a layout without bank conflicts.
pub(super) fn unconflict(m: &Ask<'_>) -> Option<Draft> {
    let Wavefronts { all, ideal, excess } = wavefronts(m)?;
    let l1 = m.busiest_of(&[Part::MemoryShared, Part::MemoryL1tex])?;
    if excess < WORTH {
        return None;
    }
    let goal = (l1.share - excess).max(0.0);
    let after = [(Part::MemoryShared, goal), (Part::MemoryL1tex, goal), (Part::MemoryLsu, goal)];
    let by_data = m.sampled_code().and_then(Study::conflicts_by_data).is_some_and(|part| part >= MOST);
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
    let draft = Draft::relieves(m, Action::Unconflict, &after)
        .frees(gone * behind, gone * (behind + with))
        .at(At::heaviest(m, conflicts))
        .says(
            sentence,
            words!(
                "{} wavefronts, {} without conflicts; {} {} → {} %",
                count(all),
                count(ideal),
                &l1.name,
                fixed(100.0 * l1.share, 0),
                fixed(100.0 * goal, 0)
            ),
        )
        .risks(risk)
        .checks(words!("wavefronts of shared memory {} → {}", count(all), count(ideal)), SHARED);
    Some(if m.top_waits().is_empty() { draft.open("the section WarpStateStats") } else { draft })
}

/// What is left of the instructions and wavefronts of four loads that one of 16 bytes replaces.
const QUARTER: f64 = 0.25;

/// One load of 16 bytes in place of four of 4 that all lanes read at one address. A wavefront brings either.
fn wide_shared(m: &Ask<'_>) -> Option<Draft> {
    let runs = m.study?.shared_runs()?;
    let gone = (1.0 - QUARTER) * runs.loads as f64;
    let cycles = m.cycles? * m.sms?;
    let l1 = m.busiest_of(&[Part::MemoryShared, Part::MemoryL1tex])?;
    if gone / cycles < WORTH {
        return None;
    }
    let goal = (l1.share - gone / cycles).max(0.0);
    let executed = m.value(Counter::SmspInstExecutedSum).filter(|executed| *executed > gone);
    let issue = m.unit(Part::Issue).zip(executed).map(|(unit, all)| (Part::Issue, unit.share * (1.0 - gone / all)));
    let unknown = if issue.is_none() { vec![Part::Issue] } else { Vec::new() };
    let mut after = vec![(Part::MemoryShared, goal), (Part::MemoryL1tex, goal)];
    let requests = m.unit(Part::MemoryLsu).map(|unit| (Part::MemoryLsu, (unit.share - gone / cycles).max(0.0)));
    after.extend(requests);
    after.extend(issue);
    let alignment = match (runs.is_apart, runs.is_aligned) {
        (true, _) => words!("the words lie apart: interleave what is read together"),
        (false, true) => words!("rows of a multiple of 16 bytes"),
        (false, false) => words!("offsets are not multiples of 16 bytes: change the row pitch first"),
    };
    Some(
        Draft::relieves(m, Action::WideShared, &after)
            .unknown(m, &unknown)
            .at(At::point(&runs.at))
            .says(
                "LDS.128 in place of four LDS",
                words!(
                    "{} broadcast loads of 4 bytes (one address for all lanes); {} {} → {} %",
                    count(runs.loads as f64),
                    &l1.name,
                    fixed(100.0 * l1.share, 0),
                    fixed(100.0 * goal, 0)
                ),
            )
            .risks(alignment)
            .checks(words!("LDS of 32 bits: {} fewer", count(runs.loads as f64)), SHARED)
            .beside(Some(Along::PartOf(Action::ReuseInSm))),
    )
}
