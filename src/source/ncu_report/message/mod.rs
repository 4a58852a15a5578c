//! The protobuf messages of the report, as subsets: a field that nobody reads is left out.
//!
//! Owns every field number, each stated once; those of a result's large parts stand where they are taken off
//! ([`super::kind`]). Text is kept as bytes of the mapped file and decoded when it is used,
//! so that text that is not UTF-8 spoils nothing. Every field is optional, whatever the writer promises.

mod container;
pub(super) mod metric_tag;
mod nvtx;
mod result;
mod rule;
mod session;
mod source;

pub(super) use container::{BlockHeader, FileHeader, ProcessInfo};
pub(super) use nvtx::NvtxState;
pub(super) use result::{ClockState, CmdlistResult, Extent, GraphResult, KernelResult, RangeResult};
pub(super) use rule::{RuleColumn, RuleItem, RuleResult};
pub(super) use session::{DeviceAttributes, SessionDetails};
pub(super) use source::SourcePiece;
