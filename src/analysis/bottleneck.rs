//! What limits the kernel: a short walk from the whole chip down to one unit or one reason to wait.

use super::limits::Limits;
use super::occupancy::Occupancy;
use super::stalls::{StallBasis, StallRow, Stalls};
use super::summary::KernelSummary;
use super::units::{self, BusyUnit};
use crate::catalog::{self, ChipSide};
use crate::evidence::Reading;
use crate::quantity::format;

/// Compute throughput of the SMs, percent of peak.
pub(super) const SM: &str = "sm__throughput.avg.pct_of_peak_sustained_elapsed";
/// Throughput of the memory system, percent of peak.
pub(super) const MEMORY: &str = "gpu__compute_memory_throughput.avg.pct_of_peak_sustained_elapsed";
/// The shared-memory part of the L1 data stage.
const SHARED: &str = "l1tex__data_pipe_lsu_wavefronts_mem_shared.sum.pct_of_peak_sustained_elapsed";

/// What limits a kernel: a code of the catalog's vocabulary, [`catalog::limiter`].
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
    /// The busiest counter of a part of the chip that the limiting unit's work does not pass.
    pub next: Option<BusyUnit>,
}

/// The walk for one kernel.
pub(super) fn bottleneck(
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
        return without_throughput(stalls, small, steps);
    };
    let (low, tie) = (limits.get("sol-low"), limits.get("sol-balance"));
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
    let verdict = unit_verdict(kernel, &units, unit, (sm_pct, memory_pct, tie), stalls, steps);
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

/// A unit that is busy but not near its peak is kept from it by something. Where the warps spend more than the
/// threshold of their time on one wait, and that wait is no queue in front of the unit itself, the wait limits.
/// Left out are the waits that no change removes: `wait`, the fixed latency of an instruction, and being ready.
fn held_back(mut verdict: Bottleneck, stalls: &Stalls, limits: &Limits) -> Bottleneck {
    let Some(unit) = verdict.unit.clone().filter(|unit| unit.percent < limits.get("sol-high")) else {
        return verdict;
    };
    let Some(part) = catalog::subsystem(&unit.code).filter(|_| verdict.limiter.0 == unit.code) else { return verdict };
    let Some(table) = stalls.table(StallBasis::ShareOfWarpTime).filter(|_| !stalls.are_hidden) else { return verdict };
    let is_removable = |row: &&StallRow| !matches!(row.reason.as_str(), "selected" | "not_selected" | "wait");
    let Some(top) = table.rows.iter().find(is_removable) else { return verdict };
    let Some(share) = top.row.new.value() else { return verdict };
    let is_own_queue = part.queues.contains(&top.reason);
    let decides = share >= limits.get("stall-share") && !is_own_queue;
    verdict.steps.push(Step {
        question: "What keeps that unit from its peak?".into(),
        answer: format!(
            "the largest wait is {} with {} of the time between two issued instructions: {}",
            top.row.label,
            percent(share),
            match (decides, is_own_queue) {
                (true, _) => "it decides".to_string(),
                (false, true) => "a queue in front of that unit".to_string(),
                (false, false) => format!("below {}, the unit stays", percent(limits.get("stall-share"))),
            }
        ),
        readings: vec![(top.row.id.clone(), top.row.new.clone())],
    });
    if !decides {
        return verdict;
    }
    let (code, kind) = waiting_code(&top.reason);
    let sentence = format!(
        "{kind} limits it: warps spend {} of the time between two issued instructions on {}{}; the busiest unit, {}, is kept at {} of its peak.",
        percent(share),
        top.row.label,
        catalog::stall(&top.reason).map(|row| format!(" ({})", row.means.trim_end_matches('.'))).unwrap_or_default(),
        unit.label,
        percent(unit.percent)
    );
    Bottleneck { limiter: Limiter(code), sentence, ..verdict }
}

/// The code of a limit by waiting, and the word that a sentence begins with.
fn waiting_code(reason: &str) -> (String, &'static str) {
    let Some(row) = catalog::stall(reason) else { return ("latency-other".into(), "Latency") };
    let prefix = catalog::prefix_of(row.kind);
    let kind = if prefix == "sync" { "Synchronisation" } else { "Latency" };
    (format!("{prefix}-{}", row.id.replace('_', "-")), kind)
}

