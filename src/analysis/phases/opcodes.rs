//! What a phase executes: the opcodes that a reader of the source looks for, with a lane on.

use super::detail::OpcodeRun;
use super::guards::lanes_on;
use super::study::Study;
use cuda_binary::op::Told;
use std::collections::BTreeMap;

/// Opcodes told of a phase.
const TOLD: usize = 4;

/// The opcodes of some rows that execute the most, largest first.
pub(super) fn opcodes(study: &Study<'_>, rows: &[usize]) -> Vec<OpcodeRun> {
    let code = &study.code;
    let mut by: BTreeMap<&str, OpcodeRun> = BTreeMap::new();
    for row in rows.iter().copied().filter(|row| code.executed[*row] > 0) {
        let op = code.op(row);
        if !op.is_product() && op.told() == Told::No {
            continue;
        }
        let most = lanes_on(study, row).map_or(code.executed[row], |(_, most)| most);
        if most > 0 {
            let run = by.entry(op.name()).or_insert_with(|| OpcodeRun { opcode: op, ..OpcodeRun::default() });
            run.count += 1;
            run.executed += most;
        }
    }
    let mut found: Vec<OpcodeRun> = by.into_values().collect();
    found.sort_by(|a, b| b.executed.cmp(&a.executed).then_with(|| a.opcode.name().cmp(b.opcode.name())));
    found.truncate(TOLD);
    found
}
