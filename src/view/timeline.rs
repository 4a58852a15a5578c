//! A timeline in words: kernels by time, how busy the GPU was, copies, calls, and what follows.

use super::document::{Block, Cell, Document, Section, Table};
use super::escape;
use super::tables::{code, left, paragraph, right, text};
use crate::analysis::{Answer, ApiClass, ApiRow, DeviceTime, KernelShare, Part, TimelineAudit, ToProfile, Transfer};
use crate::quantity::{Quantity, Unit, format};

/// Rows that a table shows; the rest is said in one line.
const MOST: usize = 20;

/// The document of a timeline; `title` names its files.
pub fn timeline_document(title: &str, audit: &TimelineAudit) -> Document {
    let section = |id: &str, title: &str, blocks| Section { id: id.into(), title: title.into(), blocks };
    let mut sections = vec![
        section("kernels", "Kernels by time", part(&audit.kernels, |rows| kernels(rows))),
        section("gpu-time", "The GPU's time", part(&audit.devices, |rows| devices(rows))),
        section("transfers", "Copies and fills", part(&audit.transfers, |rows| transfers(rows))),
        section("calls", "Allocations, synchronisations and launches", part(&audit.calls, |rows| calls(rows))),
        section("decisions", "What follows", decisions(audit)),
    ];
    if !audit.next.is_empty() {
        sections.push(section("next", "Profile next", audit.next.iter().flat_map(next).collect()));
    }
    if !audit.notes.is_empty() {
        let items = audit.notes.iter().map(|note| escape::text(note)).collect();
        sections.push(section("notes", "Notes", vec![Block::List { ordered: false, items }]));
    }
    Document { title: title.to_owned(), lead: Vec::new(), sections }
}

fn part<T>(part: &Part<T>, blocks: impl Fn(&T) -> Vec<Block>) -> Vec<Block> {
    match part {
        Part::Found(found) => blocks(found),
        Part::Missing(why) => vec![paragraph(format!("Not measured: the files hold {}.", escape::text(why)))],
    }
}

fn quantity(value: f64, unit: Unit) -> String {
    Quantity::new(value, unit).map_or_else(String::new, format::quantity)
}

fn time(ns: f64) -> String {
    quantity(ns, Unit::NS)
}

fn percent(value: f64) -> String {
    quantity(value, Unit::PERCENT)
}

fn maybe(value: Option<f64>, unit: Unit) -> Cell {
    text(value.map_or_else(|| "not measured".to_owned(), |value| quantity(value, unit)))
}

fn table(id: &str, caption: String, columns: Vec<super::Column>, rows: Vec<Vec<Cell>>) -> Block {
    Block::Table { table: Table { id: id.into(), caption, columns, rows } }
}

fn kernels(rows: &[KernelShare]) -> Vec<Block> {
    let total: f64 = rows.iter().map(|row| row.totals.total_ns).sum();
    let count: u64 = rows.iter().map(|row| row.totals.count).sum();
    let caption = format!("{} kernels, {} launches, {} in sum.", rows.len(), format::integer(count), time(total));
    let columns = ["Time", "Total", "Launches", "Median", "Min", "Max"].map(right).into_iter();
    let cells = |row: &KernelShare| {
        vec![
            code(row.totals.name.clone()),
            text(percent(row.share_percent)),
            text(time(row.totals.total_ns)),
            text(format::integer(row.totals.count)),
            maybe(row.totals.median_ns, Unit::NS),
            maybe(row.totals.min_ns, Unit::NS),
            maybe(row.totals.max_ns, Unit::NS),
        ]
    };
    let shown = rows.iter().take(MOST).map(cells).collect();
    let mut blocks = vec![table("kernels", caption, [left("Kernel")].into_iter().chain(columns).collect(), shown)];
    if let Some(rest) = rows.get(MOST..).filter(|rest| !rest.is_empty()) {
        let share: f64 = rest.iter().map(|row| row.share_percent).sum();
        blocks.push(paragraph(format!(
            "{} more kernels took {} of the time; --json lists them.",
            rest.len(),
            percent(share)
        )));
    }
    blocks
}

