//! `kernel_audit` turns the evidence of one CUDA kernel's build and profile into a dated Performance Audit.
//!
//! ```text
//! collect ──▶ source ──▶ evidence ──▶ analysis ──▶ view ──▶ render, snapshot ──▶ audits/
//!  (acts)    (parses)   (facts)      (judges)     (words)  (ink)   (data)
//! ```
//!
//! Data flows one way. [`quantity`], [`mod@words`] and [`catalog`] are used by the rooms right of them; [`cli`] wires the rooms.

pub mod analysis;
mod bounds;
pub mod catalog;
pub mod cli;
pub mod collect;
pub mod config;
pub mod evidence;
mod lock;
mod merge;
mod nearest;
mod plain;
pub mod quantity;
mod read;
pub mod render;
mod shell;
pub mod snapshot;
pub mod source;
pub mod view;
pub mod words;
