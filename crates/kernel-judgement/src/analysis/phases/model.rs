//! The phases of a kernel as a fact: what is kept of a launch that was sampled by instruction.

use super::detail::{GuardedOpcode, Named, OpcodeRun, Pressure, SectorAccess, TensorSite, TimeSplit, Wait, WaitGroup};
use cuda_binary::op::Sync;

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, serde::Serialize, strum::VariantArray)]
#[serde(rename_all = "kebab-case")]
pub enum PhaseKind {
    /// In front of the main loop.
    Prologue,
    /// The loop that does the work.
    MainLoop,
    /// Code in the main loop that only some turns run and that stores nothing.
    Conditional,
    /// The wait for the last products behind the main loop.
    Drain,
    /// What brings the results to memory.
    Epilogue,
    /// From the last store of a tile to the first step of the next.
    NextTile,
    /// From the last store to the end.
    Exit,
    /// A loop beside the main loop.
    Loop,
    /// A stretch of code of a kernel without main loop.
    #[default]
    Stretch,
    /// Code in other functions that were loaded apart.
    Elsewhere,
    /// Part of a main loop: waiting for the data of a step: mbarrier, copy group, fence, barrier of the block.
    StageWait,
    /// Waiting until the warps that take tiles in turn with these are done with the tensor pipe.
    TurnWait,
    /// Part of an epilogue: turning sums into results and storing them.
    Stores,
    /// Part of an epilogue: waiting until the stores of a tile have read their registers, before the next tile writes to those.
    StoreWait,
    /// Waiting for a stage that may be filled again.
    SlotWait,
    /// Waiting for registers that loads fill.
    LoadsWait,
    /// Waiting for the warps' own copies to shared memory.
    CopiesWait,
    /// Part of a main loop: from the first to the last product of a step.
    Issue,
    /// Part of a main loop: the copies of another step.
    Copies,
    /// Part of a main loop: waiting for the products.
    ProductsWait,
    /// Part of a main loop: handing the stage back.
    Release,
    /// Part of a main loop: counting turns and stages, addresses, and what else is left.
    Control,
    /// Part of a main loop: bringing data from global memory through registers.
    Load,
    /// Part of a main loop: computing, on what was loaded where it is loaded through registers.
    Compute,
    /// Part of a main loop: warps that wait for each other.
    Barrier,
    /// Part of a main loop: a loop inside it.
    InnerLoop,
}

impl PhaseKind {
    /// Whether its warps do nothing but wait.
    pub fn is_wait(self) -> bool {
        use PhaseKind::{Barrier, CopiesWait, LoadsWait, ProductsWait, SlotWait, StageWait, StoreWait, TurnWait};
        matches!(self, StageWait | ProductsWait | SlotWait | LoadsWait | CopiesWait | StoreWait | TurnWait | Barrier)
    }
}

/// A range of source lines, or of byte offsets where no line is known.
#[derive(Clone, Debug, Default, PartialEq, Eq, serde::Serialize)]
pub struct Span {
    /// File name without folders; empty where no line is known.
    pub file: String,
    /// First line; 0 where no line is known.
    pub first: u32,
    pub last: u32,
    /// Byte offset of the first instruction.
    pub start: u64,
    /// Byte offset of the last instruction.
    pub end: u64,
}

/// A stretch of a warp's life.
#[derive(Clone, Debug, Default, PartialEq, serde::Serialize)]
pub struct Phase {
    pub kind: PhaseKind,
    pub at: Span,
    /// The function that the phase is, where one call holds nearly all of it.
    pub name: Option<Named>,
    pub samples: u64,
    /// Share of the life of a warp of the pacing role, 0 to 1. It is a share of time only where [`Phases::is_time`].
    pub share: f64,
    /// The same without warps that were ready and wait for their turn: what the phase costs. Copies behind products cost at
    /// most what draining the pipe costs.
    pub cost: f64,
    /// Cycles in one tile, or in the life of a warp (see [`Phases::unit`]).
    pub cycles: Option<f64>,
    /// Tensor cycles in the same; `Some(0)` only where the pipe is empty for certain, `None` where nothing tells.
    pub tensor: Option<f64>,
    pub executed: u64,
    /// Those of them that only ask an mbarrier again.
    pub polls: u64,
    /// Whether products of the warps themselves are in flight for most of it; `None` without tensor instructions.
    pub in_flight: Option<bool>,
    /// Cycles that the schedulers of an SM need at least to issue them, in the same time: one instruction a cycle for each of
    /// four. Far below `cycles`, the phase is latency, not work.
    pub issue: Option<f64>,
    /// What its warps wait for, largest first.
    pub waits: Vec<Wait>,
    /// What it executes, the most first; a phase with parts leaves it to them.
    pub opcodes: Vec<OpcodeRun>,
    /// Parts, in the order of the code; their shares add up to the phase's.
    pub parts: Vec<Phase>,
}

