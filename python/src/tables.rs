//! The tables of a report: what each holds, column by column.

use arrow_array::builder::{
    BinaryBuilder, Float64Builder, ListBuilder, StringBuilder, StringDictionaryBuilder, UInt32Builder, UInt64Builder,
};
use arrow_array::types::Int32Type;
use arrow_array::{ArrayRef, RecordBatch, UInt32Array};
use arrow_schema::ArrowError;
use kernel_audit::source::read_source_views;
use ncu_report::{Dim3, Launch, NameSet, NcuReport, ReadError, Report, Value, Want, read};
use std::path::Path;
use std::sync::Arc;

/// A table, or why there is none.
pub(crate) type Made = Result<RecordBatch, Fault>;

/// Why a table cannot be made.
pub(crate) enum Fault {
    Read(ReadError),
    Arrow(ArrowError),
}

impl From<ReadError> for Fault {
    fn from(error: ReadError) -> Fault {
        Fault::Read(error)
    }
}

impl From<ArrowError> for Fault {
    fn from(error: ArrowError) -> Fault {
        Fault::Arrow(error)
    }
}

/// Text that is said again and again.
type Words = StringDictionaryBuilder<Int32Type>;

/// A table of named columns; a column whose values may be missing says so itself.
fn table(columns: Vec<(&str, ArrayRef)>) -> Made {
    let columns = columns.into_iter().map(|(name, values)| (name, values, true));
    Ok(RecordBatch::try_from_iter_with_nullable(columns)?)
}

/// Values in the types that a report stores: a number as the nearest double, an integer in full, text; the two others are
/// missing.
#[derive(Default)]
struct Values {
    value: Float64Builder,
    integer: UInt64Builder,
    text: StringBuilder,
}

impl Values {
    fn push(&mut self, value: Option<&Value>) {
        self.value.append_option(value.and_then(Value::as_f64));
        self.integer.append_option(match value {
            Some(Value::U32(number)) => Some(u64::from(*number)),
            Some(Value::U64(number)) => Some(*number),
            _ => None,
        });
        self.text.append_option(value.and_then(Value::as_text));
    }

    fn columns(mut self) -> [ArrayRef; 3] {
        [Arc::new(self.value.finish()), Arc::new(self.integer.finish()), Arc::new(self.text.finish())]
    }
}

fn numbers(values: impl Iterator<Item = Option<u64>>) -> ArrayRef {
    let mut column = UInt64Builder::new();
    values.for_each(|value| column.append_option(value));
    Arc::new(column.finish())
}

fn texts<'v>(values: impl Iterator<Item = &'v str>) -> ArrayRef {
    let mut column = StringBuilder::new();
    values.for_each(|value| column.append_value(value));
    Arc::new(column.finish())
}

/// No row: whether the file is a report at all.
pub(crate) fn looked_at(path: &Path) -> Made {
    NcuReport::open(path, false)?;
    table(vec![("launch", Arc::new(UInt32Array::from(Vec::<u32>::new())))])
}

pub(crate) fn launches(path: &Path) -> Made {
    let report = read(path, &Want { metrics: NameSet::none(), ..Want::default() })?;
    let all = || report.launches.iter();
    let text = |of: fn(&Launch) -> &str| texts(all().map(of));
    let extent =
        |of: fn(&Launch) -> Option<Dim3>, axis: usize| numbers(all().map(|one| of(one).map(|dim| dim.0[axis])));
    let mut ranges = ListBuilder::new(StringBuilder::new());
    for launch in all() {
        launch.nvtx.iter().for_each(|range| ranges.values().append_value(&range.name));
        ranges.append(true);
    }
    let capability = all().map(|one| one.device.compute_capability.map(|(major, minor)| format!("{major}.{minor}")));
    let mut capabilities = StringBuilder::new();
    capability.for_each(|one| capabilities.append_option(one));
    let mut columns: Vec<(&str, ArrayRef)> = vec![
        ("launch", Arc::new(UInt32Array::from_iter_values(all().map(|one| one.id)))),
        ("workload", text(|one| one.workload.as_str())),
        ("name", text(|one| &one.name)),
        ("function", text(|one| &one.function)),
        ("mangled", text(|one| &one.mangled)),
        ("process", numbers(all().map(|one| Some(u64::from(one.process.id))))),
        ("program", text(|one| &one.process.name)),
        ("device", text(|one| &one.device.name)),
        ("compute_capability", Arc::new(capabilities.finish())),
    ];
    const GRID: [&str; 3] = ["grid_x", "grid_y", "grid_z"];
    const BLOCK: [&str; 3] = ["block_x", "block_y", "block_z"];
    columns.extend(GRID.iter().enumerate().map(|(axis, name)| (*name, extent(|one| one.grid, axis))));
    columns.extend(BLOCK.iter().enumerate().map(|(axis, name)| (*name, extent(|one| one.block, axis))));
    columns.push(("context", numbers(all().map(|one| one.context.map(u64::from)))));
    columns.push(("stream", numbers(all().map(|one| one.stream.map(u64::from)))));
    columns.push(("created", numbers(all().map(|one| one.created))));
    columns.push(("nvtx", Arc::new(ranges.finish())));
    table(columns)
}

