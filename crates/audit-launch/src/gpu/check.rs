//! Checking a kernel's outputs against a reference.

use super::runner::Runner;
use super::{Gpu, Job};
use crate::facts::{CORRECTNESS_SCHEMA, CheckRun, Correctness};
use crate::{CheckPlan, LaunchError, Limits, Program, Role, difference};

/// Runs kernel and reference on fresh inputs for every seed and compares every output, element by element. Outputs hold a
/// pattern of NaNs before each launch. For the first seed the kernel runs twice, to see whether its outputs stay the
/// same.
///
/// # Errors
/// When something cannot be launched; a wrong output is no error.
pub fn check(
    gpu: &Gpu,
    job: &Job<'_>,
    how: &CheckPlan,
    reference: Option<&Program>,
) -> Result<Correctness, LaunchError> {
    let plan = job.plan;
    let mut subject = Runner::subject(gpu, job.program, plan)?;
    let mut other = Runner::reference(gpu, &how.reference, reference, plan, &subject)?;
    let outputs: Vec<usize> =
        (0..plan.arguments.len()).filter(|at| plan.buffer(*at).is_some_and(|buffer| buffer.role != Role::In)).collect();
    let limits = Limits { tolerance: how.tolerance, worst: how.worst };
    let mut runs = Vec::new();
    for seed in &how.seeds {
        subject.fill(plan, *seed)?;
        other.fill(plan, *seed)?;
        // The reference goes first: a kernel that spoils its inputs must not spoil what is expected of it.
        let expected = outcome(gpu, job, &mut other, &outputs, "running the reference")?;
        let got = outcome(gpu, job, &mut subject, &outputs, "running the kernel")?;
        let again = match runs.is_empty() {
            true => Some(outcome(gpu, job, &mut subject, &outputs, "running the kernel a second time")?),
            false => None,
        };
        let one = |(at, position): (usize, &usize)| {
            let again = again.as_ref().map(|again| again[at].as_slice());
            plan.buffer(*position).map(|buffer| difference(buffer, &got[at], &expected[at], again, limits))
        };
        runs.push(CheckRun { seed: *seed, outputs: outputs.iter().enumerate().filter_map(one).collect() });
    }
    let name = other.gemm().map_or_else(|| how.reference.describe(), |gemm| gemm.name().to_owned());
    let passed =
        !runs.is_empty() && runs.iter().all(|run| !run.outputs.is_empty() && run.outputs.iter().all(|o| o.passed));
    Ok(Correctness {
        schema: CORRECTNESS_SCHEMA.to_owned(),
        tool: job.tool.to_owned(),
        subject: job.subject.to_owned(),
        device: gpu.facts().clone(),
        launch: subject.facts(job.program, plan),
        reference: name,
        tolerance: how.tolerance,
        worst_tolerance: how.worst,
        runs,
        passed,
    })
}

/// What a launch leaves in each output.
fn outcome(
    gpu: &Gpu,
    job: &Job<'_>,
    runner: &mut Runner,
    outputs: &[usize],
    doing: &str,
) -> Result<Vec<Vec<u8>>, LaunchError> {
    runner.buffers.poison(gpu, job.plan)?;
    runner.reset(gpu)?;
    runner.launch_whole(gpu)?;
    gpu.wait(doing)?;
    outputs.iter().map(|at| runner.buffers.download(gpu, *at)).collect()
}
