//! Snapshots of earlier schemas, 1 to 4: what they say, as today's evidence. They held conclusions and the readings behind
//! them; the readings are taken, and verdict, limiter and levers that were printed that day stay in the milestone.

use super::asked;
use super::fields::{name_counts, with_told_checks};
use crate::analysis::{
    Build, Evidence, Found, KeptMetric, KernelKey, Limits, Milestone, Profile, Readings, Reference, Side, SourceLines,
    audit,
};
use crate::evidence::{ClockStatus, Device, RuleMessage, RuleResult, Session, Speedup};
use crate::quantity::Unit;
use crate::quantity::ncu_units::unit_of;
use crate::view::Heading;
use serde::de::DeserializeOwned;
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

/// A part that is there and understood.
fn part<T: DeserializeOwned>(of: &Value, key: &str) -> Option<T> {
    serde_json::from_value(of.get(key)?.clone()).ok()
}

/// The list at a key; empty without one.
fn list<'v>(of: &'v Value, key: &str) -> &'v [Value] {
    of.get(key).and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default()
}

fn text<'v>(of: &'v Value, key: &str) -> &'v str {
    of.get(key).and_then(Value::as_str).unwrap_or_default()
}

/// What the heading and the audit of an earlier schema say.
///
/// # Errors
/// A heading or a kernel that is missing, in words.
pub(super) fn upgraded(schema: u32, heading: &str, old: &str) -> Result<Upgraded, String> {
    let heading: Heading = serde_json::from_str(heading).map_err(|error| error.to_string())?;
    let old: Value = serde_json::from_str(old).map_err(|error| error.to_string())?;
    let overrides: BTreeMap<String, f64> =
        old.get("limits").and_then(|limits| part(limits, "overrides")).unwrap_or_default();
    let limits = Limits::of_numbers(&overrides);
    let mut evidence = evidence(schema, &old)?;
    let names: Vec<Arc<str>> = match old.pointer("/kept/asked").and_then(Value::as_u64) {
        Some(count) => {
            let rows = list(&old["kept"], "metrics").iter().take(count as usize);
            rows.filter_map(|row| row.get(0)?.as_str()).map(Arc::from).collect()
        }
        None => Vec::new(),
    };
    asked::each_command(&mut evidence, |line| asked::spell(&names, line));
    let mut milestone = heading.milestone(&audit(&evidence, &limits));
    milestone.verdict = old.pointer("/comparison/whole").and_then(|whole| part(whole, "verdict"));
    milestone.hypotheses = part(&old, "hypotheses").unwrap_or_default();
    milestone.limiter = part(&old["bottleneck"], "limiter");
    let own = list(&old, "levers").iter().filter(|lever| lever["origin"] == "audit");
    milestone.levers = own.filter_map(|lever| serde_json::from_value(lever.clone()).ok()).collect();
    Ok(Upgraded { heading, milestone, limits, evidence })
}

fn evidence(schema: u32, old: &Value) -> Result<Evidence, String> {
    let mut new = Side {
        work: part(old, "work").unwrap_or_default(),
        code: list(old, "code")
            .iter()
            .filter_map(|code| serde_json::from_value(with_told_checks(code.clone())).ok())
            .collect(),
        ..Side::default()
    };
    if old.get("new").is_none() {
        return Ok(Evidence { new, ..Evidence::default() });
    }
    let twice = |name: &str| list(old, "left_out").iter().any(|part| part == name);
    let mut timing = old.get("timing").cloned().unwrap_or_default();
    for key in ["device", "launch"] {
        if let (true, Some(benchmark)) = (twice(&format!("timing.benchmark.{key}")), timing.get_mut("benchmark")) {
            benchmark[key] = old["correctness"][key].clone();
        }
    }
    new.profile = Some(profile(schema, old, "new")?);
    new.build = build(old, "build");
    new.collected = part(old, "collected");
    new.sanitizer = part(old, "sanitizer").unwrap_or_default();
    new.correctness = part(old, "correctness");
    new.benchmark = part(&timing, "benchmark");
    new.files = part(old, "trial_files").unwrap_or_default();
    new.missed = part(old, "trials_missed").unwrap_or_default();
    let before = match old.get("old").filter(|side| !side.is_null()) {
        Some(_) => {
            let profile = Some(profile(schema, old, "old")?);
            Some(Side { profile, build: build(old, "old_build"), ..Side::default() })
        }
        None => None,
    };
    Ok(Evidence { new, old: before, reference: reference(old) })
}

fn build(old: &Value, key: &str) -> Build {
    Build {
        logs: part(old, "build_logs").unwrap_or_default(),
        warnings: part(old, "build_warnings").unwrap_or_default(),
        records: list(old, key).iter().filter_map(|row| part(row, "record")).collect(),
    }
}

