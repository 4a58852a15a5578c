//! Blocks and cells: what the sections are put together from, and tables of readings: old, new, change, and the
//! metric's name at hand.

use super::document::{Align, Block, Cell, Column, Content, Table, Tone};
use crate::analysis::{Audit, Change, Direction, Judgement, Role, Row};
use crate::evidence::{Missing, Reading};
use crate::quantity::{Quantity, Unit, format, format::Scale};
use crate::words::{Words, words};

pub(super) fn text(words: impl Into<Words>) -> Cell {
    Cell::new(words)
}

pub(super) fn strong(words: impl Into<Words>) -> Cell {
    text(words).strong()
}

pub(super) fn code(name: impl Into<String>) -> Cell {
    text(words::code(name))
}

pub(super) fn count(n: u64) -> Cell {
    text(format::integer(n)).sorted(n as f64)
}

pub(super) fn percent(value: f64, decimals: usize) -> Cell {
    text(format!("{} %", format::fixed(value, decimals))).sorted(value)
}

/// A number with its unit, scaled.
pub(super) fn quantity(value: f64, unit: Unit) -> Cell {
    text(Quantity::new(value, unit).map(format::quantity).unwrap_or_default()).sorted(value)
}

/// A reading, or why there is none.
pub(super) fn reading(reading: &Reading) -> Cell {
    text(number(reading)).sorted(reading.value())
}

pub(super) fn left(title: &str) -> Column {
    Column { title: title.into(), align: Align::Left }
}

pub(super) fn right(title: &str) -> Column {
    Column { title: title.into(), align: Align::Right }
}

/// The columns of a table by its head: `Kernel | Time: | Verdict`, where a colon marks numbers.
pub(super) fn columns_of(head: &str) -> Vec<Column> {
    let column = |title: &str| title.strip_suffix(':').map_or_else(|| left(title), right);
    head.split(" | ").map(column).collect()
}

/// What a table has above its rows.
pub(super) trait Head {
    fn columns(self) -> Vec<Column>;
}

impl Head for Vec<Column> {
    fn columns(self) -> Vec<Column> {
        self
    }
}

/// As [`columns_of`] reads it.
impl Head for &str {
    fn columns(self) -> Vec<Column> {
        columns_of(self)
    }
}

impl Head for String {
    fn columns(self) -> Vec<Column> {
        columns_of(&self)
    }
}

pub(super) fn table(name: &str, head: impl Head, rows: impl IntoIterator<Item = Vec<Cell>>) -> Table {
    Table { name: name.into(), caption: Words::default(), columns: head.columns(), rows: rows.into_iter().collect() }
}

/// The same without the columns in which no row says anything; of two sides the one with values tells that the other has none.
pub(super) fn filled(name: &str, head: impl Head, rows: impl IntoIterator<Item = Vec<Cell>>) -> Table {
    let Table { mut columns, mut rows, .. } = table(name, head, rows);
    for at in (0..columns.len()).rev() {
        if rows.iter().all(|row| row[at].words.is_empty()) {
            let (gone, sides) = (columns.remove(at).title, [("Old", "New"), ("New", "Old")]);
            let other = sides.iter().find(|(side, _)| *side == gone).map(|(_, other)| *other);
            let own = columns.iter_mut().filter(|column| Some(column.title.as_str()) == other);
            own.for_each(|column| column.title = format!("{} ({} not collected)", column.title, gone.to_lowercase()));
            rows.iter_mut().for_each(|row| drop(row.remove(at)));
        }
    }
    table(name, columns, rows)
}

/// A sentence in the cell of a table, where names stand as they are.
pub(super) fn sentence(words: &Words) -> Cell {
    text(words.to_plain())
}

pub(super) fn paragraph(name: &str, words: impl Into<Words>) -> Block {
    Block { name: name.into(), content: Content::Paragraph(words.into()) }
}

pub(super) fn heading(name: &str, text: impl Into<String>) -> Block {
    Block { name: name.into(), content: Content::Heading(text.into()) }
}

pub(super) fn list<W: Into<Words>>(name: &str, items: impl IntoIterator<Item = W>) -> Block {
    let items = items.into_iter().map(Into::into).collect();
    Block { name: name.into(), content: Content::List { ordered: false, items } }
}

pub(super) fn steps<W: Into<Words>>(name: &str, items: impl IntoIterator<Item = W>) -> Block {
    let items = items.into_iter().map(Into::into).collect();
    Block { name: name.into(), content: Content::List { ordered: true, items } }
}

pub(super) fn verbatim(name: &str, language: &str, text: impl Into<String>) -> Block {
    Block { name: name.into(), content: Content::Code { language: language.into(), text: text.into() } }
}

/// Blocks behind one line.
pub(super) fn fold(name: &str, summary: impl Into<String>, blocks: Vec<Block>) -> Block {
    Block { name: name.into(), content: Content::Fold { summary: summary.into(), blocks } }
}

