//! Messages of source data: a cubin, the texts it was made from, and where it was loaded.

use bytes::Bytes;

/// One piece of source data; pieces with one key merge.
#[derive(Clone, PartialEq, prost::Message)]
pub(in crate::source::ncu_report) struct SourcePiece {
    #[prost(uint64, optional, tag = "1")]
    pub(in crate::source::ncu_report) reference: Option<u64>,
    #[prost(bytes = "bytes", optional, tag = "4")]
    pub(in crate::source::ncu_report) binary: Option<Bytes>,
    #[prost(uint32, optional, tag = "6")]
    pub(in crate::source::ncu_report) sm_version: Option<u32>,
    #[prost(message, optional, tag = "8")]
    pub(in crate::source::ncu_report) files: Option<SourceFiles>,
    #[prost(message, optional, tag = "9")]
    pub(in crate::source::ncu_report) relocation: Option<Relocation>,
}

/// Embedded source files.
#[derive(Clone, PartialEq, prost::Message)]
pub(in crate::source::ncu_report) struct SourceFiles {
    #[prost(message, repeated, tag = "1")]
    pub(in crate::source::ncu_report) files: Vec<File>,
}

/// One source file.
#[derive(Clone, PartialEq, prost::Message)]
pub(in crate::source::ncu_report) struct File {
    #[prost(bytes = "bytes", optional, tag = "1")]
    pub(in crate::source::ncu_report) name: Option<Bytes>,
    #[prost(bytes = "bytes", optional, tag = "2")]
    pub(in crate::source::ncu_report) content: Option<Bytes>,
}

/// Where symbols of the cubin were loaded.
#[derive(Clone, PartialEq, prost::Message)]
pub(in crate::source::ncu_report) struct Relocation {
    #[prost(message, repeated, tag = "1")]
    pub(in crate::source::ncu_report) functions: Vec<Symbol>,
}

/// A symbol and its load address.
#[derive(Clone, PartialEq, prost::Message)]
pub(in crate::source::ncu_report) struct Symbol {
    #[prost(bytes = "bytes", optional, tag = "1")]
    pub(in crate::source::ncu_report) name: Option<Bytes>,
    #[prost(uint64, optional, tag = "2")]
    pub(in crate::source::ncu_report) address: Option<u64>,
    #[prost(uint32, optional, tag = "3")]
    pub(in crate::source::ncu_report) index: Option<u32>,
}
