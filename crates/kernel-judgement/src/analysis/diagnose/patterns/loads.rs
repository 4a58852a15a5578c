//! Warps that wait for loads: how many are in flight, chains of them, rows behind an index, and loads that L2 serves.

use super::atomics::{at_hot_spot, tries};
use super::indices::{divided, narrow, of_index, without_index};
use super::local::awaited;
use super::stages::room_for_stages;
use super::work::{rounds_of_once, sent, width};
use super::*;
use crate::analysis::derive::units::MEMORY;
use crate::analysis::diagnose::level::QUEUED;
use crate::analysis::phases::Indirection;

pub(super) const PATTERNS: [Pattern; 1] =
    [Pattern::asks("Are accesses that hit in a cache served one by one?", serialised_accesses, Stands::Beside)
        .needs(STALLS)
        .cured_by(&[chains, in_flight, sorted])];

/// A load whose address is its own value one turn back.
pub(super) fn chain(m: &Measures<'_>) -> Option<Held> {
    let chain = m.chain()?;
    let step = m.phases?.step_cycles().map(|cycles| format!(", {} cycles a step", glance::cycles(cycles)));
    let from = served(m).map(|served| words!(", from L2 ({})", served.said()));
    let sentence = words!(
        "{} of the samples wait for the load at `:{}`, whose value {} the next address{}: one load in flight a thread{}.",
        share(chain.share),
        chain.load.line.to_string(),
        if chain.is_search { "decides" } else { "is" },
        words::maybe(step),
        words::maybe(from)
    );
    let reason = StallReason::LongScoreboard;
    let held = Held::new(Code::Wait(reason), 100.0 * chain.share, 0.0, sentence);
    Some(held.at(At::point(&chain.load)).from(m.readings(&[&reason.per_issue()])))
}

/// Independent loads that share one latency in a loop that is unrolled by four: a warp then waits a quarter as long for each.
const AT_A_TIME: f64 = 4.0;
/// Loads of 16 bytes for which a thread has registers to spare.
const MOST_AT_A_TIME: f64 = 8.0;
/// The part of its peak that DRAM reaches at best: a plain triad on an H200 reads 90.2 %.
const STREAM: f64 = 0.9;

/// The need from which a part makes those that come wait.
const BUSY: f64 = 0.5;

/// The part of the waits for loads, 0 to 1, that they queue for and would not in an idle chip.
pub(super) fn queued(m: &Measures<'_>) -> f64 {
    m.times_idle().map_or(0.0, |times| 1.0 - 1.0 / times.max(1.0))
}

/// Loads of 16 bytes a lane, or as many bytes of narrower ones, that are under way together, at least one; and with twice as many, or at
/// least what a loop unrolled by four has.
pub(super) fn at_once(m: &Measures<'_>) -> [f64; 2] {
    let now = m.study.and_then(|study| study.under_way(|bytes| (bytes / WIDEST_BYTES).max(1.0)));
    let now = now.unwrap_or(1.0).min(MOST_AT_A_TIME);
    [now, (2.0 * now).clamp(AT_A_TIME, MOST_AT_A_TIME)]
}

/// Times as long as in an idle chip that loads take, for which the warps wait this share of their time, where they queue: what is in front
/// of them has to be busy, else it is a long way and no queue.
pub(super) fn in_queue(m: &Measures<'_>, wait: f64) -> Option<f64> {
    let is_busy = m.need_of(&[&L1[..], &[Part::MemoryDram, Part::MemoryL2]].concat()) >= BUSY;
    let times = m.times_idle().or_else(|| m.times_idle_once(wait));
    times.filter(|times| *times >= QUEUED && is_busy)
}

