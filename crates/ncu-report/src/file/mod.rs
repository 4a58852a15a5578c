//! The reader of Nsight Compute reports (`.ncu-rep`), without any NVIDIA software.
//!
//! Owns the file format: container, messages, string table. Receives a path and a [`Want`](crate::Want), gives a
//! [`Report`](crate::Report) or [`SourceData`]. A plain report is read in parts, a packed
//! one (`.ncu-repz`) unpacked into memory; nothing is decoded that nobody asked for.

mod bytes;
mod container;
mod device;
mod dropped;
mod fault;
mod fields;
mod kind;
mod launch;
mod message;
mod metrics;
mod names;
mod public;
mod reader;
mod rules;
mod session;
mod source_data;
mod wire;

pub use public::public_report;
pub use reader::{NcuReport, looks_like, read};
pub use source_data::{LoadedFunction, SourceData};
