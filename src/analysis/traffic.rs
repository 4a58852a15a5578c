//! Which memory traffic goes past the counters that see only loads and stores of the LSU pipe.

use super::mix::InstructionMix;

/// Base opcodes that move data to or from global memory without passing the per-instruction sector counters.
const UNCOUNTED: [&str; 7] = ["LDGSTS", "UTMALDG", "UTMASTG", "UTMAREDG", "UBLKCP", "UBLKRED", "UBLKPF"];

/// The uncounted opcodes that the kernel executed, with their counts.
pub(super) fn uncounted(mix: &InstructionMix) -> Vec<(String, f64)> {
    let executed = mix.rows.iter().filter(|row| UNCOUNTED.contains(&row.opcode.as_str()));
    executed.filter_map(|row| Some((row.opcode.clone(), row.row.new.value().filter(|v| *v > 0.0)?))).collect()
}
