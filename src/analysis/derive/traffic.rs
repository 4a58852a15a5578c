//! Which memory traffic goes past the counters of the LSU pipe. `LDGSTS` does not: on an H200 the global load sectors of
//! L1 are the sum of those of `LDG` and of `LDGSTS`.

use crate::analysis::derive::mix::InstructionMix;

/// Base opcodes that move data to or from global memory without passing the per-instruction sector counters.
const UNCOUNTED: [&str; 6] = ["UTMALDG", "UTMASTG", "UTMAREDG", "UBLKCP", "UBLKRED", "UBLKPF"];

/// The uncounted opcodes that the kernel executed, with their counts.
pub(in crate::analysis) fn uncounted(mix: &InstructionMix) -> Vec<(String, f64)> {
    let executed = mix.rows.iter().filter(|row| UNCOUNTED.contains(&row.opcode.as_str()));
    executed.filter_map(|row| Some((row.opcode.clone(), row.row.new.value().filter(|v| *v > 0.0)?))).collect()
}
