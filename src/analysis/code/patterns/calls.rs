//! Functions that are called and not inlined.

use super::{Built, shown};
use crate::analysis::diagnose::finding::Severity;
use crate::analysis::diagnose::pattern::{Hit, Pattern};
use crate::catalog::Code;
use crate::quantity::format;
use crate::words;
use crate::words::Words;

/// The functions.
pub(super) struct Calls;

impl Pattern<Built<'_>> for Calls {
    type Facts = u64;

    fn detect(g: &Built<'_>) -> Option<Hit<Self::Facts>> {
        match g.code.flow.called as u64 {
            0 => None,
            called => shown(Code::Calls, Severity::Notes, called),
        }
    }

    fn say(called: &Self::Facts) -> Words {
        words!("Not inlined: the kernel calls {}.", format::counted(*called, "function"))
    }
}
