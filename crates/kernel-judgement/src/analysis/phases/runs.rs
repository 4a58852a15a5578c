//! What a launch executes: each opcode by its width and where it stands.

use super::{guards::executions, lane_value::LANES, model::PhaseKind, study::Study};
use crate::catalog::Counter;
use crate::evidence::{Register, RegisterFile};
use cuda_binary::Op;
use cuda_binary::op::Space;

/// What a division goes through: to a float, its reciprocal, and back.
pub(in crate::analysis) const OF_A_FLOAT: [Op; 3] = [Op::I2F, Op::MUFU, Op::F2I];

/// Instructions that a division of integers of 32 and of 64 bits takes in all, as `nvcc` 13.0 makes it of `a % b`.
pub(in crate::analysis) const DIVISION: [f64; 2] = [20.0, 75.0];

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
    /// Whether it brings memory to several blocks of a cluster.
    pub(in crate::analysis) is_multicast: bool,
    /// Where; `None` for code that belongs to no phase.
    pub(in crate::analysis) stand: Option<Stand>,
    /// Warp instructions.
    pub(in crate::analysis) executed: u64,
    /// Sectors of global memory that they ask for; `None` where that was not collected.
    pub(in crate::analysis) sectors: Option<u64>,
}

impl Study<'_> {
    /// The executions of the opcodes that are known, a run for each row that was executed and does more than make a constant.
    pub(in crate::analysis) fn runs(&self) -> Vec<Run> {
        let code = &self.code;
        let sectors = self.view.counts(Counter::MemoryL2TheoreticalSectorsGlobal);
        let mut stands: Vec<Option<Stand>> = vec![None; code.rows.len()];
        for (at, group) in self.split.roles.iter().enumerate().filter(|(at, _)| *at != self.pacing) {
            code.rows_of(&group.blocks).for_each(|row| stands[row] = Some(Stand::Role(at)));
        }
        for cut in &self.cuts {
            cut.rows.iter().for_each(|row| stands[*row] = Some(Stand::Phase(cut.kind)));
        }
        let rows = code.run().filter(|row| code.op(*row).is_known());
        let rows = rows.filter(|row| !code.rows[*row].makes_constant());
        let run = |row: usize| Run {
            op: code.op(row),
            width: self.width(row),
            is_multicast: code.word(row).is_multicast(),
            stand: stands[row],
            executed: executions(self, row),
            sectors: sectors.as_ref().map(|sectors| sectors[row]),
        };
        rows.map(run).collect()
    }

    /// Lanes in the executions of some opcodes; `None` where they were not counted by instruction.
    pub(in crate::analysis) fn lanes(&self, is_own: impl Fn(Op) -> bool) -> Option<f64> {
        let lanes = self.view.counts(Counter::ThreadInstExecutedTrue)?;
        let own = self.view.instructions.iter().zip(lanes).filter(|(row, _)| is_own(row.op()));
        Some(own.map(|(_, lanes)| lanes).sum::<u64>() as f64)
    }

    /// Bytes of the loads from a space with all lanes on, by width; `None` where widths were not collected, and where the copy engine brings some.
    pub(in crate::analysis) fn loaded_bytes(&self, space: Space) -> Option<f64> {
        let runs = self.runs();
        let own = |run: &&Run| run.op.is_in(space) && run.op.brings_from_memory();
        let bytes = |run: &Run| run.executed * LANES as u64 * run.width.unwrap_or_default() / 8;
        let is_told = self.has_widths() && !runs.iter().any(|run| run.op.is_bulk());
        is_told.then(|| runs.iter().filter(own).map(bytes).sum::<u64>() as f64)
    }

    /// Divisions of integers by values that are not known when the code is compiled, by warps, of 32 and of 64 bits: an integer becomes
    /// a float, that its reciprocal, and this, one step between, an integer again; what lies further apart is arithmetic on floats.
    pub(in crate::analysis) fn divisions(&self) -> [f64; 2] {
        let [to, reciprocal, back] = OF_A_FLOAT;
        let code = &self.code;
        let is_reciprocal = |row: &usize| code.op(*row) == reciprocal && code.word(*row).function() == "RCP";
        let before = |row: usize| code.operands_of(row);
        let is_of_integer = |row: usize| before(row).any(|row| code.op(row) == to);
        let steps = |row: usize| before(row).flat_map(|step| before(step).chain([step]));
        let divides = |row: &usize| steps(*row).filter(is_reciprocal).any(is_of_integer);
        let rows = code.run().filter(|row| code.op(*row) == back).filter(divides);
        let is_long = |row: &usize| code.word(*row).is_long_integer();
        let (long, short): (Vec<usize>, Vec<usize>) = rows.partition(is_long);
        [short, long].map(|rows| rows.into_iter().map(|row| code.executed[row] as f64).sum())
    }

    /// Of what global loads have under way together before the first of their values is used, in bytes of a lane, the average over the bytes
    /// that are loaded, by what each burst counts.
    pub(in crate::analysis) fn under_way(&self, counts: impl Fn(f64) -> f64) -> Option<f64> {
        let code = &self.code;
        let (mut all, mut sum) = (0.0, 0.0);
        for block in &code.flow.blocks {
            let executed = code.executed[block.instructions.start] as f64;
            let mut open: Vec<Register> = Vec::new();
            let mut close = |open: &mut Vec<Register>| {
                let bytes: f64 = open.drain(..).map(|register| 4.0 * f64::from(register.count)).sum();
                (all, sum) = (all + executed * bytes, sum + executed * bytes * counts(bytes));
            };
            for row in block.instructions.clone() {
                let registers = &code.word(row).registers;
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
        (all > 0.0).then(|| sum / all)
    }
}
