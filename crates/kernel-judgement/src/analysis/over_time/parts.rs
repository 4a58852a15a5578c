//! Ramp, steady state, tail and drain.

use super::cut;
use super::model::{Part, Regime};
use std::ops::Range;

/// Samples that a shape needs: what the threshold `over-time-samples` says, and no less than this.
pub(super) const LEAST: usize = 5;
/// A level lasts when it holds for this share of the launch.
const LASTS: f64 = 0.1;
/// A level is reached from this share of it on, and lower below.
const REACHED: f64 = 0.8;
/// Multiprocessors run out of blocks where fewer of them than this share of the most hold one.
const BUSY: f64 = 0.9;
/// Two mixes of units are one from this cosine on.
const ALIKE: f64 = 0.95;
/// Two levels of one unit are one regime when they differ by less than this share of the steady state.
const APART: f64 = 0.12;
/// So many stretches are few: ramp, some levels, and an end in steps.
const FEW: usize = 8;
/// A unit is busy in a regime from this share of the busiest on.
const IN_REGIME: f64 = 0.2;

pub(super) struct Samples<'a> {
    /// Ids of the units.
    pub(super) names: Vec<&'a str>,
    /// Their samples in percent of the peak, all of one count.
    pub(super) units: Vec<&'a [f64]>,
    /// The share of multiprocessors with a block, where it is known.
    pub(super) shares: Option<&'a [f64]>,
    /// Samples in which a block runs.
    pub(super) running: Range<usize>,
    /// Between two samples, in ns.
    pub(super) step: f64,
    /// The launch, in ns.
    pub(super) ns: f64,
}

/// The launch cut into its parts.
pub(super) struct Parts {
    pub(super) steady: f64,
    pub(super) unit: usize,
    pub(super) mean: f64,
    pub(super) ramp: Part,
    pub(super) middle: Part,
    pub(super) tail: Part,
    pub(super) drain: Part,
    pub(super) regimes: Vec<Regime>,
    /// The samples of the middle, and those of the tail.
    pub(super) spans: [Range<usize>; 2],
}

impl Samples<'_> {
    /// Means of the units over samples.
    fn means(&self, range: &Range<usize>) -> Vec<f64> {
        let mean = |unit: &&[f64]| unit[range.clone()].iter().sum::<f64>() / (range.len() as f64).max(1.0);
        self.units.iter().map(mean).collect()
    }

    /// The level of a sample: that of its busiest unit.
    fn level(&self, n: usize) -> f64 {
        self.units.iter().map(|unit| unit[n]).fold(0.0, f64::max)
    }

    fn mean_level(&self, range: &Range<usize>) -> f64 {
        range.clone().map(|n| self.level(n)).sum::<f64>() / (range.len() as f64).max(1.0)
    }

    /// The level that three quarters of the samples reach: what a launch whose level goes up and down has from its begin on.
    fn lower_quartile(&self, range: &Range<usize>) -> f64 {
        let mut levels: Vec<f64> = range.clone().map(|n| self.level(n)).collect();
        levels.sort_by(f64::total_cmp);
        levels.get(levels.len() / 4).copied().unwrap_or_default()
    }

    /// The mean share of multiprocessors with a block.
    pub(super) fn share(&self, range: &Range<usize>) -> Option<f64> {
        let shares = self.shares?.get(range.clone())?;
        (!shares.is_empty()).then(|| shares.iter().sum::<f64>() / shares.len() as f64)
    }

    /// When a sample begins. The first whole one begins up to a step late; what is not sampled of both ends is less than a step.
    fn time(&self, n: usize) -> f64 {
        (n as f64 * self.step).min(self.ns)
    }

    fn part(&self, range: Range<usize>, times: Range<f64>, steady: f64) -> Part {
        let ns = times.end - times.start;
        let level = self.mean_level(&range);
        let below = if steady > 0.0 { (1.0 - level / steady).max(0.0) } else { 0.0 };
        Part { ns, level, cost: below * ns }
    }
}

