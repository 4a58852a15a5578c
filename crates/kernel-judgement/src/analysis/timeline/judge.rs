//! The whole program's time on the GPU: which kernel matters, and whether a kernel is what matters at all.
//!
//! The three questions are those of a profiling cheat sheet for kernel authors: large gaps between kernels ask for a
//! better launch cadence, copies and allocations that dominate ask for reuse and overlap, kernels that dominate are
//! profiled one by one. Each answer carries the readings that decided it.

use crate::analysis::Limits;
use crate::analysis::judgement::{self, Judgement};
use crate::analysis::kernel::select::short_name;
use crate::analysis::timeline::busy::{DeviceTime, Part, devices, percent};
use crate::analysis::timeline::memory::{ApiClass, ApiRow, Transfer, api_rows, transfers};
use crate::catalog::Threshold;
use crate::evidence::{OperationKind, Timeline, Totals};
use crate::quantity::{Quantity, Unit, format};
use crate::words;
use crate::words::Words;
use std::collections::BTreeMap;

/// A kernel and its part of all kernels' time.
#[derive(Clone, Debug, PartialEq, serde::Serialize)]
pub struct KernelShare {
    #[serde(flatten)]
    pub totals: Totals,
    /// Share of the summed time of all kernels in percent.
    pub share_percent: f64,
}

/// A question to the timeline.
#[derive(Clone, Debug, PartialEq, serde::Serialize)]
pub struct Decision {
    /// `gaps`, `copies`, `allocations`, `kernels`.
    pub id: &'static str,
    pub question: &'static str,
    #[serde(serialize_with = "judgement::of_question")]
    pub answer: Judgement,
    /// The readings that decided, or what is missing.
    pub because: Because,
    /// What to do where the answer is yes.
    pub advice: &'static str,
}

/// What decides on a question. In JSON it is in words.
#[derive(Clone, Debug, PartialEq)]
pub enum Because {
    /// A table or a column is missing.
    Missing(String),
    /// The GPU was idle for so many ns of so many; with the threshold in percent.
    Idle(f64, f64, f64),
    /// Copies and fills beside kernels, both in ns.
    Copies(f64, f64),
    /// So many calls that allocate or free, their time without the longest of each function, and that of kernels, in ns.
    Allocations(u64, f64, f64),
    /// The other questions: whether none holds.
    Others(Judgement),
}

impl Because {
    /// The readings in words.
    pub fn say(&self) -> Words {
        let share = |percent: f64| format!("{} %", format::fixed(percent, 2));
        match self {
            Because::Missing(what) => what.into(),
            Because::Idle(idle, span, least) => {
                let (idle, span, part) = (time(*idle), time(*span), share(percent(*idle, *span)));
                let least = share(*least);
                words!(
                    "the GPU was idle for {} of {}, {}; the threshold `timeline-idle` is {}",
                    idle,
                    span,
                    part,
                    least
                )
            }
            Because::Copies(ns, kernels) => {
                words!("copies and fills took {}, kernels {} in sum", time(*ns), time(*kernels))
            }
            Because::Allocations(count, ns, kernels) => words!(
                "{} calls that allocate or free, without the longest of each function (the first creates the context), took {}, kernels {} in sum",
                format::integer(*count),
                time(*ns),
                time(*kernels)
            ),
            Because::Others(Judgement::Holds) => "none of the answers above is yes".into(),
            Because::Others(Judgement::Fails) => "one of the answers above is yes".into(),
            Because::Others(_) => "one of the questions above has no answer".into(),
        }
    }
}

impl serde::Serialize for Because {
    fn serialize<S: serde::Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        self.say().serialize(to)
    }
}

/// A kernel to profile, and how to find one typical launch of it.
#[derive(Clone, Debug, PartialEq, serde::Serialize)]
pub struct ToProfile {
    pub name: String,
    /// Share of all kernels' time in percent.
    pub share_percent: f64,
    /// Regular expression on the function name, for `kernel` in audit.toml and ncu's `--kernel-name regex:`.
    pub filter: String,
    /// Launches that match the filter and are passed over.
    pub skip: u64,
    /// The time in ns of the launch that is meant; `None` where no trace tells single launches. In JSON it is in words.
    #[serde(rename = "skip_because", serialize_with = "say_typical")]
    pub typical_ns: Option<f64>,
    /// The command of ncu; the program's own stands in place of `PROGRAM`.
    pub ncu: String,
}

impl ToProfile {
    /// Why so many launches are passed over, by the time in ns of the one that is meant.
    pub fn say(typical_ns: Option<f64>) -> String {
        match typical_ns {
            Some(ns) => format!("in launch order, this one of {} is nearest to the median", time(ns)),
            None => "no trace of single launches: at most ten are skipped, to warm caches and clocks".to_owned(),
        }
    }
}

