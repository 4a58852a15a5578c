//! What launches outside the profiler showed: times, the reference beside them, and what they say of the verdict.

pub(in crate::analysis) mod changed;
pub(in crate::analysis) mod columns;
pub(in crate::analysis) mod floor;
mod inputs;
pub(in crate::analysis) mod pair;
pub(in crate::analysis) mod reference;
pub(in crate::analysis) mod states;
pub(in crate::analysis) mod timed;
pub(in crate::analysis) mod timing;
pub(in crate::analysis) mod trials;
pub(in crate::analysis) mod variants;
