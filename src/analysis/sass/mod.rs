//! What machine code tells before it runs: static counts, basic blocks, loops and sequences.
//!
//! Blocks, dominators and natural loops are `cuda_binary::flow`'s; `opcodes` counts and
//! classifies, `sequences` finds instructions that follow each other, `roles` finds where warps part by their number, `diff`
//! compares two builds. A static count says how often an instruction
//! stands in the code, never how often it ran.

mod diff;
mod opcodes;
mod roles;

pub use cuda_binary::flow::{Block, ControlFlow, Dominators, NaturalLoop, Step, body, loops};
pub use diff::{ClassChange, DiffLine, LINES_KEPT, SassDiff, diff, normalised};
pub use opcodes::access_width;
pub(in crate::analysis) use opcodes::count_classes;
pub use opcodes::{ClassCount, OpcodeCount, class_counts, opcode_counts, opcode_matches};
pub use opcodes::{Sequence, sequences};
pub use roles::{Dispatch, RoleCode, dispatches};
