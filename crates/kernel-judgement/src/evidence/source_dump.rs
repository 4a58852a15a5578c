//! Source views as JSON, written as they go.
//!
//! In `metrics` a name that is absent has no instance there: ncu's source page shows 0 for a count and `-` for a code.
//! `lines` holds what an instruction's own line and every line that it was inlined into add up to, so that sums over
//! lines may exceed the kernel's; averages of single instructions are left out there, and codes are united.

use super::SourceLine;
use super::source_view::{Lines, SourceView};
use arcstr::ArcStr;
use serde::ser::{Serialize, Serializer};
use std::io::{self, Write};

/// The schema that [`write_source_json`] writes; its number rises when a field changes its meaning.
pub(crate) const SOURCE_SCHEMA: &str = "kernel-audit/source/1";

/// Writes views as JSON. Errors: those of `out`.
pub fn write_source_json(views: &[SourceView], out: &mut dyn Write) -> io::Result<()> {
    let launches: Vec<_> = views.iter().map(launch).collect();
    serde_json::to_writer(&mut *out, &Views { schema: SOURCE_SCHEMA, launches })?;
    out.write_all(b"\n")
}

#[derive(serde::Serialize)]
struct Views<L> {
    schema: &'static str,
    launches: Vec<L>,
}

#[derive(serde::Serialize)]
struct Launch<'a, U, I, L> {
    id: u32,
    name: &'a str,
    source: &'a Lines,
    unplaced: U,
    instructions: I,
    lines: L,
}

#[derive(serde::Serialize)]
struct Row<'a, M> {
    function: &'a str,
    offset: u64,
    sass: Option<String>,
    file: Option<&'a ArcStr>,
    line: Option<u32>,
    inlined_at: &'a [SourceLine],
    metrics: M,
}

#[derive(serde::Serialize)]
struct Line<'a, M> {
    #[serde(flatten)]
    place: &'a SourceLine,
    metrics: M,
}

/// What an iterator gives, as a list that is made while it is written.
struct List<F>(F);

impl<F: Fn() -> I, I: Iterator<Item: Serialize>> Serialize for List<F> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq((self.0)())
    }
}

/// The same as a map.
struct Map<F>(F);

impl<F: Fn() -> I, I: Iterator<Item = (K, V)>, K: Serialize, V: Serialize> Serialize for Map<F> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map((self.0)())
    }
}

/// The lines of a view, added up when they are written.
struct LineList<'a>(&'a SourceView);

impl Serialize for LineList<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let (view, all) = (self.0, self.0.line_counts());
        serializer.collect_seq(all.iter().map(|line| Line {
            place: &line.place,
            metrics: Map(move || line.values.iter().map(move |(at, value)| (&view.columns[*at].metric, value))),
        }))
    }
}

fn launch(view: &SourceView) -> impl Serialize {
    Launch {
        id: view.launch,
        name: &view.name,
        source: &view.lines,
        unplaced: Map(move || {
            let some = view.columns.iter().filter(|column| column.unplaced > 0);
            some.map(|column| (&column.metric, column.unplaced))
        }),
        instructions: List(move || {
            view.instructions.iter().enumerate().map(move |(at, own)| Row {
                function: &own.function,
                offset: own.offset,
                sass: own.text.as_ref().map(|text| own.with_operands(&text.operands)),
                file: own.places.first().map(|place| &place.file),
                line: own.places.first().map(|place| place.line),
                inlined_at: own.places.get(1..).unwrap_or_default(),
                metrics: Map(move || {
                    view.columns.iter().filter_map(move |column| Some((&column.metric, column.value(at)?)))
                }),
            })
        }),
        lines: LineList(view),
    }
}
