//! The SQLite database of `nsys export --type sqlite`: one row for each kernel, copy, fill and call.

use super::rows::direction;
use super::stats::STATS;
use crate::evidence::{GpuOperation, OperationKind, Origin, Timeline, Totals};
use crate::source::ReadError;
use rusqlite::{Connection, OpenFlags, Row};
use std::collections::{BTreeMap, HashMap};
use std::path::Path;

/// What to do about a database that is not one of Nsight Systems.
const CURE: &str = "export it again: `nsys export --type sqlite --force-overwrite true REPORT.nsys-rep`";

const KERNELS: &str = "CUPTI_ACTIVITY_KIND_KERNEL";
const COPIES: &str = "CUPTI_ACTIVITY_KIND_MEMCPY";
const FILLS: &str = "CUPTI_ACTIVITY_KIND_MEMSET";
const CALLS: &str = "CUPTI_ACTIVITY_KIND_RUNTIME";
/// Whole CUDA graphs, recorded in place of their kernels with `--cuda-graph-trace=graph`.
const GRAPHS: &str = "CUPTI_ACTIVITY_KIND_GRAPH_TRACE";

/// Directions of `copyKind`, for databases without the table that names them: CUPTI's `CUpti_ActivityMemcpyKind`
/// (<https://docs.nvidia.com/cupti/api/group__CUPTI__ACTIVITY__API.html>).
const DIRECTIONS: [(i64, &str); 5] =
    [(1, "Host-to-Device"), (2, "Device-to-Host"), (8, "Device-to-Device"), (9, "Host-to-Host"), (10, "Peer-to-Peer")];

/// Reads a database.
pub(super) fn read(path: &Path, origin: Origin) -> Result<Timeline, ReadError> {
    let database = Database { path, connection: open(path)? };
    let has = |table: &str| database.columns(table).map(|columns| !columns.is_empty());
    let (kernels, copies, fills, calls) = (has(KERNELS)?, has(COPIES)?, has(FILLS)?, has(CALLS)?);
    let mut timeline = Timeline::default();
    let has_names = has("StringIds")?;
    if !has_names || !(kernels || copies || fills || calls) {
        let found = if has_names {
            "it is an SQLite database without kernels, copies, fills or calls of CUDA"
        } else {
            "it is an SQLite database, and none that Nsight Systems exported"
        };
        let cure = format!(
            "record with `nsys profile --trace=cuda ...`, export with `nsys export --type sqlite REPORT.nsys-rep`, or {STATS}"
        );
        return Err(ReadError::wrong(path, found, cure));
    }
    let names = database.strings()?;
    if kernels || copies || fills {
        let mut operations = Vec::new();
        if kernels {
            operations.extend(database.kernels(&names)?);
        }
        if copies {
            operations.extend(database.copies()?);
        }
        if fills {
            operations.extend(database.operations(FILLS, OperationKind::Fill, "bytes", |_| "memset".into())?);
        }
        timeline.operations = Some(operations);
    }
    if calls {
        timeline.calls = Some(database.calls(&names)?);
    }
    for (table, what) in [(KERNELS, "kernel"), (COPIES, "copy"), (FILLS, "fill"), (CALLS, "call")] {
        if !has(table)? {
            timeline.notes.push(format!("the database has no table {table}: nsys recorded no {what}"));
        }
    }
    if has(GRAPHS)? {
        let cure = "nsys profile --cuda-graph-trace=node records their kernels";
        timeline.notes.push(format!("CUDA graphs were recorded whole and are not among the kernels; {cure}"));
    }
    timeline.origins.push(Origin { format: "nsys-sqlite".into(), ..origin });
    Ok(timeline)
}

fn open(path: &Path) -> Result<Connection, ReadError> {
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    Connection::open_with_flags(path, flags).map_err(|error| damaged(path, "opening", &error))
}

fn damaged(path: &Path, position: &str, error: &rusqlite::Error) -> ReadError {
    ReadError::malformed(path, position, "a whole database of Nsight Systems", error.to_string(), CURE)
}

struct Database<'p> {
    path: &'p Path,
    connection: Connection,
}

