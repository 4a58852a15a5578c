//! The page that people act on: the verdict, what to do next, what changed, and the evidence for exactly these claims.
//!
//! One file for each topic, in the order of `order.rs`. Receives an audit, gives short sections, and `in_full` what these leave
//! out, which the HTML page opens behind them; topics that have no short section stand beside this folder.

mod actions;
mod asked;
mod beside;
pub(super) mod build;
mod chain;
mod changed;
mod checks;
mod conclusions;
mod gap;
mod instructions;
mod kernels;
mod lead;
mod lifetime;
mod memory;
mod moved;
mod next;
mod numbers;
mod order;
mod phase_rows;
mod phases;
mod places;
mod power;
mod provenance;
mod roles;
mod stalls;
mod story;
mod units;
mod verdict;
mod versions;
mod wanted;

pub(super) use actions::shown as shown_levers;
pub(in crate::view) use build::occupancy_in_full;
pub(super) use changed::{changed_code, links};
pub(in crate::view) use checks::predictions_in_full;
pub(super) use checks::section as checks;
pub(in crate::view) use kernels::in_full as kernels_in_full;
pub(super) use lead::lines as lead;
pub(in crate::view) use lead::{called, setting};
pub(in crate::view) use memory::levels as memory_levels;
pub(super) use next::place_of;
pub(super) use order::sections;
pub(in crate::view) use phases::in_full as phases_in_full;
pub(in crate::view) use places::{called_line, file as file_of, phase_words, role_name};
pub(in crate::view) use provenance::{in_full as provenance_in_full, sources};
pub(in crate::view) use roles::spent;
pub(in crate::view) use stalls::in_full as stalls_in_full;
pub(in crate::view) use verdict::in_full as verdict_in_full;
