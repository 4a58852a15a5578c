//! What is known of a phase beside its time: places, waits, causes, accesses.

use crate::catalog::Part;
use cuda_binary::Op;

/// A line of the source.
#[derive(Clone, Debug, Default, PartialEq, Eq, serde::Serialize)]
pub struct Line {
    /// File name without folders; empty where no line is known.
    pub file: String,
    /// From 1; 0 where none is known.
    pub line: u32,
}

impl Line {
    /// `:12` beside other lines of a file, `gemm.cuh:12` elsewhere.
    pub fn beside(&self, file: &str) -> String {
        format!("{}:{}", if self.file == file { "" } else { &self.file }, self.line)
    }
}

/// An instruction and its line.
#[derive(Clone, Debug, Default, PartialEq, Eq, serde::Serialize)]
pub struct Point {
    /// File name without folders; empty where no line is known.
    pub file: String,
    /// The innermost line outside the toolkit's headers; 0 where none is known.
    pub line: u32,
    /// The call that it was inlined from.
    pub call: Option<Line>,
    /// Byte offset in the function.
    pub offset: u64,
    /// Opcode; without modifiers where no disassembler was at hand.
    pub opcode: String,
}

impl Point {
    /// What stands there, whatever its modifiers.
    pub fn op(&self) -> Op {
        Op::of(&self.opcode)
    }

    /// Whether both stand on one line, inlined by one call.
    pub(in crate::analysis) fn is_on_line_of(&self, other: &Point) -> bool {
        (self.line, &self.call, &self.file) == (other.line, &other.call, &other.file)
    }
}

/// A function of the source that a phase is.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize)]
pub struct Named {
    /// Its name in the text of the call.
    pub name: String,
    pub call: Line,
    /// The file of the function itself.
    pub file: String,
    /// First line of it that has code here.
    pub first: u32,
    /// Last line of it.
    pub last: u32,
}

/// Samples of one reason that wait for one thing.
#[derive(Clone, Debug, PartialEq, serde::Serialize)]
pub struct WaitGroup {
    /// Share of the reason's samples, 0 to 1.
    pub share: f64,
    /// Where the warps wait: the instruction with the most of these samples.
    pub at: Point,
    /// What they wait for, where a scoreboard tells: the access that holds it.
    pub cause: Option<Point>,
}

/// Samples of one reason: those of a phase, or those of the kernel in one phase or role.
#[derive(Clone, Debug, PartialEq, serde::Serialize)]
pub struct Wait {
    /// The catalog's id of the reason; never `selected` or `not_selected`.
    pub reason: String,
    /// Where they lie; `None` in the phase that tells them.
    pub place: Option<StallPlace>,
    pub samples: u64,
    /// Over the samples of the phase, or with a place over those of the reason, 0 to 1.
    pub share: f64,
    /// The instructions with at least a quarter of them, largest first.
    pub groups: Vec<WaitGroup>,
}

/// Where samples of a reason lie.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum StallPlace {
    /// A phase of the pacing role, or a part of one.
    Phase {
        /// Position in [`Phases::phases`](super::Phases::phases).
        phase: usize,
        /// Position among its parts.
        part: Option<usize>,
    },
    /// The code of another role.
    Role {
        /// Position in [`Phases::roles`](super::Phases::roles).
        role: usize,
    },
}

/// What the elapsed time is made of. Each part is a share of it, 0 to 1.
#[derive(Clone, Copy, Debug, Default, PartialEq, serde::Serialize)]
pub struct TimeSplit {
    /// The tensor pipe works; `None` for kernels without tensor instructions.
    pub tensor: Option<f64>,
    /// A block is on the SM and the tensor pipe does not work.
    pub idle: Option<f64>,
    /// No block is on the SM.
    pub empty: Option<f64>,
    /// Upper bound of what the last, partly filled wave costs.
    pub last_wave: Option<f64>,
}

/// Samples that say that the tensor pipe is full.
#[derive(Clone, Copy, Debug, PartialEq, serde::Serialize)]
pub struct Pressure {
    /// Share of the life of a warp of the pacing role, 0 to 1.
    pub share: f64,
    /// Whether the steps keep the pipe busy: the samples then are back-pressure, and no stall to mend. Else they are waits for
    /// products in flight. `None` where the efficiency of a step is not known.
    pub is_healthy: Option<bool>,
}

/// Loads each of which needs the value of the one before.
pub(in crate::analysis) struct Chain {
    /// Its row.
    pub(in crate::analysis) row: usize,
    /// Whether what it brings only decides between two addresses, as a search does, and is no part of the next.
    pub(in crate::analysis) is_search: bool,
    /// The load that is waited for the most.
    pub(in crate::analysis) load: Point,
    /// Share of all samples that wait for the loads of the chain, 0 to 1.
    pub(in crate::analysis) share: f64,
}

