//! How much tensor memory a kernel asks for, read off its code.

use super::resources::{ResourceRow, row};
use super::shared_map::constant;
use crate::analysis::sass::{Listed, opcode_matches};
use cuda_binary::op::Sync;

/// What an allocation becomes.
const ALLOCATION: &str = "UTCATOMSWS.FIND_AND_SET";
/// Columns that one unit of its operand stands for: ptxas of CUDA 13.0 writes 1, 2, 4, 8 and 16 for a `tcgen05.alloc` of 32,
/// 64, 128, 256 and 512 columns.
const COLUMNS_OF_UNIT: u64 = 32;
pub(super) const COLUMNS: &str = "Tensor memory, columns";
/// The label of how often they are asked for.
pub(super) const ALLOCATIONS: &str = "Tensor-memory allocations";

/// Allocations and their columns together; nothing for a kernel without. Columns that are computed at run time are not known.
pub(super) fn rows(listed: &Listed<'_>) -> Vec<ResourceRow> {
    // In a loop that sleeps an instruction asks again for what was not to be had.
    let sleeps = |blocks: &[usize]| listed.instructions(blocks).any(|i| i.op().sync() == Some(Sync::Sleep));
    let is_another_try = |at: usize| listed.loops_around(at).any(|found| sleeps(&found.blocks));
    let is_asked = |at: &usize| opcode_matches(listed.code[*at].named(), ALLOCATION) && !is_another_try(*at);
    let asked: Vec<usize> = (0..listed.code.len()).filter(is_asked).collect();
    if asked.is_empty() {
        return Vec::new();
    }
    // What an allocation puts into its last operand, where that is a constant.
    let units = |at: usize| constant(listed.in_front(at)?, listed.code[at].operands().last()?, |_| false);
    let columns = asked.iter().map(|at| Some(units(*at)? * COLUMNS_OF_UNIT)).sum();
    vec![row(ALLOCATIONS, "", None, Some(asked.len() as u64), None), row(COLUMNS, "", None, columns, None)]
}

/// The columns among the resources of a build; `None` where it allocates none, or as many as only the run tells.
pub(super) fn columns(resources: &[ResourceRow]) -> Option<u64> {
    resources.iter().find(|row| row.label == COLUMNS)?.cubin
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::evidence::{Instruction, SassFunction};

    /// Instructions 16 bytes apart; a branch names its target in its operands.
    fn read(lines: &[(&str, &str)]) -> Vec<(String, Option<u64>)> {
        let instruction = |(position, (opcode, operands)): (usize, &(&str, &str))| {
            let mut own = Instruction { offset: 16 * position as u64, ..Instruction::printed(opcode, operands) };
            let target = operands.strip_prefix("UP0, ").filter(|_| *opcode == "BRA.U");
            own.text.as_mut().unwrap().targets.extend(target.map(|to| to.parse::<u64>().unwrap()));
            own
        };
        let instructions = lines.iter().enumerate().map(instruction).collect();
        let function = SassFunction { instructions, ..SassFunction::default() };
        rows(&Listed::of(&function)).into_iter().map(|row| (row.label, row.cubin)).collect()
    }

    const ASK: (&str, &str) = ("UTCATOMSWS.2CTA.FIND_AND_SET.ALIGN", "UP0, UR5, UR5");
    const HALF: (&str, &str) = ("UMOV", "UR5, 0x8");

    #[test]
    fn an_allocation_is_counted_once_with_the_tries_behind_it() {
        // As ptxas writes it: one try, then a loop that sleeps and tries again.
        let found = read(&[
            HALF,
            ASK,
            ("BRA.U", "UP0, 112"),
            ("NANOSLEEP", "0x64"),
            HALF,
            ASK,
            ("BRA.U", "UP0, 48"),
            ("EXIT", ""),
        ]);
        assert_eq!(found, [(ALLOCATIONS.to_owned(), Some(1)), (COLUMNS.to_owned(), Some(256))]);
        let twice = read(&[HALF, ASK, HALF, ASK, ("EXIT", "")]);
        assert_eq!(twice, [(ALLOCATIONS.to_owned(), Some(2)), (COLUMNS.to_owned(), Some(512))]);
    }

    #[test]
    fn columns_that_are_computed_are_not_known() {
        let computed = read(&[("R2UR", "UR5, R0"), ASK, ("EXIT", "")]);
        assert_eq!(computed, [(ALLOCATIONS.to_owned(), Some(1)), (COLUMNS.to_owned(), None)]);
        assert!(read(&[HALF, ("EXIT", "")]).is_empty());
    }
}
