//! Where the time goes: the phases of the role that sets the pace, each with its lines, cycles and waits.

use super::numbers::value;
use super::phase_rows::{once, shown, twin};
use super::places;
use crate::analysis::phases::{CycleUnit, OpcodeRun, Pace, Phase, PhaseKind, Phases, Wait};
use crate::analysis::{Audit, Unit};
use crate::catalog::{Counter, Part, Threshold};
use crate::quantity::{format, glance};
use crate::view::charts;
use crate::view::document::{Block, Cell, Section, Table};
use crate::view::heading::Heading;
use crate::view::tables::{columns_of, count, filled, left, list, paragraph, table, text};
use crate::words::{Words, words};

/// Samples below which shares by phase say too little.
const ENOUGH: u64 = 1_000;
/// Samples below which a share reads as small.
const FEW: u64 = 25;
/// Shares below this are no row: beside an old side, which may have had more of it, and without one.
pub(super) const SMALL: f64 = 0.01;
pub(super) const SMALL_ALONE: f64 = 0.025;
/// Rows beside that of a loop which its parts follow.
const ROWS: usize = 8;
/// Lines of another role below this share of its samples are no row.
const LINE: f64 = 0.05;
/// Waits told of a phase, and the share of it from which the second is.
const WAITS: usize = 2;
const SECOND: f64 = 0.25;
/// The share of a phase whose issue floor is told.
const LARGE: f64 = 0.15;

/// Units that warps of a phase may queue for.
const UNITS: [Counter; 4] = [
    Counter::GpuComputeMemoryThroughputAvgPctElapsed,
    Counter::SmThroughputAvgPctElapsed,
    Counter::LtsThroughputAvgPctElapsed,
    Counter::GpuDramThroughputAvgPctElapsed,
];

/// The section; `None` without phases worth a row, or with too few samples.
pub(super) fn section(audit: &Audit) -> Option<Section> {
    let phases = audit.now.phases.as_ref().filter(|phases| phases.samples >= ENOUGH)?;
    let old = audit.before.as_ref().and_then(|old| old.phases.as_ref());
    let old = old.filter(|old| old.samples >= ENOUGH && is_same_loop(phases, old));
    let shown = shown(
        &phases.phases,
        old.map(|old| old.phases.as_slice()),
        if audit.before.is_some() { SMALL } else { SMALL_ALONE },
        ROWS,
    );
    if shown.is_empty() {
        return None;
    }
    let launched = value(audit, Counter::LaunchGridSize);
    let is_one_wave = value(audit, Counter::LaunchWavesPerMultiprocessor).is_some_and(|waves| waves <= 1.0);
    let step = step(phases, is_one_wave);
    let mut blocks = vec![
        paragraph("phases-basis", basis(phases, launched, is_one_wave)),
        Block::from(rows(audit, &shown, phases, old, step, false)),
    ];
    blocks.extend(pacer(audit, phases));
    let notes = notes(audit, phases, step);
    if !notes.is_empty() {
        blocks.push(list("phases-notes", notes));
    }
    Some(Section::new("phases", "Where the time goes", blocks))
}

/// Every phase and part with everything that is known of each, and the timeline; `None` where the report does not count and sample
/// by instruction, or the kernel is one stretch.
pub(in crate::view) fn in_full(heading: &Heading, audit: &Audit) -> Option<Section> {
    let phases = audit.now.phases.as_ref().filter(|phases| !phases.phases.is_empty())?;
    let old = audit.before.as_ref().and_then(|old| old.phases.as_ref()).filter(|old| is_same_loop(phases, old));
    let shown = shown(&phases.phases, old.map(|old| old.phases.as_slice()), 0.0, usize::MAX);
    let launch = audit.source.as_ref().map_or_else(String::new, |source| format!(" of launch {}", source.launch));
    let basis = words!(
        "{} warp samples{}. A share is of the lifetime of a warp of the pacing role; issue slots are the cycles that the schedulers need to issue the phase's instructions.",
        format::integer(phases.samples),
        launch
    );
    let mut blocks = vec![paragraph("phases-basis", basis)];
    blocks.extend(charts::placed(heading, charts::phases(audit)));
    blocks.push(rows(audit, &shown, phases, old, None, true).into());
    Some(Section::new("phases-in-full", "Phases in full", blocks))
}

