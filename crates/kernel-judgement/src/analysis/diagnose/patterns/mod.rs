//! Patterns: what is asked of a kernel, what the answer stands for in the account of the time, and what could be done about it.
//!
//! A family of patterns is one file: how each is measured, its words, and its changes; what is asked is its own table of
//! [`Pattern`]s. A question whose evidence is missing is silent; which answer limits, the account says; what a change gives, the machine.
//! A new pattern is its place in a family, the rows of its code and its actions in `catalog`, and a test.

mod additions;
mod alike;
mod atomics;
mod balance;
pub(super) mod banks;
mod barriers;
mod beside;
mod bits;
mod buffers;
mod constants;
mod epilogue;
mod factors;
mod fences;
mod functions;
pub(super) mod grid;
mod idle;
mod indices;
mod instructions;
mod kept;
mod lanes;
pub(super) mod launch;
mod loads;
mod local;
mod long;
mod lookups;
mod narrow;
pub(super) mod occupancy;
mod on_tensor;
mod order;
pub(super) mod origin;
mod passes;
mod patch;
mod products;
mod records;
mod reductions;
mod reuse;
mod rows;
mod search;
pub(super) mod sectors;
pub(super) mod stages;
mod table;
mod tile;
pub(super) mod units;
mod windows;
pub(super) mod work;

// What every family speaks of.
use super::draft::{Draft, busiest, stall};
use super::held::{At, Held, count, share, whole};
use super::level::{self, DRAM_BYTES, Level, Unit};
use super::lever::Along;
use super::machine::{Change, ROOF};
use super::measures::{
    ACHIEVED, CYCLES, EXECUTED, MANY_WAVES, Measures, QUEUES, RESIDENT, RESIDENT_MOST, SM_CYCLES, THEORETICAL, WAVES,
};
use crate::analysis::derive::coalescing::WAVEFRONTS;
use crate::analysis::derive::data_stage::DataStage;
use crate::analysis::kernel::summary::DURATION;
use crate::analysis::phases::{Code as KernelCode, Phase, PhaseKind, Phases, Point, SectorAccess, Study, point};
use crate::catalog::{self, Action, Code, Counter, Part, StallReason, Threshold};
use crate::evidence::{Register, RegisterFile};
use crate::quantity::format::{self, fixed, percent, plain};
use crate::quantity::{SECTOR, glance};
use crate::words;
use crate::words::Words;
use cuda_binary::op::{Act, Pipe, Space};
use cuda_binary::{Class, Op};

/// What the patterns of a family are, in the order in which they are asked.
const FAMILIES: [&[Pattern]; 20] = [
    &launch::PATTERNS,
    &occupancy::PATTERNS,
    &fences::PATTERNS,
    &epilogue::PATTERNS,
    &atomics::PATTERNS,
    &additions::PATTERNS,
    &local::PATTERNS,
    &sectors::PATTERNS,
    &banks::PATTERNS,
    &barriers::PATTERNS,
    &lanes::PATTERNS,
    &[Pattern::changes(&[idle::smaller_blocks])],
    &constants::PATTERNS,
    &loads::PATTERNS,
    &units::PATTERNS,
    &products::PATTERNS,
    &[Pattern::changes(&[
        narrow::operands,
        narrow::letters,
        narrow::packed,
        narrow::flags,
        additions::gather,
        stages::bulk,
        stages::stages,
        table::copied_less,
        tile::register_tile,
        reuse::reuse,
        reuse::bytes,
        reuse::narrow_index,
        reuse::kept_in_l2,
        search::search,
        search::walk,
        search::early,
        search::by_halves,
        passes::passes,
        order::in_order,
        rows::side_by_side,
        alike::once,
        alike::once_for_all,
        factors::one_by_one,
        lookups::two_at_a_time,
        lookups::asked_first,
        long::long,
        long::carried,
    ])],
    &instructions::PATTERNS,
    &origin::PATTERNS,
    &[Pattern::changes(&[
        records::side_by_side,
        atomics::tries,
        kept::of_thread,
        kept::of_block,
        kept::past_l1,
        reductions::once,
        reductions::largest,
        reductions::part_of_a_warp,
        windows::window,
    ])],
];

/// A pattern: a question, where it is one by itself, and what could be done.
pub(super) struct Pattern {
    pub(super) question: Option<Question>,
    pub(super) changes: &'static [Cure],
}

/// What a pattern asks.
pub(super) struct Question {
    pub(super) asks: &'static str,
    pub(super) measure: fn(&Measures<'_>) -> Option<Held>,
    pub(super) stands: Stands,
    /// What it cannot be answered without.
    pub(super) needs: Need,
}

/// Evidence as an engineer calls it, and whether it is there.
pub(super) type Need = (&'static str, fn(&Measures<'_>) -> bool);

pub(super) const NOTHING: Need = ("", |_| true);
const BY_INSTRUCTION: Need = ("counts by instruction", |m| m.study.is_some());
const SAMPLES: Need = ("samples by instruction", |m| m.sampled().is_some());
const STALLS: Need = ("stall reasons", |m| m.top_wait().is_some());
const WARPS: Need = ("warps in flight", |m| m.filled().is_some());
const OPCODES: Need = ("executions by opcode or instruction", |m| m.executions(|_| true).is_some());

