//! Index arithmetic: what is executed only to make addresses.

use crate::catalog::Part;

/// Pipes on which index arithmetic runs.
pub(in crate::analysis) const PIPES: [Part; 4] =
    [Part::ComputeAlu, Part::ComputeFma, Part::ComputeXu, Part::ComputeControl];

/// Executions, by warps, of instructions whose values go into addresses and into nothing that is stored, and that depend on no value
/// from memory: a thread that does more neighbouring elements executes them once for all of those.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize)]
pub struct IndexArithmetic {
    /// All of them.
    pub executed: u64,
    /// Those on the ALU, FMA, XU and control pipes.
    pub on: [u64; 4],
}

impl IndexArithmetic {
    /// Those on a pipe.
    pub(in crate::analysis) fn on(&self, part: Part) -> u64 {
        PIPES.iter().zip(self.on).find(|(own, _)| **own == part).map_or(0, |(_, executed)| executed)
    }
}