/// C19: more independent loads in front of the first use. What waits is the latency; what queues behind a busy unit stays, since the
/// machine counts that unit's need.
fn in_flight(m: &Measures<'_>) -> Option<Draft> {
    let reason = StallReason::LongScoreboard;
    // What is waited for local memory goes with the row that keeps it in registers.
    let local = awaited(m).unwrap_or_default();
    let wait = m.waits_for_loads()? * (1.0 - local);
    let of_global = if local > 0.0 { " of global memory" } else { "" };
    // What one slice of L2 serves, it serves no faster where more asks for it.
    let spares = at_hot_spot(m).unwrap_or_default();
    if 100.0 * wait < m.limits[Threshold::StallShare] || spares.len() == m.stretches.len() {
        return None;
    }
    let [now, then] = at_once(m);
    let stages = m.sampled_code().and_then(Study::copies_waited_for);
    // A turn takes as long as a copy is in flight over the turns that it has: of twice as many half as long, as far as it waits.
    let overlapped = match stages {
        Some(_) => wait.min(1.0 - 1.0 / room_for_stages(m).unwrap_or(2.0).clamp(1.0, 2.0)),
        None => wait * (1.0 - now / then),
    };
    let chain = m.study.and_then(Study::chain);
    if let Some(chain) = chain.filter(|chain| 2.0 * chain.share >= wait) {
        let how = if chain.is_search { "decides" } else { "is" };
        let why = words!("the value of the load at `:{}` {} its next address", chain.load.line.to_string(), how);
        return Some(Draft::overlaps(Action::MoreInFlight, overlapped).not_here(why));
    }
    let queue = in_queue(m, wait);
    let through = indirection(m, wait);
    // An address that a division makes is one of each element.
    let is_run = divided(m).is_none() && through.is_none_or(|found| !is_scattered(m, found));
    // Where a pipe of the SMs is at its roof what it does goes first, and the row of that says so.
    let is_full =
        m.machine.busiest(|part| !level::is_shared(part)).is_some_and(|(part, need)| part.computes() && need >= ROOF);
    let gone = narrow(m).filter(|_| is_run && !is_full);
    // Wide loads also take index arithmetic away.
    let after = gone.and_then(|gone| without_index(m, gone)).unwrap_or_default();
    let hidden = if queue.is_some() { 0.0 } else { overlapped };
    // At best the index arithmetic goes with its time, and what the warps of a block wait for each other.
    let index = of_index(m, Part::Issue).map_or(0.0, |index| (1.0 - wait) * index);
    let lighter = gone.map_or(0.0, |gone| gone * (index + rounds_of_once(m)));
    // A second buffer for a tile puts the loads of the next one into flight.
    let draft = Draft::relieves(m, Action::MoreInFlight, &after).beside(Along::PartOf(Action::DoubleBuffer));
    let draft = draft.frees(hidden, wait + lighter).spares(spares);
    let draft = gone
        .map(|_| widened(m))
        .into_iter()
        .flatten()
        .fold(draft, |draft, (part, stays)| draft.keeps(&[part], 1.0, stays));
    let saves = draft.expected(m);
    if let Some(times) = queue.filter(|_| 100.0 * saves < m.limits[Threshold::LeverLeast]) {
        let why = words!(
            "loads wait {} times as long as in an idle chip, and more of them would only queue",
            fixed(times, 1)
        );
        return Some(draft.frees(overlapped, wait).not_here(why));
    }
    let draft = match through {
        // Of places of their own the row that sorts them tells the rest.
        Some(found) => {
            let why = if is_scattered(m, found) { waited(found) } else { through_index(found) };
            draft.at(At::point(&found.load)).says(rows(m, found), why)
        }
        None => {
            let wide = if is_narrow(m) { ", 16 bytes a lane" } else { "" };
            let tested = m.study.and_then(|study| traced(study, &study.tested_loads()));
            let is_tested = tested.is_some_and(|part| part >= MOST);
            let is_atomic = m.study.is_some_and(|study| study.part_at_causes(Op::is_l2_atomic) >= MOST);
            // Whoever tries again until the word is as it was left has nothing else to issue.
            if is_atomic && tries(m).is_some() {
                return None;
            }
            let what = if is_atomic { "the answers of atomics" } else { "loads" };
            let how = match stages {
                None if is_atomic => {
                    words!("Several elements a thread: the atomics of all are issued before the first answer is used")
                }
                Some(ahead) => words!(
                    "More copies in flight: twice the stages, `cp.async.wait_group {}` in place of {}",
                    (2 * u32::from(ahead) + 1).to_string(),
                    ahead.to_string()
                ),
                None if is_tested => words!("Load before the test: values together with what decides on their use"),
                None => words!("More bytes in flight: several independent loads before the first use{}", wide),
            };
            let draft = if stages.is_some() { draft.risks("shared memory for the stages") } else { draft };
            draft
                .at(At::waits(m, reason))
                .says(how, words!("warps wait for {}{} {} of their time", what, of_global, share(wait)))
        }
    };
    let is_first = |part: Part| m.units.first().is_some_and(|first| first.part == part);
    let is_stream = level::is_of_dram(m) == Some(true) && is_first(Part::MemoryL2);
    if let Some(dram) = m.unit(Part::MemoryDram).filter(|dram| is_stream || is_first(dram.part)) {
        let [now, goal] = [dram.share, (dram.share / (1.0 - saves).max(0.01)).min(STREAM)].map(share);
        // What is hardly busy shows nothing of it.
        if now != goal {
            return Some(draft.checks(words!("DRAM {} → {}", now, goal), dram.counter.clone()).rises());
        }
    }
    let check = draft.waits_left(m, "long scoreboard", &[reason]);
    Some(draft.checks(check, reason.per_issue()))
}

