//! One metric of one launch, exactly as the artefact holds it.

use crate::quantity::{Quantity, Unit};
use arcstr::ArcStr;
use serde::ser::{Serialize, Serializer};

/// A value in the type that the report stores; as JSON what is no number is `null`.
#[derive(Clone, Debug, PartialEq, serde::Serialize)]
#[serde(untagged)]
pub enum Value {
    /// Text, for example a device name.
    Text(ArcStr),
    /// A 32-bit float.
    F32(f32),
    /// A 64-bit float.
    F64(f64),
    /// A 32-bit unsigned integer.
    U32(u32),
    /// A 64-bit unsigned integer.
    U64(u64),
}

impl Value {
    /// The value as a number; `None` for text. NaN stays NaN.
    pub fn as_f64(&self) -> Option<f64> {
        match self {
            Value::Text(_) => None,
            Value::F32(v) => Some(f64::from(*v)),
            Value::F64(v) => Some(*v),
            Value::U32(v) => Some(f64::from(*v)),
            Value::U64(v) => Some(*v as f64),
        }
    }

    /// The value as an unsigned integer, when it is stored as one or is a whole non-negative float.
    pub fn as_u64(&self) -> Option<u64> {
        match self {
            Value::U32(v) => Some(u64::from(*v)),
            Value::U64(v) => Some(*v),
            Value::F32(_) | Value::F64(_) => {
                let v = self.as_f64()?;
                (v >= 0.0 && v.fract() == 0.0 && v < 1.8e19).then_some(v as u64)
            }
            Value::Text(_) => None,
        }
    }

    /// The text of a text value.
    pub fn as_text(&self) -> Option<&str> {
        match self {
            Value::Text(text) => Some(text),
            _ => None,
        }
    }

    /// Whether the value is a NaN: the metric was asked for and its collection failed, or a ratio was 0/0.
    pub fn is_nan(&self) -> bool {
        self.as_f64().is_some_and(f64::is_nan)
    }
}

/// One entry of a metric with several values.
#[derive(Clone, Debug, PartialEq)]
pub struct Instance {
    /// The correlation id: a program counter, an opcode, a launch position, a time stamp; the metric tells which.
    pub id: Value,
    /// The value for that id.
    pub value: Value,
}

/// A metric of one launch.
#[derive(Clone, Debug, PartialEq)]
pub struct Metric {
    /// ncu's own name.
    pub name: ArcStr,
    /// The base unit.
    pub unit: Unit,
    /// The aggregate; `None` when the report holds only instances or nothing at all. NVIDIA's Python module gives 0
    /// for the value of a metric that has only instances, and says `has_value() == False`: that 0 is not a value.
    pub value: Option<Value>,
    /// The instances, in the order of the file; empty when the metric has none or none were asked for.
    pub instances: Box<[Instance]>,
}

impl Metric {
    /// The aggregate as a finite quantity; `None` for text, NaN and absent values.
    pub fn quantity(&self) -> Option<Quantity> {
        Quantity::new(self.value.as_ref()?.as_f64()?, self.unit)
    }
}

/// The metrics of a launch by name.
pub(super) fn by_name<S: Serializer>(metrics: &[Metric], serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_map(metrics.iter().map(|metric| (&metric.name, metric)))
}

/// A value, and the mark beside it when it is no number.
#[derive(serde::Serialize)]
struct Marked<'a> {
    value: Option<&'a Value>,
    #[serde(skip_serializing_if = "Option::is_none")]
    nan: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    infinite: Option<&'static str>,
}

impl Marked<'_> {
    fn of(value: Option<&Value>) -> Marked<'_> {
        let number = value.and_then(Value::as_f64).unwrap_or_default();
        let infinite = number.is_infinite().then_some(if number > 0.0 { "+" } else { "-" });
        Marked { value, nan: number.is_nan().then_some(true), infinite }
    }
}

impl Serialize for Metric {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        #[derive(serde::Serialize)]
        struct Fields<'a> {
            #[serde(flatten)]
            value: Marked<'a>,
            unit: &'a Unit,
            #[serde(skip_serializing_if = "<[Instance]>::is_empty")]
            instances: &'a [Instance],
        }
        let value = Marked::of(self.value.as_ref());
        Fields { value, unit: &self.unit, instances: &self.instances }.serialize(serializer)
    }
}

impl Serialize for Instance {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        #[derive(serde::Serialize)]
        struct Fields<'a> {
            id: &'a Value,
            #[serde(flatten)]
            value: Marked<'a>,
        }
        Fields { id: &self.id, value: Marked::of(Some(&self.value)) }.serialize(serializer)
    }
}