impl Database<'_> {
    /// The columns of a table; none for a table that is not there. Errors: what computes its rows or values when it is asked, and so
    /// may go on for ever: a view, a virtual table, a generated column. Nsight Systems writes none of these.
    fn columns(&self, table: &str) -> Result<Vec<String>, ReadError> {
        let query = format!(
            "SELECT xinfo.name, list.type = 'table' AND xinfo.hidden < 2 \
             FROM pragma_table_list('{table}') AS list, pragma_table_xinfo('{table}') AS xinfo WHERE list.schema = 'main'"
        );
        let columns: Vec<(String, bool)> = self.rows("its schema", &query, |row| Ok((row.get(0)?, row.get(1)?)))?;
        match columns.iter().find(|(_, is_stored)| !is_stored) {
            None => Ok(columns.into_iter().map(|(name, _)| name).collect()),
            Some((column, _)) => {
                let found =
                    format!("a view, a virtual table or a generated column: {column} is computed when it is read");
                Err(ReadError::malformed(self.path, table, "a table with its rows", found, CURE))
            }
        }
    }

    /// What `make` makes of the rows of a query; `place` is what an error names.
    fn rows<T>(
        &self,
        place: &str,
        query: &str,
        make: impl FnMut(&Row<'_>) -> rusqlite::Result<T>,
    ) -> Result<Vec<T>, ReadError> {
        let asked = || {
            let mut statement = self.connection.prepare(query)?;
            statement.query_map([], make)?.collect::<rusqlite::Result<Vec<T>>>()
        };
        asked().map_err(|error| damaged(self.path, place, &error))
    }

    fn strings(&self) -> Result<HashMap<i64, String>, ReadError> {
        let rows = self.rows("StringIds", "SELECT id, value FROM StringIds", |row| Ok((row.get(0)?, row.get(1)?)))?;
        Ok(rows.into_iter().collect())
    }

    fn kernels(&self, names: &HashMap<i64, String>) -> Result<Vec<GpuOperation>, ReadError> {
        let columns = self.columns(KERNELS)?;
        let name = ["demangledName", "shortName"].into_iter().find(|name| columns.iter().any(|column| column == name));
        let name = name.unwrap_or("demangledName");
        self.operations(KERNELS, OperationKind::Kernel, name, |id| {
            id.and_then(|id| names.get(&id)).cloned().unwrap_or_else(|| "kernel without a name".into())
        })
    }

    fn copies(&self) -> Result<Vec<GpuOperation>, ReadError> {
        let mut labels: HashMap<i64, String> = DIRECTIONS.iter().map(|(id, name)| (*id, (*name).to_owned())).collect();
        if self.columns("ENUM_CUDA_MEMCPY_OPER")?.iter().any(|column| column == "label") {
            let query = "SELECT id, label FROM ENUM_CUDA_MEMCPY_OPER";
            labels.extend(self.rows("ENUM_CUDA_MEMCPY_OPER", query, |row| Ok((row.get(0)?, row.get(1)?)))?);
        }
        self.operations(COPIES, OperationKind::Copy, "copyKind", |kind| {
            let label = kind.and_then(|kind| labels.get(&kind));
            label.map_or_else(
                || format!("copy of kind {}", kind.map_or("unknown".into(), |kind| kind.to_string())),
                |label| direction(&format!("[CUDA memcpy {label}]")),
            )
        })
    }

    /// The rows of a table of operations; `called` names one by its column `key`.
    fn operations(
        &self,
        table: &str,
        kind: OperationKind,
        key: &str,
        called: impl Fn(Option<i64>) -> String,
    ) -> Result<Vec<GpuOperation>, ReadError> {
        let columns = self.columns(table)?;
        let has = |name: &str| columns.iter().any(|column| column == name);
        let bytes = if has("bytes") && kind != OperationKind::Kernel { "bytes" } else { "NULL" };
        let device = if has("deviceId") { "deviceId" } else { "NULL" };
        let query = format!("SELECT start, \"end\", {key}, {bytes}, {device} FROM {table} ORDER BY start");
        self.rows(table, &query, |row| {
            let (start, end): (i64, i64) = (row.get(0)?, row.get(1)?);
            let bytes: Option<i64> = row.get(3)?;
            let device: Option<i64> = row.get(4)?;
            Ok(GpuOperation {
                kind,
                name: called(row.get(2)?),
                start_ns: start as f64,
                duration_ns: end.saturating_sub(start).max(0) as f64,
                bytes: bytes.map(|bytes| bytes as f64),
                device: device.map_or_else(String::new, |device| format!("GPU {device}")),
            })
        })
    }

    /// Calls of the runtime and the driver, by function.
    fn calls(&self, names: &HashMap<i64, String>) -> Result<Vec<Totals>, ReadError> {
        let query = format!("SELECT nameId, \"end\" - start FROM {CALLS}");
        let rows: Vec<(i64, i64)> = self.rows(CALLS, &query, |row| Ok((row.get(0)?, row.get(1)?)))?;
        let mut times: BTreeMap<&str, Vec<f64>> = BTreeMap::new();
        for (id, time) in rows {
            let name = names.get(&id).map_or("function without a name", |name| unversioned(name));
            times.entry(name).or_default().push(time as f64);
        }
        let mut calls: Vec<Totals> = times.into_iter().filter_map(|(name, times)| Totals::of(name, times)).collect();
        calls.sort_by(|a, b| b.total_ns.total_cmp(&a.total_ns));
        Ok(calls)
    }
}

/// `cudaLaunchKernel` of `cudaLaunchKernel_v7000`, as `nsys stats` prints it: four digits are the version of the API.
fn unversioned(name: &str) -> &str {
    match name.rsplit_once("_v") {
        Some((base, version)) if version.len() >= 4 && version.bytes().all(|byte| byte.is_ascii_digit()) => base,
        _ => name,
    }
}
