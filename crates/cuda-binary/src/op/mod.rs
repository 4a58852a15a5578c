//! Opcodes of SASS: which there are, which class an engineer reads them in, and what each does.
//!
//! `table` is the one list, a row for each opcode with everything that is known of it; `does` has the words of a row, `bits` finds
//! an opcode by the bits of an instruction, and `questions` answers for the rest of the program what an opcode is.

mod bits;
mod does;
mod questions;
mod table;

pub use bits::of_bits;
pub use does::{Act, Computes, Control, Element, Pipe, ProductBy, Space, Sync, Told};
pub(crate) use does::{Results, Shape};
pub use questions::base;
pub use table::{Class, Op};
