//! What the bits of one instruction say without a disassembler.

use super::operand::{Operand, OperandFrom};
use crate::Op;
use crate::op::ProductBy;

/// The parts of an instruction's encoding that tell what it is and what it waits for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct MachineWord {
    /// All 128 bits.
    pub bits: u128,
    /// The opcode.
    pub op: Op,
    /// Whether it runs whatever its guard holds.
    pub is_unconditional: bool,
    /// Scoreboards that it holds until its operands are read or its result is there, one bit each.
    pub sets: u8,
    /// Scoreboards that must be free before it issues, one bit each.
    pub waits: u8,
    /// Byte offset in the code section of a branch's target, or of the place where lanes meet.
    pub target: Option<u64>,
    /// Where control goes behind it.
    pub flow: Flow,
    /// What it does between warps, where the opcode alone does not say.
    pub sync: WarpSync,
    /// Whether it is a load that must see what other threads write, as those of volatile, relaxed and acquired values (`.STRONG`).
    pub is_strong: bool,
    /// The registers and predicates that it writes and reads.
    pub registers: Registers,
    /// What it computes, as far as addresses are made by such instructions.
    pub arithmetic: Arithmetic,
}

/// The number of a scoreboard where an instruction holds none.
const NO_SCOREBOARD: usize = 7;

/// The guard or the predicate operand that always holds: PT, not negated.
pub(super) const ALWAYS: u128 = 7;

/// The register of a lane that reads as zero.
pub(super) const ZERO: u128 = 255;

/// Some bits of an instruction.
pub(super) fn bits(word: u128, from: u32, count: u32) -> u128 {
    (word >> from) & ((1 << count) - 1)
}

impl MachineWord {
    /// Cycles that the warp waits at least before it issues the next instruction.
    pub fn stall(&self) -> u32 {
        bits(self.bits, 105, 4).max(1) as u32
    }

    /// The scoreboard that its result holds until it is there, 0 to 5.
    pub fn result_scoreboard(&self) -> Option<usize> {
        Some(bits(self.bits, 110, 3) as usize).filter(|own| *own != NO_SCOREBOARD)
    }

    /// Whether a comparison of integers asks whether they are the same (`.EQ`, `.NE`).
    pub fn asks_for_equal(&self) -> bool {
        matches!(bits(self.bits, 76, 3), 2 | 5)
    }

    /// Whether a comparison asks if its first value is the larger one (`.GT`, `.GE`), or the smaller one; `None` for what asks for neither.
    pub fn asks_for_larger(&self) -> Option<bool> {
        match bits(self.bits, 76, 3) {
            4 | 6 => Some(true),
            1 | 3 => Some(false),
            _ => None,
        }
    }

    /// Whether a selection takes its first value where its flag does not hold (`!P0`): bit 90.
    pub fn selects_other(&self) -> bool {
        bits(self.bits, 90, 1) == 1
    }

    /// Whether a least or largest value is always the same of both: bits 87 to 89, where no flag chooses.
    pub fn selects_always(&self) -> bool {
        bits(self.bits, 87, 3) == ALWAYS
    }

    /// Whether an operand of an instruction on floats is taken with the other sign: bits 72, 63 and 75. A number in the instruction has its own.
    pub fn turns_sign(&self) -> bool {
        bits(self.bits, 72, 1) == 1
            || bits(self.bits, 75, 1) == 1
            || self.literal().is_none() && bits(self.bits, 63, 1) == 1
    }

    /// Whether a comparison of integers takes them as they are and asks which is larger (`.LT.U32`, `.GE.U32`): bit 73 is the sign's, as
    /// nvdisasm shows it of sm_75 to sm_120.
    pub fn orders_unsigned(&self) -> bool {
        bits(self.bits, 73, 1) == 0 && matches!(bits(self.bits, 76, 3), 1 | 3 | 4 | 6)
    }

    /// Whether a comparison joins its answer with a flag so that both must hold (`.AND`).
    pub fn joins_by_and(&self) -> bool {
        bits(self.bits, 74, 2) == 0
    }

    /// Whether a comparison turns over the flag that it joins its answer with (`.XOR`).
    pub fn turns_over(&self) -> bool {
        bits(self.bits, 74, 2) == 2
    }

    /// Whether a selection leaves the value of this register, its second one, where its predicate does not hold: bit 90 turns that over, as
    /// nvdisasm shows it of sm_90. Of other instructions it says nothing.
    pub fn leaves(&self, own: Register) -> bool {
        bits(self.bits, 90, 1) == 0 && self.literal().is_none() && bits(self.bits, 32, 8) == own.number.into()
    }

    /// The magnitude of an operand that is a number in the instruction, of integers.
    pub fn literal(&self) -> Option<u32> {
        matches!(bits(self.bits, 9, 3), 2 | 4).then(|| (bits(self.bits, 32, 32) as u32 as i32).unsigned_abs())
    }

