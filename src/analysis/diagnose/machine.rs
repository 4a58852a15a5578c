//! One kernel as a machine at work: where its time goes, what its units and its waits need of it, and what it would take after a
//! change.
//!
//! Everything is a share of the launch's elapsed time, for the average SM. A launch that overlaps perfectly takes as long as what
//! needs most; a real one takes a little longer wherever two needs come near each other, which the norm of [`OVERLAP`] says.

use super::level;
use super::measures::{CYCLES, Measures, RESIDENT_MOST};
use crate::analysis::over_time::OverTime;
use crate::catalog::{Part, StallReason};

/// How well needs overlap: the time is the norm of this order over what the parts and the waits need by themselves. One is no overlap,
/// infinity a perfect one. Fitted on the measured pairs of `docs/evidence/pairs.md`.
const OVERLAP: f64 = 4.0;
/// The share of its peak that DRAM reaches at best: a plain triad on an H200 reads 90.2 %, a copy 92 %.
const DRAM_REACHES: f64 = 0.92;
/// What a launch takes before the first and behind the last instruction at most, in nanoseconds: an empty kernel on an H200 takes 2,200
/// under ncu.
const LAUNCH: f64 = 4000.0;
/// What an empty launch takes at least, in nanoseconds: the shortest of public reports take 1,500.
const EMPTY: f64 = 1500.0;
/// Waits that are a queue in front of a unit, whose need says them already; and no wait at all.
const QUEUES: [StallReason; 5] = [
    StallReason::NotSelected,
    StallReason::MathPipeThrottle,
    StallReason::LgThrottle,
    StallReason::MioThrottle,
    StallReason::TexThrottle,
];

/// Where the elapsed time goes before any unit is asked.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct TimeSplit {
    /// Launch, ramp and drain: no SM holds a block.
    pub(super) ramp: f64,
    /// The average SM has nothing left, or never had a block, while others work.
    pub(super) tail: f64,
    /// No SM holds a block: the ramp, and memory that drains.
    pub(super) empty: f64,
    /// What one of its blocks is of an SM's work; without a number of blocks, all of it.
    pub(super) block: f64,
}

impl TimeSplit {
    /// By what PM sampling saw: multiprocessors without a block, and the time behind the last block.
    fn sampled(over: &OverTime) -> TimeSplit {
        let found = || {
            let shape = over.shape.as_ref()?;
            let (empty, idle) = (shape.drain.ns / over.ns, shape.idle?.share);
            Some(TimeSplit { ramp: empty, tail: (idle - empty).max(0.0), empty, ..TimeSplit::default() })
        };
        found().unwrap_or_default()
    }

    /// The rest: the average SM holds a block.
    pub(super) fn active(self) -> f64 {
        (1.0 - self.ramp - self.tail).max(f64::EPSILON)
    }
}

/// What a change leaves, as factors of what there is, for the forecast and at best.
#[derive(Clone, Debug)]
pub(super) struct Change {
    /// Of the work of a part: what is expected to stay, and what stays at least.
    pub(super) keeps: Vec<(Part, f64, f64)>,
    /// Whether the code is rewritten, so that the parts inside the SM that are not in `keeps` may be left with nothing.
    pub(super) rewrites: bool,
    /// The share of the warps' time that is freed from waiting: expected, and at most.
    pub(super) frees: (f64, f64),
    /// Factor of the latency by more warps: expected, and at best.
    pub(super) warps: (f64, f64),
    /// Factor of the tail: expected, and at best.
    pub(super) tail: (f64, f64),
    /// The share of the time that goes whatever the units do: expected, and at most.
    pub(super) fixed: (f64, f64),
    /// Whether other units do the stated work then, so that its least time is another.
    pub(super) moves_work: bool,
}

impl Default for Change {
    fn default() -> Change {
        Change {
            keeps: Vec::new(),
            rewrites: false,
            frees: (0.0, 0.0),
            warps: (1.0, 1.0),
            tail: (1.0, 1.0),
            fixed: (0.0, 0.0),
            moves_work: false,
        }
    }
}

/// What a change gives, in shares of today's time.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Outcome {
    /// The expected saving, before it is held against measured pairs.
    pub(super) expected: f64,
    /// The largest saving.
    pub(super) most: f64,
    /// What needs most of the time that is left at best.
    pub(super) left: Option<(Part, f64)>,
}

