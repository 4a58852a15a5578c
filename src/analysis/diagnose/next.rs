//! What could be done about a verdict, ranked.

use super::draft::{Ask, Draft};
use super::lever::Lever;
use super::patterns::origin::by_caller;
use super::patterns::{WORTH_A_TRY, changes};
use crate::catalog::{Action, Threshold};

/// Changes, each with the share of the time that it is expected to save.
type Drafts = Vec<(Draft, f64)>;

/// What could be done, and what was looked at.
#[derive(Default)]
pub(super) struct Levers {
    /// Worth a row, the largest expected saving first, those without a bound last.
    pub(super) rows: Vec<Lever>,
    /// Every action that was computed, with the share of the time that it is expected to save.
    pub(super) computed: Vec<(Action, f64)>,
    /// What would be among the first rows and cannot be done here, with what it would save.
    pub(super) refused: Drafts,
}

/// So many rows are the first ones.
const FIRST: usize = 2;

/// What could be done, once for each action: the one that is expected to save most, and one that can be done before one that cannot.
/// Those that can be done, and those that cannot.
pub(super) fn drafts(ask: &Ask<'_>) -> (Drafts, Drafts) {
    let mut merged = Drafts::new();
    for draft in changes(ask) {
        let expected = draft.expected(ask);
        match merged.iter_mut().find(|(other, _)| other.action == draft.action) {
            Some((other, most)) if (other.refused.is_none(), *most) >= (draft.refused.is_none(), expected) => {}
            Some(other) => *other = (draft, expected),
            None => merged.push((draft, expected)),
        }
    }
    merged.into_iter().partition(|(draft, _)| draft.refused.is_none())
}

/// The levers of a kernel, of what can be done and what cannot.
pub(super) fn levers(ask: &Ask<'_>, mut merged: Drafts, mut refused: Drafts) -> Levers {
    if let Some(own) = by_caller(ask) {
        (merged, refused) = (own.into_iter().map(|draft| (draft, 0.0)).collect(), Vec::new());
    }
    let computed = merged.iter().map(|(draft, expected)| (draft.action, *expected)).collect();
    let least = ask.limits[Threshold::LeverLeast] / 100.0;
    merged.retain(|(draft, expected)| draft.is_rough() || *expected >= least);
    // One that raises the ceiling of another follows it.
    let of = |action: Action| merged.iter().find(|(other, _)| other.action == action).map(|(_, expected)| *expected);
    let rank = |(draft, expected): &(Draft, f64)| {
        let sure = expected * draft.certainty();
        draft.raises().and_then(of).map_or(sure, |base| base.min(sure) - f64::EPSILON)
    };
    let mut ranked: Vec<(f64, &Draft)> = merged.iter().map(|own| (rank(own), &own.0)).collect();
    ranked.sort_by(|(a, one), (b, other)| one.is_rough().cmp(&other.is_rough()).then(b.total_cmp(a)));
    let bounded = ranked.iter().filter(|(_, draft)| !draft.is_rough());
    let bar = bounded.map(|(rank, _)| *rank).nth(FIRST - 1).unwrap_or_default().max(WORTH_A_TRY);
    refused.retain(|own| rank(own) >= bar);
    refused.sort_by(|a, b| rank(b).total_cmp(&rank(a)));
    refused.truncate(FIRST);
    Levers { rows: ranked.into_iter().map(|(_, draft)| draft.clone().done(ask)).collect(), computed, refused }
}
