//! Warps that wait for loads: how many are in flight, chains of them, accesses that are served one by one.

use super::atomics::beside_hot_spot;
use super::draft::stall;
use super::instructions::{narrow, of_index, without_index};
use super::{Ask, At, Draft, Held, Pattern, SPEED, Stands, count, gathers, l2, share};
use crate::analysis::derive::units::MEMORY;
use crate::analysis::diagnose::account::times_idle;
use crate::analysis::diagnose::machine::Change;
use crate::analysis::diagnose::measures::Measures;
use crate::analysis::lines::Sits;
use crate::analysis::phases::Study;
use crate::catalog::{Action, Code, Counter, Part, StallReason, Threshold};
use crate::evidence::{Register, RegisterFile};
use crate::quantity::format::{self, fixed};
use crate::quantity::glance;
use crate::words;

pub(super) const PATTERNS: [Pattern; 2] = [
    Pattern::asks("Are accesses that hit in a cache served one by one?", SPEED, serialised_accesses, Stands::Beside),
    Pattern::changes(&[chains, in_flight, sorted]),
];

/// A load whose address is its own value one turn back.
pub(super) fn chain(m: &Measures<'_, '_>) -> Option<Held> {
    let phases = m.sampled()?;
    let chain = m.study?.chain()?;
    let step = phases.step_cycles().map(|cycles| format!(", {} cycles a step", glance::cycles(cycles)));
    let sentence = words!(
        "{} of the samples wait for the load at `:{}`, whose value is the next address{}: one load in flight a thread{}.",
        share(chain.share),
        chain.load.line.to_string(),
        step.unwrap_or_default(),
        l2::served(m).map(|served| words!(", from L2 ({})", served.said())).unwrap_or_default()
    );
    let reason = StallReason::LongScoreboard;
    let held = Held::new(Code::Wait(reason), 100.0 * chain.share, m.limits[Threshold::ChainShare], sentence);
    let held = held.at(At::point(&chain.load)).from(m.readings(&[&reason.per_issue()]));
    held.holds.then_some(held)
}

/// Independent loads that share one latency in a loop that is unrolled by four: a warp then waits a quarter as long for each.
pub(super) const AT_A_TIME: f64 = 4.0;

/// Loads of 16 bytes for which a thread has registers to spare.
const MOST_AT_A_TIME: f64 = 8.0;
/// Bytes of a lane that count as one load in flight: the widest there is.
const WIDEST: f64 = 16.0;

/// Loads of 16 bytes a lane, or as many bytes of narrower ones, that are under way together before the first of their values is used, at
/// least one: the average over the loads that are executed. `None` without instructions.
fn at_once(m: &Measures<'_, '_>) -> Option<f64> {
    let code = &m.study?.code;
    let (mut sum, mut all) = (0.0, 0.0);
    for block in &code.flow.blocks {
        let executed = code.executed[block.instructions.start] as f64;
        let mut open: Vec<Register> = Vec::new();
        let mut close = |open: &mut Vec<Register>| {
            let bytes: f64 = open.drain(..).map(|register| WORD * f64::from(register.count)).sum();
            sum += executed * bytes * (bytes / WIDEST).max(1.0);
            all += executed * bytes;
        };
        for row in block.instructions.clone() {
            let registers = &code.rows[row].word.unwrap_or_default().registers;
            if open.iter().any(|own| registers.reads.iter().any(|read| read.count > 0 && own.meets(read))) {
                close(&mut open);
            }
            if code.op(row).loads_global() {
                open.extend(registers.writes.iter().filter(|own| own.count > 0 && own.file == RegisterFile::General));
            }
        }
        close(&mut open);
    }
    (all > 0.0).then(|| sum / all)
}

/// Bytes of a register.
const WORD: f64 = 4.0;

/// The part of its peak that DRAM reaches at best: a plain triad on an H200 reads 90.2 %.
const STREAM: f64 = 0.9;

/// By how much a load takes longer than in an idle chip, from which on more of them in flight only lengthen the queue.
const QUEUED: f64 = 2.2;

/// The need from which a part makes those that come wait.
pub(super) const BUSY: f64 = 0.5;

/// The part of the sectors beside the bytes that an order by index is expected to save.
const SORTED: f64 = 0.5;

