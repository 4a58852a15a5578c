//! The numbers of one kernel that the rules of the verdict compare: launch, units with their level, waits, phases.
//!
//! A metric that is not there makes the rule that needs it silent, never 0.

use super::kernel::Kernel;
use super::level::{self, Level, Unit};
use super::machine::{Change, Machine};
use super::stretches::{Stretch, TimeSplit, stretches};
use crate::analysis::derive::block_size::BlockSizes;
use crate::analysis::derive::least;
pub(super) use crate::analysis::derive::residency::{
    ACHIEVED, CYCLES, EXECUTED, RESIDENT, RESIDENT_MOST, SM_CYCLES, THEORETICAL, WAVES,
};
use crate::analysis::derive::stalls::StallBasis;
use crate::analysis::kernel::summary::DURATION;
use crate::analysis::phases::{Chain, Code, PhaseKind, Phases, Study, WaitGroup};
use crate::catalog::{Counter, Part, StallReason, Threshold};
use crate::evidence::{Reading, Workload};
use cuda_binary::Op;
use cuda_binary::op::Act;
use std::ops::Deref;
use strum::VariantArray;

/// Waves from which blocks no longer run in waves.
pub(super) const MANY_WAVES: f64 = 20.0;
/// What a launch takes before the first and behind the last instruction at most, in nanoseconds: an empty kernel on an H200 takes 2,200
/// under ncu.
const LAUNCH: f64 = 4000.0;
/// What an empty launch takes at least, in nanoseconds: the shortest of public reports take 1,500.
const EMPTY: f64 = 1500.0;
/// Waits that are a queue in front of a unit, whose need says them already; and no wait at all.
pub(super) const QUEUES: [StallReason; 5] = [
    StallReason::NotSelected,
    StallReason::MathPipeThrottle,
    StallReason::LgThrottle,
    StallReason::MioThrottle,
    StallReason::TexThrottle,
];
/// Those of them in which the warps of one scheduler take turns: the others wait for room as well, which a long way to memory takes.
const OF_SCHEDULER: [StallReason; 2] = [StallReason::NotSelected, StallReason::MathPipeThrottle];

/// One kernel in numbers. Shares and percentages of the chip are 0 to 1 here.
pub(in crate::analysis) struct Measures<'a> {
    pub(super) kernel_of: &'a Kernel<'a>,
    /// The code as it stands, where nobody counted it by instruction.
    pub(super) as_it_stands: Option<Code<'a>>,
    /// How much less the average SM works than the one that works longest.
    pub(super) unequal: Option<f64>,
    /// Nanoseconds.
    pub(super) duration: Option<f64>,
    /// Nanoseconds that the stated work takes at the peak of the chip, at the clocks of the profile.
    pub(super) least: Option<f64>,
    /// Whether tensor instructions were executed.
    pub(super) has_tensor: bool,
    /// The units of the chip, the busiest first.
    pub(super) units: Vec<Unit>,
    /// Its phases in series, at least one.
    pub(super) stretches: Vec<Stretch>,
    pub(super) machine: Machine,
}

impl<'a> Deref for Measures<'a> {
    type Target = Kernel<'a>;

    fn deref(&self) -> &Kernel<'a> {
        self.kernel_of
    }
}

