//! Fields of evidence that said something in another way up to some schema: what lines are counted by was a sentence up to schema
//! 7, and checks on machine code were kept as judged up to 8.

use crate::analysis::Counted;
use serde_json::{Value, json};

/// Evidence of a schema from 5 on, as the one of today says it.
pub(super) fn of_today(schema: u32, mut evidence: Value) -> Value {
    for side in ["new", "old"] {
        let Some(side) = evidence.get_mut(side) else { continue };
        if let Some(lines) = side.pointer_mut("/profile/lines").filter(|_| schema < 8) {
            name_counts(lines);
        }
        for code in side.get_mut("code").and_then(Value::as_array_mut).into_iter().flatten().filter(|_| schema < 9) {
            *code = with_told_checks(code.take());
        }
    }
    evidence
}

/// A build whose checks were kept as judged, and with them what was concluded of the old build.
pub(super) fn with_told_checks(mut code: Value) -> Value {
    let Some(fields) = code.as_object_mut() else { return code };
    let findings = fields.remove("old_findings").filter(|findings| !findings.is_null());
    let (mut checked, mut old) = (Vec::new(), Vec::new());
    for mut check in fields.remove("checks").iter().flat_map(|checks| checks.as_array().cloned().unwrap_or_default()) {
        let [name, rule, verdict, found, was] =
            ["name", "rule", "verdict", "found", "old"].map(|key| check[key].take());
        old.extend((!was.is_null()).then(|| json!([name, rule, was])));
        let (deciding, count) = (check["deciding"].take(), check["deciding_count"].take());
        let seen = json!({ "told": [verdict, found] });
        checked
            .push(json!({ "name": name, "rule": rule, "seen": seen, "deciding": deciding, "deciding_count": count }));
    }
    fields.insert("checked".to_owned(), Value::Array(checked));
    if findings.is_some() || !old.is_empty() {
        fields.insert("before".to_owned(), json!({ "told": { "findings": findings, "checks": old } }));
    }
    code
}

/// Names what lines are counted by.
pub(super) fn name_counts(lines: &mut Value) {
    for part in lines.get_mut("parts").and_then(Value::as_array_mut).into_iter().flatten() {
        let what = part["what"].as_str().unwrap_or_default();
        let counted = match (what.split(',').next().unwrap_or_default(), what.contains("L1 data stage")) {
            ("wavefronts of shared accesses", true) => Counted::StageWavefronts,
            ("wavefronts of shared accesses", false) => Counted::Wavefronts,
            ("sectors of global and local accesses", _) => Counted::StageSectors,
            ("executed instructions", _) => Counted::Executions,
            ("executed instructions of that unit", _) => Counted::UnitExecutions,
            _ => Counted::Sectors,
        };
        part["counted"] = serde_json::to_value(counted).unwrap_or_default();
    }
}
