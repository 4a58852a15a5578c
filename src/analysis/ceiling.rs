//! What is left on the table: levers with an upper bound each. Bounds are never added up: two levers can be after the
//! same cycles.

use super::bottleneck::{MEMORY, SM, percent};
use super::checks::atomic_contention::{AVERAGE, BUSIEST};
use super::checks::{instruction_fetch::instruction_fetch, spilling};
use super::data_stage::DataStage;
use super::floor::Floor;
use super::ground::Ground;
use super::summary::KernelSummary;
use crate::catalog;
use crate::quantity::{Quantity, Unit, format};

/// Who says it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum LeverOrigin {
    /// Computed here, by the formula that stands beside it.
    Audit,
    /// NVIDIA's own estimate, as its rule stored it in the report.
    NvidiaRule,
}

/// Something that could be tried.
#[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct Lever {
    /// Stable code.
    pub code: String,
    /// Who says it.
    pub origin: LeverOrigin,
    /// Largest part of the run time that it could save, in percent.
    pub bound: f64,
    /// Whether the bound rests on an assumption, which the formula names, so that it says about how much and not at most.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_rough: bool,
    /// How the bound is computed, with the numbers.
    pub formula: String,
    /// What the evidence says, and what to try.
    pub sentence: String,
    /// The metric to read again after trying.
    pub remeasure: String,
}

type Rule = fn(&Ground<'_, '_>) -> Option<Lever>;

/// Our levers. Each is silent where its evidence is missing or the bound is under one percent.
const RULES: [Rule; 12] = [
    small_grid,
    atomics,
    spills,
    fetch,
    uncoalesced,
    shared_conflicts,
    relief,
    stall,
    occupancy_limit,
    tail,
    divergence,
    unit_headroom,
];

/// Code of what the busiest unit leaves free.
const HEADROOM: &str = "unit-headroom";
/// Bounds closer than this read the same on the page, in percentage points.
const SAME_BOUND: f64 = 0.05;

/// All levers, ours by bound, then NVIDIA's by bound.
pub(super) fn levers(ground: &Ground<'_, '_>) -> Vec<Lever> {
    let floor = ground.floor();
    let capped = |lever: Lever| match &floor {
        Some(floor) if floor.most < lever.bound => Lever {
            bound: floor.most,
            is_rough: false,
            formula: format!(
                "{}, and no more than {}: the stated bytes at DRAM's peak",
                lever.formula,
                percent(floor.most)
            ),
            ..lever
        },
        _ => lever,
    };
    let mut ours: Vec<Lever> =
        RULES.iter().filter_map(|rule| rule(ground)).map(capped).filter(|lever| lever.bound >= 1.0).collect();
    if !is_dram_spent(ground) {
        let bounds: Vec<f64> = ours.iter().filter(|lever| lever.code != HEADROOM).map(|lever| lever.bound).collect();
        let is_said = |lever: &Lever| bounds.iter().any(|bound| (bound - lever.bound).abs() < SAME_BOUND);
        ours.retain(|lever| lever.code != HEADROOM || !is_said(lever));
    }
    ours.sort_by(|a, b| b.bound.total_cmp(&a.bound));
    ours.extend(nvidia(ground.kernel));
    ours
}

/// SMs without a block: `1 − blocks / SMs`.
fn small_grid(g: &Ground<'_, '_>) -> Option<Lever> {
    let blocks = g.kernel.key().grid.and_then(crate::evidence::Dim3::count)?;
    let sms = u64::from(g.kernel.first().device.sm_count?);
    (blocks < sms).then(|| Lever {
        code: "small-grid".into(),
        origin: LeverOrigin::Audit,
        bound: 100.0 * (1.0 - blocks as f64 / sms as f64),
        is_rough: false,
        formula: format!("1 − {blocks} blocks / {sms} SMs"),
        sentence: format!(
            "Spread the work over the chip: {} of {sms} SMs have no block. Smaller tiles, split-K, or several problems in one launch.",
            sms - blocks
        ),
        remeasure: "launch__waves_per_multiprocessor".into(),
    })
}

