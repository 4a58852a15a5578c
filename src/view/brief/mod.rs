//! The page that people act on: the verdict, what to do next, what changed, and the evidence for exactly these claims.
//!
//! One file for each topic, in the order of `order.rs`. Receives an audit, gives short sections, and `in_full` what these leave
//! out, which the HTML page opens behind them; topics that have no short section stand beside this folder.

mod actions;
mod beside;
mod build;
mod causes;
mod chain;
mod changed;
mod checks;
mod hypotheses;
mod instructions;
mod kernels;
mod lead;
mod lifetime;
mod memory;
mod next;
mod numbers;
mod occupancy;
mod order;
mod phase_rows;
mod phases;
mod places;
mod power;
mod provenance;
mod stalls;
mod stores;
mod story;
mod units;
mod verdict;
mod versions;
mod wanted;

pub(super) use actions::shown as shown_levers;
pub(crate) use build::build_log;
pub(in crate::view) use build::in_full as build_in_full;
pub(super) use changed::{changed_code, links};
pub(super) use checks::section as checks;
pub(in crate::view) use checks::{checklist_in_full, predictions_in_full};
pub use hypotheses::ledger;
pub(in crate::view) use hypotheses::{in_full as hypotheses_in_full, summary as hypotheses_summary};
pub(in crate::view) use instructions::in_full as instructions_in_full;
pub(super) use lead::lines as lead;
pub(in crate::view) use lead::{called, setting};
pub(in crate::view) use lifetime::unit_name;
pub(in crate::view) use memory::{apart, in_full as memory_in_full, levels as memory_levels};
pub(super) use next::place_of;
pub(in crate::view) use occupancy::in_full as occupancy_in_full;
pub(super) use order::sections;
pub(in crate::view) use phases::in_full as phases_in_full;
pub(in crate::view) use places::{called_line, file as file_of, phase_words, role_name};
pub(in crate::view) use provenance::{in_full as provenance_in_full, sources};
pub(in crate::view) use stalls::in_full as stalls_in_full;
pub(in crate::view) use units::{in_full as units_in_full, subsystems_in_full};
pub(in crate::view) use verdict::in_full as verdict_in_full;