pub(super) fn verdict(verdict: crate::analysis::Verdict) -> Cell {
    use crate::analysis::Verdict as V;
    text(verdict.word()).toned(match verdict {
        V::Faster | V::Better => Tone::Good,
        V::Slower | V::Worse | V::Wrong => Tone::Bad,
        V::Ambiguous | V::NotComparable | V::NotMeasured => Tone::Unsure,
        V::Same | V::Moved => Tone::Plain,
    })
}

pub(super) fn judged(judgement: Judgement, role: Role) -> Cell {
    text(judgement.word(role)).toned(match judgement {
        Judgement::Holds => Tone::Good,
        Judgement::Fails => Tone::Bad,
        Judgement::Unclear | Judgement::NotMeasured => Tone::Unsure,
        Judgement::DoesNotApply => Tone::Plain,
    })
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

/// The change: points for percentages, percent for the rest, with better or worse where the metric has a good side.
pub(super) fn change(row: &Row) -> Cell {
    let Some(Change { old, new, direction }) = row.change() else { return Cell::default() };
    let is_percent = row.new.quantity().is_some_and(|q| q.unit() == Unit::PERCENT);
    let amount = if is_percent { format::points(old, new) } else { format::change(old, new) };
    let (old_text, new_text) = sides(row);
    let said = match direction {
        Direction::Same => "=".into(),
        Direction::Moved => amount,
        // What reads the same on both sides is neither.
        _ if old_text == new_text => amount,
        Direction::Better => format!("{amount}, better"),
        Direction::Worse => format!("{amount}, worse"),
    };
    text(said).sorted(if is_percent { new - old } else { 100.0 * (new - old) / old })
}

pub(super) fn source(row: &Row) -> String {
    let names = |reading: &Reading| match reading {
        Reading::Measured(m) => m.from.metrics.iter().map(ToString::to_string).collect::<Vec<_>>().join(", "),
        Reading::Missing(_) => String::new(),
    };
    let new = names(&row.new);
    if !new.is_empty() { new } else { row.old.as_ref().map(names).unwrap_or_default() }
}

pub(super) struct Extra<'a> {
    pub(super) title: &'a str,
    /// Its cell for each row, by position.
    pub(super) cells: Vec<Cell>,
    pub(super) is_number: bool,
}

/// The cells of a row: old, new and change with an old side, else the value.
fn values(row: &Row, has_old: bool) -> Vec<Cell> {
    let (old, new) = sides(row);
    let new = text(new).sorted(row.new.value());
    if !has_old {
        return vec![new];
    }
    let old = text(old).sorted(row.old.as_ref().and_then(Reading::value));
    vec![old, new.strong(), change(row)]
}

/// A table of readings. With an old side: label, old, new, change; without: label, value. Then the extra columns.
pub(super) fn readings(name: &str, head: &str, rows: &[&Row], extra: Vec<Extra<'_>>) -> Table {
    let has_old = rows.iter().any(|row| row.old.is_some());
    let mut columns = vec![left(head)];
    columns.extend(if has_old { vec![right("Old"), right("New"), right("Change")] } else { vec![right("Value")] });
    columns.extend(extra.iter().map(|e| if e.is_number { right(e.title) } else { left(e.title) }));
    let line = |(at, row): (usize, &&Row)| {
        let mut cells = vec![text(row.label.clone())];
        cells.extend(values(row, has_old));
        cells.extend(extra.iter().map(|e| e.cells.get(at).cloned().unwrap_or_default()));
        cells
    };
    table(name, columns, rows.iter().enumerate().map(line))
}

/// A table of readings with the metric's name in the last column.
pub(super) fn metrics(name: &str, rows: &[&Row]) -> Block {
    let names =
        Extra { title: "Metric name", cells: rows.iter().map(|row| code(source(row))).collect(), is_number: false };
    readings(name, "Metric", rows, vec![names]).into()
}

/// Names that a reader sees unfolded.
const FEW: usize = 4;

/// Metric names after their lead, folded when they are many.
pub(super) fn names(name: &str, lead: &str, names: &[impl AsRef<str>]) -> Block {
    let listed = listed(names);
    if names.len() <= FEW {
        return paragraph(name, words!("{}: {}.", lead, listed));
    }
    fold(name, format!("{lead}: {} metrics", names.len()), vec![paragraph(name, words!("{}.", listed))])
}

pub(super) fn listed(names: &[impl AsRef<str>]) -> Words {
    words::join(names.iter().map(|name| words::code(name.as_ref())), ", ")
}

/// Names what was not collected and how to get it, folded when they are many; `None` when everything was. What a full
/// collection lacks is in no section that could be asked for.
pub(super) fn not_collected(audit: &Audit, what: &[String], cure: Words) -> Option<Block> {
    let name = "not-collected";
    let is_full = audit.settings.iter().any(|s| s.id == "metric-set" && s.new.as_deref() == Some("full"));
    let cure =
        if is_full { words!("ncu's full set has no such metric here; `--metrics` collects it by name.") } else { cure };
    match what.len() {
        0 => None,
        1..=FEW => Some(paragraph(name, words!("Not collected: {}. {}", listed(what), cure))),
        many => Some(fold(
            name,
            format!("Not collected: {many} metrics of this section"),
            vec![paragraph(name, words!("{}. {}", listed(what), cure))],
        )),
    }
}