    /// The guard: number and file of its predicate, which is the first register that it reads, and whether it is negated.
    pub fn guard(&self) -> (Option<Register>, bool) {
        let predicate = self.registers.read().next().filter(|_| !self.is_unconditional);
        (predicate, bits(self.bits, 15, 1) == 1)
    }

    /// The registers that a product of one warp reads its left and its right factor from, which lie side by side; those of small shapes
    /// read the first half alone. As nvdisasm shows them of sm_80 to sm_90.
    pub fn factors(&self) -> Option<[Register; 2]> {
        let own = |from: u32, count: u8| Register {
            file: RegisterFile::General,
            number: bits(self.bits, from, 8) as u8,
            count,
        };
        (self.op.product_by() == Some(ProductBy::Warp)).then(|| [own(24, 4), own(32, 2)])
    }

    /// Whether it writes the value of another register and nothing else (`MOV`, `IMAD.MOV`).
    pub fn is_copy(&self) -> bool {
        let (Arithmetic::Sum(parts) | Arithmetic::MultiplyAdd(parts)) = self.arithmetic else { return false };
        let others: Vec<Operand> = parts.into_iter().filter(|part| *part != Operand::default()).collect();
        matches!(
            others[..],
            [Operand { from: OperandFrom::Register(RegisterFile::General, _), is_negative: false, .. }]
        )
    }

    /// Whether an operand is a word of a constant bank: bits 9 to 11 tell the kind of the operands.
    pub fn has_constant(&self) -> bool {
        matches!(bits(self.bits, 9, 3), 3 | 5)
    }

    /// Which special function it is, by its modifier (`MUFU.RCP`): bits 74 to 77, as nvdisasm shows them of sm_75 to sm_120. Of other
    /// instructions it says nothing.
    pub fn function(&self) -> &'static str {
        FUNCTIONS.get(bits(self.bits, 74, 4) as usize).copied().unwrap_or_default()
    }

    /// Whether it makes an integer of 64 bits of a float (`F2I.U64`), or reads a double: a code of its own, as nvdisasm shows it of sm_90.
    pub fn is_long_integer(&self) -> bool {
        bits(self.bits, 0, 9) == 0x111
    }

    /// Whether it adds one float to global memory and asks for no answer (`REDG.ADD.F32`), on chips that add vectors of floats as well:
    /// since sm_90, with a code of its own for values with a fraction, the type in bits 73 to 76, as nvdisasm shows them of sm_90 and
    /// sm_120.
    pub fn adds_float(&self) -> bool {
        bits(self.bits, 0, 9) == 0x1a6 && bits(self.bits, 73, 4) == 9
    }

    /// Whether an atomic of global memory may leave its word as it is: a minimum, a maximum, AND or OR (`REDG.MIN`, `ATOMG.OR`), by bits 87
    /// to 89, as nvdisasm shows them of sm_80 to sm_120.
    pub fn may_change_nothing(&self) -> bool {
        matches!(bits(self.bits, 0, 9), 0x18e | 0x1a8) && matches!(bits(self.bits, 87, 3), 1 | 2 | 5 | 6)
    }

    /// Whether it changes a word of global memory only where that is as it was (`ATOMG.CAS`): a code of its own, as nvdisasm shows it of
    /// sm_80 to sm_120.
    pub fn swaps_if_equal(&self) -> bool {
        bits(self.bits, 0, 9) == 0x1a9
    }

    /// Whether packed arithmetic on halves takes the low half of its first operand for both (`.H0_H0`), as that on single halves does: bits
    /// 74 and 75, as nvdisasm shows them of sm_90. Of other instructions it says nothing.
    pub fn takes_one_half(&self) -> bool {
        bits(self.bits, 74, 2) == 2
    }

    /// Whether arithmetic on halves leaves them as they are, but for their sign or type: the first operand is the register that reads as
    /// zero, or the second is, as nvdisasm shows them of sm_75 to sm_120. Of other instructions it says nothing.
    pub fn passes_halves_on(&self) -> bool {
        bits(self.bits, 24, 8) == ZERO || bits(self.bits, 9, 3) == 1 && bits(self.bits, 32, 8) == ZERO
    }

    /// Whether it is a sum of halves that leaves a float (`HADD2.F32`): bit 78, as nvdisasm shows it of sm_75 to sm_120. Of other
    /// instructions it says nothing.
    pub fn leaves_float(&self) -> bool {
        bits(self.bits, 78, 1) == 1
    }

    /// Whether a load or store of global memory marks its line as the first that caches give up (`.EF`, of `__ldcs` and `__stcs`): bits
    /// 84 to 86, as nvdisasm shows them of sm_80 to sm_100. Of other instructions it says nothing.
    pub fn goes_first(&self) -> bool {
        bits(self.bits, 84, 3) == 0
    }

    /// Whether it copies a box of a tensor from global memory to several blocks of a cluster (`UTMALDG.MULTICAST`): bit 75, as nvdisasm
    /// shows it of sm_90 and sm_100.
    pub fn is_multicast(&self) -> bool {
        bits(self.bits, 0, 9) == 0x1b4 && bits(self.bits, 75, 1) == 1
    }
}

