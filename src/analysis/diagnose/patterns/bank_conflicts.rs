//! Shared-memory bank conflicts: wavefronts beyond those that the bytes of each access need.

use crate::analysis::diagnose::ground::Ground;
use crate::analysis::diagnose::pattern::{Bound, Hit, Pattern};
use crate::analysis::lines::Sits;
use crate::catalog::{Code, Part, StallReason, Threshold};
use crate::quantity::format::{self, percent};
use crate::words;
use crate::words::Words;

/// Wavefronts of shared accesses.
pub(in crate::analysis) const ALL: &str = "memory_l1_wavefronts_shared";
/// Those that the addresses of each access need.
pub(in crate::analysis) const IDEAL: &str = "memory_l1_wavefronts_shared_ideal";
/// Where a path through shared memory limits.
const PATH: [Code; 3] =
    [Code::Unit(Part::MemoryShared), Code::Wait(StallReason::MioThrottle), Code::Wait(StallReason::ShortScoreboard)];

/// All wavefronts and the ideal ones.
pub(super) struct BankConflicts;

impl Pattern<Ground<'_, '_>> for BankConflicts {
    type Facts = (f64, f64);
    const SITS: Sits = Sits::SharedAccesses;

    /// `(wavefronts − ideal) / wavefronts`, by the addresses of each executed access.
    fn detect(g: &Ground<'_, '_>) -> Option<Hit<Self::Facts>> {
        let (all, ideal) = (g.kernel.value(ALL).filter(|all| *all > 0.0)?, g.kernel.value(IDEAL)?);
        let share = 100.0 * (all - ideal) / all;
        let counts = (format::fixed(all - ideal, 0), format::fixed(all, 0));
        let formula = format!("{} excess of {} shared-memory wavefronts", counts.0, counts.1);
        let hit = Hit::new(Code::SharedBankConflicts, (all, ideal)).bound(Bound::new(share, formula, ALL));
        let is_worth = share >= g.limits[Threshold::BankConflictShare];
        let severity = g.severity(g.is_limited_by(&PATH), share);
        Some(if is_worth { hit.finding(severity, share, g.readings(&[ALL, IDEAL])) } else { hit })
    }

    fn say((all, ideal): &Self::Facts) -> Words {
        words!(
            "Shared-memory accesses take {} wavefronts where {} would do, {}-fold: bank conflicts make {} of them.",
            format::fixed(*all, 0),
            format::fixed(*ideal, 0),
            format::fixed(all / ideal, 1),
            percent(100.0 * (all - ideal) / all)
        )
    }

    fn advise((all, ideal): &Self::Facts) -> Words {
        words!(
            "Change the shared-memory layout (padding or a swizzle): bank conflicts make {} of its wavefronts.",
            percent(100.0 * (all - ideal) / all)
        )
    }
}