/// The kernel.
#[derive(Clone, Debug)]
pub(super) struct Machine {
    pub(super) time: TimeSplit,
    /// What each part needs at its reachable rate.
    needs: Vec<(Part, f64)>,
    /// What the latency of the warps needs beside that.
    latency: f64,
    /// The share of the warps' time that is latency: waits that are no queue, and the issue itself.
    waiting: f64,
    /// What the stated work takes on the units that do it at their peak; 0 where none is stated.
    floor: f64,
}

/// Parts that a warp passes one after the other count once, with the busiest: issue and the pipes behind it, the stages of L1.
pub(super) fn place(part: Part) -> usize {
    match part {
        Part::MemoryDram => 0,
        Part::MemoryL2 => 1,
        Part::MemoryL1tex | Part::MemoryShared | Part::MemoryLsu => 2,
        _ => 3,
    }
}

/// Of those [`place`]s there are so many.
pub(super) const PLACES: usize = 4;
/// The need from which a part is at its roof.
pub(super) const ROOF: f64 = 0.85;

/// Whether a part works for one SM.
fn is_inside(part: Part) -> bool {
    place(part) > 1
}

fn norm(needs: impl Iterator<Item = f64>) -> f64 {
    needs.map(|need| need.max(0.0).powf(OVERLAP)).sum::<f64>().powf(1.0 / OVERLAP)
}

fn grouped(needs: impl Iterator<Item = (Part, f64)>) -> [f64; PLACES] {
    let mut most = [0.0_f64; PLACES];
    for (part, need) in needs {
        most[place(part)] = most[place(part)].max(need);
    }
    most
}

impl Machine {
    pub(super) fn of(m: &Measures<'_>) -> Machine {
        let busiest = m.value(RESIDENT_MOST).zip(m.value(CYCLES).filter(|cycles| *cycles > 0.0));
        let busiest = busiest.map(|(resident, cycles)| (resident / cycles).min(1.0));
        let active = m.active.map(|active| active.min(1.0));
        // What is longer than a launch takes is memory that drains, and of several kernels what lies between them.
        let launch = m.duration.filter(|_| !m.has_several()).map_or(1.0, |duration| (LAUNCH / duration).min(1.0));
        let block = m.blocks.zip(m.sms).map_or(1.0, |(blocks, sms)| (sms / blocks).min(1.0));
        let time = match (active, busiest) {
            (Some(active), Some(busiest)) => {
                let empty = 1.0 - busiest.max(active);
                TimeSplit { ramp: empty.min(launch), tail: (busiest - active).max(0.0), empty, block }
            }
            (Some(active), None) => {
                let ramp = m.duration.map_or(0.0, |duration| (EMPTY / duration).min(1.0 - active));
                TimeSplit { ramp, tail: 1.0 - active - ramp, empty: ramp, block }
            }
            _ => m
                .over_time
                .map_or_else(TimeSplit::default, |sampled| TimeSplit { block, ..TimeSplit::sampled(sampled) }),
        };
        let reaches = |part: Part| if part == Part::MemoryDram { DRAM_REACHES } else { 1.0 };
        // The fabric of L2 carries what comes from DRAM, and reads higher for the same stream; so it may where nobody knows.
        let is_of_dram = level::is_of_dram(m) != Some(false);
        let units = m.units.iter().filter(|unit| !(is_of_dram && unit.part == Part::MemoryL2));
        let needs: Vec<(Part, f64)> =
            units.map(|unit| (unit.part, (unit.share / reaches(unit.part)).min(1.0))).collect();
        let queued: f64 = QUEUES.iter().filter_map(|reason| m.wait(*reason)).sum();
        // Work that takes longer than the launch took was not stated right.
        let floor = m.least.zip(m.duration).map(|(least, duration)| least / duration).filter(|share| *share <= 1.0);
        Machine { floor: floor.unwrap_or_default(), ..Machine::with(time, needs, (1.0 - queued).clamp(0.05, 1.0)) }
    }

    fn with(time: TimeSplit, needs: Vec<(Part, f64)>, waiting: f64) -> Machine {
        let of_units = norm(grouped(needs.iter().copied()).into_iter());
        let active = time.active();
        // What the units do not explain is latency; with full units there is always some.
        let latency = (active.powf(OVERLAP) - of_units.powf(OVERLAP)).max(0.0).powf(1.0 / OVERLAP);
        Machine { time, needs, latency, waiting, floor: 0.0 }
    }

    fn total(&self) -> f64 {
        norm(grouped(self.needs.iter().copied()).into_iter().chain([self.latency]))
    }

    /// The parts that were measured.
    pub(super) fn parts(&self) -> impl Iterator<Item = Part> {
        self.needs.iter().map(|(part, _)| *part)
    }

