//! The command line: one file per verb, wiring the rooms.
//!
//! Owns the arguments, the exit status, and everything that depends on where and when the program runs: the clock, the
//! environment, git. The rooms receive these as values. A new verb is one file here, its variant in `args/verb.rs`,
//! its flags in `args/` and its line in `program.rs`.

#![allow(clippy::disallowed_methods, reason = "this room reads the clock and the environment, and asks git")]

mod args;
mod array;
mod baseline;
mod check;
mod code;
mod collect;
mod compare;
mod doctor;
mod dump;
mod evidence;
mod explain;
mod failure;
mod files;
mod foresight;
mod gather;
mod generate;
mod history;
mod index;
mod init;
mod init_build;
mod init_python;
mod launch;
mod launcher;
mod lint;
mod made;
mod manual;
mod moment;
mod parts;
mod plan;
mod program;
mod progress;
mod render;
mod requests;
mod resolve;
mod say;
mod show;
mod slot;
mod stale;
mod stated;
mod task;
mod threads;
mod timeline;
mod trials;

pub(in crate::cli) use failure::Failure;
pub use failure::Status;
pub(in crate::cli) use made::Made;
pub use program::{call, run, run_with};
pub(in crate::cli) use say::{mention, say};
