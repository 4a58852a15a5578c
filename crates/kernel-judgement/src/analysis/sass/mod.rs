//! What machine code tells before it runs: static counts, basic blocks, loops and sequences.
//!
//! Blocks, dominators and natural loops are `cuda_binary::flow`'s, and `listed` has them of a function; `opcodes` counts and
//! classifies, `sequences` finds instructions that follow each other, `diff` compares two builds. A static count says how often an
//! instruction stands in the code, never how often it ran.

mod diff;
mod listed;
mod opcodes;

pub use cuda_binary::flow::{Block, ControlFlow, Dominators, NaturalLoop, loops};
pub use diff::{ClassChange, DiffLine, SassDiff, diff};
pub use listed::Listed;
pub use opcodes::{ClassCount, access_width, class_counts, opcode_counts, opcode_matches, sequences};