/// Whether the load that is waited for the most has less than 16 bytes a lane.
fn is_narrow(m: &Measures<'_>) -> bool {
    let waited = |study: &Study<'_>| {
        let waits = study.samples.at_causes(StallReason::LongScoreboard.into());
        let most = (0..waits.len()).max_by_key(|row| waits[*row]).filter(|row| waits[*row] > 0)?;
        Some(study.width(most).is_none_or(|bits| bits < WIDEST))
    };
    let of_any = || width(m, true).map(|(_, is_wide)| !is_wide);
    m.sampled_code().and_then(waited).or_else(of_any).unwrap_or_default()
}

/// What loads of 16 bytes a lane leave at least of the data stage of L1 and of the requests in front of it, where lanes read side by
/// side, wherever they begin. A request takes the stage at least once, and once for each 128 bytes.
fn widened(m: &Measures<'_>) -> [(Part, f64); 3] {
    let is_beside = |access: &SectorAccess| access.sectors <= access.ideal + access.requests;
    let loads = || m.accesses().iter().filter(|access| access.at.op().loads_global() && is_beside(access));
    let bits = |access: &SectorAccess| access.width_bits.unwrap_or(8) as f64;
    let sum =
        |of: &dyn Fn(&SectorAccess) -> f64| loads().map(|access| access.requests as f64 * of(access)).sum::<f64>();
    let left = |part: Part, fewer: f64| (part, m.without(part, fewer));
    let wavefronts = sum(&|access| (1.0 - bits(access) / 32.0).max(0.0));
    let requests = sum(&|access| 1.0 - bits(access) / WIDEST as f64);
    [left(Part::MemoryShared, wavefronts), left(Part::MemoryL1tex, wavefronts), left(Part::MemoryLsu, requests)]
}

/// Work in the order of its indices: lanes share sectors, and with those that nobody asked for go the waits for them, in the queue in
/// front of the LSU as well.
pub(super) fn sorted(m: &Measures<'_>) -> Option<Draft> {
    let wait = m.waits_for_loads().filter(|wait| 100.0 * wait >= m.limits[Threshold::StallShare])?;
    let is_chain = m.study.and_then(Study::chain).is_some_and(|chain| 2.0 * chain.share >= wait);
    let found = indirection(m, wait).filter(|found| !is_chain && is_scattered(m, found))?;
    // What is loaded is gathered up, and not stored one for one, which would scatter the stores. Rows of their own lie a row apart in any order.
    let is_row = |access: &SectorAccess| access.at.is_on_line_of(&found.load) && access.own_row().is_some();
    if 2.0 * m.count(Op::stores_global) >= found.requests as f64 || m.accesses().iter().any(is_row) {
        return None;
    }
    let (excess, reason) = (found.excess(), StallReason::LongScoreboard);
    let all = wait + m.waits(&[StallReason::LgThrottle]);
    let way = [Part::MemoryL2, Part::MemoryDram, Part::MemoryL1tex];
    // What other accesses ask for on the way stays.
    let own = (found.sectors as f64 / sectors_of(m.accesses()).max(1.0)).min(1.0);
    let draft = Draft::new(Action::SortByIndex).keeps(&way, 1.0 - UNTOLD * excess * own, 1.0 - excess * own);
    let draft = draft.frees(UNTOLD * excess * all, all).at(At::point(&found.load));
    // In the order of their places additions of neighbouring lanes would meet at one word.
    let how = match m.accesses().iter().any(|access| access.is_inherent && access.at.op().is_l2_atomic()) {
        true => {
            "Sort or group the work by the index of the loads, not by that of the atomics, so that lanes share sectors"
        }
        false => "",
    };
    let draft = draft.says(how, through_index(found));
    let check = draft.waits_left(m, "long scoreboard", &[reason]);
    Some(draft.checks(check, reason.per_issue()))
}

