//! What patterns look at: one kernel, and where the walk ended.

use super::kernel::Kernel;
use super::verdict::Bottleneck;
use crate::catalog::Code;
use std::ops::Deref;

/// What patterns look at: the kernel, and what limits it.
pub(in crate::analysis) struct Ground<'a, 'r> {
    pub(super) of: &'a Kernel<'a, 'r>,
    pub(super) bottleneck: &'a Bottleneck,
}

impl<'a, 'r> Deref for Ground<'a, 'r> {
    type Target = Kernel<'a, 'r>;

    fn deref(&self) -> &Kernel<'a, 'r> {
        self.of
    }
}

impl Ground<'_, '_> {
    /// What limits.
    pub(super) fn limiter(&self) -> Code {
        self.bottleneck.limiter
    }

    /// Whether one of these limits.
    pub(super) fn is_limited_by(&self, codes: &[Code]) -> bool {
        codes.contains(&self.limiter())
    }
}
