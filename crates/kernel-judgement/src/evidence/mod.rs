//! The facts: what the readers found, without opinion and without wording.
//!
//! Owns the model of a profile ([`Report`], [`Launch`], [`Metric`]), of a build ([`BuildLog`]) and of a [`Reading`].
//! Receives values from `source`, gives them to `analysis`.

mod build;
mod collected;
mod dump;
mod kept_view;
mod reading;
mod sanitizer;
mod source_dump;
mod source_view;
mod test_run;
mod timeline;

pub use build::CodeBuild;
pub(crate) use build::ReportCubin;
pub use collected::{Collected, CollectedStep, StepOutcome, VARIABLES_SET};
pub use cuda_binary::Op;
pub use cuda_binary::cubin::{Cubin, CubinKernel, CubinParameter, LineTable};
pub use cuda_binary::ptxas_log::{BuildLog, BuildRecord, CalleeRecord};
pub use cuda_binary::sass::{Arithmetic, Instruction, Registers, SassFunction, SassListing, SourceLine};
pub(crate) use cuda_binary::sass::{Flow, MachineWord, Operand, OperandFrom, Register, RegisterFile, WarpSync};
pub use dump::{SCHEMA, write_json};
pub(crate) use launch_facts::Buffer;
pub use launch_facts::{
    BENCHMARK_SCHEMA, Benchmark, CORRECTNESS_SCHEMA, CheckRun, Clocks, Completed, Correctness, DeviceFacts, FlushedBy,
    FunctionFacts, GemmChoice, HeldOutputs, LaunchFacts, OutputCheck, TimedReference, TimingMethod, ToldTimes,
    WorstElement,
};
pub use ncu_report::{
    ClockStatus, Device, Dim3, Instance, Launch, Metric, NameSet, NvtxRange, Origin, Process, Report, RuleResult,
    Rules, SourceText, Speedup, Value, Want, Workload, is_asked_for,
};
pub(crate) use ncu_report::{Damage, RuleMessage, Session};
pub use reading::{Measured, Missing, Provenance, Reading, Spread};
pub use sanitizer::{SanitizerFinding, SanitizerLevel, SanitizerRun, SanitizerSite, SanitizerTool};
pub use source_dump::write_source_json;
pub(crate) use source_view::CounterColumn;
pub use source_view::{Lines, SourceView};
pub use test_run::{TestCase, TestRun};
pub use timeline::Timeline;
pub(crate) use timeline::{GpuOperation, MemorySize, OperationKind, Totals};
