//! What launches outside the profiler showed: correct outputs, times, the reference beside them.

pub(in crate::analysis) mod correctness;
pub(in crate::analysis) mod reference;
pub(in crate::analysis) mod timing;
pub(in crate::analysis) mod trials;
