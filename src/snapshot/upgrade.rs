//! Snapshots of earlier schemas, 1 to 4: what they say, as today's evidence. They held conclusions and the readings behind
//! them; the readings are taken, and verdict, limiter and levers that were printed that day stay in the milestone.

use super::old_readings::{Collected, readings};
use super::parts::{list, part, part_or_default, text, understood};
use super::{asked, fields};
use crate::analysis::{
    Build, Evidence, KernelKey, Limits, Milestone, Profile, Reference, Side, SourceLines, Standing, audit,
};
use crate::evidence::{ClockStatus, Device, RuleMessage, RuleResult, Session, Speedup};
use crate::view::Heading;
use serde_json::Value;
use std::collections::BTreeMap;
use std::sync::Arc;

/// What a snapshot of an earlier schema held.
pub(super) struct Upgraded {
    pub(super) heading: Heading,
    pub(super) milestone: Milestone,
    pub(super) limits: Limits,
    pub(super) evidence: Evidence,
}

/// What the heading and the audit of an earlier schema say.
///
/// # Errors
/// A heading or a kernel that is missing, or a part that is not understood, in words.
pub(super) fn upgraded(schema: u32, heading: &str, old: &str) -> Result<Upgraded, String> {
    let heading: Heading = serde_json::from_str(heading).map_err(|error| error.to_string())?;
    let old: Value = serde_json::from_str(old).map_err(|error| error.to_string())?;
    let old = fields::of_four(old);
    let overrides: BTreeMap<String, f64> = part_or_default(&old["limits"], "overrides")?;
    let limits = Limits::of_numbers(&overrides)?;
    let mut evidence = evidence(schema, &old)?;
    let names: Vec<Arc<str>> = match old.pointer("/kept/asked").and_then(Value::as_u64) {
        Some(count) => {
            let rows = list(&old["kept"], "metrics").iter().take(count as usize);
            rows.filter_map(|row| row.get(0)?.as_str()).map(Arc::from).collect()
        }
        None => Vec::new(),
    };
    asked::each_command(&mut evidence, |line| asked::spell(&names, line));
    let audit = audit(&evidence, &limits);
    let mut milestone = heading.milestone(&audit);
    milestone.hypotheses = part_or_default(&old, "hypotheses")?;
    // Wrong results had neither verdict nor limiter nor levers on the page of that day either.
    if audit.standing() != Standing::Wrong {
        milestone.verdict = part(&old["comparison"]["whole"], "verdict")?;
        milestone.limiter = part(&old["bottleneck"], "limiter")?;
        let own = list(&old, "levers").iter().filter(|lever| lever["origin"] == "audit");
        let own = own.map(understood).collect::<Result<Vec<_>, _>>().map_err(|error| format!("`levers`: {error}"))?;
        milestone.levers = own.into_iter().flatten().collect();
    }
    Ok(Upgraded { heading, milestone, limits, evidence })
}

fn evidence(schema: u32, old: &Value) -> Result<Evidence, String> {
    let mut new = Side { work: part_or_default(old, "work")?, code: part_or_default(old, "code")?, ..Side::default() };
    if old.get("new").is_none() {
        return Ok(Evidence { new, ..Evidence::default() });
    }
    let twice = |name: &str| list(old, "left_out").iter().any(|part| part == name);
    let mut timing = old.get("timing").cloned().unwrap_or_default();
    for key in ["device", "launch"] {
        let benchmark = timing.get_mut("benchmark").and_then(Value::as_object_mut);
        if let Some(benchmark) = benchmark.filter(|_| twice(&format!("timing.benchmark.{key}"))) {
            benchmark.insert(key.to_owned(), old["correctness"][key].clone());
        }
    }
    new.profile = Some(profile(schema, old, "new")?);
    new.build = build(old, "build")?;
    new.collected = part(old, "collected")?;
    new.sanitizer = part_or_default(old, "sanitizer")?;
    new.correctness = part(old, "correctness")?;
    new.benchmark = part(&timing, "benchmark")?;
    new.files = part_or_default(old, "trial_files")?;
    new.missed = part_or_default(old, "trials_missed")?;
    let before = match old.get("old").filter(|side| !side.is_null()) {
        Some(_) => {
            let profile = Some(profile(schema, old, "old")?);
            Some(Side { profile, build: build(old, "old_build")?, ..Side::default() })
        }
        None => None,
    };
    Ok(Evidence { new, old: before, reference: reference(old)? })
}

fn build(old: &Value, key: &str) -> Result<Build, String> {
    Ok(Build {
        logs: part_or_default(old, "build_logs")?,
        warnings: part_or_default(old, "build_warnings")?,
        records: list(old, key).iter().filter_map(|row| part(row, "record").transpose()).collect::<Result<_, _>>()?,
    })
}

