//! Searches that neighbouring threads make each for itself.

use super::*;
use crate::analysis::phases::PIPES;

pub(super) const PATTERNS: [Pattern; 1] = [Pattern::changes(&[search])];

/// Lanes that share a sector at each step from which they look for neighbouring places: of places drawn at random all lanes are apart from
/// the fifth step on.
const NEIGHBOURS: f64 = 8.0;

/// Of the steps of a search by halves the part, 0 to 1, that is the same for so many threads with neighbouring places: to tell n places
/// apart takes `log2 n` steps.
fn common(steps: f64, threads: f64) -> f64 {
    if steps > 0.0 { (1.0 - threads.log2() / steps).max(0.0) } else { 0.0 }
}

/// A search once for a block in place of each thread's: its ends first, then what lies between them from shared memory. The steps that all
/// threads of a block have in common go, with their work and their waits; what is left of the waits is for shared memory, which no search
/// through L1 and L2 is as near as. At best threads go on from place to place, and nothing is left to search.
fn search(m: &Measures<'_>) -> Option<Draft> {
    let (chain, study) = (m.chain()?, m.sampled_code()?);
    let (code, [sectors, _]) = (&study.code, study.sectors()?);
    let loads = code.executed[chain.row] as f64;
    let apart = sectors[chain.row] as f64 / loads;
    let cycle = code.innermost(chain.row).filter(|_| chain.is_search && WARP >= NEIGHBOURS * apart)?;
    let (steps, threads) = (loads / code.entered(cycle)? as f64, WARP * m.block_warps?);
    let common = common(steps, threads);
    let own: u64 = code.rows_of(&cycle.blocks).map(|row| code.executed[row]).sum();
    let stays = 1.0 - common * (own as f64 / m.executed()?).min(1.0);
    let parts = [&PIPES[..], &[Part::Issue], &L1].concat();
    let draft =
        Draft::new(Action::ReuseInSm).rewrites().keeps(&parts, stays, 0.0).frees(common * chain.share, chain.share);
    let how = words!(
        "Search once for a block: where its part begins and ends, then copy that to shared memory and search, or merge, there"
    );
    let why = words!(
        "lanes look for neighbouring places, {} sectors a request; {} of {} steps are the same for the {} threads of a block",
        fixed(apart, 1),
        fixed(common * steps, 0),
        fixed(steps, 0),
        count(threads)
    );
    let draft = draft.at(At::point(&chain.load)).says(how, why).risks("a barrier behind the first search");
    let check = words!("loads of global memory {} → {}", count(loads), count((1.0 - common) * loads));
    Some(draft.checks(check, Counter::L1texTRequestsPipeLsuMemGlobalOpLdSum))
}

#[cfg(test)]
mod tests {
    use super::common;

    #[test]
    fn threads_of_a_block_are_told_apart_by_the_last_steps() {
        // 22 steps over 4 M words; 256 threads differ in 8 of them.
        assert!((common(22.0, 256.0) - 14.0 / 22.0).abs() < 1e-9);
        assert_eq!((common(6.0, 256.0), common(0.0, 256.0)), (0.0, 0.0));
    }
}
