//! Field numbers of a metric, which the reader of metrics walks without decoding messages.

/// Of a metric: the position of its name in the string table.
pub(in crate::source::ncu_report) const NAME: u32 = 1;
/// Its aggregate, a value.
pub(in crate::source::ncu_report) const VALUE: u32 = 2;
/// Its instances.
pub(in crate::source::ncu_report) const ELEMENT: u32 = 3;
/// Of an instance: its correlation id, a value.
pub(in crate::source::ncu_report) const ELEMENT_ID: u32 = 1;
/// Its value.
pub(in crate::source::ncu_report) const ELEMENT_VALUE: u32 = 2;
/// Of a value, which has one of five types.
pub(in crate::source::ncu_report) const TEXT: u32 = 1;
pub(in crate::source::ncu_report) const FLOAT: u32 = 2;
pub(in crate::source::ncu_report) const DOUBLE: u32 = 3;
pub(in crate::source::ncu_report) const UINT32: u32 = 4;
pub(in crate::source::ncu_report) const UINT64: u32 = 5;
