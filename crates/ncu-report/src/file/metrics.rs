//! The metrics of one result: only those that were asked for are decoded, the last of several with one name.

use super::container::{EntryKind, offset};
use super::device::DeviceParts;
use super::fault::{Fault, Faults};
use super::kind::{self, AnyResult};
use super::launch::Scope;
use super::message::metric_tag as tag;
use super::names::{Asked, Names};
use super::wire::{self, WireValue};
use crate::{Instance, Metric, Value};
use cuda_binary::text::Texts;
use prost::DecodeError;

const LOST: &str = "this metric";
const UNKNOWN: &str = "no value of a type that this program knows";
/// What a double begins with: its field, and 1 for eight bytes.
const DOUBLE: u8 = (tag::DOUBLE << 3 | 1) as u8;
/// What a name begins with, which is a number; a value, which is a message; and a number that nobody reads.
const NAME: u8 = (tag::NAME << 3) as u8;
const VALUE: u8 = (tag::VALUE << 3 | 2) as u8;
const KIND: u8 = 4 << 3;

/// Decodes the metrics of a result.
pub(super) struct MetricReader<'a> {
    /// The result, and where it lies in the file.
    pub(super) message: &'a [u8],
    pub(super) at: u64,
    pub(super) names: &'a mut Names,
    pub(super) texts: &'a mut Texts,
    pub(super) faults: &'a mut Faults,
}

/// Of one result the metrics that were asked for, still encoded: of each the last one.
pub(super) struct StoredMetrics<'a>(Vec<Option<&'a [u8]>>);

impl<'a> MetricReader<'a> {
    /// Decodes the result but for its metrics; with it those that were asked for, and every name is marked as used.
    pub(super) fn result(&mut self, kind: EntryKind) -> Result<(AnyResult<'a>, StoredMetrics<'a>), DecodeError> {
        let mut stored = StoredMetrics(vec![None; self.names.asked.len()]);
        let result = kind::decode(kind, self.message, |metric| match self.slot(metric) {
            Ok(Some(slot)) => stored.0[slot] = Some(metric),
            Ok(None) => {}
            Err(fault) => self.faults.push(fault),
        })?;
        Ok((result, stored))
    }

    /// Where a slice of the result lies in the file.
    pub(super) fn offset_of(&self, slice: &[u8]) -> u64 {
        offset(self.message, self.at, slice)
    }

    /// The metrics that were asked for, sorted by name, and what they say of device and grid. `is_first` says that this
    /// is the first result of its kernel; of one that is not read whole no more is read than tells its kernel.
    pub(super) fn read(&mut self, stored: &StoredMetrics<'_>, scope: Scope) -> (Vec<Metric>, DeviceParts) {
        let held = if scope.is_whole { stored.0.iter().flatten().count() } else { 0 };
        let mut metrics = Vec::with_capacity(held);
        let mut device = DeviceParts::default();
        for (asked, message) in self.names.asked.iter().zip(&stored.0) {
            let Some(message) = message.filter(|_| scope.is_whole || asked.is_brief) else { continue };
            let with_instances = scope.is_whole && asked.instances.are_wanted(scope.is_first);
            match metric(asked, with_instances, message, self.texts) {
                Ok(metric) => {
                    if asked.is_of_device {
                        device.take(&metric.name, metric.value.as_ref(), self.texts);
                    }
                    if asked.deliver {
                        metrics.push(metric);
                    }
                }
                Err(found) => {
                    let at = self.offset_of(message);
                    self.faults.push(Fault::new(at, format!("the metric {}", asked.name), found, LOST));
                }
            }
        }
        (metrics, device)
    }

    /// The position among the metrics asked for.
    #[inline]
    fn slot(&mut self, message: &[u8]) -> Result<Option<usize>, Fault> {
        let none = || Fault::new(self.offset_of(message), "a metric with a name", "none", LOST);
        let id = name_id(message).ok_or_else(none)?;
        let slot = self.names.use_id(id);
        slot.ok_or_else(|| {
            let expected = format!("a metric name among the {} of the string table", self.names.len());
            Fault::new(self.offset_of(message), expected, format!("number {id}"), LOST)
        })
    }
}

/// The number of a metric's name. It is the first field that writers write, so that most metrics are not walked.
#[inline]
fn name_id(message: &[u8]) -> Option<u32> {
    if let Some(id) = wire::first_number(message, tag::NAME) {
        return u32::try_from(id).ok();
    }
    let mut rest = message;
    while let Some((field, after)) = wire::split_field(rest) {
        if let (tag::NAME, WireValue::Varint(id)) = (field.number, field.value) {
            return u32::try_from(id).ok();
        }
        rest = after;
    }
    None
}

