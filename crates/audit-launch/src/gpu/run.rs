//! Launching and nothing else: what a profiler or compute-sanitizer watches.

use super::Gpu;
use super::runner::Runner;
use crate::{LaunchError, LaunchPlan, Program, Reference};
use launch_facts::LaunchFacts;

/// The kernel under audit with its launch.
#[derive(Clone, Copy, Debug)]
pub struct Job<'a> {
    /// The subject's name.
    pub subject: &'a str,
    /// The program that asks: `audit 0.1.0`.
    pub tool: &'a str,
    /// Its code.
    pub program: &'a Program,
    /// Its launch.
    pub plan: &'a LaunchPlan,
    /// Seed of the inputs; a check takes its own.
    pub seed: u64,
}

/// What was launched.
#[derive(Clone, Debug)]
pub struct Ran {
    /// The launch of the kernel under audit; absent where the reference alone ran.
    pub launch: Option<LaunchFacts>,
    /// The reference in words; absent where the kernel ran.
    pub reference: Option<String>,
}

/// Launches the kernel once to warm up and then `times` more; nothing else runs on the device but copies.
///
/// # Errors
/// When code and arguments do not fit, or the driver refuses or reports a fault.
pub fn run(gpu: &Gpu, job: &Job<'_>, times: u32) -> Result<Ran, LaunchError> {
    let mut runner = Runner::subject(gpu, job.program, job.plan)?;
    runner.fill(job.plan, job.seed)?;
    repeat(gpu, &mut runner, times)?;
    Ok(Ran { launch: Some(runner.facts(job.program, job.plan)), reference: None })
}

/// Launches the reference once to warm up and then `times` more; of a product the algorithm at `position` of the
/// library's ranking.
///
/// # Errors
/// As [`run`], and when cuBLASLt is missing or refuses.
pub fn run_reference(
    gpu: &Gpu,
    job: &Job<'_>,
    reference: &Reference,
    program: Option<&Program>,
    position: usize,
    times: u32,
) -> Result<Ran, LaunchError> {
    let subject = Runner::subject(gpu, job.program, job.plan)?;
    subject.fill(job.plan, job.seed)?;
    let mut runner = Runner::reference(gpu, reference, program, job.plan, &subject)?;
    runner.fill(job.plan, job.seed)?;
    let mut name = reference.describe();
    runner.reset(gpu, 0)?;
    if let Some(gemm) = runner.gemm() {
        gemm.choose(position);
        name = format!("{}; {}", gemm.name(), gemm.algorithm());
    }
    repeat(gpu, &mut runner, times)?;
    Ok(Ran { launch: None, reference: Some(name) })
}

fn repeat(gpu: &Gpu, runner: &mut Runner, times: u32) -> Result<(), LaunchError> {
    for _ in 0..=times {
        runner.reset(gpu, 0)?;
        runner.launch(gpu)?;
        gpu.wait("running the kernel")?;
    }
    Ok(())
}
