//! Spilled registers, by the compiler's own count.

use super::{Built, shown};
use crate::analysis::diagnose::finding::Severity;
use crate::analysis::diagnose::pattern::{Hit, Pattern};
use crate::catalog::Code;
use crate::quantity::format;
use crate::words;
use crate::words::Words;

/// Bytes stored and loaded by ptxas, and instructions that the cubin marks.
pub(super) struct Spills;

impl Pattern<Built<'_>> for Spills {
    type Facts = (Option<(u64, u64)>, Option<u64>);

    fn detect(g: &Built<'_>) -> Option<Hit<Self::Facts>> {
        let stores = g.resource("Spill stores, callees included").and_then(|row| row.ptxas);
        let loads = g.resource("Spill loads, callees included").and_then(|row| row.ptxas);
        let marked = g.resource("Instructions that spill or refill").and_then(|row| row.cubin);
        if [stores, loads, marked].into_iter().flatten().sum::<u64>() == 0 {
            return None;
        }
        shown(Code::RegisterSpilling, Severity::Costs, (stores.zip(loads), marked))
    }

    fn say((bytes, marked): &Self::Facts) -> Words {
        let marked = marked.map(|count| words!(" by {} instructions", format::integer(count)));
        let bytes = bytes.map(|(stores, loads)| {
            words!(
                " ({} B stored and {} B loaded per thread, each instruction counted once)",
                format::integer(stores),
                format::integer(loads)
            )
        });
        words!("Registers are spilled to local memory{}{}.", marked.unwrap_or_default(), bytes.unwrap_or_default())
    }
}
