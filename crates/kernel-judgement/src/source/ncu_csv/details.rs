//! The details page: one row per shown metric or rule message.
//!
//! A row names its metric by the words of a section, or by its own name where it was asked for on the command line.
//! Where the words are not known the row is kept as `section/words`. Numbers have two decimals at most; those in the sentences of rules are
//! readings where no row has them.

use super::table::{Table, Taker, VALUE};
use super::{launch, sentences, unit};
use crate::evidence::{Launch, Metric, RuleMessage, RuleResult, Speedup, Value};
use crate::source::Rules;
use arcstr::ArcStr;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::LazyLock;

/// The section of metrics that the command line asked for by name.
const BY_NAME: &str = "Command line profiler metrics";

/// Reads the rows of a table of the text.
pub(super) fn take(taker: &mut Taker<'_>, table: &Table, page: &str) {
    let mut launches: BTreeMap<u32, (Launch, Vec<Metric>)> = BTreeMap::new();
    let mut unnamed: BTreeMap<String, u64> = BTreeMap::new();
    for row in &table.rows {
        let cells = table.cells(row, page);
        let Some(id) = row.id else {
            taker.unrecognised(row.line, &cells);
            continue;
        };
        let made = || (table.columns.launch(&cells, id, &mut taker.texts), Vec::new());
        let (launch, metrics) = launches.entry(id).or_insert_with(made);
        let text = |column: &str| table.columns.text(&cells, column);
        let (section, name) = (text("Section Name"), text("Metric Name"));
        if name.is_empty() {
            let rule = text("Rule Name");
            let held = |name: &str| {
                metrics.iter().find(|metric| &*metric.name == name)?.value.as_ref().and_then(Value::as_f64)
            };
            for (name, unit, value) in sentences::told(rule, text("Rule Description"), held) {
                let is_held = metrics.iter().any(|metric| *metric.name == name && metric.value.is_some());
                if !is_held && taker.want.metrics.contains(&name) {
                    let (name, (_, unit)) = (taker.texts.of(&name), unit::base(unit));
                    metrics.push(Metric { name, unit, value: Some(Value::F64(value)), instances: Box::default() });
                }
            }
            if taker.want.rules != Rules::None && !rule.is_empty() {
                let percent = taker.value(text("Estimated Speedup"), 0, rule, row.line);
                let percent = percent.as_ref().and_then(Value::as_f64).filter(|percent| percent.is_finite());
                let is_global = text("Estimated Speedup Type") == "global";
                let kind = taker.texts.of(kind_of(text("Rule Type")));
                let said = taker.texts.of(text("Rule Description"));
                let message = RuleMessage { kind, title: taker.texts.of(""), text: said };
                add_rule(launch, section, rule, message, percent.map(|percent| Speedup { is_global, percent }));
            }
            continue;
        }
        let known =
            if name.contains("__") { Some(name) } else { named(section, name, launch.device.compute_capability) };
        let metric = taker.texts.of(&known.map_or_else(|| format!("{section}/{name}"), str::to_owned));
        if known.is_none() {
            *unnamed.entry(metric.to_string()).or_default() += 1;
        }
        if section == BY_NAME && taker.want.few > 0 || taker.want.metrics.contains(&metric) {
            let (shift, unit) = unit::base(text("Metric Unit"));
            let value = taker.value(text(VALUE), shift, &metric, row.line);
            metrics.push(Metric { name: metric, unit, value, instances: Box::default() });
        }
    }
    let told = |(row, count)| format!("details row without a known metric: {row} ({count} rows)");
    taker.report.unrecognised_lines.extend(unnamed.into_iter().map(told));
    let dropped = dropped(launches.values().flat_map(|(_, metrics)| metrics));
    for (mut launch, mut metrics) in launches.into_values() {
        metrics.retain(|metric| !dropped.contains(&metric.name));
        launch::finish(&mut launch, metrics);
        taker.report.launches.push(launch);
    }
    taker.report.dropped.extend(dropped);
}

/// Metrics that were asked for by their own name and have a value in no launch: the page prints `n/a` for each.
fn dropped<'a>(metrics: impl Iterator<Item = &'a Metric>) -> BTreeSet<ArcStr> {
    let (valued, empty): (Vec<_>, Vec<_>) = metrics.partition(|metric| metric.value.is_some());
    let held: BTreeSet<&str> = valued.iter().map(|metric| metric.name.as_ref()).collect();
    empty.into_iter().map(|metric| metric.name.clone()).filter(|name| !held.contains(name.as_str())).collect()
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
        result.id.as_str() == rule
            && result.section.as_str() == section
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

type Rows = HashMap<(&'static str, &'static str), Vec<(&'static str, &'static str)>>;

static ROWS: LazyLock<Rows> = LazyLock::new(|| {
    let mut rows = Rows::new();
    for line in include_str!("../../catalog/details_names.tsv").lines().filter(|line| !line.starts_with('#')) {
        let mut cells = line.split('\t');
        if let (Some(section), Some(name), Some(metric)) = (cells.next(), cells.next(), cells.next()) {
            rows.entry((section, name)).or_default().push((metric, cells.next().unwrap_or_default()));
        }
    }
    rows
});

/// The metric that the row `name` of `section` shows on a device of compute capability `cc`; `None` where it is not
/// known, where the capability is not, and below 7.0, whose metrics have other names.
fn named(section: &str, name: &str, cc: Option<(u32, u32)>) -> Option<&'static str> {
    let (major, minor) = cc?;
    let chip = major.checked_mul(10)?.checked_add(minor)?;
    if chip < 70 {
        return None;
    }
    let rows = ROWS.get(&(section, name))?;
    rows.iter().find(|(_, chips)| holds(chips, chip)).map(|(metric, _)| *metric)
}

/// Whether `chips` (`90-100,103`, `86-`, or nothing for all) holds `chip`.
fn holds(chips: &str, chip: u32) -> bool {
    chips.is_empty()
        || chips.split(',').any(|range| {
            let (low, high) = range.split_once('-').unwrap_or((range, range));
            let bound = |text: &str, open: u32| if text.is_empty() { Some(open) } else { text.parse().ok() };
            bound(low, 0).is_some_and(|low| low <= chip) && bound(high, u32::MAX).is_some_and(|high| chip <= high)
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_row_is_well_formed_and_reachable() {
        let lines = include_str!("../../catalog/details_names.tsv").lines().filter(|line| !line.starts_with('#'));
        for line in lines.clone() {
            let cells: Vec<&str> = line.split('\t').collect();
            assert!(
                cells.len() == 4 && cells[2].contains("__") && !cells[0].is_empty() && !cells[1].is_empty(),
                "{line}"
            );
            let reached =
                (70..140).any(|chip| named(cells[0], cells[1], Some((chip / 10, chip % 10))) == Some(cells[2]));
            assert!(reached, "{line}");
        }
        assert_eq!(lines.count(), ROWS.values().map(Vec::len).sum::<usize>());
    }

    #[test]
    fn the_chip_chooses_the_metric() {
        let row = |cc| named("Memory Workload Analysis", "L2 Compression Input Sectors", cc);
        assert_eq!(row(Some((9, 0))), Some("lrc__ilc_input_sectors.sum"));
        assert_eq!(row(Some((8, 6))), Some("lts__gcomp_input_sectors.sum"));
        assert_eq!((row(Some((6, 1))), row(None)), (None, None));
    }
}
