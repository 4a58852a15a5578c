//! What the check of a lever counts, on both sides: its own instructions, bytes, blocks or busy cycles. A share of the elapsed time
//! moves with everything that shortens a launch, and tells of no lever.

use super::expectation;
use super::rewrite::OpcodeMove;
use crate::analysis::kernel::summary::{CYCLES, DURATION};
use crate::analysis::phases::{Phase, PhaseKind, Phases, Run, Study};
use crate::analysis::{Lever, LeverCode, derive::stalls::as_shown};
use crate::catalog::{self, Action, Better, Counter};
use crate::evidence::Reading;
use crate::quantity::{Unit, format};
use cuda_binary::Op;
use cuda_binary::op::{Act, Class, ProductBy, Space};

/// A count that moved by less, as a factor, was not what the change was about.
const MOVED: f64 = 1.1;
/// A tail that became less by a smaller factor is as long as before: it varies from launch to launch.
const SHORTER: f64 = 4.0 / 3.0;
/// Bytes that a warp gets by a shuffle: a word for each of its 32 lanes.
const SHUFFLED: f64 = 128.0;
/// Ending of a share of a unit's peak over the elapsed time.
pub(super) const OF_ELAPSED: &str = ".pct_of_peak_sustained_elapsed";
/// Bits of an access that is told to be narrow.
const NARROW: u64 = 32;
/// What is counted in the code is of no metric.
const NO_METRICS: [&str; 0] = [];
const WAVES: Counter = Counter::LaunchWavesPerMultiprocessor;
const TENSOR: Counter = Counter::SmPipeTensorCyclesActiveAvgPctElapsed;
const RESIDENT: [Counter; 2] = [Counter::SmCyclesActiveAvg, Counter::SmCyclesActiveMax];

/// What a lever aims at, on both sides.
pub(super) struct Aim {
    pub(super) label: String,
    pub(super) old: Reading,
    pub(super) new: Reading,
    /// Whether it went the lever's way.
    pub(super) is_met: bool,
}

pub(in crate::analysis) struct Sides<'s, 'a> {
    pub(in crate::analysis) old: &'s dyn Fn(&str) -> Reading,
    pub(in crate::analysis) new: &'s dyn Fn(&str) -> Reading,
    /// The code of the old and of the new side; `None` where one was not counted by instruction.
    pub(in crate::analysis) code: Option<(&'s Study<'a>, &'s Study<'a>)>,
    pub(in crate::analysis) phases: Option<(&'s Phases, &'s Phases)>,
    /// Initialisations of mbarriers, old and new.
    pub(in crate::analysis) mbarriers: Option<(u64, u64)>,
    pub(in crate::analysis) moves: Option<&'s [OpcodeMove]>,
}

impl Sides<'_, '_> {
    /// What the check of a lever counts; where this evidence cannot count it, the reading that the lever names.
    pub(super) fn aim(&self, lever: &Lever) -> Aim {
        let own = match &lever.code {
            LeverCode::Ours(action) => self.of_action(*action, lever),
            LeverCode::Rule(_) => None,
        };
        own.unwrap_or_else(|| self.named(lever))
    }

    fn of_action(&self, action: Action, lever: &Lever) -> Option<Aim> {
        let is_narrow = |run: &Run| run.width == Some(NARROW);
        match action {
            Action::WideLoads => self.executed(|run| run.op.loads_global() && is_narrow(run)),
            Action::WideShared => self.executed(|run| run.op.loads_shared() && is_narrow(run)),
            Action::BulkCopies => self.executed(|run| run.op.copies_global() && !run.op.is_bulk()),
            Action::TensorGeneration => {
                let of_warps = |run: &Run| run.op.is_product() && run.op.product_by() != Some(ProductBy::Warpgroup);
                self.executed(of_warps)
            }
            Action::FewerAtomics => self.executed(|run| matches!(run.op.act(), Some(Act::Atomic | Act::Reduction))),
            Action::FewerConversions => self.executed(|run| run.op.class() == Some(Class::Conversion)),
            // A fence of a narrower scope is executed as often, and waits less.
            Action::NarrowFence => self.executed(|run| run.op.is_fence()).filter(|aim| aim.is_met),
            Action::MoreInFlight => self.in_flight(lever),
            Action::ReuseInSm => self.loaded_bytes(),
            Action::EvenBlocks => self.idle_behind_the_busiest(),
            Action::WholeWaves => {
                let empty = |waves: f64| 100.0 * (1.0 - waves / waves.ceil().max(1.0));
                self.made("empty part of the last wave", Unit::PERCENT, &[WAVES.as_ref()], |read| {
                    Some(empty(read(WAVES)?))
                })
            }
            Action::OverlapEpilogue => self.exposed_epilogue(),
            Action::KeepProducts => {
                let idle = |share: f64, cycles: f64| (1.0 - share / 100.0) * cycles;
                let of = [TENSOR.as_ref(), CYCLES.as_ref()];
                let make = |read: &dyn Fn(Counter) -> Option<f64>| Some(idle(read(TENSOR)?, read(CYCLES)?));
                let aim = self.made("cycles without tensor work", Unit::CYCLE, &of, make)?;
                let still_drains = self.phases.is_some_and(|(_, new)| new.drain_in_loop.is_some());
                Some(Aim { is_met: aim.is_met && !still_drains, ..aim })
            }
            Action::MoreWarps | Action::LargerBlocks | Action::MoreBlocks => Some(self.reading(&lever.remeasure, true)),
            _ => None,
        }
    }