impl<'a> Measures<'a> {
    pub(super) fn of(k: &'a Kernel<'a>) -> Measures<'a> {
        let positive = |name: Counter| k.value(name).filter(|value| *value > 0.0);
        let active = k.active;
        // Where nobody counted the busiest SM it is busy for as long as a launch of that length can be.
        let most = || Some(1.0 - EMPTY / positive(DURATION)?).filter(|most| *most > 0.0);
        let of_launch = || Some((active? / most()?).min(1.0));
        let of_busiest = k.value(RESIDENT).zip(k.resident_most).map(|(resident, most)| resident / most);
        let sampled = || Some(k.over_time?.shape.as_ref()?.idle?.share);
        let executed = k.kernel.opcodes();
        let has_tensor = executed.iter().any(|(opcode, count)| *count > 0.0 && Op::of(opcode).is_product())
            || k.phases.is_some_and(|phases| phases.tensor.is_some())
            || executed.is_empty() && level::is_mostly_tensor(k);
        let mut units = level::units(k, active, has_tensor);
        // The fabric of L2 carries a stream that does not fill device memory, and sets no pace of its own.
        let fills = units.iter().any(|unit| unit.part == Part::MemoryDram && unit.is_saturated());
        let is_fabric = !fills && level::is_of_dram(k) == Some(true) && !level::is_mostly_atomics(k);
        for unit in units.iter_mut().filter(|unit| is_fabric && unit.part == Part::MemoryL2) {
            unit.level = unit.level.min(Level::High);
        }
        let mut m = Measures {
            stretches: stretches(k.over_time, &units),
            machine: Machine::default(),
            kernel_of: k,
            as_it_stands: k.view.filter(|_| k.study.is_none()).and_then(Code::as_it_stands),
            unequal: of_busiest.or_else(of_launch).map(|share| 1.0 - share).or_else(sampled),
            duration: positive(DURATION),
            least: least::parts(k.kernel, &k.roofline, k.work).map(|part| part.certain).max_by(f64::total_cmp),
            has_tensor,
            units,
        };
        m.machine = machine(&m);
        m
    }

    /// Its code: with its counts, else as it stands.
    pub(super) fn code(&self) -> Option<&Code<'a>> {
        self.study.map(|study| &study.code).or(self.as_it_stands.as_ref())
    }

    /// What a part needs of the time, 0 to 1.
    pub(super) fn need(&self, part: Part) -> f64 {
        self.machine.need(part).unwrap_or_default()
    }

    /// What is left of the work of a part of the SMs that has so many cycles less on all of them, 0 to 1.
    pub(super) fn without(&self, part: Part, cycles: f64) -> f64 {
        let unit = self.unit(part).filter(|unit| unit.share > 0.0).zip(self.sm_cycles());
        unit.map_or(1.0, |(unit, all)| (1.0 - cycles / all / unit.share).max(0.0))
    }

    /// The largest need of some parts.
    pub(super) fn need_of(&self, parts: &[Part]) -> f64 {
        parts.iter().map(|part| self.need(*part)).fold(0.0, f64::max)
    }

    /// The share of the warps' time in queues in front of units.
    pub(super) fn queued(&self) -> f64 {
        self.waits(&QUEUES)
    }

    /// The phases; only where enough was sampled for shares to mean something.
    pub(super) fn sampled(&self) -> Option<&'a Phases> {
        self.kernel_of.phases.filter(|phases| phases.samples as f64 >= self.limits[Threshold::SamplesFew])
    }

    /// The time of a load over what one takes in an idle chip: the longest single wait for loads in a turn of the main loop, or all of
    /// them where code does not part them; of copies the turns for which they are in flight. `None` where that was not measured.
    pub(super) fn times_idle(&self) -> Option<f64> {
        let phases = self.sampled()?;
        let cycles = match self.study.and_then(Study::copies_waited_for) {
            Some(ahead) => (1.0 + f64::from(ahead)) * phases.step_cycles()?,
            None => Self::load_cycles(phases)? * self.study.and_then(Study::longest_wait).unwrap_or(1.0),
        };
        self.over_idle(cycles)
    }

    /// The same in the life of a warp whose loads do not turn, which waits this part of it for them.
    pub(super) fn times_idle_once(&self, wait: f64) -> Option<f64> {
        self.sampled()?.phase(PhaseKind::MainLoop).is_none().then_some(())?;
        self.over_idle(self.life? * wait * self.study?.longest_wait()?)
    }

    fn over_idle(&self, cycles: f64) -> Option<f64> {
        Some(cycles / f64::from(self.chip()?.latency.as_ref()?.dram?))
    }

    /// Code, samples and where values come from; as above.
    pub(super) fn sampled_code(&self) -> Option<&'a Study<'a>> {
        self.sampled().and(self.kernel_of.study)
    }

    /// Dependent loads, where the samples that wait for them are many.
    pub(super) fn chain(&self) -> Option<&'a Chain> {
        self.sampled_code()?.chain().filter(|chain| 100.0 * chain.share >= self.limits[Threshold::ChainShare])
    }

    /// Whether too little was sampled for a share to mean something, as in a launch that has hardly begun when it ends.
    pub(super) fn is_hardly_sampled(&self) -> bool {
        self.kernel_of.phases.is_some() && self.sampled().is_none()
    }

    /// Instructions of all warps, by the counter of the schedulers or that of the SMs.
    pub(super) fn executed(&self) -> Option<f64> {
        let held = [EXECUTED, Counter::SmInstExecutedSum].into_iter().find_map(|name| self.kernel.value(name));
        held.filter(|executed| *executed > 0.0)
    }

    /// Executions of some opcodes; 0 where nobody counted them.
    pub(super) fn count(&self, takes: impl Fn(Op) -> bool) -> f64 {
        self.executions(takes).unwrap_or(0.0)
    }

    /// ` (busiest: L1 66 %)`.
    pub(super) fn busiest(&self) -> String {
        self.units.first().map(|unit| format!(" (busiest: {} %)", unit.said())).unwrap_or_default()
    }

    /// Whether it is several kernels, as one result: a range, or a graph.
    pub(super) fn has_several(&self) -> bool {
        self.kernel.key().workload != Workload::Kernel
    }

    /// The highest level of a unit in one of the phases in series, and the share of the time that this has.
    pub(super) fn highest(&self, unit: &Unit) -> (f64, f64) {
        let over_launch = unit.share / self.active.unwrap_or(1.0);
        let levels = self.stretches.iter().map(|own| (own.level(unit.part, over_launch).min(1.0), own.share));
        levels.max_by(|(a, _), (b, _)| a.total_cmp(b)).unwrap_or((unit.share, 1.0))
    }

    pub(super) fn unit(&self, part: Part) -> Option<&Unit> {
        self.units.iter().find(|unit| unit.part == part)
    }

    /// The share of the peak of the busiest of some parts, over the whole launch.
    pub(super) fn busiest_of(&self, parts: &[Part]) -> Option<&Unit> {
        self.units.iter().filter(|unit| parts.contains(&unit.part)).max_by(|a, b| a.share.total_cmp(&b.share))
    }

    /// The largest of L1, L2 and DRAM.
    pub(super) fn memory(&self) -> Option<&Unit> {
        self.busiest_of(&[Part::MemoryL1tex, Part::MemoryShared, Part::MemoryL2, Part::MemoryDram])
    }

    /// What stands behind a wait while units have room; nothing where one is full, and where none was measured.
    pub(super) fn unfilled(&self) -> &'static str {
        if self.units.is_empty() || self.units.iter().any(Unit::is_saturated) { "" } else { "; no unit is saturated" }
    }

    /// The part of the slots for warps that stand empty while blocks wait for them, 0 to 1: those that equal blocks leave in their last wave do
    /// not count. `None` where no block waits, or it was not measured.
    pub(super) fn vacant(&self) -> Option<f64> {
        let waves = self.waves.filter(|waves| *waves > 1.0)?;
        Some((1.0 - self.filled()? * waves.ceil() / waves).max(0.0))
    }

    /// Whether blocks end about as fast as they start; `None` where the life of a warp is not known. No warp of a block of one waits for
    /// others to end, and in many waves no wave does: slots that such blocks leave empty wait for the next start, however long they live.
    pub(super) fn ends_soon(&self) -> Option<bool> {
        let is_refilled = self.block_warps == Some(1.0) && self.waves.is_some_and(|waves| waves >= MANY_WAVES);
        Some(is_refilled || self.life? < self.limits[Threshold::ShortLife])
    }

    /// [`Occupancy::is_by_design`](crate::analysis::derive::occupancy::Occupancy::is_by_design) of this kernel.
    pub(super) fn is_by_design(&self) -> Option<bool> {
        self.occupancy.is_by_design(self.has_tensor)
    }

    /// The sizes that a block can have; not of tensor kernels, whose blocks have the shape of their tile, nor of clusters, nor where
    /// shared memory binds, which follows the size or does not, nor in less than a wave, where blocks are missing and not room.
    pub(super) fn block_sizes(&self) -> Option<BlockSizes> {
        let is_cluster = self.kernel.value(Counter::LaunchClusterSize).is_some_and(|size| size > 1.0);
        let is_part = self.waves.is_some_and(|waves| waves < 1.0);
        let binds = self.occupancy.binding().contains(&"shared memory");
        let sizes = BlockSizes::of(self.kernel).filter(|sizes| !(binds && sizes.has_shared()));
        sizes.filter(|_| !self.has_tensor && !is_cluster && !is_part)
    }

    /// Readings with a number among these metrics, by name.
    pub(super) fn held(&self, metrics: &[impl AsRef<str>]) -> Vec<(String, Reading)> {
        let mut readings = self.readings(metrics);
        readings.retain(|(_, reading)| reading.quantity().is_some());
        readings
    }
}

