//! The page that people act on: the verdict, what to do next, what changed, and the evidence for exactly these claims.
//!
//! One file for each section, in the order of `order.rs`. Receives an audit, gives short sections; everything else that an
//! audit knows stands in the sections beside this folder, which the HTML page opens.

mod actions;
mod asked;
mod beside;
mod build;
mod chain;
mod changed;
mod checks;
mod conclusions;
mod gap;
mod history;
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
mod wanted;

pub(super) use actions::shown as shown_levers;
pub(super) use changed::{changed_code, links};
pub(super) use checks::section as checks;
pub(in crate::view) use lead::called;
pub(super) use lead::lines as lead;
pub(in crate::view) use memory::levels as memory_levels;
pub(super) use order::sections;
pub(in crate::view) use phases::in_full as phases_in_full;
pub(in crate::view) use places::{called_line, file as file_of, phase_words, role_name};
pub(in crate::view) use roles::spent;
pub(in crate::view) use verdict::limiter_name;
