//! The fact nearest to the source that a change of the cycles goes with: conflicts that went, lanes that work, loads in flight. How busy a
//! unit is and what warps wait for follow from it.
//!
//! With `K` the elapsed cycles, a count tells of the change where `ln(was / is) / ln(K_old / K_new)` is a half or more. A count that the
//! SMs work off one a cycle (excess wavefronts of shared memory, sectors at the tags of L1 and on the way to L2) also tells where its own
//! cycles, `|was − is| / SMs`, are half of those that changed.

use crate::analysis::KernelSummary;
use crate::analysis::derive::coalescing::{self, IDEAL, SECTORS, WAVEFRONTS};
use crate::analysis::derive::mix::InstructionMix;
use crate::analysis::derive::product_shape::sides;
use crate::analysis::phases::{DIVISION, Study};
use crate::catalog::{Code, Counter, Part, StallReason};
use cuda_binary::Op;
use cuda_binary::op::{Space, Sync};

/// The part of the change that a fact must account for.
const TELLS: f64 = 0.5;
/// The part from which fewer instructions do, whose time others may hide.
const INSTRUCTIONS: f64 = 0.75;
/// The part of the cycles that traffic takes at its full rate from which it is no trifle, where the way is not full.
const TRAFFIC: f64 = 0.25;
/// Bytes of DRAM that an SM has a cycle: 3 to 18, from a card for games to an H200.
const DRAM_BYTES: f64 = 10.0;
/// Warps or bytes in flight that changed by this factor are another launch, and not its chance.
const IN_FLIGHT: f64 = 1.2;
const SPILLS: Counter = Counter::SassInstExecutedRegisterSpilling;
const LOCAL_SECTORS: Counter = Counter::MemoryL2TheoreticalSectorsLocal;
const LANES: Counter = Counter::SmspThreadInstExecutedPerInstExecutedRatio;
const EXECUTED: Counter = Counter::SmspInstExecutedSum;
const BLOCKS: Counter = Counter::LaunchGridSize;
const L2_SECTORS: Counter = Counter::LtsTSectorsSum;
const L2_HITS: Counter = Counter::LtsTSectorHitRatePct;
const DRAM: [Counter; 2] = [Counter::DramBytesReadSum, Counter::DramBytesWriteSum];

/// What the change of the cycles is made of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Cause {
    /// The blocks end together, or no longer do.
    Tail,
    /// The unit's work changed.
    Work,
    /// The unit, which is near its peak on one side, idles less, or more, with the same work.
    Overlap,
    /// The unit has less to do and the launch is longer, or the other way round: something else took over.
    Traded,
    Both,
    /// No unit tells it: none was busy enough to have set the time.
    Latency,
}

/// A unit on both sides.
#[derive(Clone, Debug, PartialEq, serde::Serialize)]
pub struct UnitChange {
    /// What a sentence calls it.
    pub label: String,
    pub counter: String,
    #[serde(skip)]
    pub part: Part,
    pub is_tensor: bool,
    /// Share of its peak over the elapsed time, old and new, in percent.
    pub share: (f64, f64),
    /// Its busy cycles, `u·K`, old and new.
    pub busy: (f64, f64),
}

/// What a root counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RootKind {
    /// Executed products of the tensor cores, which one side does without.
    Products,
    /// Executed instructions that spill or refill registers.
    Spills,
    /// Executed accesses to local memory.
    Local,
    /// Wavefronts of shared memory beyond the least.
    Conflicts,
    /// Sectors of global accesses beyond those that their bytes fill.
    Sectors,
    /// Executed accesses to shared memory.
    Shared,
    /// Columns of the average product of a warpgroup.
    Columns,
    /// Executed atomics that L2 serves.
    Atomics,
    /// Lanes of them.
    AtomicLanes,
    /// Executed barriers of the block.
    Barriers,
    /// Executed divisions of integers of 64 bits.
    LongDivisions,
    /// Executed divisions of integers of 32 bits.
    Divisions,
    /// Bytes that lanes load from global memory.
    Loaded,
    /// Executed loads of constants whose address is each lane's own.
    Constants,
    /// Blocks of the grid.
    Blocks,
    /// Lanes that are on in the average instruction.
    Lanes,
    /// Executed instructions.
    Instructions,
    /// Warps in flight, in percent of an SM's room.
    Warps,
    /// Bytes that a lane loads before the first use.
    Loads,
    /// Groups of asynchronous copies under way at the wait for one.
    Copies,
    /// Sectors that found their line in L2, in percent.
    Hits,
    /// Sectors of L2.
    L2,
    /// Bytes of DRAM.
    Dram,
}

