//! What a block's shared memory holds, and what is left of it.

use super::resources::{ResourceRow, row};
use crate::analysis::sass::{Listed, opcode_matches};
use crate::catalog;
use crate::evidence::{CubinKernel, Instruction, Operand, OperandFrom};
use std::collections::BTreeSet;

/// Bytes of an mbarrier.
pub(super) const MBARRIER: u64 = 8;
/// What initialises an mbarrier.
const INITIALISATION: &str = "SYNCS.EXCH.64";
/// The label of the instructions that do so; several warps may run one.
pub(super) const MBARRIERS: &str = "Initialisations of mbarriers";
/// The label of the arrivals that a phase of all of them takes.
pub(super) const ARRIVALS: &str = "Arrivals that mbarriers are initialised for";
const DYNAMIC: &str = "Dynamic shared memory";
/// The label of what a block may still ask for.
pub(super) const LEFT: &str = "Shared memory left to the block";
/// The label of what it asks for beyond what there is.
const BEYOND: &str = "Shared memory beyond the limit of a block";

/// What lies in shared memory beside its static part, and the margin to what a block of this chip can have, as far as known.
pub(super) fn rows(kernel: &CubinKernel, arch: &str, listed: &Listed<'_>, dynamic: Option<u64>) -> Vec<ResourceRow> {
    let barriers = mbarriers(listed).map(|addresses| row(MBARRIERS, "", None, Some(addresses.len() as u64), None));
    let mut rows: Vec<ResourceRow> = barriers.into_iter().collect();
    rows.extend(arrivals(listed).map(|count| row(ARRIVALS, "", None, Some(count), None)));
    let Some(dynamic) = dynamic else { return rows };
    rows.push(row(DYNAMIC, "B", None, None, Some(dynamic)));
    if let Some(chip) = catalog::chip_of_arch(arch) {
        let (most, asked) = (u64::from(chip.shared_per_block_max), kernel.shared_bytes + dynamic);
        let (label, bytes) = if asked <= most { (LEFT, most - asked) } else { (BEYOND, asked - most) };
        rows.push(row(label, "B", None, None, Some(bytes)));
    }
    rows
}

/// Where the code initialises mbarriers: the first and behind the last, from what its register points at.
pub(super) type Initialised = Option<(u64, u64)>;

/// The addresses of the barriers that are initialised, an instruction for each; `None` for none, or where some stand in a loop
/// or name the same address.
pub(super) fn mbarriers(listed: &Listed<'_>) -> Option<BTreeSet<Operand>> {
    let at: Vec<usize> = initialisations(listed).collect();
    if at.is_empty() || at.iter().any(|at| listed.loops_around(*at).next().is_some()) {
        return None;
    }
    let addresses: BTreeSet<Operand> = at.iter().filter_map(|at| listed.code[*at].operands().nth(1)).collect();
    (addresses.len() == at.len()).then_some(addresses)
}

/// The arrivals for which the barriers are initialised, all together; `None` where one is computed when the kernel runs.
fn arrivals(listed: &Listed<'_>) -> Option<u64> {
    mbarriers(listed)?;
    initialisations(listed).map(|at| initial_count(listed.in_front(at)?, &listed.code[at])).sum()
}

/// The instructions that initialise mbarriers.
fn initialisations(listed: &Listed<'_>) -> impl Iterator<Item = usize> {
    (0..listed.code.len()).filter(|at| opcode_matches(listed.code[*at].named(), INITIALISATION))
}

/// The count that an initialisation writes. As ptxas makes it, the word is 0x100000 less the count, shifted, in the uniform register
/// that begins as the count: the register is followed back over these two to there.
fn initial_count(in_front: &[Instruction], initialisation: &Instruction) -> Option<u64> {
    let register = initialisation.operands().last()?;
    let [all, one] = [0x100000, 1].map(|number| Operand::from(OperandFrom::Immediate(number)));
    let less = Operand { is_negative: true, ..register };
    let made = [[less, all, Operand::default()], [register, one, Operand::default()]];
    constant(in_front, register, |sources| made.iter().any(|own| sources.ends_with(own)))
}

/// The constant that a block puts into a uniform register, what is made of it there passed over.
pub(super) fn constant(
    in_front: &[Instruction],
    register: Operand,
    is_made: impl Fn(&[Operand]) -> bool,
) -> Option<u64> {
    let writes = in_front.iter().rev().filter(|own| own.operands().next() == Some(register));
    let sources = |own: &Instruction| own.operands().skip(1).collect::<Vec<_>>();
    let begins = writes.into_iter().find(|own| !is_made(&sources(own)))?;
    match sources(begins)[..] {
        [Operand { from: OperandFrom::Immediate(number), .. }] if begins.guard().is_none() => Some(number.into()),
        _ => None,
    }
}

/// The bytes from the first to the last of mbarriers whose addresses are one register and a number; `None` for others.
pub(super) fn initialised(addresses: &BTreeSet<Operand>) -> Initialised {
    let read = |address: &Operand| match address.from {
        OperandFrom::Memory([register, None], offset) => Some((register?, u64::try_from(offset).ok()?)),
        _ => None,
    };
    let all: Vec<(_, u64)> = addresses.iter().map(read).collect::<Option<_>>()?;
    let is_one = all.iter().all(|(register, _)| *register == all[0].0);
    let (from, last) = (all.iter().map(|(_, at)| *at).min()?, all.iter().map(|(_, at)| *at).max()?);
    (is_one && all.len() as u64 * MBARRIER == last + MBARRIER - from).then_some((from, last + MBARRIER))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::evidence::SassFunction;

    fn seen(arch: &str, dynamic: Option<u64>) -> Vec<(String, Option<u64>)> {
        let kernel = CubinKernel { shared_bytes: 176, ..CubinKernel::default() };
        let function = SassFunction::default();
        let found = rows(&kernel, arch, &Listed::of(&function), dynamic);
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

    #[test]
    fn a_count_is_followed_back_to_where_it_begins() {
        let instruction = |(opcode, operands): &(&str, &str)| Instruction::printed(opcode, operands);
        let count = |first: (&str, &str)| {
            let rows = [
                first,
                ("UIADD3", "UR10, UPT, UPT, -UR10, 0x100000, URZ"),
                ("USHF.L.U32", "UR11, UR10, 0xb, URZ"),
                ("USHF.L.U32", "UR10, UR10, 0x1, URZ"),
            ];
            let initialisation = instruction(&("SYNCS.EXCH.64", "URZ, [UR4+0x90], UR10"));
            initial_count(&rows.iter().map(instruction).collect::<Vec<_>>(), &initialisation)
        };
        assert_eq!(count(("UMOV", "UR10, 0x8")), Some(8));
        assert_eq!(count(("R2UR", "UR10, R3")), None, "computed");
    }

    #[test]
    fn addresses_are_a_register_and_a_number() {
        let of = |addresses: &[&str]| {
            let printed = Instruction::printed("SYNCS.EXCH.64", &addresses.join(", "));
            initialised(&printed.operands().collect())
        };
        assert_eq!(of(&["[UR8+0x30000]", "[UR8+0x30008]"]), Some((0x30000, 0x30010)));
        assert_eq!(of(&["[UR8]", "[UR8+0x8]"]), Some((0, 16)));
        assert_eq!(of(&["[UR8]", "[UR9+0x8]"]), None);
        assert_eq!(of(&["[UR8]", "[UR8+0x10]"]), None, "with a hole");
        assert_eq!(of(&["[UR8+UR4]"]), None);
    }
}
