//! Source views as JSON, written as they go.
//!
//! In `metrics` a name that is absent has no instance there: ncu's source page shows 0 for a count and `-` for a code.
//! `lines` holds what an instruction's own line and every line that it was inlined into add up to, so that sums over
//! lines may exceed the kernel's; averages of single instructions are left out there, and codes are united.

use super::dump::ValueDump;
use super::source_view::{CodeInstruction, LineCounts, SourceView};
use serde::ser::{Serialize, SerializeMap, SerializeSeq, Serializer};
use std::io::{self, Write};

/// The schema that [`write_source_json`] writes; its number rises when a field changes its meaning.
pub const SOURCE_SCHEMA: &str = "kernel-audit/source/1";

/// Writes views as JSON.
///
/// # Errors
/// Those of `out`.
pub fn write_source_json(views: &[SourceView], out: &mut dyn Write) -> io::Result<()> {
    serde_json::to_writer(&mut *out, &Views(views))?;
    out.write_all(b"\n")
}

struct Views<'a>(&'a [SourceView]);

impl Serialize for Views<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(2))?;
        map.serialize_entry("schema", SOURCE_SCHEMA)?;
        map.serialize_entry("launches", &self.0.iter().map(View).collect::<Vec<_>>())?;
        map.end()
    }
}

struct View<'a>(&'a SourceView);

impl Serialize for View<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let view = self.0;
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("id", &view.launch)?;
        map.serialize_entry("name", &view.name)?;
        map.serialize_entry("source", &view.lines)?;
        map.serialize_entry("unplaced", &Unplaced(view))?;
        map.serialize_entry("instructions", &Instructions(view))?;
        map.serialize_entry("lines", &LineList(view))?;
        map.end()
    }
}

struct Unplaced<'a>(&'a SourceView);

impl Serialize for Unplaced<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let some = self.0.columns.iter().filter(|column| column.unplaced > 0);
        serializer.collect_map(some.map(|column| (&column.metric, column.unplaced)))
    }
}

struct Instructions<'a>(&'a SourceView);

impl Serialize for Instructions<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let instructions = &self.0.instructions;
        let mut list = serializer.serialize_seq(Some(instructions.len()))?;
        for (position, instruction) in instructions.iter().enumerate() {
            list.serialize_element(&Row { view: self.0, position, instruction })?;
        }
        list.end()
    }
}

struct Row<'a> {
    view: &'a SourceView,
    position: usize,
    instruction: &'a CodeInstruction,
}

impl Serialize for Row<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let own = self.instruction.places.first();
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("function", &self.instruction.function)?;
        map.serialize_entry("offset", &self.instruction.offset)?;
        map.serialize_entry("sass", &self.instruction.sass)?;
        map.serialize_entry("file", &own.map(|place| &place.file))?;
        map.serialize_entry("line", &own.map(|place| place.line))?;
        map.serialize_entry("inlined_at", self.instruction.places.get(1..).unwrap_or_default())?;
        map.serialize_entry("metrics", &RowMetrics(self))?;
        map.end()
    }
}

struct RowMetrics<'a>(&'a Row<'a>);

impl Serialize for RowMetrics<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let columns = self.0.view.columns.iter();
        let values =
            columns.filter_map(|column| Some((&column.metric, ValueDump(Some(column.value(self.0.position)?)))));
        serializer.collect_map(values)
    }
}

struct LineList<'a>(&'a SourceView);

impl Serialize for LineList<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.0.line_counts().iter().map(|line| Line { view: self.0, line }))
    }
}

struct Line<'a> {
    view: &'a SourceView,
    line: &'a LineCounts,
}

impl Serialize for Line<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(3))?;
        map.serialize_entry("file", &self.line.place.file)?;
        map.serialize_entry("line", &self.line.place.line)?;
        map.serialize_entry("metrics", &LineMetrics(self))?;
        map.end()
    }
}

struct LineMetrics<'a>(&'a Line<'a>);

impl Serialize for LineMetrics<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let values = self.0.line.values.iter();
        serializer.collect_map(values.map(|(at, value)| (&self.0.view.columns[*at].metric, ValueDump(Some(value)))))
    }
}
