//! Kernels that live in L2: what they load is there, so that they wait for its latency or its bandwidth, and not for DRAM.

use super::*;

/// Sectors that L2 sends to the L1 caches; without it, the bytes that they receive, of which a multicast sends less.
const SENT: Counter = Counter::LtsTSectorsSrcunitTexOpReadSum;
const RECEIVED: Counter = Counter::L1texMXbar2l1texReadBytesSum;
/// Hit rate of L2, percent.
const HITS: Counter = Counter::LtsTSectorHitRatePct;
/// A hit rate of L1 from which loads wait for L1 and not for what lies behind it, percent.
pub(in crate::analysis::diagnose) const MOSTLY_HITS: f64 = 80.0;
/// The part of what L2 sends from which it passes on a stream of DRAM.
const STREAM: f64 = 0.5;
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

fn sent(m: &Measures<'_>) -> Option<Served> {
    let sent = m.value(SENT).map(|sectors| SECTOR * sectors).or_else(|| m.value(RECEIVED));
    let sent = sent.filter(|bytes| *bytes > 0.0)?;
    let per_cycle = sent / (m.sm_cycles()? * m.active?);
    Some(Served { hits: m.value(HITS)?, from_dram: m.value(DRAM_BYTES[0])? / sent, per_cycle })
}

/// A kernel that lives in L2: DRAM is read for a small part of what the SMs read, the hit rate says the same, and L1 does not answer
/// most loads itself. `None` where it is not so, or the report does not tell.
pub(in crate::analysis::diagnose) fn served(m: &Measures<'_>) -> Option<Served> {
    let most = m.limits[Threshold::L2Served] / 100.0;
    let is_l1 = m.value(L1_HITS).is_some_and(|hits| hits >= MOSTLY_HITS);
    sent(m).filter(|own| own.from_dram <= most && own.hits >= 100.0 * (1.0 - HALVES * most) && !is_l1)
}

/// A stream of L2 and not of DRAM, which passes it on for less than half: loads queue in front of the busiest unit on their way.
pub(in crate::analysis::diagnose) fn streams(m: &Measures<'_>) -> Option<Served> {
    let l2 = m.unit(Part::MemoryL2)?;
    let others = [Part::MemoryL1tex, Part::MemoryShared, Part::MemoryDram];
    let is_busiest = m.busiest_of(&others).is_none_or(|unit| unit.share < l2.share);
    sent(m).filter(|own| is_busiest && own.from_dram < STREAM)
}

impl Served {
    /// `hit rate 93.5 %, DRAM reads 3.1 % of what L2 sends`.
    pub(in crate::analysis::diagnose) fn said(self) -> Words {
        words!("hit rate {} %, DRAM reads {} of what L2 sends", fixed(self.hits, 1), share(self.from_dram))
    }

    /// Bytes that an SM has in flight, those that L2 at its peak needs, and the cycles of a load that hits: rate × latency.
    /// `None` where the chip's latency was not measured.
    fn in_flight(self, m: &Measures<'_>) -> Option<(f64, f64, f64)> {
        let chip = m.chip()?;
        let cycles = f64::from(chip.latency.as_ref().filter(|latency| !latency.is_assumed)?.l2?);
        let busy = m.unit(Part::MemoryL2)?.share / m.active?;
        let now = self.per_cycle * cycles;
        (busy > 0.0).then(|| (now, now / busy, cycles))
    }
}

/// The largest wait is for loads that hit in L2, and L2 is idle: its latency limits.
pub(in crate::analysis::diagnose) fn latency(m: &Measures<'_>) -> Option<Held> {
    let served = served(m)?;
    let l2 = m.unit(Part::MemoryL2)?;
    let reason = StallReason::LongScoreboard;
    let (wait, (top, _)) = (m.waits_for_loads()?, m.top_waits().into_iter().next()?);
    if top != reason || l2.level > Level::Idle {
        return None;
    }
    let flight = served.in_flight(m).map(|(now, full, cycles)| {
        words!(
            " At {} cycles per load an SM has {} kB in flight; L2 at its peak needs {} kB.",
            glance::cycles(cycles),
            fixed(now / 1e3, 1),
            fixed(full / 1e3, 1)
        )
    });
    let sentence = words!(
        "The loads hit in L2 ({}), which is at {} of peak: warps wait {} of their time for its latency.{}",
        served.said(),
        share(l2.share),
        share(wait),
        flight.unwrap_or_default()
    );
    let held = Held::new(Code::LatencyL2, 100.0 * wait, m.limits[Threshold::StallShare], sentence);
    let held = held.at(At::Line(Sits::Waits(reason)));
    held.holds
        .then(|| held.from(m.held(&[&reason.per_issue(), HITS.name(), DRAM_BYTES[0].name(), SENT.name(), &l2.counter])))
}
