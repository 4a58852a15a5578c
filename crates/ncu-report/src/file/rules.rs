//! What NVIDIA's rules said, one entry for each item with something to say, as NVIDIA's own list has them.

use super::message::{RuleColumn, RuleItem, RuleResult as StoredRule};
use crate::bounds::RULE_CELLS;
use crate::{FocusMetric, RuleMessage, RuleResult, RuleTable, Speedup};
use arcstr::ArcStr;
use cuda_binary::text::Texts;

/// The entries of one rule; none when it said nothing. `fault` is told what was left out.
pub(super) fn entries(rule: &StoredRule, texts: &mut Texts, mut fault: impl FnMut(String)) -> Vec<RuleResult> {
    let items = rule.body.iter().flat_map(|body| &body.items);
    let mut entries = Vec::new();
    for item in items.filter(|item| item.message.is_some() || item.source_table.is_some() || !item.tables.is_empty()) {
        entries.push(RuleResult {
            id: texts.of_field(rule.id.as_ref()),
            name: texts.of_field(rule.name.as_ref()),
            section: texts.of_field(rule.section.as_ref()),
            messages: messages(item, texts),
            speedup: item.speedup.as_ref().map(|speedup| Speedup {
                is_global: speedup.kind == Some(2),
                percent: speedup.percent.unwrap_or(f64::NAN),
            }),
            focus: focus(item, texts),
            tables: tables(item, texts, &mut fault),
        });
    }
    entries
}

/// The word for a number of the format; the number itself when it has none.
fn word(number: Option<i32>, words: &[&str], texts: &mut Texts) -> ArcStr {
    let number = number.unwrap_or(0);
    match usize::try_from(number).ok().and_then(|at| words.get(at)) {
        Some(word) => texts.of(word),
        None => texts.of(&number.to_string()),
    }
}

fn messages(item: &RuleItem, texts: &mut Texts) -> Vec<RuleMessage> {
    let message = item.message.iter().map(|message| RuleMessage {
        kind: word(message.kind, &["none", "ok", "warning", "error", "optimization"], texts),
        title: texts.of_field(message.title.as_ref()),
        text: texts.of_field(message.text.as_ref()),
    });
    message.collect()
}

fn focus(item: &RuleItem, texts: &mut Texts) -> Vec<FocusMetric> {
    let metric = item.focus.iter().map(|focus| FocusMetric {
        metric: texts.of_field(focus.metric.as_ref()),
        value: focus.value.unwrap_or(f64::NAN),
        severity: word(focus.severity, &["default", "low", "high"], texts),
        info: texts.of_field(focus.info.as_ref()),
    });
    metric.collect()
}

/// Tables with cells, and the tables of source positions, which name their metrics and have no cells.
fn tables(item: &RuleItem, texts: &mut Texts, fault: &mut impl FnMut(String)) -> Vec<RuleTable> {
    let mut tables = Vec::new();
    for table in &item.tables {
        let config = table.config.clone().unwrap_or_default();
        let columns: Vec<Vec<ArcStr>> = table.columns.iter().map(|column| cells(column, texts)).collect();
        let height = columns.iter().map(Vec::len).max().unwrap_or(0);
        let (filled, stored) = (height.saturating_mul(columns.len()), columns.iter().map(Vec::len).sum::<usize>());
        if filled > RULE_CELLS.max(2 * stored) {
            fault(format!("{} columns of up to {height} cells, which hold {stored} cells", columns.len()));
            continue;
        }
        let cell = |column: &Vec<ArcStr>, row: usize, texts: &mut Texts| {
            column.get(row).cloned().unwrap_or_else(|| texts.of(""))
        };
        tables.push(RuleTable {
            title: texts.of_field(config.title.as_ref()),
            description: texts.of_field(config.description.as_ref()),
            columns: table.columns.iter().map(|column| texts.of_field(column.name.as_ref())).collect(),
            rows: (0..height).map(|row| columns.iter().map(|column| cell(column, row, texts)).collect()).collect(),
        });
    }
    if let Some(table) = &item.source_table {
        tables.push(RuleTable {
            title: texts.of_field(table.label.as_ref()),
            description: texts.of_field(table.description.as_ref()),
            columns: table.metrics.iter().map(|metric| texts.of_field(metric.name.as_ref())).collect(),
            rows: Vec::new(),
        });
    }
    tables
}

/// The cells of a column; one of the three lists is filled.
fn cells(column: &RuleColumn, texts: &mut Texts) -> Vec<ArcStr> {
    let strings = column.strings.iter().map(|text| String::from_utf8_lossy(text).into_owned());
    let doubles = column.doubles.iter().map(ToString::to_string);
    let integers = column.integers.iter().map(ToString::to_string);
    strings.chain(doubles).chain(integers).map(|text| texts.of(&text)).collect()
}
