//! The columns that every page has, and the launch that they describe.

use super::records::Cells;
use crate::evidence::{Device, Dim3, Launch, Metric, NvtxRange, Process, Value, Workload};
use std::sync::Arc;

/// Positions of the columns that are not metrics.
#[derive(Debug, Default)]
pub(super) struct Columns {
    id: Option<usize>,
    process_id: Option<usize>,
    process_name: Option<usize>,
    kernel: Option<usize>,
    context: Option<usize>,
    stream: Option<usize>,
    block: Option<usize>,
    grid: Option<usize>,
    device: Option<usize>,
    cc: Option<usize>,
    nvtx: Vec<usize>,
    /// Positions of every column that is none of the above and no host name or time: metrics on the raw page.
    pub(super) metrics: Vec<usize>,
}

impl Columns {
    pub(super) fn of(header: &Cells<'_>) -> Columns {
        let mut columns = Columns::default();
        for (at, name) in header.iter().enumerate() {
            let slot = match name.as_ref() {
                "ID" => &mut columns.id,
                "Process ID" => &mut columns.process_id,
                "Process Name" => &mut columns.process_name,
                "Kernel Name" => &mut columns.kernel,
                "Context" => &mut columns.context,
                "Stream" => &mut columns.stream,
                "Block Size" => &mut columns.block,
                "Grid Size" => &mut columns.grid,
                "Device" => &mut columns.device,
                "CC" => &mut columns.cc,
                "Host Name" | "Kernel Time" => continue,
                range if range.contains("Push/Pop_Range") || range.contains("Start/Stop_Range") => {
                    columns.nvtx.push(at);
                    continue;
                }
                _ => {
                    columns.metrics.push(at);
                    continue;
                }
            };
            *slot = Some(at);
        }
        columns
    }

    /// The launch number of a row; `None` for the units row and for what is no row.
    pub(super) fn id(&self, row: &Cells<'_>) -> Option<u32> {
        row.get(self.id?)?.trim().parse().ok()
    }

    /// A launch without metrics and rules, numbered `id`.
    pub(super) fn launch(&self, row: &Cells<'_>, id: u32) -> Launch {
        let text = |at: Option<usize>| at.and_then(|at| row.get(at)).map_or("", |cell| cell.trim());
        let number = |at| text(at).parse::<u32>().ok();
        let name = text(self.kernel);
        let grid = extent(text(self.grid));
        let workload = match (name, grid) {
            ("range", None) => Workload::Range,
            ("graph", _) => Workload::Graph,
            _ => Workload::Kernel,
        };
        // A graph's grid and block are maxima over its launches, sizes that no launch may have had.
        let kernel = workload == Workload::Kernel;
        let nvtx = self.nvtx.iter().map(|at| text(Some(*at))).filter(|range| !range.is_empty());
        Launch {
            id,
            workload,
            process: Process {
                id: number(self.process_id).unwrap_or(0),
                name: base_name(text(self.process_name)).into(),
            },
            device: Device {
                index: number(self.device),
                compute_capability: version(text(self.cc)),
                ..Device::default()
            },
            name: name.into(),
            demangled: if kernel && name.contains('(') { name.into() } else { "".into() },
            function: if kernel { function_name(name).into() } else { name.into() },
            grid: grid.filter(|_| kernel),
            block: extent(text(self.block)).filter(|_| kernel),
            context: number(self.context),
            stream: number(self.stream),
            nvtx: nvtx.map(|name| NvtxRange { domain: "".into(), name: name.into() }).collect(),
            ..Launch::default()
        }
    }
}

/// Sorts the metrics, keeps the last of each name, and takes from them what the fixed columns do not say.
pub(super) fn finish(launch: &mut Launch, mut metrics: Vec<Metric>) {
    metrics.reverse();
    metrics.sort_by(|a, b| a.name.cmp(&b.name));
    metrics.dedup_by(|later, kept| later.name == kept.name);
    launch.metrics = metrics;
    if let Some(name) = launch.value("device__attribute_display_name").and_then(Value::as_text) {
        launch.device.name = Arc::from(name);
    }
    let sms = launch.value("device__attribute_multiprocessor_count").and_then(Value::as_u64);
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

fn base_name(path: &str) -> &str {
    path.rsplit(['/', '\\']).next().unwrap_or(path)
}

/// The function of a demangled name: `reduce` of `void ns::reduce<float, 4>(float const*)`.
fn function_name(name: &str) -> &str {
    let mut depth = 0_i32;
    let mut end = name.len();
    let mut start = 0;
    let anonymous = "(anonymous namespace)";
    let mut at = 0;
    while at < name.len() {
        if depth == 0 && name[at..].starts_with(anonymous) {
            at += anonymous.len();
            continue;
        }
        let byte = name.as_bytes()[at];
        match byte {
            b'(' if depth == 0 => {
                end = at;
                break;
            }
            b'<' | b'(' => {
                if depth == 0 && byte == b'<' {
                    end = at;
                }
                depth += 1;
            }
            b'>' | b')' => depth -= 1,
            b':' | b' ' if depth == 0 => {
                start = at + 1;
                end = name.len();
            }
            _ => {}
        }
        at += 1;
        while !name.is_char_boundary(at) {
            at += 1;
        }
    }
    // A template's `<` ends the name unless a `::` or a space after its `>` moved the start on.
    let end = name[start..].find(['<', '(']).map_or(end, |found| start + found).max(start);
    &name[start..end]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn function_names_lose_parameters_templates_and_namespaces() {
        for (name, function) in [
            ("gemm_bias_v1(const float *, int)", "gemm_bias_v1"),
            ("void ns::reduce<float, ns::Op<3>>(float const*)", "reduce"),
            ("void cutlass::Kernel<a::B<(int)4>>(T1::Params)", "Kernel"),
            ("void (anonymous namespace)::fill<int>(int*)", "fill"),
            ("void <unnamed>::scale<float>(float)", "scale"),
            ("void at::native::elementwise<4, at::f(at::T&)::{lambda(int)#1}>(int, T3)", "elementwise"),
            ("plain", "plain"),
            ("triton_poi_fused_0d1d2", "triton_poi_fused_0d1d2"),
            ("", ""),
        ] {
            assert_eq!(function_name(name), function, "{name}");
        }
    }

    #[test]
    fn extents_are_three_numbers() {
        assert_eq!(extent("(64, 32, 1)"), Some(Dim3([64, 32, 1])));
        assert_eq!((extent("n/a"), extent("(1, 2)"), extent("(1, 2, 3, 4)")), (None, None, None));
    }
}
