//! The page that people act on: the verdict, what to do next, what changed, and the evidence for exactly these claims.
//!
//! One file for each topic, in the order of `order.rs`. Receives an audit, gives short sections, and `in_full` what these leave
//! out, which the HTML page opens behind them; topics that have no short section stand beside this folder.

pub(super) mod actions;
mod beside;
pub(super) mod build;
mod causes;
mod chain;
pub(super) mod changed;
pub(super) mod checks;
pub(super) mod hypotheses;
pub(super) mod instructions;
mod kernels;
pub(super) mod lead;
pub(super) mod lifetime;
pub(super) mod memory;
pub(super) mod next;
mod numbers;
pub(super) mod occupancy;
pub(super) mod order;
mod phase_rows;
pub(super) mod phases;
pub(super) mod places;
mod power;
pub(super) mod provenance;
pub(super) mod stalls;
mod stores;
mod story;
pub(super) mod units;
pub(super) mod verdict;
pub(super) mod versions;
mod wanted;
