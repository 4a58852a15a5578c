//! What made a kernel faster or slower: a tail that went, less work for a unit, or a unit that idles less.
//!
//! While the busiest SM holds blocks, the average one does for `r = avg / max` of its active cycles; the rest is the tail. Of
//! `ln(K_old / K_new)` the part `ln(r_new / r_old)` is the tail's, and is told first: it explains whatever the units seem to do. With `u` the share of a unit's peak and `K` the elapsed cycles, `K_old / K_new` is exactly `ρ · u_new / u_old`, where `ρ` is
//! the ratio of the unit's busy cycles `u·K`, old over new. The logarithm parts it: `ln ρ / ln(K_old / K_new)` is work, the rest
//! is overlap.

use super::root::{Cause, Root, Sides, UnitChange};
use crate::analysis::derive::units::{self, BusyUnit};
use crate::analysis::phases::Study;
use crate::analysis::{KernelSummary, Limits, kernel::summary::CYCLES};
use crate::catalog::{Code, Counter, Part, Threshold};
use cuda_binary::Op;

/// From this change of the cycles on, in percent, there is something to explain.
const LEAST: f64 = 3.0;
/// Work that changed by less, in percent, is the same.
const SAME: f64 = 2.0;
/// A part of this size is the story.
const MOST_OF_IT: f64 = 0.75;
/// A tail of this part of the change is.
const TAIL: f64 = 0.5;
/// Warps that an SM held, in percent of those that it has room for.
const WARPS: Counter = Counter::SmWarpsActiveAvgPctActive;
/// Cycles of an SM with a warp, and all of them.
const RESIDENT: [Counter; 2] = [Counter::SmCyclesActiveAvg, Counter::SmCyclesElapsedAvg];
/// Cycles with a warp of the SM that had one for longest.
const LONGEST: Counter = Counter::SmCyclesActiveMax;

/// Why the cycles changed.
#[derive(Clone, Debug, PartialEq, serde::Serialize)]
pub struct Story {
    /// Elapsed cycles, old and new.
    pub cycles: (f64, f64),
    /// The unit that tells it: the one that limited the old side, the busiest of it where that was near its peak and has less to do,
    /// the tensor pipe where both sides use it, or the busiest of the old side; the first of them that does.
    pub unit: UnitChange,
    pub cause: Cause,
    /// The fact nearest to the source that the change goes with.
    #[serde(skip)]
    pub root: Option<Root>,
    /// The part of the busiest SM's time in which the average SM holds no block, old and new, in percent.
    pub tail: Option<(f64, f64)>,
}

impl Story {
    /// `None` where the cycles changed by a trifle, or where no unit was measured on both sides.
    pub(in crate::analysis) fn of(
        new: &KernelSummary<'_>,
        old: &KernelSummary<'_>,
        code: Option<(&Study<'_>, &Study<'_>)>,
        limiters: (Code, Code),
        limits: &Limits,
    ) -> Option<Story> {
        let cycles = (old.value(CYCLES)?, new.value(CYCLES)?);
        let change = (cycles.0 / cycles.1).ln();
        if !change.is_finite() || change.abs() < (1.0 + LEAST / 100.0).ln() {
            return None;
        }
        let was = units::busiest(old);
        let beside = |unit: &BusyUnit| {
            let share = new.value(&unit.counter)?;
            (unit.percent > 0.0 && share > 0.0).then(|| UnitChange {
                label: unit.label.clone(),
                counter: unit.counter.clone(),
                part: unit.code,
                is_tensor: unit.code == Part::ComputeTensor,
                share: (unit.percent, share),
                busy: (unit.percent / 100.0 * cycles.0, share / 100.0 * cycles.1),
            })
        };
        let has_products = |side: &KernelSummary<'_>| {
            let opcodes = side.opcodes();
            opcodes.iter().any(|(opcode, count)| Op::of(opcode).is_product() && *count > 0.0)
        };
        let of = |part: Part| was.iter().filter(|unit| unit.code == part).find_map(beside);
        let hottest = || {
            let (spot, _) = units::hot_spot(old, limits[Threshold::HotSliceFactor])?;
            Some(UnitChange { label: "the slice of L2 that the atomics meet in".to_owned(), ..beside(&spot)? })
        };
        let limited = match limiters.0 {
            Code::Unit(part) => of(part),
            Code::AtomicContention => hottest(),
            _ => None,
        };
        let tensor = of(Part::ComputeTensor).filter(|_| has_products(old) && has_products(new));
        let busiest = was.iter().find_map(beside);
        let relieved = busiest.clone().filter(|unit| unit.share.0 >= limits[Threshold::SolHigh]);
        let relieved = relieved.filter(|unit| cause(unit, change, limits) == Cause::Work);
        let told = || [&limited, &relieved, &tensor, &busiest].into_iter().flatten();
        let tells = |unit: &&UnitChange| cause(unit, change, limits) != Cause::Latency;
        let unit = told().find(tells).or(told().last())?.clone();
        let full = |side: &KernelSummary<'_>| Some(side.value(RESIDENT[0])? / side.value(LONGEST)?);
        let full = full(old).zip(full(new)).filter(|(was, is)| *was > 0.0 && *is > 0.0);
        let is_tail = full.is_some_and(|(was, is)| (is / was).ln() / change >= TAIL);
        let cause = if is_tail { Cause::Tail } else { cause(&unit, change, limits) };
        let in_flight =
            |side: &KernelSummary<'_>| Some(side.value(WARPS)? * side.value(RESIDENT[0])? / side.value(RESIDENT[1])?);
        let sides = Sides { old, new, code, limiters, in_flight: in_flight(old).zip(in_flight(new)) };
        let root = sides.root(&unit, cause, cycles);
        let tail = full.map(|(was, is)| (100.0 * (1.0 - was), 100.0 * (1.0 - is)));
        Some(Story { cycles, unit, cause, root, tail })
    }

    pub fn is_faster(&self) -> bool {
        self.cycles.1 < self.cycles.0
    }
}

/// What a unit tells of a change, the logarithm of the cycles' ratio. Fewer products tell of it however busy the pipe is; of another
/// unit that was not busy work is no cause, and how much it idles is none of one that is near its peak on no side.
fn cause(unit: &UnitChange, change: f64, limits: &Limits) -> Cause {
    let work = (unit.busy.0 / unit.busy.1).ln();
    let work_part = work / change;
    let is_near_its_peak = unit.share.0.max(unit.share.1) >= limits[Threshold::SolHigh];
    match work_part {
        part if part >= MOST_OF_IT && (unit.is_tensor || unit.share.0 >= limits[Threshold::SolLow]) => Cause::Work,
        _ if !is_near_its_peak => Cause::Latency,
        _ if work.abs() < (1.0 + SAME / 100.0).ln() => Cause::Overlap,
        part if part <= MOST_OF_IT - 1.0 => Cause::Traded,
        part if part <= 1.0 - MOST_OF_IT => Cause::Overlap,
        _ => Cause::Both,
    }
}
