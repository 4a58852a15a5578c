//! Where the time of a launch goes before any unit is asked, and its phases in series: stretches of its time in which its units do
//! different things.
//!
//! What a launch waits for in one stretch does not overlap with what its units do in another, and a change of one gains at most the
//! time of that one. Means over the launch say neither.

use super::level::{Unit, place};
use crate::analysis::over_time::OverTime;
use crate::catalog::Part;
use std::ops::Range;

/// A unit does something else where its level, on SMs that hold a block, falls below this part of what it was.
const ELSE: f64 = 0.4;
/// The share of the time from which a stretch is told from its neighbours.
const TOLD: f64 = 0.05;

/// Where the elapsed time goes before any unit is asked, in shares of it.
#[derive(Clone, Copy, Debug, Default, PartialEq, serde::Serialize)]
pub struct TimeSplit {
    /// Launch, ramp and drain: no SM holds a block.
    pub ramp: f64,
    /// The average SM has nothing left, or never had a block, while others work.
    pub tail: f64,
    /// What slots for warps cost that stand empty between two blocks, of the time in which SMs hold blocks: by so much the launch would be
    /// shorter with them filled.
    pub turnover: f64,
    /// The same of slots that stay empty because the warps of a block, or the blocks, end at different times.
    pub uneven: f64,
    /// No SM holds a block: the ramp, and memory that drains.
    pub(super) empty: f64,
    /// What one of its blocks is of the average SM's work; without a number of blocks, all of it.
    pub(super) block: f64,
}

impl TimeSplit {
    /// By what PM sampling saw: multiprocessors without a block, and the time behind the last block.
    pub(super) fn sampled(over: &OverTime) -> TimeSplit {
        let found = || {
            let shape = over.shape.as_ref()?;
            let (empty, idle) = (shape.drain.ns / over.ns, shape.idle?.share);
            Some(TimeSplit { ramp: empty, tail: (idle - empty).max(0.0), empty, ..TimeSplit::default() })
        };
        found().unwrap_or_default()
    }

    /// Without launch and tail: the average SM holds a block.
    pub(super) fn active(self) -> f64 {
        (1.0 - self.ramp - self.tail).max(f64::EPSILON)
    }
}

#[derive(Clone, Debug, Default)]
pub(super) struct Stretch {
    /// Its share of the time in which the average SM holds a block; those of all stretches add up to one.
    pub(super) share: f64,
    /// Of what parts do over the launch what they do here.
    does: Vec<(Part, f64)>,
}

impl Stretch {
    /// By its share of the time and what parts do in it of what they do over the launch.
    pub(super) fn of(share: f64, does: Vec<(Part, f64)>) -> Stretch {
        Stretch { share, does }
    }

    /// A launch that is one.
    pub(super) fn whole() -> Stretch {
        Stretch::of(1.0, Vec::new())
    }

    /// Of what a part does over the launch what it does here, 0 to 1; of one that nobody followed the share of the time.
    pub(super) fn does(&self, part: Part) -> f64 {
        self.does.iter().find(|(own, _)| *own == part).map_or(self.share, |(_, does)| *does)
    }

    /// How busy a part is here, where it is this busy over the launch.
    pub(super) fn level(&self, part: Part, over_launch: f64) -> f64 {
        over_launch * self.does(part) / self.share.max(f64::EPSILON)
    }

    /// Whether what is busiest here does much less there.
    fn falls(&self, there: &Stretch, units: &[Unit]) -> bool {
        let level = |of: &Stretch, unit: &Unit| of.level(unit.part, unit.share);
        let busiest = units.iter().max_by(|a, b| level(self, a).total_cmp(&level(self, b)));
        busiest.is_some_and(|unit| level(there, unit) < ELSE * level(self, unit))
    }
}

/// The stretches of a launch, one where nothing changes or nobody saw it: by PM sampling. Means over the launch and samples of the code
/// tell none: blocks are in phases of their own, and what a warp only starts stands at no phase of its code.
pub(super) fn stretches(over: Option<&OverTime>, units: &[Unit]) -> Vec<Stretch> {
    let mut told: Vec<Stretch> = Vec::new();
    for own in over.map(|over| sampled(over, units)).unwrap_or_default() {
        match told.last_mut() {
            Some(last)
                if own.share < TOLD || last.share < TOLD || !last.falls(&own, units) && !own.falls(last, units) =>
            {
                last.does.iter_mut().for_each(|(part, does)| *does += own.does(*part));
                last.share += own.share;
            }
            _ => told.push(own),
        }
    }
    // More than its peak no unit does: then the series is not of this launch.
    let is_more = |own: &Stretch| units.iter().any(|unit| own.level(unit.part, unit.share) > 1.0 + TOLD);
    if told.len() > 1 && !told.iter().any(is_more) { told } else { vec![Stretch::whole()] }
}