fn devices(rows: &[DeviceTime]) -> Vec<Block> {
    let mut blocks = Vec::new();
    for row in rows {
        let device = if row.device.is_empty() { "The GPU".to_owned() } else { escape::text(&row.device) };
        let part = |ns: f64| {
            format!("{} ({})", time(ns), percent(if row.span_ns > 0.0 { 100.0 * ns / row.span_ns } else { 0.0 }))
        };
        blocks.push(paragraph(format!(
            "{device} was busy for {} of {}, from its first to its last piece of work: kernels {}, only copies or fills {}, \
             idle {}.",
            percent(row.busy_percent),
            time(row.span_ns),
            part(row.kernel_ns),
            part(row.memory_only_ns),
            part(row.idle_ns)
        )));
        let gaps = &row.gaps;
        blocks.push(paragraph(match &gaps.largest {
            None => "No gap between two kernels.".to_owned(),
            Some(largest) => format!(
                "Gaps between kernels: {}, {} in sum, {} of it filled by copies or fills. The largest, {}, comes {} after \
                 the start, between {} and {}.",
                format::integer(gaps.count),
                time(gaps.total_ns),
                time(gaps.memory_ns),
                time(largest.ns),
                time(largest.at_ns),
                escape::code(&largest.after),
                escape::code(&largest.before)
            ),
        }));
    }
    blocks
}

fn transfers(rows: &[Transfer]) -> Vec<Block> {
    let columns = ["Count", "Total", "Size", "Rate"].map(right).into_iter();
    let cells = |row: &Transfer| {
        vec![
            text(row.name.clone()),
            text(format::integer(row.count)),
            maybe(row.total_ns, Unit::NS),
            maybe(row.total_bytes, Unit::BYTE),
            maybe(row.bytes_per_second, Unit::BYTE_PER_SECOND),
        ]
    };
    let caption = "Rate is size over time.".to_owned();
    vec![table(
        "transfers",
        caption,
        [left("Operation")].into_iter().chain(columns).collect(),
        rows.iter().map(cells).collect(),
    )]
}

fn calls(rows: &[ApiRow]) -> Vec<Block> {
    let shown: Vec<&ApiRow> = rows.iter().filter(|row| class(row.class).is_some()).collect();
    if shown.is_empty() {
        return vec![paragraph("None among the calls that were recorded.")];
    }
    let cells = |row: &&ApiRow| {
        vec![
            code(row.totals.name.clone()),
            text(class(row.class).unwrap_or_default()),
            text(format::integer(row.totals.count)),
            text(time(row.totals.total_ns)),
            maybe(row.totals.median_ns, Unit::NS),
            maybe(row.totals.max_ns, Unit::NS),
        ]
    };
    let columns = ["Calls", "Total", "Median", "Max"].map(right).into_iter();
    let columns = [left("Function"), left("What it does")].into_iter().chain(columns).collect();
    let caption = "Time on the CPU, inside the call.".to_owned();
    vec![table("calls", caption, columns, shown.iter().take(MOST).map(cells).collect())]
}

fn class(class: ApiClass) -> Option<&'static str> {
    match class {
        ApiClass::Allocation => Some("allocates or frees"),
        ApiClass::Synchronisation => Some("waits for the GPU"),
        ApiClass::Launch => Some("launches"),
        ApiClass::Transfer | ApiClass::Other => None,
    }
}

fn decisions(audit: &TimelineAudit) -> Vec<Block> {
    let item = |one: &crate::analysis::Decision| {
        let (answer, advice) = match one.answer {
            Answer::Yes => ("yes", one.advice),
            Answer::No => ("no", ""),
            Answer::NotMeasured => ("NOT MEASURED", ""),
        };
        format!("{} **{answer}**: {}. {advice}", one.question, escape::text(&one.because)).trim_end().to_owned()
    };
    vec![Block::List { ordered: true, items: audit.decisions.iter().map(item).collect() }]
}

fn next(one: &ToProfile) -> Vec<Block> {
    let skip = match one.skip {
        0 => String::new(),
        1 => ", and pass over 1 launch".to_owned(),
        many => format!(", and pass over {} launches", format::integer(many)),
    };
    let entry = format!("kernel = {}", toml_text(&one.filter));
    let entry = if one.skip > 0 { format!("{entry}\n\n[subject.collect]\nskip = {}", one.skip) } else { entry };
    vec![
        paragraph(format!(
            "{}: {} of the kernels' time. Filter by its function{skip}: {}.",
            escape::code(&one.name),
            percent(one.share_percent),
            escape::text(&one.skip_because)
        )),
        paragraph("In its `[[subject]]` of audit.toml, for `audit collect NAME`:"),
        Block::Code { language: "toml".into(), text: entry },
        paragraph("Or by hand:"),
        Block::Code { language: "sh".into(), text: one.ncu.clone() },
    ]
}

/// A string of TOML: literal where it can be, because a regular expression has backslashes.
fn toml_text(text: &str) -> String {
    if text.contains('\'') { format!("{text:?}") } else { format!("'{text}'") }
}
