//! The most that a cubin may make of anything: what it says is a value, never the size of a loop or of memory.

/// Calls in one another at one instruction.
pub(crate) const INLINE_DEPTH: usize = 128;
/// Source places of the instructions of one cubin, calls counted; instructions behind them have no callers.
pub(crate) const SOURCE_PLACES: usize = 1 << 22;