/// Atomics spread evenly over the slices of L2: `1 − average slice / busiest slice`.
fn atomics(g: &Ground<'_, '_>) -> Option<Lever> {
    let (busiest, average) = (g.kernel.value(BUSIEST)?, g.kernel.value(AVERAGE)?);
    (g.is_limited_by(&["memory-hot-spot"]) && busiest >= g.limits.get("sol-low")).then(|| Lever {
        code: "atomic-contention".into(),
        origin: LeverOrigin::Audit,
        bound: 100.0 * (1.0 - average / busiest),
        is_rough: false,
        formula: format!("1 − {} (average slice) / {} (busiest slice)", percent(average), percent(busiest)),
        sentence: "Send fewer atomics to one address: add up within the warp or in shared memory first, or give each block a copy of its own.".into(),
        remeasure: BUSIEST.into(),
    })
}

/// Local sectors over all sectors that loads and stores ask of L1, where the compiler spills.
fn spills(g: &Ground<'_, '_>) -> Option<Lever> {
    let sum = |names: [&str; 2]| Some(g.kernel.value(names[0])? + g.kernel.value(names[1])?);
    let (local, global) = (sum(spilling::LOCAL)?, sum(spilling::GLOBAL)?);
    g.kernel.value(spilling::SPILLS).filter(|spills| *spills > 0.0)?;
    Some(Lever {
        code: "register-spilling".into(),
        origin: LeverOrigin::Audit,
        bound: 100.0 * local / (local + global),
        is_rough: true,
        formula: format!(
            "{} local of {} sectors asked of L1, if the time goes with the sectors",
            format::fixed(local, 0),
            format::fixed(local + global, 0)
        ),
        sentence: "Keep the spilled values in registers: fewer values alive at once, more registers per thread, or arrays with constant indices.".into(),
        remeasure: spilling::SPILLS.into(),
    })
}

/// Waits for the next instruction, capped by the cycles without an issue; where the check finds that the code does not
/// stay in the cache.
fn fetch(g: &Ground<'_, '_>) -> Option<Lever> {
    instruction_fetch(g)?;
    let share = g.stall_share("no_instruction")?;
    let idle = 100.0 * (1.0 - g.stalls.issue_active.new.value()?);
    Some(Lever {
        code: "instruction-fetch".into(),
        origin: LeverOrigin::Audit,
        bound: share.min(idle),
        is_rough: false,
        formula: format!("the least of stall share {} and cycles without issue {}", percent(share), percent(idle)),
        sentence: "Make the code that runs again and again smaller: less unrolling, fewer inlined copies.".into(),
        remeasure: "smsp__average_warps_issue_stalled_no_instruction_per_issue_active.ratio".into(),
    })
}

/// Where DRAM limits and the work is stated, the bytes that it need not move; else excess sectors over all sectors, if
/// the time goes with them.
fn uncoalesced(g: &Ground<'_, '_>) -> Option<Lever> {
    let share = g.coalescing.total("excess-share")?;
    let (excess, all) = (g.coalescing.total("excess")?, g.coalescing.total("sectors")?);
    if share <= 0.0 {
        return None;
    }
    let dram = g.floor().filter(|floor| g.is_limited_by(&["memory-dram"]) && !floor.is_reached());
    let (bound, is_rough, formula) = match dram {
        Some(floor) => (floor.waste(), false, waste(&floor)),
        None => {
            let counts = (format::fixed(excess, 0), format::fixed(all, 0));
            (share, true, format!("{} excess of {} sectors, if the time goes with the sectors", counts.0, counts.1))
        }
    };
    Some(Lever {
        code: "uncoalesced-global-access".into(),
        origin: LeverOrigin::Audit,
        bound,
        is_rough,
        formula,
        sentence: format!(
            "Coalesce the global accesses: {} of the sectors that the warps ask for carry no needed byte.",
            percent(share)
        ),
        remeasure: super::coalescing::SECTORS.into(),
    })
}