/// Whether two sides run the same loop, so that the share of a phase can be set beside the old one's.
fn is_same_loop(new: &Phases, old: &Phases) -> bool {
    let kinds = |side: &Phases| side.leaves().map(|phase| phase.kind).collect::<Vec<_>>();
    let steps = new.steps.zip(old.steps).map(|(new, old)| (new / old - 1.0).abs() < 0.01);
    kinds(new) == kinds(old) && new.roles.len() == old.roles.len() && steps != Some(false)
}

/// Who runs the phases, for how long, in how many tiles and steps, and what the elapsed time is made of.
fn basis(phases: &Phases, blocks: Option<f64>, is_one_wave: bool) -> Words {
    let whose = if phases.is_time { "the time" } else { "a warp's lifetime" };
    let mut words = match phases.roles.as_slice() {
        [_] if phases.warps == 1 => words!("A block is one warp; a share of the samples is a share of {}.", whose),
        [_] => words!(
            "One role: all {} of a block run the same code; a share of the samples is a share of {}.",
            format::counted(phases.warps, "warp"),
            whose
        ),
        roles => {
            let named = |at: usize| {
                let of = format!("{} of {} warps", roles[at].warps, phases.warps);
                format!("{} ({of})", places::role_name(phases, at))
            };
            let own = named(phases.pacing);
            let said = match phases.pace {
                Some(Pace::Role(at)) if at == phases.pacing => format!("The {own} set the pace"),
                Some(Pace::Role(at)) => format!("The {} sets the pace. The phases are those of the {own}", named(at)),
                Some(Pace::Copies) => format!("Each waits for the other. The phases are those of the {own}"),
                None => format!("The phases are those of the {own}"),
            };
            words!("{} roles. {}; shares are of their samples.", roles.len().to_string(), said)
        }
    };
    words.push(words!(" {}", tiles(phases, blocks, is_one_wave)));
    words
}

/// `21,756 tiles, 164.8 a block, each 15,387 cycles, 6 steps.`
fn tiles(phases: &Phases, blocks: Option<f64>, is_one_wave: bool) -> String {
    let steps = phases.steps.filter(|steps| *steps > 1.0).map(places::count);
    let per_block = |tiles: f64| {
        blocks.map(|blocks| format!(", {} a block", (10.0 * tiles / blocks).round() / 10.0)).unwrap_or_default()
    };
    if let (Some(groups), Some(tiles), Some(cycles)) = (phases.in_turn, phases.tiles, phases.cycles) {
        return format!(
            "Persistent blocks: {} tiles{}. {groups} warpgroups take them in turn, each one in {} cycles.",
            format::fixed(tiles, 0),
            per_block(tiles),
            glance::cycles(cycles)
        );
    }
    let Some(cycles) = phases.cycles else {
        return steps.map(|steps| format!("{steps} steps.")).unwrap_or_default();
    };
    let each = match &steps {
        Some(steps) => format!("{} cycles, {steps} steps", glance::cycles(cycles)),
        None => format!("{} cycles", glance::cycles(cycles)),
    };
    match (phases.unit, phases.tiles) {
        (Some(CycleUnit::Tile), Some(tiles)) => {
            format!("Persistent blocks: {} tiles{}, each {each}.", format::fixed(tiles, 0), per_block(tiles))
        }
        (Some(CycleUnit::Block), Some(blocks)) if is_one_wave => {
            format!("{} blocks, resident for the whole launch, each {each}.", format::fixed(blocks, 0))
        }
        (Some(CycleUnit::Block), Some(tiles)) => {
            format!("{} tiles, one per block, each {each}.", format::fixed(tiles, 0))
        }
        _ => {
            let ready: f64 = phases.phases.iter().map(|phase| phase.share - phase.cost).sum();
            let said = " A warp that is ready while another one issues counts in the samples of a phase, and not in its cycles.";
            format!("Warp lifetime: {each}.{}", if ready >= SMALL_ALONE { said } else { "" })
        }
    }
}

