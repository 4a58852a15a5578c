//! The opcodes of SASS, sm_61 to sm_120: the one list, in the reading order of an instruction mix. An opcode is the name before the
//! first dot, without predicate.
//!
//! NVIDIA does not publish the encoding. The bits were read off the listings of nvdisasm 13.0 for sm_75, sm_80, sm_89, sm_90a, sm_100a
//! and sm_120a. Which pipe runs an opcode: the descriptions of the pipes in the Kernel Profiling Guide, checked with
//! `sass__inst_executed_per_opcode` against the pipes' own counters. `UTCMMA` stands for UTCHMMA, UTCIMMA, UTCOMMA and UTCQMMA where
//! the bits do not tell them apart.

use super::does::Act::{Copy, Prefetch, Reduction, Store};
use super::does::Computes::{
    Argument, Bounded, Checked, Compared, Copied, CopiedToWarp, Counted, Elected, Exchanged, Joined, Logic,
    MultiplyAdd, Permuted, Picked, Selected, Shift, ShiftAdd, ShiftOfWarp, Special, Sum, SumOfTwo, ToFloat, ToInteger,
    Voted,
};
use super::does::Control::{Branch, Call, Exit, Indirect, Meet, MeetAt, Return, Trap};
use super::does::Element::{Any, Bits, Bytes, Double, Half, Integer, Nibbles};
use super::does::Pipe::{Alu, Control, Fma, Fp16, Fp64, Lsu, Xu};
use super::does::ProductBy::{Thread, Warp, Warpgroup};
use super::does::Space::{Cluster, Constant, Global, Local, Shared, TensorMemory, Texture};
use super::does::Sync::{
    Block, Cache, ClusterArrive, ClusterWait, Commit, CopyArrive, CopyGroup, Fence, FenceEnd, Lanes, Mbarrier,
    Outstanding, Products, ProxyFence, Sleep,
};
use super::does::Told::{Line, Move};
use super::row::{
    Does, apart, atomic, bulk, code, compare, copy, first, flags, goes, load, none, pair, product, reduction, result,
    special, store, syncs, three, two, unary,
};

/// A row of the table.
pub(super) struct Row {
    pub(super) name: &'static str,
    pub(super) class: Option<Class>,
    pub(super) does: Does,
}

