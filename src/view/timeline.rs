//! A timeline in words: kernels by time, how busy the GPU was, copies, calls, and what follows.

use super::document::{Block, Cell, Document, Section, Table};
use super::tables::{self, code, count, list, paragraph, steps, text, verbatim};
use crate::analysis::{
    ApiClass, ApiRow, DeviceTime, Judgement, KernelShare, Part, Role, TimelineAudit, ToProfile, Transfer,
};
use crate::evidence::Origin;
use crate::quantity::{Quantity, Unit, format};
use crate::words;

/// Rows that a table shows; the rest is said in one line.
const MOST: usize = 20;

/// The document of a timeline; `title` names its files.
pub(crate) fn timeline_document(title: &str, audit: &TimelineAudit) -> Document {
    let mut sections = vec![
        Section::new("kernels", "Kernels by time", part(&audit.kernels, |rows| kernels(rows))),
        Section::new("gpu-time", "The GPU's time", part(&audit.devices, |rows| devices(rows))),
        Section::new("transfers", "Copies and fills", part(&audit.transfers, |rows| transfers(rows))),
        Section::new("calls", "Allocations, synchronisations and launches", part(&audit.calls, |rows| calls(rows))),
        Section::new("decisions", "What follows", decisions(audit)),
    ];
    if !audit.next.is_empty() {
        sections.push(Section::new("next", "Profile next", audit.next.iter().flat_map(next).collect()));
    }
    if !audit.notes.is_empty() {
        sections.push(Section::new("notes", "Notes", vec![list("notes", &audit.notes)]));
    }
    Document { title: title.to_owned(), sections, ..Document::default() }
}

/// The page of a program: the same, with the date, the files with their hashes, and the command that makes it again.
pub(crate) fn timeline_page(
    title: &str,
    date: &str,
    files: &[Origin],
    command: &str,
    audit: &TimelineAudit,
) -> Document {
    let mut document = timeline_document(&format!("Timeline: {title}"), audit);
    let cells = |file: &Origin| vec![code(file.path.clone()), count(file.bytes), code(file.blake3.clone())];
    let rows = files.iter().map(cells);
    let blocks = vec![
        paragraph("date", words!("Written on {} from what Nsight Systems recorded.", date)),
        table("files", "What was read.".to_owned(), "File | Bytes: | BLAKE3", rows),
        verbatim("command", "sh", command),
    ];
    document.sections.push(Section::new("provenance", "Where this comes from", blocks));
    document
}

