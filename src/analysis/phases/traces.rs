//! What tells where the waits of a launch come from.

use crate::analysis::lines::Attribution;
use std::collections::BTreeSet;

/// What tells where waits come from.
pub(super) struct Traces<'s, 'v> {
    pub(super) samples: &'s Attribution<'v>,
    /// Questions to mbarriers at which the pacing warps wait for each other.
    pub(super) turns: BTreeSet<usize>,
}
