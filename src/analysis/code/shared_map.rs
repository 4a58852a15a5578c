//! What a block's shared memory holds, and what is left of it.

use super::resources::{ResourceRow, row};
use crate::analysis::sass::{ControlFlow, NaturalLoop, body, opcode_matches};
use crate::catalog;
use crate::evidence::{CubinKernel, SassFunction};
use std::collections::BTreeSet;

/// What initialises an mbarrier.
const INITIALISATION: &str = "SYNCS.EXCH.64";
/// The label of the instructions that do so; several warps may run one.
pub(super) const MBARRIERS: &str = "Initialisations of mbarriers";
/// The label of dynamic shared memory.
const DYNAMIC: &str = "Dynamic shared memory";
/// The label of what a block may still ask for.
pub(super) const LEFT: &str = "Shared memory left to the block";
/// The label of what it asks for beyond what there is.
const BEYOND: &str = "Shared memory beyond the limit of a block";

/// What lies in shared memory beside its static part, and the margin to what a block of this chip can have. Nothing of what is
/// not known.
pub(super) fn rows(
    kernel: &CubinKernel,
    arch: &str,
    code: (&SassFunction, &ControlFlow, &[NaturalLoop]),
    dynamic: Option<u64>,
) -> Vec<ResourceRow> {
    let mut rows: Vec<ResourceRow> =
        mbarriers(code).map(|count| row(MBARRIERS, "", None, Some(count), None)).into_iter().collect();
    let Some(dynamic) = dynamic else { return rows };
    rows.push(row(DYNAMIC, "B", None, None, Some(dynamic)));
    if let Some(chip) = catalog::chip_of_arch(arch) {
        let (most, asked) = (u64::from(chip.shared_per_block_max), kernel.shared_bytes + dynamic);
        let (label, bytes) = if asked <= most { (LEFT, most - asked) } else { (BEYOND, asked - most) };
        rows.push(row(label, "B", None, None, Some(bytes)));
    }
    rows
}

/// Instructions that initialise a barrier, each another one; `None` for none, or where some stand in a loop or name the same
/// address.
fn mbarriers((function, flow, loops): (&SassFunction, &ControlFlow, &[NaturalLoop])) -> Option<u64> {
    let code = body(function);
    let at: Vec<usize> = (0..code.len()).filter(|at| opcode_matches(&code[*at].opcode, INITIALISATION)).collect();
    let in_a_loop =
        |at: &usize| flow.block_of(*at).is_some_and(|block| loops.iter().any(|found| found.blocks.contains(&block)));
    if at.is_empty() || at.iter().any(in_a_loop) {
        return None;
    }
    let addresses: BTreeSet<&str> = at.iter().filter_map(|at| code[*at].operands.split(", ").nth(1)).collect();
    (addresses.len() == at.len()).then_some(at.len() as u64)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::sass::loops;

    fn seen(arch: &str, dynamic: Option<u64>) -> Vec<(String, Option<u64>)> {
        let kernel = CubinKernel { shared_bytes: 176, ..CubinKernel::default() };
        let function = SassFunction::default();
        let flow = ControlFlow::of(&function);
        let found = rows(&kernel, arch, (&function, &flow, &loops(&flow).0), dynamic);
        found.into_iter().map(|row| (row.label, row.launch)).collect()
    }

    #[test]
    fn the_margin_is_what_the_chip_has_less_both_parts() {
        // 227 KiB = 232,448 bytes; 232,448 - 176 - 205,824 = 26,448.
        let margin = seen("sm_100a", Some(205_824));
        assert_eq!(margin, [(DYNAMIC.to_owned(), Some(205_824)), (LEFT.to_owned(), Some(26_448))]);
        let beyond = seen("sm_100a", Some(232_448));
        assert_eq!(beyond[1], (BEYOND.to_owned(), Some(176)));
        assert_eq!(seen("sm_999", Some(1)).len(), 1);
        assert!(seen("sm_100a", None).is_empty());
    }
}
