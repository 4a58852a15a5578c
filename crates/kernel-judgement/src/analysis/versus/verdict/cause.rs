//! What explains that a kernel became faster or slower: work that changed, room for warps, other code.
//!
//! Few launches cannot tell noise from change, and a counter that repeats exactly can: but only one that moved the way the
//! time did, and by enough. A register more is a change, and explains nothing.

use super::invariant::is_invariant;
use crate::analysis::{KernelSummary, Limits};
use crate::catalog::{Counter, Family, Threshold};

/// Families of counters that count the same thing; each counter is weighed by the largest of its family.
const KINDS: [Family; 8] = [
    Family::WarpWork,
    Family::ThreadWork,
    Family::Wavefronts,
    Family::TagRequests,
    Family::SectorsByAddress,
    Family::Requests,
    Family::Sectors,
    Family::Threads,
];

const INSTRUCTIONS: Counter = Counter::SmspInstExecutedSum;
/// Warps that an SM has room for; fewer can cost what more would hide.
const ROOM: Counter = Counter::SmMaximumWarpsPerActiveCyclePct;
/// The part of a change of the time that a counter has to account for, in logarithms.
const PART: f64 = 0.5;

/// The counters of both sides that could explain a change of the time.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Causes {
    /// Counters that moved, each with the factor that it would put on the time.
    pushes: Vec<Push>,
    /// In what the code or the launch is another; `None` where it is not.
    other: Option<Cause>,
}

/// What explains a change of the time.
#[derive(Clone, Debug, PartialEq)]
pub enum Cause {
    /// A counter that went the same way.
    Counter {
        metric: String,
        old: f64,
        new: f64,
    },
    /// Other code: percent of the executed instructions that have no counterpart.
    Code(f64),
    Kernel,
    /// Another grid or block.
    Shape,
}

#[derive(Clone, Debug, PartialEq)]
struct Push {
    metric: String,
    old: f64,
    new: f64,
    /// What the time would be of the old one, if this alone set it.
    factor: f64,
}

impl Causes {
    pub(super) fn of(new: &KernelSummary<'_>, old: &KernelSummary<'_>, limits: &Limits) -> Causes {
        let mut pushes: Vec<Push> = KINDS.iter().flat_map(|kind| work(*kind, new, old)).collect();
        if let (Some(was), Some(is)) = (exact(old, ROOM), exact(new, ROOM))
            && was > 0.0
            && is > 0.0
            && was != is
        {
            pushes.push(Push { metric: ROOM.into(), old: was, new: is, factor: was / is });
        }
        Causes { pushes, other: other(new, old, limits[Threshold::OtherCode]) }
    }

    /// What explains a change in percent of the old time; `None` where nothing does.
    ///
    /// A counter explains it that went the same way by half as much or more. Beyond what single launches of one kernel
    /// were seen apart, other code does.
    pub(super) fn explaining(&self, percent: f64, limits: &Limits) -> Option<Cause> {
        let asked = (1.0 + percent / 100.0).ln();
        let strength = |push: &&Push| push.factor.ln() / asked;
        // Instructions where they do: threads, lanes and opcodes follow from them.
        let instructions = || self.pushes.iter().find(|push| push.metric == INSTRUCTIONS.as_ref());
        let best = instructions().filter(|push| strength(push) >= PART);
        let best = best.or_else(|| self.pushes.iter().max_by(|a, b| strength(a).total_cmp(&strength(b))));
        if let Some(best) = best.filter(|push| strength(push) >= PART) {
            return Some(Cause::Counter { metric: best.metric.clone(), old: best.old, new: best.new });
        }
        let is_beyond = asked.abs() >= (1.0 + limits[Threshold::LaunchNoise] / 100.0).ln();
        self.other.clone().filter(|_| is_beyond)
    }
}

/// What a kind of counters would do to the time, each counter weighed by the largest of its kind on the old side, and at
/// least by the executed instructions: one request more where there was none is no doubling.
fn work(kind: Family, new: &KernelSummary<'_>, old: &KernelSummary<'_>) -> Vec<Push> {
    let is_of_kind =
        |name: &str| kind.has(name) && is_invariant(name) && (!name.contains('.') || name.ends_with(".sum"));
    let held: Vec<(&str, f64, f64)> = old
        .metric_names()
        .filter(|name| is_of_kind(name))
        .filter_map(|name| Some((&**name, exact(old, name)?, exact(new, name)?)))
        .collect();
    let largest = held.iter().map(|(_, was, _)| *was).fold(0.0, f64::max);
    let base = largest.max(exact(old, INSTRUCTIONS).unwrap_or_default());
    let moved = held.into_iter().filter(|(_, was, is)| was != is && base > 0.0);
    moved
        .map(|(name, was, is)| Push {
            metric: name.to_owned(),
            old: was,
            new: is,
            factor: (1.0 + (is - was) / base).max(0.0),
        })
        .collect()
}

/// The number of a counter that every launch of a side agrees on.
fn exact(side: &KernelSummary<'_>, name: impl AsRef<str>) -> Option<f64> {
    let values = side.values(name);
    let first = *values.first()?;
    values.iter().all(|value| *value == first).then_some(first)
}

/// In what the code is another by so many percent of its instructions; where they were not counted, the kernel; else its launch.
fn other(new: &KernelSummary<'_>, old: &KernelSummary<'_>, least: f64) -> Option<Cause> {
    let (was, is) = (old.opcodes(), new.opcodes());
    let counts = || Some((exact(old, INSTRUCTIONS)?, exact(new, INSTRUCTIONS)?));
    let share = if !was.is_empty() && !is.is_empty() {
        let of = |side: &std::collections::BTreeMap<_, f64>, opcode| side.get(opcode).copied().unwrap_or_default();
        let opcodes = was.keys().chain(is.keys().filter(|opcode| !was.contains_key(*opcode)));
        let apart: f64 = opcodes.map(|opcode| (of(is, opcode) - of(was, opcode)).abs()).sum();
        Some(100.0 * apart / was.values().sum::<f64>())
    } else {
        counts().map(|(was, is)| 100.0 * (is / was - 1.0).abs())
    };
    let (before, now) = (old.key(), new.key());
    match share {
        Some(share) if share >= least => Some(Cause::Code(share.min(100.0))),
        None if before.function != now.function => Some(Cause::Kernel),
        _ => ((before.grid, before.block) != (now.grid, now.block)).then_some(Cause::Shape),
    }
}
