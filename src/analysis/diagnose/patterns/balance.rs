//! The loop that the work of blocks is in, and what ends it.

use super::*;
use crate::analysis::phases::{Line, Loop, Origin};

/// The loop that a block spends most samples in, of those that are in no other one and turn.
pub(super) fn outermost<'a>(m: &Measures<'a>) -> Option<(&'a Study<'a>, &'a Loop)> {
    let study = m.study?;
    let code = &study.code;
    let turns = |cycle: &&Loop| code.repeats(cycle) == Some(true);
    let is_inside =
        |cycle: &Loop, other: &Loop| other.blocks.len() > cycle.blocks.len() && other.blocks.contains(&cycle.header);
    let found = code.loops.iter().filter(turns);
    let found = found.filter(|cycle| !code.loops.iter().filter(turns).any(|other| is_inside(cycle, other)));
    let samples = |cycle: &&Loop| study.samples.at(&code.rows_of(&cycle.blocks).collect::<Vec<usize>>());
    found.max_by_key(samples).map(|cycle| (study, cycle))
}

/// The branches that lead out of a loop.
fn exits<'s>(study: &'s Study<'_>, cycle: &'s Loop) -> impl Iterator<Item = usize> {
    let blocks = &study.code.flow.blocks;
    let leads_out = |block: &&usize| blocks[**block].successors.iter().any(|to| !cycle.blocks.contains(to));
    cycle.blocks.iter().filter(leads_out).map(|block| blocks[*block].instructions.end - 1)
}

/// What is behind them.
pub(super) fn ends(study: &Study<'_>, cycle: &Loop) -> Vec<Origin> {
    exits(study, cycle).map(|row| study.flows.origin_of_guard(&study.code, row)).collect()
}

/// The line on which that loop turns; the launch where the code is not known.
pub(super) fn at_loop(m: &Measures<'_>) -> At {
    let Some((study, cycle)) = outermost(m) else { return At::Launch };
    let last = exits(study, cycle).max_by_key(|row| study.code.executed[*row]);
    let at = point(study, last.unwrap_or(study.code.flow.blocks[cycle.header].instructions.start));
    match at.call.clone() {
        Some(Line { file, line }) => At::point(&Point { file, line, call: None, ..at }),
        None => At::point(&at),
    }
}