pub(crate) fn metrics(path: &Path) -> Made {
    let report = read(path, &Want { instances: NameSet::none(), ..Want::default() })?;
    let (mut launch, mut name, mut unit) = (UInt32Builder::new(), Words::new(), Words::new());
    let mut values = Values::default();
    for one in &report.launches {
        for metric in &one.metrics {
            launch.append_value(one.id);
            name.append_value(&metric.name);
            unit.append_value(metric.unit.as_str());
            values.push(metric.value.as_ref());
        }
    }
    let [value, integer, text] = values.columns();
    table(vec![
        ("launch", Arc::new(launch.finish())),
        ("metric", Arc::new(name.finish())),
        ("unit", Arc::new(unit.finish())),
        ("value", value),
        ("integer", integer),
        ("text", text),
    ])
}

pub(crate) fn instances(path: &Path) -> Made {
    let report: Report = read(path, &Want::default())?;
    let (mut launch, mut name, mut position) = (UInt32Builder::new(), Words::new(), UInt32Builder::new());
    let (mut id, mut id_text) = (UInt64Builder::new(), StringBuilder::new());
    let mut values = Values::default();
    for one in &report.launches {
        for metric in &one.metrics {
            for (at, instance) in (0u32..).zip(&*metric.instances) {
                launch.append_value(one.id);
                name.append_value(&metric.name);
                position.append_value(at);
                id.append_option(instance.id.as_u64());
                id_text.append_option(instance.id.as_text());
                values.push(Some(&instance.value));
            }
        }
    }
    let [value, integer, text] = values.columns();
    table(vec![
        ("launch", Arc::new(launch.finish())),
        ("metric", Arc::new(name.finish())),
        ("position", Arc::new(position.finish())),
        ("id", Arc::new(id.finish())),
        ("id_text", Arc::new(id_text.finish())),
        ("value", value),
        ("integer", integer),
        ("text", text),
    ])
}

pub(crate) fn sources(path: &Path) -> Made {
    let file = NcuReport::open(path, false)?;
    let heads = file.read(&Want { metrics: NameSet::none(), ..Want::default() })?.launches;
    let (mut kind, mut name) = (StringBuilder::new(), StringBuilder::new());
    let (mut text, mut code) = (StringBuilder::new(), BinaryBuilder::new());
    let mut of = ListBuilder::new(UInt32Builder::new());
    for module in file.sources()? {
        let users: Vec<Option<u32>> =
            heads.iter().filter(|head| head.sources.contains(&module.key)).map(|head| Some(head.id)).collect();
        for source in &module.files {
            kind.append_value("source");
            name.append_value(&source.file);
            text.append_value(&source.text);
            code.append_null();
            of.append_value(users.clone());
        }
        if let Some(cubin) = &module.cubin {
            kind.append_value("cubin");
            name.append_null();
            text.append_null();
            code.append_value(cubin);
            of.append_value(users);
        }
    }
    table(vec![
        ("kind", Arc::new(kind.finish())),
        ("file", Arc::new(name.finish())),
        ("text", Arc::new(text.finish())),
        ("binary", Arc::new(code.finish())),
        ("launches", Arc::new(of.finish())),
    ])
}

/// How the metrics begin that count samples by instruction, and how those end that count the ones without an issue.
const SAMPLED: (&str, &str) = ("smsp__pcsamp_warps_issue_stalled_", "_not_issued");

pub(crate) fn samples(path: &Path) -> Made {
    let sampled = || NameSet::These { exact: Default::default(), prefixes: vec![SAMPLED.0], suffixes: Vec::new() };
    let want = Want { metrics: sampled(), instances: sampled(), ..Want::default() };
    let views = read_source_views(path, &want, |_| true, &[])?;
    let (mut launch, mut offset, mut line) = (UInt32Builder::new(), UInt64Builder::new(), UInt32Builder::new());
    let (mut function, mut opcode, mut file, mut reason) = (Words::new(), Words::new(), Words::new(), Words::new());
    let (mut all, mut waiting) = (UInt64Builder::new(), UInt64Builder::new());
    for view in &views {
        for column in view.columns.iter().filter(|column| !column.metric.ends_with(SAMPLED.1)) {
            let without = view.column(format!("{}{}", column.metric, SAMPLED.1));
            for (row, value) in &column.values {
                let instruction = &view.instructions[*row as usize];
                let place = instruction.places.first();
                launch.append_value(view.launch);
                function.append_value(&instruction.function);
                offset.append_value(instruction.offset);
                opcode.append_option(Some(instruction.op()).filter(|op| op.is_known()).map(|op| op.name()));
                file.append_option(place.map(|place| &*place.file));
                line.append_option(place.map(|place| place.line));
                reason.append_value(column.metric.trim_start_matches(SAMPLED.0));
                all.append_option(value.as_u64());
                waiting.append_option(without.map(|c| c.value(*row as usize).and_then(Value::as_u64).unwrap_or(0)));
            }
        }
    }
    table(vec![
        ("launch", Arc::new(launch.finish())),
        ("function", Arc::new(function.finish())),
        ("offset", Arc::new(offset.finish())),
        ("opcode", Arc::new(opcode.finish())),
        ("file", Arc::new(file.finish())),
        ("line", Arc::new(line.finish())),
        ("reason", Arc::new(reason.finish())),
        ("samples", Arc::new(all.finish())),
        ("not_issued", Arc::new(waiting.finish())),
    ])
}
