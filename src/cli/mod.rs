//! The command line: one file per verb, wiring the rooms.
//!
//! Owns the arguments, the exit status, and everything that depends on where and when the program runs: the clock, the
//! environment, git. The rooms receive these as values. A new verb is one file here, its variant in `args.rs` and its
//! line in `program.rs`.

mod args;
mod code;
mod doctor;
mod dump;
mod explain;
mod failure;
mod generate;
mod lines;
mod moment;
mod plan;
mod program;
mod show;
mod snapshot;

pub use failure::{Failure, Status};
pub use program::run;
pub use snapshot::{Snapshot, StaticSnapshot};
