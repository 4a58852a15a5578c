//! Messages of a metric. The survey of unknown fields decodes them; the reader of metrics walks them by the numbers of
//! [`metric_tag`], which a test holds against the declarations.

use bytes::Bytes;

/// The name of a metric: a position in the string table.
#[derive(Clone, PartialEq, prost::Message)]
pub(in crate::source::ncu_report) struct MetricName {
    #[prost(uint32, optional, tag = "1")]
    pub(in crate::source::ncu_report) id: Option<u32>,
}

/// The aggregate of a metric.
#[derive(Clone, PartialEq, prost::Message)]
pub(in crate::source::ncu_report) struct MetricScalar {
    #[prost(message, optional, tag = "2")]
    pub(in crate::source::ncu_report) value: Option<RawValue>,
}

/// The instances of a metric.
#[derive(Clone, PartialEq, prost::Message)]
pub(in crate::source::ncu_report) struct MetricList {
    #[prost(message, repeated, tag = "3")]
    pub(in crate::source::ncu_report) elements: Vec<Element>,
}

/// What made a metric: 0 a counter or other, 1 a sampler. Read by nobody; stated so that it counts as known.
#[derive(Clone, PartialEq, prost::Message)]
pub(in crate::source::ncu_report) struct Category {
    #[prost(int32, optional, tag = "4")]
    category: Option<i32>,
}

/// One instance.
#[derive(Clone, PartialEq, prost::Message)]
pub(in crate::source::ncu_report) struct Element {
    #[prost(message, optional, tag = "1")]
    pub(in crate::source::ncu_report) id: Option<RawValue>,
    #[prost(message, optional, tag = "2")]
    pub(in crate::source::ncu_report) value: Option<RawValue>,
}

/// A value in one of five types; one field is set.
#[derive(Clone, PartialEq, prost::Message)]
pub(in crate::source::ncu_report) struct RawValue {
    #[prost(bytes = "bytes", optional, tag = "1")]
    pub(in crate::source::ncu_report) text: Option<Bytes>,
    #[prost(float, optional, tag = "2")]
    pub(in crate::source::ncu_report) float: Option<f32>,
    #[prost(double, optional, tag = "3")]
    pub(in crate::source::ncu_report) double: Option<f64>,
    #[prost(uint32, optional, tag = "4")]
    pub(in crate::source::ncu_report) uint32: Option<u32>,
    #[prost(uint64, optional, tag = "5")]
    pub(in crate::source::ncu_report) uint64: Option<u64>,
}

/// The field numbers above.
pub(in crate::source::ncu_report) mod metric_tag {
    pub(in crate::source::ncu_report) const NAME: u32 = 1;
    pub(in crate::source::ncu_report) const VALUE: u32 = 2;
    pub(in crate::source::ncu_report) const ELEMENT: u32 = 3;
    pub(in crate::source::ncu_report) const ELEMENT_ID: u32 = 1;
    pub(in crate::source::ncu_report) const ELEMENT_VALUE: u32 = 2;
    pub(in crate::source::ncu_report) const TEXT: u32 = 1;
    pub(in crate::source::ncu_report) const FLOAT: u32 = 2;
    pub(in crate::source::ncu_report) const DOUBLE: u32 = 3;
    pub(in crate::source::ncu_report) const UINT32: u32 = 4;
    pub(in crate::source::ncu_report) const UINT64: u32 = 5;
}