    /// The part of a kind that needs most.
    pub(super) fn busiest(&self, is_meant: impl Fn(Part) -> bool) -> Option<(Part, f64)> {
        let own = self.needs.iter().copied().filter(|(part, _)| is_meant(*part));
        own.max_by(|(_, a), (_, b)| a.total_cmp(b))
    }

    /// The part of a place that sets its pace. Issue is the front end of every pipe, and requests of the LSU that of the data stage:
    /// the stage behind goes first where it is at its roof.
    pub(super) fn leading(&self, at: usize) -> Option<Part> {
        let (most, _) = self.busiest(|part| place(part) == at)?;
        let is_front = matches!(most, Part::Issue | Part::MemoryLsu);
        let behind =
            self.busiest(|part| place(part) == at && part != most).filter(|(_, need)| is_front && *need >= ROOF);
        Some(behind.map_or(most, |(part, _)| part))
    }

    /// What a launch saves without the parts of a place and the queues in front of them, no more than the warps spend there.
    pub(super) fn without_place(&self, at: usize, queues: f64, most: f64) -> f64 {
        let others = self.needs.iter().copied().filter(|(part, _)| place(*part) != at);
        self.saved(others, queues).min(self.time.active() * most)
    }

    /// What a launch saves without a wait that takes this share of the warps' time.
    pub(super) fn without_wait(&self, share: f64) -> f64 {
        self.saved(self.needs.iter().copied(), share).min(self.time.active() * share)
    }

    fn saved(&self, needs: impl Iterator<Item = (Part, f64)>, freed: f64) -> f64 {
        let latency = self.latency * (1.0 - freed).max(0.0);
        let left = norm(grouped(needs).into_iter().chain([latency])) / self.total().max(f64::EPSILON);
        self.time.active() * (1.0 - left)
    }

    pub(super) fn need(&self, part: Part) -> Option<f64> {
        self.needs.iter().find(|(other, _)| *other == part).map(|(_, need)| *need)
    }