/// Loads through an index.
#[derive(Clone, Debug, PartialEq)]
pub struct Indirection {
    /// The one that is waited for the most.
    pub load: Point,
    /// The load that brings its index.
    pub index: Point,
    /// Share of all samples that wait for loads through an index, 0 to 1.
    pub for_loads: f64,
    /// Share of all samples that wait for the indices, 0 to 1.
    pub for_indices: f64,
    /// Executions by warps of the loads through an index at the line of `load`.
    pub requests: u64,
    /// Sectors of 32 bytes that these touch.
    pub sectors: u64,
    /// Sectors that the same bytes need side by side.
    pub ideal: u64,
    /// Bits of a lane's element, where it is known.
    pub width_bits: Option<u64>,
}

impl Indirection {
    /// The part of the sectors that would go if the bytes were packed, 0 to 1.
    pub fn excess(&self) -> f64 {
        self.sectors.saturating_sub(self.ideal) as f64 / self.sectors.max(1) as f64
    }
}

/// Pipes on which index arithmetic runs.
pub(in crate::analysis) const PIPES: [Part; 4] =
    [Part::ComputeAlu, Part::ComputeFma, Part::ComputeXu, Part::ComputeControl];

/// Executions, by warps, of instructions whose values go into addresses and into nothing that is stored, and that depend on no value
/// from memory: a thread that does more neighbouring elements executes them once for all of those.
#[derive(Debug)]
pub struct IndexArithmetic {
    pub(in crate::analysis) rows: Vec<usize>,
    pub executed: u64,
    /// Those on the ALU, FMA, XU and control pipes.
    pub on: [u64; 4],
}

impl IndexArithmetic {
    /// Those on a pipe.
    pub(in crate::analysis) fn on(&self, part: Part) -> u64 {
        PIPES.iter().zip(self.on).find(|(own, _)| **own == part).map_or(0, |(_, executed)| executed)
    }
}

/// The tensor instructions of one opcode in one main loop.
#[derive(Clone, Debug, PartialEq, serde::Serialize)]
pub struct TensorSite {
    /// The line that calls or holds the product, at the first instruction.
    pub at: Point,
    /// Instructions in the code.
    pub count: u64,
    /// Executions by warps.
    pub executed: u64,
    /// Share of all samples, 0 to 1.
    pub share: f64,
}

/// Executions of an opcode and how many of them had a lane on.
#[derive(Clone, Debug, Default, PartialEq, Eq, serde::Serialize)]
pub struct GuardedOpcode {
    pub opcode: Op,
    /// Executions by warps.
    pub executed: u64,
    /// Executions with a lane on, at least.
    pub at_least: u64,
    /// Executions with a lane on, at most; exact where it is equal to `at_least`.
    pub at_most: u64,
}

impl GuardedOpcode {
    /// The executions with a lane on, where they are known exactly.
    pub fn exactly(&self) -> Option<u64> {
        (self.at_least == self.at_most).then_some(self.at_most)
    }
}

/// What a phase executes of one opcode.
#[derive(Clone, Debug, Default, PartialEq, Eq, serde::Serialize)]
pub struct OpcodeRun {
    pub opcode: Op,
    /// Instructions in the code that ran with a lane on.
    pub count: u64,
    /// Executions by warps with a lane on, at most.
    pub executed: u64,
}

/// Bits of a lane's element of which two fill a sector.
const HALF_A_SECTOR: u64 = 128;

/// Global accesses of one line and opcode.
#[derive(Clone, Debug, PartialEq, serde::Serialize)]
pub struct SectorAccess {
    /// The instruction with the most sectors.
    pub at: Point,
    /// Bits of a lane's element, where it is known and the same for all.
    pub width_bits: Option<u64>,
    /// Executions by warps.
    pub requests: u64,
    /// Sectors of 32 bytes.
    pub sectors: u64,
    /// Sectors that the same bytes need side by side.
    pub ideal: u64,
    /// Sectors beside the bytes of a request that neighbours of one row ask for again, which L1 has: each request by itself has them
    /// in excess, all of them together do not.
    #[serde(skip)]
    pub again: u64,
    /// Executions and sectors of its instructions, each by itself.
    #[serde(skip)]
    pub apart: [u64; 2],
    /// What is left of its sectors where each lane adds words side by side as vectors; 1 where it does not add such.
    #[serde(skip)]
    pub stays: f64,
    /// Whether lanes are off and those that are on touch no more than all of them would side by side: no order packs them.
    #[serde(skip)]
    pub is_gappy: bool,
    /// Whether the bytes are contiguous and only start off a sector's boundary, so that no other order of the lanes packs them.
    #[serde(skip)]
    pub is_shifted: bool,
    /// Whether the address depends on a value that was loaded in the same loop, so that the order is the data's.
    pub is_inherent: bool,
    /// Whether each lane walks over a list of its own that begins at a loaded place.
    #[serde(skip)]
    pub is_walk: bool,
    /// Whether each turn of its loop hangs on what the turn before made of the value before.
    #[serde(skip)]
    pub recurs: bool,
    /// The load, at another line, that brings the index of such an address, where those of its line are waited for the most.
    pub index: Option<Point>,
    /// How far apart its lanes are; `None` where the address is not arithmetic that the code shows.
    pub step: Option<LaneStep>,
}

