//! Messages of the NVTX state at a launch.

use bytes::Bytes;

/// NVTX domains and the ranges that were open.
#[derive(Clone, PartialEq, prost::Message)]
pub(in crate::source::ncu_report) struct NvtxState {
    #[prost(message, repeated, tag = "1")]
    pub(in crate::source::ncu_report) domains: Vec<NvtxDomain>,
    #[prost(message, repeated, tag = "2")]
    pub(in crate::source::ncu_report) threads: Vec<NvtxThread>,
    #[prost(message, repeated, tag = "3")]
    pub(in crate::source::ncu_report) start_end: Vec<StartEndDomain>,
    #[prost(uint64, optional, tag = "4")]
    pub(in crate::source::ncu_report) default_domain: Option<u64>,
}

/// A domain.
#[derive(Clone, PartialEq, prost::Message)]
pub(in crate::source::ncu_report) struct NvtxDomain {
    #[prost(uint64, optional, tag = "1")]
    pub(in crate::source::ncu_report) id: Option<u64>,
    #[prost(bytes = "bytes", optional, tag = "2")]
    pub(in crate::source::ncu_report) name: Option<Bytes>,
}

/// The push-pop ranges of one thread.
#[derive(Clone, PartialEq, prost::Message)]
pub(in crate::source::ncu_report) struct NvtxThread {
    #[prost(uint32, optional, tag = "1")]
    pub(in crate::source::ncu_report) id: Option<u32>,
    #[prost(message, repeated, tag = "2")]
    pub(in crate::source::ncu_report) stacks: Vec<NvtxStack>,
}

/// The push-pop ranges of one thread in one domain, innermost last.
#[derive(Clone, PartialEq, prost::Message)]
pub(in crate::source::ncu_report) struct NvtxStack {
    #[prost(uint64, optional, tag = "1")]
    pub(in crate::source::ncu_report) domain: Option<u64>,
    #[prost(message, repeated, tag = "2")]
    pub(in crate::source::ncu_report) ranges: Vec<PushPopRange>,
}

/// A push-pop range.
#[derive(Clone, PartialEq, prost::Message)]
pub(in crate::source::ncu_report) struct PushPopRange {
    #[prost(bytes = "bytes", optional, tag = "1")]
    pub(in crate::source::ncu_report) name: Option<Bytes>,
}

/// The start-end ranges of one domain.
#[derive(Clone, PartialEq, prost::Message)]
pub(in crate::source::ncu_report) struct StartEndDomain {
    #[prost(uint64, optional, tag = "1")]
    pub(in crate::source::ncu_report) domain: Option<u64>,
    #[prost(message, repeated, tag = "2")]
    pub(in crate::source::ncu_report) ranges: Vec<StartEndRange>,
}

/// A start-end range.
#[derive(Clone, PartialEq, prost::Message)]
pub(in crate::source::ncu_report) struct StartEndRange {
    #[prost(bytes = "bytes", optional, tag = "2")]
    pub(in crate::source::ncu_report) name: Option<Bytes>,
}
