//! Wavefronts of shared memory: bank conflicts, and loads that could be wider.

use super::atomics::own_retries;
use super::stages::{room_for_stages, shared_of_block};
use super::work::executed_on;
use super::*;
use crate::analysis::derive::coalescing::{self, WAVEFRONTS as SHARED, WAVEFRONTS_IDEAL as SHARED_IDEAL};
use cuda_binary::op::Computes;

pub(super) const PATTERNS: [Pattern; 1] =
    [Pattern::asks("Do shared-memory banks conflict?", bank_conflicts, Stands::For(Action::Unconflict))
        .needs(("wavefronts of shared memory", |m| wavefronts(m).is_some()))
        .cured_by(&[unconflict, words_for_bytes, wide_shared, matrix_loads])];

/// Wavefronts of shared accesses: those that were needed, and those that were taken.
#[derive(Clone, Copy)]
pub(in crate::analysis::diagnose) struct Wavefronts {
    pub(in crate::analysis::diagnose) all: f64,
    /// What the same words need at least.
    pub(in crate::analysis::diagnose) ideal: f64,
    /// The excess, as a share of the data stage's cycles.
    pub(in crate::analysis::diagnose) excess: f64,
}

/// `None` where that was not counted.
pub(in crate::analysis::diagnose) fn wavefronts(m: &Measures<'_>) -> Option<Wavefronts> {
    let (all, ideal) = coalescing::shared(m.kernel, &m.mix)?;
    Some(Wavefronts { all, ideal, excess: (all - ideal) / m.sm_cycles()? })
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
    Some(held.at(At::conflicts(m)).from(m.held(&[SHARED, SHARED_IDEAL, CYCLES])))
}

/// Banks of shared memory.
const BANKS: f64 = 32.0;

/// The most lanes of a warp that meet in one bank, on average, where data draws their words evenly from a table of which each of so many
/// groups of lanes has a copy. Copies that lie word beside word give each group as many banks as it has lanes: the fullest of n banks
/// that n lanes draw, in the worst of the groups. Measured on an H100 with 1, 2, 4, 8, 16 and 32 copies: 3.54, 3.45, 3.29, 2.95, 2.0, 1.0.
fn meet(copies: usize) -> f64 {
    let lanes = BANKS as usize / copies;
    // A part `1 / (a! b! …)` of `n! / nⁿ` for each way to fill the banks with a, b, … lanes.
    let mut ones = vec![1.0];
    (1..=lanes).for_each(|lane| ones.push(ones[lane - 1] * (1.0 / lane as f64)));
    let all: f64 = (1..=lanes).map(|lane| lane as f64 / lanes as f64).product();
    let no_more_than = |most: usize| {
        let with_bank = |ways: Vec<f64>| {
            (0..=lanes).map(|sum| (0..=most.min(sum)).map(|own| ways[sum - own] * ones[own]).sum()).collect()
        };
        let none = (0..=lanes).map(|sum| if sum == 0 { 1.0 } else { 0.0 }).collect();
        (0..lanes).fold(none, |ways: Vec<f64>, _| with_bank(ways))[lanes] * all
    };
    (0..lanes).map(|most| 1.0 - no_more_than(most).powf(copies as f64)).sum()
}

/// Copies of what a block has in shared memory that fit beside those of the other blocks of an SM: a power of two, one to each bank at
/// most; as many where its bytes are not known. With the part of the excess of random words that they leave.
fn copies(m: &Measures<'_>) -> (usize, f64) {
    let room = room_for_stages(m).unwrap_or(BANKS).clamp(1.0, BANKS);
    let copies = 1 << room.log2() as u32;
    (copies, (meet(copies) - 1.0) / (meet(1) - 1.0))
}