fn part<T>(part: &Part<T>, blocks: impl Fn(&T) -> Vec<Block>) -> Vec<Block> {
    match part {
        Part::Found(found) => blocks(found),
        Part::Missing(why) => vec![paragraph("missing", words!("Not measured: the files hold {}.", why))],
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
    value.map_or_else(|| text("not measured"), |value| tables::quantity(value, unit))
}

fn table(name: &str, caption: String, head: &str, rows: impl IntoIterator<Item = Vec<Cell>>) -> Block {
    Table { caption: caption.into(), ..tables::table(name, head, rows) }.into()
}

fn kernels(rows: &[KernelShare]) -> Vec<Block> {
    let total: f64 = rows.iter().map(|row| row.totals.total_ns).sum();
    let launches: u64 = rows.iter().map(|row| row.totals.count).sum();
    let caption = format!("{} kernels, {} launches, {} in sum.", rows.len(), format::integer(launches), time(total));
    let cells = |row: &KernelShare| {
        vec![
            code(row.totals.name.clone()),
            tables::quantity(row.share_percent, Unit::PERCENT),
            tables::quantity(row.totals.total_ns, Unit::NS),
            count(row.totals.count),
            maybe(row.totals.median_ns, Unit::NS),
            maybe(row.totals.min_ns, Unit::NS),
            maybe(row.totals.max_ns, Unit::NS),
        ]
    };
    let shown = rows.iter().take(MOST).map(cells);
    let mut blocks =
        vec![table("kernels", caption, "Kernel | Time: | Total: | Launches: | Median: | Min: | Max:", shown)];
    if let Some(rest) = rows.get(MOST..).filter(|rest| !rest.is_empty()) {
        let share: f64 = rest.iter().map(|row| row.share_percent).sum();
        let words = words!("{} more kernels took {} of the time; --json lists them.", rest.len(), percent(share));
        blocks.push(paragraph("rest", words));
    }
    blocks
}

fn devices(rows: &[DeviceTime]) -> Vec<Block> {
    let mut blocks = Vec::new();
    for row in rows {
        let device = if row.device.is_empty() { "The GPU" } else { &row.device };
        let part = |ns: f64| {
            format!("{} ({})", time(ns), percent(if row.span_ns > 0.0 { 100.0 * ns / row.span_ns } else { 0.0 }))
        };
        let words = words!(
            "{} was busy for {} of {}, from its first to its last piece of work: kernels {}, only copies or fills {}, \
             idle {}.",
            device,
            percent(row.busy_percent),
            time(row.span_ns),
            part(row.kernel_ns),
            part(row.memory_only_ns),
            part(row.idle_ns)
        );
        blocks.push(paragraph("busy", words));
        let gaps = &row.gaps;
        let words = match &gaps.largest {
            None => words!("No gap between two kernels."),
            Some(largest) => words!(
                "Gaps between kernels: {}, {} in sum, {} of it filled by copies or fills. The largest, {}, comes {} after \
                 the start, between `{}` and `{}`.",
                format::integer(gaps.count),
                time(gaps.total_ns),
                time(gaps.memory_ns),
                time(largest.ns),
                time(largest.at_ns),
                &largest.after,
                &largest.before
            ),
        };
        blocks.push(paragraph("gaps", words));
    }
    blocks
}

fn transfers(rows: &[Transfer]) -> Vec<Block> {
    let cells = |row: &Transfer| {
        vec![
            text(row.name.clone()),
            count(row.count),
            maybe(row.total_ns, Unit::NS),
            maybe(row.total_bytes, Unit::BYTE),
            maybe(row.bytes_per_second, Unit::BYTE_PER_SECOND),
        ]
    };
    let caption = "Rate is size over time.".to_owned();
    vec![table("transfers", caption, "Operation | Count: | Total: | Size: | Rate:", rows.iter().map(cells))]
}

fn calls(rows: &[ApiRow]) -> Vec<Block> {
    let shown: Vec<&ApiRow> = rows.iter().filter(|row| class(row.class).is_some()).collect();
    if shown.is_empty() {
        return vec![paragraph("calls", "None among the calls that were recorded.")];
    }
    let cells = |row: &&ApiRow| {
        vec![
            code(row.totals.name.clone()),
            text(class(row.class).unwrap_or_default()),
            count(row.totals.count),
            tables::quantity(row.totals.total_ns, Unit::NS),
            maybe(row.totals.median_ns, Unit::NS),
            maybe(row.totals.max_ns, Unit::NS),
        ]
    };
    let caption = "Time on the CPU, inside the call.".to_owned();
    vec![table(
        "calls",
        caption,
        "Function | What it does | Calls: | Total: | Median: | Max:",
        shown.iter().take(MOST).map(cells),
    )]
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
        let advice = if one.answer == Judgement::Holds { one.advice } else { "" };
        words!("{} **{}**: {}. {}", one.question, one.answer.word(Role::Question), one.because.say(), advice)
    };
    vec![steps("decisions", audit.decisions.iter().map(item))]
}

fn next(one: &ToProfile) -> Vec<Block> {
    let skip = match one.skip {
        0 => String::new(),
        1 => ", and pass over 1 launch".to_owned(),
        many => format!(", and pass over {} launches", format::integer(many)),
    };
    // Literal where it can be: a regular expression has backslashes.
    let filter = &one.filter;
    let entry = if filter.contains('\'') { format!("kernel = {filter:?}") } else { format!("kernel = '{filter}'") };
    let entry = if one.skip > 0 { format!("{entry}\n\n[subject.collect]\nskip = {}", one.skip) } else { entry };
    vec![
        paragraph(
            "kernel",
            words!(
                "`{}`: {} of the kernels' time. Filter by its function{}: {}.",
                &one.name,
                percent(one.share_percent),
                skip,
                ToProfile::say(one.typical_ns)
            ),
        ),
        paragraph("config", words!("In its `[[subject]]` of audit.toml, for `audit collect NAME`:")),
        verbatim("config", "toml", entry),
        paragraph("by-hand", "Or by hand:"),
        verbatim("by-hand", "sh", &one.ncu),
    ]
}
