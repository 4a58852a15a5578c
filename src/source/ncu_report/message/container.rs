//! Messages of the container: file header, block header, string table, process.

use bytes::Bytes;

/// Header of the file.
#[derive(Clone, PartialEq, prost::Message)]
pub(in crate::source::ncu_report) struct FileHeader {
    #[prost(uint32, optional, tag = "1")]
    pub(in crate::source::ncu_report) version: Option<u32>,
}

/// Header of one block.
#[derive(Clone, PartialEq, prost::Message)]
pub(in crate::source::ncu_report) struct BlockHeader {
    #[prost(uint32, optional, tag = "1")]
    pub(in crate::source::ncu_report) sources: Option<u32>,
    #[prost(uint32, optional, tag = "2")]
    pub(in crate::source::ncu_report) kernels: Option<u32>,
    /// A piece of the session.
    #[prost(bytes = "bytes", optional, tag = "3")]
    pub(in crate::source::ncu_report) session: Option<Bytes>,
    #[prost(message, optional, tag = "4")]
    pub(in crate::source::ncu_report) names: Option<StringTable>,
    #[prost(uint32, optional, tag = "5")]
    pub(in crate::source::ncu_report) payload_size: Option<u32>,
    #[prost(message, optional, tag = "6")]
    pub(in crate::source::ncu_report) process: Option<ProcessInfo>,
    #[prost(uint32, optional, tag = "7")]
    pub(in crate::source::ncu_report) ranges: Option<u32>,
    #[prost(uint32, optional, tag = "8")]
    pub(in crate::source::ncu_report) cmdlists: Option<u32>,
    #[prost(uint32, optional, tag = "9")]
    pub(in crate::source::ncu_report) graphs: Option<u32>,
}

/// A piece of the file's one table of metric names.
#[derive(Clone, PartialEq, prost::Message)]
pub(in crate::source::ncu_report) struct StringTable {
    #[prost(bytes = "bytes", repeated, tag = "1")]
    pub(in crate::source::ncu_report) strings: Vec<Bytes>,
}

/// The process whose work a block holds.
#[derive(Clone, PartialEq, Eq, Hash, prost::Message)]
pub(in crate::source::ncu_report) struct ProcessInfo {
    #[prost(uint32, optional, tag = "1")]
    pub(in crate::source::ncu_report) id: Option<u32>,
    #[prost(bytes = "bytes", optional, tag = "2")]
    pub(in crate::source::ncu_report) host: Option<Bytes>,
    /// Path of the executable.
    #[prost(bytes = "bytes", optional, tag = "3")]
    pub(in crate::source::ncu_report) path: Option<Bytes>,
}
