//! The kept readings as JSON: one table for both sides.
//!
//! A row of `metrics` is `[name, new, old, unit]`, cut after the last part that says something. A side is the number of
//! every launch, one number (or `null`) for each launch, `"NaN"`, `"none"` for a metric without a number, or `null` for
//! one that the report of that side does not hold. The unit stands only where the name does not tell it. The first
//! `asked` rows are the metrics that the profiler was asked for, in its order; a name alone is one that no report holds.

use crate::analysis::kept::{Found, Kept, KeptMetric, Readings};
use crate::evidence::Device;
use crate::quantity::Unit;
use crate::quantity::ncu_units::unit_of;
use serde::de::{Deserialize, Deserializer, Error, SeqAccess, Visitor};
use serde::ser::{Serialize, SerializeSeq, Serializer};
use std::collections::{BTreeMap, HashMap};
use std::fmt;
use std::sync::Arc;

#[derive(serde::Serialize, serde::Deserialize)]
pub(in crate::analysis) struct KeptJson {
    device: Device,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    old_device: Option<Device>,
    #[serde(default, skip_serializing_if = "is_zero")]
    asked: usize,
    metrics: Vec<RowJson>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    opcodes: Vec<RowJson>,
    #[serde(default, skip_serializing_if = "Sides::are_none")]
    with_modifiers: Sides,
    #[serde(default, skip_serializing_if = "Sides::are_none")]
    curves: Sides<Vec<(u64, f64)>>,
}

fn is_zero(count: &usize) -> bool {
    *count == 0
}

/// A table of each side; none where that side has none.
#[derive(serde::Serialize, serde::Deserialize)]
struct Sides<T = f64> {
    #[serde(default = "Option::default", skip_serializing_if = "Option::is_none")]
    new: Option<BTreeMap<Arc<str>, T>>,
    #[serde(default = "Option::default", skip_serializing_if = "Option::is_none")]
    old: Option<BTreeMap<Arc<str>, T>>,
}

impl<T> Default for Sides<T> {
    fn default() -> Sides<T> {
        Sides { new: None, old: None }
    }
}

impl<T> Sides<T> {
    fn are_none(&self) -> bool {
        self.new.is_none() && self.old.is_none()
    }
}

/// One name with what each side has for it.
struct RowJson {
    name: Arc<str>,
    new: Option<Found>,
    old: Option<Found>,
    /// Where the name does not tell it.
    unit: Option<Unit>,
}

impl RowJson {
    fn named(name: Arc<str>) -> RowJson {
        RowJson { name, new: None, old: None, unit: None }
    }
}

impl Serialize for RowJson {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let parts = match self {
            RowJson { unit: Some(_), .. } => 4,
            RowJson { old: Some(_), .. } => 3,
            RowJson { new: Some(_), .. } => 2,
            RowJson { .. } => 1,
        };
        let mut row = serializer.serialize_seq(Some(parts))?;
        row.serialize_element(&self.name)?;
        for side in [&self.new, &self.old].into_iter().take(parts - 1) {
            row.serialize_element(&side.as_ref().map(Cell))?;
        }
        if let Some(unit) = &self.unit {
            row.serialize_element(unit)?;
        }
        row.end()
    }
}

impl<'de> Deserialize<'de> for RowJson {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<RowJson, D::Error> {
        struct Parts;
        impl<'de> Visitor<'de> for Parts {
            type Value = RowJson;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a row [name, new, old, unit]")
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut parts: A) -> Result<RowJson, A::Error> {
                let name = parts.next_element()?.ok_or_else(|| A::Error::invalid_length(0, &self))?;
                let mut side = || Ok(parts.next_element::<Option<FoundJson>>()?.flatten().map(|found| found.0));
                let (new, old) = (side()?, side()?);
                Ok(RowJson { name, new, old, unit: parts.next_element()? })
            }
        }
        deserializer.deserialize_seq(Parts)
    }
}

/// What one side has, to be written.
struct Cell<'a>(&'a Found);

/// What one side has, as it was read.
struct FoundJson(Found);

impl Serialize for Cell<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self.0 {
            Found::Number(number) => serializer.serialize_f64(*number),
            Found::Each(numbers) => numbers.serialize(serializer),
            Found::NotANumber => serializer.serialize_str("NaN"),
            Found::NoNumber => serializer.serialize_str("none"),
        }
    }
}

impl<'de> Deserialize<'de> for FoundJson {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<FoundJson, D::Error> {
        struct Side;
        impl<'de> Visitor<'de> for Side {
            type Value = FoundJson;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a number, the numbers of the launches, \"NaN\" or \"none\"")
            }

            fn visit_f64<E: Error>(self, number: f64) -> Result<FoundJson, E> {
                Ok(FoundJson(Found::Number(number)))
            }

            fn visit_u64<E: Error>(self, number: u64) -> Result<FoundJson, E> {
                self.visit_f64(number as f64)
            }

