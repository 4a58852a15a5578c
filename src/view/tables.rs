//! Tables of readings: old, new, change, and the metric's name at hand.

use super::document::{Align, Block, Cell, Column, Table};
use super::escape;
use crate::analysis::{Audit, Change, Direction, Row};
use crate::evidence::{Missing, Reading};
use crate::quantity::{Unit, format, format::Scale};

/// Plain text.
pub(super) fn text(text: impl Into<String>) -> Cell {
    Cell { text: text.into(), ..Cell::default() }
}

/// A sentence, whose marks of code a cell does not show.
pub(super) fn words(sentence: &str) -> Cell {
    text(sentence.replace('`', ""))
}

/// Text in bold.
pub(super) fn strong(text: impl Into<String>) -> Cell {
    Cell { text: text.into(), strong: true, code: false }
}

/// A name as code.
pub(super) fn code(text: impl Into<String>) -> Cell {
    Cell { text: text.into(), strong: false, code: true }
}

/// A column of words.
pub(super) fn left(title: &str) -> Column {
    Column { title: title.into(), align: Align::Left }
}

/// A column of numbers.
pub(super) fn right(title: &str) -> Column {
    Column { title: title.into(), align: Align::Right }
}

/// A paragraph.
pub(super) fn paragraph(text: impl Into<String>) -> Block {
    Block::Text { text: text.into() }
}

/// What a cell says of a reading without a number.
pub(super) fn absence(reading: &Reading) -> String {
    match reading {
        Reading::Measured(_) => String::new(),
        Reading::Missing(Missing::NotCollected { why, .. }) if why.is_empty() => "not collected".into(),
        Reading::Missing(Missing::NotCollected { why, .. }) => format!("not measured: {why}"),
        Reading::Missing(Missing::NotApplicable { why }) => format!("n/a: {why}"),
    }
}

/// The scales of the two sides of a row: one for both, unless they are so far apart that the smaller would lose digits.
fn scales(row: &Row) -> (Option<Scale>, Option<Scale>) {
    let quantity = |reading: &Reading| reading.quantity();
    let (new, old) = (quantity(&row.new), row.old.as_ref().and_then(quantity));
    let own = |q: Option<crate::quantity::Quantity>| q.map(|q| Scale::of(q.unit(), [q.value()]));
    let (Some(a), Some(b)) = (new, old) else { return (own(new), own(old)) };
    let (small, large) = (a.value().abs().min(b.value().abs()), a.value().abs().max(b.value().abs()));
    if a.unit() != b.unit() || (small > 0.0 && large / small > 10.0) {
        return (own(new), own(old));
    }
    let shared = Scale::of(a.unit(), [a.value(), b.value()]);
    (Some(shared.clone()), Some(shared))
}

/// A reading with its spread, in a given scale.
fn written(reading: &Reading, scale: Option<&Scale>) -> String {
    let (Reading::Measured(measured), Some(scale)) = (reading, scale) else { return absence(reading) };
    let value = scale.write(measured.quantity.value());
    match measured.spread {
        Some(s) if s.min != s.max => {
            format!("{value} ({}–{}, n={})", scale.write_bare(s.min), scale.write_bare(s.max), s.count)
        }
        Some(_) | None => value,
    }
}

/// The old and the new side of a row as text; the old is empty when there is no old side.
pub(super) fn sides(row: &Row) -> (String, String) {
    let (new_scale, old_scale) = scales(row);
    let old = row.old.as_ref().map(|old| written(old, old_scale.as_ref())).unwrap_or_default();
    (old, written(&row.new, new_scale.as_ref()))
}

/// The new side alone, in its own scale and without spread.
pub(super) fn number(reading: &Reading) -> String {
    reading.quantity().map_or_else(|| absence(reading), format::quantity)
}

