//! The walk: the launch, how busy the chip is, one busy instance, then a unit or a wait.

use super::unit::{cache_number, unit_verdict};
use super::waits::{held_back, wait_phrase, waiting};
use crate::analysis::derive::occupancy::Occupancy;
use crate::analysis::derive::stalls::Stalls;
use crate::analysis::derive::units::{self, BusyUnit};
use crate::analysis::kernel::performance::DURATION;
use crate::analysis::kernel::summary::KernelSummary;
use crate::analysis::limits::Limits;
use crate::catalog::Threshold;
use crate::evidence::Reading;
use crate::quantity::format;

/// Compute throughput of the SMs, percent of peak.
pub(in crate::analysis) const SM: &str = "sm__throughput.avg.pct_of_peak_sustained_elapsed";
/// Throughput of the memory system, percent of peak.
pub(in crate::analysis) const MEMORY: &str = "gpu__compute_memory_throughput.avg.pct_of_peak_sustained_elapsed";

/// What limits a kernel: a code of the catalog's vocabulary, [`crate::catalog::limiter`].
///
/// `launch-*`: the grid or the launch itself. `memory-*`, `compute-*`, `issue`: a part of the chip. `latency-*`,
/// `sync-*`: no unit near its peak, warps wait for that stall reason. `balanced`: two sides near their peak.
/// `not-measured`: the report does not hold what the walk needs.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Limiter(pub String);

/// One question of the walk with its answer and the readings that gave it.
#[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct Step {
    /// The question.
    pub question: String,
    /// The answer, with the numbers.
    pub answer: String,
    /// The readings, by name.
    pub readings: Vec<(String, Reading)>,
}

/// The verdict on one kernel.
#[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct Bottleneck {
    /// The code.
    pub limiter: Limiter,
    /// One sentence with its evidence.
    pub sentence: String,
    /// The way to it.
    pub steps: Vec<Step>,
    /// The busiest counter of the limiting unit, when a unit limits.
    pub unit: Option<BusyUnit>,
    /// The busiest counter of a part of the chip whose work stays when the limiting unit has less to do.
    pub next: Option<BusyUnit>,
}

impl Bottleneck {
    /// The readings of all steps.
    pub(in crate::analysis) fn readings(&self) -> Vec<(String, Reading)> {
        self.steps.iter().flat_map(|step| step.readings.iter().cloned()).collect()
    }
}

/// The walk for one kernel.
pub(in crate::analysis) fn bottleneck(
    kernel: &KernelSummary<'_>,
    stalls: &Stalls,
    occupancy: &Occupancy,
    limits: &Limits,
) -> Bottleneck {
    let mut steps = Vec::new();
    let small = launch_step(kernel, occupancy, limits, &mut steps);
    let (sm, memory) = (kernel.reading(SM), kernel.reading(MEMORY));
    let readings = vec![(SM.to_string(), sm.clone()), (MEMORY.to_string(), memory.clone())];
    let (Some(sm_pct), Some(memory_pct)) = (sm.value(), memory.value()) else {
        steps.push(Step {
            question: "How busy are the SMs and the memory system?".into(),
            answer: "not measured: the report lacks the SpeedOfLight section".into(),
            readings,
        });
        return without_throughput(stalls, limits, small, steps);
    };
    let (low, tie) = (limits[Threshold::SolLow], limits[Threshold::SolBalance]);
    let units = units::busiest(kernel);
    let busiest_pct = sm_pct.max(memory_pct);
    steps.push(Step {
        question: "How busy are the SMs and the memory system?".into(),
        answer: format!(
            "compute {}, memory {}: {} {} %",
            percent(sm_pct),
            percent(memory_pct),
            if busiest_pct < low { "both below" } else { "at least one at or above" },
            format::fixed(low, 0),
        ),
        readings,
    });
    if let Some(verdict) = small {
        return Bottleneck { steps, ..verdict };
    }
    if busiest_pct < low {
        if let Some((spot, average)) = units::hot_spot(kernel, limits) {
            return hot(kernel, spot, average, steps);
        }
        steps.extend(cache_number(kernel, &units, busiest_pct).map(|answer| Step {
            question: "Is L2 busier than that?".into(),
            answer,
            readings: Vec::new(),
        }));
        return waiting(stalls, steps, sm_pct, memory_pct);
    }
    let Some(unit) = units::leading(&units, limits).cloned() else {
        let side = if memory_pct >= sm_pct {
            ("memory", "the memory system", memory_pct)
        } else {
            ("compute", "the SMs", sm_pct)
        };
        let sentence = format!(
            "{} {} busy {} of their peak limits it; the report does not break the number down to units.",
            capital(side.1),
            "are",
            percent(side.2)
        );
        let sentence = if side.0 == "memory" {
            sentence.replace(" are busy", " is busy").replace("their", "its")
        } else {
            sentence
        };
        return Bottleneck { limiter: Limiter(side.0.into()), sentence, steps, unit: None, next: None };
    };
    let verdict = unit_verdict(kernel, &units, unit, (sm_pct, memory_pct, tie), stalls, limits, steps);
    held_back(verdict, stalls, limits)
}