/// A fact of both sides.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Root {
    pub kind: RootKind,
    pub was: f64,
    pub is: f64,
}

impl Root {
    /// How much of the logarithm of the cycles' ratio it accounts for.
    fn part(self, change: f64) -> f64 {
        use RootKind::{Columns, Copies, Hits, Lanes, Loads, Products, Warps};
        let ratio = (self.was.max(1.0) / self.is.max(1.0)).ln() / change;
        // More of these makes a launch shorter.
        if matches!(self.kind, Columns | Copies | Hits | Lanes | Loads | Products | Warps) { -ratio } else { ratio }
    }
}

/// The two sides of a change.
pub(super) struct Sides<'s, 'a> {
    pub(super) old: &'s KernelSummary<'a>,
    pub(super) new: &'s KernelSummary<'a>,
    /// The code of the old and of the new side.
    pub(super) code: Option<(&'s Study<'a>, &'s Study<'a>)>,
    /// Limiters of the old and of the new side.
    pub(super) limiters: (Code, Code),
    /// Warps in flight, old and new.
    pub(super) in_flight: Option<(f64, f64)>,
}

impl Sides<'_, '_> {
    /// What the change comes from; `None` where no count tells, and where the tail does.
    pub(super) fn root(&self, unit: &UnitChange, cause: Cause, cycles: (f64, f64)) -> Option<Root> {
        let change = (cycles.0 / cycles.1).ln();
        let slower = if change > 0.0 { self.limiters.0 } else { self.limiters.1 };
        let tells = |root: &Root| root.part(change) >= TELLS;
        // What the limiter counts says nothing where its unit had the less to do of the longer launch.
        let of_limiter = || {
            let kinds = named(slower).filter(|_| cause != Cause::Traded)?;
            kinds.iter().filter_map(|kind| self.of(*kind)).find(tells)
        };
        // Where issue or a pipe has the less to do, what the way to memory saves is hidden behind it.
        let is_by_slots = cause == Cause::Work && (unit.part == Part::Issue || unit.part.computes());
        let by_time = || {
            let kinds =
                [RootKind::Conflicts, RootKind::Sectors, RootKind::Local, RootKind::Spills, RootKind::AtomicLanes];
            let own = |kind| Some((self.of(kind)?, self.takes(kind, cycles)?));
            let most = kinds.into_iter().filter_map(own).max_by(|(_, a), (_, b)| a.total_cmp(b));
            most.filter(|(_, part)| !is_by_slots && *part >= TELLS).map(|(root, _)| root)
        };
        let lanes = || {
            let work = (unit.busy.0 / unit.busy.1).ln();
            let is_meant = is_by_slots && !unit.is_tensor;
            self.of(RootKind::Lanes).filter(|root| is_meant && root.part(work) >= TELLS && root.part(change) >= TELLS)
        };
        let most = |kind, least| self.of(kind).filter(|root| root.part(change) >= least);
        let in_flight = |kind| {
            let is_another = |root: &Root| (root.is / root.was).ln().abs() >= IN_FLIGHT.ln();
            most(kind, TELLS).filter(is_another)
        };
        let instructions = || most(RootKind::Instructions, INSTRUCTIONS);
        // Lanes that read one address load more bytes than they ask for.
        let asked = || {
            let of = |side: &KernelSummary<'_>| side.value(SECTORS).filter(|sectors| *sectors > 0.0);
            of(self.old).zip(of(self.new)).is_none_or(|(was, is)| (was / is).ln().abs() >= IN_FLIGHT.ln())
        };
        let loaded = || {
            let root = in_flight(RootKind::Loaded).filter(|root| root.part(change) >= INSTRUCTIONS && brings(slower));
            root.filter(|_| asked())
        };
        // Barriers are work of the pipe that jumps take as well.
        let is_of_barriers =
            slower == Code::Wait(StallReason::Barrier) || cause == Cause::Work && unit.part == Part::ComputeControl;
        let barriers = || most(RootKind::Barriers, TELLS).filter(|_| is_of_barriers);
        let first = |kinds: &[RootKind]| kinds.iter().find_map(|kind| in_flight(*kind));
        let traffic = |kind| most(kind, INSTRUCTIONS).filter(|_| self.takes(kind, cycles) >= Some(TRAFFIC));
        let is_whole = |root: &Root| root.was.min(root.is) == 0.0 && tells(root);
        let products = || self.of(RootKind::Products).filter(is_whole);
        let atomics = || {
            let weighs = |_: &Root| self.takes(RootKind::AtomicLanes, cycles) >= Some(TRAFFIC);
            self.of(RootKind::AtomicLanes).filter(is_whole).filter(weighs)
        };
        let found = products().or_else(atomics).or_else(of_limiter).or_else(by_time).or_else(lanes);
        // Fewer accesses have fewer conflicts as well: the root is whichever took more wavefronts along.
        let accesses = found.filter(|root| root.kind == RootKind::Conflicts).and_then(|conflicts| {
            let least = |side| Some(wavefronts(side)?.1);
            let by = (least(self.old)? - least(self.new)?).abs();
            most(RootKind::Shared, INSTRUCTIONS).filter(|_| by > (conflicts.was - conflicts.is).abs())
        });
        // And fewer bytes have fewer sectors beside them.
        let found = found.filter(|root| {
            let by = |of: Counter| Some((self.old.value(of)? - self.new.value(of)?).abs());
            let is_whole = || Some(by(IDEAL)? > (root.was - root.is).abs());
            root.kind != RootKind::Sectors || loaded().is_none() || is_whole() != Some(true)
        });
        let found = accesses
            .or(found)
            .or_else(|| in_flight(RootKind::Columns))
            .or_else(barriers)
            .or_else(|| self.divisions(change))
            .or_else(loaded);
        match cause {
            Cause::Tail => None,
            Cause::Work | Cause::Both if unit.part == Part::MemoryDram => found.or_else(|| self.hits(unit, change)),
            Cause::Work | Cause::Both => found,
            Cause::Overlap => {
                found.or_else(|| first(&[RootKind::Warps, RootKind::Copies, RootKind::Loads])).or_else(instructions)
            }
            Cause::Traded | Cause::Latency => found
                .or_else(instructions)
                .or_else(|| in_flight(RootKind::Warps))
                .or_else(|| traffic(RootKind::L2))
                .or_else(|| traffic(RootKind::Dram))
                .or_else(|| first(&[RootKind::Copies, RootKind::Loads])),
        }
    }

