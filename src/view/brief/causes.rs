//! Where a stall reason is met in this kernel, and for what.

use super::{phases, places};
use crate::analysis::phases::{PhaseKind, Phases, StallPlace, Wait, WaitGroup};
use crate::quantity::glance::whole;
use crate::view::groups::{grouped, summed};
use crate::words::{Words, words};
use cuda_binary::Op;
use cuda_binary::op::Act;

/// Places named of a reason, and the share of it that each must hold.
const PLACES: usize = 2;
const TELLS: f64 = 0.25;

/// Where a reason is met, and for what.
pub(super) fn words(phases: &Phases, reason: &str) -> Words {
    let file = places::file(phases);
    let stalls = || phases.stalls_of(reason);
    match reason {
        "barrier" => barriers(phases, file),
        "wait" | "dispatch_stall" | "branch_resolving" | "no_instruction" | "drain" | "misc" => {
            let told = words::join(large(stalls().map(|stall| (place(phases, stall).into(), stall.share))), ", ");
            if reason == "wait" && !told.is_empty() { words!("fixed latency: {}", told) } else { told }
        }
        _ => {
            // Of code without a name the instructions tell the place.
            let is_named = |stall: &Wait| kind(phases, stall) != Some(PhaseKind::Stretch);
            let told = large(stalls().flat_map(|stall| match is_named(stall) {
                true => vec![(at(phases, stall, file), stall.share)],
                false => instructions(stall, file),
            }));
            let told = if told.is_empty() { large(stalls().flat_map(|stall| instructions(stall, file))) } else { told };
            words::join(told, "; ")
        }
    }
}

/// What is waited for in a place, over all samples of the reason: `for LDS (:23)`, `at LDS (:23)`.
fn instructions(stall: &Wait, file: &str) -> Vec<(Words, f64)> {
    let own = stall.groups.iter().map(|group| {
        let (lead, words) = instruction(group, file);
        (words!("{} {}", lead.unwrap_or("at"), words), stall.share * group.share)
    });
    own.collect()
}

/// The largest of some groups, those that read alike as one: `85 % in the epilogue, for LDG (:107, called at :149)`.
fn large(groups: impl IntoIterator<Item = (Words, f64)>) -> Vec<Words> {
    let mut told = summed(groups);
    told.retain(|(_, share)| *share >= TELLS);
    told.sort_by(|(_, a), (_, b)| b.total_cmp(a));
    told.truncate(PLACES);
    listed(told)
}

fn place(phases: &Phases, stall: &Wait) -> String {
    stall.place.map(|place| places::place(phases, place)).unwrap_or_default()
}

fn listed(groups: Vec<(Words, f64)>) -> Vec<Words> {
    groups.into_iter().map(|(place, share)| words!("{} % {}", whole(share), place)).collect()
}

/// `in the epilogue, for LDG (:107, called at :149)`.
fn at(phases: &Phases, stall: &Wait, file: &str) -> Words {
    let mut words = Words::from(place(phases, stall));
    let behind = kind(phases, stall).and_then(|kind| phases::behind_products(phases, kind, &stall.reason));
    if let Some(first) = stall.groups.first() {
        words.push(match instruction(first, file) {
            (Some(lead), what) => words!(", {} {}", lead, what),
            (None, what) => words!(": {}", what),
        });
    }
    if behind.is_some() {
        words.push(" = back-pressure of the tensor pipe");
    }
    words
}

/// The instruction that warps stand at, or that they wait for where a scoreboard tells. A store delivers nothing: its
/// scoreboard is held until it has read the registers that the waiting warp overwrites.
fn instruction(group: &WaitGroup, file: &str) -> (Option<&'static str>, Words) {
    let point = group.cause.as_ref().unwrap_or(&group.at);
    let op = point.op();
    let is_store = op.is_lsu_access() && matches!(op.act(), Some(Act::Store | Act::Reduction));
    let mut words = Words::default();
    match op {
        Op::Unknown => {}
        Op::SYNCS => words.push("the mbarrier "),
        op => words.push(words!("`{}` ", op.name())),
    }
    if is_store && group.cause.is_some() {
        words.push("has read its registers ");
    }
    words.push(words!("({})", places::called_line(point, file)));
    (group.cause.as_ref().map(|_| if is_store { "until" } else { "for" }), words)
}

fn kind(phases: &Phases, stall: &Wait) -> Option<PhaseKind> {
    match stall.place? {
        StallPlace::Phase { phase, part } => {
            let own = phases.phases.get(phase)?;
            Some(part.map_or(own.kind, |part| own.parts[part].kind))
        }
        StallPlace::Role { .. } => None,
    }
}

/// Waits at barriers, split into products, barriers of the block and the last barrier.
fn barriers(phases: &Phases, file: &str) -> Words {
    let is_healthy = phases.pressure.and_then(|pressure| pressure.is_healthy) == Some(true);
    let products = if is_healthy { "products in flight: back-pressure" } else { "products in flight" };
    let mut split = grouped(phases.stalls_of("barrier").map(|stall| {
        let what = match kind(phases, stall) {
            Some(PhaseKind::ProductsWait | PhaseKind::Drain) => products,
            Some(PhaseKind::Exit) => "finished warps, parked at the last barrier",
            Some(_) => "block barrier",
            None => "barrier of other roles",
        };
        let line = stall.groups.first().map(|first| places::called_line(&first.at, file)).unwrap_or_default();
        (what, (Words::from(line), stall.share))
    }));
    let sum = |lines: &[(Words, f64)]| lines.iter().map(|(_, share)| share).sum::<f64>();
    split.sort_by(|(_, a), (_, b)| sum(b).total_cmp(&sum(a)));
    let told = split.into_iter().map(|(what, lines)| {
        let whole = whole(sum(&lines));
        let lines = match summed(lines) {
            one if one.len() == 1 => one.into_iter().map(|(line, _)| line).collect(),
            many => listed(many),
        };
        let lines = words::join(lines, "; ");
        let lines = if lines.is_empty() { lines } else { words!(" ({})", lines) };
        words!("{} % {}{}", whole, what, lines)
    });
    words::join(told, "; ")
}