/// Wavefronts beyond the ideal, by the addresses of each shared access, over all LSU wavefronts of the data stage.
fn shared_conflicts(g: &Ground<'_, '_>) -> Option<Lever> {
    let excess = match g.kernel.value("derived__memory_l1_wavefronts_shared_excessive") {
        Some(excess) => excess,
        None => g.kernel.value("memory_l1_wavefronts_shared")? - g.kernel.value("memory_l1_wavefronts_shared_ideal")?,
    };
    let all = g.kernel.value("memory_l1_wavefronts_shared")?;
    if all <= 0.0 {
        return None;
    }
    let share = 100.0 * excess / all;
    Some(Lever {
        code: "shared-bank-conflicts".into(),
        origin: LeverOrigin::Audit,
        bound: share,
        is_rough: false,
        formula: format!("{} excess of {} shared-memory wavefronts", format::fixed(excess, 0), format::fixed(all, 0)),
        sentence: format!(
            "Change the shared-memory layout (padding or a swizzle): bank conflicts make {} of its wavefronts.",
            percent(share)
        ),
        remeasure: "memory_l1_wavefronts_shared".into(),
    })
}

/// The largest stall, capped by the cycles without an issue and by what the busiest side leaves free.
fn stall(g: &Ground<'_, '_>) -> Option<Lever> {
    let (_, top) = g.stalls.top()?;
    let share = g.stall_share(&top.reason)?;
    let idle = 100.0 * (1.0 - g.stalls.issue_active.new.value()?);
    let free = 100.0 - g.kernel.value(SM)?.max(g.kernel.value(MEMORY)?);
    let row = catalog::stall(&top.reason);
    let executed = |opcode: &str| g.mix.count(opcode).is_some_and(|count| count > 0.0);
    let particular = row.and_then(|row| row.reading_for(executed)?.advice);
    let advice = match (particular, top.reason.as_str()) {
        (Some(particular), _) => particular.to_owned(),
        (None, "long_scoreboard") => load_advice(g),
        (None, _) => row.map(|row| row.advice).unwrap_or_default().to_owned(),
    };
    let what = match top.reason.as_str() {
        "wait" => "Fill the fixed latencies between dependent instructions (Wait)".to_owned(),
        _ => format!("Shorten the waits on {}", top.row.label),
    };
    Some(Lever {
        code: format!("stall-{}", top.reason.replace('_', "-")),
        origin: LeverOrigin::Audit,
        bound: share.min(idle).min(free),
        is_rough: false,
        formula: format!(
            "the least of stall share {}, cycles without issue {}, and what the busiest side leaves free {}",
            percent(share),
            percent(idle),
            percent(free)
        ),
        sentence: format!("{what}. {advice}").trim().to_string(),
        remeasure: format!("smsp__average_warps_issue_stalled_{}_per_issue_active.ratio", top.reason),
    })
}

/// What shortens waits for loads, by what the kernel does: no advice to coalesce where nothing is in excess, to use
/// shared memory where it does, and local memory first where it has some.
fn load_advice(g: &Ground<'_, '_>) -> String {
    let executed = |opcode: &str| g.mix.count(opcode).is_some_and(|count| count > 0.0);
    let mut ways = Vec::new();
    if executed("LDL") {
        ways.push("take values out of local memory (spills, or arrays with indices that are not constant)");
    }
    ways.extend(["have more loads in flight before the first use", "raise the share found in cache"]);
    if g.coalescing.total("excess-share").is_some_and(|share| share >= 1.0) {
        ways.push("coalesce");
    }
    if !executed("LDS") {
        ways.push("move reused data to shared memory");
    }
    let last = ways.pop().unwrap_or_default();
    let all = format!("{}, or {last}.", ways.join(", "));
    all[..1].to_uppercase() + &all[1..]
}

/// Resident warps missing to the full SM, where the warps wait and no unit is busy.
fn occupancy_limit(g: &Ground<'_, '_>) -> Option<Lever> {
    let theoretical = g.kernel.value("sm__maximum_warps_per_active_cycle_pct")?;
    let waits = g.bottleneck.limiter.0.starts_with("latency");
    let idle = 100.0 * (1.0 - g.stalls.issue_active.new.value()?);
    let binding = g.occupancy.binding().join(" and ");
    (waits && theoretical < g.limits.get("occupancy-theoretical-low") && !binding.is_empty()).then(|| Lever {
        code: "occupancy-limit".into(),
        origin: LeverOrigin::Audit,
        bound: (100.0 - theoretical).min(idle),
        is_rough: false,
        formula: format!(
            "the least of 100 % − theoretical occupancy {} and cycles without issue {}",
            percent(theoretical),
            percent(idle)
        ),
        sentence: format!(
            "Make room for more warps: the SM holds {} of its warps, by {binding}.",
            percent(theoretical)
        ),
        remeasure: "sm__warps_active.avg.pct_of_peak_sustained_active".into(),
    })
}

