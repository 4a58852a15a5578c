//! Opcodes of SASS: which there are, which class an engineer reads them in, and what each does.
//!
//! `table` is the one list, a row for each opcode with everything that is known of it; `does` and `row` have the words of
//! a row, `bits` finds
//! an opcode by the bits of an instruction, and `questions` answers for the rest of the program what an opcode is.

mod bits;
mod does;
mod questions;
mod row;
mod table;

pub use bits::of_bits;
pub use does::{Act, Computes, Control, Element, Pipe, ProductBy, Space, Sync, Told};
pub use questions::base;
pub(crate) use row::{Results, Shape};
pub use table::{Class, Op};
