//! Messages of the session.

use bytes::Bytes;

/// The session; arrives in pieces that merge.
#[derive(Clone, PartialEq, prost::Message)]
pub(in crate::source::ncu_report) struct SessionDetails {
    #[prost(uint64, optional, tag = "2")]
    pub(in crate::source::ncu_report) created: Option<u64>,
    #[prost(message, optional, tag = "3")]
    pub(in crate::source::ncu_report) host: Option<SystemInfo>,
    #[prost(message, optional, tag = "4")]
    pub(in crate::source::ncu_report) target: Option<SystemInfo>,
    #[prost(message, repeated, tag = "6")]
    pub(in crate::source::ncu_report) devices: Vec<DeviceAttributes>,
    #[prost(bytes = "bytes", optional, tag = "7")]
    pub(in crate::source::ncu_report) comments: Option<Bytes>,
    #[prost(message, repeated, tag = "8")]
    pub(in crate::source::ncu_report) versions: Vec<VersionInfo>,
    #[prost(message, optional, tag = "9")]
    pub(in crate::source::ncu_report) executable: Option<Executable>,
    #[prost(bytes = "bytes", optional, tag = "11")]
    pub(in crate::source::ncu_report) command_line: Option<Bytes>,
}

/// An operating system and its machine.
#[derive(Clone, PartialEq, prost::Message)]
pub(in crate::source::ncu_report) struct SystemInfo {
    #[prost(bytes = "bytes", optional, tag = "1")]
    pub(in crate::source::ncu_report) name: Option<Bytes>,
    #[prost(bytes = "bytes", optional, tag = "2")]
    pub(in crate::source::ncu_report) build: Option<Bytes>,
}

/// A device of the session.
#[derive(Clone, PartialEq, prost::Message)]
pub(in crate::source::ncu_report) struct DeviceAttributes {
    #[prost(uint32, optional, tag = "1")]
    pub(in crate::source::ncu_report) id: Option<u32>,
    #[prost(bytes = "bytes", optional, tag = "2")]
    pub(in crate::source::ncu_report) name: Option<Bytes>,
    #[prost(message, repeated, tag = "3")]
    pub(in crate::source::ncu_report) attributes: Vec<Attribute>,
}

/// One attribute of a device.
#[derive(Clone, PartialEq, prost::Message)]
pub(in crate::source::ncu_report) struct Attribute {
    #[prost(bytes = "bytes", optional, tag = "1")]
    pub(in crate::source::ncu_report) name: Option<Bytes>,
    #[prost(bytes = "bytes", optional, tag = "2")]
    pub(in crate::source::ncu_report) value: Option<Bytes>,
}

/// The version of one component.
#[derive(Clone, PartialEq, prost::Message)]
pub(in crate::source::ncu_report) struct VersionInfo {
    #[prost(bytes = "bytes", optional, tag = "1")]
    pub(in crate::source::ncu_report) provider: Option<Bytes>,
    #[prost(bytes = "bytes", optional, tag = "2")]
    pub(in crate::source::ncu_report) version: Option<Bytes>,
}

/// What was started; from captures of the graphical program. The environment is not read.
#[derive(Clone, PartialEq, prost::Message)]
pub(in crate::source::ncu_report) struct Executable {
    #[prost(bytes = "bytes", optional, tag = "1")]
    pub(in crate::source::ncu_report) path: Option<Bytes>,
    #[prost(bytes = "bytes", optional, tag = "2")]
    pub(in crate::source::ncu_report) directory: Option<Bytes>,
    #[prost(bytes = "bytes", optional, tag = "3")]
    pub(in crate::source::ncu_report) arguments: Option<Bytes>,
}
