//! Fields that said something in another way up to some schema: what lines are counted by was a sentence up to schema 7, and checks on
//! machine code were kept as judged up to 8.

use crate::analysis::Counted;
use crate::catalog::Code;
use serde_json::{Value, json};

/// The values of the list at a key; none where there is no list.
fn each<'v>(of: &'v mut Value, key: &str) -> impl Iterator<Item = &'v mut Value> {
    of.get_mut(key).and_then(Value::as_array_mut).into_iter().flatten()
}

/// Evidence of a schema from 5 on, as the one of today says it.
pub(super) fn of_today(schema: u32, mut evidence: Value) -> Value {
    for side in ["new", "old"] {
        let Some(side) = evidence.get_mut(side) else { continue };
        if let Some(lines) = side.pointer_mut("/profile/lines").filter(|_| schema < 8) {
            name_counts(lines);
        }
        each(side, "code").filter(|_| schema < 9).for_each(tell_checks);
    }
    evidence
}

/// Makes of checks that were kept as judged what is told of them, and with them what was concluded of the old build.
fn tell_checks(code: &mut Value) {
    let Some(fields) = code.as_object_mut() else { return };
    let findings = fields.remove("old_findings").filter(|findings| !findings.is_null());
    let mut checks = fields.remove("checks").unwrap_or_else(|| json!([]));
    let mut old = Vec::new();
    for check in checks.as_array_mut().into_iter().flatten().filter_map(Value::as_object_mut) {
        let [verdict, found, was] = ["verdict", "found", "old"].map(|key| check.remove(key).unwrap_or_default());
        old.extend((!was.is_null()).then(|| json!([check.get("name"), check.get("rule"), was])));
        check.insert("seen".to_owned(), json!({ "told": [verdict, found] }));
    }
    fields.insert("checked".to_owned(), checks);
    if findings.is_some() || !old.is_empty() {
        fields.insert("before".to_owned(), json!({ "told": { "findings": findings, "checks": old } }));
    }
}

/// What an audit of schemas 1 to 4 holds, in the fields that evidence of today shares with it.
pub(super) fn of_four(mut audit: Value) -> Value {
    for origin in ["/new/origin", "/old/origin"] {
        audit.pointer_mut(origin).map(with_hash);
    }
    each(&mut audit, "build_logs").for_each(with_hash);
    if let Some(work) = audit.get_mut("work").and_then(Value::as_object_mut) {
        work.entry("expected").or_insert_with(|| json!([]));
    }
    if let Some(limiter) = audit.pointer_mut("/bottleneck/limiter").filter(|limiter| *limiter == "balanced") {
        *limiter = json!(Code::NoSingleLimiter);
    }
    for code in each(&mut audit, "code") {
        let hunks = code.pointer_mut("/diff/hunks").and_then(Value::as_array_mut).into_iter().flatten();
        for line in hunks.filter_map(Value::as_array_mut).flatten() {
            if let (Some(sign), Some(text)) = (line["sign"].as_str(), line["text"].as_str()) {
                *line = Value::String(format!("{sign}{text}"));
            }
        }
        tell_checks(code);
    }
    audit
}

/// Files had another hash in schema 1, which nothing asks for.
fn with_hash(origin: &mut Value) {
    if let Some(fields) = origin.as_object_mut() {
        fields.entry("blake3").or_insert_with(|| json!(""));
    }
}

/// Names what lines are counted by.
pub(super) fn name_counts(lines: &mut Value) {
    for part in each(lines, "parts").filter_map(Value::as_object_mut) {
        let what = part.get("what").and_then(Value::as_str).unwrap_or_default();
        let counted = match (what.split(',').next().unwrap_or_default(), what.contains("L1 data stage")) {
            ("wavefronts of shared accesses", true) => Counted::StageWavefronts,
            ("wavefronts of shared accesses", false) => Counted::Wavefronts,
            ("sectors of global and local accesses", _) => Counted::StageSectors,
            ("executed instructions", _) => Counted::Executions,
            ("executed instructions of that unit", _) => Counted::UnitExecutions,
            _ => Counted::Sectors,
        };
        part.insert("counted".to_owned(), json!(counted));
    }
}
