//! The units of the chip with how busy they are (saturated, high, idle), and streams of device memory.

pub(super) use super::kernel::DRAM_BYTES;
use super::kernel::Kernel;
use crate::analysis::derive::data_stage::{DataStage, WHOLE};
use crate::analysis::derive::units::{self, BusyUnit};
use crate::analysis::phases::SectorAccess;
use crate::catalog::{Counter, Family, Part, Threshold};
use crate::quantity::{SECTOR, format};

/// How busy a unit is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, serde::Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Level {
    /// Below `sol-low`.
    Idle,
    /// From there up to saturation: it limits only where its queue is full.
    High,
    /// It sets the pace.
    Saturated,
}

/// A unit of the chip.
#[derive(Clone, Debug, PartialEq, serde::Serialize)]
pub struct Unit {
    /// The part of the chip.
    pub part: Part,
    /// What verdict, tables and levers call it.
    pub name: String,
    pub counter: String,
    /// Share of its peak over the whole launch, 0 to 1.
    pub share: f64,
    /// The same while an SM holds a block, for units of the SMs; of the tensor pipe in a step of the main loop, where that is known.
    pub resident: f64,
    /// How busy that is.
    pub level: Level,
}

impl Unit {
    /// Whether it sets the pace.
    pub fn is_saturated(&self) -> bool {
        self.level == Level::Saturated
    }

    /// Whether it is a pipe, or issue in front of them, that has nothing to do for most of the time.
    pub(super) fn is_idle_pipe(&self) -> bool {
        place(self.part) == PIPES && self.level == Level::Idle && self.resident < 0.5
    }

    /// Whether it is a part of the SMs without a name. All members of their roll-up take instructions: issue, dispatch, pipes, and the LSU
    /// alone is one of memory's as well, whose roll-up would be the same. Each has a slot for a warp's instruction, whatever its lanes.
    pub(super) fn is_of_instructions(&self) -> bool {
        self.part == Part::UnknownUnit && !is_memory(self)
    }

    /// `the FMA pipe`.
    pub(super) fn named(&self) -> String {
        match self.part {
            Part::MemoryL2 | Part::MemoryDram => self.name.clone(),
            Part::Issue => "instruction issue".to_owned(),
            _ => format!("the {}", self.name),
        }
    }

    /// Whether its name is that of several pipes.
    pub(super) fn is_several(&self) -> bool {
        self.name.ends_with('s')
    }

    /// `the FMA pipe is`.
    pub(super) fn is(&self) -> String {
        format!("{} {}", self.named(), if self.is_several() { "are" } else { "is" })
    }

    /// `L1 66`, in percent of the peak over the launch.
    pub fn said(&self) -> String {
        format!("{} {}", self.name, format::fixed(100.0 * self.share, if self.share < 0.01 { 1 } else { 0 }))
    }

