//! The room that acts: finds NVIDIA's tools, runs them, and gives what they wrote.
//!
//! Owns every child process, the temporary folders of a build, and the evidence folders with their manifests and logs. Receives
//! paths, flags and requests, gives files and bytes for `source` to read;
//! interprets nothing. A new tool is its row in `tools.rs` and, where it has its own way of failing, a file here.

#![allow(clippy::disallowed_methods, reason = "this room runs programs and notes how long they took")]

#[cfg(feature = "gpu")]
mod clocks;
mod error;
pub mod files;
mod homes;
mod journal;
mod keys;
mod launcher;
mod machine;
mod ncu;
mod nvcc;
mod request;
mod runner;
mod sanitizer;
mod session;
mod slurm;
mod store;
mod tools;

#[cfg(feature = "gpu")]
pub use clocks::clocks;
pub(crate) use error::{CollectError, Setback};
pub(crate) use journal::Journal;
pub(crate) use keys::{Collecting, METRIC_SETS, ORDERS, Together};
pub(crate) use launcher::{Launcher, OwnLauncher, Trial};
pub use launcher::{Stated, Words};
pub use machine::Counters;
pub(crate) use machine::Machine;
pub use ncu::Profile;
pub(crate) use ncu::{Metrics, NcuSaid};
pub use nvcc::{compile, disassemble};
pub use request::{Build, Context, Summary, about};
pub(crate) use request::{Check, Done, Progress, Request, Tests};
pub use runner::{Call, run};
pub(crate) use runner::{Interrupt, Ran, run_watched};
pub(crate) use sanitizer::{SanitizerSaid, sanitizer_words};
pub(crate) use session::survey;
pub use session::{collect, planned};
pub use slurm::{Array, queue};
pub(crate) use slurm::{Task, submit};
pub use store::Store;
pub(crate) use store::{MANIFEST, Stage, is_as_made};
pub(crate) use tools::FoundTool;
pub use tools::{Places, Tool};
