//! What a subject of audit.toml states of its work, as the analysis takes it.

use crate::analysis::{Expectation, Limits, Tiles, Work, expectation as written};
use crate::catalog;
use crate::config::{Amount, Subject};

/// What the subject states, with the checklists that it names spelled out.
pub(super) fn stated_work(subject: &Subject, limits: &Limits) -> Work {
    let stated = &subject.work;
    let written = subject.change.as_deref().and_then(written::hypothesis);
    Work {
        shape: stated.shape.clone().unwrap_or_default(),
        types: stated.types.clone().unwrap_or_default(),
        flop: stated.flop.as_ref().map(Amount::value),
        bytes: stated.bytes.as_ref().map(Amount::value),
        tiles: subject.tiles.as_ref().map(|tiles| Tiles {
            count: tiles.count.value(),
            stores_per_warp: tiles.stores_per_warp.value(),
            warps: tiles.warps.value(),
        }),
        expected: expectations(&subject.checklists, &subject.expect, limits),
        hypotheses: written.into_iter().chain(subject.hypotheses.iter().cloned()).collect(),
    }
}

/// The lines of the catalog's checklists, then the subject's own.
pub(super) fn expectations(checklists: &[String], own: &[Expectation], limits: &Limits) -> Vec<Expectation> {
    let lists = checklists.iter().filter_map(|id| catalog::checklist(id));
    let listed = lists.flat_map(|profile| Expectation::of_checklist(profile, limits));
    listed.chain(own.iter().cloned()).collect()
}
