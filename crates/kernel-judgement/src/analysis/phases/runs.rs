//! What a launch executes: each opcode by its width and where it stands.

use super::{model::PhaseKind, study::Study};
use crate::evidence::{Register, RegisterFile};
use cuda_binary::Op;

/// Where instructions stand, so that those of two versions of a kernel can be laid side by side.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Stand {
    /// In a phase of the role that sets the pace.
    Phase(PhaseKind),
    /// In the code of another role, by its position.
    Role(usize),
}

/// The executions of an opcode in one place.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(in crate::analysis) struct Run {
    pub(in crate::analysis) op: Op,
    /// Bits of a lane's element; `None` for what accesses no memory, and where that was not collected.
    pub(in crate::analysis) width: Option<u64>,
    /// Where; `None` for code that belongs to no phase.
    pub(in crate::analysis) stand: Option<Stand>,
    /// Warp instructions.
    pub(in crate::analysis) executed: u64,
}

impl Study<'_> {
    /// The executions of the opcodes that are known, a run for each row that was executed.
    pub(in crate::analysis) fn runs(&self) -> Vec<Run> {
        let code = &self.code;
        let mut stands: Vec<Option<Stand>> = vec![None; code.rows.len()];
        for (at, group) in self.split.roles.iter().enumerate().filter(|(at, _)| *at != self.pacing) {
            code.rows_of(&group.blocks).for_each(|row| stands[row] = Some(Stand::Role(at)));
        }
        for cut in &self.cuts {
            cut.rows.iter().for_each(|row| stands[*row] = Some(Stand::Phase(cut.kind)));
        }
        let rows = (0..code.rows.len()).filter(|row| code.executed[*row] > 0 && code.op(*row).is_known());
        let run = |row: usize| Run {
            op: code.op(row),
            width: self.width(row),
            stand: stands[row],
            executed: code.executed[row],
        };
        rows.map(run).collect()
    }

    /// Global loads that are under way together before the first of their values is used: executions by warps, and the bytes of a lane.
    pub(in crate::analysis) fn bursts(&self) -> Vec<(f64, f64)> {
        let code = &self.code;
        let mut bursts = Vec::new();
        for block in &code.flow.blocks {
            let executed = code.executed[block.instructions.start] as f64;
            let mut open: Vec<Register> = Vec::new();
            let mut close = |open: &mut Vec<Register>| {
                let bytes: f64 = open.drain(..).map(|register| 4.0 * f64::from(register.count)).sum();
                bursts.extend((executed * bytes > 0.0).then_some((executed, bytes)));
            };
            for row in block.instructions.clone() {
                let registers = &code.rows[row].word.unwrap_or_default().registers;
                if open.iter().any(|own| registers.reads.iter().any(|read| read.count > 0 && own.meets(read))) {
                    close(&mut open);
                }
                if code.op(row).loads_global() {
                    let is_own = |own: &&Register| own.count > 0 && own.file == RegisterFile::General;
                    open.extend(registers.writes.iter().filter(is_own));
                }
            }
            close(&mut open);
        }
        bursts
    }
}
