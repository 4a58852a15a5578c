//! What a launch executes: each opcode by its width and where it stands.

use super::{model::PhaseKind, study::Study};
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
}
