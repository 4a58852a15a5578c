//! Which blocks stand on every way to a block.
//!
//! Cooper, Harvey and Kennedy, "A Simple, Fast Dominance Algorithm" (2001).

use super::blocks::ControlFlow;

/// Immediate dominators: for each block its own, `None` for entries and for blocks that nothing reaches.
pub struct Dominators {
    immediate: Vec<Option<usize>>,
    /// Position in reverse postorder; `None` for blocks that nothing reaches.
    order: Vec<Option<usize>>,
}

impl Dominators {
    /// The dominators of some control flow.
    pub fn of(flow: &ControlFlow) -> Dominators {
        let count = flow.blocks.len();
        let postorder = postorder(flow);
        let mut order = vec![None; count];
        for (position, block) in postorder.iter().rev().enumerate() {
            order[*block] = Some(position);
        }
        let predecessors = flow.predecessors();
        // Several entries hang under one root that is no block: `Some(None)` in `found` is that root.
        let mut found: Vec<Option<Option<usize>>> = vec![None; count];
        flow.entries.iter().for_each(|entry| found[*entry] = Some(None));
        let mut changed = true;
        while changed {
            changed = false;
            for block in postorder.iter().rev().copied().filter(|block| !flow.entries.contains(block)) {
                let known = predecessors[block].iter().copied().filter(|from| found[*from].is_some());
                let common = known.map(Some).reduce(|a, b| intersect(&found, &order, a, b));
                if let Some(common) = common
                    && found[block] != Some(common)
                {
                    found[block] = Some(common);
                    changed = true;
                }
            }
        }
        Dominators { immediate: found.into_iter().map(Option::flatten).collect(), order }
    }

    /// Whether every way from an entry to `block` leads through `by`. A block dominates itself.
    pub fn dominates(&self, by: usize, block: usize) -> bool {
        let mut at = Some(block);
        while let Some(current) = at {
            if current == by {
                return true;
            }
            at = self.immediate[current];
        }
        false
    }

    /// Whether anything leads to a block.
    pub fn reaches(&self, block: usize) -> bool {
        self.order[block].is_some()
    }

    /// Whether an edge goes back in the order of a depth-first walk.
    pub fn retreats(&self, from: usize, to: usize) -> bool {
        self.order[from].zip(self.order[to]).is_some_and(|(from, to)| to <= from)
    }
}

/// The nearest common ancestor of two blocks; `None` is the root above all entries.
fn intersect(
    found: &[Option<Option<usize>>],
    order: &[Option<usize>],
    mut a: Option<usize>,
    mut b: Option<usize>,
) -> Option<usize> {
    while a != b {
        let (Some(left), Some(right)) = (a, b) else { return None };
        if order[left] > order[right] {
            a = found[left].flatten();
        } else {
            b = found[right].flatten();
        }
    }
    a
}

fn postorder(flow: &ControlFlow) -> Vec<usize> {
    let mut seen = vec![false; flow.blocks.len()];
    let mut order = Vec::with_capacity(flow.blocks.len());
    for entry in &flow.entries {
        if std::mem::replace(&mut seen[*entry], true) {
            continue;
        }
        let mut stack = vec![(*entry, 0)];
        while let Some((block, child)) = stack.pop() {
            match flow.blocks[block].successors.get(child) {
                Some(next) => {
                    stack.push((block, child + 1));
                    if !std::mem::replace(&mut seen[*next], true) {
                        stack.push((*next, 0));
                    }
                }
                None => order.push(block),
            }
        }
    }
    order
}
