//! The details page: one row per shown metric or rule message.
//!
//! A row names its metric by the words of a section, or by its own name where it was asked for on the command line.
//! Where the words are not known the row is kept as `section/words`. Numbers have two decimals at most.

use super::launch::{self, Columns};
use super::number::Locale;
use super::records::Cells;
use super::{names, raw, unit};
use crate::evidence::{Launch, Metric, Report, RuleMessage, RuleResult, Speedup, Value};
use crate::source::{Rules, Want};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// Reads the rows below one header into `report`; launches are numbered from `first`.
pub(super) fn take(report: &mut Report, header: &Cells<'_>, rows: &[(u64, Cells<'_>)], first: u32, want: &Want) {
    let columns = Columns::of(header);
    let at = |name: &str| header.iter().position(|column| column == name);
    let text = |row: &Cells<'_>, at: Option<usize>| {
        at.and_then(|at| row.get(at)).map(|cell| cell.trim().to_owned()).unwrap_or_default()
    };
    let (section, name, unit_at, value_at) =
        (at("Section Name"), at("Metric Name"), at("Metric Unit"), at("Metric Value"));
    let rule_columns = [at("Rule Name"), at("Rule Type"), at("Rule Description")];
    let (speedup_type, speedup) = (at("Estimated Speedup Type"), at("Estimated Speedup"));
    let mut locale = Locale::default();
    for (_, row) in rows {
        locale.learn(&text(row, value_at));
    }
    let mut launches: BTreeMap<u32, (Launch, Vec<Metric>)> = BTreeMap::new();
    let mut unnamed: BTreeMap<String, u64> = BTreeMap::new();
    for (line, row) in rows {
        let Some(id) = columns.id(row).filter(|_| value_at.is_some_and(|at| at < row.len())) else {
            report.unrecognised_lines.push(format!("line {line}: {}", row.join(",")));
            continue;
        };
        let number = first.saturating_add(id);
        let (launch, metrics) = launches.entry(number).or_insert_with(|| (columns.launch(row, number), Vec::new()));
        let (section, name) = (text(row, section), text(row, name));
        if name.is_empty() {
            let [rule, kind, words] = rule_columns.map(|at| text(row, at));
            if want.rules != Rules::None && !rule.is_empty() {
                let percent = raw::value(&text(row, speedup), 0, locale, &rule, *line, &mut report.damage);
                let is_global = text(row, speedup_type) == "global";
                let percent = percent.as_ref().and_then(Value::as_f64).filter(|percent| percent.is_finite());
                let message = RuleMessage { kind: kind_of(&kind).into(), title: "".into(), text: words.into() };
                add_rule(launch, &section, &rule, message, percent.map(|percent| Speedup { is_global, percent }));
            }
            continue;
        }
        let metric = if name.contains("__") {
            name.clone()
        } else if let Some(metric) = names::metric(&section, &name, launch.device.compute_capability) {
            metric.to_owned()
        } else {
            let kept = format!("{section}/{name}");
            *unnamed.entry(kept.clone()).or_default() += 1;
            kept
        };
        if !want.metrics.contains(&metric) {
            continue;
        }
        let (shift, unit) = unit::base(&text(row, unit_at));
        let value = raw::value(&text(row, value_at), shift, locale, &metric, *line, &mut report.damage);
        metrics.push(Metric { name: metric.into(), unit, value, instances: Box::default() });
    }
    let told = |(row, count)| format!("details row without a known metric: {row} ({count} rows)");
    report.unrecognised_lines.extend(unnamed.into_iter().map(told));
    let dropped = dropped(launches.values().flat_map(|(_, metrics)| metrics));
    for (mut launch, mut metrics) in launches.into_values() {
        metrics.retain(|metric| !dropped.contains(&metric.name));
        launch::finish(&mut launch, metrics);
        report.launches.push(launch);
    }
    report.dropped.extend(dropped);
}

/// Metrics that were asked for by their own name and have a value in no launch: the page prints `n/a` for each.
fn dropped<'a>(metrics: impl Iterator<Item = &'a Metric>) -> BTreeSet<Arc<str>> {
    let (valued, empty): (Vec<_>, Vec<_>) = metrics.partition(|metric| metric.value.is_some());
    let held: BTreeSet<&str> = valued.iter().map(|metric| metric.name.as_ref()).collect();
    empty.into_iter().map(|metric| metric.name.clone()).filter(|name| !held.contains(name.as_ref())).collect()
}

/// The word of the report format for a rule's kind on the page.
fn kind_of(printed: &str) -> &str {
    match printed {
        "OPT" => "optimization",
        "INF" => "ok",
        "WRN" => "warning",
        "ERR" => "error",
        other => other,
    }
}

/// Adds a message to its rule. A rule that estimates more than one speedup becomes several results, one for each.
fn add_rule(launch: &mut Launch, section: &str, rule: &str, message: RuleMessage, speedup: Option<Speedup>) {
    let same = |result: &&mut RuleResult| {
        result.id.as_ref() == rule
            && result.section.as_ref() == section
            && (speedup.is_none() || result.speedup.is_none())
    };
    if let Some(result) = launch.rules.last_mut().filter(same) {
        result.messages.push(message);
        result.speedup = result.speedup.or(speedup);
        return;
    }
    launch.rules.push(RuleResult {
        id: rule.into(),
        name: rule.into(),
        section: section.into(),
        messages: vec![message],
        speedup,
        focus: Vec::new(),
        tables: Vec::new(),
    });
}
