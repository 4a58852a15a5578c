//! Reader of cubins: the kernels' resources, their code's identity, and source lines.
//!
//! `elf` opens the file, `functions` says where code lies, `attributes` reads the assembler's records, `kernels` makes the kernels, `line_program` runs a
//! `.debug_line` program and `lines` makes places of its rows.

mod attributes;
mod elf;
mod kernels;
mod line_program;
mod lines;
mod model;

pub use kernels::{CodeRange, code_ranges, read};
pub use lines::{line_table, line_table_of};
pub use model::{Cubin, CubinCallee, CubinKernel, CubinParameter, LineRow, LineTable};
