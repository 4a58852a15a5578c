//! The walk: the launch, how busy the chip is, one busy instance, then a unit or a wait.

use super::unit::{cache_number, unit_verdict};
use super::waits::{held_back, wait_phrase, waiting};
use crate::analysis::derive::units::{self, BusyUnit, MEMORY, SM};
use crate::analysis::diagnose::Kernel;
use crate::analysis::kernel::performance::DURATION;
use crate::catalog::{Code, Threshold};
use crate::evidence::Reading;
use crate::quantity::format::{self, percent};
use crate::words;
use crate::words::Words;

/// One question of the walk with its answer and the readings that gave it.
#[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct Step {
    /// The question.
    pub question: String,
    /// The answer, with the numbers.
    pub answer: Words,
    /// The readings, by name.
    pub readings: Vec<(String, Reading)>,
}

impl Step {
    pub(super) fn new(question: &str, answer: Words, readings: Vec<(String, Reading)>) -> Step {
        Step { question: question.into(), answer, readings }
    }
}

/// The verdict on one kernel.
#[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct Bottleneck {
    /// What limits: a part of the chip, a wait, the launch itself; or that it was not measured.
    pub limiter: Code,
    /// One sentence with its evidence.
    pub sentence: Words,
    /// The way to it.
    pub steps: Vec<Step>,
    /// The busiest counter of the limiting unit, when a unit limits.
    pub unit: Option<BusyUnit>,
    /// The busiest counter of a part of the chip whose work stays when the limiting unit has less to do.
    pub next: Option<BusyUnit>,
}

impl Bottleneck {
    /// A verdict without a unit.
    pub(super) fn of(limiter: Code, sentence: Words, steps: Vec<Step>) -> Bottleneck {
        Bottleneck { limiter, sentence, steps, unit: None, next: None }
    }

    /// The readings of all steps.
    pub(in crate::analysis) fn readings(&self) -> Vec<(String, Reading)> {
        self.steps.iter().flat_map(|step| step.readings.iter().cloned()).collect()
    }
}

/// The walk for one kernel.
pub(in crate::analysis) fn bottleneck(k: &Kernel<'_, '_>) -> Bottleneck {
    const UNPLACED: &str = ", and that limits it; the report does not break the number down to units.";
    const BUSY: &str = "How busy are the SMs and the memory system?";
    let mut steps = Vec::new();
    let small = launch_step(k, &mut steps);
    let readings = k.readings(&[SM, MEMORY]);
    let (Some(sm), Some(memory)) = (k.kernel.value(SM), k.kernel.value(MEMORY)) else {
        let answer = words!("not measured: the report lacks the SpeedOfLight section");
        steps.push(Step::new(BUSY, answer, readings));
        return match small {
            Some(verdict) => Bottleneck { steps, ..verdict },
            None => without_throughput(k, steps),
        };
    };
    let low = k.limits[Threshold::SolLow];
    let units = units::busiest(k.kernel);
    let busiest = sm.max(memory);
    let answer = words!(
        "compute {}, memory {}: {} {} %",
        percent(sm),
        percent(memory),
        if busiest < low { "both below" } else { "at least one at or above" },
        format::fixed(low, 0)
    );
    steps.push(Step::new(BUSY, answer, readings));
    if let Some(verdict) = small {
        return Bottleneck { steps, ..verdict };
    }
    if busiest < low {
        if let Some((spot, average)) = units::hot_spot(k.kernel, k.limits) {
            return hot(k, spot, average, steps);
        }
        let cache = cache_number(k.kernel, &units, busiest);
        steps.extend(cache.map(|answer| Step::new("Is L2 busier than that?", answer, Vec::new())));
        return waiting(k.stalls, steps, sm, memory);
    }
    let Some(unit) = units::leading(&units, k.limits).cloned() else {
        let (limiter, sentence) = match memory >= sm {
            true => (Code::Memory, words!("The memory system is busy {} of its peak{}", percent(memory), UNPLACED)),
            false => (Code::Compute, words!("The SMs are busy {} of their peak{}", percent(sm), UNPLACED)),
        };
        return Bottleneck::of(limiter, sentence, steps);
    };
    held_back(k, unit_verdict(k, &units, unit, (sm, memory), steps))
}

/// One slice or channel is busy and the rest of its kind is not.
fn hot(k: &Kernel<'_, '_>, spot: BusyUnit, average: f64, mut steps: Vec<Step>) -> Bottleneck {
    let answer = words!(
        "`{}` is at {}, the average of its instances at {}",
        &spot.counter,
        percent(spot.percent),
        percent(average)
    );
    steps.push(Step::new(
        "Is one instance of a memory unit busier than the rest?",
        answer,
        k.readings(&[&spot.counter]),
    ));
    let sentence = words!(
        "One instance of {} limits it: the busiest is at {} of its peak (`{}`) while their average is at {}, so the accesses meet in one place.",
        &spot.label,
        percent(spot.percent),
        &spot.counter,
        percent(average)
    );
    Bottleneck { unit: Some(spot), ..Bottleneck::of(Code::MemoryHotSpot, sentence, steps) }
}

/// The launch itself: fewer blocks than SMs, or too short to trust percentages.
fn launch_step(k: &Kernel<'_, '_>, steps: &mut Vec<Step>) -> Option<Bottleneck> {
    const WAVES: &str = "launch__waves_per_multiprocessor";
    let blocks = k.kernel.key().grid.and_then(crate::evidence::Dim3::count)?;
    let sms = k.kernel.first().device.sm_count?;
    let waves = k.occupancy.waves.map(|waves| format!(", {} waves", format::fixed(waves, 2)));
    let short = k.kernel.value(DURATION).filter(|ns| *ns < k.limits[Threshold::ShortKernel]);
    let short = short.map(|ns| format!("; {} ns is too short for steady percentages", format::fixed(ns, 0)));
    let answer = words!(
        "{} blocks on {} SMs{}{}",
        format::integer(blocks),
        u64::from(sms),
        waves.unwrap_or_default(),
        short.unwrap_or_default()
    );
    steps.push(Step::new("Does the launch fill the chip?", answer, k.readings(&[WAVES])));
    (blocks < u64::from(sms)).then(|| {
        let sentence = words!(
            "The grid is too small: {} blocks leave {} of {} SMs without work, so percentages of the chip's peak say little.",
            format::integer(blocks),
            u64::from(sms) - blocks,
            u64::from(sms)
        );
        Bottleneck::of(Code::LaunchSmallGrid, sentence, Vec::new())
    })
}

fn without_throughput(k: &Kernel<'_, '_>, steps: Vec<Step>) -> Bottleneck {
    let mut sentence = words!("What limits it was not measured: collect `--section SpeedOfLight`.");
    if let Some(wait) = wait_phrase(k) {
        sentence.push(words!(" {}", wait));
    }
    Bottleneck::of(Code::NotMeasured, sentence, steps)
}
