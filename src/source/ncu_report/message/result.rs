//! Messages of a result: a kernel launch, a range, a command list, a graph.

use bytes::Bytes;

/// One kernel launch.
#[derive(Clone, PartialEq, prost::Message)]
pub(in crate::source::ncu_report) struct KernelResult {
    #[prost(uint32, optional, tag = "1")]
    pub(in crate::source::ncu_report) thread: Option<u32>,
    #[prost(uint64, optional, tag = "2")]
    api_call: Option<u64>,
    #[prost(uint64, optional, tag = "3")]
    program: Option<u64>,
    #[prost(uint64, optional, tag = "4")]
    kernel: Option<u64>,
    #[prost(bytes = "bytes", optional, tag = "5")]
    pub(in crate::source::ncu_report) mangled: Option<Bytes>,
    #[prost(bytes = "bytes", optional, tag = "6")]
    pub(in crate::source::ncu_report) function: Option<Bytes>,
    /// Empty for `extern "C"` kernels.
    #[prost(bytes = "bytes", optional, tag = "7")]
    pub(in crate::source::ncu_report) demangled: Option<Bytes>,
    #[prost(uint32, optional, tag = "8")]
    dimensions: Option<u32>,
    #[prost(bytes = "bytes", optional, tag = "9")]
    offset: Option<Bytes>,
    #[prost(message, optional, tag = "10")]
    pub(in crate::source::ncu_report) grid: Option<Extent>,
    #[prost(message, optional, tag = "11")]
    pub(in crate::source::ncu_report) block: Option<Extent>,
    #[prost(bytes = "bytes", optional, tag = "12")]
    comments: Option<Bytes>,
    #[prost(bytes = "bytes", repeated, tag = "13")]
    pub(in crate::source::ncu_report) metrics: Vec<Bytes>,
    #[prost(uint64, optional, tag = "14")]
    pub(in crate::source::ncu_report) created: Option<u64>,
    /// A source message that holds only the reference.
    #[prost(bytes = "bytes", optional, tag = "15")]
    pub(in crate::source::ncu_report) source: Option<Bytes>,
    #[prost(int32, optional, tag = "16")]
    api: Option<i32>,
    #[prost(bytes = "bytes", repeated, tag = "17")]
    sections: Vec<Bytes>,
    #[prost(bytes = "bytes", repeated, tag = "18")]
    section_comments: Vec<Bytes>,
    #[prost(bytes = "bytes", repeated, tag = "19")]
    pub(in crate::source::ncu_report) rules: Vec<Bytes>,
    #[prost(bool, optional, tag = "20")]
    unsupported_device: Option<bool>,
    #[prost(bytes = "bytes", optional, tag = "21")]
    pub(in crate::source::ncu_report) nvtx: Option<Bytes>,
    #[prost(uint32, optional, tag = "22")]
    pub(in crate::source::ncu_report) context: Option<u32>,
    #[prost(uint32, optional, tag = "23")]
    pub(in crate::source::ncu_report) stream: Option<u32>,
    #[prost(bytes = "bytes", optional, tag = "24")]
    series: Option<Bytes>,
    #[prost(message, optional, tag = "25")]
    pub(in crate::source::ncu_report) clock: Option<ClockState>,
    #[prost(bytes = "bytes", optional, tag = "26")]
    context_name: Option<Bytes>,
    #[prost(bytes = "bytes", optional, tag = "27")]
    stream_name: Option<Bytes>,
    #[prost(bytes = "bytes", optional, tag = "28")]
    cpu_stack: Option<Bytes>,
    #[prost(int32, optional, tag = "29")]
    scope: Option<i32>,
    #[prost(bool, optional, tag = "30")]
    green_context: Option<bool>,
    #[prost(bytes = "bytes", optional, tag = "31")]
    pub(in crate::source::ncu_report) renamed: Option<Bytes>,
    #[prost(bytes = "bytes", optional, tag = "32")]
    python_stack: Option<Bytes>,
    #[prost(bytes = "bytes", optional, tag = "33")]
    partition: Option<Bytes>,
    #[prost(bytes = "bytes", optional, tag = "34")]
    partition_device: Option<Bytes>,
    #[prost(float, optional, tag = "35")]
    pub(in crate::source::ncu_report) driver: Option<f32>,
}

