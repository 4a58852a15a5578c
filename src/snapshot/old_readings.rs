//! Readings of snapshots of schemas 1 to 4: those that were kept by launch, those of tables, those behind sentences.

use super::parts::{list, part, part_or_default, text, understood};
use crate::analysis::{Found, KeptMetric, Readings};
use crate::quantity::Unit;
use crate::quantity::ncu_units::unit_of;
use serde_json::Value;
use std::collections::BTreeMap;
use std::sync::Arc;

/// Metrics while they are collected; the first that was found of a name stays.
#[derive(Default)]
pub(super) struct Collected(BTreeMap<Arc<str>, (Unit, Found)>);

impl Collected {
    fn put(&mut self, name: &str, unit: Unit, found: Found) {
        self.0.entry(name.into()).or_insert((unit, found));
    }

    /// A cell of a table: `{"value": …, "unit": …, "metrics": […]}`, or a number in the unit of its row.
    pub(super) fn take(&mut self, id: &str, cell: &Value, unit: &str) {
        let is_derived = !text(cell, "formula").is_empty();
        let (value, unit, name) = match cell.as_f64() {
            Some(number) => (Some(number), unit, id),
            None => {
                let name = cell.pointer("/metrics/0").and_then(Value::as_str).unwrap_or(id);
                (cell.get("value").and_then(Value::as_f64), text(cell, "unit"), name)
            }
        };
        if let (Some(value), false, true) = (value, is_derived, name.contains("__")) {
            let unit = serde_json::from_value(unit.into()).unwrap_or_else(|_| unit_of(name));
            self.put(name, unit, Found::Number(value));
        }
    }

    /// Every row of every table below a value.
    fn tables(&mut self, value: &Value, side: &str) {
        match value {
            Value::Array(all) => all.iter().for_each(|one| self.tables(one, side)),
            Value::Object(fields) => {
                let is_derived = !text(value, "formula").is_empty() || list(value, "metrics").len() > 1;
                if let (Some(id), Some(cell), false) =
                    (fields.get("id").and_then(Value::as_str), fields.get(side), is_derived)
                {
                    let id = value.pointer("/metrics/0").and_then(Value::as_str).unwrap_or(id);
                    self.take(id, cell, text(value, "unit"));
                }
                fields.values().for_each(|one| self.tables(one, side));
            }
            _ => {}
        }
    }

    /// Readings behind a sentence: `[name, value, unit]`, or `[name, reading]`.
    fn behind(&mut self, readings: &[Value]) {
        for reading in readings {
            let (name, unit) = (reading[0].as_str().unwrap_or_default(), reading[2].as_str().unwrap_or_default());
            self.take(name, &reading[1], unit);
        }
    }

    pub(super) fn metrics(self) -> Vec<KeptMetric> {
        self.0.into_iter().map(|(name, (unit, found))| KeptMetric { name, unit, found }).collect()
    }
}

/// What one side has for a metric in a row of the kept readings.
fn found(cell: &Value) -> Option<Found> {
    match cell {
        Value::Number(number) => number.as_f64().map(Found::Number),
        Value::Array(each) => Some(Found::Each(each.iter().map(Value::as_f64).collect())),
        Value::String(word) if word == "NaN" => Some(Found::NotANumber),
        Value::String(_) => Some(Found::NoNumber),
        _ => None,
    }
}

/// The readings of a side: those that the snapshot keeps by launch, then those of its tables and behind its conclusions.
pub(super) fn readings(schema: u32, old: &Value, side: &str) -> Result<Readings, String> {
    let (is_new, kept) = (side == "new", &old["kept"]);
    let mut all = Collected::default();
    for row in list(kept, "metrics") {
        // Schema 2: an object; 3: [name, new, unit]; 4: [name, new, old, unit].
        let (name, cell, unit) = match schema {
            2 => (text(row, "name"), &row["values"], &row["unit"]),
            3 => (row[0].as_str().unwrap_or_default(), &row[1], &row[2]),
            _ => (row[0].as_str().unwrap_or_default(), &row[if is_new { 1 } else { 2 }], &row[3]),
        };
        if let Some(found) = found(cell).filter(|_| is_new || schema == 4) {
            let found = match found {
                Found::Each(each) if each.windows(2).all(|pair| pair[0] == pair[1]) => {
                    each.first().copied().flatten().map_or(Found::NoNumber, Found::Number)
                }
                other => other,
            };
            all.put(name, serde_json::from_value(unit.clone()).unwrap_or_else(|_| unit_of(name)), found);
        }
    }
    for tables in ["performance", "panels", "stalls", "coalescing", "occupancy", "roofline"] {
        all.tables(&old[tables], side);
    }
    let verdict = &old[if is_new { "bottleneck" } else { "old_bottleneck" }];
    let steps: Vec<&Value> = list(verdict, "steps").iter().collect();
    steps.iter().for_each(|step| all.behind(list(step, "readings")));
    if is_new {
        list(old, "findings").iter().for_each(|finding| all.behind(list(finding, "readings")));
    }
    let mut unit = verdict.get("unit").into_iter();
    if let Some((counter, percent)) =
        unit.find_map(|unit| Some((text(unit, "counter"), unit.get("percent")?.as_f64()?)))
    {
        all.put(counter, Unit::PERCENT, Found::Number(percent));
    }
    // The lists of the breakdowns were not kept: the counters that the walk over them named stand for them.
    let is_share =
        |name: &&Arc<str>| name.ends_with(".avg.pct_of_peak_sustained_elapsed") && !name.contains("throughput");
    let named = steps.iter().flat_map(|step| list(step, "readings")).filter_map(|reading| reading[0].as_str());
    let named: Vec<&str> = named.chain([text(&verdict["unit"], "counter")]).collect();
    let counters: Vec<&str> =
        all.0.keys().filter(is_share).map(AsRef::as_ref).filter(|name| named.contains(name)).collect();
    let whole = "breakdown:sm__throughput.avg.pct_of_peak_sustained_elapsed";
    let breakdowns =
        if counters.is_empty() { BTreeMap::new() } else { BTreeMap::from([(whole.into(), counters.join(",").into())]) };
    Ok(Readings {
        opcodes: opcodes(kept, is_new)?,
        with_modifiers: match (&kept["with_modifiers"][side], is_new && schema < 4) {
            (Value::Null, true) => part(kept, "with_modifiers")?,
            (own, _) => understood(own).map_err(|error| format!("`with_modifiers`: {error}"))?,
        },
        curves: part_or_default(&kept["curves"], side)?,
        breakdowns,
        metrics: all.metrics(),
    })
}

/// Executions by opcode: `{opcode: new}` up to schema 3, `[opcode, new, old]` in schema 4.
fn opcodes(kept: &Value, is_new: bool) -> Result<BTreeMap<Arc<str>, f64>, String> {
    if kept["opcodes"].is_object() {
        return if is_new { part_or_default(kept, "opcodes") } else { Ok(BTreeMap::new()) };
    }
    let count = |row: &Value| Some((Arc::from(row[0].as_str()?), row[if is_new { 1 } else { 2 }].as_f64()?));
    Ok(list(kept, "opcodes").iter().filter_map(count).collect())
}