    /// As a busy counter.
    pub(super) fn busy(&self) -> BusyUnit {
        let label = self.part.row().map_or(self.name.as_str(), |row| row.label).into();
        BusyUnit { counter: self.counter.clone(), code: self.part, label, percent: 100.0 * self.share }
    }
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
/// That of issue with the pipes behind it.
pub(super) const PIPES: usize = 3;
/// Whether a part is shared by all SMs.
pub(super) fn is_shared(part: Part) -> bool {
    matches!(part, Part::MemoryDram | Part::MemoryL2)
}

/// What L2 is at most in any of its parts: it holds the fabric between its halves.
const L2: Counter = Counter::LtsThroughputAvgPctElapsed;
/// L1 in all its parts, where its data stage was not collected: while it is active, and over the launch.
const L1: Counter = Counter::L1texThroughputAvgPctActive;
const L1_OVER_LAUNCH: Counter = Counter::L1texThroughputAvgPctElapsed;
/// Points by which a roll-up is above every part that was measured, so that its busiest part is none of them.
const APART: f64 = 5.0;
/// What the memory system is called where only its roll-up was measured.
const MEMORY: &str = "memory system";
/// DRAM in all its parts, where none of them was collected.
const DRAM: Counter = Counter::GpuDramThroughputAvgPctElapsed;
/// Busy cycles of that hardware and of the FP64 pipe, percent of peak.
const SHARED_AND_FP64: [Counter; 2] =
    [Counter::SmPipeSharedCyclesActiveAvgPctElapsed, Counter::SmPipeFp64CyclesActiveAvgPctElapsed];

/// The same of the tensor pipe, over the launch and while an SM holds a block.
const TENSOR: [Counter; 2] =
    [Counter::SmPipeTensorCyclesActiveAvgPctElapsed, Counter::SmPipeTensorCyclesActiveAvgPctActive];

/// Whether hardware that FP64 and tensor instructions share worked mostly for tensor instructions, where no opcodes were counted:
/// most of its busy cycles are none of the FP64 pipe, or the tensor pipe has more of its own.
pub(super) fn is_mostly_tensor(k: &Kernel<'_>) -> bool {
    let [shared, fp64] = SHARED_AND_FP64.map(|name| k.value(name));
    let own = TENSOR.into_iter().find_map(|name| k.value(name));
    let is_more = |(own, fp64): (f64, f64)| own > fp64;
    shared.zip(fp64).is_some_and(|(shared, fp64)| shared > 2.0 * fp64)
        || own.zip(fp64.or(shared.map(|shared| shared / 2.0))).is_some_and(is_more)
}

/// The units of a kernel, the busiest first: of each part its busiest counter. `active` is the share of the time in which an SM
/// holds a block.
pub(super) fn units(k: &Kernel<'_>, active: Option<f64>, has_tensor: bool) -> Vec<Unit> {
    let l2 = k.value(L2).map(|percent| BusyUnit::new(L2, percent));
    let mut found: Vec<Unit> = Vec::new();
    let by_name = units::by_name(k.kernel, active);
    for unit in units::busiest(k.kernel).into_iter().chain(by_name).chain(l2) {
        let Some(part) = part(k, &unit, has_tensor) else { continue };
        match found.iter_mut().find(|other| other.part == part) {
            Some(other) if 100.0 * other.share >= unit.percent => {}
            Some(other) => *other = of(k, part, &unit, active),
            None => found.push(of(k, part, &unit, active)),
        }
    }
    let has_l1 = found.iter().any(|unit| matches!(unit.part, Part::MemoryL1tex | Part::MemoryShared));
    let l1 = k.value(L1).zip(active).map(|(percent, active)| BusyUnit::new(L1, percent * active));
    let l1 = l1.or_else(|| Some(BusyUnit::new(L1_OVER_LAUNCH, k.value(L1_OVER_LAUNCH)?)));
    if let Some(over) = l1.filter(|_| !has_l1) {
        found.push(Unit { name: "L1 cache".to_owned(), ..of(k, Part::MemoryL1tex, &over, active) });
    }
    let has_dram = found.iter().any(|unit| unit.part == Part::MemoryDram);
    if let Some(percent) = k.value(DRAM).filter(|_| !has_dram) {
        found.push(of(k, Part::MemoryDram, &BusyUnit::new(DRAM, percent), active));
    }
    // The busiest of the SMs, or of the memory system, by its roll-up, where none of its parts was measured; of counters that were
    // asked for one by one also where it is above those parts: the busiest is another one.
    let is_partial = k.kernel.readings.breakdowns.is_empty();
    for (whole, name, of_memory) in [(units::SM, "SMs", false), (units::MEMORY, MEMORY, true)] {
        let own = found.iter().filter(|unit| is_memory(unit) == of_memory).map(|unit| 100.0 * unit.share);
        let least = own.max_by(f64::total_cmp).map(|busiest| if is_partial { busiest + APART } else { f64::INFINITY });
        if let Some(percent) = k.value(whole).filter(|percent| least.is_none_or(|least| *percent > least)) {
            let busy = BusyUnit::new(whole, percent);
            let l1 = found.iter().filter(|unit| place(unit.part) == place(Part::MemoryL1tex));
            let l1 = l1.map(|unit| 100.0 * unit.share).max_by(f64::total_cmp);
            let behind = if of_memory { None } else { behind(k, percent, active, l1) };
            let unit = |part| of(k, part, &busy, active.filter(|_| !of_memory));
            let known = behind.and_then(|part| found.iter().find(|other| other.part == part));
            let known = known.map(|other| 100.0 * other.share);
            match behind {
                _ if known.is_some_and(|known| known + APART >= percent) => {}
                Some(part) if known.is_none() => found.push(unit(part)),
                _ => found.push(Unit { name: name.to_owned(), ..unit(Part::UnknownUnit) }),
            }
        }
    }
    found.sort_by(|a, b| b.share.total_cmp(&a.share).then_with(|| a.part.cmp(&b.part)));
    found
}

/// Points by which two roll-ups differ whose busiest counter is one, each rounded on its page to hundredths, which no binary number is.
const ROUNDED: f64 = 0.02 + 1e-6;
/// Points by which two numbers of one thing differ, each measured in a pass of its own: twice what schedulers and their SM issue apart (0.12).
const OF_A_PASS: f64 = 0.25;

/// Roll-ups of the memory system, and of what of it is in the SMs.
const MEMORIES: [Counter; 2] = [units::MEMORY, Counter::SmMemoryThroughputAvgPctElapsed];

/// The busiest part of the SMs by their roll-up alone. Where one of [`MEMORIES`] is the same, it is the one part of both: requests
/// of the LSU, as instructions of its pipe and as what L1 takes in, which makes a pass or more for each; where L1 does less it is
/// constants, barriers or a queue. Where the schedulers issue as often, no part is busier than issue.
fn behind(k: &Kernel<'_>, percent: f64, active: Option<f64>, l1: Option<f64>) -> Option<Part> {
    let is = |other: Option<f64>, apart: f64| other.is_some_and(|other| (other - percent).abs() <= apart);
    let issued = || Some(k.value(Counter::SmspIssueActiveAvgPctActive)? * active?);
    let is_one = MEMORIES.iter().any(|whole| is(k.value(*whole), ROUNDED));
    match () {
        () if is_one && l1.is_none_or(|l1| l1 + OF_A_PASS >= percent) => Some(Part::MemoryLsu),
        () if is(issued(), OF_A_PASS) => Some(Part::Issue),
        () => None,
    }
}

/// Whether L1 is known by its roll-up alone, and this is no more than the requests of the LSU, which are a part of it: as full is what L1
/// takes in, and no stage behind that.
pub(super) fn is_of_requests(k: &Kernel<'_>, l1: &Unit, units: &[Unit]) -> bool {
    let is_whole = [L1, L1_OVER_LAUNCH].iter().any(|name| k.kernel.held_as(name.name()) == l1.counter);
    let requests = units.iter().find(|unit| unit.part == Part::MemoryLsu);
    is_whole && requests.is_some_and(|lsu| 100.0 * (l1.share - lsu.share) <= ROUNDED)
}

/// Whether it is of the memory system, and not of the SMs' arithmetic or issue.
pub(super) fn is_memory(unit: &Unit) -> bool {
    <&str>::from(unit.part).starts_with("memory-") || unit.name == MEMORY
}

/// The part that a counter stands for; `None` for one that is no unit's own. Hardware that pipes share is told apart by what was
/// executed: without tensor instructions it is not the tensor pipe.
fn part(k: &Kernel<'_>, unit: &BusyUnit, has_tensor: bool) -> Option<Part> {
    let name = unit.counter.as_str();
    if Family::NoUnit.has(name) {
        return None;
    }
    if Family::LoadStoreUnit.has(name) {
        return Some(Part::MemoryLsu);
    }
    match unit.code {
        Part::MemoryL1tex | Part::MemoryShared if *name == WHOLE => {
            let is_shared = DataStage::of(k.kernel).is_some_and(|stage| stage.is_mostly_shared());
            Some(if is_shared { Part::MemoryShared } else { Part::MemoryL1tex })
        }
        Part::MemoryL1tex | Part::MemoryShared => None,
        Part::ComputeTensor if has_tensor => Some(Part::ComputeTensor),
        Part::ComputeTensor => Family::SharedPipe.has(name).then_some(Part::ComputeFp64),
        Part::UnknownUnit => None,
        other => Some(other),
    }
}

fn of(k: &Kernel<'_>, part: Part, unit: &BusyUnit, active: Option<f64>) -> Unit {
    let share = unit.percent / 100.0;
    let while_held = active.filter(|active| *active > 0.0 && !is_shared(part)).map(|active| (share / active).min(1.0));
    let step = k.phases.and_then(|phases| phases.step_efficiency).filter(|_| part == Part::ComputeTensor);
    let resident = step.or(while_held).unwrap_or(share);
    // A pipe that is full in the main loop and idle for long behind it does not set the pace of the launch.
    let is_high = 100.0 * while_held.unwrap_or(share) >= k.limits[Threshold::SolLow];
    let least = match (is_shared(part), step) {
        (true, _) => k.limits[Threshold::SolHigh],
        (_, Some(_)) => k.limits[Threshold::StepEfficiency],
        (_, None) => k.limits[Threshold::UnitSaturated],
    };
    let level = match 100.0 * resident {
        percent if percent >= least && (is_high || step.is_none()) => Level::Saturated,
        _ if is_high => Level::High,
        _ => Level::Idle,
    };
    let name = part.row().map_or("other", |row| row.name).to_owned();
    Unit { part, name, counter: k.kernel.held_as(&unit.counter).to_owned(), share, resident, level }
}

/// Sectors that the L1 caches ask of L2.
pub(super) const L2_SECTORS: Counter = Counter::LtsTSectorsSrcunitTexSum;
/// The same traffic in bytes, read and written: equal on an H200.
pub(super) const L2_BYTES: [Counter; 2] =
    [Counter::L1texMXbar2l1texReadBytesSum, Counter::L1texML1tex2xbarWriteBytesSum];
/// By how much a load takes longer than in an idle chip, from which on more of them only lengthen the queue: below what is full nothing
/// queues and above it all does, so that there is little between. Where it is 1.9 twice as many gave 9 and 18 % (`expert_gather`, `gemv_bf16`),
/// from 2.4 on nowhere more than 4.
pub(super) const QUEUED: f64 = 2.2;

/// Whether most sectors of global accesses are asked for by lanes whose addresses are loaded values, each for a sector of its own: for
/// half of it, or less, as a lane takes 16 bytes at most. Where fewer than two in five lie beside what was asked for, lanes share them.
pub(super) fn is_by_sector(k: &Kernel<'_>) -> bool {
    let all: u64 = k.accesses().iter().map(|access| access.sectors).sum();
    let inherent = k.accesses().iter().filter(|access| access.is_inherent);
    let is_apart = |access: &SectorAccess| 5 * access.excess() >= 2 * access.sectors;
    let own: u64 = inherent.map(|access| if is_apart(access) { access.sectors } else { access.excess() }).sum();
    2 * own > all
}

/// Sectors that a slice of L2 can get from the other half in a cycle: kernels of which most crosses reach 0.95 of it on an H200.
const CROSSING: f64 = 0.5;

/// What L2 has to do of the time. Where sectors cross in whole lines, its fabric reads up to a third higher than what crosses takes, as
/// long as there is room: the same lines read 88 % in 94 µs and 94 % in 77 µs. What crosses sector by sector or for atomics takes as long as
/// it reads.
pub(super) fn l2_works(k: &Kernel<'_>, l2: &Unit) -> f64 {
    let is_whole = !is_by_sector(k) && !is_mostly_atomics(k);
    // Of what the roll-up holds, the lists have all parts but the fabric.
    let busiest = units::busiest(k.kernel).into_iter().find(|unit| unit.code == l2.part);
    let other = busiest.filter(|other| is_whole && k.kernel.held_as(&other.counter) != l2.counter);
    let crossing = || {
        let sectors = k.value(Counter::LtsTSectorsSum)? - k.value(L2_SECTORS)?;
        Some(sectors / (CROSSING * k.value(Counter::LtsCyclesElapsedSum)?))
    };
    other.zip(crossing()).map_or(l2.share, |(other, crossing)| crossing.max(other.percent / 100.0).min(l2.share))
}

/// Bytes that the L1 caches ask of L2; `None` where the report does not tell.
pub(super) fn asked(k: &Kernel<'_>) -> Option<f64> {
    let asked = k.value(L2_SECTORS).map(|sectors| SECTOR * sectors).or_else(|| k.sum(L2_BYTES));
    asked.filter(|bytes| *bytes > 0.0)
}

/// Bytes that a launch stores and that L2 still holds when it ends, where most of what it stored was written to device memory meanwhile: a
/// launch under a profiler finds L2 without any, and leaves these to the next one, which has to write them before it has room for its own.
/// What is stored many times over and what stays in L2 from launch to launch is none of it.
pub(super) fn left_behind(k: &Kernel<'_>) -> Option<f64> {
    let stored: u64 =
        k.accesses().iter().filter(|access| access.at.op().stores_global()).map(|access| access.ideal).sum();
    let (stored, written) = (SECTOR * stored as f64, k.dram_written()?);
    let held = k.value(Counter::DeviceAttributeL2CacheSize)?;
    Some(stored - written).filter(|left| *left > 0.0 && *left <= written && *left <= held)
}

/// The share of its peak that DRAM reaches at best where it only reads: a sum with four loads in flight a thread on an H100, between
/// its ramps.
const DRAM_REACHES: f64 = 0.95;
/// What that falls by where all bytes were written, as a line through a copy on an H200, half of whose bytes are: it reaches 92 %.
const DRAM_TURNS: f64 = 0.06;

/// The share of its peak at which DRAM moves what was counted, where it has to write so many bytes more in that time. Where nobody counted
/// them no bound gets smaller.
pub(super) fn dram_reaches(k: &Kernel<'_>, later: f64) -> f64 {
    let moved = k.sum(DRAM_BYTES).filter(|moved| *moved > 0.0);
    moved.zip(k.dram_written()).map_or(DRAM_REACHES, |(moved, written)| {
        (DRAM_REACHES - DRAM_TURNS * (written + later) / (moved + later)) * moved / (moved + later)
    })
}

/// What device memory moves over what L2 is asked for; `None` where the report does not tell.
pub(super) fn of_dram(k: &Kernel<'_>) -> Option<f64> {
    Some(k.sum(DRAM_BYTES)? / asked(k)?)
}

/// Whether most of what L2 is asked for comes from device memory, so that its fabric carries the same stream; `None` where the report
/// does not tell.
pub(super) fn is_of_dram(k: &Kernel<'_>) -> Option<bool> {
    of_dram(k).map(|part| part >= 0.5)
}

/// Sectors that L1 sends to L2 for atomics, and those for stores.
pub(super) const ATOMICS: [Counter; 3] = [
    Counter::LtsTSectorsSrcunitTexOpRedSum,
    Counter::LtsTSectorsSrcunitTexOpAtomDotAluSum,
    Counter::LtsTSectorsSrcunitTexOpAtomDotCasSum,
];
pub(super) const STORED: Counter = Counter::LtsTSectorsSrcunitTexOpWriteSum;

/// Sectors that atomics touch by their addresses, and those that L1 sends for them: a sector takes one value for each of its words, so
/// that lanes of a request at one word go one after the other.
pub(super) fn added_to(k: &Kernel<'_>) -> [f64; 2] {
    let touched: u64 =
        k.accesses().iter().filter(|access| access.at.op().is_l2_atomic()).map(|access| access.sectors).sum();
    let sent: f64 = ATOMICS.iter().filter_map(|counter| k.value(*counter)).sum();
    [touched as f64, sent.max(touched as f64)]
}

/// Whether atomics are most of what the slices of L2 do. A slice serves a sector a cycle that is written or changed, and two that are read
/// (`peak_sustained` of these counters on an H100). The words are changed where they lie, on the way across the fabric or not, whatever
/// DRAM moves beside them.
pub(super) fn is_mostly_atomics(k: &Kernel<'_>) -> bool {
    let [_, atomics] = added_to(k);
    let stored = k.value(STORED).unwrap_or_default();
    k.value(L2_SECTORS).is_some_and(|all| takes_most(atomics, stored, (all - atomics - stored).max(0.0)))
}

/// Whether so many sectors of atomics take as many cycles as those of stores and loads.
fn takes_most(atomics: f64, stored: f64, loaded: f64) -> bool {
    atomics > 0.0 && atomics >= stored + loaded / 2.0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sector_that_is_added_to_takes_a_slice_as_long_as_two_that_are_read() {
        assert!(takes_most(2.4, 0.0, 2.47) && !takes_most(2.4, 2.0, 2.47) && !takes_most(0.0, 0.0, 0.0));
    }

    #[test]
    fn a_pipe_below_half_of_its_peak_is_idle_for_most_of_the_time() {
        let unit = |part: Part, share: f64, level: Level| {
            let (name, counter) = (String::new(), String::new());
            Unit { part, name, counter, share, resident: share, level }
        };
        // Issue at 37 % with eight warps an SM; at 55 % it is no more idle than busy, and device memory is no pipe.
        assert!(unit(Part::Issue, 0.37, Level::Idle).is_idle_pipe());
        assert!(!unit(Part::Issue, 0.55, Level::Idle).is_idle_pipe());
        assert!(!unit(Part::MemoryDram, 0.37, Level::Idle).is_idle_pipe());
    }
}
