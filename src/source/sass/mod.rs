//! Reader of disassemblies: the text of `cuobjdump --dump-sass` and of `nvdisasm`, with or without line information,
//! labels and encodings.
//!
//! `line` tells what a line is, `instruction` takes an instruction apart, `read` collects functions.

mod instruction;
mod line;
mod read;

pub use read::{looks_like, read};