    /// What the launch takes after a change.
    pub(super) fn after(&self, change: &Change) -> Outcome {
        let TimeSplit { ramp, tail, .. } = self.time;
        let active = self.time.active();
        let kept = |part: Part| change.keeps.iter().find(|(other, ..)| *other == part);
        let expected =
            self.needs.iter().map(|(part, need)| (*part, need * kept(*part).map_or(1.0, |(_, keeps, _)| *keeps)));
        let freed = (change.frees.0 / self.waiting).min(1.0);
        let latency = self.latency * (1.0 - freed) * change.warps.0;
        let busy = norm(grouped(expected).into_iter().chain([latency])) / self.total().max(f64::EPSILON);
        // Blocks that take a part of their time leave a tail of a part of its length.
        let expected = 1.0 - (ramp + (active + tail * change.tail.0) * busy) + change.fixed.0;

        let least = |(part, need): &(Part, f64)| {
            let factor = match kept(*part) {
                Some((.., least)) => *least,
                None if change.rewrites && is_inside(*part) => 0.0,
                None => 1.0,
            };
            (*part, need * factor)
        };
        let left = self.needs.iter().map(least).max_by(|(_, a), (_, b)| a.total_cmp(b));
        // Work that goes takes the waits in front of it along, where nothing is said of them.
        let takes_along = change.rewrites || !change.keeps.is_empty() && change.frees.1 == 0.0;
        let waits = match takes_along {
            true => 0.0,
            false => active * (1.0 - change.frees.1).max(0.0) * change.warps.1,
        };
        // What serves all SMs works in the tail as well; what works for one leaves it, as long as its part of the time: at best that
        // of one block, since whoever is done takes the next, where the change does not count the last wave itself.
        let block = if change.fixed.1 > 0.0 { f64::INFINITY } else { self.time.block };
        let uneven = if change.rewrites { 1.0 } else { 1.0 + (tail * change.tail.1 / active).min(block) };
        let of = |inside: bool| {
            let needs = self.needs.iter().map(least).filter(|(part, _)| is_inside(*part) == inside);
            needs.map(|(_, need)| need).fold(0.0, f64::max)
        };
        let at_best = of(false).max(uneven * of(true).max(waits).min(active));
        let most = 1.0 - (ramp + at_best) + change.fixed.1;
        let left = left.filter(|(_, need)| *need >= waits);
        let floor = if change.moves_work { 0.0 } else { self.floor };
        let most = most.min(1.0 - floor).clamp(0.0, 1.0);
        Outcome { expected: expected.clamp(0.0, most), most, left }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn machine(dram: f64, issue: f64) -> Machine {
        Machine::with(TimeSplit::default(), vec![(Part::MemoryDram, dram), (Part::Issue, issue)], 1.0)
    }

    #[test]
    fn no_change_saves_nothing() {
        let found = machine(0.5, 0.5).after(&Change::default());
        assert!(found.expected.abs() < 1e-9 && found.most.abs() < 1e-9, "{found:?}");
    }

    #[test]
    fn waits_that_go_leave_what_the_units_need() {
        // λ⁴ = 1 − 0.5⁴ − 0.5⁴ = 0.875. Without half of it: (0.0625 + 0.0625 + 0.875 / 16)^¼ = 0.6508.
        let change = Change { frees: (0.5, 0.75), ..Change::default() };
        let found = machine(0.5, 0.5).after(&change);
        assert!((found.expected - 0.3492).abs() < 1e-3, "{found:?}");
        // At best three quarters of the waiting goes, and half of the time is what the units need.
        assert!((found.most - 0.5).abs() < 1e-9, "{found:?}");
        assert_eq!(found.left.map(|(part, _)| part), Some(Part::Issue));
    }

    #[test]
    fn a_tail_and_a_ramp_stay_where_a_change_does_not_touch_them() {
        let time = TimeSplit { ramp: 0.1, tail: 0.3, empty: 0.1, block: 1.0 };
        let machine = Machine::with(time, vec![(Part::Issue, 0.2)], 1.0);
        let all = machine.after(&Change { rewrites: true, keeps: vec![(Part::Issue, 0.0, 0.0)], ..Change::default() });
        assert!((all.most - 0.9).abs() < 1e-9, "{all:?}");
        let even = machine.after(&Change { tail: (0.0, 0.0), ..Change::default() });
        assert!((even.expected - 0.3).abs() < 1e-9 && (even.most - 0.3).abs() < 1e-9, "{even:?}");
    }

    #[test]
    fn nothing_saves_more_than_the_stated_work_leaves() {
        let machine = Machine { floor: 0.7, ..machine(0.2, 0.8) };
        let all = Change { rewrites: true, keeps: vec![(Part::Issue, 0.0, 0.0)], ..Change::default() };
        assert!((machine.after(&all).most - 0.3).abs() < 1e-9);
        let moved = machine.after(&Change { moves_work: true, ..all });
        assert!((moved.most - 0.8).abs() < 1e-9, "{moved:?}");
    }

    #[test]
    fn series_tell_what_stands_empty() {
        // Of 100 µs 6 are behind the last block, and a fifth of the multiprocessors has none on average.
        let part = |ns: f64| serde_json::json!({ "ns": ns, "level": 0.0, "cost": 0.0 });
        let idle = serde_json::json!({ "share": 0.2, "in_tail": 0.5, "from": 7e4 });
        let shape = serde_json::json!({
            "steady": 80.0, "unit": "tensor", "mean": 80.0, "idle": idle,
            "ramp": part(4e3), "middle": part(6e4), "tail": part(3e4), "drain": part(6e3),
        });
        let over = serde_json::json!({ "ns": 1e5, "step": 1e3, "samples": 100, "passes": 1, "shape": shape });
        let found = TimeSplit::sampled(&serde_json::from_value(over).unwrap());
        assert!((found.empty - 0.06).abs() < 1e-9 && (found.tail - 0.14).abs() < 1e-9, "{found:?}");
        assert!((found.active() - 0.8).abs() < 1e-9, "{found:?}");
    }

    #[test]
    fn at_best_the_tail_of_a_full_part_is_one_block() {
        // Of ten blocks an SM one may be left over: 0.4 of the time and a tenth of that, where waits had left a fifth.
        let time = TimeSplit { tail: 0.2, block: 0.1, ..TimeSplit::default() };
        let found = Machine::with(time, vec![(Part::Issue, 0.4)], 1.0);
        let found = found.after(&Change { frees: (0.5, 1.0), ..Change::default() });
        assert!((found.most - 0.56).abs() < 1e-9, "{found:?}");
    }

    #[test]
    fn what_needs_most_bounds_a_rewrite() {
        let change = Change { rewrites: true, keeps: vec![(Part::MemoryDram, 0.5, 0.5)], ..Change::default() };
        let found = machine(0.8, 0.9).after(&change);
        assert!((found.most - 0.6).abs() < 1e-9, "{found:?}");
        assert_eq!(found.left.map(|(part, _)| part), Some(Part::MemoryDram));
    }
}
