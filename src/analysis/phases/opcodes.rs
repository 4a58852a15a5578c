//! What a phase executes: the opcodes that a reader of the source looks for, with a lane on.

use super::detail::OpcodeRun;
use super::guards::lanes_on;
use super::study::Study;
use std::collections::BTreeMap;

/// Opcodes told of a phase.
const TOLD: usize = 4;

/// Opcodes that stand for a line of source, beside products of matrices: moves of data, arithmetic, exchange between lanes.
#[rustfmt::skip]
const NAMED: [&str; 28] = [
    "LDG", "STG", "LDS", "STS", "LDSM", "STSM", "LDL", "STL", "LDGSTS", "UTMALDG", "UTMASTG", "UBLKCP", "LDTM", "STTM", "RED",
    "REDG", "ATOM", "ATOMG", "ATOMS", "SHFL", "MUFU", "FFMA", "FMUL", "FADD", "HFMA2", "DFMA", "DADD", "IDP",
];

/// The opcodes of some rows that execute the most, largest first.
pub(super) fn opcodes(study: &Study<'_>, rows: &[usize]) -> Vec<OpcodeRun> {
    let code = &study.code;
    let mut by: BTreeMap<&str, OpcodeRun> = BTreeMap::new();
    for row in rows.iter().copied().filter(|row| code.executed[*row] > 0) {
        let base = code.base(row);
        if !code.is_tensor(row) && !NAMED.contains(&base) {
            continue;
        }
        let most = lanes_on(study, row).map_or(code.executed[row], |(_, most)| most);
        if most > 0 {
            let run = by.entry(base).or_insert_with(|| OpcodeRun { opcode: base.to_owned(), ..OpcodeRun::default() });
            run.count += 1;
            run.executed += most;
        }
    }
    let mut found: Vec<OpcodeRun> = by.into_values().collect();
    found.sort_by(|a, b| b.executed.cmp(&a.executed).then_with(|| a.opcode.cmp(&b.opcode)));
    found.truncate(TOLD);
    found
}
