//! Copies and fills on the GPU, and the calls of the API behind them.

use crate::analysis::timeline::busy::Part;
use crate::evidence::{GpuOperation, OperationKind, Timeline, Totals};
use std::collections::BTreeMap;

/// Copies of one direction, or fills.
#[derive(Clone, Debug, PartialEq, serde::Serialize)]
pub struct Transfer {
    /// `Host-to-Device`, `memset`.
    pub name: String,
    pub count: u64,
    /// Summed time in nanoseconds; absent where only sizes are known.
    pub total_ns: Option<f64>,
    /// Summed size; absent where only times are known, or where a size was printed as 0.
    pub total_bytes: Option<f64>,
    /// Bytes each second while they ran: size over time.
    pub bytes_per_second: Option<f64>,
}

/// What a function of the API is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "lowercase")]
pub enum ApiClass {
    /// Allocates or frees memory.
    Allocation,
    /// Waits for the GPU.
    Synchronisation,
    /// Starts kernels or graphs.
    Launch,
    /// Copies or fills.
    Transfer,
    /// Anything else.
    Other,
}

/// A function of the API.
#[derive(Clone, Debug, PartialEq, serde::Serialize)]
pub struct ApiRow {
    pub class: ApiClass,
    /// Its times on the CPU.
    #[serde(flatten)]
    pub totals: Totals,
}

/// Copies and fills: the printed sums where there are any, else those of the trace.
pub(in crate::analysis) fn transfers(timeline: &Timeline) -> Part<Vec<Transfer>> {
    let mut rows: Vec<Transfer> = match (&timeline.memory_times, &timeline.memory_sizes, &timeline.operations) {
        (None, None, None) => Vec::new(),
        (None, None, Some(operations)) => of_trace(operations),
        (times, sizes, operations) => {
            let mut rows: BTreeMap<&str, Transfer> = BTreeMap::new();
            let traced = of_trace(operations.as_deref().unwrap_or_default());
            let row = |name: &str, count| {
                let traced = traced.iter().find(|row| row.name == name);
                let (total_ns, total_bytes) = traced.map_or((None, None), |row| (row.total_ns, row.total_bytes));
                Transfer { name: name.to_owned(), count, total_ns, total_bytes, bytes_per_second: None }
            };
            for one in times.iter().flatten() {
                rows.entry(&one.name).or_insert_with(|| row(&one.name, one.count)).total_ns = Some(one.total_ns);
            }
            for one in sizes.iter().flatten() {
                rows.entry(&one.name).or_insert_with(|| row(&one.name, one.count)).total_bytes = Some(one.total_bytes);
            }
            rows.into_values().collect()
        }
    };
    if rows.is_empty() {
        let why = "no table of copies and fills (cuda_gpu_mem_time_sum, cuda_gpu_mem_size_sum or cuda_gpu_trace; CUPTI_ACTIVITY_KIND_MEMCPY in SQLite) with a row";
        return Part::Missing(why.into());
    }
    for row in &mut rows {
        row.bytes_per_second = match (row.total_bytes, row.total_ns) {
            (Some(bytes), Some(ns)) if ns > 0.0 && bytes > 0.0 => Some(bytes / ns * 1e9),
            _ => None,
        };
    }
    let time = |row: &Transfer| row.total_ns.unwrap_or_default();
    rows.sort_by(|a, b| time(b).total_cmp(&time(a)).then_with(|| a.name.cmp(&b.name)));
    Part::Found(rows)
}

fn of_trace(operations: &[GpuOperation]) -> Vec<Transfer> {
    let mut rows: BTreeMap<&str, Vec<&GpuOperation>> = BTreeMap::new();
    for one in operations.iter().filter(|one| one.kind != OperationKind::Kernel) {
        rows.entry(&one.name).or_default().push(one);
    }
    let row = |(name, all): (&str, Vec<&GpuOperation>)| Transfer {
        name: name.to_owned(),
        count: all.len() as u64,
        total_ns: Some(all.iter().map(|one| one.duration_ns).sum()),
        total_bytes: all.iter().map(|one| one.bytes).sum(),
        bytes_per_second: None,
    };
    rows.into_iter().map(row).collect()
}

/// The functions of the API.
pub(in crate::analysis) fn api_rows(timeline: &Timeline) -> Part<Vec<ApiRow>> {
    let Some(calls) = timeline.calls.as_ref().filter(|calls| !calls.is_empty()) else {
        let why = "no table of calls (cuda_api_sum; CUPTI_ACTIVITY_KIND_RUNTIME in SQLite) with a row";
        return Part::Missing(why.into());
    };
    let mut rows: Vec<ApiRow> =
        calls.iter().map(|totals| ApiRow { class: class(&totals.name), totals: totals.clone() }).collect();
    rows.sort_by(|a, b| b.totals.total_ns.total_cmp(&a.totals.total_ns));
    Part::Found(rows)
}

/// By the words that functions of CUDA's runtime and driver are named with.
fn class(name: &str) -> ApiClass {
    let has = |words: &[&str]| words.iter().any(|word| name.contains(word));
    if has(&["Synchronize"]) {
        ApiClass::Synchronisation
    } else if has(&[
        "Malloc",
        "Free",
        "MemAlloc",
        "HostAlloc",
        "HostRegister",
        "HostUnregister",
        "MemCreate",
        "MemRelease",
    ]) {
        ApiClass::Allocation
    } else if has(&["Launch"]) {
        ApiClass::Launch
    } else if has(&["Memcpy", "Memset", "MemPrefetch"]) {
        ApiClass::Transfer
    } else {
        ApiClass::Other
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn functions_are_told_by_their_words() {
        let classes =
            ["cudaMalloc", "cuMemFree_v2", "cudaStreamSynchronize", "cuLaunchKernelEx", "cudaMemcpyAsync", "cuInit"];
        use ApiClass::{Allocation, Launch, Other, Synchronisation, Transfer};
        assert_eq!(classes.map(class), [Allocation, Allocation, Synchronisation, Launch, Transfer, Other]);
    }
}