/// What a timeline says.
#[derive(Clone, Debug, PartialEq, serde::Serialize)]
pub struct TimelineAudit {
    /// Kernels, the most time first.
    pub kernels: Part<Vec<KernelShare>>,
    /// How busy each GPU was, and the gaps between its kernels.
    pub devices: Part<Vec<DeviceTime>>,
    /// Copies by direction, and fills.
    pub transfers: Part<Vec<Transfer>>,
    /// Functions of the API, the most time first.
    pub calls: Part<Vec<ApiRow>>,
    pub decisions: Vec<Decision>,
    /// The kernels to profile next, one or two.
    pub next: Vec<ToProfile>,
    /// What a reader should know of the files.
    pub notes: Vec<String>,
}

pub fn judge_timeline(timeline: &Timeline, limits: &Limits) -> TimelineAudit {
    let kernels = kernels(timeline);
    let devices = devices(timeline);
    let transfers = transfers(timeline);
    let calls = api_rows(timeline);
    let decisions = decisions(&kernels, &devices, &transfers, &calls, limits);
    let next = next(timeline, &kernels, limits[Threshold::TimelineKernel]);
    TimelineAudit { kernels, devices, transfers, calls, decisions, next, notes: timeline.notes.clone() }
}

fn kernels(timeline: &Timeline) -> Part<Vec<KernelShare>> {
    let mut totals: Vec<Totals> = match (&timeline.kernels, &timeline.operations) {
        (Some(kernels), _) => kernels.clone(),
        (None, Some(operations)) => {
            let mut times: BTreeMap<&str, Vec<f64>> = BTreeMap::new();
            for one in operations.iter().filter(|one| one.kind == OperationKind::Kernel) {
                times.entry(&one.name).or_default().push(one.duration_ns);
            }
            times.into_iter().filter_map(|(name, times)| Totals::of(name, times)).collect()
        }
        (None, None) => Vec::new(),
    };
    if totals.is_empty() {
        let why = "no table of kernels (cuda_gpu_kern_sum or cuda_gpu_trace; CUPTI_ACTIVITY_KIND_KERNEL in SQLite) with a row";
        return Part::Missing(why.into());
    }
    totals.sort_by(|a, b| b.total_ns.total_cmp(&a.total_ns).then_with(|| a.name.cmp(&b.name)));
    let all: f64 = totals.iter().map(|one| one.total_ns).sum();
    let share = |totals: Totals| KernelShare { share_percent: percent(totals.total_ns, all), totals };
    Part::Found(totals.into_iter().map(share).collect())
}

/// A time as text.
pub(in crate::analysis) fn time(ns: f64) -> String {
    Quantity::new(ns, Unit::NS).map_or_else(String::new, format::quantity)
}

fn decisions(
    kernels: &Part<Vec<KernelShare>>,
    devices: &Part<Vec<DeviceTime>>,
    transfers: &Part<Vec<Transfer>>,
    calls: &Part<Vec<ApiRow>>,
    limits: &Limits,
) -> Vec<Decision> {
    let least = limits[Threshold::TimelineIdle];
    let kernel_ns: Option<f64> = kernels.found().map(|rows| rows.iter().map(|row| row.totals.total_ns).sum());
    let missing = |what: &str| (Judgement::NotMeasured, Because::Missing(what.to_owned()));
    let no_kernels = || missing("no table of kernels to compare with");
    let gaps = match devices {
        Part::Missing(why) => missing(why),
        Part::Found(devices) => {
            let (idle, span) = devices.iter().fold((0.0, 0.0), |(i, s), one| (i + one.idle_ns, s + one.span_ns));
            (Judgement::of(percent(idle, span) >= least), Because::Idle(idle, span, least))
        }
    };
    let copies = match (transfers, kernel_ns) {
        (Part::Missing(why), _) => missing(why),
        (Part::Found(_), None) => no_kernels(),
        (Part::Found(rows), Some(kernel_ns)) => match rows.iter().map(|row| row.total_ns).sum::<Option<f64>>() {
            Some(ns) => (Judgement::of(ns > kernel_ns), Because::Copies(ns, kernel_ns)),
            None => missing("no times of copies (cuda_gpu_mem_time_sum or cuda_gpu_trace)"),
        },
    };
    let allocations = match (calls, kernel_ns) {
        (Part::Missing(why), _) => missing(why),
        (Part::Found(_), None) => no_kernels(),
        (Part::Found(rows), Some(kernel_ns)) => {
            let rows = || rows.iter().filter(|row| row.class == ApiClass::Allocation);
            match rows().map(|row| row.totals.max_ns.map(|max| row.totals.total_ns - max)).sum::<Option<f64>>() {
                Some(ns) => {
                    let count = rows().map(|row| row.totals.count).sum();
                    (Judgement::of(ns.max(0.0) > kernel_ns), Because::Allocations(count, ns.max(0.0), kernel_ns))
                }
                None => missing("the table of calls has no column for the longest"),
            }
        }
    };
    let others = [gaps.0, copies.0, allocations.0];
    let dominate = match kernel_ns {
        None => no_kernels(),
        Some(_) => {
            let answer = if others.contains(&Judgement::Holds) {
                Judgement::Fails
            } else if others.contains(&Judgement::NotMeasured) {
                Judgement::NotMeasured
            } else {
                Judgement::Holds
            };
            (answer, Because::Others(answer))
        }
    };
    let decision = |id, question, (answer, because): (Judgement, Because), advice| Decision {
        id,
        question,
        answer,
        because,
        advice,
    };
    vec![
        decision(
            "gaps",
            "Are there large gaps between the kernels?",
            gaps,
            "Look at the launches first: batch them or record a CUDA graph, and remove synchronisations between kernels.",
        ),
        decision(
            "copies",
            "Do copies and fills dominate?",
            copies,
            "Keep data on the GPU between kernels, reuse buffers, and overlap transfers with kernels on another stream.",
        ),
        decision(
            "allocations",
            "Do allocations dominate?",
            allocations,
            "Allocate once before the loop, or take memory from a pool (cudaMallocAsync).",
        ),
        decision("kernels", "Do kernels dominate?", dominate, "Profile the kernels below with ncu, one at a time."),
    ]
}

