//! The raw page: one column per metric, a row of units, one row per launch.

use super::number::{Locale, Number};
use super::table::{Table, Taker};
use super::{launch, unit};
use crate::evidence::{Instance, Metric, Value};
use crate::quantity::Unit;
use arcstr::ArcStr;

/// Reads the rows of a table of the text.
pub(super) fn take(taker: &mut Taker<'_>, table: &Table, text: &str) {
    let (header, columns, want) = (&table.header, &table.columns, taker.want);
    let is_all = want.wants_all(columns.metrics.iter().map(|at| &*header[*at]));
    let wanted = columns.metrics.iter().copied().filter(|at| is_all || want.metrics.contains(&header[*at]));
    let mut metrics: Vec<Column> = wanted
        .map(|at| Column {
            at,
            name: ArcStr::from(&*header[at]),
            shift: 0,
            unit: Unit::NONE,
            instances: want.instances.contains(&header[at]) || want.has_first_instances(&header[at]),
        })
        .collect();
    for row in &table.rows {
        if row.id.is_some_and(|id| taker.rows.is_some_and(|rows| !rows.contains(&id))) {
            continue;
        }
        let cells = table.cells(row, text);
        if let Some(id) = row.id {
            let mut launch = columns.launch(&cells, id, &mut taker.texts);
            let found = metrics.iter().filter_map(|column| column.metric(&cells[column.at], row.line, taker)).collect();
            launch::finish(&mut launch, found);
            taker.report.launches.push(launch);
        } else if cells.len() == header.len()
            && cells.iter().enumerate().all(|(at, cell)| cell.is_empty() || columns.metrics.contains(&at))
        {
            for column in &mut metrics {
                (column.shift, column.unit) = unit::base(&cells[column.at]);
            }
        } else {
            taker.unrecognised(row.line, &cells);
        }
    }
}

struct Column {
    at: usize,
    name: ArcStr,
    shift: i32,
    unit: Unit,
    instances: bool,
}

impl Column {
    /// The metric of a cell; `None` where the cell is empty, which is how ncu prints a metric that the launch lacks.
    fn metric(&self, cell: &str, line: u64, taker: &mut Taker<'_>) -> Option<Metric> {
        if cell.trim().is_empty() {
            return None;
        }
        let (aggregate, items) = split_instances(&self.name, cell, taker.locale);
        let mut read = |text: &str| taker.value(text, self.shift, &self.name, line);
        let value = read(aggregate);
        let instances = items.filter(|_| self.instances).unwrap_or_default().into_iter();
        let instances = instances.filter_map(|(id, text)| Some(Instance { id, value: read(text)? })).collect();
        Some(Metric { name: self.name.clone(), unit: self.unit, value, instances })
    }
}

type Items<'a> = Vec<(Value, &'a str)>;

/// Splits `12 (1; 2; 3)`, as `--print-metric-instances` prints it, into the aggregate and its instances.
///
/// `values` prints no ids: an instance then has its position as the text `#0`, which no one can take for an address.
/// `details` prints `id: value`.
fn split_instances<'a>(name: &str, cell: &'a str, locale: Locale) -> (&'a str, Option<Items<'a>>) {
    let whole = (cell, None);
    let Some((aggregate, list)) = cell.trim_end().strip_suffix(')').and_then(|cell| cell.split_once('(')) else {
        return whole;
    };
    let aggregate = aggregate.trim();
    let counts = aggregate.is_empty() || !matches!(locale.number(aggregate), Number::Text) || aggregate == "no data";
    if !(counts || name.starts_with("launch__")) {
        return whole;
    }
    let items: Vec<&str> = list.split(';').map(str::trim).filter(|item| !item.is_empty()).collect();
    let named: Option<Items<'_>> = items
        .iter()
        .map(|item| {
            let (id, value) = item.split_once(": ")?;
            Some((id.parse().map_or_else(|_| Value::Text(id.into()), Value::U64), value))
        })
        .collect();
    let by_position =
        || items.iter().enumerate().map(|(at, item)| (Value::Text(format!("#{at}").into()), *item)).collect();
    (aggregate, Some(named.unwrap_or_else(by_position)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn split(name: &str, cell: &str) -> (String, Vec<(Value, String)>) {
        let (aggregate, items) = split_instances(name, cell, Locale::default());
        let items = items.unwrap_or_default().into_iter().map(|(id, value)| (id, value.to_owned())).collect();
        (aggregate.to_owned(), items)
    }

    #[test]
    fn instances_are_taken_off_numbers_and_launch_facts_only() {
        let position = |at: &str| Value::Text(at.into());
        assert_eq!(
            split("inst_executed", "1,024 (512; 512)"),
            ("1,024".into(), vec![(position("#0"), "512".into()), (position("#1"), "512".into())])
        );
        assert_eq!(split("x", "3 (16: 1; 32: 2)").1, [(Value::U64(16), "1".into()), (Value::U64(32), "2".into())]);
        assert_eq!(split("launch__kernel_name", "(a; b)").1.len(), 2);
        let name = "device__attribute_display_name";
        assert_eq!(split(name, "Tesla T4 (rev 2)"), ("Tesla T4 (rev 2)".into(), vec![]));
    }
}