fn rows(
    audit: &Audit,
    shown: &[(&Phase, bool)],
    phases: &Phases,
    old: Option<&Phases>,
    step: Option<f64>,
    is_full: bool,
) -> Table {
    let launched = value(audit, Counter::LaunchGridSize);
    let file = places::file(phases);
    let lines = if file.is_empty() { "Offsets".to_owned() } else { format!("Lines of {file}") };
    let own = if old.is_some() { "New" } else { "Samples" };
    let unit = match (phases.unit, step) {
        (_, Some(_)) => "Cycles/step",
        (Some(CycleUnit::Tile | CycleUnit::Block), _) => "Cycles/tile",
        _ => "Cycles",
    };
    let head = format!(
        "Phase | {lines} | Old: | {own}: | {unit}: | Tensor: | Counted: | Issue slots: | Executed: | Opcodes | Waits (of the phase)"
    );
    let line = |(phase, is_part): &(&Phase, bool)| {
        let label = words!("{}{}", if *is_part { "· " } else { "" }, places::row(phase, phases.steps));
        let was = old.and_then(|old| twin(&phases.phases, &old.phases, phase)).map(share);
        // The last products run on in the drain, and those of several loops are counted together.
        let is_loop = |other: &&Phase| other.kind == PhaseKind::MainLoop;
        let has_others = is_loop(phase) && phases.phases.iter().filter(|other| is_loop(other)).count() > 1;
        let drain = match is_loop(phase) && phases.share(PhaseKind::Drain) > 0.0 {
            _ if has_others => " of all main loops",
            true => " with the drain",
            false => "",
        };
        let tensor = |tensor: f64| text(format!("{}{drain}", glance::cycles(tensor))).sorted(tensor);
        let issue = |issue: f64| text(glance::cycles(issue)).sorted(issue);
        let run = |run: &OpcodeRun| format!("{} {} ({})", run.count, run.opcode, glance::short(run.executed as f64));
        let opcodes = || text(phase.opcodes.iter().map(run).collect::<Vec<_>>().join(", "));
        let more = is_full.then(|| {
            [count(phase.samples), phase.issue.map(issue).unwrap_or_default(), count(phase.executed), opcodes()]
        });
        let mut cells = vec![
            text(label),
            text(places::lines(phase, file)),
            was.unwrap_or_default(),
            if old.is_some() { share(phase).strong() } else { share(phase) },
            cycles(phases, phase, step, launched),
            phase.tensor.map(|all| tensor(all / step.unwrap_or(1.0))).unwrap_or_default(),
        ];
        cells.extend(more.unwrap_or_default());
        cells.push(text(if is_full { places::waits(phase, file) } else { waits(audit, phases, phase) }));
        cells
    };
    filled("phases", head, shown.iter().map(line))
}

/// The lines of the role that sets the pace, where the phases are those of another one.
fn pacer(audit: &Audit, phases: &Phases) -> Option<Block> {
    let Some(Pace::Role(at)) = phases.pace.filter(|pace| *pace != Pace::Role(phases.pacing)) else { return None };
    let lines: Vec<&Phase> = phases.roles[at].lines.iter().filter(|line| line.share >= LINE).collect();
    let file = places::file(phases);
    let name = format::capital(&places::role_name(phases, at));
    let columns = [format!("{name}, by line"), format!("Lines of {file}")].map(|title| left(&title));
    let columns = [&columns[..], &columns_of("Samples: | Instructions: | Waits (of the line)")].concat();
    let row = |line: &&Phase| {
        vec![
            text(places::row(line, None)),
            text(places::call_line(line, file)),
            share(line),
            text(glance::short(line.executed as f64)).sorted(line.executed as f64),
            text(waits(audit, phases, line)),
        ]
    };
    (!lines.is_empty()).then(|| table("pacer", columns, lines.iter().map(row)).into())
}

