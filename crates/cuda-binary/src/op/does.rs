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
}

/// How the operands of an opcode lie in its bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Shape {
    /// One operand, at 32.
    Unary,
    /// Two: at 24 and 32.
    Two,
    /// Two: at 24 and 64.
    Apart,
    /// Three: at 24, 32 and 64.
    Three,
    /// One at 24: an address, or an index.
    First,
    /// An address at 24 and data at 32.
    Store,
    /// A result without operands.
    Result,
    /// A result from a special register.
    Special,
    /// Predicates alone, at 87, 77 and 68.
    Flags,
    /// None that are decoded.
    Other,
}

/// How many registers a result has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Results {
    /// None.
    None,
    /// One, or two where the bits say that it is twice as wide.
    One,
    /// Two.
    Two,
    /// As the width of the access says.
    ByWidth,
}

/// Bits by which an instruction is of an opcode.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Code {
    /// The low nine bits.
    pub(crate) bits: u16,
    /// The next three, where these tell opcodes apart.
    pub(crate) kind: Option<u8>,
    /// Ten times the compute capability from which on, and below which, they mean this opcode.
    pub(crate) chips: (u16, u16),
}

/// What a row of the table says of an opcode.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Does {
    pub(crate) space: Option<Space>,
    pub(crate) act: Option<Act>,
    pub(crate) pipe: Option<Pipe>,
    /// Whether it runs beside the warp that starts it.
    pub(crate) is_async: bool,
    /// Whether each lane moves an element, as wide as a modifier says.
    pub(crate) is_by_lane: bool,
    pub(crate) product: Option<(ProductBy, Element)>,
    pub(crate) control: Option<Control>,
    pub(crate) sync: Option<Sync>,
    pub(crate) told: Told,
    pub(crate) computes: Option<Computes>,
    pub(crate) shape: Shape,
    pub(crate) results: Results,
    /// Whether the result is a register of the warp although the operands are of its lanes.
    pub(crate) to_uniform: bool,
    /// Whether each operand is two registers.
    pub(crate) is_double: bool,
    /// Predicates that it writes: at 81, and at 84.
    pub(crate) flags: u8,
    /// Whether it reads the predicate at 87.
    pub(crate) asks: bool,
    pub(crate) codes: &'static [Code],
}

pub(crate) const fn none() -> Does {
    Does {
        space: None,
        act: None,
        pipe: None,
        is_async: false,
        is_by_lane: false,
        product: None,
        control: None,
        sync: None,
        told: Told::No,
        computes: None,
        shape: Shape::Other,
        results: Results::None,
        to_uniform: false,
        is_double: false,
        flags: 0,
        asks: false,
        codes: &[],
    }
}

const fn shaped(shape: Shape, results: Results) -> Does {
    Does { shape, results, ..none() }
}

pub(crate) const fn unary() -> Does {
    shaped(Shape::Unary, Results::One)
}

pub(crate) const fn two() -> Does {
    shaped(Shape::Two, Results::One)
}

pub(crate) const fn apart() -> Does {
    shaped(Shape::Apart, Results::One)
}

pub(crate) const fn three() -> Does {
    shaped(Shape::Three, Results::One)
}

pub(crate) const fn first() -> Does {
    shaped(Shape::First, Results::One)
}

pub(crate) const fn special() -> Does {
    shaped(Shape::Special, Results::One)
}

pub(crate) const fn pair() -> Does {
    shaped(Shape::Result, Results::Two)
}

/// Compares two operands.
pub(crate) const fn compare(flags: u8) -> Does {
    Does { flags, asks: true, ..shaped(Shape::Two, Results::None) }
}

/// Logic on predicates.
pub(crate) const fn flags() -> Does {
    Does { flags: 2, asks: true, ..shaped(Shape::Flags, Results::None) }
}

