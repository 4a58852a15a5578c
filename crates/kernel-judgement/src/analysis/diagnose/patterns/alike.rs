//! Values that neighbouring threads make each for itself, which a block can make once.

use super::functions::told;
use super::*;
use crate::analysis::phases::{Alike, OfNoThread};

/// Each value once for a block: a thread makes one of them, and others read it from shared memory, or get it by shuffles. At best a thread has
/// those that it takes in registers, for several results.
pub(super) fn once(m: &Measures<'_>) -> Option<Draft> {
    let study = m.sampled_code()?;
    let (code, found) = (&study.code, study.alike()?);
    // Threads side by side in y may make the same as well, which nothing here counts.
    let is_more = study.block.is_some_and(|block| block[1] > 1);
    let draft = draft(m, &found, is_more)?;
    let how =
        "Compute each value once: a block keeps what it makes of each element in shared memory, or shuffles hand it on";
    let all = m.executed()?;
    let executed = code.sum(found.stays.keys()) as f64;
    let kept: f64 = found.stays.iter().map(|(row, left)| code.executed[*row] as f64 * left[1]).sum();
    let why = words!(
        "{} of the instructions make what neighbours make as well, each {}{} times",
        share(executed / all),
        if is_more { "at least " } else { "" },
        fixed(executed / kept.max(1.0), 0)
    );
    Some(draft.says(how, why).risks("shared memory for the values, and a barrier"))
}

/// What no number of a thread is behind, once for a block: its threads make one value each, of some turns, and read all of them.
pub(super) fn once_for_all(m: &Measures<'_>) -> Option<Draft> {
    let study = m.sampled_code()?;
    let threads = study.block?.into_iter().product::<u64>() as f64;
    let OfNoThread { made, beside, handed_on } = study.code.of_no_thread();
    let left = made.iter().map(|row| (*row, [1.0 / threads; 2]));
    let stays = left.chain(beside.into_iter().map(|row| (row, [1.0, 0.0]))).collect();
    let draft = draft(m, &Alike { stays, handed_on }, false)?;
    let told = told(&study.code, |row| made.contains(&row));
    let of = if told.is_empty() { Words::default() } else { words!(": {}", words::join(told, ", ")) };
    let why = words!(
        "{} of the instructions make what all threads make alike, of counters and arguments{}",
        share(study.code.sum(&made) as f64 / m.executed()?),
        of
    );
    let how = "Make what is the same for all threads once: a table in shared memory, or one made before the launch";
    Some(draft.says(how, why).risks("shared memory for the values, and a barrier"))
}

/// What goes where each value is made once and handed on.
fn draft(m: &Measures<'_>, found: &Alike, is_more: bool) -> Option<Draft> {
    let code = &m.study?.code;
    // What goes of some instructions: expected, and at best.
    let gone = |is_meant: &dyn Fn(Op) -> bool| {
        [0, 1].map(|at| {
            let own = found.stays.iter().filter(|(row, _)| is_meant(code.op(**row)));
            let left = |left: &[f64; 2]| if at == 1 && is_more { 0.0 } else { left[at] };
            own.map(|(row, own)| code.executed[*row] as f64 * (1.0 - left(own))).sum::<f64>()
        })
    };
    let (all, handed_on) = (m.executed()?, code.sum(&found.handed_on) as f64);
    let ([own, most], [loads, most_loads]) = (gone(&|_| true), gone(&Op::is_lsu_access));
    let part = Some((own - handed_on) / all).filter(|part| *part >= WORTH_A_TRY)?;
    let draft = Draft::new(Action::FewerInstructions).rewrites().keeps(&[Part::Issue], 1.0 - part, 1.0 - most / all);
    let draft = m.machine.inside().into_iter().fold(draft, |draft, pipe| {
        let runs = m.runs(pipe).and_then(|runs| Some((gone(&runs), m.executions(runs)?)));
        runs.into_iter().filter(|(_, all)| *all > 0.0).fold(draft, |draft, (gone, all)| {
            let [left, least] = gone.map(|gone| (1.0 - gone / all).max(0.0));
            draft.keeps(&[pipe], left, least)
        })
    });
    let draft = L1.into_iter().fold(draft, |draft, part| {
        draft.keeps(&[part], m.without(part, loads - handed_on), m.without(part, most_loads))
    });
    let makes = |row: usize| {
        if found.stays.contains_key(&row) && code.op(row).act().is_none() { code.executed[row] } else { 0 }
    };
    // What is handed on is waited for in its place, at a barrier and in shared memory.
    let draft = draft.frees_of(m, &OF_EACH, UNTOLD * part).at(At::heaviest(m, |_, row| makes(row)));
    Some(draft.falls("executed instructions", [all, all * (1.0 - part)], EXECUTED))
}
