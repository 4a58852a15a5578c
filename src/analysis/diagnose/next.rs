//! What could be done about a verdict, ranked.

use super::lever::Lever;
use super::patterns::{Ask, Draft, changes};
use crate::catalog::{Action, Threshold};

/// What could be done, and what was looked at.
pub(super) struct Levers {
    /// Worth a row, the largest expected saving first, those without a bound last.
    pub(super) rows: Vec<Lever>,
    /// Every action that was computed, with the share of the time that it is expected to save.
    pub(super) computed: Vec<(Action, f64)>,
}

/// What could be done, once for each action: the one that is expected to save most.
pub(super) fn drafts(ask: &Ask<'_, '_, '_>) -> Vec<(Draft, f64)> {
    let mut merged: Vec<(Draft, f64)> = Vec::new();
    for draft in changes(ask) {
        let expected = draft.expected(ask);
        match merged.iter_mut().find(|(other, _)| other.action == draft.action) {
            Some((_, other)) if *other >= expected => {}
            Some(other) => *other = (draft, expected),
            None => merged.push((draft, expected)),
        }
    }
    merged
}

/// The levers of a kernel.
pub(super) fn levers(ask: &Ask<'_, '_, '_>, mut merged: Vec<(Draft, f64)>) -> Levers {
    let computed = merged.iter().map(|(draft, expected)| (draft.action, *expected)).collect();
    let least = ask.m.limits[Threshold::LeverLeast] / 100.0;
    merged.retain(|(draft, expected)| draft.is_open() || draft.is_rate() || *expected >= least);
    // One that raises the ceiling of another follows it.
    let of = |action: Action| merged.iter().find(|(other, _)| other.action == action).map(|(_, expected)| *expected);
    let rank = |(draft, expected): &(Draft, f64)| {
        let sure = expected * draft.certainty();
        draft.raises().and_then(of).map_or(sure, |base| base.min(sure) - f64::EPSILON)
    };
    let mut ranked: Vec<(bool, f64, Draft)> =
        merged.iter().map(|own| (own.0.is_open() || own.0.is_rate(), rank(own), own.0.clone())).collect();
    ranked.sort_by(|a, b| a.0.cmp(&b.0).then(b.1.total_cmp(&a.1)));
    Levers { rows: ranked.into_iter().map(|(.., draft)| draft.done(ask)).collect(), computed }
}
