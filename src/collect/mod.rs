//! The room that acts: finds NVIDIA's tools, runs them, and gives what they wrote.
//!
//! Owns every child process, the temporary folders of a build, and the evidence folders with their manifests and logs. Receives
//! paths, flags and requests, gives files and bytes for `source` to read;
//! interprets nothing. A new tool is its row in `tools.rs` and, where it has its own way of failing, a file here.

#![allow(clippy::disallowed_methods, reason = "this room runs programs and notes how long they took")]

#[cfg(feature = "gpu")]
mod clocks;
mod disassemble;
mod error;
pub mod files;
mod homes;
mod journal;
mod keys;
mod launcher;
mod machine;
mod ncu;
mod nvcc;
mod progress;
mod request;
mod runner;
mod sanitizer;
mod session;
mod slurm;
mod store;
mod tools;
mod words;

#[cfg(feature = "gpu")]
pub use clocks::clocks;
pub use disassemble::{Disassembly, disassemble};
pub use error::{CollectError, Setback};
pub use journal::{JOURNAL, Journal};
pub use keys::{Collecting, Together};
pub(crate) use keys::{METRIC_SETS, ORDERS};
pub use launcher::{Launcher, OwnLauncher, Stated, Trial};
pub use machine::{Counters, Machine};
pub use ncu::{Metrics, NcuSaid, Profile};
pub use nvcc::{Compile, Compiled, compile};
pub use progress::{Done, Progress, about};
pub use request::{Absent, Build, Check, Context, IsTimeline, Outcome, Public, Request, Summary};
pub use runner::{Call, Interrupt, Ran, run, run_watched};
pub use sanitizer::{SanitizerSaid, sanitizer_words};
pub use session::{collect, planned, survey};
pub use slurm::{Array, Task, queue, submit};
pub use store::{MANIFEST, Stage, Store, is_as_made};
pub use tools::{FoundTool, Places, Tool, Versions};
pub use words::Words;