/// The change as text: points for percentages, percent for the rest, with better or worse where the metric has a good side.
pub(super) fn change(row: &Row) -> String {
    let Some(Change { old, new, direction }) = row.change() else { return String::new() };
    let is_percent = row.new.quantity().is_some_and(|q| q.unit() == Unit::PERCENT);
    let amount = if is_percent { format::points(old, new) } else { format::change(old, new) };
    let (old_text, new_text) = sides(row);
    match direction {
        Direction::Same => "=".into(),
        Direction::Moved => amount,
        // Shared memory that the old side did not use at all is another way to work, not a loss.
        _ if old == 0.0 && row.id.contains("shared") => amount,
        // What reads the same on both sides is neither.
        _ if old_text == new_text => amount,
        Direction::Better => format!("{amount}, better"),
        Direction::Worse => format!("{amount}, worse"),
    }
}

/// The metric names that a reading rests on.
pub(super) fn source(row: &Row) -> String {
    let names = |reading: &Reading| match reading {
        Reading::Measured(m) => m.from.metrics.iter().map(ToString::to_string).collect::<Vec<_>>().join(", "),
        Reading::Missing(_) => String::new(),
    };
    let new = names(&row.new);
    if !new.is_empty() { new } else { row.old.as_ref().map(names).unwrap_or_default() }
}

/// Extra columns of a table of readings.
pub(super) struct Extra<'a> {
    /// The column's title.
    pub(super) title: &'a str,
    /// Its cell for each row, by position.
    pub(super) cells: Vec<Cell>,
    /// Whether it holds numbers.
    pub(super) is_number: bool,
}

/// A table of readings. With an old side: label, old, new, change; without: label, value. Then the extra columns.
pub(super) fn readings(id: &str, caption: &str, head: &str, rows: &[&Row], extra: Vec<Extra<'_>>) -> Table {
    let has_old = rows.iter().any(|row| row.old.is_some());
    let mut columns = vec![left(head)];
    columns.extend(if has_old { vec![right("Old"), right("New"), right("Change")] } else { vec![right("Value")] });
    columns.extend(extra.iter().map(|e| if e.is_number { right(e.title) } else { left(e.title) }));
    let line = |(at, row): (usize, &&Row)| {
        let (old, new) = sides(row);
        let mut cells = vec![text(row.label.clone())];
        cells.extend(if has_old { vec![text(old), strong(new), text(change(row))] } else { vec![text(new)] });
        cells.extend(extra.iter().map(|e| e.cells.get(at).cloned().unwrap_or_default()));
        cells
    };
    let rows = rows.iter().enumerate().map(line).collect();
    Table { id: id.into(), caption: caption.into(), columns, rows }
}

/// A table of readings with the metric's name in the last column.
pub(super) fn metrics(id: &str, caption: &str, rows: &[&Row]) -> Table {
    let names =
        Extra { title: "Metric name", cells: rows.iter().map(|row| code(source(row))).collect(), is_number: false };
    readings(id, caption, "Metric", rows, vec![names])
}

/// Names that a reader sees unfolded.
const FEW: usize = 4;

/// Metric names after their lead, folded when they are many.
pub(super) fn names(lead: &str, names: &[impl AsRef<str>]) -> Block {
    let listed = names.iter().map(|name| escape::code(name.as_ref())).collect::<Vec<_>>().join(", ");
    if names.len() <= FEW {
        return paragraph(format!("{lead}: {listed}."));
    }
    Block::Fold { summary: format!("{lead}: {} metrics", names.len()), blocks: vec![paragraph(format!("{listed}."))] }
}

/// Names what was not collected and how to get it, folded when they are many; `None` when everything was. What a full
/// collection lacks is in no section that could be asked for.
pub(super) fn not_collected(audit: &Audit, what: &[String], cure: &str) -> Option<Block> {
    let is_full = audit.settings.iter().any(|s| s.id == "metric-set" && s.new.as_deref() == Some("full"));
    let cure = if is_full { "ncu's full set has no such metric here; `--metrics` asks by name." } else { cure };
    let names = what.iter().map(|name| escape::code(name)).collect::<Vec<_>>().join(", ");
    match what.len() {
        0 => None,
        1..=FEW => Some(paragraph(format!("Not collected: {names}. {cure}"))),
        many => Some(Block::Fold {
            summary: format!("Not collected: {many} metrics of this section"),
            blocks: vec![paragraph(format!("{names}. {cure}"))],
        }),
    }
}
