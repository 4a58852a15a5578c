//! The patterns: one file for each, with what is detected, where it stands, its bound, and its words.
//!
//! A new pattern is a file here, its line in [`PATTERNS`], and its row in `catalog/limiters.toml`. A pattern is silent
//! where its evidence is missing: the report's own tables say what was not collected.

mod atomic_contention;
mod bank_conflicts;
mod barrier_wait;
mod divergence;
mod fences;
mod headroom;
mod instruction_fetch;
mod largest_stall;
mod occupancy;
mod peak_exceeded;
mod predicated_off;
mod relief;
mod serialised_accesses;
mod short;
mod small_grid;
mod spilling;
mod tail_wave;
mod uncoalesced;
mod underfilled;

pub(in crate::analysis) use headroom::is_spent;

use super::ground::Ground;
use super::pattern::Finds;

/// Every pattern of a profile. Findings and levers are ranked; the order here decides between equal ones.
pub(in crate::analysis) const PATTERNS: &[&dyn for<'a, 'r> Finds<Ground<'a, 'r>>] = &[
    &small_grid::SmallGrid,
    &atomic_contention::AtomicContention,
    &spilling::Spilling,
    &instruction_fetch::InstructionFetch,
    &fences::Fences,
    &uncoalesced::Uncoalesced,
    &bank_conflicts::BankConflicts,
    &relief::Relief,
    &largest_stall::LargestStall,
    &occupancy::OccupancyLimit,
    &tail_wave::TailWave,
    &divergence::Divergence,
    &headroom::Headroom,
    &underfilled::Underfilled,
    &short::Short,
    &predicated_off::PredicatedOff,
    &barrier_wait::BarrierWait,
    &serialised_accesses::SerialisedAccesses,
    &peak_exceeded::PeakExceeded,
];
