//! Natural loops.

use super::blocks::ControlFlow;
use super::dominators::Dominators;
use std::collections::{BTreeMap, BTreeSet};

/// A loop with one way in: its header dominates every block that jumps back to it.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize)]
pub struct NaturalLoop {
    /// Block at which it is entered, by position.
    pub header: usize,
    /// Blocks that jump back to the header.
    pub latches: Vec<usize>,
    /// Every block of it, inner loops included, in ascending order.
    pub blocks: Vec<usize>,
    /// Instructions in those blocks, one of each: the code of one turn through every way.
    pub instructions: usize,
    /// How many loops hold it; 0 for an outermost one.
    pub depth: usize,
    /// Whether it holds no other loop.
    pub innermost: bool,
}

/// The natural loops of a function by their header's offset, and the back jumps into something with several ways in, as
/// (from, to) blocks: code that no natural loop describes.
pub fn loops(flow: &ControlFlow) -> (Vec<NaturalLoop>, Vec<(usize, usize)>) {
    let dominators = Dominators::of(flow);
    let mut predecessors = flow.predecessors();
    predecessors.iter_mut().for_each(|before| before.retain(|from| dominators.reaches(*from)));
    let mut back: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
    let mut irreducible = Vec::new();
    for (from, block) in flow.blocks.iter().enumerate().filter(|(from, _)| dominators.reaches(*from)) {
        for to in block.successors.iter().copied() {
            if dominators.dominates(to, from) {
                back.entry(to).or_default().push(from);
            } else if dominators.retreats(from, to) {
                irreducible.push((from, to));
            }
        }
    }
    let bodies: BTreeMap<usize, BTreeSet<usize>> =
        back.iter().map(|(header, latches)| (*header, members(*header, latches, &predecessors))).collect();
    let found = back.into_iter().map(|(header, latches)| {
        let body = &bodies[&header];
        let others = || bodies.iter().filter(|(other, _)| **other != header);
        NaturalLoop {
            header,
            latches,
            blocks: body.iter().copied().collect(),
            instructions: body.iter().map(|block| flow.blocks[*block].instructions.len()).sum(),
            depth: others().filter(|(_, other)| other.contains(&header)).count(),
            innermost: !others().any(|(other, _)| body.contains(other)),
        }
    });
    (found.collect(), irreducible)
}

/// The header and all blocks that reach a latch without passing it.
fn members(header: usize, latches: &[usize], predecessors: &[Vec<usize>]) -> BTreeSet<usize> {
    let mut body = BTreeSet::from([header]);
    let mut rest = latches.to_vec();
    while let Some(block) = rest.pop() {
        if body.insert(block) {
            rest.extend(&predecessors[block]);
        }
    }
    body
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::flow::Block;

    fn flow(successors: &[&[usize]]) -> ControlFlow {
        let block = |(at, to): (usize, &&[usize])| Block {
            start: 16 * at as u64,
            instructions: at..at + 1,
            successors: to.to_vec(),
            leaves_unseen: false,
        };
        ControlFlow { blocks: successors.iter().enumerate().map(block).collect(), entries: vec![0], calls: Vec::new() }
    }

    #[test]
    fn nested_loops_know_their_depth() {
        // 0 -> 1 -> 2 -> 3; 3 jumps back to 2, 4 back to 1 and itself nowhere.
        let (found, irreducible) = loops(&flow(&[&[1], &[2], &[3], &[2, 4], &[1, 5], &[]]));
        let seen: Vec<_> =
            found.iter().map(|l| (l.header, l.blocks.clone(), l.depth, l.innermost, l.instructions)).collect();
        assert_eq!(seen, [(1, vec![1, 2, 3, 4], 0, false, 4), (2, vec![2, 3], 1, true, 2)]);
        assert!(irreducible.is_empty());
    }

    #[test]
    fn two_latches_make_one_loop_and_a_block_may_be_its_own() {
        let (found, _) = loops(&flow(&[&[1], &[1, 2, 3], &[1], &[]]));
        assert_eq!(found.len(), 1);
        assert_eq!((found[0].header, found[0].latches.clone(), found[0].blocks.clone()), (1, vec![1, 2], vec![1, 2]));
    }

    #[test]
    fn a_cycle_with_two_ways_in_is_no_natural_loop() {
        let (found, irreducible) = loops(&flow(&[&[1, 2], &[2], &[1, 3], &[]]));
        assert!(found.is_empty());
        assert_eq!(irreducible.len(), 1);
    }

    #[test]
    fn what_nothing_reaches_makes_no_loop() {
        let (found, irreducible) = loops(&flow(&[&[], &[2], &[1]]));
        assert_eq!((found, irreducible), (vec![], vec![]));
    }
}