/// More chains of dependent loads at once. This launch alone does not get shorter.
fn chains(m: &Measures<'_>) -> Option<Draft> {
    let chain = m.chain()?;
    let busiest = m.units.first().filter(|unit| unit.share <= 1.0 - WORTH_A_TRY)?;
    // Blocks beyond those that fit at once wait for their turn.
    let fit = m.at_once().filter(|fit| m.blocks.is_some_and(|blocks| blocks < (1.0 - WORTH_A_TRY) * *fit));
    let fit = fit.map(|fit| format!("up to {} blocks, or ", count(fit)));
    let how = words!("More chains in flight: {}several chains per thread", words::maybe(fit));
    let now = words!("{} {}", &busiest.name, share(busiest.share));
    let draft = Draft::relieves(m, Action::MoreChains, &[]).rate(m).at(At::point(&chain.load));
    let draft = draft.says(how, words!("busiest unit is {} at {}", &busiest.name, share(busiest.share))).rises();
    Some(draft.checks(words!("{} → 100 % at best", now), busiest.counter.clone()))
}

/// The caches from the nearest on, each with the share of sectors that it has.
const CACHES: [(&str, Counter); 2] = [("L1", L1_HITS), ("L2", L2_HITS)];

/// A cache has what is asked for, no memory unit is near its peak, and warps wait for loads all the same: few accesses are in
/// flight at once, because each hangs on the one before it or they meet at one address.
fn serialised_accesses(m: &Measures<'_>) -> Option<Held> {
    const REASON: StallReason = StallReason::LongScoreboard;
    // That says the same with its numbers.
    if latency(m).is_some() {
        return None;
    }
    let busy = m.value(MEMORY).filter(|busy| *busy < m.limits[Threshold::SolLow])?;
    let waits = m.stall_share(REASON).filter(|share| *share >= m.limits[Threshold::StallShare])?;
    let (cache, metric, hits) = CACHES.iter().find_map(|(cache, metric)| {
        let hits = m.value(metric).filter(|hits| *hits >= m.limits[Threshold::HitRateHigh])?;
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
    let held = Held::remark(m, Code::SerialisedAccesses, waits, sentence).at(At::waits(m, REASON));
    Some(held.from(m.readings(&metrics)))
}

/// The share of the samples from which a wait for indices is worth loading them early.
const LATE: f64 = 0.05;

/// The loads through an index, where most of the wait for loads is theirs.
fn indirection<'a>(m: &Measures<'a>, wait: f64) -> Option<&'a Indirection> {
    let found = m.sampled_code()?.indirection()?;
    (found.for_loads + found.for_indices >= MOST * wait).then_some(found)
}

/// Whether each lane reads a place of its own, so that sectors bring bytes that nobody asked for.
fn is_scattered(m: &Measures<'_>, found: &Indirection) -> bool {
    100.0 * found.excess() >= m.limits[Threshold::SectorsExcessShare]
}

/// What to do about rows behind an index.
fn rows(m: &Measures<'_>, found: &Indirection) -> Words {
    let is_one = is_scattered(m, found) || found.width_bits == Some(WIDEST);
    let wide = if is_one { "" } else { ", 16 bytes a lane" };
    let early = if found.for_indices >= LATE { "; next indices early" } else { "" };
    words!("More bytes in flight: several loads of rows before the first use{}{}", wide, early)
}

fn waited(found: &Indirection) -> Words {
    words!("{} of the samples wait for the loads, {} for the index", share(found.for_loads), share(found.for_indices))
}

/// What in the evidence asks for it.
fn through_index(found: &Indirection) -> Words {
    let per_request = found.sectors as f64 / found.requests.max(1) as f64;
    words!(
        "through the index of {}: {}; {} sectors a request, {} of 32 B used",
        place(&found.index),
        waited(found),
        fixed(per_request, 1),
        fixed(32.0 * (1.0 - found.excess()), 0)
    )
}

