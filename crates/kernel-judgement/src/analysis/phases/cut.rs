//! Cuts the code of the pacing role into phases.

use super::code::{Code, Loop};
use super::main_loop::{MainLoop, main_loops};
use super::tile_loop::{TileEnds, Traces};
use super::{model::PhaseKind, parts};
use crate::analysis::lines::Attribution;
use crate::evidence::WarpSync;
use cuda_binary::op::Told;
use std::collections::BTreeSet;

/// Rows of an out-of-line block that spins, at most.
const SPIN_ROWS: usize = 8;
/// Phases of a kernel without main loop, at most.
pub(super) const MOST_STRETCHES: usize = 8;

#[derive(Clone, Debug)]
pub(super) struct Cut {
    pub(super) kind: PhaseKind,
    /// Rows in the order of the code.
    pub(super) rows: Vec<usize>,
    /// The same by part.
    pub(super) parts: Vec<(PhaseKind, Vec<usize>)>,
}

impl Cut {
    pub(super) fn new(kind: PhaseKind, rows: Vec<usize>) -> Cut {
        Cut { kind, rows, parts: Vec::new() }
    }
}

/// The phases of a region, in the order in which they run, and its main loops; none where it is one stretch without a loop.
pub(super) fn cut(code: &Code<'_>, traces: &Traces<'_, '_>, region: &BTreeSet<usize>) -> (Vec<Cut>, Vec<MainLoop>) {
    let samples = traces.samples;
    let mains = main_loops(code, samples, region);
    if mains.is_empty() {
        return (sequence(code, samples, region), mains);
    }
    let mut free: BTreeSet<usize> = region.clone();
    let mut cuts = Vec::new();
    let first = mains.iter().map(|main| main.cycle.header).min().unwrap_or_default();
    let mut behind = BTreeSet::new();
    for main in &mains {
        cuts.extend(of_main_loop(code, traces, main));
        free.retain(|block| !main.cycle.blocks.contains(block));
        behind.extend(ahead(code, &main.cycle));
    }
    for cycle in others(code, samples, &free) {
        let own = Cut::new(PhaseKind::Loop, code.rows_of(&cycle.blocks).collect());
        let is_behind = |cut: &Cut| cut.kind == PhaseKind::MainLoop && cut.rows.first() > own.rows.first();
        let at = cuts.iter().position(is_behind).unwrap_or(cuts.len());
        cuts.insert(at, own);
        free.retain(|block| !cycle.blocks.contains(block));
    }
    let leads_in = |block: &usize| {
        !behind.contains(block) && code.flow.reach(*block, |from, to| !code.is_back(from, to)).contains(&first)
    };
    let before: BTreeSet<usize> =
        free.iter().filter(|block| leads_in(block) || !behind.contains(block) && **block < first).copied().collect();
    let after: Vec<usize> = code.rows_of(free.difference(&before)).collect();
    let prologue: Vec<usize> = code.rows_of(&before).collect();
    cuts.insert(0, Cut::new(PhaseKind::Prologue, prologue));
    let last = cuts.iter_mut().rev().find(|cut| cut.kind == PhaseKind::MainLoop);
    let leads_on = |row: &usize| code.flow.reach(code.block_of[*row], |_, _| true).contains(&first);
    let stores = |block: &usize| code.flow.blocks[*block].instructions.clone().any(|row| stores(code, row));
    let stores: BTreeSet<usize> = region.iter().copied().filter(stores).collect();
    let ends = ends(code, last, after, &mains, leads_on, &stores);
    cuts.extend(ends);
    cuts.retain(|cut| !cut.rows.is_empty());
    (cuts, mains)
}

/// Drain, epilogue, the way to the next tile and exit behind the main loops. What stands in front of the drain runs beside products, and
/// stays with the loop.
fn ends(
    code: &Code<'_>,
    main: Option<&mut Cut>,
    after: Vec<usize>,
    mains: &[MainLoop],
    leads_on: impl Fn(&usize) -> bool,
    storing: &BTreeSet<usize>,
) -> Vec<Cut> {
    let drains = |row: &usize| code.sync(*row) == WarpSync::ProductsWait { pending: 0 };
    let has_tensor = mains.iter().any(|main| main.has_tensor);
    let drain = after.iter().position(drains).filter(|_| has_tensor);
    let mut rest = after;
    let mut cuts = Vec::new();
    if let (Some(at), Some(main)) = (drain, main) {
        let same_block = |row: &&usize| code.block_of[**row] == code.block_of[rest[at]];
        let beside = rest[..at].iter().rev().take_while(same_block).count();
        let moved: Vec<usize> = rest.drain(at - beside..at).collect();
        if let Some((_, rows)) = main.parts.last_mut() {
            rows.extend(&moved);
        }
        main.rows.extend(moved);
        cuts.push(Cut::new(PhaseKind::Drain, vec![rest.remove(at - beside)]));
    }
    // A loop behind the main loop may hold the stores, and is a phase of its own.
    let goes_on = |row: &usize| {
        let own = code.block_of[*row];
        code.flow
            .reach(own, |from, to| !code.is_back(from, to))
            .iter()
            .any(|block| *block != own && storing.contains(block))
    };
    let stores = rest.iter().rposition(|row| stores(code, *row) || goes_on(row));
    let (next, exit) = rest.split_off(stores.map_or(0, |at| at + 1)).into_iter().partition(leads_on);
    cuts.push(Cut::new(PhaseKind::Epilogue, rest));
    cuts.push(Cut::new(PhaseKind::NextTile, next));
    cuts.push(Cut::new(PhaseKind::Exit, exit));
    cuts
}