/// Makes the two enums and their rows: a class with its id, its label, what it does and how to read its count; then its opcodes, each
/// with what it does.
macro_rules! opcodes {
    ($($class:ident $id:literal $label:literal $help:literal { $($($op:ident)+: $does:expr,)+ })+) => {
        /// A class of opcodes that an engineer reads as one.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub enum Class {
            $(#[doc = $help] $class,)+
        }

        impl Class {
            /// Every class, in the reading order of an instruction mix.
            pub const ALL: &[Class] = &[$(Class::$class),+];

            /// The id: `global-load`.
            pub fn id(self) -> &'static str {
                match self { $(Class::$class => $id),+ }
            }

            /// A short name for a row of a table.
            pub fn label(self) -> &'static str {
                match self { $(Class::$class => $label),+ }
            }

            /// What the class does and how to read its count.
            pub fn help(self) -> &'static str {
                match self { $(Class::$class => $help),+ }
            }
        }

        /// An opcode without its modifiers. One that the table does not know answers every question with no.
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
        #[allow(clippy::upper_case_acronyms, non_camel_case_types, reason = "opcodes are written so")]
        #[repr(u16)]
        pub enum Op {
            /// None that the table knows.
            #[default]
            Unknown,
            $($($(#[doc = $label] $op,)+)+)+
        }

        impl Op {
            /// Every opcode of the table.
            pub const ALL: &[Op] = &[$($($(Op::$op),+),+),+];
        }

        pub(super) static ROWS: &[Row] = &[
            Row { name: "", class: None, does: none() },
            $($($(Row { name: stringify!($op), class: Some(Class::$class), does: $does },)+)+)+
        ];
    };
}

#[rustfmt::skip]
opcodes! {
    GlobalLoad "global-load" "Global loads"
        "Loads from global memory into registers; LD is the generic form, whose address may also be shared or local." {
        LDG: load(Global).told(Move).bits(&[code(0x17e), code(0x181)]),
        LD: load(Global).bits(&[code(0x180)]),
        LDGMC: load(Global).undecoded().bits(&[code(0x1a5)]),
    }
    GlobalStore "global-store" "Global stores"
        "Stores from registers to global memory; ST is the generic form." {
        STG: store(Global).told(Move).bits(&[code(0x17f), code(0x186)]),
        ST: store(Global).bits(&[code(0x185)]),
    }
    AsyncCopy "async-copy" "Asynchronous copies"
        "cp.async: global to shared memory without passing registers, and the instructions that track its completion." {
        LDGSTS: copy().told(Move).bits(&[code(0x1ae)]),
        LDGDEPBAR: syncs(CopyGroup).bits(&[code(0x1af)]),
        ARRIVES: syncs(CopyArrive).bits(&[code(0x1b0)]),
    }
    Tma "tma" "Tensor memory accelerator"
        "Bulk copies between global and shared memory done by the TMA: one thread starts a whole tile. Completion shows as a wait on an mbarrier (SYNCS) or a dependency barrier, not at the copy." {
        UTMALDG: bulk(Copy).told(Move).bits(&[code(0x1b4)]),
        UTMASTG: bulk(Store).told(Move).bits(&[code(0x1b5)]),
        UTMAREDG: bulk(Reduction).bits(&[code(0x1b6)]),
        UTMAPF: bulk(Prefetch).bits(&[code(0x1b8)]),
        UTMACCTL: none().bits(&[code(0x1b9)]),
        UTMACMDFLUSH: none().bits(&[code(0x1b7)]),
        UBLKCP: bulk(Copy).told(Move).bits(&[code(0x1ba)]),
        UBLKPF: bulk(Prefetch).bits(&[code(0x1bc)]),
        UBLKRED: bulk(Reduction).bits(&[code(0x1bb)]),
    }
    SharedLoad "shared-load" "Shared loads"
        "Loads from shared memory into registers." {
        LDS: load(Shared).told(Move).bits(&[code(0x184)]),
    }
    SharedStore "shared-store" "Shared stores"
        "Stores from registers to shared memory, of the own block (STS) or of another block of the cluster (STAS)." {
        STS: store(Shared).told(Move).bits(&[code(0x188)]),
        STAS: store(Cluster).undecoded().bits(&[code(0x1bd)]),
    }
    MatrixLoad "matrix-load" "Matrix fragment loads and stores"
        "ldmatrix and stmatrix: whole tiles between shared memory and the register layout of the tensor cores." {
        LDSM: load(Shared).tiles().told(Move).bits(&[code(0x03b)]),
        STSM: store(Shared).tiles().told(Line).bits(&[code(0x044)]),
        MOVM: none(),
    }
    LocalMemory "local-memory" "Local memory"
        "Loads and stores of local memory. Register spills, arrays indexed at run time and callee frames all use them: not each one is a spill." {
        LDL: load(Local).told(Line).bits(&[code(0x183)]),
        STL: store(Local).told(Line).bits(&[code(0x187)]),
    }
    Constant "constant" "Constant loads"
        "Loads from constant banks: kernel parameters and constants. LDCU and ULDC load a value once for the warp." {
        LDC: load(Constant).computes(Argument).on(Control).bits(&[code(0x182)]),
        LDCU: load(Constant).once().undecoded().bits(&[code(0x1ac)]),
        ULDC: load(Constant).once().computes(Argument).bits(&[code(0x0b9)]),
    }
    Atomic "atomic" "Atomics and reductions"
        "Read-modify-write on global or shared memory. RED returns nothing and is cheaper than ATOM, which returns the old value." {
        ATOM: atomic(Global).told(Line).bits(&[code(0x18a), code(0x18b)]),
        ATOMG: atomic(Global).told(Line).bits(&[code(0x1a3), code(0x1a8), code(0x1a9)]),
        ATOMS: atomic(Shared).told(Line).bits(&[code(0x18c), code(0x18d)]),
        ATOMCAS CAS: atomic(Global).undecoded(),
        ATOMSCAS: atomic(Shared).undecoded(),
        RED: reduction(Global).told(Line).bits(&[code(0x18e).before(90)]),
        REDG: reduction(Global).told(Line).bits(&[code(0x1a6), code(0x18e).since(90)]),
        REDAS: reduction(Cluster).undecoded(),
        UREDGR: reduction(Global).undecoded(),
        SUATOM: atomic(Texture).undecoded(),
        SURED: reduction(Texture).undecoded(),
    }
    CacheControl "cache-control" "Cache control"
        "Prefetches, invalidations and queries of caches and address spaces." {
        CCTL: syncs(Cache).bits(&[code(0x18f)]),
        CCTLL CCTLT UCCTL: syncs(Cache),
        QSPC: none(),
    }
    Texture "texture" "Texture and surface"
        "Reads through the texture path, and surface loads and stores." {
        TEX: load(Texture).undecoded().bits(&[code(0x160)]),
        TEXS TLDS TLD4 TLD4S TMML TXD TXA SULD: load(Texture).undecoded(),
        TLD: load(Texture).undecoded().bits(&[code(0x166)]),
        TXQ TEXDEPBAR SUQ SUBFM SUCLAMP SUEAU: none(),
        SUST: store(Texture).undecoded(),
    }
    TensorMma "tensor-mma" "Tensor matrix multiply (warp)"
        "mma.sync: one warp multiplies register fragments on the tensor cores. The first letter is the type: H half, bfloat16 or TF32, I integer, D double, Q FP8 and below, O FP4, B one bit." {
        HMMA: product(Warp, Half).bits(&[code(0x03c)]),
        IMMA: product(Warp, Integer).bits(&[code(0x037)]),
        DMMA: product(Warp, Double).bits(&[code(0x03f)]),
        QMMA: product(Warp, Bytes).bits(&[code(0x07a)]),
        OMMA: product(Warp, Nibbles).bits(&[code(0x07f)]),
        BMMA: product(Warp, Bits),
    }
    TensorWgmma "tensor-wgmma" "Tensor matrix multiply (warpgroup)"
        "wgmma (sm_90): four warps start a matrix multiply that reads shared memory and runs on its own. WARPGROUP.ARRIVE and WARPGROUP.DEPBAR are its fence and its wait." {
        HGMMA: product(Warpgroup, Half).bits(&[code(0x1f0)]),
        IGMMA: product(Warpgroup, Integer).bits(&[code(0x1f1)]),
        QGMMA: product(Warpgroup, Bytes).bits(&[code(0x1f3)]),
        BGMMA: product(Warpgroup, Bits),
        WARPGROUP: syncs(Products).bits(&[code(0x1c5)]),
        WARPGROUPSET: none(),
    }
    TensorTcgen05 "tensor-tcgen05" "tcgen05: matrix multiply, commit, allocation"
        "tcgen05 (sm_100): one thread starts a matrix multiply on tensor memory. UTCBAR commits it to an mbarrier, UTCCP copies into tensor memory, UTCATOMSWS allocates it." {
        UTCMMA: product(Thread, Any).bits(&[code(0x1ea)]),
        UTCHMMA: product(Thread, Half),
        UTCQMMA: product(Thread, Bytes),
        UTCIMMA: product(Thread, Integer),
        UTCOMMA: product(Thread, Nibbles),
        UTCBAR: syncs(Commit).bits(&[code(0x1e9)]),
        UTCCP: none().bits(&[code(0x1e7)]),
        UTCSHIFT: none().bits(&[code(0x1e6)]),
        UTCATOMSWS: none().bits(&[code(0x1e3)]),
        UTCLDSWS UTCSTSWS: none(),
    }
    TensorMemory "tensor-memory" "Tensor memory"
        "Loads and stores between registers and tensor memory (sm_100). Their waits are scoreboard dependencies of the consumer." {
        LDTM: load(TensorMemory).undecoded().told(Line).bits(&[code(0x1ee)]),
        STTM: store(TensorMemory).undecoded().told(Line).bits(&[code(0x1ed)]),
        LDT: load(TensorMemory).undecoded(),
        STT: store(TensorMemory).undecoded(),
    }
    Fp32 "fp32" "FP32 arithmetic"
        "Single-precision addition, multiplication and fused multiply-add. The names with 2 work on two values (sm_100 and later)." {
        FADD: two().on(Fma).told(Line).folds().adds().bits(&[code(0x021)]),
        FFMA: three().on(Fma).told(Line).bits(&[code(0x023)]),
        FMUL: two().on(Fma).told(Line).folds().bits(&[code(0x020)]),
        FADD2 FMUL2: none().on(Fma),
        FFMA2: none().on(Fma).bits(&[code(0x049)]),
        FADD32I FFMA32I FMUL32I FHADD FHFMA: none(),
    }
    Fp16 "fp16" "FP16 and BF16 arithmetic"
        "Packed half-precision and bfloat16 arithmetic. The compiler also uses HFMA2 to materialise constants." {
        HADD2: two().on(Fp16).folds().adds().bits(&[code(0x030)]),
        HFMA2: three().on(Fp16).told(Line).bits(&[code(0x031), code(0x035).before(100)]),
        HMUL2: two().on(Fp16).folds().bits(&[code(0x032)]),
        HADD2_32I HFMA2_32I HMUL2_32I: none(),
    }
    Fp64 "fp64" "FP64 arithmetic"
        "Double-precision arithmetic and comparison, slow on consumer chips." {
        DADD: apart().double().on(Fp64).told(Line).folds().adds().bits(&[code(0x029)]),
        DFMA: three().double().on(Fp64).told(Line).bits(&[code(0x02b)]),
        DMUL: two().double().on(Fp64).folds().bits(&[code(0x028)]),
        DMNMX: none().on(Fp64),
        DSET: none(),
        DSETP: compare(2).on(Fp64).bits(&[code(0x02a)]),
    }
    FpCompare "fp-compare" "FP comparison and selection"
        "Floating-point comparison, minimum, maximum and selection." {
        FSETP: compare(2).on(Alu).bits(&[code(0x00b)]),
        FSET FCMP FSWZADD FSWZ RRO: none(),
        FMNMX: two().on(Alu).folds().bits(&[code(0x009)]),
        FMNMX3: three().asks().on(Alu).folds().bits(&[code(0x076)]),
        FSEL: two().asks().computes(Picked).on(Alu).bits(&[code(0x008)]),
        FCHK: none().flags(1).computes(Checked).bits(&[code(0x102)]),
        HSETP2: compare(1).on(Fp16).bits(&[code(0x034)]),
        HSET2: none().on(Fp16).bits(&[code(0x033)]),
        HMNMX2: none().on(Fp16),
    }
    SpecialFunction "special-function" "Special functions"
        "Reciprocal, square root, exponential, logarithm, sine and tanh on the XU pipe, at a fraction of the FMA rate." {
        MUFU: unary().computes(Special).on(Xu).told(Line).bits(&[code(0x108)]),
    }
    Conversion "conversion" "Conversions"
        "Between number types and roundings. Packed forms (F2FP, I2FP) run on fast pipes, the others on the slow XU pipe." {
        F2F: unary().on(Xu).bits(&[code(0x110)]),
        F2FP: two().on(Alu).bits(&[code(0x03e)]),
        F2I: unary().computes(ToInteger).on(Xu).bits(&[code(0x105), code(0x111)]),
        F2IP I2I I2IP: none(),
        I2F: unary().computes(ToFloat).on(Xu).bits(&[code(0x106), code(0x112)]),
        I2FP: unary().on(Alu).bits(&[code(0x045)]),
        FRND: unary().on(Xu),
    }
    Integer "integer" "Integer arithmetic"
        "Integer addition, multiply-add and address arithmetic. A share above that of the useful arithmetic points at index computation." {
        IADD: three().on(Alu).bits(&[code(0x035).since(120)]),
        IADD2 IADD32I IADD64 IMAD32I IMUL IMUL32I IDE ISCADD ISCADD32I XMAD IMNMX3 VHMNMX VADD VMAD VSET VSETP VMNMX VSHL VSHR:
            none(),
        IADD3: three().flags(2).asks().computes(Sum).on(Alu).folds().adds().bits(&[code(0x010)]),
        IMAD: three().asks().computes(MultiplyAdd).on(Fma).bits(&[code(0x024), code(0x025), code(0x027)]),
        IDP: three().on(Fma).told(Line).bits(&[code(0x026)]),
        LEA: three().flags(1).asks().computes(ShiftAdd).on(Alu).bits(&[code(0x011)]),
        IABS: unary().on(Alu).bits(&[code(0x013)]),
        IMNMX: none().on(Alu),
        VIADD: two().computes(SumOfTwo).on(Alu).folds().adds().bits(&[code(0x036)]),
        VIADDMNMX: three().computes(Bounded).on(Alu).bits(&[code(0x046)]),
        VIMNMX: two().asks().computes(Bounded).on(Alu).folds().bits(&[code(0x048)]),
        VIMNMX3: three().asks().computes(Bounded).on(Alu).folds().bits(&[code(0x00f)]),
        VABSDIFF: three().on(Alu).bits(&[code(0x014)]),
        VABSDIFF4: none().on(Alu).bits(&[code(0x015)]),
    }
    IntegerCompare "integer-compare" "Integer comparison"
        "Integer comparison into predicates." {
        ISETP: compare(2).computes(Compared).on(Alu).bits(&[code(0x00c)]),
        ISET ICMP: none(),
        UISETP: compare(2).bits(&[code(0x08c)]),
    }
    Logic "logic" "Logic, shifts and bit operations"
        "Bitwise logic, shifts, bit fields, byte permutation and counting. REDUX reduces an integer over a warp." {
        LOP LOP32I SHL SHR BFE BFI LOPC: none(),
        LOP3: three().flags(1).computes(Logic).on(Alu).bits(&[code(0x012)]),
        SHF: three().computes(Shift).on(Alu).bits(&[code(0x019)]),
        BMSK SGXT: none().on(Alu),
        BREV: unary().on(Xu).bits(&[code(0x101)]),
        FLO: unary().on(Xu).bits(&[code(0x100)]),
        POPC: unary().computes(Counted).on(Xu).bits(&[code(0x109)]),
        PRMT: three().computes(Permuted).on(Alu).bits(&[code(0x016)]),
        REDUX: first().bits(&[code(0x1c4)]),
    }
    Move "move" "Moves and selection"
        "Copies between registers, special registers, predicates and the uniform file. S2R reads a special register slowly: keep it out of loops." {
        MOV: unary().computes(Copied).on(Alu).bits(&[code(0x002)]),
        MOV32I CS2UR R2B LEPC PIXLD AL2P R2P P2R GETLMEMBASE SETLMEMBASE: none(),
        SEL: two().asks().computes(Selected).on(Alu).bits(&[code(0x007)]),
        S2R: special().bits(&[code(0x119)]),
        S2UR: special().to_uniform().bits(&[code(0x1c3)]),
        CS2R: pair().bits(&[code(0x005)]),
        R2UR: first().to_uniform().computes(CopiedToWarp).bits(&[code(0x0ca)]),
        B2R: none().bits(&[code(0x11c)]),
    }
    Predicate "predicate" "Predicates"
        "Logic on predicates." {
        PLOP3: flags().computes(Joined).on(Alu).bits(&[code(0x01c)]),
        PSETP PSET CSETP CSET UPSETP UP2UR: none(),
        UPLOP3: flags().bits(&[code(0x09c)]),
    }
    Warp "warp" "Warp-wide exchange"
        "Shuffles, votes, matches and warp synchronisation among the lanes of a warp, and the instructions by which a warp yields." {
        SHFL: first().computes(Exchanged).flags(1).on(Lsu).told(Line).bits(&[code(0x189)]),
        VOTE: result().flags(1).asks().computes(Voted).on(Control).bits(&[code(0x006)]),
        VOTEU: result().flags(1).asks().computes(Voted).bits(&[code(0x086)]),
        MATCH: none().bits(&[code(0x1a1)]),
        ELECT: none().computes(Elected).flags(1).bits(&[code(0x02f)]),
        WARPSYNC: goes(MeetAt).syncs(Lanes).on(Control).bits(&[code(0x148)]),
        NANOSLEEP: syncs(Sleep).bits(&[code(0x15d)]),
        NANOTRAP: none(),
        CREDUX: none().bits(&[code(0x0cc)]),
    }
    Barrier "barrier" "Barriers and mbarriers"
        "Block barriers (BAR), mbarriers in shared memory (SYNCS) and cluster barriers (UCGABAR)." {
        BAR: syncs(Block).bits(&[code(0x11d)]),
        SYNCS: syncs(Mbarrier).bits(&[code(0x1a7), code(0x1b1), code(0x1b2)]),
        UCGABAR_ARV: syncs(ClusterArrive).bits(&[code(0x1c7).kind(4)]),
        UCGABAR_WAIT: syncs(ClusterWait).bits(&[code(0x1c7).kind(6)]),
        ACQBULK: none().bits(&[code(0x02e)]),
        ACQSHMINIT: none(),
        UVIRTCOUNT: none().bits(&[code(0x04c)]),
        PREEXIT: none().bits(&[code(0x02d)]),
        ENDCOLLECTIVE: none().bits(&[code(0x11b)]),
    }
    Fence "fence" "Fences and dependency waits"
        "Memory fences, and waits for outstanding work such as DEPBAR after bulk copies." {
        MEMBAR: syncs(Fence).bits(&[code(0x192)]),
        FENCE: syncs(ProxyFence).bits(&[code(0x1c6)]),
        ERRBAR: syncs(FenceEnd).bits(&[code(0x1ab).kind(4)]),
        CGAERRBAR: syncs(FenceEnd).bits(&[code(0x1ab).kind(2)]),
        DEPBAR: syncs(Outstanding).bits(&[code(0x11a)]),
    }
    Control "control" "Control flow"
        "Branches, calls, reconvergence and exits." {
        BRA: goes(Branch).asks().on(Control).bits(&[code(0x147)]),
        BRX: goes(Indirect).on(Control).bits(&[code(0x149)]),
        BRXU JMX JMXU: goes(Indirect),
        JMP: goes(Branch),
        JMPU BREAK RPCMOV SSY SYNC PBK BRK PCNT CONT CAL JCAL PRET PEXIT PLONGJMP LONGJMP RAM SAM: none(),
        CALL: goes(Call).on(Control).bits(&[code(0x143), code(0x144)]),
        RET: goes(Return).on(Control).bits(&[code(0x150)]),
        RTT: goes(Return),
        EXIT: goes(Exit).on(Control).bits(&[code(0x14d)]),
        BSSY: goes(MeetAt).on(Control).bits(&[code(0x145)]),
        BSYNC: goes(Meet).syncs(Lanes).on(Control).bits(&[code(0x141)]),
        YIELD: none().bits(&[code(0x146)]),
        BMOV: none().bits(&[code(0x155)]),
        BPT: goes(Trap).bits(&[code(0x15c)]),
        KILL: goes(Exit),
    }
    Uniform "uniform" "Uniform datapath"
        "Arithmetic done once for the whole warp on uniform registers. Cheap for the vector pipes. USETMAXREG moves registers between warps, UGETNEXTWORKID takes the next tile of a persistent kernel." {
        UMOV: unary().computes(CopiedToWarp).bits(&[code(0x082)]),
        UIADD3: three().flags(2).asks().computes(Sum).bits(&[code(0x090)]),
        UIMAD: three().asks().computes(MultiplyAdd).bits(&[code(0x0a4), code(0x0a5)]),
        ULEA: three().flags(1).asks().computes(ShiftAdd).bits(&[code(0x091)]),
        ULOP ULOP32I USHL USHR USGXT UBMSK UBREV UF2FP UFADD UFFMA UFMUL UFMNMX UFSEL UFSET UFSETP UFRND UF2F UF2I
        UF2IP UI2FP UI2I UI2IP UIABS UIMNMX UVIADD UVIMNMX UVIADDMNMX UVIMNMX3 UR2UP USETSHMSZ UMEMSETS UCLEA UIDP USTGR
        ULEPC UREDUX: none(),
        USEL: two().asks().computes(Selected).bits(&[code(0x087)]),
        ULOP3: three().flags(1).computes(Logic).bits(&[code(0x092)]),
        USHF: three().computes(ShiftOfWarp).bits(&[code(0x099)]),
        UFLO: unary().bits(&[code(0x0bd)]),
        UPOPC: unary().bits(&[code(0x0bf)]),
        UPRMT: three().bits(&[code(0x096)]),
        UI2F: none().bits(&[code(0x05a)]),
        USETMAXREG: none().bits(&[code(0x1c8)]),
        UGETNEXTWORKID: none().bits(&[code(0x1ca)]),
    }
    Other "other" "Other"
        "Padding, graphics and instructions without a class of their own." {
        NOP: none().bits(&[code(0x118)]),
        PMTRIG CSMTEST SETCTAID GATHER GENMETADATA SPMETADATA SCATTER OUT IPA ISBERD ISBEWR AST ALD TTUCCTL TTUGO TTULD
        TTUMACROFUSE TTUOPEN TTUST TTUCLOSE LDTRAM: none(),
    }
}