/// A unit is near its peak: name it, and say what stands beside it.
fn unit_verdict(
    kernel: &KernelSummary<'_>,
    units: &[BusyUnit],
    mut unit: BusyUnit,
    (sm_pct, memory_pct, tie): (f64, f64, f64),
    stalls: &Stalls,
    mut steps: Vec<Step>,
) -> Bottleneck {
    let shared = kernel.reading(SHARED);
    let is_lsu_data =
        unit.counter.starts_with("l1tex__data_pipe_lsu_wavefronts") || unit.counter.starts_with("l1tex__lsuin");
    if let Some(part) = shared.value().filter(|part| is_lsu_data && *part > unit.percent / 2.0) {
        steps.push(unit_step(kernel, units, &unit));
        steps.push(Step {
            question: "Which accesses fill the L1 data stage?".into(),
            answer: format!("shared memory takes {} of the {}", percent(part), percent(unit.percent)),
            readings: vec![(SHARED.into(), shared)],
        });
        unit.code = "memory-shared".into();
        unit.label = "shared memory".into();
    } else {
        steps.push(unit_step(kernel, units, &unit));
    }
    let side = unit.side();
    let other = units.iter().find(|u| {
        matches!(
            (side, u.side()),
            (Some(ChipSide::Memory), Some(ChipSide::Compute)) | (Some(ChipSide::Compute), Some(ChipSide::Memory))
        )
    });
    if let Some(other) = other.filter(|other| unit.percent - other.percent < tie) {
        let sentence = format!(
            "Two sides are near their peak: {} at {} and {} at {}; relieving one alone gains little.",
            unit.label,
            percent(unit.percent),
            other.label,
            percent(other.percent)
        );
        return Bottleneck {
            limiter: Limiter("balanced".into()),
            sentence,
            steps,
            unit: Some(unit),
            next: Some(other.clone()),
        };
    }
    let mut sentence =
        format!("{} limits it: `{}` is at {} of its peak", capital(&unit.label), unit.counter, percent(unit.percent));
    match (side, other) {
        (Some(ChipSide::Memory), Some(math)) => {
            sentence += &format!(", while the busiest compute unit, {}, is at {}", math.label, percent(math.percent));
            if sm_pct >= memory_pct - tie {
                sentence += &format!(
                    ". The SM number of {} is the same load/store work seen from the issuing side, not arithmetic",
                    percent(sm_pct)
                );
            }
        }
        (Some(ChipSide::Compute), Some(memory)) => {
            sentence +=
                &format!(", while the busiest memory unit, {}, is at {}", memory.label, percent(memory.percent));
        }
        _ => {}
    }
    sentence.push('.');
    if let Some(wait) = wait_phrase(stalls) {
        sentence += &format!(" {wait}");
    }
    let next = units.iter().find(|u| path(&u.code) != path(&unit.code)).cloned();
    Bottleneck { limiter: Limiter(unit.code.clone()), sentence, steps, unit: Some(unit), next }
}

/// The way through the chip that a part belongs to: load and store instructions, the L1 data stage and shared memory
/// are stations of one way, so one of them busy makes the others busy.
fn path(code: &str) -> &str {
    match code {
        "memory-l1tex" | "memory-shared" | "memory-lsu" => "l1",
        other => other,
    }
}