/// Reads one metric; the error says what was found instead.
fn metric(asked: &Asked, with_instances: bool, message: &[u8], texts: &mut Texts) -> Result<Metric, String> {
    if let Some(stored) = value_alone(message) {
        let value = value(stored, texts).ok_or(UNKNOWN)?;
        return Ok(Metric { name: asked.name.clone(), unit: asked.unit, value, instances: Box::default() });
    }
    let mut stored = None;
    let mut elements = Vec::new();
    let mut rest = message;
    while !rest.is_empty() {
        let (field, after) = wire::split_field(rest).ok_or("bytes that are no fields")?;
        match (field.number, field.contents()) {
            (tag::VALUE, contents @ Some(_)) => stored = contents,
            (tag::ELEMENT, Some(element)) if with_instances => elements.push(element),
            // Writers write the value before the instances.
            (tag::ELEMENT, Some(_)) if stored.is_some() => break,
            _ => {}
        }
        rest = after;
    }
    let value = match stored {
        Some(stored) => value(stored, texts).ok_or(UNKNOWN)?,
        None => None,
    };
    let instances = elements.into_iter().map(|element| instance(element, texts));
    Ok(Metric {
        name: asked.name.clone(),
        unit: asked.unit,
        value,
        instances: instances.collect::<Result<Box<[Instance]>, &str>>()?,
    })
}

/// The value of a metric that is a name, a value and at most one small number behind it, as nearly all are that have no
/// instances.
#[inline]
fn value_alone(message: &[u8]) -> Option<&[u8]> {
    let ([NAME, ..0x80, rest @ ..]
    | [NAME, 0x80..=0xff, ..0x80, rest @ ..]
    | [NAME, 0x80..=0xff, 0x80..=0xff, ..0x80, rest @ ..]) = message
    else {
        return None;
    };
    let [VALUE, size @ ..0x80, rest @ ..] = rest else { return None };
    let (value, behind) = rest.split_at_checked(usize::from(*size))?;
    matches!(behind, [] | [KIND, ..0x80]).then_some(value)
}

fn instance(element: &[u8], texts: &mut Texts) -> Result<Instance, &'static str> {
    let (mut id, mut stored) = (None, None);
    let walked = wire::walk(element, |field| match (field.number, field.contents()) {
        (tag::ELEMENT_ID, contents @ Some(_)) => id = contents,
        (tag::ELEMENT_VALUE, contents @ Some(_)) => stored = contents,
        _ => {}
    });
    walked.ok_or("an instance whose bytes are no fields")?;
    let mut part = |part: Option<&[u8]>| part.and_then(|stored| value(stored, texts)).flatten();
    Ok(Instance {
        id: part(id).ok_or("an instance without a correlation id")?,
        value: part(stored).ok_or("an instance without a value")?,
    })
}

/// The value in its stored type: `Some(None)` when no type is set, `None` when the bytes are no message, or one of fields that
/// are all unknown.
pub(super) fn value(message: &[u8], texts: &mut Texts) -> Option<Option<Value>> {
    // Nearly all are one double.
    if let [DOUBLE, bytes @ ..] = message
        && let Ok(bytes) = bytes.try_into()
    {
        return Some(Some(Value::F64(f64::from_le_bytes(bytes))));
    }
    let mut found = None;
    wire::walk(message, |field| {
        found = match (field.number, field.value) {
            (tag::TEXT, WireValue::Bytes(text)) => Some(Value::Text(texts.of_bytes(text))),
            (tag::FLOAT, WireValue::ThirtyTwoBit(bytes)) => Some(Value::F32(f32::from_le_bytes(bytes))),
            (tag::DOUBLE, WireValue::SixtyFourBit(bytes)) => Some(Value::F64(f64::from_le_bytes(bytes))),
            // Protobuf cuts a number that is longer than its field's type.
            (tag::UINT32, WireValue::Varint(number)) => Some(Value::U32(number as u32)),
            (tag::UINT64, WireValue::Varint(number)) => Some(Value::U64(number)),
            _ => return,
        };
    })?;
    (found.is_some() || message.is_empty()).then_some(found)
}

#[cfg(test)]
mod tests {
    use super::super::names::Instances;
    use super::*;
    use crate::Unit;

    #[test]
    fn a_metric_has_its_name_its_value_and_its_instances_in_any_type() {
        let values: [(&[u8], Value); 5] = [
            (b"\x0a\x04FADD", Value::Text("FADD".into())),
            (b"\x15\0\0\xc0\x3f", Value::F32(1.5)),
            (b"\x19\0\0\0\0\0\0\x02\xc0", Value::F64(-2.25)),
            (b"\x20\xff\xff\xff\xff\x0f", Value::U32(u32::MAX)),
            (b"\x28\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01", Value::U64(u64::MAX)),
        ];
        let asked = Asked {
            name: "a__b.sum".into(),
            unit: Unit::NONE,
            deliver: true,
            is_brief: true,
            is_of_device: false,
            instances: Instances::All,
        };
        let nested = |key: u8, contents: &[u8]| [&[key, contents.len() as u8], contents].concat();
        for (stored, expected) in values {
            let element = [nested(0x0a, b"\x28\x07"), nested(0x12, stored)].concat();
            let message = [b"\x08\xac\x02".to_vec(), nested(0x12, stored), nested(0x1a, &element)].concat();
            assert_eq!(name_id(&message), Some(300));
            let read = metric(&asked, true, &message, &mut Texts::default()).expect("well formed");
            assert_eq!(read.value.as_ref(), Some(&expected));
            assert_eq!(*read.instances, [Instance { id: Value::U64(7), value: expected }]);
        }
    }
}
