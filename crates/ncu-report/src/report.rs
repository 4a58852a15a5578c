//! A profile: the session and the launches that one artefact holds.

use super::metric::{Metric, Value};
use arcstr::ArcStr;
use cuda_binary::Origin;
use serde::{Deserialize, Serialize};
use std::fmt;
use strum::IntoStaticStr;

/// Extent of a grid or block in x, y, z.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Dim3(pub [u64; 3]);

impl Dim3 {
    /// The number of elements, `x·y·z`; `None` on overflow.
    pub fn count(self) -> Option<u64> {
        self.0[0].checked_mul(self.0[1])?.checked_mul(self.0[2])
    }
}

impl std::str::FromStr for Dim3 {
    type Err = String;

    /// `64`, `64,1,1` or `(64, 1, 1)`; what is left out is 1.
    fn from_str(text: &str) -> Result<Dim3, String> {
        let wrong = || format!("expected one to three numbers such as 64 or 64,1,1, found {text:?}");
        let bare = text.trim().trim_start_matches('(').trim_end_matches(')');
        let numbers = bare.split([',', 'x']).map(|part| part.trim().parse::<u64>().ok()).collect::<Option<Vec<_>>>();
        match numbers.as_deref() {
            Some([x]) => Ok(Dim3([*x, 1, 1])),
            Some([x, y]) => Ok(Dim3([*x, *y, 1])),
            Some([x, y, z]) => Ok(Dim3([*x, *y, *z])),
            _ => Err(wrong()),
        }
    }
}

impl fmt::Display for Dim3 {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [x, y, z] = self.0;
        write!(f, "({x}, {y}, {z})")
    }
}

/// The kind of work that one result covers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord, IntoStaticStr, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[strum(serialize_all = "lowercase")]
pub enum Workload {
    /// One kernel launch.
    #[default]
    Kernel,
    /// A range of API calls, replayed or delimited by the application.
    Range,
    /// An OptiX command list.
    Cmdlist,
    /// A CUDA graph launched as a whole.
    Graph,
}

impl Workload {
    /// The lower-case word that ncu uses.
    pub fn as_str(self) -> &'static str {
        self.into()
    }
}

/// The process that launched the work.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Process {
    /// Operating-system process id; 0 when the artefact does not say.
    pub id: u32,
    /// Base name of the executable; empty when the artefact does not say.
    pub name: ArcStr,
}

/// The device that ran the work.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Device {
    /// Position among the devices of the machine, where the artefact says.
    pub index: Option<u32>,
    /// Marketing name, `NVIDIA H200`; empty when the artefact does not say.
    pub name: ArcStr,
    /// Compute capability, `(9, 0)`.
    pub compute_capability: Option<(u32, u32)>,
    /// Multiprocessors of the chip.
    pub sm_count: Option<u32>,
}

/// Whether ncu locked the clocks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ClockStatus {
    /// The lock was asked for (`--clock-control base`).
    pub requested: bool,
    /// The lock took effect.
    pub executed: bool,
}

/// One profiled result.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Launch {
    /// Row number as ncu counts it: ordered by process id, then by file order, from 0.
    pub id: u32,
    /// What the result covers.
    #[serde(rename = "kind")]
    pub workload: Workload,
    /// The process.
    pub process: Process,
    /// The device.
    pub device: Device,
    /// The name that ncu displays: with parameters for a demangled kernel, `range` or `graph` for those results.
    pub name: ArcStr,
    /// Function name without parameters and template arguments, as `--kernel-name` matches it.
    pub function: ArcStr,
    /// Demangled name; empty for `extern "C"` kernels and results that are not kernels.
    pub demangled: ArcStr,
    /// Mangled name; empty when the artefact does not hold it.
    pub mangled: ArcStr,
    /// Grid in blocks; `None` for ranges.
    pub grid: Option<Dim3>,
    /// Block in threads; `None` for ranges.
    pub block: Option<Dim3>,
    /// CUDA context and stream ids.
    pub context: Option<u32>,
    /// CUDA stream id; `None` for ranges.
    pub stream: Option<u32>,
    /// Clock control during the profile.
    pub clock: Option<ClockStatus>,
    /// When the result was made, in Unix seconds.
    pub created: Option<u64>,
    /// Display driver version that the result itself carries (since ncu 2025.2).
    pub driver: Option<f32>,
    /// Joins the source data of the report: (process id, reference). Several for graphs and ranges.
    pub sources: Vec<(u32, u64)>,
    /// NVTX ranges open at the launch, outermost first.
    pub nvtx: Vec<NvtxRange>,
    /// What NVIDIA's rules said.
    pub rules: Vec<RuleResult>,
    /// The metrics that were asked for, sorted by name.
    #[serde(serialize_with = "super::metric::by_name")]
    pub metrics: Vec<Metric>,
}

