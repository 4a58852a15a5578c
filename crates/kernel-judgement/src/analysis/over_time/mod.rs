//! What a launch does over its time: the series that PM sampling wrote, and what follows from their shape.
//!
//! Receives one launch with the instances of its series, gives an [`OverTime`]: the times of ramp, steady state, tail and drain
//! with what each costs against the steady state, levels that last, what repeats, multiprocessors without a block, the clock, and
//! the curves in few points. It is reduced when the report is read; nothing here knows a kernel.

mod clock;
mod cut;
mod model;
mod parts;
mod period;
mod reduce;
mod sampled;

pub use model::{Blocks, OverTime, Regime, Shape};
pub(in crate::analysis) use reduce::over_time;
pub use sampled::Sampled;
