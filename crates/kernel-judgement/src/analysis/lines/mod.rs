//! Where in the source the costs lie: waits, memory accesses, idle lanes and executions, line by line.
//!
//! Receives one launch's [`SourceView`](crate::evidence::SourceView), gives the leading lines of each cost. An
//! instruction belongs to one line here, so that shares add up: the innermost one outside the CUDA toolkit's headers.

mod accesses;
mod attribution;
mod cause;
mod costs;
mod counts;
mod limiting;
mod listing;
mod parked;
mod spot;
mod waits;

pub use accesses::{AccessLine, Accesses, Pattern, Space};
pub(super) use attribution::{Attribution, NOT_SELECTED};
pub use costs::{SourceLines, source_want};
pub use limiting::Counted;
pub use listing::{LineCost, Listing};
pub(crate) use parked::Parked;
pub use spot::{Place, Spot, without_homes};
pub(super) use spot::{public_names, short_names, shortened};
pub use waits::{LineWaits, ReasonLines, Waits};

/// Lines kept of each cost.
const KEPT: usize = 10;