/// What the warps of a launch wait for.
impl Measures<'_> {
    /// A stall reason's share of the warps' time, 0 to 1, without parked warps.
    pub(super) fn wait(&self, reason: StallReason) -> Option<f64> {
        self.stall_share(reason).map(|percent| percent / 100.0)
    }

    /// The same of several reasons together; a reason that is not held is nothing.
    pub(super) fn waits(&self, reasons: &[StallReason]) -> f64 {
        reasons.iter().filter_map(|reason| self.wait(*reason)).sum()
    }

    /// The part of the wait for long scoreboards that is for mbarriers, 0 to 1, as far as the samples by instruction tell.
    pub(super) fn at_mbarriers(&self) -> f64 {
        self.kernel_of.phases.map_or(0.0, Phases::at_mbarriers)
    }

    /// The share of the warps' time that they wait for loads through L1, 0 to 1; not known of a kernel that may have bulk copies,
    /// whose mbarriers answer by the same scoreboards, without samples by instruction.
    pub(super) fn waits_for_loads(&self) -> Option<f64> {
        let executed = self.kernel.opcodes();
        let is_bulk = |op: Op| op.is_bulk() && op.copies_global();
        let may_copy = match executed.is_empty() {
            true => self.chip().is_none_or(|chip| chip.has_bulk_copies),
            false => executed.iter().any(|(opcode, count)| *count > 0.0 && is_bulk(Op::of(opcode))),
        };
        if may_copy && self.phases.is_none() {
            return None;
        }
        Some(self.wait(StallReason::LongScoreboard)? * (1.0 - self.at_mbarriers()))
    }

    /// The largest wait. A warp that issues or is ready waits for nothing. None where one that the report does not hold may be the largest.
    pub(super) fn top_wait(&self) -> Option<(StallReason, f64)> {
        let is_stall = |reason: &&StallReason| reason.row().is_some_and(crate::catalog::StallRow::is_stall);
        let all = StallReason::VARIANTS.iter().filter(is_stall);
        // The first of equal ones.
        let found = all.rev().filter_map(|reason| Some((*reason, self.wait(*reason)?)));
        found.max_by(|(_, a), (_, b)| a.total_cmp(b)).filter(|(_, largest)| *largest >= self.unheld_waits())
    }

    /// The share of the warps' time of which the report holds no reason, 0 to 1.
    pub(super) fn unheld_waits(&self) -> f64 {
        self.stalls.table(StallBasis::ShareOfWarpTime).map_or(0.0, |table| table.unheld() / 100.0)
    }

    /// Cycles that a warp waits for what loads of memory bring, in one turn of the main loop.
    pub(super) fn load_cycles(phases: &Phases) -> Option<f64> {
        let waits = &phases.phase(PhaseKind::MainLoop)?.waits;
        let wait = waits.iter().find(|wait| wait.reason == <&str>::from(StallReason::LongScoreboard))?;
        let is_load = |group: &&WaitGroup| {
            group.cause.as_ref().is_some_and(|at| matches!(at.op().act(), Some(Act::Load | Act::Copy)))
        };
        let of_loads: f64 = wait.groups.iter().filter(is_load).map(|group| group.share).sum();
        // What no large group tells is taken to be loads as well where some of it is.
        (of_loads > 0.0).then_some(phases.step_cycles()? * wait.share)
    }
}

