//! A row of the table, and the words that it is written with.

use super::does::{Act, Computes, Control, Element, Pipe, ProductBy, Space, Sync, Told};

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
    /// Whether it combines values in any grouping.
    pub(crate) folds: bool,
    /// Whether what it leaves is a sum.
    pub(crate) adds: bool,
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
        folds: false,
        adds: false,
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

macro_rules! shapes {
    ($($name:ident: $shape:ident $results:ident,)+) => {
        $(pub(crate) const fn $name() -> Does {
            shaped(Shape::$shape, Results::$results)
        })+
    };
}

shapes! {
    unary: Unary One,
    two: Two One,
    apart: Apart One,
    three: Three One,
    first: First One,
    special: Special One,
    pair: Result Two,
    result: Result One,
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

macro_rules! says {
    ($($(#[$doc:meta])* $name:ident($($given:ident: $of:ty)?) { $($field:ident: $value:expr),+ })+) => {
        impl Does {
            $($(#[$doc])* pub(crate) const fn $name(self $(, $given: $of)?) -> Does {
                Does { $($field: $value,)+ ..self }
            })+
        }
    };
}

says! {
    on(pipe: Pipe) { pipe: Some(pipe) }
    told(told: Told) { told: told }
    syncs(sync: Sync) { sync: Some(sync) }
    /// `a ∘ b`, the same whichever of several are combined first, up to rounding.
    folds() { folds: true }
    /// It leaves a sum.
    adds() { adds: true }
    computes(computes: Computes) { computes: Some(computes) }
    /// Operands that are not decoded, their width included.
    undecoded() { shape: Shape::Other, results: Results::None, is_by_lane: false }
    /// Tiles of a warp instead of an element for each lane.
    tiles() { is_by_lane: false }
    /// Once for the warp.
    once() { is_by_lane: false, shape: Shape::Result }
    to_uniform() { to_uniform: true }
    double() { is_double: true, results: Results::Two }
    flags(flags: u8) { flags: flags }
    asks() { asks: true }
    bits(codes: &'static [Code]) { codes: codes }
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
