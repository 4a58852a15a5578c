//! The part of the chip that a throughput counter belongs to.

use super::{
    Part, StallReason,
    row::{Catalog, embedded},
};
use cuda_binary::op::Pipe;
use cuda_binary::{Class, Op};
use serde::Deserialize;
use std::sync::LazyLock;

/// The first compute capability of chips whose FMA pipe computes with halves.
const HALVES_ON_FMA: (u32, u32) = (8, 6);

/// Whether a part of the chip moves data, computes, or issues instructions.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ChipSide {
    /// Moves data.
    Memory,
    Compute,
    /// Feeds instructions.
    Issue,
}

/// A part of the chip.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Subsystem {
    /// Stable code; also the limiter's code when this part limits a kernel.
    pub code: Part,
    /// What a sentence calls it.
    pub label: &'static str,
    /// What a table calls it.
    pub name: &'static str,
    /// What a sentence calls counters of one stage of it, by how their names begin.
    #[serde(default)]
    stages: Vec<(&'static str, &'static str)>,
    pub side: ChipSide,
    /// Stall reasons of warps that queue for this part.
    pub queues: Vec<StallReason>,
    /// Prefixes of the counters that watch it.
    pub starts: Vec<&'static str>,
    /// What counts its work by instruction.
    #[serde(default)]
    pub by_instruction: InstructionWork,
}

/// Which count by instruction stands for the work of a part.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum InstructionWork {
    #[default]
    None,
    /// Sectors that global and local accesses ask of L2.
    Sectors,
    /// Wavefronts of shared accesses.
    Wavefronts,
    /// Either of the two, whichever fills more of the L1 data stage.
    DataStage,
    Executions,
    /// Executions of the opcodes that this pipe runs.
    Pipe(Pipe),
}

static ROWS: LazyLock<Catalog<Subsystem>> =
    LazyLock::new(|| Catalog::load(embedded!("subsystems.toml"), "subsystem", |row| vec![row.code.into()]));

pub(crate) fn subsystem(code: Part) -> Option<&'static Subsystem> {
    ROWS.rows().iter().find(|row| row.code == code)
}

/// The part that a counter watches, by its name.
pub fn subsystem_of(counter: &str) -> Option<&'static Subsystem> {
    ROWS.rows().iter().find(|row| row.starts.iter().any(|start| counter.starts_with(start)))
}

impl Subsystem {
    /// What a sentence calls what a counter of it watches: a stage by its name, so that two numbers of one part are told apart.
    pub(crate) fn watched(&self, counter: &str) -> &'static str {
        self.stages.iter().find(|(start, _)| counter.starts_with(start)).map_or(self.label, |(_, stage)| stage)
    }

    /// Whether an opcode runs on it, on chips of a compute capability; none does where its work is counted in another way. From
    /// 8.6 on packed arithmetic of halves is issued to both halves of the FMA pipe
    /// (<https://forums.developer.nvidia.com/t/separate-cuda-core-pipeline-for-fp16-and-fp32/302018/7>), and the FP16 pipe is a part
    /// of what is counted there.
    pub fn runs(&self, op: Op, capability: Option<(u32, u32)>) -> bool {
        let InstructionWork::Pipe(pipe) = self.by_instruction else { return false };
        let is_shared = pipe == Pipe::Fma && capability.is_some_and(|own| own >= HALVES_ON_FMA);
        op.pipe() == Some(pipe) || is_shared && op.is_of(&[Class::Fp16])
    }
}

impl Part {
    /// Its row; `None` for the one part that has none.
    pub fn row(self) -> Option<&'static Subsystem> {
        subsystem(self)
    }

    /// Whether it is a pipe of the SMs.
    pub(crate) fn computes(self) -> bool {
        <&str>::from(self).starts_with("compute-")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_pipe_runs_opcodes() {
        for row in ROWS.rows() {
            match &row.by_instruction {
                InstructionWork::Pipe(_) => assert!(Op::ALL.iter().any(|op| row.runs(*op, None)), "{}", row.code),
                InstructionWork::None => assert_eq!(row.code, Part::MemoryTexture),
                _ => assert!(row.side != ChipSide::Compute, "{}", row.code),
            }
        }
    }

    #[test]
    fn halves_run_on_the_fma_pipe_of_newer_chips() {
        let on = |part: Part, text, capability| part.row().is_some_and(|row| row.runs(Op::of(text), capability));
        for (capability, is_shared) in
            [(None, false), (Some((8, 0)), false), (Some((8, 6)), true), (Some((9, 0)), true)]
        {
            assert_eq!(on(Part::ComputeFma, "HFMA2.MMA", capability), is_shared, "{capability:?}");
            assert!(on(Part::ComputeFma, "FFMA", capability) && on(Part::ComputeFp16, "HADD2", capability));
            assert!(!on(Part::ComputeFma, "DFMA", capability) && !on(Part::ComputeAlu, "HMUL2", capability));
        }
    }

    #[test]
    fn the_table_loads_and_the_particular_goes_before_the_general() {
        assert!(ROWS.rows().len() > 10);
        for row in ROWS.rows() {
            assert!(!row.queues.is_empty(), "{}", row.code);
        }
        let code = |name| subsystem_of(name).map(|s| s.code);
        assert_eq!(code("dram__throughput.avg.pct_of_peak_sustained_elapsed"), Some(Part::MemoryDram));
        assert_eq!(code("l1tex__data_pipe_lsu_wavefronts_mem_shared.sum"), Some(Part::MemoryShared));
        assert_eq!(code("l1tex__data_pipe_lsu_wavefronts.avg"), Some(Part::MemoryL1tex));
        assert_eq!(code("sm__inst_executed_pipe_lsu.avg"), Some(Part::MemoryLsu));
        assert_eq!(code("sm__inst_executed.avg"), Some(Part::Issue));
        assert_eq!(code("nonsense__x"), None);
    }

    #[test]
    fn what_watches_tcgen05_is_the_tensor_pipe_s_and_a_metric_of_gb100() {
        for name in [
            "sm__pipe_tc_cycles_active.avg.pct_of_peak_sustained_elapsed",
            "sm__inst_executed_pipe_tc.avg.pct_of_peak_sustained_elapsed",
            "sm__inst_executed_pipe_tmem.avg.pct_of_peak_sustained_elapsed",
            "sm__mem_tensor_cycles_active.avg.pct_of_peak_sustained_elapsed",
        ] {
            assert_eq!(subsystem_of(name).map(|row| row.code), Some(Part::ComputeTensor), "{name}");
            assert!(crate::catalog::is_on_chip(name, "gb100"), "{name}");
        }
        let shared = "l1tex__data_pipe_tc_wavefronts_mem_shared_op_utcmma_matrix_a.sum";
        assert_eq!(subsystem_of(shared).map(|row| row.code), Some(Part::MemoryShared));
    }
}
