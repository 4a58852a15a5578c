//! Where in the source the costs lie: waits, memory accesses, idle lanes and executions, line by line.
//!
//! Receives one launch's [`SourceView`](crate::evidence::SourceView), gives the leading lines of each cost. An
//! instruction belongs to one line here, so that shares add up: the innermost one outside the CUDA toolkit's headers.

mod accesses;
mod cause;
mod costs;
mod counts;
mod limiting;
mod listing;
mod parked;
mod spot;
mod waits;

pub use accesses::Pattern;
pub use accesses::{AccessLine, Accesses, Space};
pub(super) use cause::{Causes, Trace};
pub use costs::Place;
pub(super) use costs::Sits;
pub use costs::{SourceLines, source_want};
pub use counts::{LaneLine, LineCount};
pub use limiting::{Counted, LimitingLines, PartLines};
pub use listing::{LineCost, ListedFile, ListedInstruction, ListedLine, Listing};
pub use parked::Parked;
pub use spot::Spot;
pub(super) use spot::place;
pub use waits::{LineWaits, ReasonLines, Waits};

/// Lines kept of each cost.
const KEPT: usize = 10;