    /// Executions of a lever's own instructions, which are to fall; `None` where the old side has none.
    fn executed(&self, is_own: impl Fn(&Run) -> bool) -> Option<Aim> {
        let (old, new) = self.code?;
        let was: Vec<Run> = old.runs().into_iter().filter(&is_own).collect();
        let sum = |runs: &[Run]| runs.iter().map(|run| run.executed).sum::<u64>() as f64;
        let is: Vec<Run> = new.runs().into_iter().filter(&is_own).collect();
        let mut names: Vec<String> = was.iter().map(|run| named(run.op, run.width)).collect();
        names.sort();
        names.dedup();
        (!was.is_empty()).then(|| Aim::falls(names.join(", "), counted(sum(&was)), counted(sum(&is))))
    }

    /// What brings more in flight: bytes of loads, prefetches, or further stages; a shorter wait may have another cause.
    fn in_flight(&self, lever: &Lever) -> Option<Aim> {
        let bytes = |study: &Study<'_>| {
            let bytes = study.under_way(|bytes| bytes)?;
            Some(Reading::number(bytes, Unit::BYTE, &NO_METRICS, "bytes of loads in front of the first use"))
        };
        let loads = self.code.and_then(|(old, new)| {
            let (old, new) = (bytes(old)?, bytes(new)?);
            Some(Aim {
                is_met: falls(&new, &old),
                label: "bytes a lane loads before the first use".to_owned(),
                old,
                new,
            })
        });
        let of = |label: &str, (was, is): (u64, u64)| Aim {
            label: label.to_owned(),
            old: counted(was as f64),
            new: counted(is as f64),
            is_met: true,
        };
        let is_prefetch = |one: &&OpcodeMove| one.op.act() == Some(Act::Prefetch) && one.rose();
        let prefetches = || self.moves?.iter().find(is_prefetch).map(|one| of(&one.opcode, one.executed));
        let stages = || Some(of("mbarriers", self.mbarriers.filter(|(was, is)| is > was)?));
        let met = loads.as_ref().filter(|aim| aim.is_met).is_none().then(|| prefetches().or_else(stages)).flatten();
        met.or(loads).or_else(|| Some(Aim { is_met: false, ..self.named(lever) }))
    }

    /// Cycles of a tile in its epilogue; none where warps take tiles in turn, so that one epilogue runs beside another one's products.
    fn exposed_epilogue(&self) -> Option<Aim> {
        let (old, new) = self.phases?;
        let of = |phases: &Phases| {
            let is_exposed = |phase: &&Phase| phase.kind == PhaseKind::Epilogue && phases.in_turn.is_none();
            let cycles: Option<f64> = phases.phases.iter().filter(is_exposed).map(|phase| phase.cycles).sum();
            Some(Reading::number(cycles?, Unit::CYCLE, &NO_METRICS, "cycles of a tile in its epilogue"))
        };
        Some(Aim::falls("exposed epilogue of a tile".to_owned(), of(old)?, of(new)?))
    }

    /// Bytes that are loaded, which what is kept in the SM is not again: by lanes, from the space that held most of them; where the copy
    /// engine brings tiles, all that come to L1. Shuffles, where lanes get most from each other.
    fn loaded_bytes(&self) -> Option<Aim> {
        const TO_L1: Counter = Counter::L1texMXbar2l1texReadBytesSum;
        let (old, new) = self.code?;
        if [old, new].iter().any(|study| study.runs().iter().any(|run| run.op.is_bulk())) {
            return Some(self.reading(TO_L1.as_ref(), false)).filter(|aim| aim.old.value().is_some());
        }
        let (global, shared) = (old.loaded_bytes(Space::Global)?, old.loaded_bytes(Space::Shared)?);
        let is_shuffle = |run: &Run| run.op.is_shuffle();
        let shuffled: u64 = old.runs().iter().filter(|run| is_shuffle(run)).map(|run| run.executed).sum();
        if SHUFFLED * shuffled as f64 > global.max(shared) {
            return self.executed(is_shuffle);
        }
        let (space, name) = if global >= shared { (Space::Global, "global") } else { (Space::Shared, "shared") };
        let of = |study: &Study<'_>| {
            let bytes = study.loaded_bytes(space)?;
            Some(Reading::number(bytes, Unit::BYTE, &NO_METRICS, "executed loads × 32 lanes × width"))
        };
        let aim = Aim::falls(format!("bytes of {name} loads"), of(old)?, of(new)?);
        aim.old.value().is_some_and(|bytes| bytes > 0.0).then_some(aim)
    }

    /// The part of the busiest SM's time in which the average one holds no block.
    fn idle_behind_the_busiest(&self) -> Option<Aim> {
        let [average, most] = RESIDENT;
        let of = [average.as_ref(), most.as_ref()];
        let idle = |read: &dyn Fn(Counter) -> Option<f64>| Some(100.0 * (1.0 - read(average)? / read(most)?));
        let aim = self.made("average SM without a block", Unit::PERCENT, &of, idle)?;
        let is_met = aim.is_met && aim.old.value()? >= SHORTER * aim.new.value()?;
        Some(Aim { is_met, ..aim })
    }

    /// A number that is to fall, made of readings; `None` where a side lacks one.
    fn made(
        &self,
        label: &str,
        unit: Unit,
        of: &[&str],
        make: impl Fn(&dyn Fn(Counter) -> Option<f64>) -> Option<f64>,
    ) -> Option<Aim> {
        let side = |read: &dyn Fn(&str) -> Reading| {
            let value = make(&|counter| read(counter.as_ref()).value())?;
            value.is_finite().then(|| Reading::number(value, unit, of, label))
        };
        Some(Aim::falls(label.to_owned(), side(self.old)?, side(self.new)?))
    }

    /// The reading that a lever names. Of a unit's share of its peak the cycles in which it is busy count, and of a time nothing does.
    fn named(&self, lever: &Lever) -> Aim {
        let name = lever.remeasure.as_str();
        let is_work = !lever.rises && name.ends_with(OF_ELAPSED);
        let busy = |share: f64, cycles: f64| share / 100.0 * cycles;
        let side = |read: &dyn Fn(&str) -> Reading| {
            let value = busy(read(name).value()?, read(CYCLES.as_ref()).value()?);
            Some(Reading::number(value, Unit::CYCLE, &[name, CYCLES.as_ref()], "share of peak × elapsed cycles"))
        };
        let work = || {
            Some(Aim::falls(format!("{} busy for", format::uncapital(&called(name))), side(self.old)?, side(self.new)?))
        };
        if let Some(work) = is_work.then(work).flatten() {
            return work;
        }
        let rises = lever.rises || catalog::metric(name).is_some_and(|row| row.better == Better::Higher);
        let aim = self.reading(name, rises);
        Aim { is_met: aim.is_met && name != DURATION.as_ref(), ..aim }
    }

    /// A reading as it is, and which way it is to go.
    fn reading(&self, name: &str, rises: bool) -> Aim {
        let (old, new) = ((self.old)(name), (self.new)(name));
        let aim = match rises {
            true => Aim { is_met: falls(&new, &old), label: called(name), old, new },
            false => Aim::falls(called(name), old, new),
        };
        Aim { old: as_shown(name, aim.old), new: as_shown(name, aim.new), ..aim }
    }
}

impl Aim {
    fn falls(label: String, old: Reading, new: Reading) -> Aim {
        Aim { is_met: falls(&old, &new), label, old, new }
    }
}

/// Whether a number is there, and another less by enough to be what a change was about.
fn falls(from: &Reading, to: &Reading) -> bool {
    from.value().zip(to.value()).is_some_and(|(from, to)| from > 0.0 && from >= MOVED * to)
}

/// `LDG.32`.
fn named(op: Op, width: Option<u64>) -> String {
    format!("{}{}", op.name(), width.map(|bits| format!(".{bits}")).unwrap_or_default())
}

/// What a page calls a metric: by its row, as a stall, else by the part of the chip that it is of.
fn called(name: &str) -> String {
    let stall = || catalog::stalls().iter().find(|row| catalog::per_issue(row.id) == name).map(|row| row.label);
    let label = catalog::metric(name).map(|row| row.label).or_else(stall);
    let part = || catalog::subsystem_of(name).map(|part| part.label.trim_start_matches("the "));
    label.or_else(part).map_or_else(|| expectation::called(name), str::to_owned)
}

fn counted(executed: f64) -> Reading {
    Reading::number(executed, Unit::INST, &NO_METRICS, "executed instructions")
}