/// C15: a layout without bank conflicts. Accesses of several words need places that are a multiple of their width: behind a padding of
/// one word the compiler reads word by word, and what the conflicts took goes to four times the accesses.
fn unconflict(m: &Measures<'_>) -> Option<Draft> {
    let Wavefronts { all, mut ideal, mut excess } = wavefronts(m).filter(|found| found.excess >= WORTH)?;
    // Copies of the words that lanes add to have a row of their own.
    if own_retries(m).is_some() {
        return None;
    }
    let l1 = m.busiest_of(&DATA_STAGE)?;
    // Where data chooses the words of most of the excess its cause is that of all of it.
    let by_data = m.sampled_code().and_then(Study::conflicts_by_data).filter(|part| 2.0 * part >= 1.0);
    let copies = by_data.map(|_| copies(m));
    if let Some((_, stays)) = copies.filter(|(copies, _)| *copies > 1) {
        (ideal, excess) = (ideal + stays * (all - ideal), (1.0 - stays) * excess);
    }
    let goal = (l1.share - excess).max(0.0);
    let vectors = m.sampled_code().and_then(Study::conflicts_of_vectors);
    let (sentence, risk) = match (copies, vectors) {
        (Some((copies, _)), _) => (
            words!(
                "{} copies of the table in shared memory, word beside word, one to each group of lanes; or fewer look-ups",
                copies.to_string()
            ),
            shared_of_block(m).map_or(words!("shared memory for the copies"), |bytes| {
                words!("the copies take {} B of shared memory a block", count(copies as f64 * bytes))
            }),
        ),
        (None, Some(bytes)) => (
            words!("Swizzle the shared-memory layout in units of {} bytes, or pad its rows by as many", bytes),
            words!("a padding of one word breaks the vectors up"),
        ),
        (None, None) => (
            words!("Pad or swizzle the shared-memory layout"),
            words!("shared memory for the padding; row pitch and alignment of vectors"),
        ),
    };
    // What waits for the data stage, in proportion to its wavefronts, and warps that wait for those.
    let behind = m.waits(&[StallReason::ShortScoreboard, StallReason::MioThrottle, StallReason::LgThrottle]);
    let with = m.waits(&[StallReason::Barrier]) + m.at_mbarriers() * m.waits(&[StallReason::LongScoreboard]);
    let gone = 1.0 - ideal / all;
    // Its own part of the waits is expected to go. At best its queue goes as well, also for accesses without conflicts: as much of the
    // waits as it is busy for.
    let queued = m.need(l1.part);
    let most = (queued + (1.0 - queued) * gone) * behind + gone * with;
    let draft = Draft::relieves(m, Action::Unconflict, &L1.map(|part| (part, goal)));
    let (all, ideal) = (count(all), count(ideal));
    let then = if copies.is_some() { "with the copies" } else { "without conflicts" };
    let why = words!("{} wavefronts, {} {}; {} {} → {} %", &all, &ideal, then, &l1.name, whole(l1.share), whole(goal));
    let draft = draft
        .frees(gone * behind, most)
        .expects(felt(m) * gone * (behind + with))
        .at(At::conflicts(m))
        .says(sentence, why);
    let draft = draft.risks(risk).checks(words!("wavefronts of shared memory {} → {}", all, ideal), SHARED);
    if copies.is_some_and(|(copies, _)| copies == 1) {
        return Some(draft.not_here("no second copy of the table fits beside those of the other blocks"));
    }
    Some(if m.top_wait().is_none() { draft.open("the section WarpStateStats") } else { draft })
}

/// What is left of the instructions and wavefronts of four loads that one of 16 bytes replaces.
const QUARTER: f64 = 0.25;

/// What is left of issue and of shared memory without some wavefronts, loads and instructions; `None` where that is none to speak of.
fn without(m: &Measures<'_>, wavefronts: f64, loads: f64, instructions: f64) -> Option<(Draft, Words)> {
    let cycles = m.sm_cycles().filter(|cycles| loads / cycles >= WORTH)?;
    let l1 = m.busiest_of(&DATA_STAGE)?;
    let less = |unit: &Unit, gone: f64| (unit.share - gone / cycles).max(0.0);
    let issue = m.unit(Part::Issue).zip(m.value(EXECUTED).filter(|executed| *executed > instructions));
    let issue = issue.map(|(unit, all)| (Part::Issue, unit.share * (1.0 - instructions / all)));
    let unknown = if issue.is_none() { &[Part::Issue][..] } else { &[] };
    let requests = m.unit(Part::MemoryLsu).map(|unit| (Part::MemoryLsu, less(unit, loads)));
    let after = DATA_STAGE.map(|part| (part, less(l1, wavefronts))).into_iter().chain(requests).chain(issue);
    let draft = Draft::relieves(m, Action::WideShared, &after.collect::<Vec<(Part, f64)>>()).unknown(m, unknown);
    Some((draft, words!("{} {} → {} %", &l1.name, whole(l1.share), whole(less(l1, wavefronts)))))
}

/// One load of 16 bytes in place of four of 4 that all lanes read at one address. A wavefront brings either.
fn wide_shared(m: &Measures<'_>) -> Option<Draft> {
    let runs = m.study?.shared_runs()?;
    let loads = runs.loads as f64;
    let (gone, all) = ((1.0 - QUARTER) * loads, m.count(Op::loads_shared));
    let (draft, stage) = without(m, gone, gone, gone)?;
    let alignment = match (runs.is_apart, runs.is_aligned) {
        (true, _) => "the words lie apart: interleave what is read together",
        (false, true) => "rows of a multiple of 16 bytes",
        (false, false) => "offsets are not multiples of 16 bytes: change the row pitch first",
    };
    let why = words!("{} broadcast loads of 4 bytes (one address for all lanes); {}", count(loads), stage);
    let draft = draft.at(At::point(&runs.at)).because(why).risks(alignment).beside(Along::PartOf(Action::ReuseInSm));
    Some(draft.falls("loads of shared memory", [all, all - gone], SHARED))
}

