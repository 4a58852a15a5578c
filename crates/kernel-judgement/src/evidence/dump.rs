//! The evidence as JSON, written as it goes: no second copy of a report is made in memory.
//!
//! Integers are written as integers, exactly. JSON has no NaN and no infinities: such a value is `null`, with
//! `"nan": true` or `"infinite": "+"` or `"-"` beside it. A `null` without such a mark means that there is no value.

use super::Report;
use std::io::{self, Write};

/// The schema that [`write_json`] writes; its number rises when a field changes its meaning.
pub const SCHEMA: &str = "kernel-audit/evidence/2";

/// Writes a report as JSON, with the instances of metrics that were read.
pub fn write_json(report: &Report, out: &mut dyn Write) -> io::Result<()> {
    serde_json::to_writer(&mut *out, &ReportDump { schema: SCHEMA, report })?;
    out.write_all(b"\n")
}

#[derive(serde::Serialize)]
struct ReportDump<'a> {
    schema: &'static str,
    #[serde(flatten)]
    report: &'a Report,
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::evidence::{Instance, Launch, Metric, Value};
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
        write_json(&report, &mut json).expect("memory takes it");
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
