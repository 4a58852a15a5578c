//! Local memory that no spill explains.

use super::{Built, shown};
use crate::analysis::diagnose::finding::Severity;
use crate::analysis::diagnose::pattern::{Hit, Pattern};
use crate::catalog::Code;
use crate::quantity::format;
use crate::words;
use crate::words::Words;

/// The instructions.
pub(super) struct LocalArrays;

impl Pattern<Built<'_>> for LocalArrays {
    type Facts = u64;

    fn detect(g: &Built<'_>) -> Option<Hit<Self::Facts>> {
        let others: usize = g.code.local.iter().filter_map(|row| Some(row.count - row.spills?)).sum();
        if others == 0 {
            return None;
        }
        shown(Code::LocalMemory, Severity::Notes, others as u64)
    }

    fn say(others: &Self::Facts) -> Words {
        words!(
            "{} instructions access local memory without being spills: an array indexed at run time, or the frame of a called function.",
            format::integer(*others)
        )
    }
}