fn profile(schema: u32, old: &Value, side: &str) -> Result<Profile, String> {
    let own = &old[side];
    let kernel: KernelKey = part(own, "kernel")?.ok_or_else(|| format!("it has no kernel in `{side}`"))?;
    let setting = |id: &str| {
        let found = list(old, "settings").iter().find(|setting| text(setting, "id") == id);
        found.map(|setting| text(setting, side)).unwrap_or_default()
    };
    let device_key = if side == "new" { "device" } else { "old_device" };
    let is_new = side == "new";
    let source = if is_new { old.get("source").filter(|source| !source.is_null()) } else { None };
    let mut profile = Profile::unmeasured(kernel);
    profile.origin = part_or_default(own, "origin")?;
    profile.session = Session {
        ncu_version: setting("ncu").into(),
        cuda_version: setting("cuda").into(),
        driver_version: setting("driver").into(),
        command_line: text(own, "command_line").into(),
        ..Session::default()
    };
    profile.launches = part_or_default(own, "launches")?;
    profile.device = part(&old["kept"], device_key)?.unwrap_or_else(|| device(setting("gpu"), setting("sm-count")));
    profile.program = setting("command").into();
    profile.clock = match setting("clock-control") {
        "locked to base" => Some(ClockStatus { requested: true, executed: true }),
        "lock refused, clocks free" => Some(ClockStatus { requested: true, executed: false }),
        "none, clocks free" => Some(ClockStatus { requested: false, executed: false }),
        _ => None,
    };
    profile.readings = readings(schema, old, side)?;
    profile.dropped = part_or_default(own, "dropped")?;
    profile.not_understood = part_or_default(own, "not_understood")?;
    profile.damage = part_or_default(own, "damage")?;
    if is_new {
        profile.kernels = part_or_default(old, "kernels")?;
        profile.members = part_or_default(old, "members")?;
        profile.rules = list(old, "levers").iter().filter_map(rule).collect();
    }
    profile.parked = source.map_or(Ok(None), |source| part(source, "parked"))?;
    profile.lines = source.map_or(Ok(None), lines)?;
    Ok(profile)
}

/// The device of a printed condition: `NVIDIA H200 (sm_90)`.
fn device(gpu: &str, sms: &str) -> Device {
    let (name, arch) = gpu.rsplit_once(" (sm_").unwrap_or((gpu, ""));
    let digits = arch.trim_end_matches(')');
    let split = digits.len().saturating_sub(1);
    let capability = digits.split_at_checked(split).and_then(|(a, b)| Some((a.parse().ok()?, b.parse().ok()?)));
    Device { index: None, name: name.into(), compute_capability: capability, sm_count: sms.parse().ok() }
}

/// NVIDIA's estimate behind a lever.
fn rule(lever: &Value) -> Option<RuleResult> {
    let percent = lever.get("bound")?.as_f64().filter(|_| text(lever, "origin") == "nvidia-rule")?;
    let message = RuleMessage { kind: "".into(), title: text(lever, "sentence").into(), text: "".into() };
    Some(RuleResult {
        id: text(lever, "code").into(),
        name: text(lever, "code").into(),
        section: "".into(),
        messages: vec![message],
        speedup: Some(Speedup { is_global: text(lever, "formula").ends_with("of the run time"), percent }),
        focus: Vec::new(),
        tables: Vec::new(),
    })
}

/// The costs by line, with the texts that schema 4 said once.
fn lines(source: &Value) -> Result<Option<SourceLines>, String> {
    let mut source = source.clone();
    let texts: BTreeMap<String, String> = part_or_default(&source, "texts")?;
    let limiting = source.get("limiting").cloned().unwrap_or_default();
    if let Some(fields) = source.as_object_mut() {
        if limiting.is_object() {
            let mut part = limiting.clone();
            part["limiters"] = Value::Array(vec![limiting["limiter"].clone()]);
            fields.insert("parts".to_owned(), Value::Array(vec![part]));
        }
        fields.retain(|key, _| !["limiting", "parked"].contains(&key.as_str()));
    }
    spread(&mut source, &texts);
    fields::name_counts(&mut source);
    understood(&source).map_err(|error| format!("`source`: {error}"))
}