/// One slice or channel is busy and the rest of its kind is not.
fn hot(kernel: &KernelSummary<'_>, spot: BusyUnit, average: f64, mut steps: Vec<Step>) -> Bottleneck {
    steps.push(Step {
        question: "Is one instance of a memory unit busier than the rest?".into(),
        answer: format!(
            "`{}` is at {}, the average of its instances at {}",
            spot.counter,
            percent(spot.percent),
            percent(average)
        ),
        readings: vec![(spot.counter.clone(), kernel.reading(&spot.counter))],
    });
    let sentence = format!(
        "One instance of {} limits it: the busiest is at {} of its peak (`{}`) while their average is at {}, so the accesses meet in one place.",
        spot.label,
        percent(spot.percent),
        spot.counter,
        percent(average)
    );
    let limiter = Limiter("memory-hot-spot".into());
    Bottleneck { limiter, sentence, steps, unit: Some(spot), next: None }
}

/// The launch itself: fewer blocks than SMs, or too short to trust percentages.
fn launch_step(
    kernel: &KernelSummary<'_>,
    occupancy: &Occupancy,
    limits: &Limits,
    steps: &mut Vec<Step>,
) -> Option<Bottleneck> {
    let blocks = kernel.key().grid.and_then(crate::evidence::Dim3::count)?;
    let sms = kernel.first().device.sm_count?;
    let waves = occupancy.waves;
    let short = kernel.value(DURATION).filter(|ns| *ns < limits[Threshold::ShortKernel]);
    let waves_text = waves.map(|w| format!(", {} waves", format::fixed(w, 2))).unwrap_or_default();
    let mut answer = format!("{} blocks on {sms} SMs{waves_text}", format::integer(blocks));
    if let Some(ns) = short {
        answer += &format!("; {} ns is too short for steady percentages", format::fixed(ns, 0));
    }
    steps.push(Step {
        question: "Does the launch fill the chip?".into(),
        answer,
        readings: vec![("launch__waves_per_multiprocessor".into(), kernel.reading("launch__waves_per_multiprocessor"))],
    });
    (blocks < u64::from(sms)).then(|| Bottleneck {
        limiter: Limiter("launch-small-grid".into()),
        sentence: format!(
            "The grid is too small: {} blocks leave {} of {sms} SMs without work, so percentages of the chip's peak say little.",
            format::integer(blocks),
            u64::from(sms) - blocks,
        ),
        steps: Vec::new(),
        unit: None,
        next: None,
    })
}

fn without_throughput(stalls: &Stalls, limits: &Limits, small: Option<Bottleneck>, steps: Vec<Step>) -> Bottleneck {
    if let Some(verdict) = small {
        return Bottleneck { steps, ..verdict };
    }
    let wait = wait_phrase(stalls, limits).map(|w| format!(" {w}")).unwrap_or_default();
    Bottleneck {
        limiter: Limiter("not-measured".into()),
        sentence: format!("What limits it was not measured: collect `--section SpeedOfLight`.{wait}"),
        steps,
        unit: None,
        next: None,
    }
}

pub(in crate::analysis) fn percent(value: f64) -> String {
    format!("{} %", format::fixed(value, 2))
}

pub(super) fn capital(text: &str) -> String {
    let mut chars = text.chars();
    chars.next().map(|first| first.to_uppercase().collect::<String>() + chars.as_str()).unwrap_or_default()
}