/// The distance of lanes that follow each other, as the address is computed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize)]
pub struct LaneStep {
    /// Lanes of a group that is this far from the next one; 1 where each lane is.
    pub group: u8,
    pub bytes: i64,
    /// The byte in the constant bank of the kernel's argument that `bytes` is multiplied with; `None` where it is the distance.
    pub argument: Option<u16>,
}

/// What the lanes of a warp touch together.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, serde::Serialize, serde::Deserialize)]
pub struct Reach {
    /// Sectors of 32 bytes.
    pub sectors: u64,
    /// Lines of 128 bytes, where the first lane begins one.
    pub lines: u64,
    /// Bytes from each lane to the next; `None` where they are not all as far apart.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub apart: Option<i64>,
}

impl SectorAccess {
    /// Sectors that would go if the bytes were packed.
    pub fn excess(&self) -> u64 {
        self.sectors.saturating_sub(self.ideal)
    }

    /// Whether asynchronous copies of 16 bytes a lane bring some sectors twice: those whose halves go to two 32-byte pieces of shared
    /// memory, or whose rows start between two sectors. Lanes apart from each other would touch a sector each, twice what the bytes need.
    pub fn is_split(&self) -> bool {
        let op = self.at.op();
        let copies = op.copies_global() && !op.is_bulk() && self.width_bits == Some(HALF_A_SECTOR);
        copies && self.excess() > 0 && !self.is_shifted && self.sectors < 2 * self.ideal
    }

    /// How many loads of one row that lie in the same 32 bytes it is made of.
    pub fn side_by_side(&self) -> f64 {
        self.apart[0] as f64 / self.requests.max(1) as f64
    }

    /// Bytes of the row that each lane has to itself, in which data choose its place; `None` where it has none.
    pub fn own_row(&self) -> Option<u64> {
        let step = self.step.filter(|step| self.is_inherent && step.group == 1 && step.argument.is_none())?;
        Some(step.bytes.unsigned_abs())
    }

    /// Bytes used of the 32 of a sector.
    pub fn bytes_used(&self) -> f64 {
        32.0 * self.ideal as f64 / self.sectors.max(1) as f64
    }
}

/// A contiguous run of bytes that starts off a sector's boundary touches one sector more than its bytes fill. Accesses whose excess
/// is no more than that, one sector for each request of two or more or for each run of three, are contiguous: runs of three sectors
/// are longer than half of the 128 bytes of 32 lanes, so that the end of a row falls into few of them.
pub(super) fn is_shifted(requests: u64, sectors: u64, ideal: u64) -> bool {
    let excess = sectors.saturating_sub(ideal);
    excess > 0 && ideal >= 2 * requests && (excess <= requests || 3 * excess <= ideal)
}

/// Distinct sectors that `draws` uniform draws from `sectors` touch: `N·(1 − e^(−n/N))`.
pub fn touched_sectors(draws: f64, sectors: f64) -> Option<f64> {
    (sectors > 0.0 && draws >= 0.0).then(|| sectors * (1.0 - (-draws / sectors).exp()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn contiguous_bytes_off_a_boundary_are_told_from_strides() {
        let is_shifted = |sectors, ideal| is_shifted(100, sectors, ideal);
        // 32 floats from anywhere; with the end of a row in every seventh warp; 32 vectors of four floats.
        assert!(is_shifted(500, 400) && is_shifted(514, 400) && is_shifted(1_700, 1_600));
        // Two rows of 16 floats, each off the boundary; every second float; nothing beyond what is needed.
        assert!(!is_shifted(600, 400) && !is_shifted(800, 400) && !is_shifted(400, 400));
        // Eight floats in two sectors, from one run or from two.
        assert!(!is_shifted(200, 100));
    }
}
