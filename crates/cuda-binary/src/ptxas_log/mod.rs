//! Reader of what `ptxas -v` prints, alone or inside the output of nvcc, make, ninja or a JIT compiler.
//!
//! `statement` finds the assembler's statements in the text, however it is wrapped; `assemble` joins them into one
//! record per (kernel, architecture).

mod assemble;
mod model;
mod statement;

pub use assemble::{looks_like, read};
pub use model::{BuildLog, BuildRecord, CalleeRecord};