/// `:26`, with the line of the call that it was inlined from; the offset where no line is known.
fn place(at: &Point) -> Words {
    let call = at.call.as_ref().filter(|call| call.line != at.line || call.file != at.file);
    let call = call.map(|call| words!(" from `{}`", call.beside(&at.file)));
    match at.line {
        0 => words!("`{}`", format!("{:#x}", at.offset)),
        line => words!("`:{}`{}", line.to_string(), words::maybe(call)),
    }
}

/// A hit rate of L1 from which loads wait for L1 and not for what lies behind it, percent.
pub(in crate::analysis::diagnose) const MOSTLY_HITS: f64 = 80.0;
/// Halves of L2 that fetch the same line from DRAM or from each other, on chips that have two: a line misses at most once in each.
const HALVES: f64 = 2.0;

/// What L2 sends to the SMs, and how much of it DRAM is read for.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(in crate::analysis::diagnose) struct Served {
    /// Hit rate, percent.
    hits: f64,
    /// Bytes from DRAM over those that L2 sends to the SMs, 0 to 1.
    from_dram: f64,
    /// Bytes that L2 sends to an SM in a cycle while it holds a block.
    per_cycle: f64,
}

fn supply(m: &Measures<'_>) -> Option<Served> {
    let sent = sent(m)?;
    let per_cycle = sent / (m.sm_cycles()? * m.active?);
    Some(Served { hits: m.value(L2_HITS)?, from_dram: m.dram_read()? / sent, per_cycle })
}

/// A kernel that lives in L2: DRAM is read for a small part of what the SMs read, the hit rate says the same, and L1 does not answer
/// most loads itself. `None` where it is not so, or the report does not tell.
pub(in crate::analysis::diagnose) fn served(m: &Measures<'_>) -> Option<Served> {
    let most = m.limits[Threshold::L2Served] / 100.0;
    let is_l1 = m.value(L1_HITS).is_some_and(|hits| hits >= MOSTLY_HITS);
    supply(m).filter(|own| own.from_dram <= most && own.hits >= 100.0 * (1.0 - HALVES * most) && !is_l1)
}

/// A stream of L2 and not of DRAM, which passes it on for less than half: loads queue in front of the busiest unit on their way.
pub(in crate::analysis::diagnose) fn streams(m: &Measures<'_>) -> Option<Served> {
    let l2 = m.unit(Part::MemoryL2)?;
    let others = [Part::MemoryL1tex, Part::MemoryShared, Part::MemoryDram];
    let is_busiest = m.busiest_of(&others).is_none_or(|unit| unit.share < l2.share);
    supply(m).filter(|own| is_busiest && own.from_dram < MOST)
}

impl Served {
    /// `hit rate 93.5 %, DRAM reads 3.1 % of what L2 sends`.
    pub(in crate::analysis::diagnose) fn said(self) -> Words {
        words!("hit rate {} %, DRAM reads {} of what L2 sends", fixed(self.hits, 1), share(self.from_dram))
    }
}

/// The largest wait is for loads that hit in L2, and L2 is idle: its latency limits.
pub(in crate::analysis::diagnose) fn latency(m: &Measures<'_>) -> Option<Held> {
    let served = served(m)?;
    let l2 = m.unit(Part::MemoryL2)?;
    let reason = StallReason::LongScoreboard;
    let wait = m.waits_for_loads()?;
    m.top_wait().filter(|(top, _)| *top == reason && l2.level == Level::Idle)?;
    // Bytes that an SM has in flight, and those that L2 at its peak needs: rate × latency.
    let flight = || {
        let cycles = f64::from(m.chip()?.latency.as_ref().filter(|latency| !latency.is_assumed)?.l2?);
        let busy = Some(l2.share / m.active?).filter(|busy| *busy > 0.0)?;
        let now = served.per_cycle * cycles / 1e3;
        Some(words!(
            " At {} cycles per load an SM has {} kB in flight; L2 at its peak needs {} kB.",
            glance::cycles(cycles),
            fixed(now, 1),
            fixed(now / busy, 1)
        ))
    };
    let sentence = words!(
        "The loads hit in L2 ({}), which is at {} of peak: warps wait {} of their time for its latency.{}",
        served.said(),
        share(l2.share),
        share(wait),
        words::maybe(flight())
    );
    let held = Held::new(Code::LatencyL2, 100.0 * wait, m.limits[Threshold::StallShare], sentence);
    held.of_wait(m, reason, &[L2_HITS.name(), DRAM_BYTES[0].name(), SENT.name(), &l2.counter]).if_large()
}
