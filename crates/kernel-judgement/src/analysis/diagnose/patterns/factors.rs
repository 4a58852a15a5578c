//! Sums over several indices at once, in place of one after the other.

use super::*;

/// What is summed for one index after the other is handed on to other threads: of each partial sum a store and a load.
const HANDED_ON: f64 = 2.0;

/// Sums over one index after the other: of n terms each for d indices d · n are left in place of all nᵈ.
pub(super) fn one_by_one(m: &Measures<'_>) -> Option<Draft> {
    let study = m.sampled_code()?;
    let code = &study.code;
    let (found, all) = (code.factors(), m.executed()?);
    let of_rows = code.sum(&found.rows) as f64;
    let terms = code.sum(&found.sums) as f64 / code.entries(0).max(1) as f64;
    let left = (found.indices * terms.powf(1.0 / found.indices) / terms).min(1.0);
    let gone = (1.0 - HANDED_ON * left).max(0.0) * (of_rows / all).min(1.0);
    if gone < WORTH_A_TRY {
        return None;
    }
    let waits = m.waits(&[&OF_EACH[..], &FOR_LOADS, &FOR_SHARED, &[StallReason::MathPipeThrottle]].concat());
    let draft = Draft::new(Action::FewerInstructions).rewrites().keeps(&m.machine.inside(), 1.0 - gone, left);
    let draft = draft.frees(gone * waits, waits);
    let draft = draft.at(At::heaviest(m, |_, row| if found.sums.contains(&row) { code.executed[row] } else { 0 }));
    let how = words!("Sum over one index after the other: threads share the sums over the first, in shared memory");
    let why = words!(
        "{} terms of a thread are products over {} indices, {} of the instructions",
        fixed(terms, 0),
        fixed(found.indices, 0),
        share(of_rows / all)
    );
    let draft = draft.says(how, why).risks("barriers between the indices; another order of the sums");
    Some(draft.falls("executed instructions", [all, all * (1.0 - gone)], EXECUTED))
}
