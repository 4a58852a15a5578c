//! Reader of disassemblies: the text of `cuobjdump --dump-sass` and of `nvdisasm`, with or without line information,
//! labels and encodings.
//!
//! `line` tells what a line is, `instruction` takes an instruction apart, `operand` reads its operands, `read` collects functions.
//! `word` decodes what the bits of an instruction tell without a disassembler; `act` and `registers` are parts of it.

mod act;
mod arithmetic;
mod instruction;
mod line;
mod listing;
mod machine_word;
mod operand;
mod read;
mod registers;
pub(crate) mod word;

pub use listing::{Instruction, SassFunction, SassListing, SourceLine, Text};
pub use machine_word::{Arithmetic, Flow, MachineWord, Register, RegisterFile, Registers, WarpSync};
pub use operand::{Operand, OperandFrom};
pub use read::read;
pub use word::decode;