fn highest(means: &[f64]) -> (usize, f64) {
    let busiest = means.iter().copied().enumerate().max_by(|a, b| a.1.total_cmp(&b.1));
    busiest.unwrap_or_default()
}

/// The parts of a launch in which something repeats every `turn` samples, 0 for nothing; `None` where no unit was busy.
pub(super) fn parts(samples: &Samples<'_>, turn: usize) -> Option<Parts> {
    let running = samples.running.clone();
    let stretches = stretches(samples, turn);
    let means: Vec<Vec<f64>> = stretches.iter().map(|range| samples.means(range)).collect();
    let levels: Vec<f64> = stretches.iter().map(|range| samples.mean_level(range)).collect();
    let least = ((LASTS * running.len() as f64) as usize).max(2);
    let longest = (0..stretches.len()).max_by_key(|at| stretches[*at].len())?;
    let lasting: Vec<usize> =
        (0..stretches.len()).filter(|at| stretches[*at].len() >= least || *at == longest).collect();
    let best = *lasting.iter().max_by(|a, b| levels[**a].total_cmp(&levels[**b]))?;
    let (steady, (unit, mean)) = (levels[best], highest(&means[best]));
    if steady <= 0.0 {
        return None;
    }
    // The tail: stretches from the end, each lower, in which multiprocessors run out of blocks or all units fall together.
    let full = stretches.iter().filter_map(|range| samples.share(range)).fold(0.0, f64::max);
    let is_tail = |at: usize| {
        let runs_out = samples.share(&stretches[at]).is_some_and(|share| share < BUSY * full);
        at > best && levels[at] < REACHED * steady && (runs_out || alike(&means[best], &means[at]))
    };
    let behind = (0..stretches.len()).rev().take_while(|at| is_tail(*at)).last();
    let tail_from = behind.map_or(running.end, |at| stretches[at].start);
    // What the launch ends in before a sample is over is none.
    let is_whole = samples.time(running.end) - samples.time(tail_from) >= samples.step;
    let tail_from = if is_whole { tail_from } else { running.end };
    // The ramp: until a sample nearly reaches the first level that lasts.
    let first = lasting.iter().copied().find(|at| stretches[*at].start < tail_from).unwrap_or(best);
    let low = samples.lower_quartile(&stretches[first]);
    let reached = (0..stretches[first].end).find(|n| samples.level(*n) >= REACHED * low);
    let ramp_until = reached.unwrap_or(stretches[first].start).min(tail_from);
    let times = [0.0, samples.time(ramp_until), samples.time(tail_from), samples.time(running.end), samples.ns];
    let part =
        |range: Range<usize>, from: usize| samples.part(range, times[from]..times[from + 1].max(times[from]), steady);
    let regimes = regimes(samples, &stretches, &lasting, ramp_until..tail_from, APART * steady);
    let last = samples.units[0].len();
    Some(Parts {
        steady,
        unit,
        mean,
        ramp: part(0..ramp_until, 0),
        middle: part(ramp_until..tail_from, 1),
        tail: part(tail_from..running.end, 2),
        drain: part(running.end..last, 3),
        regimes,
        spans: [ramp_until..tail_from, tail_from..running.end],
    })
}

/// The stretches of one level each; where something repeats and cuts the launch into many, of the means over a turn.
fn stretches(samples: &Samples<'_>, turn: usize) -> Vec<Range<usize>> {
    let units: Vec<&[f64]> = samples.units.iter().map(|unit| &unit[samples.running.clone()]).collect();
    let found = cut::stretches(&units);
    if found.len() <= FEW || turn < 2 {
        return found;
    }
    let smooth: Vec<Vec<f64>> = units.iter().map(|unit| smoothed(unit, turn)).collect();
    cut::stretches(&smooth.iter().map(Vec::as_slice).collect::<Vec<&[f64]>>())
}

/// Whether the mix of units is the same: the cosine between their means.
fn alike(one: &[f64], other: &[f64]) -> bool {
    let dot = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
    dot(one, other) >= ALIKE * (dot(one, one) * dot(other, other)).sqrt()
}