    fn of(&self, kind: RootKind) -> Option<Root> {
        let of = |side: &KernelSummary<'_>| {
            let executed = |is_own: &dyn Fn(Op) -> bool| {
                let opcodes = side.opcodes();
                let own = || opcodes.iter().filter(|(opcode, _)| is_own(Op::of(opcode))).map(|(_, count)| count).sum();
                (!opcodes.is_empty()).then(own)
            };
            match kind {
                RootKind::Products => executed(&Op::is_product),
                RootKind::Spills => side.value(SPILLS),
                RootKind::Local => executed(&|op| op.is_in(Space::Local)),
                RootKind::Conflicts => wavefronts(side).map(|(all, least)| all - least),
                RootKind::Sectors => Some((side.value(SECTORS)? - side.value(IDEAL)?).max(0.0)),
                RootKind::Shared => executed(&|op| op.is_in(Space::Shared) && op.is_by_lane()),
                RootKind::Columns => columns(side),
                RootKind::Atomics => executed(&Op::is_l2_atomic),
                RootKind::Barriers => executed(&|op| op.sync() == Some(Sync::Block)),
                RootKind::Constants => executed(&Op::loads_constants_by_lane),
                RootKind::Blocks => side.value(BLOCKS),
                RootKind::Lanes => side.value(LANES),
                RootKind::Instructions => side.value(EXECUTED),
                RootKind::Hits => side.value(L2_HITS),
                RootKind::L2 => side.value(L2_SECTORS),
                RootKind::Dram => Some(side.value(DRAM[0])? + side.value(DRAM[1])?),
                _ => None,
            }
        };
        let by_code =
            |count: &dyn Fn(&Study<'_>) -> Option<f64>| self.code.and_then(|(old, new)| count(old).zip(count(new)));
        let (was, is) = match kind {
            RootKind::Warps => self.in_flight?,
            RootKind::Loads => by_code(&|study| study.under_way(|bytes| bytes))?,
            RootKind::Copies => by_code(&|study| Some(f64::from(study.copies_ahead()?) + 1.0))?,
            RootKind::Divisions => by_code(&|study| Some(study.divisions()[0]))?,
            RootKind::LongDivisions => by_code(&|study| Some(study.divisions()[1]))?,
            RootKind::Loaded => by_code(&|study| study.loaded_bytes(Space::Global))?,
            RootKind::AtomicLanes => by_code(&|study| study.lanes(Op::is_l2_atomic))?,
            _ => (of(self.old)?, of(self.new)?),
        };
        (was != is).then_some(Root { kind, was, is })
    }

