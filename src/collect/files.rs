//! The files of an evidence folder, each made by the step before it.

use crate::evidence::SanitizerTool;

/// The step that compiles, and its cubin: a fifth of its size when packed.
pub(crate) const BUILD: (&str, &str) = ("build", "build.cubin.zst");
/// What the assembler said in the same step.
pub(crate) const PTXAS: (&str, &str) = ("ptxas", "build.ptxas.log");
pub(crate) const CORRECTNESS: (&str, &str) = ("correctness", "correctness.json");
pub(crate) const BENCHMARK: (&str, &str) = ("benchmark", "benchmark.json");
/// What `kernel_audit.bench` found of every kernel of a program: a check and times on each line.
pub(crate) const BENCH: (&str, &str) = ("bench", "bench.jsonl");
pub(crate) const TESTS: (&str, &str) = ("tests", "tests.xml");
pub(crate) const PROFILE: (&str, &str) = ("profile", "profile.ncu-rep");
/// Launches that ncu times and asks nothing else.
pub(crate) const LAUNCHES: (&str, &str) = ("launches", "launches.ncu-rep");
/// The profile of what the kernel is timed beside.
pub(crate) const REFERENCE: (&str, &str) = ("reference", "reference.ncu-rep");

/// What Nsight Systems recorded of the whole program, as `audit timeline` reads it.
pub(crate) const TIMELINE: (&str, &str) = ("timeline", "timeline.csv");

pub fn sanitizer(tool: SanitizerTool) -> String {
    format!("sanitizer.{}.xml", tool.name())
}