/// A range of API calls.
#[derive(Clone, PartialEq, prost::Message)]
pub(in crate::source::ncu_report) struct RangeResult {
    #[prost(uint32, optional, tag = "1")]
    pub(in crate::source::ncu_report) thread: Option<u32>,
    #[prost(uint64, optional, tag = "2")]
    api_call: Option<u64>,
    #[prost(bytes = "bytes", optional, tag = "3")]
    comments: Option<Bytes>,
    #[prost(bytes = "bytes", repeated, tag = "4")]
    pub(in crate::source::ncu_report) metrics: Vec<Bytes>,
    #[prost(uint64, optional, tag = "5")]
    pub(in crate::source::ncu_report) created: Option<u64>,
    #[prost(int32, optional, tag = "6")]
    api: Option<i32>,
    #[prost(bytes = "bytes", repeated, tag = "7")]
    sections: Vec<Bytes>,
    #[prost(bytes = "bytes", repeated, tag = "8")]
    section_comments: Vec<Bytes>,
    #[prost(bool, optional, tag = "9")]
    unsupported_device: Option<bool>,
    #[prost(bytes = "bytes", optional, tag = "10")]
    pub(in crate::source::ncu_report) nvtx: Option<Bytes>,
    #[prost(uint32, optional, tag = "11")]
    pub(in crate::source::ncu_report) context: Option<u32>,
    #[prost(message, optional, tag = "12")]
    pub(in crate::source::ncu_report) clock: Option<ClockState>,
    #[prost(bytes = "bytes", optional, tag = "13")]
    context_name: Option<Bytes>,
    #[prost(bytes = "bytes", optional, tag = "14")]
    cpu_stack: Option<Bytes>,
    #[prost(uint64, repeated, tag = "15")]
    pub(in crate::source::ncu_report) references: Vec<u64>,
    #[prost(bool, optional, tag = "16")]
    green_context: Option<bool>,
    #[prost(bytes = "bytes", optional, tag = "17")]
    python_stack: Option<Bytes>,
    #[prost(bytes = "bytes", optional, tag = "18")]
    partition: Option<Bytes>,
    #[prost(bytes = "bytes", optional, tag = "19")]
    partition_device: Option<Bytes>,
    #[prost(bytes = "bytes", repeated, tag = "20")]
    pub(in crate::source::ncu_report) rules: Vec<Bytes>,
    #[prost(float, optional, tag = "21")]
    pub(in crate::source::ncu_report) driver: Option<f32>,
}