fn spread(value: &mut Value, texts: &BTreeMap<String, String>) {
    match value {
        Value::Array(all) => all.iter_mut().for_each(|one| spread(one, texts)),
        Value::Object(fields) => {
            let said = fields.get("at").and_then(Value::as_str).and_then(|at| texts.get(at)).cloned();
            if let Some(said) =
                said.filter(|_| fields.get("text").and_then(Value::as_str).unwrap_or_default().is_empty())
            {
                fields.insert("text".to_owned(), Value::String(said));
            }
            fields.values_mut().for_each(|one| spread(one, texts));
        }
        _ => {}
    }
}

fn reference(old: &Value) -> Result<Option<Reference>, String> {
    let Some(own) = old.get("reference").filter(|own| own.is_object()) else { return Ok(None) };
    let Some(kernel) = part(own, "kernel")? else { return Ok(None) };
    let mut profile = Profile::unmeasured(kernel);
    profile.origin = part_or_default(own, "origin")?;
    profile.launches = vec![0];
    let mut found = Collected::default();
    for row in list(own, "rows") {
        found.take(text(row, "id"), &row["reference"], "");
    }
    profile.readings.metrics = found.metrics();
    Ok(Some(Reference { profile, others: part_or_default(own, "others")? }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::Verdict;
    use serde_json::json;

    /// Every value of a tree down to a depth, replaced by another kind of value, one at a time.
    fn each_other(tree: &Value, depth: usize, call: &mut impl FnMut(Value)) {
        fn paths(at: &Value, depth: usize, path: &str, all: &mut Vec<String>) {
            all.push(path.to_owned());
            match at {
                Value::Object(fields) if depth > 0 => {
                    fields.iter().for_each(|(key, own)| paths(own, depth - 1, &format!("{path}/{key}"), all));
                }
                Value::Array(list) if depth > 0 => {
                    list.iter().take(2).enumerate().for_each(|(n, own)| paths(own, depth, &format!("{path}/{n}"), all));
                }
                _ => {}
            }
        }
        let mut all = Vec::new();
        paths(tree, depth, "", &mut all);
        for path in all.iter().filter(|path| !path.contains('~')) {
            for other in [json!(null), json!("x"), json!([1, "x"]), json!({})] {
                let mut tree = tree.clone();
                *tree.pointer_mut(path).unwrap() = other;
                call(tree);
            }
        }
    }

    fn fixture(name: &str) -> Value {
        let path = format!("{}/tests/fixtures/snapshots/{name}.json", env!("CARGO_MANIFEST_DIR"));
        serde_json::from_slice(&std::fs::read(path).unwrap()).unwrap()
    }

    #[test]
    fn what_was_measured_comes_along_and_wrong_results_stay_wrong() {
        let file = fixture("audit-3-measured");
        let read = |audit: &Value| upgraded(3, &file["heading"].to_string(), &audit.to_string()).unwrap();
        let found = read(&file["audit"]);
        let side = &found.evidence.new;
        let changed = side.code[0].diff.as_ref().unwrap().hunks.concat();
        assert!(
            changed.iter().any(|line| (line.sign, line.text.as_str()) == ('-', "S2R R4, SR_CTAID.X")),
            "{changed:?}"
        );
        assert!(side.correctness.is_some() && side.benchmark.is_some());
        assert!(side.collected.is_some() && side.sanitizer.len() == 4);
        assert_eq!((found.milestone.verdict, found.milestone.levers.is_empty()), (Some(Verdict::Faster), false));
        let mut wrong = file["audit"].clone();
        let said = wrong["correctness"].to_string().replace("\"passed\":true", "\"passed\":false");
        wrong["correctness"] = serde_json::from_str(&said).unwrap();
        let found = read(&wrong).milestone;
        assert_eq!((found.verdict, found.limiter, found.levers.len()), (Some(Verdict::Wrong), None, 0));
        wrong["correctness"]["passed"] = json!("no");
        let refused = upgraded(3, &file["heading"].to_string(), &wrong.to_string()).err().unwrap();
        assert!(refused.starts_with("`correctness`: invalid type: string"), "{refused}");
    }

    #[test]
    fn a_part_of_another_kind_ends_in_words() {
        let (mut taken, mut refused) = (0, 0);
        for (name, depth) in [("audit-1", 1), ("audit-2", 1), ("audit-3", 1), ("audit-4", 2), ("static-audit-3", 2)] {
            let file = fixture(name);
            let schema = text(&file, "schema").rsplit('/').next().unwrap().parse().unwrap();
            each_other(&file["audit"], depth, &mut |audit| match upgraded(
                schema,
                &file["heading"].to_string(),
                &audit.to_string(),
            ) {
                Ok(_) => taken += 1,
                Err(why) => {
                    assert!(!why.is_empty());
                    refused += 1;
                }
            });
        }
        assert!(taken > 100 && refused > 100, "{taken} {refused}");
    }
}
