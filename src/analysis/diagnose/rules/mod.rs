//! The rules of the verdict, in the order in which they are asked: the first that holds is what limits.
//!
//! Rules on why a unit is busy stand in front of those on the unit. Each says what it needs of a report; one that lacks it is
//! silent.

mod busy;
mod l2;
pub(super) mod lanes;
mod launch;
pub(super) mod memory;
mod stages;
mod tensor;
mod waits;

use super::finding::Severity;
use super::level::Unit;
use super::measures::Measures;
use crate::analysis::lines::{Place, Sits};
use crate::analysis::phases::Point;
use crate::catalog::Code;
use crate::evidence::Reading;
use crate::quantity::format;
use crate::quantity::glance;
use crate::words::Words;

/// Where a rule points.
#[derive(Clone, Debug)]
pub(super) enum At {
    /// At what lines cost.
    Line(Sits),
    /// At one place.
    Place(Place),
}

impl At {
    /// The line of an instruction; nowhere without one.
    fn point(point: &Point) -> At {
        if point.line == 0 {
            return At::Line(Sits::Nowhere);
        }
        let inlined_at = point.call.iter().map(|line| format!("{}:{line}", point.file)).collect();
        At::Place(Place { file: point.file.clone(), line: point.line, inlined_at })
    }
}

/// What a rule found.
#[derive(Clone, Debug)]
pub(super) struct Held {
    pub(super) code: Code,
    /// Whether it is enough to limit; else it stands beside what does, with this weight.
    pub(super) holds: bool,
    pub(super) beside: Severity,
    /// One sentence with the numbers.
    pub(super) sentence: Words,
    pub(super) at: At,
    /// By how many points the condition holds; below three the verdict is near its threshold.
    pub(super) margin: f64,
    /// What it weighs, in percent, among those beside the limit.
    pub(super) share: f64,
    pub(super) readings: Vec<(String, Reading)>,
    /// The unit that limits.
    pub(super) unit: Option<Unit>,
}

impl Held {
    /// `value` reached `least`, both in percent.
    fn new(code: Code, value: f64, least: f64, sentence: Words) -> Held {
        Held {
            code,
            holds: value >= least,
            beside: Severity::Costs,
            sentence,
            at: At::Line(Sits::Nowhere),
            margin: value - least,
            share: value,
            readings: Vec::new(),
            unit: None,
        }
    }

    fn at(self, at: At) -> Held {
        Held { at, ..self }
    }

    fn from(self, readings: Vec<(String, Reading)>) -> Held {
        Held { readings, ..self }
    }

    /// The same where a further condition must hold.
    fn only_if(self, condition: bool) -> Held {
        Held { holds: self.holds && condition, ..self }
    }

    /// A remark where it does not limit.
    fn noted(self) -> Held {
        Held { beside: Severity::Notes, ..self }
    }
}

/// A rule, with what it asks and what a report must hold for it.
pub(super) struct Rule {
    /// What it asks, as a question.
    pub(super) asks: &'static str,
    /// The sections or metrics of ncu that answer.
    pub(super) needs: &'static str,
    pub(super) judge: fn(&Measures<'_, '_>) -> Option<Held>,
    /// Whether it is asked only where no rule before holds: it says why nothing is busy.
    pub(super) is_last: bool,
}

const SPEED: &str = "--section SpeedOfLight";
const SOURCE: &str = "--section SourceCounters";

const fn rule(
    asks: &'static str,
    needs: &'static str,
    judge: fn(&Measures<'_, '_>) -> Option<Held>,
    is_last: bool,
) -> Rule {
    Rule { asks, needs, judge, is_last }
}

/// The rules.
pub(super) const RULES: [Rule; 27] = [
    rule("Did the launch fail?", SPEED, launch::failed, false),
    rule("Does the grid leave SMs idle?", "--section LaunchStats", launch::small_grid, false),
    rule("Is the launch too short to measure?", SPEED, launch::too_short, false),
    rule("Does a one-lane fence delay every step?", SOURCE, tensor::fence_chain, false),
    rule("Is the tensor pipe idle in the epilogue?", SOURCE, tensor::exposed_epilogue, false),
    rule("Is the tensor pipe saturated?", SPEED, tensor::full, false),
    rule("Is one L2 slice or memory channel full?", SPEED, memory::hot_spot, false),
    rule("Do spills or local arrays fill the memory system?", SOURCE, memory::local, false),
    rule("Do accesses touch more sectors than their bytes need?", SOURCE, memory::uncoalesced, false),
    rule("Do contiguous accesses start off a sector boundary?", SOURCE, memory::misaligned, false),
    rule("Do lanes add to few words of shared memory?", SOURCE, memory::shared_atomics, false),
    rule("Do shared-memory banks conflict?", SOURCE, memory::bank_conflicts, false),
    rule("Do branches diverge?", "--section InstructionStats", lanes::divergence, false),
    rule("Do lanes read constants at different addresses?", SPEED, lanes::constants, false),
    rule("Do blocks end at very different times?", "--section WorkloadDistribution", launch::unequal, false),
    rule("Is DRAM saturated?", SPEED, busy::dram, false),
    rule("Is another unit saturated?", SPEED, busy::saturated, false),
    rule("Do dependent loads queue at a busy unit?", SOURCE, waits::queued, true),
    rule("Is the queue of a busy unit full?", "--section WarpStateStats", busy::pressure, true),
    rule("Do warps wait for their next instruction?", "--section WarpStateStats", waits::fetch, false),
    rule("Does each load wait for the one before?", SOURCE, waits::chain, true),
    rule("Are there too few blocks to fill the warp slots?", "--section Occupancy", launch::underfilled, true),
    rule("Do blocks end faster than they start?", "--section Occupancy", launch::short_blocks, true),
    rule("Do SMs idle at the end of the launch?", "--section WorkloadDistribution", launch::tail, true),
    rule("Do warps wait at mbarriers?", SOURCE, stages::mbarriers, true),
    rule("Is issue or a pipe busier than the largest wait is long?", "--section WarpStateStats", waits::work, true),
    rule("Do warps wait for loads that hit in L2?", "--section MemoryWorkloadAnalysis_Tables", l2::latency, true),
];

/// What the warps wait for, where no rule above holds.
pub(super) use waits::{latency, nothing};

/// A share as a sentence has it: `45.5 %`.
pub(super) fn share(value: f64) -> String {
    format!("{} %", format::fixed(100.0 * value, 1))
}

/// A count of cycles or of anything else, `15,387`; three digits of a million and more.
pub(super) fn count(value: f64) -> String {
    if value.abs() < 1e6 { format::fixed(value, 0) } else { glance::short(value) }
}