/// C19: more independent loads in front of the first use. What waits is the latency; what queues behind a busy unit stays, since the
/// machine counts that unit's need.
fn in_flight(ask: &Ask<'_, '_, '_>) -> Option<Draft> {
    let m = ask.m;
    let reason = StallReason::LongScoreboard;
    let wait = m.waits_for_loads()?;
    // What one slice of L2 serves, it serves no faster where more asks for it.
    let beside = beside_hot_spot(m);
    if 100.0 * wait < m.limits[Threshold::StallShare] || beside.as_ref().is_some_and(Vec::is_empty) {
        return None;
    }
    let spares: Vec<usize> =
        beside.map_or_else(Vec::new, |beside| (0..m.stretches.len()).filter(|at| !beside.contains(at)).collect());
    // Twice as many as there are, and at least what a loop unrolled by four has.
    let now = at_once(m).unwrap_or(1.0).min(MOST_AT_A_TIME);
    let then = (2.0 * now).clamp(AT_A_TIME, MOST_AT_A_TIME);
    let overlapped = wait * (1.0 - now / then);
    let chain = m.study.and_then(Study::chain);
    if let Some(chain) = chain.filter(|chain| 2.0 * chain.share >= wait) {
        let why = words!("the value of the load at `:{}` is its next address", chain.load.line.to_string());
        return Some(Draft::overlaps(Action::MoreInFlight, overlapped).not_here(why));
    }
    // What is in front of them has to be busy, else it is a long way and no queue.
    let memory = [Part::MemoryDram, Part::MemoryL2, Part::MemoryL1tex, Part::MemoryShared, Part::MemoryLsu];
    let queue = times_idle(m).filter(|times| *times >= QUEUED && ask.need_of(&memory) >= BUSY);
    let through = gathers::waited(m, wait);
    let gone = narrow(ask).filter(|_| through.is_none_or(|found| !gathers::is_scattered(m, found)));
    let sentence = match through {
        Some(found) => gathers::sentence(found),
        None if gone == Some(0.0) => "More bytes in flight: several independent loads before the first use".into(),
        None => "More bytes in flight: several independent loads before the first use, 16 bytes a lane".into(),
    };
    let why = through.map_or_else(|| words!("warps wait for loads {} of their time", share(wait)), gathers::why);
    // Wide loads also take index arithmetic away.
    let after = gone.and_then(|gone| without_index(ask, gone)).unwrap_or_default();
    let hidden = if queue.is_some() { 0.0 } else { overlapped };
    // At best the index arithmetic goes with its time.
    let lighter = gone.zip(of_index(ask, Part::Issue)).map_or(0.0, |(gone, index)| (1.0 - wait) * gone * index);
    let draft = Draft::relieves(ask, Action::MoreInFlight, &after).frees(hidden, wait + lighter).spares(spares);
    if let Some(times) = queue.filter(|_| 100.0 * draft.expected(ask) < m.limits[Threshold::LeverLeast]) {
        let why = words!(
            "loads wait {} times as long as in an idle chip: more of them queue longer",
            format::fixed(times, 1)
        );
        return Some(draft.frees(overlapped, wait).not_here(why));
    }
    let draft = draft
        .at(through.map_or_else(|| At::waits(m, reason), |found| At::point(&found.load)))
        .says(sentence, why)
        .risks("registers for the loads in flight".into());
    let dram = m
        .unit(Part::MemoryDram)
        .filter(|dram| m.is_thin || m.units.first().is_some_and(|first| first.part == dram.part));
    let saves = draft.expected(ask);
    Some(match dram {
        Some(dram) => {
            let goal = (dram.share / (1.0 - saves).max(0.01)).min(STREAM);
            draft.checks(words!("DRAM {} → {}", share(dram.share), share(goal)), dram.counter.clone()).rises()
        }
        None => {
            let now = m.wait(reason).unwrap_or(wait);
            let goal = match m.kernel.value(reason.per_issue()).filter(|_| hidden > 0.0) {
                Some(cycles) => {
                    let (now, goal) = (format::fixed(cycles, 1), format::fixed(cycles * (1.0 - hidden / now), 1));
                    words!("long scoreboard {} → {} cycles an instruction", now, goal)
                }
                None => stall(&"long scoreboard".into(), now, saves),
            };
            draft.checks(goal, reason.per_issue())
        }
    })
}