fn stores(code: &Code<'_>, row: usize) -> bool {
    code.executed[row] > 0 && code.op(row).writes_global()
}

/// Whether a row stores results: a word of one lane tells other warps or blocks something.
fn stores_results(code: &Code<'_>, row: usize) -> bool {
    let executed = code.executed[row];
    let is_signal = || code.lanes.as_ref().is_some_and(|lanes| lanes[row] <= executed) && !code.op(row).is_bulk();
    stores(code, row) && !is_signal()
}

/// A main loop: what every turn runs, with its parts, the ends of a tile inside it, and what few turns run.
fn of_main_loop(code: &Code<'_>, traces: &Traces<'_, '_>, main: &MainLoop) -> Vec<Cut> {
    let has_tensor_row = |block: &usize| code.flow.blocks[*block].instructions.clone().any(|row| code.is_tensor(row));
    let (every, seldom): (BTreeSet<usize>, BTreeSet<usize>) =
        main.cycle.blocks.iter().partition(|block| 2 * code.entries(**block) >= main.turns || has_tensor_row(block));
    let mut epilogue = BTreeSet::new();
    let mut conditional = BTreeSet::new();
    let mut spins: Vec<(usize, BTreeSet<usize>)> = Vec::new();
    for component in code.components(&seldom) {
        if code.rows_of(&component).any(|row| stores_results(code, row)) {
            epilogue.extend(component);
        } else if let Some(entering) = spin(code, &component) {
            spins.push((entering, component));
        } else {
            conditional.extend(component);
        }
    }
    let rows: Vec<usize> = code.rows_of(&every).collect();
    let TileEnds { turn, drain, mut stores, store_wait } = TileEnds::of(code, traces, main, &rows);
    let ends: BTreeSet<usize> = [&turn, &drain, &stores, &store_wait].into_iter().flatten().copied().collect();
    let rows: Vec<usize> = rows.into_iter().filter(|row| !ends.contains(row)).collect();
    let parts = parts::parts(code, main, rows.clone());
    stores.extend(code.rows_of(&epilogue));
    let mut stored = Cut::new(PhaseKind::Epilogue, stores.iter().chain(&store_wait).copied().collect());
    if !store_wait.is_empty() {
        stored.parts = vec![(PhaseKind::Stores, stores), (PhaseKind::StoreWait, store_wait)];
    }
    let mut cuts = vec![
        Cut::new(PhaseKind::TurnWait, turn),
        Cut { parts, ..Cut::new(PhaseKind::MainLoop, rows) },
        Cut::new(PhaseKind::Conditional, code.rows_of(&conditional).collect()),
        Cut::new(PhaseKind::Drain, drain),
        stored,
    ];
    for (entering, component) in spins {
        let last = code.flow.blocks[entering].instructions.end - 1;
        let own: Vec<usize> = code.rows_of(&component).collect();
        let at = cuts.iter().position(|cut| cut.rows.contains(&last)).unwrap_or(1);
        if let Some((_, part)) = cuts[at].parts.iter_mut().find(|(_, part)| part.contains(&last)) {
            part.extend(&own);
        }
        cuts[at].rows.extend(own);
    }
    cuts
}

/// The block that enters an out-of-line block which spins: it is short, and leads back to one place only.
fn spin(code: &Code<'_>, component: &BTreeSet<usize>) -> Option<usize> {
    let leads: BTreeSet<usize> = component
        .iter()
        .flat_map(|block| code.flow.blocks[*block].successors.iter().copied())
        .filter(|next| !component.contains(next))
        .collect();
    let enters = |block: &usize| code.predecessors[*block].iter().copied().find(|from| !component.contains(from));
    (leads.len() <= 1 && code.rows_of(component).count() <= SPIN_ROWS)
        .then(|| component.iter().find_map(enters))
        .flatten()
}

