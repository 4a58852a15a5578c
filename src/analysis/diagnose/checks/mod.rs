//! The checks: one file for each pattern that explains a limit or costs beside it.
//!
//! Owns the registry of checks and the ranking of what they find. Receives a [`Ground`], gives [`Finding`]s. A check is
//! silent where its evidence is missing: the report's own tables say what was not collected.

pub(in crate::analysis) mod atomic_contention;
mod bank_conflicts;
mod barrier_wait;
mod divergence;
pub(in crate::analysis) mod fences;
pub(in crate::analysis) mod instruction_fetch;
mod launch;
mod limiter;
mod occupancy;
mod peak_exceeded;
mod rank;
pub(in crate::analysis) mod spilling;
mod uncoalesced;

pub(in crate::analysis) use rank::findings;

use crate::analysis::diagnose::finding::{Finding, Severity};
use crate::analysis::diagnose::ground::Ground;

/// A check: at most one finding for one kernel.
type Check = fn(&Ground<'_, '_>) -> Option<Finding>;

/// Every check; the order says nothing, findings are ranked.
const CHECKS: [Check; 15] = [
    limiter::limiter,
    launch::tail_wave,
    launch::underfilled,
    launch::short,
    atomic_contention::atomic_contention,
    bank_conflicts::bank_conflicts,
    uncoalesced::uncoalesced,
    spilling::spilling,
    divergence::divergence,
    divergence::predicated_off,
    instruction_fetch::instruction_fetch,
    occupancy::limit,
    barrier_wait::barrier_wait,
    fences::fences,
    peak_exceeded::peak_exceeded,
];
