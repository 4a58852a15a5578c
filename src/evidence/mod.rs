//! The facts: what the readers found, without opinion and without wording.
//!
//! Owns the model of a profile ([`Report`], [`Launch`], [`Metric`]), of a build ([`BuildLog`]) and of a [`Reading`].
//! Receives values from `source`, gives them to `analysis`.

mod build;
mod collected;
mod dump;
mod reading;
mod sanitizer;
mod source_dump;
mod source_view;
mod timeline;

pub use audit_launch::facts::{
    BENCHMARK_SCHEMA, Benchmark, Buffer, CORRECTNESS_SCHEMA, CheckRun, Clocks, Completed, Correctness, DeviceFacts,
    FlushedBy, FunctionFacts, GemmChoice, HeldOutputs, LaunchFacts, OutputCheck, TimedReference, TimingMethod,
    WorstElement,
};
pub use build::{CodeBuild, ReportCubin};
pub use collected::{COLLECTED_SCHEMA, Collected, CollectedStep, StepOutcome};
pub use cuda_binary::Op;
pub use cuda_binary::cubin::{Cubin, CubinCallee, CubinKernel, CubinParameter, LineRow, LineTable};
pub use cuda_binary::ptxas_log::{BuildLog, BuildRecord, CalleeRecord};
pub use cuda_binary::sass::{
    Arithmetic, Flow, MachineWord, Operand, OperandFrom, Register, RegisterFile, Registers, WarpSync,
};
pub use cuda_binary::sass::{Predicate, SassFunction, SassInstruction, SassListing, SourceLine};
pub use dump::{SCHEMA, write_json};
pub use ncu_report::{
    ClockStatus, Damage, Device, Dim3, FocusMetric, Instance, Launch, Metric, NameSet, NvtxRange, Origin, Process,
    Report, RuleMessage, RuleResult, RuleTable, Rules, Session, SourceText, Speedup, Value, Want, Workload,
};
pub use reading::{Measured, Missing, Provenance, Reading, Spread};
pub use sanitizer::{SanitizerFinding, SanitizerLevel, SanitizerRun, SanitizerSite, SanitizerTool};
pub use source_dump::{SOURCE_SCHEMA, write_source_json};
pub use source_view::{CodeInstruction, Combine, CounterColumn, LineCounts, Lines, SourceView, combine};
pub use timeline::{GpuOperation, MemorySize, OperationKind, Timeline, Totals};
