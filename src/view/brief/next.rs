//! What to do next: up to five actions, each with its ceiling, why, what it costs, and what must move; that nothing is left; or what
//! to collect.

use super::{actions, kernels, places, power, verdict, wanted};
use crate::analysis::phases::{Phase, PhaseKind, Phases, Wait};
use crate::analysis::{Audit, KernelKey, Lever, Where};
use crate::catalog::{self, Code, Part, StallKind, Threshold};
use crate::quantity::format;
use crate::quantity::glance::{self, saved};
use crate::view::ceiling;
use crate::view::document::{Block, Section, Table};
use crate::view::groups::grouped;
use crate::view::tables::{filled, paragraph, text};
use crate::words::{Words, words};

/// The part of a tile in which the tensor pipe idles from which the phases without products are told.
const LEFT: f64 = 0.05;
/// The share of the samples from which such a phase is one, and how many are told.
const IDLE: f64 = 0.02;
const PHASES: usize = 3;

/// The section; `None` where nothing was found to do, to collect or to rule out.
pub(super) fn section(audit: &Audit) -> Option<Section> {
    let levers = actions::shown(audit);
    let capped = power::under_cap(audit);
    let roof = audit.now.bottleneck.roof.iter();
    let mut blocks: Vec<Block> = roof
        .map(|roof| paragraph("roof", words::join([roof.clone()].into_iter().chain(capped.clone()), " ")))
        .collect();
    blocks.extend(idle(audit).map(|words| paragraph("idle", words)));
    if !levers.is_empty() {
        blocks.push(levers_table("next", &audit.now.artefact.kernel, &levers, power::worth(audit)).into());
    }
    match wanted::command(audit).map(|words| paragraph("collect", words)) {
        Some(collect) if wanted::is_first(audit) => blocks.insert(0, collect),
        Some(collect) => blocks.push(collect),
        None if blocks.is_empty() => blocks.extend(no_lever(audit).map(|words| paragraph("no-lever", words))),
        None => {}
    }
    let additive = (levers.len() > 1).then(|| "Ceilings are not additive.".into());
    let capped = capped.filter(|_| audit.now.bottleneck.roof.is_none() && !levers.is_empty());
    let said: Vec<Words> = [audit.now.bottleneck.ruled_out.clone(), additive, capped].into_iter().flatten().collect();
    blocks.extend((!said.is_empty()).then(|| paragraph("ruled-out", words::join(said, " "))));
    (!blocks.is_empty()).then(|| Section::new("next", "Next", blocks))
}

/// At a roof of products that leaves some of the time: the phases in which the warps have none in flight, and what fills them.
fn idle(audit: &Audit) -> Option<Words> {
    let bottleneck = &audit.now.bottleneck;
    let is_tensor = bottleneck.unit.as_ref().is_some_and(|unit| unit.code == Part::ComputeTensor)
        || bottleneck.near.contains(&Code::Unit(Part::ComputeTensor));
    bottleneck.roof.as_ref().filter(|_| is_tensor)?;
    let phases = audit.now.phases.as_ref()?;
    let left = 1.0 - phases.tensor? / phases.cycles?;
    let mut idle: Vec<&Phase> = phases.leaves().filter(|phase| phase.in_flight == Some(false)).collect();
    idle.retain(|phase| phase.share >= IDLE);
    idle.sort_by(|a, b| b.share.total_cmp(&a.share));
    if left < LEFT || idle.is_empty() {
        return None;
    }
    let share: f64 = idle.iter().map(|phase| phase.share).sum();
    let file = places::file(phases);
    // What stands on the same lines is one place to work at.
    let mut at = grouped(idle.iter().map(|phase| (places::lines(phase, file), *phase)));
    let all = |phases: &[&Phase]| phases.iter().map(|phase| phase.share).sum::<f64>();
    at.sort_by(|(_, a), (_, b)| all(b).total_cmp(&all(a)));
    // The file stands at the first place, where that has a line of it.
    let place = |lines: &str, phases: &[&Phase]| {
        let name = phases[0].name.as_ref().map(|name| words!("`{}`, ", name.name.as_str()));
        let is_first = lines == at[0].0 && lines.starts_with(':') && !file.is_empty();
        let lines = if is_first { words!("{}", words::code(format!("{file}{lines}"))) } else { lines.into() };
        words!("({}{})", words::maybe(name), lines)
    };
    let told = at.iter().take(PHASES).map(|(lines, phases)| {
        let kinds = phases.iter().map(|phase| format::uncapital(places::phase_words(phase.kind).own));
        let kinds = kinds.collect::<Vec<String>>().join(" and ");
        words!("{} {} {}", kinds, place(lines, phases), glance::share(all(phases)))
    });
    let others = match phases.in_turn {
        Some(_) => "; the pipe idles where both groups are in such a phase",
        None => "",
    };
    let share = glance::share(share);
    let (told, these) = match idle.as_slice() {
        [one] => {
            let noun = places::phase_words(one.kind).noun;
            (words!("{} {}, {} of their samples", noun, place(&at[0].0, &at[0].1), share), "this fills")
        }
        _ => {
            let told = words::join(told.collect::<Vec<Words>>(), ", ");
            (words!("in {} of their samples: {}", share, told), "these fill")
        }
    };
    Some(words!(
        "The {} have no products in flight {}. Shorter, or beside products, {} what is left{}.{}",
        places::whose(phases),
        told,
        these,
        others,
        words::maybe(code_of_step(phases))
    ))
}

