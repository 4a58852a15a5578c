//! The launch itself: one that did not run, or is shorter than what starts it.

use super::*;
use crate::analysis::kernel::readings::Found;

pub(super) const PATTERNS: [Pattern; 3] = [
    Pattern::asks("Did the launch fail?", SPEED, failed, Stands::Before),
    Pattern::asks("Is the launch too short to measure?", SPEED, brief, Stands::Before),
    Pattern::changes(&[fuse]),
];

/// A launch without blocks, or of which every counter is no number: it did not run.
fn failed(m: &Measures<'_>) -> Option<Held> {
    let is_empty = m.blocks == Some(0.0);
    let is_nan = m.kernel.readings.metrics.iter().any(|metric| metric.found == Found::NotANumber);
    let ran = m.duration.is_some() || m.cycles.is_some();
    (is_empty || is_nan && !ran).then(|| {
        let why = if is_empty { "its grid has no block" } else { "every counter of it is NaN" };
        let sentence = words!("The launch failed: {}, so nothing ran that could be judged.", why);
        Held::new(Code::LaunchFailed, 100.0, 0.0, sentence).from(m.readings(&[DURATION, CYCLES]))
    })
}

/// Too short for steady percentages.
fn brief(m: &Measures<'_>) -> Option<Held> {
    let least = m.limits[Threshold::ShortKernel];
    let ns = m.duration.filter(|ns| !m.has_several() && *ns < least)?;
    Some(overhead(
        m,
        words!(
            "The launch takes {}, under {}: launch overhead and cold caches dominate.",
            microseconds(ns),
            microseconds(least)
        ),
    ))
}

fn overhead(m: &Measures<'_>, sentence: Words) -> Held {
    let code = if m.has_several() { Code::RangeGaps } else { Code::LaunchShort };
    Held::new(code, 100.0, 0.0, sentence).from(m.held(&[DURATION, RESIDENT, SM_CYCLES]))
}

/// No SM holds a block for much of the time.
pub(in crate::analysis::diagnose) fn short(m: &Measures<'_>) -> Option<Held> {
    let held = share(m.active?);
    Some(overhead(
        m,
        match m.has_several() {
            true => words!(
                "Of the time from its first to its last kernel an SM holds a block for {}; the rest is gaps between kernels, launches, drains and idle SMs.",
                held
            ),
            false => words!("An SM holds a block for {} of the time; the rest is launch, drain and idle SMs.", held),
        },
    ))
}

/// `2.5 µs`.
fn microseconds(ns: f64) -> String {
    format!("{} µs", format::plain(ns / 1e3, 1))
}

/// The part of the time without a block from which the launch is most of it.
const MOSTLY: f64 = 0.5;

/// A launch that is shorter than what starts it, or kernels with gaps between them.
pub(super) fn fuse(m: &Ask<'_>) -> Option<Draft> {
    let empty = m.machine.time.empty;
    if brief(m).is_none() && empty < if m.has_several() { WORTH_A_TRY } else { MOSTLY } {
        return None;
    }
    let draft = Draft::relieves(m, Action::Fuse, &[]).open("a timeline").at(At::Launch);
    let draft = match m.has_several() {
        true => draft.says(
            "Close the gaps between its kernels: a CUDA graph, branches or streams side by side, fused neighbours",
            words!("no SM holds a block for {} of the time", share(empty)),
        ),
        false => draft
            .says("Fuse it with its neighbours, or launch it in a CUDA graph", "launch and drain dominate its time"),
    };
    let own = m.duration.filter(|_| !m.has_several());
    let own = own.map(|ns| format!(" falls by up to {} µs", fixed(ns / 1e3, 1))).unwrap_or_default();
    Some(draft.checks(words!("time of the sequence{}", own), DURATION))
}