impl Launch {
    /// The metric of that exact name.
    pub fn metric(&self, name: impl AsRef<str>) -> Option<&Metric> {
        let name = name.as_ref();
        self.metrics.binary_search_by(|metric| (*metric.name).cmp(name)).ok().map(|at| &self.metrics[at])
    }

    /// The aggregate of a metric, when there is one.
    pub fn value(&self, name: impl AsRef<str>) -> Option<&Value> {
        self.metric(name)?.value.as_ref()
    }
}

/// An NVTX range.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct NvtxRange {
    /// Domain; empty for the default domain.
    pub domain: ArcStr,
    /// Range name.
    pub name: ArcStr,
}

/// The size of a rule's estimated speedup.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Speedup {
    /// Whether the estimate is for the whole workload (`true`) or for the part that the rule looks at.
    pub is_global: bool,
    /// Percent of the run time that NVIDIA expects to be saved.
    pub percent: f64,
}

/// One message of a rule.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RuleMessage {
    /// `none`, `ok`, `warning`, `error`, `optimization`, or a number that is not known here.
    pub kind: ArcStr,
    /// Title; may be empty.
    pub title: ArcStr,
    /// NVIDIA's sentence, with its `@section:…@` links as they are stored.
    pub text: ArcStr,
}

/// A metric that a rule points at.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct FocusMetric {
    /// ncu's name.
    pub metric: ArcStr,
    /// Its value as the rule saw it.
    pub value: f64,
    /// `default`, `low`, `high`, or a number that is not known here.
    pub severity: ArcStr,
    /// What the rule says of it.
    pub info: ArcStr,
}

/// A table that a rule made.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RuleTable {
    /// Title.
    pub title: ArcStr,
    /// Explanation under the title.
    pub description: ArcStr,
    /// Column names.
    pub columns: Vec<ArcStr>,
    /// Rows of cells as text.
    pub rows: Vec<Vec<ArcStr>>,
}

/// One thing that one of NVIDIA's rules said of one launch; a rule with several messages gives several of these, each
/// with its own speedup, focus metrics and tables, as NVIDIA's own list has them.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RuleResult {
    /// Identifier, `UncoalescedGlobalAccess`.
    pub id: ArcStr,
    /// Display name.
    pub name: ArcStr,
    /// Section it belongs to.
    pub section: ArcStr,
    /// Messages in file order.
    pub messages: Vec<RuleMessage>,
    /// Estimated speedup.
    pub speedup: Option<Speedup>,
    /// Metrics it points at.
    pub focus: Vec<FocusMetric>,
    /// Tables it made. One without rows names in its columns the metrics whose instances the viewer lists by source
    /// position.
    pub tables: Vec<RuleTable>,
}

/// The session: who measured, with what.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Session {
    /// ncu's version, `2025.3.1.0 (build 36398880) (public-release)`; empty before 2020.2.
    pub ncu_version: ArcStr,
    /// CUDA version that the driver supports.
    pub cuda_version: ArcStr,
    /// Display driver version.
    pub driver_version: ArcStr,
    /// Operating system of the target.
    pub os: ArcStr,
    /// The ncu command line, where the report holds it (since 2022.3).
    pub command_line: ArcStr,
    /// When the session began, in Unix seconds.
    pub created: Option<u64>,
    /// Further (provider, version) pairs, in file order.
    pub versions: Vec<(ArcStr, ArcStr)>,
    /// Settings that the report states (replay mode, clock control, sections), as (name, value).
    pub settings: Vec<(ArcStr, ArcStr)>,
    /// Devices of the session: name and attributes.
    pub devices: Vec<Device>,
}

/// Something that could not be read, and what is lost by it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Damage {
    /// Byte offset or line at which it was noticed.
    pub at: u64,
    /// What was expected, what was found, and what was not read because of it.
    pub what: String,
}

/// What one artefact says about profiled work.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Report {
    /// The artefact.
    pub origin: Origin,
    /// Who measured.
    pub session: Session,
    /// The results, in ncu's row order.
    pub launches: Vec<Launch>,
    /// Metrics that were asked for and that no result holds, sorted; empty for a damaged report, where a name may be
    /// unused because its result is lost.
    pub dropped: Vec<ArcStr>,
    /// Lines of a text format that were not understood.
    pub unrecognised_lines: Vec<String>,
    /// Damage; a report with any is not whole, and nothing made from it may be presented as if it were.
    pub damage: Vec<Damage>,
}

impl Report {
    /// Puts some of the launches that were read again, in the same order, into their places.
    pub fn put(&mut self, launches: Vec<Launch>) {
        let mut again = launches.into_iter().peekable();
        for known in &mut self.launches {
            if let Some(launch) = again.next_if(|launch| launch.id == known.id) {
                *known = launch;
            }
        }
    }
}