/// The first kernel, and the second where its share is worth it.
fn next(timeline: &Timeline, kernels: &Part<Vec<KernelShare>>, least: f64) -> Vec<ToProfile> {
    let rows = kernels.found().map_or(&[][..], Vec::as_slice);
    let mut chosen: Vec<ToProfile> = Vec::new();
    for (at, row) in rows.iter().take(2).enumerate() {
        if at == 0 || row.share_percent >= least {
            chosen.push(to_profile(timeline, row, rows));
        }
    }
    chosen
}

fn to_profile(timeline: &Timeline, row: &KernelShare, rows: &[KernelShare]) -> ToProfile {
    let function = function(&row.totals.name);
    let filter = format!("^{}$", regex::escape(function));
    let mut launches: Vec<_> =
        timeline.operations.iter().flatten().filter(|one| one.kind == OperationKind::Kernel).collect();
    launches.retain(|one| self::function(&one.name) == function);
    launches.sort_by(|a, b| a.start_ns.total_cmp(&b.start_ns));
    let median = row.totals.median_ns.unwrap_or(row.totals.total_ns / row.totals.count.max(1) as f64);
    // The first launch is left out where there are others: caches, clocks and lazily loaded code are cold.
    let own = launches.iter().enumerate().filter(|(_, one)| one.name == row.totals.name);
    let cold = usize::from(own.clone().count() > 1);
    let away = |ns: f64| (ns - median).abs();
    let typical = own.skip(cold).min_by(|(_, a), (_, b)| away(a.duration_ns).total_cmp(&away(b.duration_ns)));
    let skip = match typical {
        Some((at, _)) => at as u64,
        None => {
            const WARM: u64 = 10;
            let own = rows.iter().filter(|one| self::function(&one.totals.name) == function);
            WARM.min(own.map(|one| one.totals.count).sum::<u64>().saturating_sub(1))
        }
    };
    let typical_ns = typical.map(|(_, one)| one.duration_ns);
    let quoted = filter.replace('\'', "'\\''");
    let skipped = if skip > 0 { format!(" --launch-skip {skip}") } else { String::new() };
    let export = file_name(function);
    let ncu = format!("{NCU} --kernel-name 'regex:{quoted}'{skipped} --launch-count 1 --export {export} PROGRAM");
    ToProfile { name: row.totals.name.clone(), share_percent: row.share_percent, filter, skip, typical_ns, ncu }
}

fn say_typical<S: serde::Serializer>(typical_ns: &Option<f64>, to: S) -> Result<S::Ok, S::Error> {
    to.serialize_str(&ToProfile::say(*typical_ns))
}

/// The command that profiles a kernel, without what tells which.
const NCU: &str = "ncu --set full --import-source yes --target-processes all";

/// The function of a demangled name, as ncu's filters see it: `reduce` of `void ns::reduce<float, 4>(float const*)`.
fn function(name: &str) -> &str {
    let short = short_name(name);
    let mut depth = 0_i32;
    let mut start = 0;
    let mut end = short.len();
    for (at, byte) in short.bytes().enumerate() {
        match byte {
            b'<' | b'(' => {
                if depth == 0 {
                    end = at;
                }
                depth += 1;
            }
            b'>' | b')' => depth -= 1,
            b':' if depth == 0 => {
                start = at + 1;
                end = short.len();
            }
            _ => {}
        }
    }
    if start < end { &short[start..end] } else { short }
}

fn file_name(function: &str) -> String {
    function.chars().map(|c| if c.is_ascii_alphanumeric() || c == '_' { c } else { '_' }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn functions_are_what_a_filter_of_ncu_sees() {
        for (name, expected) in [
            ("void ns::reduce<float, ns::Op<3>>(float const*)", "reduce"),
            ("gemm_bias(const float *, int)", "gemm_bias"),
            ("void (anonymous namespace)::fill<int>(int*)", "fill"),
            ("void a::(anonymous namespace)::fill<int>(int*)", "fill"),
            ("triton_poi_fused_0d1d2", "triton_poi_fused_0d1d2"),
        ] {
            assert_eq!(function(name), expected, "{name}");
        }
    }
}