/// The blocks that run behind a loop, back jumps left out.
fn ahead(code: &Code<'_>, cycle: &Loop) -> BTreeSet<usize> {
    let mut found = BTreeSet::new();
    let exits =
        cycle.blocks.iter().flat_map(|block| code.flow.blocks[*block].successors.iter().map(move |to| (*block, *to)));
    for (_, to) in exits.filter(|(from, to)| !cycle.blocks.contains(to) && !code.is_back(*from, *to)) {
        if !found.contains(&to) {
            found.extend(code.flow.reach(to, |from, to| !code.is_back(from, to)));
        }
    }
    found.difference(&cycle.blocks).copied().collect()
}

/// The outermost loops among some blocks with a tenth of the samples, or of the executed instructions, each.
fn others<'c>(code: &'c Code<'_>, samples: &Attribution<'_>, free: &BTreeSet<usize>) -> Vec<&'c Loop> {
    let executed: u64 = code.executed.iter().sum();
    let is_large = |cycle: &Loop| {
        let sum = |of: &[u64]| code.rows_of(&cycle.blocks).map(|row| of[row]).sum::<u64>();
        10 * sum(&samples.all) >= samples.sum || 10 * sum(&code.executed) >= executed
    };
    let inside: Vec<&Loop> = code.loops.iter().filter(|cycle| cycle.blocks.is_subset(free)).collect();
    let is_outermost = |cycle: &&&Loop| {
        !inside.iter().any(|other| other.blocks.len() > cycle.blocks.len() && other.blocks.contains(&cycle.header))
    };
    inside.iter().filter(is_outermost).filter(|cycle| is_large(cycle)).copied().collect()
}

/// Turns of a loop that was unrolled, which do the same behind each barrier, as one.
fn join_turns(code: &Code<'_>, cuts: &mut Vec<Cut>) {
    let does = |cut: &Cut| {
        let told = cut.rows.iter().map(|row| (code.op(*row), code.executed[*row] > 0));
        let mut told: Vec<&str> =
            told.filter(|(op, ran)| *ran && op.told() != Told::No).map(|(op, _)| op.name()).collect();
        told.sort_unstable();
        (cut.kind == PhaseKind::Stretch && !told.is_empty()).then_some(told)
    };
    let does: Vec<_> = cuts.iter().map(does).collect();
    let mut at = 0;
    cuts.dedup_by(|next, own| {
        at += 1;
        let is_again = does[at].is_some() && does[at] == does[at - 1];
        if is_again {
            own.rows.append(&mut next.rows);
        }
        is_again
    });
}

/// A kernel without main loop: its large loops and the stretches between them, cut behind each barrier of the block.
fn sequence(code: &Code<'_>, samples: &Attribution<'_>, region: &BTreeSet<usize>) -> Vec<Cut> {
    let loops = others(code, samples, region);
    let of_block = |block: usize| loops.iter().position(|cycle| cycle.blocks.contains(&block));
    let mut cuts: Vec<Cut> = Vec::new();
    let mut last: Option<Option<usize>> = None;
    for block in region {
        let owner = of_block(*block);
        for row in code.flow.blocks[*block].instructions.clone() {
            let starts = last != Some(owner);
            match cuts.last_mut().filter(|_| !starts) {
                Some(cut) => cut.rows.push(row),
                None => {
                    let kind = if owner.is_some() { PhaseKind::Loop } else { PhaseKind::Stretch };
                    cuts.push(Cut::new(kind, vec![row]));
                }
            }
            last = Some(owner);
            if owner.is_none() && code.is_block_barrier(row) && code.executed[row] > 0 {
                last = None;
            }
        }
    }
    join_turns(code, &mut cuts);
    while cuts.len() > MOST_STRETCHES {
        let weight = |cut: &Cut| samples.at(&cut.rows);
        let pairs = (1..cuts.len()).min_by_key(|at| weight(&cuts[at - 1]) + weight(&cuts[*at]));
        let Some(at) = pairs else { break };
        let gone = cuts.remove(at);
        if weight(&gone) > weight(&cuts[at - 1]) {
            cuts[at - 1].kind = gone.kind;
        }
        cuts[at - 1].rows.extend(gone.rows);
    }
    if cuts.len() == 1 && loops.is_empty() { Vec::new() } else { cuts }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::phases::by_hand::{ended, r, word};
    use cuda_binary::Op;

    #[test]
    fn stretches_that_do_the_same_behind_each_barrier_are_one() {
        let [load, sum] = [word(Op::LDS, &[r(1)], &[r(0)]), word(Op::FADD, &[r(2)], &[r(2), r(1)])];
        let rows = ended(&[load, load, sum, load, sum, load, sum, sum]);
        let mut cuts: Vec<Cut> =
            [&[0][..], &[1, 2], &[3, 4], &[5, 6], &[7]].map(|rows| Cut::new(PhaseKind::Stretch, rows.to_vec())).into();
        join_turns(&Code::counted(&rows, vec![1; rows.len()], None), &mut cuts);
        assert_eq!(cuts.iter().map(|cut| cut.rows.len()).collect::<Vec<_>>(), [1, 6, 1]);
    }
}
