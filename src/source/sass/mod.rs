//! Reader of disassemblies: the text of `cuobjdump --dump-sass` and of `nvdisasm`, with or without line information,
//! labels and encodings.
//!
//! `line` tells what a line is, `instruction` takes an instruction apart, `read` collects functions.
//! `word` decodes what the bits of an instruction tell without a disassembler; `act` and `registers` are parts of it.

mod act;
mod arithmetic;
mod instruction;
mod line;
mod read;
mod registers;
mod word;

pub use read::read;
pub(in crate::source) use word::decode;
pub(crate) use word::word_of;