/// Something that could be done; `None` where there is no reason to, or it cannot be done here.
pub(super) type Cure = fn(&Measures<'_>) -> Option<Draft>;

impl Pattern {
    /// A question, with what the answer stands for; without what is counted by instruction it has none.
    const fn asks(asks: &'static str, measure: fn(&Measures<'_>) -> Option<Held>, stands: Stands) -> Pattern {
        Pattern { question: Some(Question { asks, measure, stands, needs: BY_INSTRUCTION }), changes: &[] }
    }

    /// What it cannot be answered without, where that is something else.
    const fn needs(self, needs: Need) -> Pattern {
        match self.question {
            Some(question) => Pattern { question: Some(Question { needs, ..question }), ..self },
            None => self,
        }
    }

    /// What could be done about it.
    const fn cured_by(self, changes: &'static [Cure]) -> Pattern {
        Pattern { changes, ..self }
    }

    /// What is asked by what could be done alone.
    const fn changes(changes: &'static [Cure]) -> Pattern {
        Pattern { question: None, changes }
    }
}

fn all() -> impl Iterator<Item = &'static Pattern> {
    FAMILIES.into_iter().flatten()
}

/// Every question, in order.
pub(super) fn questions() -> impl Iterator<Item = &'static Question> {
    all().filter_map(|pattern| pattern.question.as_ref())
}

/// Everything that could be done.
pub(super) fn changes(m: &Measures<'_>) -> impl Iterator<Item = Draft> {
    all().flat_map(|pattern| pattern.changes).filter_map(|change| change(m))
}

/// What a finding stands for in the account of the time.
pub(super) enum Stands {
    /// A fact of the launch, before anything is weighed.
    Before,
    /// Something that takes time by itself; it is away where this is done.
    ByItself(Action),
    /// What a part or a wait is made of; it is away where this is done.
    For(Action),
    /// Work that instructions ask for: its unit limits, and it is told beside that. It is away where this is done.
    Work(Action),
    /// Warps that are missing: the part of the slots that is filled, 0 to 1, and what fills more of them.
    Warps(fn(&Measures<'_>) -> Option<f64>, Action),
    /// It limits nothing.
    Beside,
}

impl Stands {
    /// What is done where it is away.
    pub(super) fn cure(&self) -> Option<Action> {
        match self {
            Stands::ByItself(action) | Stands::For(action) | Stands::Work(action) | Stands::Warps(_, action) => {
                Some(*action)
            }
            Stands::Before | Stands::Beside => None,
        }
    }
}

/// The data stage of L1, by the name of what fills most of it.
const DATA_STAGE: [Part; 2] = [Part::MemoryShared, Part::MemoryL1tex];

/// The same with the requests in front of it.
const L1: [Part; 3] = [Part::MemoryShared, Part::MemoryL1tex, Part::MemoryLsu];

/// Hit rate of L1, percent.
const L1_HITS: Counter = Counter::L1texTSectorHitRatePct;

/// Lanes of a warp.
const WARP: f64 = 32.0;

/// Bits of the widest access of a lane.
const WIDEST: u64 = 128;
const WIDEST_BYTES: f64 = WIDEST as f64 / 8.0;

/// What a warp spends for each instruction beside queues.
const OF_EACH: [StallReason; 4] =
    [StallReason::Wait, StallReason::Selected, StallReason::BranchResolving, StallReason::DispatchStall];

/// What warps wait for behind loads and stores of global memory, and behind accesses to shared memory.
const FOR_LOADS: [StallReason; 2] = [StallReason::LongScoreboard, StallReason::LgThrottle];
const FOR_SHARED: [StallReason; 2] = [StallReason::ShortScoreboard, StallReason::MioThrottle];

/// Requests of global loads.
const GLOBAL_LOADS: Counter = Counter::L1texTRequestsPipeLsuMemGlobalOpLdSum;

/// Sectors that global loads touch.
const TOUCHED: Counter = Counter::L1texTSectorsPipeLsuMemGlobalOpLdSum;

/// Bytes that L1 gets.
const RECEIVED: Counter = Counter::L1texMXbar2l1texReadBytesSum;

/// Sectors that L2 sends to the L1 caches; without it, the bytes that they receive, of which a multicast sends less.
const SENT: Counter = Counter::LtsTSectorsSrcunitTexOpReadSum;

/// Bytes of a line, which the data stage of L1 gives in one pass.
const LINE: f64 = 128.0;

/// The part of something from which it is most of it.
pub(super) const MOST: f64 = 0.5;

/// Values of a row that a thread has registers for.
const IN_REGISTERS: f64 = 64.0;

/// What is expected of what may go, or stay, where no counter tells how much of it does: half.
const UNTOLD: f64 = 0.5;

/// Hit rate of L2, percent.
const L2_HITS: Counter = Counter::LtsTSectorHitRatePct;

/// `LDGSTS 12.5 M → 0`: a count that goes, with today's value where it was counted.
fn goes(what: &'static str, now: f64) -> Words {
    if now > 0.0 { words!("{} {} → 0", what, count(now)) } else { words!("{} = 0", what) }
}

/// Sectors of some accesses.
fn sectors_of<'a>(accesses: impl IntoIterator<Item = &'a SectorAccess>) -> f64 {
    accesses.into_iter().map(|access| access.sectors).sum::<u64>() as f64
}

/// Accesses that read global memory.
fn reads<'a>(m: &Measures<'a>) -> impl Iterator<Item = &'a SectorAccess> {
    m.accesses().iter().filter(|access| access.at.op().reads_global())
}