impl Phase {
    /// The part of its samples that wait at mbarriers, 0 to 1, as far as their largest groups tell.
    pub(in crate::analysis) fn at_mbarriers(&self) -> f64 {
        let of_loads = self.waits.iter().filter(|wait| wait.reason == LONG);
        of_loads.map(|wait| wait.share * of_groups(wait, is_mbarrier)).sum()
    }
}

fn is_mbarrier(group: &WaitGroup) -> bool {
    group.cause.as_ref().is_some_and(|at| at.op().sync() == Some(Sync::Mbarrier))
}

/// The part of the samples of a reason in groups of a kind, 0 to 1.
fn of_groups(wait: &Wait, is_meant: impl Fn(&WaitGroup) -> bool) -> f64 {
    wait.groups.iter().filter(|group| is_meant(group)).map(|group| group.share).sum()
}

/// Warps that run the same code.
#[derive(Clone, Debug, PartialEq, serde::Serialize)]
pub struct Role {
    /// Warps of a block.
    pub warps: u64,
    /// Byte offset of its first instruction.
    pub start: u64,
    /// Samples in its own code.
    pub samples: u64,
    /// Executed warp instructions of its own code.
    pub executed: u64,
    pub tensor: u64,
    /// Executed copies from global to shared memory that go past the registers.
    pub copies: u64,
    /// Executed stores to global memory.
    pub stores: u64,
    /// Samples at mbarriers and barriers, where its warps wait for another role or for bulk copies; `None` where all warps run the same.
    pub at_barriers: Option<u64>,
    /// Its lines with the most samples, where the phases are those of another role; shares are of its own samples.
    pub lines: Vec<Phase>,
}

impl Role {
    /// The share of its samples at mbarriers and barriers, 0 to 1; `None` where all warps run the same.
    pub fn waiting(&self) -> Option<f64> {
        Some(self.at_barriers? as f64 / self.samples.max(1) as f64)
    }
}

/// What sets the pace of a kernel whose warps have roles: it follows from who waits at barriers for whom.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Pace {
    /// The role at this position hardly waits, and each of the others does for a good part of its samples.
    Role(usize),
    /// All roles wait: for what is on its way between them.
    Copies,
}

/// The stall reason of loads through L1, and of answers of mbarriers.
pub(super) const LONG: &str = "long_scoreboard";

/// What the cycles of the phases are cycles of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum CycleUnit {
    /// One tile of a persistent kernel: elapsed cycles × SMs / tiles.
    Tile,
    /// One block that has its SM for itself: resident cycles × SMs / blocks.
    Block,
    /// The life of a warp.
    Warp,
}

/// Where the time of one launch goes, phase by phase.
#[derive(Clone, Debug, PartialEq, serde::Serialize)]
pub struct Phases {
    /// `S`: samples of all warps.
    pub samples: u64,
    /// Warps of a block.
    pub warps: u64,
    /// Roles in the order of their code; one where all warps run the same.
    pub roles: Vec<Role>,
    /// Position of the role whose phases these are: the one that holds the tensor instructions, else the most instructions.
    pub pacing: usize,
    /// Whom the roles wait for; `None` where all warps run the same, and where nothing tells.
    pub pace: Option<Pace>,
    /// The phases in the order of the code; their shares add up to 1. None for a kernel of one stretch without a loop.
    pub phases: Vec<Phase>,
    /// Whether shares of samples are shares of the elapsed time: nearly all warps that fit are there from start to end.
    pub is_time: bool,
    pub unit: Option<CycleUnit>,
    /// Cycles of that unit.
    pub cycles: Option<f64>,
    /// Tiles: blocks, or turns of a persistent kernel's epilogue.
    pub tiles: Option<f64>,
    /// Whether few blocks compute all tiles, one after the other.
    pub is_persistent: bool,
    /// Groups of the pacing warps that take tiles in turn, so that one multiplies while another one stores; cycles of the phases, and
    /// tensor cycles, are then those in which each group computes one tile. `None` where all warps work on the same tile.
    pub in_turn: Option<u64>,
    /// Turns of the main loop for one tile.
    pub steps: Option<f64>,
    /// Tensor cycles of one tile.
    pub tensor: Option<f64>,
    /// Share of the steps, and of the drain behind them, in which the tensor pipe works; `None` where several blocks share an SM.
    pub step_efficiency: Option<f64>,
    /// What the elapsed time is made of.
    pub time: TimeSplit,
    /// Samples behind a full tensor pipe; `None` without tensor instructions.
    pub pressure: Option<Pressure>,
    /// Share of a tile's cycles that is lost because each step waits for all of its products; `None` where it is not.
    pub drain_in_loop: Option<f64>,
    /// Stall reasons of all warps by phase or role: the largest reason first, and of each its largest place.
    pub stalls: Vec<Wait>,
    /// Tensor instructions of each main loop, one site for each opcode.
    pub sites: Vec<TensorSite>,
    /// Opcodes of which some executions had no lane on.
    pub guarded: Vec<GuardedOpcode>,
    /// Whether it calls functions whose code the report does not hold.
    pub calls_out: bool,
    /// Global accesses with at least a hundredth of the sectors, the largest excess first.
    pub accesses: Vec<SectorAccess>,
}