/// Words in place of bytes or halves that lanes load from shared memory for their products: four or two of them lie side by side where the
/// sum runs along them, in place or once the tile is stored turned, and nothing puts them together. At best 16 bytes are one load.
fn words_for_bytes(m: &Measures<'_>) -> Option<Draft> {
    let is_meant = |op: Op| multiplies(op) || op.computes() == Some(Computes::MultiplyAdd);
    let first = m.units.first().filter(|unit| L1.contains(&unit.part));
    let own = first.and(m.study)?.narrow_factors(is_meant)?;
    let (loads, joins) = (own.loads as f64, own.joins as f64);
    let (gone, all) = (loads - own.as_words, m.count(Op::loads_shared));
    let (draft, stage) = without(m, gone, gone, gone + joins)?;
    let [vectors, wavefronts] = own.as_vectors.map(|left| loads - left);
    let (best, _) = without(m, wavefronts, vectors, vectors + joins)?;
    let parts = [&L1[..], &[Part::Issue]].concat();
    let draft = parts.into_iter().fold(draft, |draft, part| {
        let left = draft.leaves(part);
        draft.keeps(&[part], left, best.leaves(part))
    });
    // With these loads goes their part of the queue in front of the LSU, and of the waits for what comes back; at best all of it.
    let of_all = (gone / m.requests()?).min(1.0);
    let queue = m.waits(&[StallReason::MioThrottle, StallReason::ShortScoreboard]);
    let draft = draft.rewrites().frees(of_all * queue, queue);
    // Permutations are the ALU's work.
    let of_alu = executed_on(m, Part::ComputeAlu).map_or(0.0, |all| (joins / all.max(1.0)).min(1.0));
    let draft = draft.stays(&[Part::ComputeAlu], 1.0 - of_alu);
    let joined = if joins > 0.0 { words!(", {} permutations join them", count(joins)) } else { Words::default() };
    let how = "Words in place of bytes of shared memory: a load for four bytes, from a tile stored so that the sum runs along its words";
    let why = words!("{} loads of less than a word feed products{}; {}", count(loads), joined, stage);
    let draft = draft.at(At::point(&own.at)).says(how, why).risks("the tile is stored turned; its pitch in words");
    Some(draft.falls("loads of shared memory", [all, all - gone], SHARED))
}

/// Chips that have `ldmatrix`, which brings four registers of fragments in a wavefront each.
const MATRIX_LOADS: (u32, u32) = (7, 5);

/// Fragments of products by `ldmatrix`, where lanes load them word by word or half by half. The queue in front of the LSU holds one
/// instruction then for four registers; what comes back takes a wavefront a register, where a load of halves takes one for each.
pub(super) fn matrix_loads(m: &Measures<'_>) -> Option<Draft> {
    let has_them = m.kernel.device().compute_capability.is_some_and(|own| own >= MATRIX_LOADS);
    let own = m.study.filter(|_| has_them)?.fragment_loads()?;
    let [loads, joins, registers] = [own.loads, own.joins, own.registers].map(|count| count as f64);
    let gone = loads - QUARTER * registers;
    let (draft, stage) = without(m, (loads - registers).max(0.0), gone, gone + joins)?;
    let of_all = (gone / m.requests()?).min(1.0);
    let queue = m.waits(&[StallReason::MioThrottle]);
    let draft = draft.frees(of_all * queue, queue + m.waits(&[StallReason::ShortScoreboard]));
    let joined = if joins > 0.0 { words!(", {} permutations join halves", count(joins)) } else { Words::default() };
    let how = match joins > 0.0 {
        true => words!(
            "Fragments of products by `ldmatrix`: four registers a load, `.trans` where the halves of a register lie in two rows"
        ),
        false => words!("Fragments of products by `ldmatrix`: four registers a load"),
    };
    let why = words!("{} loads bring {} registers of them{}; {}", count(loads), count(registers), joined, stage);
    let draft = draft.at(At::point(&own.at)).says(how, why).risks("rows of the tile at multiples of 16 bytes");
    Some(draft.checks(words!("LDS {} → LDSM {}", count(loads), count(QUARTER * registers)), SHARED))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lanes_meet_less_often_the_more_copies_of_a_table_there_are() {
        let found = [1, 2, 4, 8, 16, 32].map(|copies| (100.0 * meet(copies)).round() / 100.0);
        assert_eq!(found, [3.53, 3.45, 3.29, 2.96, 2.0, 1.0]);
    }
}
