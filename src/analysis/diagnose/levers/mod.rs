//! What could be done about a verdict: actions, each with the most that it can save.
//!
//! A ceiling is `min(cost, 1 − max(u_after))`: what the lever frees from waiting, and what the busiest unit that is left allows. A
//! lever that removes work has no cost, and the second alone holds. Levers with one action are one.

mod accesses;
mod banks;
mod draft;
mod gathers;
mod generation;
mod launch;
mod memory;
mod roof;
mod shapes;
mod tensor;
mod waits;

pub(super) use draft::Draft;
pub(super) use roof::{at_the_roof, ruled_out};

use super::lever::Lever;
use super::measures::Measures;
use crate::catalog::{Code, Threshold};

/// Part of the time below which a cost is none.
const WORTH: f64 = 0.02;

/// What a lever is found from: the numbers, and what limits.
pub(super) struct Ask<'m, 'a, 'r> {
    pub(super) m: &'m Measures<'a, 'r>,
    pub(super) limiter: Code,
}

/// The levers of a kernel, by ceiling, those without a bound last.
pub(super) fn levers(m: &Measures<'_, '_>, limiter: Code) -> Vec<Lever> {
    let ask = Ask { m, limiter };
    if matches!(limiter, Code::LaunchFailed | Code::NotMeasured) {
        return Vec::new();
    }
    let all = [tensor::drafts(&ask), memory::drafts(&ask), accesses::drafts(&ask), waits::drafts(&ask)];
    let single = [generation::draft(&ask), shapes::draft(&ask)].into_iter().flatten().collect();
    let all = [all.concat(), launch::drafts(&ask), single].concat();
    let mut merged: Vec<Draft> = Vec::new();
    for draft in all {
        match merged.iter_mut().find(|other| other.action == draft.action) {
            Some(other) if other.saves() >= draft.saves() => {}
            Some(other) => *other = draft,
            None => merged.push(draft),
        }
    }
    let least = m.limits[Threshold::LeverLeast] / 100.0;
    merged.retain(|draft| draft.is_open() || draft.saves() >= least);
    // Far from every peak a bound tells little: what the lever takes away of the waiting goes first. One that raises the ceiling of
    // another follows it.
    let low = m.limits[Threshold::SolLow] / 100.0;
    let rank = |draft: &Draft| {
        let base = draft.raises().and_then(|action| merged.iter().find(|other| other.action == action));
        base.map_or(draft.rank(low), |base| base.rank(low).min(draft.rank(low)) - f64::EPSILON)
    };
    let mut ranked: Vec<(bool, f64, Draft)> =
        merged.iter().map(|draft| (draft.is_open(), rank(draft), draft.clone())).collect();
    ranked.sort_by(|a, b| a.0.cmp(&b.0).then(b.1.total_cmp(&a.1)));
    ranked.into_iter().map(|(.., draft)| draft.done(&ask)).collect()
}