fn unit_step(kernel: &KernelSummary<'_>, units: &[BusyUnit], unit: &BusyUnit) -> Step {
    let next = units.iter().find(|u| u.counter != unit.counter);
    let next = next.map(|u| format!("; beside it `{}` at {}", u.counter, percent(u.percent))).unwrap_or_default();
    Step {
        question: "Which unit is the busiest?".into(),
        answer: format!("`{}` ({}) at {}{next}", unit.counter, unit.label, percent(unit.percent)),
        readings: vec![(unit.counter.clone(), kernel.reading(&unit.counter))],
    }
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
    let short = kernel.value(super::performance::DURATION).filter(|ns| *ns < limits.get("short-kernel"));
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

/// No unit is busy: the warps wait, and the largest stall says for what.
fn waiting(stalls: &Stalls, mut steps: Vec<Step>, sm: f64, memory: f64) -> Bottleneck {
    let busy = format!("compute is at {} and memory at {} of peak", percent(sm), percent(memory));
    let Some((table, top)) = stalls.top() else {
        let sentence = format!(
            "Latency limits it: {busy}, and the report holds no stall reasons that say what the warps wait for."
        );
        return Bottleneck { limiter: Limiter("latency".into()), sentence, steps, unit: None, next: None };
    };
    let row = catalog::stall(&top.reason);
    let shown = amount(table.basis, &top.row.new);
    steps.push(Step {
        question: "What do the warps wait for?".into(),
        answer: format!("{} {shown}", top.row.label),
        readings: vec![(top.row.id.clone(), top.row.new.clone())],
    });
    if let Some(issue) = issuing(stalls, top, &busy, &mut steps) {
        return Bottleneck { limiter: Limiter("issue".into()), sentence: issue, steps, unit: None, next: None };
    }
    let means = row.map(|row| format!(" ({})", row.means.trim_end_matches('.'))).unwrap_or_default();
    let (code, kind) = waiting_code(&top.reason);
    let sentence = format!("{kind} limits it: {busy}; the largest stall is {} with {shown}{means}.", top.row.label);
    Bottleneck { limiter: Limiter(code), sentence, steps, unit: None, next: None }
}

/// Warps that are ready to issue, or issue, for a larger part of their time than they wait for any one reason: then the
/// number of instructions sets the time, although other waits keep the issue slots below their peak.
fn issuing(stalls: &Stalls, top: &StallRow, busy: &str, steps: &mut Vec<Step>) -> Option<String> {
    let table = stalls.table(StallBasis::ShareOfWarpTime)?;
    let share = |reason: &str| table.rows.iter().find(|row| row.reason == reason)?.row.new.value();
    let (selected, ready) = (share("selected")?, share("not_selected")?);
    let wait = share(&top.reason).filter(|wait| selected + ready > *wait)?;
    let active = stalls.issue_active.new.value()?;
    let sum = percent(selected + ready);
    steps.push(Step {
        question: "Do the warps wait longer than they issue?".into(),
        answer: format!(
            "no: they are ready or issue for {sum} of their time, {} takes {}",
            top.row.label,
            percent(wait)
        ),
        readings: vec![(stalls.issue_active.id.clone(), stalls.issue_active.new.clone())],
    });
    Some(format!(
        "The number of instructions limits it: {busy}, and warps are ready to issue, or issue, for {sum} of their time, more than they wait for any one reason (the largest is {} with {}); a scheduler issues in {} of its cycles.",
        top.row.label,
        percent(wait),
        percent(100.0 * active)
    ))
}

fn without_throughput(stalls: &Stalls, small: Option<Bottleneck>, steps: Vec<Step>) -> Bottleneck {
    if let Some(verdict) = small {
        return Bottleneck { steps, ..verdict };
    }
    let wait = wait_phrase(stalls).map(|w| format!(" {w}")).unwrap_or_default();
    Bottleneck {
        limiter: Limiter("not-measured".into()),
        sentence: format!("What limits it was not measured: collect `--section SpeedOfLight`.{wait}"),
        steps,
        unit: None,
        next: None,
    }
}

/// Shares of a warp's time below which a wait is not worth a sentence, in percent.
const SMALL_WAIT: f64 = 5.0;

/// `Its warps wait mostly on X: N %`, for a sentence; `None` where the largest wait is small.
fn wait_phrase(stalls: &Stalls) -> Option<String> {
    let (table, top) = stalls.top()?;
    if table.basis != StallBasis::PerIssue && top.row.new.value().is_some_and(|share| share < SMALL_WAIT) {
        return None;
    }
    Some(format!("Its warps wait mostly on {}: {}.", top.row.label, amount(table.basis, &top.row.new)))
}

fn amount(basis: StallBasis, reading: &Reading) -> String {
    let Some(q) = reading.quantity() else { return "no number".into() };
    match basis {
        StallBasis::ShareOfWarpTime => format!("{} of the time between two issued instructions", percent(q.value())),
        StallBasis::PerIssue => format!("{} cycles per issued instruction", format::fixed(q.value(), 2)),
        StallBasis::ShareOfActive => format!("{} of the cycles of resident warps", percent(q.value())),
        StallBasis::PercentOfPeak => format!("{} of the peak number of warps", percent(q.value())),
        StallBasis::Samples => format!("{} of the warp samples", percent(q.value())),
    }
}

pub(super) fn percent(value: f64) -> String {
    format!("{} %", format::fixed(value, 2))
}

fn capital(text: &str) -> String {
    let mut chars = text.chars();
    chars.next().map(|first| first.to_uppercase().collect::<String>() + chars.as_str()).unwrap_or_default()
}
