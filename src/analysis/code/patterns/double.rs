//! Double-precision instructions.

use super::{Built, shown};
use crate::analysis::diagnose::finding::Severity;
use crate::analysis::diagnose::pattern::{Hit, Pattern};
use crate::catalog::Code;
use crate::quantity::format;
use crate::words;
use crate::words::Words;

/// The instructions.
pub(super) struct Double;

impl Pattern<Built<'_>> for Double {
    type Facts = u64;

    fn detect(g: &Built<'_>) -> Option<Hit<Self::Facts>> {
        let count = g.count("fp64");
        if count == 0 {
            return None;
        }
        shown(Code::Fp64, Severity::Notes, count)
    }

    fn say(count: &Self::Facts) -> Words {
        words!(
            "{} double-precision instructions; a constant without the suffix f is a common cause.",
            format::integer(*count)
        )
    }
}