/// ` In a step their code outside of waits takes 3,740 of 4,460 cycles.`: what of a step the warps that multiply do not wait for memory or
/// other warps, whatever is in flight meanwhile; `None` where steps have no cycles or no parts.
fn code_of_step(phases: &Phases) -> Option<String> {
    let step = phases.step_cycles()?;
    let parts = phases.phase(PhaseKind::MainLoop)?.parts.iter().filter(|part| !part.kind.is_wait());
    let is_wait = |wait: &&Wait| {
        catalog::stall(&wait.reason).is_some_and(|row| matches!(row.kind, StallKind::Memory | StallKind::Sync))
    };
    let waits = |part: &Phase| part.waits.iter().filter(is_wait).map(|wait| wait.share).sum::<f64>();
    let work: f64 = parts.map(|part| part.share * (1.0 - waits(part))).sum();
    let all = phases.share(PhaseKind::MainLoop) + phases.share(PhaseKind::Drain);
    (work > 0.0).then(|| {
        let (work, step) = (glance::cycles(step * work / all), glance::cycles(step));
        format!(" In a step their code outside of waits takes {work} of {step} cycles.")
    })
}

/// What is said where a whole report gives no action.
fn no_lever(audit: &Audit) -> Option<Words> {
    match audit.now.bottleneck.limiter {
        Code::NotMeasured => None,
        Code::LaunchFailed => {
            Some(words!("First find out why the launch failed: run the program under `compute-sanitizer`."))
        }
        _ => {
            let least = format::plain(audit.limits[Threshold::LeverLeast], 1);
            let place = verdict::place_of_limit(audit).map(|place| words!("; most of what limits stands at {}", place));
            Some(words!("Nothing is expected to save {} %{}.", least, words::maybe(place)))
        }
    }
}

/// Where a lever of a kernel is pulled: `gemm.cu:107`, or its function where no line is known.
pub(in crate::view) fn place_of(at: &Where, kernel: &KernelKey) -> Words {
    match at {
        Where::Line(place) => words!("`{}:{}`", &place.file, place.line.to_string()),
        Where::Offset(offset) => words!("`{}`", format!("0x{offset:x}")),
        Where::Build => "build".into(),
        Where::Launch => "launch".into(),
        Where::Kernel => words!("`{}`", kernels::name(kernel)),
    }
}

/// The forecast of a lever and its ceiling in time; `None` for one without a bound of the time.
fn in_time(lever: &Lever, ns: f64) -> Option<String> {
    let bound = lever.bound.filter(|_| !lever.is_rough())?;
    let of = |percent: f64| ns * percent / 100.0;
    Some(saved(lever.forecast.map(|between| between.map(of)), of(bound)))
}

/// A table of this name with a row for each action on a kernel, all of whose cycles are `worth` so many nanoseconds.
pub(super) fn levers_table(name: &str, kernel: &KernelKey, levers: &[&Lever], worth: Option<f64>) -> Table {
    let row = |(at, lever): (usize, &&Lever)| {
        vec![
            text((at + 1).to_string()),
            text(place_of(&lever.at, kernel)),
            text(&lever.sentence),
            text(ceiling::forecast(lever, levers)).sorted(lever.bound),
            text(worth.and_then(|ns| in_time(lever, ns)).unwrap_or_default()),
            text(&lever.why),
            text(&lever.risk),
            text(&lever.check),
        ]
    };
    filled(
        name,
        "#: | Where | Do | Forecast, ceiling: | In time: | Why | Risk, cost | Check",
        levers.iter().enumerate().map(row),
    )
}