/// How busy a unit is for which so many warps take turns and queue for this share of their time, by the others that one of them finds there:
/// `n · share = a · busy² / (1 − a · busy)` with `a = (n − 1) / n` (mean values of a closed queue). A warp that is alone waits for
/// itself.
fn served(warps: f64, share: f64) -> f64 {
    if warps < 2.0 {
        return 0.0;
    }
    let queue = warps * share;
    (0.5 * ((queue * queue + 4.0 * queue * warps / (warps - 1.0)).sqrt() - queue)).min(1.0)
}

/// The machine of a kernel, by its numbers.
fn machine(m: &Measures<'_>) -> Machine {
    let busiest = m.value(RESIDENT_MOST).zip(m.cycles);
    let busiest = busiest.map(|(resident, cycles)| (resident / cycles).min(1.0));
    let active = m.active.map(|active| active.min(1.0));
    // What is longer than a launch takes is memory that drains, and of several kernels what lies between them.
    let launch = m.duration.filter(|_| !m.has_several()).map_or(1.0, |duration| (LAUNCH / duration).min(1.0));
    let block = m.blocks.zip(m.sms).map_or(1.0, |(blocks, sms)| sms / blocks);
    let time = match (active, busiest, m.over_time) {
        (Some(active), Some(busiest), _) => {
            let empty = 1.0 - busiest.max(active);
            TimeSplit { ramp: empty.min(launch), tail: (busiest - active).max(0.0), empty, ..TimeSplit::default() }
        }
        (None, _, Some(over)) => TimeSplit::sampled(over),
        _ => {
            let empty = m.duration.map_or(0.0, |duration| (EMPTY / duration).min(1.0));
            // SMs that get no block are idle whatever was measured.
            let active = active.unwrap_or((1.0 - empty) * (1.0 - m.without_block()));
            let ramp = empty.min(1.0 - active);
            TimeSplit { ramp, tail: 1.0 - active - ramp, empty: ramp, ..TimeSplit::default() }
        }
    };
    let time = TimeSplit { block, ..time };
    let later = level::left_behind(m).unwrap_or_default();
    let dram = level::dram_reaches(m, later);
    let works = |unit: &Unit| match unit.part {
        Part::MemoryDram => unit.share / dram,
        Part::MemoryL2 => level::l2_works(m, unit),
        _ => unit.share,
    };
    // The fabric of L2 carries what comes from DRAM, and reads higher for the same stream; so it may where nobody knows.
    // Lanes at addresses of their own ask of it sector by sector, and that is its own work, as atomics are.
    let is_stream = level::is_of_dram(m) != Some(false) && !level::is_by_sector(m) && !level::is_mostly_atomics(m);
    let is_own = |unit: &&Unit| match unit.part {
        Part::MemoryL2 => !is_stream,
        Part::MemoryL1tex => !level::is_of_requests(m, unit, &m.units),
        _ => true,
    };
    let units = m.units.iter().filter(is_own);
    let needs: Vec<(Part, f64)> = units.map(|unit| (unit.part, works(unit).min(1.0))).collect();
    // Work that takes longer than the launch took was not stated right.
    let floor = m.least.zip(m.duration).map(|(least, duration)| least / duration).filter(|share| *share <= 1.0);
    let waiting = (1.0 - m.queued()).clamp(0.05, 1.0);
    let mut machine = Machine::with(time, needs, waiting, m.stretches.clone());
    machine.floor = floor.unwrap_or_default();
    let of_scheduler = m.warps.zip(m.chip()).map(|(warps, chip)| warps / f64::from(chip.schedulers_per_sm));
    machine.queue = of_scheduler.map_or(0.0, |warps| {
        // Each is a queue of its own.
        OF_SCHEDULER.iter().map(|reason| served(warps, m.waits(&[*reason]))).fold(0.0, f64::max)
    });
    let measured = m
        .unit(Part::MemoryDram)
        .map(|unit| (unit.share / level::dram_reaches(m, 0.0)).min(1.0))
        .filter(|need| *need > 0.0);
    machine.later =
        measured.map_or(0.0, |measured| machine.need(Part::MemoryDram).unwrap_or(measured) / measured - 1.0);
    let filled = 1.0 - m.vacant().unwrap_or_default();
    let cost = machine.after(&Change { warps: (filled, filled), ..Change::default() }).expected;
    let of = if m.ends_soon() == Some(false) { &mut machine.time.uneven } else { &mut machine.time.turnover };
    *of = cost;
    machine
}

#[cfg(test)]
mod tests {
    #[test]
    fn a_queue_says_how_busy_what_serves_it_is() {
        // One of six warps finds 0.833 · 0.844² / (1 − 0.833 · 0.844) = 2 others, and queues for a third of its time.
        let busy = super::served(6.0, 1.0 / 3.0);
        assert!((busy - 0.844).abs() < 1e-3, "{busy}");
        assert_eq!([super::served(6.0, 0.0), super::served(1.0, 1.0)], [0.0, 0.0]);
    }
}
