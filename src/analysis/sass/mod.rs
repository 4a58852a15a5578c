//! What machine code tells before it runs: static counts, basic blocks, loops and sequences.
//!
//! `blocks` cuts a function into basic blocks, `dominators` and `loops` find its natural loops, `opcodes` counts and
//! classifies, `sequences` finds instructions that follow each other. A static count says how often an instruction
//! stands in the code, never how often it ran.

mod blocks;
mod dominators;
mod loops;
mod opcodes;
mod sequences;

pub use blocks::{Block, ControlFlow, body};
pub use loops::{NaturalLoop, loops};
pub use opcodes::{ClassCount, OpcodeCount, class_counts, opcode_counts, opcode_matches};
pub(in crate::analysis) use opcodes::{class_of, count_classes};
pub use sequences::{Sequence, sequences};
