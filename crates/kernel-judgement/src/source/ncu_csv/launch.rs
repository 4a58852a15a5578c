//! The columns that every page has, and the launch that they describe.

use super::records::Cells;
use crate::catalog::Counter;
use crate::evidence::{Device, Dim3, Launch, Metric, NvtxRange, Process, Value, Workload};
use crate::source::text::{self, Texts};
use arcstr::ArcStr;
use rustc_hash::FxHashMap;

/// Where the columns of a table stand.
#[derive(Debug, Default)]
pub(super) struct Columns {
    at: FxHashMap<String, usize>,
    nvtx: Vec<usize>,
    /// Every column that is none of the fixed ones and no NVTX range: metrics on the raw page.
    pub(super) metrics: Vec<usize>,
}

impl Columns {
    pub(super) fn of(header: &Cells<'_>) -> Columns {
        let mut columns = Columns::default();
        for (at, name) in header.iter().enumerate() {
            if name.contains("Push/Pop_Range") || name.contains("Start/Stop_Range") {
                columns.nvtx.push(at);
            } else if !is_fixed(name) {
                columns.metrics.push(at);
            }
            columns.at.insert(name.to_string(), at);
        }
        columns
    }

    pub(super) fn has(&self, row: &Cells<'_>, name: &str) -> bool {
        self.at.get(name).is_some_and(|at| *at < row.len())
    }

    /// The text in the column of that name; empty where the row has none.
    pub(super) fn text<'r>(&self, row: &'r Cells<'_>, name: &str) -> &'r str {
        self.at.get(name).and_then(|at| row.get(*at)).map_or("", |cell| cell.trim())
    }

    pub(super) fn number(&self, row: &Cells<'_>, name: &str) -> Option<u32> {
        self.text(row, name).parse().ok()
    }

    /// A launch without metrics and rules, numbered `id`.
    pub(super) fn launch(&self, row: &Cells<'_>, id: u32, texts: &mut Texts) -> Launch {
        let (name, number) = (self.text(row, "Kernel Name"), |name| self.number(row, name));
        let grid = extent(self.text(row, "Grid Size"));
        let workload = match (name, grid) {
            ("range", None) => Workload::Range,
            ("graph", _) => Workload::Graph,
            _ => Workload::Kernel,
        };
        // A graph's grid and block are maxima over its launches, sizes that no launch may have had.
        let is_kernel = workload == Workload::Kernel;
        let program = self.text(row, "Process Name");
        let nvtx =
            self.nvtx.iter().filter_map(|at| row.get(*at)).map(|cell| cell.trim()).filter(|name| !name.is_empty());
        Launch {
            id,
            workload,
            process: Process {
                id: number("Process ID").unwrap_or(0),
                name: texts.of(program.rsplit(['/', '\\']).next().unwrap_or(program)),
            },
            device: Device {
                index: number("Device"),
                compute_capability: version(self.text(row, "CC")),
                ..Device::default()
            },
            name: texts.of(name),
            demangled: texts.of(if is_kernel && name.contains('(') { name } else { "" }),
            function: texts.of(if is_kernel { text::function_name(name) } else { name }),
            grid: grid.filter(|_| is_kernel),
            block: extent(self.text(row, "Block Size")).filter(|_| is_kernel),
            context: number("Context"),
            stream: number("Stream"),
            nvtx: nvtx.map(|name| NvtxRange { domain: texts.of(""), name: texts.of(name) }).collect(),
            mangled: texts.of(""),
            ..Launch::default()
        }
    }
}

/// Whether a column is no metric.
fn is_fixed(name: &str) -> bool {
    let what = matches!(name, "ID" | "Process ID" | "Process Name" | "Host Name" | "Kernel Name" | "Kernel Time");
    what || matches!(name, "Context" | "Stream" | "Block Size" | "Grid Size" | "Device" | "CC")
}

/// Sorts the metrics, keeps the last of each name, and takes from them what the fixed columns do not say.
pub(super) fn finish(launch: &mut Launch, mut metrics: Vec<Metric>) {
    metrics.reverse();
    metrics.sort_by(|a, b| a.name.cmp(&b.name));
    metrics.dedup_by(|later, kept| later.name == kept.name);
    launch.metrics = metrics;
    if let Some(name) = launch.value(Counter::DeviceAttributeDisplayName).and_then(Value::as_text) {
        launch.device.name = ArcStr::from(name);
    }
    // A page of sections holds those that the launch could use.
    let counted = [Counter::DeviceAttributeMultiprocessorCount, Counter::LaunchSmCount];
    let sms = counted.into_iter().find_map(|name| launch.value(name).and_then(Value::as_u64));
    launch.device.sm_count = sms.and_then(|count| u32::try_from(count).ok());
}

/// `(64, 32, 1)`.
fn extent(text: &str) -> Option<Dim3> {
    let mut numbers = text.strip_prefix('(')?.strip_suffix(')')?.split(',').map(|part| part.trim().parse().ok());
    let extent = Dim3([numbers.next()??, numbers.next()??, numbers.next()??]);
    numbers.next().is_none().then_some(extent)
}

/// `9.0`.
fn version(text: &str) -> Option<(u32, u32)> {
    let (major, minor) = text.split_once(['.', ','])?;
    Some((major.parse().ok()?, minor.parse().ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn extents_are_three_numbers() {
        assert_eq!(extent("(64, 32, 1)"), Some(Dim3([64, 32, 1])));
        assert_eq!((extent("n/a"), extent("(1, 2)"), extent("(1, 2, 3, 4)")), (None, None, None));
    }
}
