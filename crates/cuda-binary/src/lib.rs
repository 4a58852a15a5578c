//! What the compiler of a CUDA kernel made: cubins ([`cubin`]), machine code by its bits and as disassemblers print it ([`sass`]), the
//! opcodes of every chip and what each does ([`op`]), control flow ([`flow`]), PTX ([`ptx`]) and what the assembler said ([`ptxas_log`]).
//!
//! Here is also what every reader of evidence shares: where something was read from ([`Origin`]), why it could not be
//! ([`ReadError`]), and text.

#![deny(missing_docs)]

mod bounds;
pub mod cubin;
mod error;
pub mod flow;
pub mod op;
mod origin;
pub mod ptx;
pub mod ptxas_log;
pub mod sass;
pub mod text;

pub use error::ReadError;
pub use op::{Class, Op};
pub use origin::Origin;
