//! Spilled registers, by the compiler's own count.

use super::{Built, shown};
use crate::analysis::code::resources::REGISTER_CAP;
use crate::analysis::diagnose::finding::Severity;
use crate::analysis::diagnose::pattern::{Hit, Pattern};
use crate::catalog::Code;
use crate::quantity::format;
use crate::words;
use crate::words::Words;

/// Bytes stored and loaded by ptxas, instructions that the cubin marks, and the cap on registers, where the kernel uses all that
/// it leaves.
pub(super) struct Spills;

/// What is known of spills.
pub(super) struct Spilled {
    bytes: Option<(u64, u64)>,
    marked: Option<u64>,
    cap: Option<u64>,
}

impl Pattern<Built<'_>> for Spills {
    type Facts = Spilled;

    fn detect(g: &Built<'_>) -> Option<Hit<Self::Facts>> {
        let stores = g.resource("Spill stores, callees included").and_then(|row| row.ptxas);
        let loads = g.resource("Spill loads, callees included").and_then(|row| row.ptxas);
        let marked = g.resource("Instructions that spill or refill").and_then(|row| row.cubin);
        if [stores, loads, marked].into_iter().flatten().sum::<u64>() == 0 {
            return None;
        }
        let cap = g.resource(REGISTER_CAP).and_then(|row| row.cubin).filter(|cap| g.code.registers() >= Some(*cap));
        shown(Code::RegisterSpilling, Severity::Costs, Spilled { bytes: stores.zip(loads), marked, cap })
    }

    fn say(found: &Self::Facts) -> Words {
        let cap = found.cap.map(|cap| {
            words!(
                "; `__launch_bounds__` or `-maxrregcount` caps a thread at {} registers, and the kernel uses all of them",
                format::integer(cap)
            )
        });
        let marked = found.marked.map(|count| words!(" by {} instructions", format::integer(count)));
        let bytes = found.bytes.map(|(stores, loads)| {
            words!(
                " ({} B stored and {} B loaded per thread, each instruction counted once)",
                format::integer(stores),
                format::integer(loads)
            )
        });
        words!(
            "Registers are spilled to local memory{}{}{}.",
            marked.unwrap_or_default(),
            bytes.unwrap_or_default(),
            cap.unwrap_or_default()
        )
    }
}
