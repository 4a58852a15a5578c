//! The control flow of machine code: basic blocks, the edges between them, and what follows from these.
//!
//! `step` says where control goes behind one instruction; `blocks` cuts code into basic blocks by that alone, `dominators` and `loops`
//! find natural loops.

mod blocks;
mod dominators;
mod loops;
mod step;

pub use blocks::{Block, ControlFlow};
pub use dominators::Dominators;
pub use loops::{NaturalLoop, loops};
