//! What Nsight Systems recorded: kernels, copies, fills and calls of the CUDA API over time.

use super::Origin;

/// The tables of one run, from one file or several. A table that no file holds is absent, which says nothing about how
/// often something happened.
#[derive(Clone, Debug, Default, PartialEq, serde::Serialize)]
pub struct Timeline {
    pub origins: Vec<Origin>,
    /// Kernels in sum: the report `cuda_gpu_kern_sum`.
    pub kernels: Option<Vec<Totals>>,
    /// Every kernel, copy and fill with its start: the report `cuda_gpu_trace`, or the tables of an SQLite export.
    pub operations: Option<Vec<GpuOperation>>,
    /// Times of copies and fills: the report `cuda_gpu_mem_time_sum`.
    pub memory_times: Option<Vec<Totals>>,
    /// Sizes of copies and fills: the report `cuda_gpu_mem_size_sum`.
    pub memory_sizes: Option<Vec<MemorySize>>,
    /// Calls of the CUDA API: the report `cuda_api_sum`.
    pub calls: Option<Vec<Totals>>,
    /// What a reader should know of the files: tables that were passed over, what nsys said it lacks.
    pub notes: Vec<String>,
}

/// Executions of one name in sum. Times are nanoseconds.
#[derive(Clone, Debug, PartialEq, serde::Serialize)]
pub struct Totals {
    /// A kernel's demangled name, an operation, or a function of the API.
    pub name: String,
    /// Executions.
    pub count: u64,
    /// Sum of their times.
    pub total_ns: f64,
    /// Median; absent where the table has none, as before nsys 2021.5.
    pub median_ns: Option<f64>,
    pub min_ns: Option<f64>,
    pub max_ns: Option<f64>,
}

impl Totals {
    /// The sum of these times; `None` for no times.
    pub fn of(name: &str, mut times: Vec<f64>) -> Option<Totals> {
        times.sort_by(f64::total_cmp);
        let (&min, &max) = (times.first()?, times.last()?);
        let half = times.len() / 2;
        let median = if times.len() % 2 == 1 { times[half] } else { f64::midpoint(times[half - 1], times[half]) };
        Some(Totals {
            name: name.to_owned(),
            count: times.len() as u64,
            total_ns: times.iter().sum(),
            median_ns: Some(median),
            min_ns: Some(min),
            max_ns: Some(max),
        })
    }
}

/// Bytes of one kind of copy or fill in sum.
#[derive(Clone, Debug, PartialEq, serde::Serialize)]
pub struct MemorySize {
    /// `Host-to-Device`, `memset`.
    pub name: String,
    /// Executions.
    pub count: u64,
    /// Sum of their sizes.
    pub total_bytes: f64,
}

/// What the GPU did.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "lowercase")]
pub enum OperationKind {
    Kernel,
    Copy,
    Fill,
}

/// One piece of work on a GPU. Times are nanoseconds on the clock of the recording.
#[derive(Clone, Debug, PartialEq, serde::Serialize)]
pub struct GpuOperation {
    pub kind: OperationKind,
    /// A kernel's demangled name; `Host-to-Device` or another direction of a copy; `memset`.
    pub name: String,
    pub start_ns: f64,
    pub duration_ns: f64,
    /// What a copy or a fill moved; absent where it was not said, or was too little for the column's decimals.
    pub bytes: Option<f64>,
    /// The device as the file names it.
    pub device: String,
}

impl GpuOperation {
    pub fn end_ns(&self) -> f64 {
        self.start_ns + self.duration_ns
    }
}