            fn visit_i64<E: Error>(self, number: i64) -> Result<FoundJson, E> {
                self.visit_f64(number as f64)
            }

            fn visit_str<E: Error>(self, word: &str) -> Result<FoundJson, E> {
                match word {
                    "NaN" => Ok(FoundJson(Found::NotANumber)),
                    "none" => Ok(FoundJson(Found::NoNumber)),
                    other => Err(E::invalid_value(serde::de::Unexpected::Str(other), &self)),
                }
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut each: A) -> Result<FoundJson, A::Error> {
                let mut numbers = Vec::new();
                while let Some(number) = each.next_element()? {
                    numbers.push(number);
                }
                Ok(FoundJson(Found::Each(numbers)))
            }
        }
        deserializer.deserialize_any(Side)
    }
}

impl From<Kept> for KeptJson {
    fn from(kept: Kept) -> KeptJson {
        let Kept { new, old, asked } = kept;
        let mut metrics: Vec<RowJson> = asked.into_iter().map(RowJson::named).collect();
        let asked = metrics.len();
        let mut at: HashMap<Arc<str>, usize> =
            metrics.iter().enumerate().map(|(at, row)| (row.name.clone(), at)).collect();
        let mut put = |metric: KeptMetric, is_old: bool| {
            let unit = Some(metric.unit).filter(|unit| *unit != unit_of(&metric.name));
            let place = *at.entry(metric.name.clone()).or_insert_with(|| {
                metrics.push(RowJson::named(metric.name.clone()));
                metrics.len() - 1
            });
            let is_other = is_old && metrics[place].new.is_some() && metrics[place].unit != unit;
            let row = if is_other {
                metrics.push(RowJson::named(metric.name));
                metrics.last_mut()
            } else {
                metrics.get_mut(place)
            };
            if let Some(row) = row {
                row.unit = unit;
                *(if is_old { &mut row.old } else { &mut row.new }) = Some(metric.found);
            }
        };
        new.metrics.into_iter().for_each(|metric| put(metric, false));
        let (mut old_device, mut opcodes, mut with_modifiers, mut curves) =
            (None, counted(new.opcodes), Sides::default(), Sides::default());
        (with_modifiers.new, curves.new) = (new.with_modifiers, some(new.curves));
        if let Some(old) = old {
            old.metrics.into_iter().for_each(|metric| put(metric, true));
            opcodes = beside(opcodes, counted(old.opcodes));
            (with_modifiers.old, curves.old) = (old.with_modifiers, some(old.curves));
            old_device = Some(old.device);
        }
        metrics[asked..].sort_by(|a, b| a.name.cmp(&b.name));
        KeptJson { device: new.device, old_device, asked, metrics, opcodes, with_modifiers, curves }
    }
}

fn some<T>(map: BTreeMap<Arc<str>, T>) -> Option<BTreeMap<Arc<str>, T>> {
    (!map.is_empty()).then_some(map)
}

fn counted(counts: BTreeMap<Arc<str>, f64>) -> Vec<RowJson> {
    let row = |(name, count)| RowJson { new: Some(Found::Number(count)), ..RowJson::named(name) };
    counts.into_iter().map(row).collect()
}

/// Rows with those of the old side, by name.
fn beside(new: Vec<RowJson>, old: Vec<RowJson>) -> Vec<RowJson> {
    let mut all: BTreeMap<Arc<str>, RowJson> = new.into_iter().map(|row| (row.name.clone(), row)).collect();
    for row in old {
        all.entry(row.name.clone()).or_insert_with(|| RowJson::named(row.name)).old = row.new;
    }
    all.into_values().collect()
}

impl From<KeptJson> for Kept {
    fn from(json: KeptJson) -> Kept {
        let asked = json.metrics.iter().take(json.asked).map(|row| row.name.clone()).collect();
        let mut new = Readings {
            device: json.device,
            with_modifiers: json.with_modifiers.new,
            curves: json.curves.new.unwrap_or_default(),
            ..Readings::default()
        };
        let mut old = Readings {
            with_modifiers: json.with_modifiers.old,
            curves: json.curves.old.unwrap_or_default(),
            ..Readings::default()
        };
        for row in json.metrics {
            let unit = row.unit.unwrap_or_else(|| unit_of(&row.name));
            for (side, found) in [(&mut new, row.new), (&mut old, row.old)] {
                let metric = |found| KeptMetric { name: row.name.clone(), unit, found };
                side.metrics.extend(found.map(metric));
            }
        }
        for row in json.opcodes {
            for (side, found) in [(&mut new, row.new), (&mut old, row.old)] {
                if let Some(Found::Number(count)) = found {
                    side.opcodes.insert(row.name.clone(), count);
                }
            }
        }
        for side in [&mut new, &mut old] {
            side.metrics.sort_by(|a, b| a.name.cmp(&b.name));
        }
        let old = json.old_device.map(|device| Readings { device, ..old });
        Kept { new, old, asked }
    }
}