/// Steps by which the cycles of the main loop are told: where they are of the life of a warp, or of a block that stays for the
/// launch, and nearly all of it is that loop.
fn step(phases: &Phases, is_one_wave: bool) -> Option<f64> {
    let steps = phases.steps.filter(|steps| *steps >= 2.0)?;
    let is_life = match phases.unit? {
        CycleUnit::Warp => true,
        CycleUnit::Block => is_one_wave,
        CycleUnit::Tile => false,
    };
    (is_life && phases.share(PhaseKind::MainLoop) >= 0.9).then_some(steps)
}

fn share(phase: &Phase) -> Cell {
    let share = 100.0 * phase.share;
    let written = match phase.samples {
        few if few < FEW && share < 0.1 => "< 0.1 %".into(),
        _ => format!("{} %", format::fixed(share, 1)),
    };
    text(written).sorted(share)
}

/// Cycles of a phase. Of the life of a warp those in which it is ready and another one issues are none of the phase's own: they go to
/// whoever issues.
fn spent(phases: &Phases, phase: &Phase) -> Option<f64> {
    let own = if phases.unit == Some(CycleUnit::Warp) && phase.share > 0.0 { phase.cost / phase.share } else { 1.0 };
    phase.cycles.map(|cycles| own * cycles)
}

fn cycles(phases: &Phases, phase: &Phase, step: Option<f64>, blocks: Option<f64>) -> Cell {
    let in_loop = phases.phases.iter().any(|own| {
        own.kind == PhaseKind::MainLoop
            && (std::ptr::eq(own, phase) || own.parts.iter().any(|part| std::ptr::eq(part, phase)))
    });
    let own = spent(phases, phase);
    let value = match step {
        Some(steps) => own.filter(|_| in_loop).map(|cycles| cycles / steps),
        None => own,
    };
    // Of a prologue that a block runs once, a tile has a part alone.
    let once = once(phases, phase, blocks).map(|whole| format!("; {} once a block", glance::cycles(whole)));
    let once = once.unwrap_or_default();
    value.map_or_else(Cell::default, |cycles| text(format!("{}{once}", glance::cycles(cycles))).sorted(cycles))
}

/// The leading waits of a phase; those behind a full tensor pipe by their name, and those in the queue of a full unit as what they are: the
/// work of the unit, wherever it was asked for. A loop leaves them to its parts.
fn waits(audit: &Audit, phases: &Phases, phase: &Phase) -> String {
    if !phase.parts.is_empty() || phase.samples < FEW {
        return String::new();
    }
    let is_told = |(at, wait): &(usize, &Wait)| *at == 0 || wait.share >= SECOND;
    let told = |(_, wait): (usize, &Wait)| {
        let behind = behind_products(phases, phase.kind, &wait.reason);
        let own = || match (is_behind_full(audit, &wait.reason), places::waited_for(wait)) {
            (true, _) => format!("queue: {}", places::reason(&wait.reason)),
            (false, Some(what)) => what.to_owned(),
            (false, None) => places::reason(&wait.reason),
        };
        let label = behind.map_or_else(own, str::to_owned);
        format!("{label} {} %", format::fixed(100.0 * wait.share, 0))
    };
    phase.waits.iter().enumerate().filter(is_told).take(WAITS).map(told).collect::<Vec<_>>().join(", ")
}

/// Whether warps that wait for this reason cannot hand their work to a unit that is saturated.
fn is_behind_full(audit: &Audit, reason: &str) -> bool {
    let is_queue =
        |unit: &Unit| unit.part.row().is_some_and(|row| row.queues.iter().any(|queue| <&str>::from(queue) == reason));
    reason.ends_with("_throttle") && audit.now.bottleneck.units.iter().any(|unit| unit.is_saturated() && is_queue(unit))
}