/// Special functions by their number; those of 64 bits are of the upper half of a double.
const FUNCTIONS: [&str; 10] = ["COS", "SIN", "EX2", "LG2", "RCP", "RSQ", "RCP64H", "RSQ64H", "SQRT", "TANH"];

/// What an instruction computes from operands of 32 bits; of a result of 64 bits its low half.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Arithmetic {
    /// Not decoded, or nothing of these kinds.
    #[default]
    Other,
    /// `a · b + c`.
    MultiplyAdd([Operand; 3]),
    /// `a + b + c`.
    Sum([Operand; 3]),
    /// `(a << n) + b`.
    ShiftAdd(Operand, u8, Operand),
    /// `a << n`.
    ShiftLeft(Operand, u8),
    /// `a >> n`.
    ShiftRight(Operand, u8),
    /// Each bit by a table of eight: bit `4a + 2b + c` of it.
    Logic(u8, [Operand; 3]),
    /// A word of the constant bank of the kernel's arguments, by its byte.
    Constant(u16),
}

/// The registers and predicates of an instruction, as far as they carry addresses and conditions: results of products are not
/// among them. Empty for an opcode whose operands are not decoded.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Registers {
    /// What it writes.
    pub writes: [Register; 3],
    /// What it reads, its guard included.
    pub reads: [Register; 6],
    /// The special register that it reads (`S2R`): 0 is the lane's number, 0x21 to 0x23 the thread's.
    pub special: Option<u8>,
    /// Bytes added to an address.
    pub offset: i32,
}

impl Registers {
    /// The registers that it writes, those of one result together.
    pub fn written(self) -> impl Iterator<Item = Register> {
        self.writes.into_iter().filter(|own| own.count > 0)
    }

    /// The registers that it reads, those of one operand together.
    pub fn read(self) -> impl Iterator<Item = Register> {
        self.reads.into_iter().filter(|own| own.count > 0)
    }
}

/// Registers that follow each other in one file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Register {
    /// The file.
    pub file: RegisterFile,
    /// The first.
    pub number: u8,
    /// How many; 0 is none.
    pub count: u8,
}

impl Register {
    /// Whether they hold values, of each lane or of the warp, and no predicates.
    pub fn is_value(&self) -> bool {
        matches!(self.file, RegisterFile::General | RegisterFile::Uniform)
    }

    /// Whether two have a register in common.
    pub fn meets(&self, other: &Register) -> bool {
        let end = |one: &Register| u16::from(one.number) + u16::from(one.count);
        self.file == other.file && u16::from(self.number) < end(other) && u16::from(other.number) < end(self)
    }
}

/// A file of registers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum RegisterFile {
    /// Of each lane.
    #[default]
    General,
    /// Of the warp.
    Uniform,
    /// Predicates of each lane.
    Predicate,
    /// Predicates of the warp.
    UniformPredicate,
}

/// Where control goes behind an instruction.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Flow {
    /// To the next instruction.
    #[default]
    Next,
    /// To the target, and to the next instruction where the branch depends on a value.
    Jump {
        /// Whether it may go on with the next instruction.
        conditional: bool,
    },
    /// To a place that the bits do not say: a branch through a register.
    Unseen {
        /// Whether it may go on with the next instruction.
        conditional: bool,
    },
    /// To the function at this byte offset in the code section, where the bits say it, and back.
    Call(Option<u64>),
    /// Out of the function.
    End {
        /// Whether lanes whose guard is off go on with the next instruction.
        conditional: bool,
    },
}

/// What an instruction does between warps.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum WarpSync {
    /// Nothing, or what the opcode alone says.
    #[default]
    None,
    /// Waits at a barrier of the block (`BAR.SYNC`, `BAR.RED`).
    BlockBarrier {
        /// Whether all threads of the block take part: no number of threads is named.
        all: bool,
    },
    /// Arrives at a barrier of the block without a wait (`BAR.ARV`).
    BlockArrive,
    /// Opens products of a warpgroup (`WARPGROUP.ARRIVE`).
    WarpgroupArrive,
    /// Waits until at most this many groups of products are in flight (`WARPGROUP.DEPBAR.LE gsb0, n`).
    ProductsWait {
        /// Groups that may stay in flight.
        pending: u8,
    },
    /// Waits until at most this many groups of asynchronous copies are in flight (`DEPBAR.LE SB0, n`).
    CopiesWait {
        /// Groups that may stay in flight.
        pending: u8,
    },
    /// Asks whether a phase of an mbarrier is complete (`SYNCS.PHASECHK`).
    MbarrierTest,
    /// Arrives at an mbarrier (`SYNCS.ARRIVE`).
    MbarrierArrive,
    /// Initialises an mbarrier (`SYNCS.EXCH`).
    MbarrierInit,
    /// Orders memory accesses for others to see (`MEMBAR`).
    Fence {
        /// Whether others than the own block are among them.
        beyond_block: bool,
    },
}