impl Phases {
    /// All phases of a kind, parts included.
    fn of_kind(&self, kind: PhaseKind) -> impl Iterator<Item = &Phase> {
        let all = self.phases.iter().chain(self.phases.iter().flat_map(|phase| &phase.parts));
        all.filter(move |phase| phase.kind == kind)
    }

    /// The first phase of a kind, parts included.
    pub fn phase(&self, kind: PhaseKind) -> Option<&Phase> {
        self.of_kind(kind).next()
    }

    /// The warps without products whose work sets the pace of those with products; `None` where nobody waits for such.
    pub(in crate::analysis) fn producer(&self) -> Option<&Role> {
        let Some(Pace::Role(at)) = self.pace else { return None };
        self.roles.get(at).filter(|role| role.tensor == 0)
    }

    /// The share of all phases of a kind, parts included; 0 where there is none.
    pub fn share(&self, kind: PhaseKind) -> f64 {
        self.of_kind(kind).map(|phase| phase.share).sum()
    }

    /// The part of the samples of long scoreboards that are for mbarriers, 0 to 1, as far as their largest groups tell: bulk copies and
    /// other warps are waited for there, and no load.
    pub fn at_mbarriers(&self) -> f64 {
        self.part_of(LONG, is_mbarrier)
    }

    /// The part of the samples of barriers that is for products in flight, 0 to 1, as far as their largest groups tell: the warps
    /// of a warpgroup wait for the tensor pipe there, and not for each other.
    pub fn at_products(&self) -> f64 {
        self.part_of("barrier", |group| group.at.op().sync() == Some(Sync::Products))
    }

    /// Where a reason is met, largest first.
    pub fn stalls_of<'s>(&'s self, reason: &'s str) -> impl Iterator<Item = &'s Wait> {
        self.stalls.iter().filter(move |stall| stall.reason == reason)
    }

    /// The part of the samples of a reason in groups of a kind.
    fn part_of(&self, reason: &str, is_meant: impl Fn(&WaitGroup) -> bool) -> f64 {
        self.stalls_of(reason).map(|place| place.share * of_groups(place, &is_meant)).sum()
    }

    /// The phases with their parts in place of those that have some.
    pub fn leaves(&self) -> impl Iterator<Item = &Phase> {
        self.phases.iter().flat_map(|phase| match phase.parts.is_empty() {
            true => std::slice::from_ref(phase),
            false => &phase.parts,
        })
    }

    /// Cycles of one turn of the main loop, with its part of the drain, in which the products of the last turns are waited for; `None`
    /// where a turn is a whole tile.
    pub fn step_cycles(&self) -> Option<f64> {
        let steps = self.steps.filter(|steps| *steps > 1.0)?;
        // Of a step with products their part of it is known while a block is resident: what a tile takes holds SMs without one as well.
        if let Some((tensor, busy)) = self.tensor.zip(self.step_efficiency).filter(|(_, busy)| *busy > 0.0) {
            return Some(tensor / busy / steps);
        }
        let is_of_steps = |phase: &&Phase| matches!(phase.kind, PhaseKind::MainLoop | PhaseKind::Drain);
        let main = self.phases.iter().filter(is_of_steps);
        let cycles: Option<f64> = main.map(|phase| phase.cycles).sum();
        Some(cycles?.max(self.tensor.unwrap_or_default()) / steps)
    }
}
