//! The work of blocks side by side: the loop that they share, whether each has as much of it, and SMs that idle behind the longest.

use super::barriers::meeting;
use super::launch::{is_last_wave, is_small_grid, more_blocks};
use super::*;
use crate::analysis::diagnose::account::ERROR;
use crate::analysis::phases::{Loop, Origin};

/// The loop that a block spends most samples in, of those that are in no other one and turn.
pub(super) fn outermost<'a>(m: &Measures<'a>) -> Option<(&'a Study<'a>, &'a Loop)> {
    let study = m.study?;
    let code = &study.code;
    let turns = |cycle: &&Loop| code.entered(cycle).is_some_and(|entered| entered < code.entries(cycle.header));
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
    At::point(&Point { line: at.call.unwrap_or(at.line), call: None, ..at })
}

/// The share of the samples from which a loop makes blocks differ.
const FELT: f64 = 0.02;

/// How the work of blocks compares, by what ends their loops.
#[derive(Clone, Copy, PartialEq)]
enum Shares {
    /// Neither memory nor a value that is not traced ends a loop, and each block takes as many turns.
    Equal,
    /// The same, but for one turn more or less: the number of the block ends a loop of these turns in the mean, no whole number.
    ToATurn(f64),
    /// The data of a block, or nobody knows what, ends its loops.
    Apart,
}

fn shares(m: &Measures<'_>) -> Shares {
    let Some(study) = m.study else { return Shares::Apart };
    let code = &study.code;
    let is_felt = |cycle: &&Loop| {
        let rows: Vec<usize> = code.rows_of(&cycle.blocks).collect();
        study.samples.at(&rows) as f64 >= FELT * study.samples.sum as f64
    };
    let mut shares = Shares::Equal;
    for cycle in code.loops.iter().filter(is_felt) {
        let ends = ends(study, cycle);
        if ends.is_empty() || ends.iter().any(|end| end.memory || end.unknown) {
            return Shares::Apart;
        }
        let turns = code.entered(cycle).map(|entered| code.entries(cycle.header) as f64 / entered as f64);
        match turns.filter(|turns| turns.fract() > 0.0) {
            Some(turns) if ends.iter().any(|end| end.block) => shares = Shares::ToATurn(turns),
            None if turns.is_none() && ends.iter().any(|end| end.block) => return Shares::Apart,
            _ => {}
        }
    }
    shares
}

/// The part of the time for which SMs idle behind blocks that stay and have equal work, from which these do not run alike.
const UNALIKE: f64 = 0.08;

/// Blocks of equal work, where the tail is long enough to be told from what blocks differ by anyhow. SMs without a block are no work of
/// others, and where there is less than a wave of them more blocks are also equal ones.
pub(super) fn even(m: &Ask<'_>) -> Option<Draft> {
    let empty = m.blocks.zip(m.sms).map_or(0.0, |(blocks, sms)| (1.0 - blocks / sms).max(0.0));
    let own = m.machine.time.tail - empty;
    let idle = m.unequal.filter(|_| m.machine.time.tail >= ERROR && !is_last_wave(m) && more_blocks(m).is_none())?;
    let why = words!("the average SM is idle for {} of the busiest SM's time", share(idle));
    let shares = shares(m);
    let stays = m.phases.is_some_and(|phases| phases.is_persistent);
    let all = |tail: (f64, f64)| Draft::of(Action::EvenBlocks, Change { tail, ..Change::default() });
    let stays_so = match shares {
        _ if meeting(m).is_some() => Some("blocks wait for one another, and whoever comes last ends the launch".into()),
        _ if own < ERROR || is_small_grid(m) => Some(without_block(m, empty)?),
        Shares::Equal if !(stays && own >= UNALIKE) => {
            Some("blocks have as much work each, and end apart by what the SMs wait for".into())
        }
        _ => None,
    };
    if let Some(why) = stays_so {
        return Some(all((0.0, 0.0)).not_here(why));
    }
    let (how, risk) = match shares {
        Shares::Equal => (
            "Let the blocks take their work from a queue: they have as much each, and end at different times".into(),
            "an atomic for each piece; another order of the pieces",
        ),
        // The busiest takes a turn more than the mean leaves.
        Shares::ToATurn(turns) if own <= 1.0 - turns / turns.ceil() + ERROR => (
            words!(
                "Smaller pieces, or blocks that share them evenly: {} turns of the loop a block, and whole ones for each",
                glance::digits(turns)
            ),
            "more loads and addresses for each piece",
        ),
        _ => (
            "Balance the blocks: pair short with long ones, split long ones, or use a work queue".into(),
            "a reduction over the parts of a split block",
        ),
    };
    let check = words!("busy time of the average SM over the busiest {} → 1", fixed(1.0 - idle, 2));
    Some(all((0.4, 0.0)).at(at_loop(m)).says(how, why).risks(risk).checks(check, RESIDENT))
}

/// Why SMs without a block stay so: pieces that are as many for the busiest block, were there a block on each SM.
fn without_block(m: &Measures<'_>, empty: f64) -> Option<Words> {
    let (blocks, sms) = m.blocks.zip(m.sms).filter(|_| empty > 0.0)?;
    let pieces = m.phases.filter(|phases| phases.is_persistent)?.tiles?;
    let [now, then] = [blocks, sms].map(|blocks| (pieces / blocks).ceil());
    (now == then).then(|| {
        words!(
            "{} SMs have no block, and with one on each the busiest still takes {} of {} tiles",
            count(sms - blocks),
            count(then),
            count(pieces)
        )
    })
}