/// The last, partly filled wave: `1 − waves / ⌈waves⌉`.
fn tail(g: &Ground<'_, '_>) -> Option<Lever> {
    let waves = g.occupancy.waves?;
    (waves > 1.0 && waves.fract() > 0.0).then(|| Lever {
        code: "tail-wave".into(),
        origin: LeverOrigin::Audit,
        bound: 100.0 * (1.0 - waves / waves.ceil()),
        is_rough: false,
        formula: format!("1 − {} / {} waves", format::fixed(waves, 2), format::fixed(waves.ceil(), 0)),
        sentence: format!(
            "Fit the grid to whole waves: the last of {} waves is {} full.",
            format::fixed(waves.ceil(), 0),
            percent(100.0 * waves.fract())
        ),
        remeasure: "launch__waves_per_multiprocessor".into(),
    })
}

/// Lanes that were switched off: `1 − (threads per instruction, predicated on) / 32`.
fn divergence(g: &Ground<'_, '_>) -> Option<Lever> {
    let on = g.kernel.value("smsp__thread_inst_executed_pred_on_per_inst_executed.ratio")?;
    let idle = 100.0 * (1.0 - on / 32.0);
    (on < g.limits.get("thread-utilisation-low")).then(|| Lever {
        code: "idle-lanes".into(),
        origin: LeverOrigin::Audit,
        bound: idle,
        is_rough: false,
        formula: format!("1 − {} / 32 threads per executed instruction", format::fixed(on, 2)),
        sentence: format!(
            "Keep the lanes busy: on average {} of 32 threads take part in an instruction.",
            format::fixed(on, 2)
        ),
        remeasure: "smsp__thread_inst_executed_pred_on_per_inst_executed.ratio".into(),
    })
}

/// If the limiting unit had nothing to do, the busiest part whose work stays would set the time: `1 − next / unit`. Where
/// DRAM limits and the work is stated, the bytes that it need not move; nothing where there are none.
fn relief(g: &Ground<'_, '_>) -> Option<Lever> {
    let unit = g.bottleneck.unit.as_ref()?;
    let lever = |bound: f64, formula: String, sentence: String| Lever {
        code: format!("relieve-{}", unit.code),
        origin: LeverOrigin::Audit,
        bound,
        is_rough: false,
        formula,
        sentence,
        remeasure: unit.counter.clone(),
    };
    if let Some(floor) = g.floor().filter(|_| unit.code == "memory-dram") {
        let is_for_coalescing = g.coalescing.total("excess-share").is_some_and(|share| share >= 1.0);
        let sentence = format!(
            "Give DRAM less to do (reuse in L2, whole sectors): it moves {} times the bytes that the work needs.",
            format::fixed(floor.moved / floor.stated, 2)
        );
        return (!floor.is_reached() && !is_for_coalescing).then(|| lever(floor.waste(), waste(&floor), sentence));
    }
    let next = g.bottleneck.next.as_ref()?;
    Some(lever(
        100.0 * (1.0 - next.percent / unit.percent),
        format!("1 − {} ({}) / {} ({})", percent(next.percent), next.counter, percent(unit.percent), unit.counter),
        format!(
            "Give {} less to do{}: of the parts whose work stays the busiest is {}, at {} ({}).",
            unit.label,
            relief_advice(g, &unit.code),
            next.label,
            percent(next.percent),
            next.counter
        ),
    ))
}

/// How much of what DRAM moved the work does not need, with the numbers.
fn waste(floor: &Floor) -> String {
    let bytes = |value: f64| Quantity::new(value, Unit::BYTE).map(format::quantity).unwrap_or_default();
    format!("1 − {} stated / {} moved by DRAM", bytes(floor.stated), bytes(floor.moved))
}

