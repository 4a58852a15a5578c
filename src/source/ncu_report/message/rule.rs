//! Messages of a rule result.

use bytes::Bytes;

/// What one rule said.
#[derive(Clone, PartialEq, prost::Message)]
pub(in crate::source::ncu_report) struct RuleResult {
    #[prost(bytes = "bytes", optional, tag = "1")]
    pub(in crate::source::ncu_report) id: Option<Bytes>,
    #[prost(bytes = "bytes", optional, tag = "2")]
    pub(in crate::source::ncu_report) name: Option<Bytes>,
    #[prost(message, optional, tag = "3")]
    pub(in crate::source::ncu_report) body: Option<RuleBody>,
    #[prost(bytes = "bytes", optional, tag = "4")]
    pub(in crate::source::ncu_report) section: Option<Bytes>,
}

/// The items of a rule.
#[derive(Clone, PartialEq, prost::Message)]
pub(in crate::source::ncu_report) struct RuleBody {
    #[prost(message, repeated, tag = "1")]
    pub(in crate::source::ncu_report) items: Vec<RuleItem>,
}

/// One item: a message with what belongs to it, or a table, or a layout.
#[derive(Clone, PartialEq, prost::Message)]
pub(in crate::source::ncu_report) struct RuleItem {
    #[prost(message, optional, tag = "1")]
    pub(in crate::source::ncu_report) message: Option<Message>,
    #[prost(message, repeated, tag = "8")]
    pub(in crate::source::ncu_report) focus: Vec<Focus>,
    #[prost(message, optional, tag = "9")]
    pub(in crate::source::ncu_report) source_table: Option<SourceTable>,
    #[prost(message, optional, tag = "10")]
    pub(in crate::source::ncu_report) speedup: Option<Speedup>,
    #[prost(message, repeated, tag = "12")]
    pub(in crate::source::ncu_report) tables: Vec<RuleTable>,
}

/// A sentence.
#[derive(Clone, PartialEq, prost::Message)]
pub(in crate::source::ncu_report) struct Message {
    #[prost(bytes = "bytes", optional, tag = "1")]
    pub(in crate::source::ncu_report) text: Option<Bytes>,
    #[prost(int32, optional, tag = "2")]
    pub(in crate::source::ncu_report) kind: Option<i32>,
    #[prost(bytes = "bytes", optional, tag = "4")]
    pub(in crate::source::ncu_report) title: Option<Bytes>,
}

/// A metric that a message points at.
#[derive(Clone, PartialEq, prost::Message)]
pub(in crate::source::ncu_report) struct Focus {
    #[prost(bytes = "bytes", optional, tag = "2")]
    pub(in crate::source::ncu_report) metric: Option<Bytes>,
    #[prost(double, optional, tag = "3")]
    pub(in crate::source::ncu_report) value: Option<f64>,
    #[prost(int32, optional, tag = "4")]
    pub(in crate::source::ncu_report) severity: Option<i32>,
    #[prost(bytes = "bytes", optional, tag = "5")]
    pub(in crate::source::ncu_report) info: Option<Bytes>,
}

/// A table of source positions that the viewer makes from metrics.
#[derive(Clone, PartialEq, prost::Message)]
pub(in crate::source::ncu_report) struct SourceTable {
    #[prost(bytes = "bytes", optional, tag = "1")]
    pub(in crate::source::ncu_report) label: Option<Bytes>,
    #[prost(message, repeated, tag = "3")]
    pub(in crate::source::ncu_report) metrics: Vec<SourceMetric>,
    #[prost(bytes = "bytes", optional, tag = "5")]
    pub(in crate::source::ncu_report) description: Option<Bytes>,
}

/// A metric of such a table.
#[derive(Clone, PartialEq, prost::Message)]
pub(in crate::source::ncu_report) struct SourceMetric {
    #[prost(bytes = "bytes", optional, tag = "1")]
    pub(in crate::source::ncu_report) name: Option<Bytes>,
}

/// The size of an estimated speedup.
#[derive(Clone, PartialEq, prost::Message)]
pub(in crate::source::ncu_report) struct Speedup {
    #[prost(int32, optional, tag = "1")]
    pub(in crate::source::ncu_report) kind: Option<i32>,
    #[prost(double, optional, tag = "2")]
    pub(in crate::source::ncu_report) percent: Option<f64>,
}

/// A table with its cells.
#[derive(Clone, PartialEq, prost::Message)]
pub(in crate::source::ncu_report) struct RuleTable {
    #[prost(message, optional, tag = "1")]
    pub(in crate::source::ncu_report) config: Option<TableConfig>,
    #[prost(message, repeated, tag = "2")]
    pub(in crate::source::ncu_report) columns: Vec<RuleColumn>,
}

/// Title and description of a table.
#[derive(Clone, PartialEq, prost::Message)]
pub(in crate::source::ncu_report) struct TableConfig {
    #[prost(bytes = "bytes", optional, tag = "1")]
    pub(in crate::source::ncu_report) title: Option<Bytes>,
    #[prost(bytes = "bytes", optional, tag = "2")]
    pub(in crate::source::ncu_report) description: Option<Bytes>,
}

/// A column; the list of its type is filled.
#[derive(Clone, PartialEq, prost::Message)]
pub(in crate::source::ncu_report) struct RuleColumn {
    #[prost(bytes = "bytes", optional, tag = "1")]
    pub(in crate::source::ncu_report) name: Option<Bytes>,
    #[prost(bytes = "bytes", repeated, tag = "4")]
    pub(in crate::source::ncu_report) strings: Vec<Bytes>,
    #[prost(double, repeated, tag = "5")]
    pub(in crate::source::ncu_report) doubles: Vec<f64>,
    #[prost(int64, repeated, tag = "6")]
    pub(in crate::source::ncu_report) integers: Vec<i64>,
}
