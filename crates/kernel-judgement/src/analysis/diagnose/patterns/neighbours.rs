//! What neighbouring threads compute alike, each for itself.

use super::work::executed_on;
use super::*;
use crate::analysis::phases::PIPES;

/// Neighbours that one thread takes the place of at most: a lane moves 16 bytes at once, and what a whole warp has in common costs it no more
/// than what one lane has.
const MOST_ALIKE: u64 = 16;

/// What threads with several neighbouring elements, or one of them and shuffles, compute once: what hangs on the number of a thread without its
/// lowest bits alone, and is no address.
pub(super) fn once(m: &Measures<'_>) -> Option<Draft> {
    let (study, all) = (m.sampled_code()?, m.executed()?);
    let code = &study.code;
    if m.need_of(&[Part::Issue]) < MOST && PIPES.iter().all(|part| m.need_of(&[*part]) < MOST) {
        return None;
    }
    let (alike, of_addresses) = (code.threads_alike(), code.behind_any_address());
    let is_own = |row: &usize| {
        let op = code.op(*row);
        let is_work = op.act().is_none() && op.control().is_none() && op.sync().is_none() && !op.is_uniform();
        (2..=MOST_ALIKE).contains(&alike[*row]) && is_work && of_addresses.binary_search(row).is_err()
    };
    let own: Vec<usize> = code.run().filter(is_own).collect();
    let weight = |row: &usize| code.executed[*row] as f64 * (1.0 - 1.0 / alike[*row] as f64);
    let first = *own.iter().max_by(|a, b| weight(a).total_cmp(&weight(b)))?;
    if own.iter().map(weight).sum::<f64>() < WORTH_A_TRY * all {
        return None;
    }
    // Of its turns as many stay as of its work, with their addresses and their branches.
    let is_of_turn = |row: &usize| of_addresses.binary_search(row).is_ok() || code.op(*row).control().is_some();
    let turns: Vec<usize> = match code.innermost(first) {
        Some(cycle) => code.run_in(cycle).into_iter().filter(is_of_turn).collect(),
        None => code.run().filter(is_of_turn).collect(),
    };
    let times = alike[first] as f64;
    let sum = |is_meant: &dyn Fn(Op) -> bool| -> f64 {
        let meant = |row: &&usize| is_meant(code.op(**row));
        let of_turns = code.sum(turns.iter().filter(meant)) as f64 * (1.0 - 1.0 / times);
        own.iter().filter(meant).map(weight).sum::<f64>() + of_turns
    };
    let gone = (sum(&|_| true) / all).min(1.0);
    let draft = Draft::new(Action::FewerInstructions).rewrites().frees_of(m, &OF_EACH, gone);
    let draft = PIPES.into_iter().fold(draft, |draft, part| {
        let of_pipe = executed_on(m, part).zip(m.runs(part)).map_or(0.0, |(all, runs)| sum(&runs) / all.max(1.0));
        draft.keeps(&[part], 1.0 - of_pipe.min(1.0), UNTOLD * (1.0 - of_pipe.min(1.0)))
    });
    // Loops over several elements have fewer turns.
    let draft = draft.keeps(&[Part::Issue], 1.0 - gone, UNTOLD * (1.0 - gone)).at(At::row(study, first));
    let threads = count(times);
    let how = words!("Compute it once for {} neighbouring elements: as many of them a thread, or shuffles", &threads);
    let why = words!(
        "{} of the instructions give {} neighbouring threads the same",
        share(code.sum(&own) as f64 / all),
        threads
    );
    let check = words!("executed instructions {} → {}", count(all), count(all * (1.0 - gone)));
    Some(draft.says(how, why).risks("registers; fewer threads").checks(check, EXECUTED))
}
