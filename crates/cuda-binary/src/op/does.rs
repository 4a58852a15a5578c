//! The words in which a row of the table says what an opcode does.

/// Where the data of an access is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Space {
    /// Global memory, or the generic address space.
    Global,
    /// Shared memory of the own block.
    Shared,
    /// Shared memory of another block of the cluster.
    Cluster,
    /// Local memory.
    Local,
    /// A constant bank.
    Constant,
    /// Textures and surfaces.
    Texture,
    /// Tensor memory (sm_100).
    TensorMemory,
}

/// What an access does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Act {
    /// Memory to registers.
    Load,
    /// Registers, or of a bulk store shared memory, to memory.
    Store,
    /// Changes memory and returns what was there.
    Atomic,
    /// Changes memory and returns nothing.
    Reduction,
    /// From global to shared memory without passing registers.
    Copy,
    /// To a cache.
    Prefetch,
}

/// The pipe of an SM that runs an opcode.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Pipe {
    /// Loads and stores.
    Lsu,
    /// Products of matrices.
    Tensor,
    /// Double precision.
    Fp64,
    /// Half precision.
    Fp16,
    /// Multiply-add of single precision and of integers.
    Fma,
    /// Special functions and slow conversions.
    Xu,
    /// Integers, logic, comparison.
    Alu,
    /// Addresses and branches.
    Control,
}

/// Who starts a product of matrices.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ProductBy {
    /// One warp, which has the result when its registers are read (`mma.sync`).
    Warp,
    /// Four warps, beside which it runs (`wgmma`).
    Warpgroup,
    /// One thread, beside which it runs (`tcgen05`).
    Thread,
}

/// What is multiplied.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Element {
    /// FP16, or BF16 or TF32 where a modifier says so.
    Half,
    /// FP8 and, on some chips, FP6.
    Bytes,
    /// FP4.
    Nibbles,
    /// Integers.
    Integer,
    /// FP64.
    Double,
    /// Single bits.
    Bits,
    /// Whatever the opcode's bits do not tell apart.
    Any,
}

/// What an opcode does to control.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Control {
    /// Goes to a place that it names.
    Branch,
    /// Goes to a place that a register holds.
    Indirect,
    /// Goes to a function, and comes back.
    Call,
    /// Ends the thread.
    Exit,
    /// Goes back to the caller.
    Return,
    /// Names the place where lanes meet again, and goes on.
    MeetAt,
    /// Lanes meet.
    Meet,
    /// Stops the program.
    Trap,
}

/// What an opcode does between lanes, warps or blocks, or with what runs beside its warp.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sync {
    /// The lanes of the warp meet.
    Lanes,
    /// A barrier of the block.
    Block,
    /// Arrives at a barrier of the cluster.
    ClusterArrive,
    /// Waits at a barrier of the cluster.
    ClusterWait,
    /// An mbarrier.
    Mbarrier,
    /// Opens products of a warpgroup, or waits for them.
    Products,
    /// Ties products in tensor memory to an mbarrier.
    Commit,
    /// A memory fence.
    Fence,
    /// What the compiler puts behind a fence.
    FenceEnd,
    /// A fence between the ways to memory of threads and of the copy engine.
    ProxyFence,
    /// Waits for copies that are outstanding.
    Outstanding,
    /// Closes a group of copies to shared memory.
    CopyGroup,
    /// Ties copies to shared memory to an mbarrier.
    CopyArrive,
    /// Cache control.
    Cache,
    /// Lets other warps go first.
    Sleep,
}

/// Whether a page tells an opcode by its name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Told {
    /// Only where it is among the most frequent.
    No,
    /// It stands for a line of source.
    Line,
    /// So it does, and moves data: the first that a reader looks for.
    Move,
}

/// What an instruction computes, as far as addresses are made by such.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Computes {
    /// `a · b + c`.
    MultiplyAdd,
    /// `a + b + c`.
    Sum,
    /// `a + b`.
    SumOfTwo,
    /// `a`.
    Copied,
    /// `(a << n) + b`.
    ShiftAdd,
    /// Each bit by a table.
    Logic,
    /// Moved bits.
    Shift,
    /// A word of the constant bank of the kernel's arguments.
    Argument,
    /// `a`, in a register of the warp.
    CopiedToWarp,
    /// Moved bits, in registers of the warp.
    ShiftOfWarp,
    /// How many of its bits are set.
    Counted,
    /// What another lane has.
    Exchanged,
    /// Whether two integers stand in an order.
    Compared,
    /// One of two, by a predicate.
    Selected,
    /// One of two floats, which may be turned over, by a predicate.
    Picked,
    /// The smaller or the larger of two integers, by a predicate.
    Bounded,
    /// Bytes of two registers.
    Permuted,
    /// Predicates by a table.
    Joined,
    /// What the lanes of the warp say together.
    Voted,
    /// One lane of those that run.
    Elected,
    /// An integer as a float.
    ToFloat,
    /// A float as an integer.
    ToInteger,
    /// A function of the special unit, by a modifier.
    Special,
    /// Whether a quotient may go its usual way.
    Checked,
}
