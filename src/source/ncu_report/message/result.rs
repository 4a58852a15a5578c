//! Messages of a result: a kernel launch, a range, a command list, a graph.

use bytes::Bytes;

/// One kernel launch.
#[derive(Clone, PartialEq, prost::Message)]
pub(in crate::source::ncu_report) struct KernelResult {
    #[prost(uint32, optional, tag = "1")]
    pub(in crate::source::ncu_report) thread: Option<u32>,
    #[prost(bytes = "bytes", optional, tag = "5")]
    pub(in crate::source::ncu_report) mangled: Option<Bytes>,
    #[prost(bytes = "bytes", optional, tag = "6")]
    pub(in crate::source::ncu_report) function: Option<Bytes>,
    /// Empty for `extern "C"` kernels.
    #[prost(bytes = "bytes", optional, tag = "7")]
    pub(in crate::source::ncu_report) demangled: Option<Bytes>,
    #[prost(message, optional, tag = "10")]
    pub(in crate::source::ncu_report) grid: Option<Extent>,
    #[prost(message, optional, tag = "11")]
    pub(in crate::source::ncu_report) block: Option<Extent>,
    #[prost(uint64, optional, tag = "14")]
    pub(in crate::source::ncu_report) created: Option<u64>,
    /// A source message that holds only the reference.
    #[prost(bytes = "bytes", optional, tag = "15")]
    pub(in crate::source::ncu_report) source: Option<Bytes>,
    #[prost(uint32, optional, tag = "22")]
    pub(in crate::source::ncu_report) context: Option<u32>,
    #[prost(uint32, optional, tag = "23")]
    pub(in crate::source::ncu_report) stream: Option<u32>,
    #[prost(message, optional, tag = "25")]
    pub(in crate::source::ncu_report) clock: Option<ClockState>,
    #[prost(bytes = "bytes", optional, tag = "31")]
    pub(in crate::source::ncu_report) renamed: Option<Bytes>,
    #[prost(float, optional, tag = "35")]
    pub(in crate::source::ncu_report) driver: Option<f32>,
}

/// A range of API calls.
#[derive(Clone, PartialEq, prost::Message)]
pub(in crate::source::ncu_report) struct RangeResult {
    #[prost(uint32, optional, tag = "1")]
    pub(in crate::source::ncu_report) thread: Option<u32>,
    #[prost(uint64, optional, tag = "5")]
    pub(in crate::source::ncu_report) created: Option<u64>,
    #[prost(uint32, optional, tag = "11")]
    pub(in crate::source::ncu_report) context: Option<u32>,
    #[prost(message, optional, tag = "12")]
    pub(in crate::source::ncu_report) clock: Option<ClockState>,
    #[prost(uint64, repeated, tag = "15")]
    pub(in crate::source::ncu_report) references: Vec<u64>,
    #[prost(float, optional, tag = "21")]
    pub(in crate::source::ncu_report) driver: Option<f32>,
}

/// A command list.
#[derive(Clone, PartialEq, prost::Message)]
pub(in crate::source::ncu_report) struct CmdlistResult {
    #[prost(uint32, optional, tag = "1")]
    pub(in crate::source::ncu_report) thread: Option<u32>,
    #[prost(uint64, optional, tag = "5")]
    pub(in crate::source::ncu_report) created: Option<u64>,
    #[prost(uint32, optional, tag = "11")]
    pub(in crate::source::ncu_report) context: Option<u32>,
    #[prost(uint32, optional, tag = "12")]
    pub(in crate::source::ncu_report) stream: Option<u32>,
    #[prost(message, optional, tag = "13")]
    pub(in crate::source::ncu_report) clock: Option<ClockState>,
    #[prost(uint64, repeated, tag = "17")]
    pub(in crate::source::ncu_report) references: Vec<u64>,
    #[prost(bytes = "bytes", optional, tag = "18")]
    pub(in crate::source::ncu_report) name: Option<Bytes>,
    #[prost(float, optional, tag = "25")]
    pub(in crate::source::ncu_report) driver: Option<f32>,
}

/// A graph launched as a whole.
#[derive(Clone, PartialEq, prost::Message)]
pub(in crate::source::ncu_report) struct GraphResult {
    #[prost(uint32, optional, tag = "1")]
    pub(in crate::source::ncu_report) thread: Option<u32>,
    #[prost(uint64, optional, tag = "5")]
    pub(in crate::source::ncu_report) created: Option<u64>,
    #[prost(uint32, optional, tag = "11")]
    pub(in crate::source::ncu_report) context: Option<u32>,
    #[prost(uint32, optional, tag = "12")]
    pub(in crate::source::ncu_report) stream: Option<u32>,
    #[prost(message, optional, tag = "13")]
    pub(in crate::source::ncu_report) clock: Option<ClockState>,
    #[prost(uint64, repeated, tag = "17")]
    pub(in crate::source::ncu_report) references: Vec<u64>,
    #[prost(float, optional, tag = "23")]
    pub(in crate::source::ncu_report) driver: Option<f32>,
}

/// Extent in x, y, z.
#[derive(Clone, PartialEq, prost::Message)]
pub(in crate::source::ncu_report) struct Extent {
    #[prost(uint64, optional, tag = "1")]
    pub(in crate::source::ncu_report) x: Option<u64>,
    #[prost(uint64, optional, tag = "2")]
    pub(in crate::source::ncu_report) y: Option<u64>,
    #[prost(uint64, optional, tag = "3")]
    pub(in crate::source::ncu_report) z: Option<u64>,
}

/// Whether the clocks were to be locked, and were.
#[derive(Clone, PartialEq, prost::Message)]
pub(in crate::source::ncu_report) struct ClockState {
    #[prost(bool, optional, tag = "1")]
    pub(in crate::source::ncu_report) requested: Option<bool>,
    #[prost(bool, optional, tag = "2")]
    pub(in crate::source::ncu_report) executed: Option<bool>,
}
