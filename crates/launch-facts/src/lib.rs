//! What launching, checking and timing a kernel found, as `correctness.json` and `benchmark.json` hold it.

#![deny(missing_docs)]

mod benchmark;
mod correctness;
mod launched;

pub use benchmark::{
    BENCHMARK_SCHEMA, Benchmark, Clocks, Completed, FlushedBy, GemmChoice, HeldOutputs, TimedReference, TimingMethod,
    ToldTimes,
};
pub use correctness::{CORRECTNESS_SCHEMA, CheckRun, Correctness, OutputCheck, WorstElement};
pub use launched::{Buffer, DeviceFacts, FunctionFacts, LaunchFacts};
