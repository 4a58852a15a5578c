//! The evidence as JSON, written as it goes: no second copy of a report is made in memory.
//!
//! Integers are written as integers, exactly. JSON has no NaN and no infinities: such a value is `null`, with
//! `"nan": true` or `"infinite": "+"` or `"-"` beside it. A `null` without such a mark means that there is no value.

use super::{Instance, Launch, Metric, Report, Value};
use serde::ser::{Serialize, SerializeMap, SerializeSeq, Serializer};
use std::io::{self, Write};

/// The schema that [`write_json`] writes; its number rises when a field changes its meaning.
pub const SCHEMA: &str = "kernel-audit/evidence/2";

/// Writes a report as JSON, with the instances of metrics on request.
///
/// # Errors
/// Those of `out`.
pub fn write_json(report: &Report, instances: bool, out: &mut dyn Write) -> io::Result<()> {
    serde_json::to_writer(&mut *out, &ReportDump { report, instances })?;
    out.write_all(b"\n")
}

struct ReportDump<'a> {
    report: &'a Report,
    instances: bool,
}

impl Serialize for ReportDump<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let report = self.report;
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("schema", SCHEMA)?;
        map.serialize_entry("origin", &report.origin)?;
        map.serialize_entry("session", &report.session)?;
        map.serialize_entry("launches", &LaunchesDump(self))?;
        map.serialize_entry("dropped", &report.dropped)?;
        map.serialize_entry("unrecognised_lines", &report.unrecognised_lines)?;
        map.serialize_entry("damage", &report.damage)?;
        map.end()
    }
}

struct LaunchesDump<'a>(&'a ReportDump<'a>);

impl Serialize for LaunchesDump<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let launches = &self.0.report.launches;
        let mut list = serializer.serialize_seq(Some(launches.len()))?;
        for launch in launches {
            list.serialize_element(&LaunchDump { launch, instances: self.0.instances })?;
        }
        list.end()
    }
}

struct LaunchDump<'a> {
    launch: &'a Launch,
    instances: bool,
}

impl Serialize for LaunchDump<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let launch = self.launch;
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("id", &launch.id)?;
        map.serialize_entry("kind", launch.workload.as_str())?;
        map.serialize_entry("process", &launch.process)?;
        map.serialize_entry("device", &launch.device)?;
        map.serialize_entry("name", &launch.name)?;
        map.serialize_entry("function", &launch.function)?;
        map.serialize_entry("demangled", &launch.demangled)?;
        map.serialize_entry("mangled", &launch.mangled)?;
        map.serialize_entry("grid", &launch.grid)?;
        map.serialize_entry("block", &launch.block)?;
        map.serialize_entry("context", &launch.context)?;
        map.serialize_entry("stream", &launch.stream)?;
        map.serialize_entry("clock", &launch.clock)?;
        map.serialize_entry("created", &launch.created)?;
        map.serialize_entry("driver", &launch.driver)?;
        map.serialize_entry("sources", &launch.sources)?;
        map.serialize_entry("nvtx", &launch.nvtx)?;
        map.serialize_entry("rules", &launch.rules)?;
        map.serialize_entry("metrics", &MetricsDump(self))?;
        map.end()
    }
}

struct MetricsDump<'a>(&'a LaunchDump<'a>);

impl Serialize for MetricsDump<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let metrics = &self.0.launch.metrics;
        let mut map = serializer.serialize_map(Some(metrics.len()))?;
        for metric in metrics {
            map.serialize_entry(&metric.name, &MetricDump { metric, instances: self.0.instances })?;
        }
        map.end()
    }
}

struct MetricDump<'a> {
    metric: &'a Metric,
    instances: bool,
}

impl Serialize for MetricDump<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        value_entries(&mut map, self.metric.value.as_ref())?;
        map.serialize_entry("unit", &self.metric.unit)?;
        if self.instances && !self.metric.instances.is_empty() {
            map.serialize_entry("instances", &InstancesDump(&self.metric.instances))?;
        }
        map.end()
    }
}

struct InstancesDump<'a>(&'a [Instance]);

impl Serialize for InstancesDump<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.0.iter().map(InstanceDump))
    }
}

struct InstanceDump<'a>(&'a Instance);

impl Serialize for InstanceDump<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("id", &ValueDump(Some(&self.0.id)))?;
        value_entries(&mut map, Some(&self.0.value))?;
        map.end()
    }
}

/// A value; `null` for one that JSON cannot write.
pub(super) struct ValueDump<'a>(pub(super) Option<&'a Value>);

impl Serialize for ValueDump<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self.0 {
            None => serializer.serialize_none(),
            Some(Value::Text(text)) => serializer.serialize_str(text),
            Some(Value::U32(number)) => serializer.serialize_u32(*number),
            Some(Value::U64(number)) => serializer.serialize_u64(*number),
            Some(Value::F32(number)) => serializer.serialize_f32(*number),
            Some(Value::F64(number)) => serializer.serialize_f64(*number),
        }
    }
}

/// `"value"`, and the mark beside it when it is no number.
fn value_entries<M: SerializeMap>(map: &mut M, value: Option<&Value>) -> Result<(), M::Error> {
    map.serialize_entry("value", &ValueDump(value))?;
    let Some(number) = value.and_then(Value::as_f64) else { return Ok(()) };
    if number.is_nan() {
        map.serialize_entry("nan", &true)?;
    } else if number.is_infinite() {
        map.serialize_entry("infinite", if number > 0.0 { "+" } else { "-" })?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::quantity::Unit;

    fn metric(name: &str, value: Option<Value>, instances: Vec<Instance>) -> Metric {
        Metric { name: name.into(), unit: Unit::NONE, value, instances: instances.into() }
    }

    #[test]
    fn numbers_keep_their_kind_and_non_numbers_their_mark() {
        let launch = Launch {
            name: "k<\"a\">".into(),
            function: "k".into(),
            metrics: vec![
                metric("absent", None, Vec::new()),
                metric("big", Some(Value::U64(u64::MAX)), Vec::new()),
                metric(
                    "list\n",
                    Some(Value::F64(3.0)),
                    vec![Instance { id: Value::U64(1), value: Value::F64(f64::NAN) }],
                ),
                metric("minus", Some(Value::F64(f64::NEG_INFINITY)), Vec::new()),
            ],
            ..Launch::default()
        };
        let report = Report { launches: vec![launch], ..Report::default() };
        let mut json = Vec::new();
        write_json(&report, true, &mut json).expect("memory takes it");
        let json = String::from_utf8(json).expect("UTF-8");
        for part in [
            r#""schema":"kernel-audit/evidence/2""#,
            r#""name":"k<\"a\">""#,
            r#""absent":{"value":null,"unit":""}"#,
            r#""big":{"value":18446744073709551615,"unit":""}"#,
            r#""list\n":{"value":3.0,"unit":"","instances":[{"id":1,"value":null,"nan":true}]}"#,
            r#""minus":{"value":null,"infinite":"-","unit":""}"#,
        ] {
            assert!(json.contains(part), "{part} is not in {json}");
        }
    }
}
