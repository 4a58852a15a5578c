//! Walks along a list of whose entries a first test lets some pass.

use super::code::{Code, Loop, reached};
use super::flows::{BLOCK, LANE, LONGEST, THREAD};
use cuda_binary::Class;

/// The first tests of the turns of a loop.
pub(in crate::analysis) struct Passing {
    /// Of what is tested the part that passes, 0 to 1.
    pub(in crate::analysis) part: f64,
    /// Rows that run for what passes alone.
    pub(in crate::analysis) behind: Vec<usize>,
    /// Loads of what is tested.
    pub(in crate::analysis) loads: Vec<usize>,
}

impl Code<'_> {
    /// Where turns of a loop go on behind a branch for an entry of a list alone that compares so with a value of the thread, or of the block.
    /// The loop itself says which entry is next, and no turn changes the value.
    pub(in crate::analysis) fn passing(&self, cycle: &Loop) -> Option<Passing> {
        let lanes = self.lanes.as_ref()?;
        let turns = |row: &usize| self.is_in(*row, cycle);
        let is_entry = |row: &usize| {
            let is_load = self.op(*row).loads_global() || self.op(*row).loads_shared();
            is_load && turns(row) && !self.loads_behind(*row).iter().any(turns) && !self.stands(*row, cycle)
        };
        let is_own = |row: &usize| {
            let numbers = |number: u8| number == LANE || THREAD.contains(&number) || BLOCK.contains(&number);
            self.flows.is_memory[*row] || self.registers(*row).special.is_some_and(numbers)
        };
        let entry = |test: usize| {
            let values = self.operands(test).iter().filter(|(own, _)| own.is_value()).map(|(_, rows)| &rows[..]);
            let (entries, others): (Vec<&[usize]>, Vec<&[usize]>) = values.partition(|rows| rows.iter().all(is_entry));
            let is_of_thread = self.behind(others.clone(), LONGEST).iter().any(is_own);
            let is_fixed = is_of_thread && !others.concat().iter().any(turns);
            (entries.len() == 1 && is_fixed).then(|| entries.concat())
        };
        let (mut tested, mut passed, mut behind, mut loads) = (0, 0, Vec::new(), Vec::new());
        for block in &cycle.blocks {
            let own = &self.flow.blocks[*block];
            let is_only = |to: &usize| self.predecessors[*to].len() == 1;
            let is_choice = own.successors.len() == 2 && own.successors.iter().all(|to| cycle.blocks.contains(to));
            let Some(next) = own.successors.iter().copied().find(is_only).filter(|_| is_choice) else { continue };
            let flags = self.operands_of(own.instructions.end - 1);
            let tests = flags.filter(|row| self.op(*row).is_of(&[Class::IntegerCompare, Class::FpCompare]));
            let entries: Vec<usize> = tests.filter_map(entry).flatten().collect();
            if !entries.is_empty() {
                let all = reached([next], |at| self.flow.blocks[at].successors.iter().copied().filter(is_only));
                behind.extend(self.rows_of(all.iter().chain([&next])));
                tested += lanes[own.instructions.start];
                passed += lanes[self.flow.blocks[next].instructions.start];
                loads.extend(entries);
            }
        }
        behind.sort_unstable();
        behind.dedup();
        (tested > 0).then(|| Passing { part: passed as f64 / tested as f64, behind, loads })
    }
}
