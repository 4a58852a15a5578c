//! The room that acts: finds NVIDIA's tools, runs them, and gives what they wrote.
//!
//! Owns every child process and temporary folder of a build. Receives paths and flags, gives bytes for `source` to read;
//! interprets nothing. A new tool is its row in `tools.rs` and, where it has its own way of failing, a file here.

#[cfg(feature = "gpu")]
mod clocks;
mod disassemble;
mod error;
#[cfg(feature = "gpu")]
pub mod gpu;
mod journal;
pub mod launch;
mod machine;
mod ncu;
mod nvcc;
mod progress;
mod runner;
mod sanitizer;
mod session;
mod store;
mod tools;
mod words;

pub use disassemble::{Disassembly, disassemble};
pub use error::{CollectError, Setback};
pub use journal::{JOURNAL, Journal};
pub use machine::Machine;
pub use ncu::{Metrics, NcuSaid, Profile};
pub use nvcc::{Compile, Compiled, compile};
pub use progress::{Done, Progress};
pub use runner::{Call, Interrupt, Ran, run, run_watched};
pub use sanitizer::{SanitizerSaid, sanitizer_words};
pub use session::{Absent, Build, Context, Request, Summary, collect, files, planned};
pub use store::{MANIFEST, Stage, Store};
pub use tools::{FoundTool, Places, Tool, Versions};
pub use words::Words;