/// Stretches by what they take and what parts do in them, in any unit.
fn shares(found: Vec<(f64, Vec<(Part, f64)>)>) -> Vec<Stretch> {
    let whole: f64 = found.iter().map(|(time, _)| time).sum();
    let all = |part: Part| -> f64 {
        found.iter().flat_map(|(_, does)| does).filter(|(own, _)| *own == part).map(|(_, does)| does).sum()
    };
    let of = |(time, does): &(f64, Vec<(Part, f64)>)| Stretch {
        share: time / whole.max(f64::EPSILON),
        does: does.iter().filter(|(part, _)| all(*part) > 0.0).map(|(part, does)| (*part, does / all(*part))).collect(),
    };
    found.iter().map(of).collect()
}

/// By the levels that last and the tail, in which SMs that hold no block are no part of the time.
fn sampled(over: &OverTime, units: &[Unit]) -> Vec<Stretch> {
    let Some(shape) = &over.shape else { return Vec::new() };
    let end = over.ns - shape.drain.ns;
    let tail = end - shape.tail.ns;
    let levels = shape.regimes.iter().skip(1).map(|regime| regime.from);
    let cuts: Vec<f64> = [0.0].into_iter().chain(levels).chain([tail, end]).collect();
    // The shares of SMs without a block in front of the tail, and in it.
    let (idle, in_tail) = shape.idle.map_or((0.0, 0.0), |idle| (idle.share, idle.in_tail));
    let before = (idle * over.ns - in_tail * shape.tail.ns - shape.drain.ns).max(0.0) / tail.max(f64::EPSILON);
    let of = |span: Range<f64>| {
        let time = (span.end - span.start) * (1.0 - if span.start < tail { before } else { in_tail });
        let does = units.iter().filter_map(|unit| {
            let curve = over.curves.iter().find(|curve| is_of(&curve.unit, unit.part))?;
            Some((unit.part, area(&curve.points, over.ns, &span)))
        });
        (time, does.collect())
    };
    shares(cuts.windows(2).map(|pair| of(pair[0]..pair[1])).collect())
}

/// Whether a series is that of a part; that of L1 is of all its stages.
fn is_of(series: &str, part: Part) -> bool {
    let name: &str = part.into();
    if series == "l1" { place(part) == place(Part::MemoryL1tex) } else { name.rsplit('-').next() == Some(series) }
}

/// What lies below a curve within a span of the time, by points of equal length.
fn area(points: &[u8], whole: f64, span: &Range<f64>) -> f64 {
    let step = whole / points.len() as f64;
    let of = |(n, level): (usize, &u8)| {
        let (from, until) = (n as f64 * step, (n + 1) as f64 * step);
        f64::from(*level) * (span.end.min(until) - span.start.max(from)).max(0.0)
    };
    points.iter().enumerate().map(of).sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::diagnose::level::Level;

    fn unit(part: Part, share: f64) -> Unit {
        let name = part.row().map_or("other", |row| row.name).to_owned();
        Unit { part, name, counter: String::new(), share, resident: share, level: Level::Idle }
    }

    /// DRAM at 90 % for half of the launch and at 3 % for the rest, in which a part of the SMs holds no block.
    fn halves(in_tail: f64) -> OverTime {
        let part = |ns: f64| serde_json::json!({ "ns": ns, "level": 0.0, "cost": 0.0 });
        let shape = serde_json::json!({
            "steady": 90.0, "unit": "dram", "mean": 90.0,
            "idle": { "share": in_tail / 2.0, "in_tail": in_tail, "from": 5e4 },
            "ramp": part(0.0), "middle": part(5e4), "tail": part(5e4), "drain": part(0.0),
        });
        let points: Vec<u8> = [[90; 48], [3; 48]].concat();
        let curve = serde_json::json!({ "unit": "dram", "metric": "", "mean": 46.5, "points": points });
        let over = serde_json::json!({
            "ns": 1e5, "step": 1e3, "samples": 100, "passes": 1, "shape": shape, "curves": [curve],
        });
        serde_json::from_value(over).unwrap()
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
    fn a_quiet_end_with_blocks_is_a_stretch() {
        let units = [unit(Part::MemoryDram, 0.465), unit(Part::Issue, 0.08)];
        let found = stretches(Some(&halves(0.0)), &units);
        let [busy, quiet] = found.as_slice() else { panic!("{found:?}") };
        assert!((busy.share - 0.5).abs() < 1e-9 && (busy.level(Part::MemoryDram, 0.465) - 0.9).abs() < 1e-9);
        assert!((quiet.level(Part::MemoryDram, 0.465) - 0.03).abs() < 1e-9);
        // Issue has no series here: it is taken to do its part of the time.
        assert!((quiet.does(Part::Issue) - 0.5).abs() < 1e-9);
    }

    #[test]
    fn an_end_in_which_sms_have_no_blocks_is_none() {
        // Of the SMs 3 % hold a block: each does what it did.
        let found = stretches(Some(&halves(0.97)), &[unit(Part::Issue, 0.08), unit(Part::MemoryDram, 0.465)]);
        assert_eq!(found.len(), 1, "{found:?}");
    }
}