fn profile(schema: u32, old: &Value, side: &str) -> Result<Profile, String> {
    let own = &old[side];
    let kernel: KernelKey = part(own, "kernel").ok_or_else(|| format!("it has no kernel in `{side}`"))?;
    let setting = |id: &str| {
        let found = list(old, "settings").iter().find(|setting| text(setting, "id") == id);
        found.map(|setting| text(setting, side)).unwrap_or_default()
    };
    let device_key = if side == "new" { "device" } else { "old_device" };
    let is_new = side == "new";
    let source = if is_new { old.get("source").filter(|source| !source.is_null()) } else { None };
    let mut profile = Profile::unmeasured(kernel);
    profile.origin = part(own, "origin").unwrap_or_default();
    profile.session = Session {
        ncu_version: setting("ncu").into(),
        cuda_version: setting("cuda").into(),
        driver_version: setting("driver").into(),
        command_line: text(own, "command_line").into(),
        ..Session::default()
    };
    profile.launches = part(own, "launches").unwrap_or_default();
    profile.device = part(&old["kept"], device_key).unwrap_or_else(|| device(setting("gpu"), setting("sm-count")));
    profile.program = setting("command").into();
    profile.clock = match setting("clock-control") {
        "locked to base" => Some(ClockStatus { requested: true, executed: true }),
        "lock refused, clocks free" => Some(ClockStatus { requested: true, executed: false }),
        "none, clocks free" => Some(ClockStatus { requested: false, executed: false }),
        _ => None,
    };
    profile.readings = readings(schema, old, side);
    profile.dropped = part(own, "dropped").unwrap_or_default();
    profile.not_understood = part(own, "not_understood").unwrap_or_default();
    profile.damage = part(own, "damage").unwrap_or_default();
    if is_new {
        profile.kernels = part(old, "kernels").unwrap_or_default();
        profile.members = part(old, "members").unwrap_or_default();
        profile.rules = list(old, "levers").iter().filter_map(rule).collect();
    }
    profile.parked = source.and_then(|source| part(source, "parked"));
    profile.lines = source.and_then(lines);
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
fn lines(source: &Value) -> Option<SourceLines> {
    let mut source = source.clone();
    let texts: BTreeMap<String, String> = part(&source, "texts").unwrap_or_default();
    let limiting = source.get("limiting").cloned().unwrap_or_default();
    if limiting.is_object() {
        let mut part = limiting.clone();
        part["limiters"] = Value::Array(vec![limiting["limiter"].clone()]);
        source["parts"] = Value::Array(vec![part]);
    }
    for taken in ["limiting", "parked"] {
        source.as_object_mut()?.remove(taken);
    }
    spread(&mut source, &texts);
    name_counts(&mut source);
    serde_json::from_value(source).ok()
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

fn reference(old: &Value) -> Option<Reference> {
    let own = old.get("reference").filter(|own| own.is_object())?;
    let mut profile = Profile::unmeasured(part(own, "kernel")?);
    profile.origin = part(own, "origin").unwrap_or_default();
    profile.launches = vec![0];
    let mut found = Collected::default();
    for row in list(own, "rows") {
        found.take(text(row, "id"), &row["reference"], "");
    }
    profile.readings.metrics = found.metrics();
    Some(Reference { profile, others: part(own, "others").unwrap_or_default() })
}

/// Metrics while they are collected; the first that was found of a name stays.
#[derive(Default)]
struct Collected(BTreeMap<Arc<str>, (Unit, Found)>);

impl Collected {
    fn put(&mut self, name: &str, unit: Unit, found: Found) {
        self.0.entry(name.into()).or_insert((unit, found));
    }

    /// A cell of a table: `{"value": …, "unit": …, "metrics": […]}`, or a number in the unit of its row.
    fn take(&mut self, id: &str, cell: &Value, unit: &str) {
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

    fn metrics(self) -> Vec<KeptMetric> {
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
fn readings(schema: u32, old: &Value, side: &str) -> Readings {
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
    Readings {
        opcodes: opcodes(kept, is_new),
        with_modifiers: match (&kept["with_modifiers"][side], is_new && schema < 4) {
            (Value::Null, true) => part(kept, "with_modifiers"),
            (own, _) => serde_json::from_value(own.clone()).ok(),
        },
        curves: kept
            .pointer(&format!("/curves/{side}"))
            .and_then(|own| serde_json::from_value(own.clone()).ok())
            .unwrap_or_default(),
        breakdowns,
        metrics: all.metrics(),
    }
}

/// Executions by opcode: `{opcode: new}` up to schema 3, `[opcode, new, old]` in schema 4.
fn opcodes(kept: &Value, is_new: bool) -> BTreeMap<Arc<str>, f64> {
    if is_new && let Some(counts) = part(kept, "opcodes") {
        return counts;
    }
    let count = |row: &Value| Some((Arc::from(row[0].as_str()?), row[if is_new { 1 } else { 2 }].as_f64()?));
    list(kept, "opcodes").iter().filter_map(count).collect()
}