/// What a wait behind issued products is called; `None` for one that is none.
pub(super) fn behind_products(phases: &Phases, kind: PhaseKind, reason: &str) -> Option<&'static str> {
    let is_healthy = phases.pressure.and_then(|pressure| pressure.is_healthy);
    match (kind, reason) {
        (PhaseKind::ProductsWait | PhaseKind::Drain, "barrier") if is_healthy == Some(true) => Some("back-pressure"),
        (PhaseKind::ProductsWait | PhaseKind::Drain, "barrier") => Some("products in flight"),
        (PhaseKind::Issue, "mio_throttle") if is_healthy == Some(true) => Some("back-pressure: MIO throttle"),
        (PhaseKind::Issue, "math_pipe_throttle") if is_healthy == Some(true) => {
            Some("back-pressure: math pipe throttle")
        }
        (PhaseKind::Issue, "gmma") if is_healthy == Some(true) => Some("back-pressure: warpgroup arrive"),
        _ => None,
    }
}

/// What the table does not say: the step against its products, what is waiting, the other roles.
fn notes(audit: &Audit, phases: &Phases, step: Option<f64>) -> Vec<Words> {
    let mut notes = Vec::new();
    // A full pipe is told so by the verdict.
    let is_told = audit.now.bottleneck.unit.as_ref().is_some_and(|unit| unit.code == Part::ComputeTensor)
        && audit.now.bottleneck.units.iter().any(|unit| unit.part == Part::ComputeTensor && unit.is_saturated());
    let steps = phases.steps.filter(|steps| *steps >= 1.0 && !is_told);
    if let (Some(_), Some(cycles), Some(steps), Some(tensor)) =
        (phases.step_efficiency, phases.step_cycles(), steps, phases.tensor)
    {
        let drains = match phases.drain_in_loop {
            Some(_) => " and drains on every step",
            None => "",
        };
        notes.push(words!(
            "A step takes {} cycles{}; the tensor pipe is busy for {} of them ({} %){}.",
            glance::cycles(cycles),
            if phases.share(PhaseKind::Drain) > 0.0 { ", its share of the drain included" } else { "" },
            glance::cycles(tensor / steps),
            format::fixed(100.0 * tensor / steps / cycles, 0),
            drains
        ));
    }
    notes.extend(latency(audit, phases, step));
    notes.extend(places::note(phases, audit.now.stalls.parked));
    notes
}

/// The phase whose cycles are latency and not issue slots: not where a unit is full, which the phase may wait for.
fn latency(audit: &Audit, phases: &Phases, step: Option<f64>) -> Option<Words> {
    let busiest = UNITS.iter().filter_map(|metric| value(audit, metric)).fold(0.0, f64::max);
    let is_products = |phase: &Phase| phase.kind == PhaseKind::MainLoop && phases.tensor.is_some();
    let is_large = |phase: &&Phase| phase.share >= LARGE && !is_products(phase);
    let largest = phases.phases.iter().filter(is_large).max_by(|a, b| a.share.total_cmp(&b.share))?;
    let is_main = largest.kind == PhaseKind::MainLoop;
    let (issue, cycles) = (largest.issue?, spent(phases, largest)?);
    let per = step.filter(|_| is_main).unwrap_or(1.0);
    let at = match largest.kind {
        PhaseKind::Stretch | PhaseKind::Loop => format!("at {}", places::lines(largest, places::file(phases))),
        kind => places::phase_words(kind).noun.to_owned(),
    };
    (issue < cycles / 2.0 && busiest < audit.limits[if is_main { Threshold::SolLow } else { Threshold::UnitSaturated }])
        .then(|| {
            words!(
                "Issue floor {}: {} of {} cycles{}; the rest is waiting.",
                at,
                glance::cycles(issue / per),
                glance::cycles(cycles / per),
                if per > 1.0 { " a step" } else { "" }
            )
        })
}