/// The levels that last within the middle, of which neighbours differ in their busiest unit or by `apart`; none where there is one.
fn regimes(
    samples: &Samples<'_>,
    stretches: &[Range<usize>],
    lasting: &[usize],
    middle: Range<usize>,
    apart: f64,
) -> Vec<Regime> {
    let cut = lasting.iter().map(|at| stretches[*at].start.max(middle.start)..stretches[*at].end.min(middle.end));
    let mut within: Vec<Range<usize>> = Vec::new();
    for range in cut.filter(|range| range.len() > 1) {
        let busiest = |range: &Range<usize>| highest(&samples.means(range));
        let is_same = |before: &&mut Range<usize>| {
            let ((one, was), (other, is)) = (busiest(before), busiest(&range));
            one == other && (was - is).abs() < apart
        };
        match within.last_mut().filter(is_same) {
            Some(before) => before.end = range.end,
            None => within.push(range),
        }
    }
    if within.len() < 2 {
        return Vec::new();
    }
    let of = |range: &Range<usize>| {
        let means = samples.means(range);
        let most = highest(&means).1;
        let mut units: Vec<(String, f64)> = samples.names.iter().map(|name| (*name).to_owned()).zip(means).collect();
        units.retain(|(_, mean)| *mean >= (IN_REGIME * most).max(1.0));
        units.sort_by(|a, b| b.1.total_cmp(&a.1));
        Regime { from: samples.time(range.start), until: samples.time(range.end), units }
    };
    within.iter().map(of).collect()
}