/// A command list.
#[derive(Clone, PartialEq, prost::Message)]
pub(in crate::source::ncu_report) struct CmdlistResult {
    #[prost(uint32, optional, tag = "1")]
    pub(in crate::source::ncu_report) thread: Option<u32>,
    #[prost(uint64, optional, tag = "2")]
    api_call: Option<u64>,
    #[prost(bytes = "bytes", optional, tag = "3")]
    comments: Option<Bytes>,
    #[prost(bytes = "bytes", repeated, tag = "4")]
    pub(in crate::source::ncu_report) metrics: Vec<Bytes>,
    #[prost(uint64, optional, tag = "5")]
    pub(in crate::source::ncu_report) created: Option<u64>,
    #[prost(int32, optional, tag = "6")]
    api: Option<i32>,
    #[prost(bytes = "bytes", repeated, tag = "7")]
    sections: Vec<Bytes>,
    #[prost(bytes = "bytes", repeated, tag = "8")]
    section_comments: Vec<Bytes>,
    #[prost(bool, optional, tag = "9")]
    unsupported_device: Option<bool>,
    #[prost(bytes = "bytes", optional, tag = "10")]
    pub(in crate::source::ncu_report) nvtx: Option<Bytes>,
    #[prost(uint32, optional, tag = "11")]
    pub(in crate::source::ncu_report) context: Option<u32>,
    #[prost(uint32, optional, tag = "12")]
    pub(in crate::source::ncu_report) stream: Option<u32>,
    #[prost(message, optional, tag = "13")]
    pub(in crate::source::ncu_report) clock: Option<ClockState>,
    #[prost(bytes = "bytes", optional, tag = "14")]
    context_name: Option<Bytes>,
    #[prost(bytes = "bytes", optional, tag = "15")]
    stream_name: Option<Bytes>,
    #[prost(bytes = "bytes", optional, tag = "16")]
    cpu_stack: Option<Bytes>,
    #[prost(uint64, repeated, tag = "17")]
    pub(in crate::source::ncu_report) references: Vec<u64>,
    #[prost(bytes = "bytes", optional, tag = "18")]
    pub(in crate::source::ncu_report) name: Option<Bytes>,
    #[prost(uint32, optional, tag = "19")]
    dimensions: Option<u32>,
    #[prost(bytes = "bytes", repeated, tag = "20")]
    launches: Vec<Bytes>,
    #[prost(bytes = "bytes", repeated, tag = "21")]
    pub(in crate::source::ncu_report) rules: Vec<Bytes>,
    #[prost(bytes = "bytes", optional, tag = "22")]
    python_stack: Option<Bytes>,
    #[prost(bytes = "bytes", optional, tag = "23")]
    partition: Option<Bytes>,
    #[prost(bytes = "bytes", optional, tag = "24")]
    partition_device: Option<Bytes>,
    #[prost(float, optional, tag = "25")]
    pub(in crate::source::ncu_report) driver: Option<f32>,
}

/// A graph launched as a whole.
#[derive(Clone, PartialEq, prost::Message)]
pub(in crate::source::ncu_report) struct GraphResult {
    #[prost(uint32, optional, tag = "1")]
    pub(in crate::source::ncu_report) thread: Option<u32>,
    #[prost(uint64, optional, tag = "2")]
    api_call: Option<u64>,
    #[prost(bytes = "bytes", optional, tag = "3")]
    comments: Option<Bytes>,
    #[prost(bytes = "bytes", repeated, tag = "4")]
    pub(in crate::source::ncu_report) metrics: Vec<Bytes>,
    #[prost(uint64, optional, tag = "5")]
    pub(in crate::source::ncu_report) created: Option<u64>,
    #[prost(int32, optional, tag = "6")]
    api: Option<i32>,
    #[prost(bytes = "bytes", repeated, tag = "7")]
    sections: Vec<Bytes>,
    #[prost(bytes = "bytes", repeated, tag = "8")]
    section_comments: Vec<Bytes>,
    #[prost(bool, optional, tag = "9")]
    unsupported_device: Option<bool>,
    #[prost(bytes = "bytes", optional, tag = "10")]
    pub(in crate::source::ncu_report) nvtx: Option<Bytes>,
    #[prost(uint32, optional, tag = "11")]
    pub(in crate::source::ncu_report) context: Option<u32>,
    #[prost(uint32, optional, tag = "12")]
    pub(in crate::source::ncu_report) stream: Option<u32>,
    #[prost(message, optional, tag = "13")]
    pub(in crate::source::ncu_report) clock: Option<ClockState>,
    #[prost(bytes = "bytes", optional, tag = "14")]
    context_name: Option<Bytes>,
    #[prost(bytes = "bytes", optional, tag = "15")]
    stream_name: Option<Bytes>,
    #[prost(bytes = "bytes", optional, tag = "16")]
    cpu_stack: Option<Bytes>,
    #[prost(uint64, repeated, tag = "17")]
    pub(in crate::source::ncu_report) references: Vec<u64>,
    #[prost(bool, optional, tag = "18")]
    green_context: Option<bool>,
    #[prost(bytes = "bytes", optional, tag = "19")]
    python_stack: Option<Bytes>,
    #[prost(bytes = "bytes", optional, tag = "20")]
    partition: Option<Bytes>,
    #[prost(bytes = "bytes", optional, tag = "21")]
    partition_device: Option<Bytes>,
    #[prost(bytes = "bytes", repeated, tag = "22")]
    pub(in crate::source::ncu_report) rules: Vec<Bytes>,
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
