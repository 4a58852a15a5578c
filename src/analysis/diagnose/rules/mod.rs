//! What is asked of a kernel, each with what it stands for in the account of the time. A question whose evidence is missing is
//! silent; which answer limits, the account says.

mod busy;
mod l2;
pub(super) mod lanes;
pub(super) mod launch;
pub(super) mod memory;
mod stages;
mod tensor;
mod waits;

use super::finding::Severity;
use super::level::Unit;
use super::measures::Measures;
use crate::analysis::lines::{Place, Sits};
use crate::analysis::phases::Point;
use crate::catalog::{Action, Code};
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
    /// Whether it is large enough to be named; where it does not limit, with this weight.
    pub(super) holds: bool,
    pub(super) beside: Severity,
    /// One sentence with the numbers.
    pub(super) sentence: Words,
    pub(super) at: At,
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

/// What a finding stands for in the account of the time.
pub(super) enum Stands {
    /// A fact of the launch, before anything is weighed.
    Before,
    /// Something that takes time by itself; it is away where this is done.
    ByItself(Action),
    /// What a part or a wait is made of; it is away where this is done.
    For(Action),
    /// Warps that are missing: the part of the slots that is filled, 0 to 1.
    Warps(fn(&Measures<'_, '_>) -> Option<f64>),
    /// It limits nothing.
    Beside,
}

/// A rule, with what it asks and what a report must hold for it.
pub(super) struct Rule {
    /// What it asks, as a question.
    pub(super) asks: &'static str,
    /// The sections or metrics of ncu that answer.
    pub(super) needs: &'static str,
    pub(super) judge: fn(&Measures<'_, '_>) -> Option<Held>,
    pub(super) stands: Stands,
}

const SPEED: &str = "--section SpeedOfLight";
const SOURCE: &str = "--section SourceCounters";

const fn rule(
    asks: &'static str,
    needs: &'static str,
    judge: fn(&Measures<'_, '_>) -> Option<Held>,
    stands: Stands,
) -> Rule {
    Rule { asks, needs, judge, stands }
}

/// The rules.
pub(super) const RULES: [Rule; 19] = [
    rule("Did the launch fail?", SPEED, launch::failed, Stands::Before),
    rule("Is the launch too short to measure?", SPEED, launch::brief, Stands::Before),
    rule("Does the grid leave SMs idle?", "--section LaunchStats", launch::small_grid, Stands::Beside),
    rule("Do blocks end at very different times?", "--section WorkloadDistribution", launch::tail, Stands::Beside),
    rule(
        "Are there too few blocks to fill the warp slots?",
        "--section Occupancy",
        launch::underfilled,
        Stands::Warps(launch::filled),
    ),
    rule(
        "Do blocks end faster than they start?",
        "--section Occupancy",
        launch::short_blocks,
        Stands::Warps(launch::filled),
    ),
    rule("Do too few warps fit?", "--section Occupancy", launch::occupancy, Stands::Warps(launch::room)),
    rule("Does a one-lane fence delay every step?", SOURCE, tensor::fence_chain, Stands::ByItself(Action::NarrowFence)),
    rule(
        "Is the tensor pipe idle in the epilogue?",
        SOURCE,
        tensor::exposed_epilogue,
        Stands::ByItself(Action::OverlapEpilogue),
    ),
    rule("Is one L2 slice or memory channel full?", SPEED, memory::hot_spot, Stands::ByItself(Action::FewerAtomics)),
    rule(
        "Do spills or local arrays fill the memory system?",
        SOURCE,
        memory::local,
        Stands::For(Action::KeepInRegisters),
    ),
    rule(
        "Do accesses touch more sectors than their bytes need?",
        SOURCE,
        memory::uncoalesced,
        Stands::For(Action::Coalesce),
    ),
    rule("Do contiguous accesses start off a sector boundary?", SOURCE, memory::misaligned, Stands::Beside),
    rule(
        "Do lanes add to few words of shared memory?",
        SOURCE,
        memory::shared_atomics,
        Stands::For(Action::FewerAtomics),
    ),
    rule("Do shared-memory banks conflict?", SOURCE, memory::bank_conflicts, Stands::For(Action::Unconflict)),
    rule("Do warps exchange values in rounds of barriers?", SOURCE, waits::rounds, Stands::For(Action::FewerBarriers)),
    rule("Do branches diverge?", "--section InstructionStats", lanes::divergence, Stands::For(Action::Regroup)),
    rule(
        "Do lanes read constants at different addresses?",
        SPEED,
        lanes::constants,
        Stands::For(Action::MoveConstants),
    ),
    rule("Does the code leave the instruction cache?", "--section WarpStateStats", waits::fetch, Stands::Beside),
];

pub(super) use busy::of_part;
pub(super) use launch::short;
pub(super) use waits::{of_mbarriers, of_wait, unknown};

/// A share as a sentence has it: `45.5 %`.
pub(super) fn share(value: f64) -> String {
    format!("{} %", format::fixed(100.0 * value, 1))
}

/// A count of cycles or of anything else, `15,387`; three digits of a million and more.
pub(super) fn count(value: f64) -> String {
    if value.abs() < 1e6 { format::fixed(value, 0) } else { glance::short(value) }
}
