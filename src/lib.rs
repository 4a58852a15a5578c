//! `kernel_audit` turns the evidence of one CUDA kernel's build and profile into a dated Performance Audit.
//!
//! ```text
//! collect ──▶ source ──▶ evidence ──▶ analysis ──▶ view ──▶ render, snapshot ──▶ audits/
//!  (acts)    (parses)   (facts)      (judges)     (words)  (ink)   (data)
//! ```
//!
//! Data flows one way. [`quantity`], [`mod@words`] and [`catalog`] are used by the rooms right of them; [`cli`] wires the rooms.
//! Those left of [`view`] are a crate of their own, [`kernel_judgement`], so that their code is made while the others are read.

pub mod cli;
pub mod collect;
pub mod config;
mod lock;
mod plain;
pub mod render;
pub mod snapshot;
pub mod view;

pub use kernel_judgement::{analysis, catalog, evidence, quantity, source, words};
use kernel_judgement::{bounds, merge, nearest, read, shell};