/// Sectors of them that would go if the bytes were packed.
fn excess_of<'a>(accesses: impl IntoIterator<Item = &'a SectorAccess>) -> f64 {
    accesses.into_iter().map(SectorAccess::excess).sum::<u64>() as f64
}

/// Where the innermost loop begins that holds an access; `None` outside of loops.
fn loop_of(phases: &Phases, access: &SectorAccess) -> Option<u64> {
    let all = phases.phases.iter().flat_map(|phase| std::iter::once(phase).chain(&phase.parts));
    let is_around = |phase: &&Phase| {
        matches!(phase.kind, PhaseKind::MainLoop | PhaseKind::Loop | PhaseKind::InnerLoop)
            && (phase.at.start..=phase.at.end).contains(&access.at.offset)
    };
    all.filter(is_around).min_by_key(|phase| phase.at.end - phase.at.start).map(|phase| phase.at.start)
}

/// The part of the data stage of L1, 0 to 1, that the accesses of some rows fill; `None` where that was not counted.
fn of_stage(m: &Measures<'_>, rows: &[usize]) -> Option<f64> {
    let (study, stage) = (m.sampled_code()?, m.stage()?);
    let sum = |of: &[u64]| rows.iter().map(|row| of[*row]).sum::<u64>() as f64;
    let shared = sum(&study.view.counts(WAVEFRONTS)?) / (stage.whole / 100.0 * m.sm_cycles()?);
    let sectors = study.sectors().map(|[all, _]| sum(&all) / sectors_of(m.accesses()).max(1.0)).unwrap_or_default();
    Some((shared + sectors * stage.other() / stage.whole).min(1.0))
}

/// The part of the waits inside the SM, 0 to 1, without which a launch is expected to be shorter: beside a part of all SMs at its roof what is
/// waited for less inside is waited for there, as far as that part works meanwhile.
fn felt(m: &Measures<'_>) -> f64 {
    let beside = m.machine.busiest(level::is_shared).map_or(0.0, |(_, need)| need);
    if beside >= ROOF { 1.0 - beside } else { 1.0 }
}

/// Part of the time below which a cost is none.
pub(super) const WORTH: f64 = 0.02;

/// The share of the time from which a change is worth a try: below, it is ruled out.
pub(super) const WORTH_A_TRY: f64 = 0.05;

/// The part of the waits for loads that is for the values of these; `None` where none can be traced.
fn traced(study: &Study<'_>, loads: &[usize]) -> Option<f64> {
    let waits = study.samples.at_causes(StallReason::LongScoreboard.into());
    let all: u64 = waits.iter().sum();
    let own: u64 = loads.iter().map(|row| waits[*row]).sum();
    (all > 0).then(|| own as f64 / all as f64)
}

/// Opcodes of which those that read three values can be products of a matrix: single and double precision, packed halves, bytes.
fn multiplies(op: Op) -> bool {
    op.is_of(&[Class::Fp32, Class::Fp64, Class::Fp16]) || op == Op::IDP
}

/// A multiply-add, its two factors and what they are added to.
struct Product {
    row: usize,
    factors: [Register; 2],
    addend: Register,
}

/// Multiply-adds of two values that both come from memory, whatever was made of them. A constant factor and a square are no product of a
/// row and a column.
fn products_of<'s>(code: &'s KernelCode<'_>, is_meant: impl Fn(Op) -> bool + 's) -> impl Iterator<Item = Product> + 's {
    let product = move |row: usize| {
        let reads = code.word(row).registers.reads;
        let general = |register: &Register| register.count > 0 && register.file == RegisterFile::General;
        // The two factors come first; a constant is no register.
        let mut own = reads.into_iter().filter(general);
        let factors = [own.next()?, own.next()?];
        let addend = own.next().filter(|_| factors[0] != factors[1])?;
        let is_product = factors.iter().all(|factor| code.is_from_memory(row, *factor));
        is_product.then_some(Product { row, factors, addend })
    };
    let rows = code.run().filter(move |row| is_meant(code.op(*row)));
    rows.filter_map(product)
}

/// Executions of those of a kind; without instructions of all multiply-adds of single precision among them.
fn products(m: &Measures<'_>, is_meant: impl Fn(Op) -> bool) -> f64 {
    match m.study {
        Some(study) => products_of(&study.code, is_meant).map(|own| study.code.executed[own.row] as f64).sum(),
        None => m.count(|op| op == Op::FFMA && is_meant(op)),
    }
}
