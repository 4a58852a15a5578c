//! What a report holds as one flat table in Parquet: a row for each value of each metric of each launch.
//!
//! Columns: `launch` (its id in the report), `kernel` (the function's name), `metric` and `unit` (ncu's own), `instance`
//! (the correlation id; null for the value of the whole launch), `value`, and `text` for a value that is no number. A NaN
//! stays NaN; a metric that has instances alone has no row of its own.

use super::{Launch, Report, Value};
use parquet::basic::Compression;
use parquet::data_type::{ByteArray, ByteArrayType, DataType, DoubleType, Int64Type};
use parquet::errors::{ParquetError, Result};
use parquet::file::properties::WriterProperties;
use parquet::file::writer::{SerializedFileWriter, SerializedRowGroupWriter};
use parquet::schema::parser::parse_message_type;
use std::io::{self, Write};
use std::sync::Arc;

const SCHEMA: &str = "message evidence {
    required int64 launch;
    required binary kernel (string);
    required binary metric (string);
    required binary unit (string);
    optional binary instance (string);
    optional double value;
    optional binary text (string);
}";
/// Rows after which a group is written, so that memory does not grow with the report.
const GROUP: usize = 1 << 19;

/// Writes a report as a table.
///
/// # Errors
/// Those of `out`.
pub fn write_parquet(report: &Report, out: &mut (dyn Write + Send)) -> io::Result<()> {
    written(report, out).map_err(|error| match error {
        ParquetError::External(error) => io::Error::other(error),
        error => io::Error::other(error.to_string()),
    })
}

fn written(report: &Report, out: &mut (dyn Write + Send)) -> Result<()> {
    let schema = Arc::new(parse_message_type(SCHEMA)?);
    let properties = WriterProperties::builder().set_compression(Compression::SNAPPY).build();
    let mut file = SerializedFileWriter::new(out, schema, Arc::new(properties))?;
    let mut rows = Rows::default();
    for launch in &report.launches {
        let kernel = ByteArray::from(launch.function.as_bytes().to_vec());
        for metric in &launch.metrics {
            let named = Named {
                launch,
                kernel: &kernel,
                metric: ByteArray::from(metric.name.as_bytes().to_vec()),
                unit: ByteArray::from(metric.unit.to_string().into_bytes()),
            };
            if let Some(value) = &metric.value {
                rows.push(&named, None, value);
            }
            for instance in &metric.instances {
                rows.push(&named, Some(&instance.id), &instance.value);
                if rows.launch.len() >= GROUP {
                    rows.flush(&mut file)?;
                }
            }
        }
    }
    rows.flush(&mut file)?;
    file.close().map(|_| ())
}

/// What the rows of a metric share.
struct Named<'r> {
    launch: &'r Launch,
    kernel: &'r ByteArray,
    metric: ByteArray,
    unit: ByteArray,
}

/// A column that may be without a value: values, and 1 or 0 for each row.
struct Maybe<T> {
    values: Vec<T>,
    levels: Vec<i16>,
}

impl<T> Default for Maybe<T> {
    fn default() -> Maybe<T> {
        Maybe { values: Vec::new(), levels: Vec::new() }
    }
}

impl<T> Maybe<T> {
    fn push(&mut self, value: Option<T>) {
        self.levels.push(i16::from(value.is_some()));
        self.values.extend(value);
    }
}

/// The rows of the next group.
#[derive(Default)]
struct Rows {
    launch: Vec<i64>,
    kernel: Vec<ByteArray>,
    metric: Vec<ByteArray>,
    unit: Vec<ByteArray>,
    instance: Maybe<ByteArray>,
    value: Maybe<f64>,
    text: Maybe<ByteArray>,
}

impl Rows {
    fn push(&mut self, named: &Named<'_>, instance: Option<&Value>, value: &Value) {
        self.launch.push(i64::from(named.launch.id));
        self.kernel.push(named.kernel.clone());
        self.metric.push(named.metric.clone());
        self.unit.push(named.unit.clone());
        self.instance.push(instance.map(id));
        self.value.push(value.as_f64());
        self.text.push(value.as_text().map(|text| ByteArray::from(text.as_bytes().to_vec())));
    }

    fn flush(&mut self, file: &mut SerializedFileWriter<&mut (dyn Write + Send)>) -> Result<()> {
        if self.launch.is_empty() {
            return Ok(());
        }
        let rows = std::mem::take(self);
        let mut group = file.next_row_group()?;
        column::<Int64Type, _>(&mut group, &rows.launch, None)?;
        for texts in [&rows.kernel, &rows.metric, &rows.unit] {
            column::<ByteArrayType, _>(&mut group, texts, None)?;
        }
        column::<ByteArrayType, _>(&mut group, &rows.instance.values, Some(&rows.instance.levels))?;
        column::<DoubleType, _>(&mut group, &rows.value.values, Some(&rows.value.levels))?;
        column::<ByteArrayType, _>(&mut group, &rows.text.values, Some(&rows.text.levels))?;
        group.close().map(|_| ())
    }
}

fn column<T: DataType, W: Write + Send>(
    group: &mut SerializedRowGroupWriter<'_, W>,
    values: &[T::T],
    levels: Option<&[i16]>,
) -> Result<()> {
    if let Some(mut column) = group.next_column()? {
        column.typed::<T>().write_batch(values, levels, None)?;
        column.close()?;
    }
    Ok(())
}

/// A correlation id as text: numbers in full.
fn id(value: &Value) -> ByteArray {
    let text = match value {
        Value::Text(text) => text.to_string(),
        Value::U32(number) => number.to_string(),
        Value::U64(number) => number.to_string(),
        Value::F32(number) => number.to_string(),
        Value::F64(number) => number.to_string(),
    };
    ByteArray::from(text.into_bytes())
}