/// Whether DRAM limits and moves no more than the stated work needs.
fn is_dram_spent(g: &Ground<'_, '_>) -> bool {
    let is_dram = g.bottleneck.unit.as_ref().is_some_and(|unit| unit.code == "memory-dram");
    is_dram && g.floor().is_some_and(|floor| floor.is_reached())
}

/// How work is taken off a unit, in a few words, by what fills it.
fn relief_advice(g: &Ground<'_, '_>, code: &str) -> &'static str {
    let excess = g.coalescing.total("excess-share").is_some_and(|share| share >= 1.0);
    const OPERANDS: &str = " (most of its wavefronts read operands of warpgroup products: larger tiles for each product, or the first operand from registers)";
    let stage = DataStage::of(g.kernel);
    match code {
        "memory-shared" if stage.is_some_and(|stage| stage.is_mostly_operands()) => OPERANDS,
        "memory-shared" => " (keep operands in registers, so that each value that is loaded feeds more arithmetic)",
        "memory-l1tex" | "memory-lsu" => match stage {
            Some(stage) if stage.is_mostly_shared() && stage.is_mostly_operands() => OPERANDS,
            Some(stage) if stage.is_mostly_shared() => {
                " (most of its wavefronts are those of shared memory: let each value that is read there feed more arithmetic)"
            }
            _ if excess => " (coalesce, widen the accesses, or reuse data in shared memory or registers)",
            _ => " (widen the accesses, or reuse data in shared memory or registers)",
        },
        "memory-l2" => " (reuse data inside the SM)",
        "memory-dram" => " (move fewer bytes: smaller types, fusion, reuse in L2)",
        "compute-xu" => " (fewer or approximate special functions)",
        "compute-fp64" => " (lower precision where the result allows it)",
        _ => "",
    }
}

/// What the busiest unit leaves free: the most that any schedule of the same work can gain.
fn unit_headroom(g: &Ground<'_, '_>) -> Option<Lever> {
    let unit = g.bottleneck.unit.as_ref()?;
    let more = match g.floor().filter(|_| is_dram_spent(g)) {
        Some(floor) => format!(
            "It moved {} of the bytes that the work needs, so that nothing more is left unless the work itself changes (smaller types, fusion).",
            percent(100.0 * floor.moved / floor.stated)
        ),
        None => "To gain more, give that unit less to do.".to_owned(),
    };
    Some(Lever {
        code: HEADROOM.into(),
        origin: LeverOrigin::Audit,
        bound: 100.0 - unit.percent,
        is_rough: false,
        formula: format!("100 % − {} ({})", percent(unit.percent), unit.counter),
        sentence: format!(
            "Overlap better: with the same work {} has {} of its peak left. {more}",
            unit.label,
            percent(100.0 - unit.percent)
        ),
        remeasure: unit.counter.clone(),
    })
}

/// NVIDIA's estimates, one for each rule message that carries one, from the first launch.
fn nvidia(kernel: &KernelSummary<'_>) -> Vec<Lever> {
    let mut levers: Vec<Lever> = Vec::new();
    let ruled = kernel.launches().iter().find(|launch| !launch.rules.is_empty());
    for rule in ruled.iter().flat_map(|launch| &launch.rules) {
        let Some(speedup) = rule.speedup.filter(|s| s.percent >= 1.0) else { continue };
        let scope = if speedup.is_global { "of the run time" } else { "of the part that the rule looks at" };
        let title = rule.messages.iter().map(|m| &m.title).find(|t| !t.is_empty()).unwrap_or(&rule.name);
        levers.push(Lever {
            code: rule.id.to_string(),
            origin: LeverOrigin::NvidiaRule,
            bound: speedup.percent,
            is_rough: false,
            formula: format!("NVIDIA's rule {}, {scope}", rule.id),
            sentence: title.to_string(),
            remeasure: rule.focus.first().map(|f| f.metric.to_string()).unwrap_or_default(),
        });
    }
    levers.sort_by(|a, b| b.bound.total_cmp(&a.bound));
    levers
}
