//! The four kinds of result, brought to one shape.

use super::container::EntryKind;
use super::message::{ClockState, CmdlistResult, Extent, GraphResult, KernelResult, RangeResult, SourcePiece};
use crate::evidence::{ClockStatus, Dim3, Workload};
use bytes::Bytes;
use prost::{DecodeError, Message};

/// A result of any kind, its large parts still encoded.
#[derive(Default)]
pub(super) struct AnyResult {
    pub(super) workload: Option<Workload>,
    pub(super) thread: Option<u32>,
    pub(super) name: Option<Bytes>,
    pub(super) demangled: Option<Bytes>,
    pub(super) mangled: Option<Bytes>,
    pub(super) function: Option<Bytes>,
    pub(super) grid: Option<Dim3>,
    pub(super) block: Option<Dim3>,
    pub(super) context: Option<u32>,
    pub(super) stream: Option<u32>,
    pub(super) created: Option<u64>,
    pub(super) clock: Option<ClockStatus>,
    pub(super) driver: Option<f32>,
    pub(super) references: Vec<u64>,
    pub(super) metrics: Vec<Bytes>,
    pub(super) rules: Vec<Bytes>,
    pub(super) nvtx: Option<Bytes>,
}

fn extent(extent: &Extent) -> Dim3 {
    Dim3([extent.x, extent.y, extent.z].map(|size| size.unwrap_or(0)))
}

fn clock(state: &ClockState) -> ClockStatus {
    ClockStatus { requested: state.requested.unwrap_or(false), executed: state.executed.unwrap_or(false) }
}

/// Fills the fields that ranges, command lists and graphs name alike.
macro_rules! common {
    ($result:ident, $workload:ident) => {
        AnyResult {
            workload: Some(Workload::$workload),
            thread: $result.thread,
            context: $result.context,
            created: $result.created,
            clock: $result.clock.as_ref().map(clock),
            driver: $result.driver,
            metrics: $result.metrics,
            rules: $result.rules,
            nvtx: $result.nvtx,
            ..AnyResult::default()
        }
    };
}

fn kernel(result: KernelResult) -> Result<AnyResult, DecodeError> {
    let filled = |text: &Option<Bytes>| text.clone().filter(|text| !text.is_empty());
    let reference = result.source.map(SourcePiece::decode).transpose()?.and_then(|source| source.reference);
    Ok(AnyResult {
        name: filled(&result.renamed).or_else(|| filled(&result.demangled)).or_else(|| filled(&result.mangled)),
        demangled: result.demangled,
        mangled: result.mangled,
        function: result.function,
        grid: result.grid.as_ref().map(extent),
        block: result.block.as_ref().map(extent),
        stream: result.stream,
        references: reference.into_iter().collect(),
        ..common!(result, Kernel)
    })
}

/// Decodes a result of a kind; for source data there is none.
pub(super) fn decode(kind: EntryKind, message: Bytes) -> Result<AnyResult, DecodeError> {
    Ok(match kind {
        EntryKind::Kernel => kernel(KernelResult::decode(message)?)?,
        EntryKind::Range => {
            let result = RangeResult::decode(message)?;
            AnyResult {
                name: Some(Bytes::from_static(b"range")),
                references: result.references,
                ..common!(result, Range)
            }
        }
        EntryKind::Cmdlist => {
            let result = CmdlistResult::decode(message)?;
            AnyResult {
                name: result.name.filter(|name| !name.is_empty()).or(Some(Bytes::from_static(b"cmdlist"))),
                references: result.references,
                stream: result.stream,
                ..common!(result, Cmdlist)
            }
        }
        EntryKind::Graph => {
            let result = GraphResult::decode(message)?;
            AnyResult {
                name: Some(Bytes::from_static(b"graph")),
                references: result.references,
                stream: result.stream,
                ..common!(result, Graph)
            }
        }
        EntryKind::Source => AnyResult::default(),
    })
}

/// Name of the message of a kind, and the message as far as this reader knows it; for the survey of unknown fields.
pub(super) fn known_part(kind: EntryKind, message: Bytes) -> Result<(&'static str, Vec<u8>), DecodeError> {
    Ok(match kind {
        EntryKind::Source => ("SourceData", SourcePiece::decode(message)?.encode_to_vec()),
        EntryKind::Kernel => ("ProfileResult", KernelResult::decode(message)?.encode_to_vec()),
        EntryKind::Range => ("RangeResult", RangeResult::decode(message)?.encode_to_vec()),
        EntryKind::Cmdlist => ("CmdlistResult", CmdlistResult::decode(message)?.encode_to_vec()),
        EntryKind::Graph => ("GraphResult", GraphResult::decode(message)?.encode_to_vec()),
    })
}