/// Work in the order of its indices: lanes share sectors, and with those that nobody asked for go the waits for them, in the queue in
/// front of the LSU as well.
fn sorted(ask: &Ask<'_, '_, '_>) -> Option<Draft> {
    let m = ask.m;
    let wait = m.waits_for_loads().filter(|wait| 100.0 * wait >= m.limits[Threshold::StallShare])?;
    let is_chain = m.study.and_then(Study::chain).is_some_and(|chain| 2.0 * chain.share >= wait);
    let found = gathers::waited(m, wait).filter(|found| !is_chain && gathers::is_sortable(m, found))?;
    let (excess, reason) = (found.excess(), StallReason::LongScoreboard);
    let all = wait + m.wait(StallReason::LgThrottle).unwrap_or_default();
    const WAY: [Part; 3] = [Part::MemoryL2, Part::MemoryDram, Part::MemoryL1tex];
    Some(
        Draft::of(Action::SortByIndex, Change::default())
            .keeps_all(&WAY, 1.0 - SORTED * excess, 1.0 - excess)
            .frees(SORTED * excess * all, all)
            .at(At::point(&found.load))
            .says("Sort or group the work by index, so that lanes share sectors".into(), gathers::why(found))
            .risks("the cost of sorting".into())
            .checks(stall(&"long scoreboard".into(), wait, SORTED * excess * all), reason.per_issue()),
    )
}

/// More chains of dependent loads at once. This launch alone does not get shorter.
fn chains(ask: &Ask<'_, '_, '_>) -> Option<Draft> {
    let m = ask.m;
    let chain = m.sampled_code()?.chain()?;
    if 100.0 * chain.share < m.limits[Threshold::ChainShare] {
        return None;
    }
    let busiest = m.units.first()?;
    let fit = m.occupancy.blocks_per_sm.zip(m.sms);
    let sentence = match fit.map(|(blocks, sms)| count(blocks * sms)) {
        Some(blocks) => words!("More chains in flight: up to {} blocks, or several chains per thread", blocks),
        None => words!("More chains in flight: more blocks, or several chains per thread"),
    };
    Some(
        Draft::relieves(ask, Action::MoreChains, &[])
            .rate()
            .at(At::point(&chain.load))
            .says(sentence, words!("busiest unit is {} at {}", &busiest.name, share(busiest.share)))
            .risks("needs independent chains".into())
            .checks(
                words!(
                    "{} {} → {} %",
                    &busiest.name,
                    share(busiest.share),
                    format::fixed(m.limits[Threshold::SolHigh].max(100.0 * busiest.share), 0)
                ),
                busiest.counter.clone(),
            )
            .rises(),
    )
}

/// The caches from the nearest on, each with the share of sectors that it has.
const CACHES: [(&str, Counter); 2] = [("L1", Counter::L1texTSectorHitRatePct), ("L2", Counter::LtsTSectorHitRatePct)];

/// A cache has what is asked for, no memory unit is near its peak, and warps wait for loads all the same: few accesses are in
/// flight at once, because each hangs on the one before it or they meet at one address.
fn serialised_accesses(m: &Measures<'_, '_>) -> Option<Held> {
    const REASON: StallReason = StallReason::LongScoreboard;
    // That says the same with its numbers.
    if l2::latency(m).is_some() {
        return None;
    }
    let busy = m.kernel.value(MEMORY).filter(|busy| *busy < m.limits[Threshold::SolLow])?;
    let waits = m.stall_share(REASON).filter(|share| *share >= m.limits[Threshold::StallShare])?;
    let (cache, metric, hits) = CACHES.iter().find_map(|(cache, metric)| {
        let hits = m.kernel.value(metric).filter(|hits| *hits >= m.limits[Threshold::HitRateHigh])?;
        Some((*cache, *metric, hits))
    })?;
    let sentence = words!(
        "The accesses are serialised: {} hit rate {} %, memory system at {} % of peak, and warps wait for loads {} % of their time.",
        cache,
        fixed(hits, 1),
        fixed(busy, 1),
        fixed(waits, 1)
    );
    let metrics = [metric.name(), MEMORY.name(), &REASON.per_issue()];
    let held = Held::remark(m, Code::SerialisedAccesses, waits, sentence).at(At::Line(Sits::Waits(REASON)));
    Some(held.from(m.readings(&metrics)))
}
