//! The four kinds of result, brought to one shape.
//!
//! Of a result, metrics, rule results and NVTX states stay encoded and are taken off by the walk of [`super::wire`];
//! what is left is small and is decoded.

use super::container::EntryKind;
use super::message::{ClockState, CmdlistResult, Extent, GraphResult, KernelResult, RangeResult, SourcePiece};
use super::wire;
use crate::{ClockStatus, Dim3, Workload};
use bytes::Bytes;
use prost::{DecodeError, Message};

/// A result of any kind, its large parts still encoded.
#[derive(Default)]
pub(super) struct AnyResult<'a> {
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
    pub(super) rules: Vec<&'a [u8]>,
    pub(super) nvtx: Option<&'a [u8]>,
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
            ..AnyResult::default()
        }
    };
}

fn kernel(result: KernelResult) -> Result<AnyResult<'static>, DecodeError> {
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

/// The numbers of the fields of a result that hold most of its bytes; [`super::message`] leaves them out.
struct Large {
    metrics: u8,
    rules: u32,
    nvtx: u32,
    /// What ncu's window shows; nothing here is read from it.
    sections: [u32; 2],
}

fn large(kind: EntryKind) -> Large {
    let (metrics, rules, nvtx, sections) = match kind {
        EntryKind::Kernel => (13, 19, 21, [17, 18]),
        EntryKind::Range => (4, 20, 10, [7, 8]),
        EntryKind::Cmdlist => (4, 21, 10, [7, 8]),
        EntryKind::Graph | EntryKind::Source => (4, 22, 10, [7, 8]),
    };
    Large { metrics, rules, nvtx, sections }
}

/// Decodes a result of a kind and hands out its metrics as they come; for source data there is no result.
#[inline]
pub(super) fn decode<'a>(
    kind: EntryKind,
    message: &'a [u8],
    mut metric: impl FnMut(&'a [u8]),
) -> Result<AnyResult<'a>, DecodeError> {
    let large = large(kind);
    let (mut rules, mut nvtx) = (Vec::new(), None);
    let mut small = Vec::new();
    let mut rest = message;
    let walked = loop {
        rest = wire::each_of(rest, large.metrics, &mut metric);
        if rest.is_empty() {
            break true;
        }
        let Some((field, after)) = wire::split_field(rest) else { break false };
        match field.contents() {
            Some(rule) if field.number == large.rules => rules.push(rule),
            Some(state) if field.number == large.nvtx => nvtx = Some(state),
            Some(_) if large.sections.contains(&field.number) => {}
            _ => small.extend_from_slice(field.whole),
        }
        rest = after;
    };
    // What the walk does not take is decoded whole, for the reason that the decoder gives.
    let small = Bytes::from(if walked { small } else { message.to_vec() });
    Ok(AnyResult { rules, nvtx, ..decode_small(kind, small)? })
}

fn decode_small(kind: EntryKind, message: Bytes) -> Result<AnyResult<'static>, DecodeError> {
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