/// The mean over a whole turn around each sample; at the ends over the first and the last turn.
fn smoothed(samples: &[f64], turn: usize) -> Vec<f64> {
    let turn = turn.min(samples.len());
    let mean = |n: usize| {
        let from = n.saturating_sub(turn / 2).min(samples.len() - turn);
        samples[from..from + turn].iter().sum::<f64>() / turn as f64
    };
    (0..samples.len()).map(mean).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn close(found: f64, expected: f64) -> bool {
        (found - expected).abs() < 1e-6
    }

    fn whole<'a>(units: Vec<(&'a str, &'a [f64])>, shares: Option<&'a [f64]>) -> Samples<'a> {
        let count = units[0].1.len();
        let (names, units) = units.into_iter().unzip();
        Samples { names, units, shares, running: 0..count, step: 10.0, ns: 10.0 * count as f64 }
    }

    #[test]
    fn a_launch_has_ramp_steady_state_tail_and_drain() {
        // 2 samples of ramp, 48 at 80, 40 at 8 with a tenth of the multiprocessors, 10 without any.
        let mut level = vec![20.0, 40.0];
        level.extend([80.0; 48].into_iter().chain([8.0; 40]).chain([0.0; 10]));
        let mut shares = vec![1.0; 50];
        shares.extend([0.1; 40].into_iter().chain([0.0; 10]));
        let samples = Samples { running: 0..90, ..whole(vec![("issue", &level)], Some(&shares)) };
        let found = parts(&samples, 0).expect("parts");
        assert!(close(found.steady, 80.0) && found.unit == 0);
        // The ramp's mean is 30 of 80: 20 ns × 5/8 are lost.
        assert!(close(found.ramp.ns, 20.0) && close(found.ramp.level, 30.0) && close(found.ramp.cost, 12.5));
        assert!(close(found.middle.ns, 480.0) && close(found.middle.cost, 0.0));
        // The tail is 400 ns at a tenth of the level: 360 ns.
        assert!(close(found.tail.ns, 400.0) && close(found.tail.level, 8.0) && close(found.tail.cost, 360.0));
        assert!(close(found.drain.ns, 100.0) && close(found.drain.cost, 100.0));
        assert!(found.regimes.is_empty());
    }

    #[test]
    fn two_units_in_turn_are_two_regimes_and_no_tail() {
        let dram: Vec<f64> = [85.0; 60].into_iter().chain([0.0; 40]).collect();
        let fma: Vec<f64> = [5.0; 60].into_iter().chain([70.0; 40]).collect();
        let busy = [1.0; 100];
        let samples = whole(vec![("dram", &dram), ("fma", &fma)], Some(&busy));
        let found = parts(&samples, 0).expect("parts");
        assert!(close(found.steady, 85.0) && close(found.tail.ns, 0.0));
        let [one, other] = found.regimes.as_slice() else { panic!("{:?}", found.regimes) };
        assert_eq!((one.from, one.until, one.units[0].0.as_str()), (0.0, 600.0, "dram"));
        assert_eq!((other.from, other.until, other.units[0].0.as_str()), (600.0, 1000.0, "fma"));
        assert_eq!(other.units.len(), 1, "an idle unit is not told");
        // A lower second regime in which every multiprocessor has a block costs, and is no tail.
        let slow: Vec<f64> = fma.iter().map(|level| level / 2.0).collect();
        let samples = whole(vec![("dram", &dram), ("fma", &slow)], Some(&busy));
        let found = parts(&samples, 0).expect("parts");
        assert!(close(found.tail.ns, 0.0) && found.regimes.len() == 2);
        // 400 ns at 35 of 85.
        assert!(close(found.middle.cost, 400.0 * 50.0 / 85.0), "{}", found.middle.cost);
    }

    #[test]
    fn units_that_fall_together_are_a_tail_where_nobody_counted_multiprocessors() {
        let one: Vec<f64> = [60.0; 70].into_iter().chain([12.0; 30]).collect();
        let other: Vec<f64> = [40.0; 70].into_iter().chain([8.0; 30]).collect();
        let found = parts(&whole(vec![("l1", &one), ("l2", &other)], None), 0).expect("parts");
        assert!(close(found.tail.ns, 300.0) && close(found.tail.cost, 240.0));
    }

    #[test]
    fn a_low_beginning_that_lasts_is_a_regime_and_no_ramp() {
        let l2: Vec<f64> = [30.0; 50].into_iter().chain([90.0; 50]).collect();
        let found = parts(&whole(vec![("l2", &l2)], None), 0).expect("parts");
        assert!(close(found.ramp.ns, 0.0) && found.regimes.len() == 2 && close(found.steady, 90.0));
        // 500 ns at 30 of 90.
        assert!(close(found.middle.cost, 500.0 * 60.0 / 90.0), "{}", found.middle.cost);
    }

    #[test]
    fn another_unit_beside_an_unchanged_busiest_one_is_no_regime() {
        let l1 = [84.0; 100];
        let l2: Vec<f64> = [26.0; 40].into_iter().chain([43.0; 60]).collect();
        let found = parts(&whole(vec![("l1", &l1), ("l2", &l2)], None), 0).expect("parts");
        assert!(found.regimes.is_empty() && close(found.middle.ns, 1000.0) && close(found.middle.cost, 0.0));
    }

    #[test]
    fn a_launch_that_begins_in_the_low_half_of_a_turn_has_no_long_ramp() {
        let turns: Vec<f64> = (0..400).map(|n| if n % 80 < 70 { 5.0 } else { 20.0 }).collect();
        let found = parts(&whole(vec![("dram", &turns)], None), 80).expect("parts");
        assert!(close(found.ramp.ns, 0.0), "{}", found.ramp.ns);
    }

    #[test]
    fn turns_are_no_regimes() {
        let turns: Vec<f64> = (0..400).map(|n| if n % 20 < 10 { 90.0 } else { 30.0 }).collect();
        let found = parts(&whole(vec![("l1", &turns)], None), 20).expect("parts");
        assert!(found.regimes.is_empty() && close(found.tail.ns, 0.0), "{:?}", found.regimes);
    }

    #[test]
    fn nothing_busy_has_no_parts() {
        assert!(parts(&whole(vec![("issue", &[0.0; 30])], None), 0).is_none());
    }
}