    /// Divisions of integers, where what they take is half of the instructions that changed.
    fn divisions(&self, change: f64) -> Option<Root> {
        let instructions = self.of(RootKind::Instructions).filter(|root| root.part(change) >= TELLS)?;
        let kinds = [(RootKind::LongDivisions, DIVISION[1]), (RootKind::Divisions, DIVISION[0])];
        kinds.into_iter().find_map(|(kind, each)| {
            let by = |root: &Root| each * (root.was - root.is) / (instructions.was - instructions.is);
            self.of(kind).filter(|root| by(root) >= TELLS)
        })
    }

    /// The part of the cycles that changed in which the SMs work off what a count changed by, at its full rate: one a cycle and SM. Lanes of
    /// atomics count as at one word, where each takes a turn; in whole sectors eight go at once, so that theirs is the most.
    fn takes(&self, kind: RootKind, cycles: (f64, f64)) -> Option<f64> {
        let (was, is) = match kind {
            RootKind::Spills | RootKind::Local => (self.old.value(LOCAL_SECTORS)?, self.new.value(LOCAL_SECTORS)?),
            RootKind::Dram => self.of(kind).map(|root| (root.was / DRAM_BYTES, root.is / DRAM_BYTES))?,
            _ => self.of(kind).map(|root| (root.was, root.is))?,
        };
        Some((was - is) / f64::from(self.old.device().sm_count?) / (cycles.0 - cycles.1))
    }

    /// Hits in L2, where DRAM has another number of bytes for about the same sectors of L2.
    fn hits(&self, unit: &UnitChange, change: f64) -> Option<Root> {
        let work = (unit.busy.0 / unit.busy.1).ln();
        let sectors = self.of(RootKind::L2).map_or(0.0, |root| root.part(work));
        self.of(RootKind::Hits).filter(|root| sectors < TELLS && root.part(change) > 0.0)
    }
}

/// What the limiter of the slower side counts.
fn named(limiter: Code) -> Option<&'static [RootKind]> {
    Some(match limiter {
        Code::RegisterSpilling => &[RootKind::Spills, RootKind::Local],
        Code::LocalMemory => &[RootKind::Local],
        Code::SharedBankConflicts => &[RootKind::Conflicts],
        Code::UncoalescedGlobalAccess | Code::MisalignedGlobalAccess => &[RootKind::Sectors],
        Code::AtomicContention => &[RootKind::AtomicLanes, RootKind::Atomics],
        Code::ConstantDivergence => &[RootKind::Constants],
        Code::LaunchShortBlocks => &[RootKind::Blocks],
        Code::Divergence => &[RootKind::Lanes],
        Code::OccupancyLimit => &[RootKind::Warps],
        _ => return None,
    })
}

/// Wavefronts of shared memory, and those that its accesses take at least.
fn wavefronts(side: &KernelSummary<'_>) -> Option<(f64, f64)> {
    match side.value(WAVEFRONTS)? {
        0.0 => Some((0.0, 0.0)),
        _ => coalescing::shared(side, &InstructionMix::of(side, None, [None; 2])),
    }
}

/// Whether what limits a launch is what brings data, or the wait for it.
fn brings(limiter: Code) -> bool {
    use Part::{MemoryDram, MemoryL1tex, MemoryL2};
    matches!(limiter, Code::Wait(StallReason::LongScoreboard) | Code::Unit(MemoryDram | MemoryL1tex | MemoryL2))
}

/// Columns of the average product of a warpgroup; `None` without such products.
fn columns(side: &KernelSummary<'_>) -> Option<f64> {
    let (mut all, mut sum) = (0.0, 0.0);
    for (opcode, count) in side.with_modifiers()? {
        if let Some([_, columns, _]) = sides(opcode) {
            (all, sum) = (all + count, sum + count * f64::from(columns));
        }
    }
    (all > 0.0).then(|| sum / all)
}
