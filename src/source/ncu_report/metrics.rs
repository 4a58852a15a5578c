//! The metrics of one result: only those that were asked for are decoded, the last of several with one name.

use super::device::DeviceParts;
use super::fault::Fault;
use super::map::MappedFile;
use super::message::{MetricList, MetricName, MetricScalar, RawValue};
use super::names::{Asked, Names};
use super::text::Texts;
use super::wire;
use crate::evidence::{Instance, Metric, Value};
use bytes::Bytes;
use prost::{DecodeError, Message};

const LOST: &str = "this metric";

/// Decodes metrics, result after result.
pub(super) struct MetricReader<'a> {
    pub(super) file: &'a MappedFile,
    pub(super) names: &'a mut Names,
    pub(super) texts: &'a mut Texts,
    pub(super) faults: &'a mut Vec<Fault>,
}

impl MetricReader<'_> {
    /// Marks the names that a result uses and decodes nothing.
    pub(super) fn mark(&mut self, stored: &[Bytes]) {
        for message in stored {
            if let Ok(Some(id)) = name_id(message) {
                let _known = self.names.use_id(id);
            }
        }
    }

    /// The metrics that were asked for, sorted by name, and what they say of device and grid.
    pub(super) fn read(&mut self, stored: Vec<Bytes>) -> (Vec<Metric>, DeviceParts) {
        let mut latest: Vec<Option<Bytes>> = vec![None; self.names.asked.len()];
        for message in stored {
            match self.slot(&message) {
                Ok(Some(slot)) => latest[slot] = Some(message),
                Ok(None) => {}
                Err(fault) => self.faults.push(fault),
            }
        }
        let mut metrics = Vec::with_capacity(latest.iter().flatten().count());
        let mut device = DeviceParts::default();
        for (asked, message) in self.names.asked.iter().zip(latest) {
            let Some(message) = message else { continue };
            let at = self.file.offset_of(&message);
            match metric(asked, &message, self.texts) {
                Ok(metric) => {
                    device.take(&metric.name, metric.value.as_ref(), self.texts);
                    if asked.deliver {
                        metrics.push(metric);
                    }
                }
                Err(found) => {
                    self.faults.push(Fault::new(at, format!("the metric {}", asked.name), found, LOST));
                }
            }
        }
        (metrics, device)
    }

    /// The position among the metrics asked for.
    fn slot(&mut self, message: &Bytes) -> Result<Option<usize>, Fault> {
        let at = self.file.offset_of(message);
        let id = name_id(message)
            .map_err(|error| Fault::new(at, "a metric", error.to_string(), LOST))?
            .ok_or_else(|| Fault::new(at, "a metric with a name", "none", LOST))?;
        self.names.use_id(id).ok_or_else(|| {
            let expected = format!("a metric name among the {} of the string table", self.names.len());
            Fault::new(at, expected, format!("number {id}"), LOST)
        })
    }
}

/// The name of a metric. It is the first field that writers write, so that most metrics are not walked to their end.
fn name_id(message: &[u8]) -> Result<Option<u32>, DecodeError> {
    let first = wire::first_field(message).and_then(|field| MetricName::decode(field).ok()?.id);
    match first {
        Some(id) => Ok(Some(id)),
        None => Ok(MetricName::decode(message)?.id),
    }
}

/// Decodes one metric; the error says what was found instead.
fn metric(asked: &Asked, message: &Bytes, texts: &mut Texts) -> Result<Metric, String> {
    let text = |error: DecodeError| error.to_string();
    let scalar = MetricScalar::decode(message.clone()).map_err(text)?;
    let instances = if asked.instances {
        let list = MetricList::decode(message.clone()).map_err(text)?;
        let instances = list.elements.into_iter().map(|element| {
            let part = |part: Option<RawValue>, texts: &mut Texts| part.and_then(|raw| value(&raw, texts));
            let id = part(element.id, texts).ok_or("an instance without a correlation id")?;
            let value = part(element.value, texts).ok_or("an instance without a value")?;
            Ok(Instance { id, value })
        });
        instances.collect::<Result<Box<[Instance]>, &str>>()?
    } else {
        Box::default()
    };
    let value = scalar.value.and_then(|raw| value(&raw, texts));
    Ok(Metric { name: asked.name.clone(), unit: asked.unit, value, instances })
}

/// The value in its stored type; `None` when no type is set.
pub(super) fn value(raw: &RawValue, texts: &mut Texts) -> Option<Value> {
    if let Some(value) = raw.double {
        Some(Value::F64(value))
    } else if let Some(value) = raw.uint64 {
        Some(Value::U64(value))
    } else if let Some(text) = &raw.text {
        Some(Value::Text(texts.of_bytes(text)))
    } else if let Some(value) = raw.uint32 {
        Some(Value::U32(value))
    } else {
        raw.float.map(Value::F32)
    }
}
