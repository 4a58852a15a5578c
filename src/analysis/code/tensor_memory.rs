//! Columns of tensor memory that a kernel allocates.

use crate::analysis::sass::body;
use crate::evidence::{SassFunction, SassInstruction};

/// Columns of one unit of allocation. PTX ISA, `tcgen05.alloc`.
const UNIT: u32 = 32;

/// Columns that a block holds: what its allocations ask for, all of them together. `None` where there is no allocation, or the
/// size of one is no constant.
pub(super) fn columns(function: &SassFunction) -> Option<u32> {
    let code = body(function);
    let asked: Vec<usize> = (0..code.len()).filter(|at| is_allocation(&code[*at])).collect();
    let before = std::iter::once(0).chain(asked.iter().map(|at| at + 1));
    // Behind each try stands a loop that sleeps and tries again, for the same columns.
    let is_again = |from: usize, at: usize| code[from..at].iter().any(|instruction| instruction.base() == "NANOSLEEP");
    let first = before.zip(&asked).filter(|(from, at)| !is_again(*from, **at));
    let units: Option<u32> = first.map(|(_, at)| units(&code[..*at], &code[*at])).sum();
    units.filter(|units| *units > 0).map(|units| units * UNIT)
}

fn is_allocation(instruction: &SassInstruction) -> bool {
    instruction.base() == "UTCATOMSWS" && instruction.modifiers().any(|modifier| modifier == "FIND_AND_SET")
}

/// The constant that was last moved to the register of units.
fn units(before: &[SassInstruction], allocation: &SassInstruction) -> Option<u32> {
    let register = allocation.operands.rsplit(',').next()?.trim();
    let writes = |instruction: &&SassInstruction| {
        instruction.operands.split(',').next().is_some_and(|first| first.trim() == register)
    };
    let last = before.iter().rev().find(writes).filter(|instruction| instruction.base() == "UMOV")?;
    let value = last.operands.rsplit(',').next()?.trim();
    u32::from_str_radix(value.strip_prefix("0x")?, 16).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn function(lines: &[(&str, &str)]) -> SassFunction {
        let row = |(at, (opcode, operands)): (usize, &(&str, &str))| SassInstruction {
            offset: 16 * at as u64,
            predicate: None,
            opcode: (*opcode).into(),
            operands: (*operands).into(),
            targets: Vec::new(),
            places: Vec::new().into(),
            encoding: None,
        };
        SassFunction { instructions: lines.iter().enumerate().map(row).collect(), ..SassFunction::default() }
    }

    /// As ptxas 13.0 compiles `tcgen05.alloc … 512` and `… 128` behind it: each with a try and a loop of tries.
    const TRY: [(&str, &str); 6] = [
        ("UMOV", "UR6, 0x10"),
        ("DEPBAR.LE", "SB0, 0x36"),
        ("UTCATOMSWS.FIND_AND_SET.ALIGN", "UP0, UR6, UR6"),
        ("NANOSLEEP", "0x64"),
        ("UMOV", "UR6, 0x10"),
        ("UTCATOMSWS.FIND_AND_SET.ALIGN", "UP0, UR6, UR6"),
    ];

    #[test]
    fn columns_are_counted_once_for_each_allocation() {
        assert_eq!(columns(&function(&TRY)), Some(512));
        let second: Vec<(&str, &str)> =
            TRY.iter().map(|row| if row.0 == "UMOV" { ("UMOV", "UR6, 0x4") } else { *row }).collect();
        assert_eq!(columns(&function(&[&TRY[..], &second].concat())), Some(512 + 128));
    }

    #[test]
    fn a_size_that_only_the_run_tells_is_not_known() {
        assert_eq!(columns(&function(&[("R2UR", "UR6, R0"), TRY[2]])), None);
        assert_eq!(columns(&function(&[("UTCATOMSWS.AND", "URZ, UR5")])), None);
    }
}