const fn access(space: Space, act: Act, shape: Shape, results: Results) -> Does {
    let pipe = match space {
        Space::Global | Space::Shared | Space::Local => Some(Pipe::Lsu),
        _ => None,
    };
    Does { space: Some(space), act: Some(act), pipe, ..shaped(shape, results) }
}

pub(crate) const fn load(space: Space) -> Does {
    Does { is_by_lane: true, ..access(space, Act::Load, Shape::First, Results::ByWidth) }
}

pub(crate) const fn store(space: Space) -> Does {
    Does { is_by_lane: true, ..access(space, Act::Store, Shape::Store, Results::None) }
}

pub(crate) const fn copy() -> Does {
    let copied = access(Space::Global, Act::Copy, Shape::Store, Results::None);
    Does { is_by_lane: true, is_async: true, ..copied }
}

pub(crate) const fn atomic(space: Space) -> Does {
    access(space, Act::Atomic, Shape::Store, Results::One)
}

pub(crate) const fn reduction(space: Space) -> Does {
    access(space, Act::Reduction, Shape::Store, Results::None)
}

/// A bulk access of the copy engine.
pub(crate) const fn bulk(act: Act) -> Does {
    Does { space: Some(Space::Global), act: Some(act), is_async: true, ..none() }
}

pub(crate) const fn product(by: ProductBy, element: Element) -> Does {
    let is_async = !matches!(by, ProductBy::Warp);
    Does { product: Some((by, element)), pipe: Some(Pipe::Tensor), is_async, ..none() }
}

pub(crate) const fn syncs(sync: Sync) -> Does {
    Does { sync: Some(sync), ..none() }
}

pub(crate) const fn goes(control: Control) -> Does {
    Does { control: Some(control), ..none() }
}

impl Does {
    pub(crate) const fn on(self, pipe: Pipe) -> Does {
        Does { pipe: Some(pipe), ..self }
    }

    pub(crate) const fn told(self, told: Told) -> Does {
        Does { told, ..self }
    }

    pub(crate) const fn syncs(self, sync: Sync) -> Does {
        Does { sync: Some(sync), ..self }
    }

    pub(crate) const fn computes(self, computes: Computes) -> Does {
        Does { computes: Some(computes), ..self }
    }

    /// Operands that are not decoded.
    pub(crate) const fn undecoded(self) -> Does {
        Does { shape: Shape::Other, results: Results::None, ..self }
    }

    /// Tiles of a warp instead of an element for each lane.
    pub(crate) const fn tiles(self) -> Does {
        Does { is_by_lane: false, ..self }
    }

    /// Once for the warp.
    pub(crate) const fn once(self) -> Does {
        Does { is_by_lane: false, shape: Shape::Result, ..self }
    }

    pub(crate) const fn to_uniform(self) -> Does {
        Does { to_uniform: true, ..self }
    }

    pub(crate) const fn double(self) -> Does {
        Does { is_double: true, results: Results::Two, ..self }
    }

    pub(crate) const fn flags(self, flags: u8) -> Does {
        Does { flags, ..self }
    }

    pub(crate) const fn asks(self) -> Does {
        Does { asks: true, ..self }
    }

    pub(crate) const fn bits(self, codes: &'static [Code]) -> Does {
        Does { codes, ..self }
    }
}

/// The low nine bits of an opcode.
pub(crate) const fn code(bits: u16) -> Code {
    Code { bits, kind: None, chips: (0, u16::MAX) }
}

impl Code {
    /// Only with these three bits behind them.
    pub(crate) const fn kind(self, kind: u8) -> Code {
        Code { kind: Some(kind), ..self }
    }

    /// Only from this chip on: 90 for compute capability 9.0.
    pub(crate) const fn since(self, chip: u16) -> Code {
        Code { chips: (chip, self.chips.1), ..self }
    }

    /// Only before this chip.
    pub(crate) const fn before(self, chip: u16) -> Code {
        Code { chips: (self.chips.0, chip), ..self }
    }
}
