//! Checking a kernel's outputs against a reference.

use super::runner::Runner;
use super::{Gpu, Job};
use crate::values::other_fill;
use crate::{CheckPlan, FILLS, LaunchError, LaunchPlan, Limits, Program, Role, difference};
use launch_facts::{CORRECTNESS_SCHEMA, CheckRun, Correctness, OutputCheck};

/// Runs kernel and reference on fresh inputs for every seed and compares every output, element by element. Outputs hold
/// one of [`FILLS`] before each launch, in turn. For the first seed the kernel runs twice, from both, to see whether its
/// outputs stay the same.
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
    let mut beside = Beside::new(gpu, how, reference, plan, &subject)?;
    let mut runs = Vec::new();
    for (at, seed) in how.seeds.iter().enumerate() {
        subject.fill(plan, *seed)?;
        let expected = beside.expected(gpu, plan, *seed)?;
        let fill = FILLS[at % FILLS.len()];
        let got = outcome(gpu, plan, &mut subject, &beside.outputs, fill, "running the kernel")?;
        let outputs = if at == 0 {
            let again = beside.again(gpu, plan, &mut subject, *seed, FILLS[1])?;
            let mut outputs = beside.compared(plan, &got, &expected, Some(&again), fill);
            // What was right from one fill and is wrong from the other is wrong.
            let second = beside.compared(plan, &again, &expected, Some(&got), FILLS[1]);
            let both = outputs.iter_mut().zip(second);
            both.filter(|(first, second)| first.passed && !second.passed).for_each(|(first, second)| *first = second);
            outputs
        } else {
            beside.judged(gpu, plan, &mut subject, *seed, (&got, &expected), fill)?
        };
        runs.push(CheckRun { seed: *seed, outputs });
    }
    let passed =
        !runs.is_empty() && runs.iter().all(|run| !run.outputs.is_empty() && run.outputs.iter().all(|o| o.passed));
    Ok(Correctness {
        schema: CORRECTNESS_SCHEMA.to_owned(),
        tool: job.tool.to_owned(),
        subject: job.subject.to_owned(),
        device: gpu.facts().clone(),
        launch: subject.facts(job.program, plan),
        reference: beside.name(),
        tolerance: how.tolerance,
        worst_tolerance: how.worst,
        runs,
        passed,
    })
}

/// The reference that outputs are compared with, beside the kernel whose inputs it reads.
pub(super) struct Beside<'a> {
    how: &'a CheckPlan,
    reference: Runner,
    /// Positions of the outputs among the arguments.
    outputs: Vec<usize>,
}

impl<'a> Beside<'a> {
    pub(super) fn new(
        gpu: &Gpu,
        how: &'a CheckPlan,
        program: Option<&Program>,
        plan: &LaunchPlan,
        subject: &Runner,
    ) -> Result<Beside<'a>, LaunchError> {
        let reference = Runner::reference(gpu, &how.reference, program, plan, subject)?;
        let is_output = |at: &usize| plan.buffer(*at).is_some_and(|buffer| buffer.role != Role::In);
        Ok(Beside { how, reference, outputs: (0..plan.arguments.len()).filter(is_output).collect() })
    }

    /// The reference in words.
    pub(super) fn name(&mut self) -> String {
        let described = self.how.reference.describe();
        self.reference.gemm().map_or(described, |gemm| gemm.name().to_owned())
    }

    /// What the outputs should be for the inputs of a seed, which the kernel's buffers hold. To be asked before the kernel
    /// runs: one that spoils its inputs must not spoil what is expected of it.
    pub(super) fn expected(&mut self, gpu: &Gpu, plan: &LaunchPlan, seed: u64) -> Result<Vec<Vec<u8>>, LaunchError> {
        self.reference.fill(plan, seed)?;
        outcome(gpu, plan, &mut self.reference, &self.outputs, FILLS[0], "running the reference")
    }

    /// What the kernel's outputs hold now.
    pub(super) fn held(&self, gpu: &Gpu, subject: &Runner) -> Result<Vec<Vec<u8>>, LaunchError> {
        self.outputs.iter().map(|at| subject.buffers.download(gpu, *at)).collect()
    }

    /// What another launch on the inputs of a seed leaves in outputs that hold a fill.
    fn again(
        &self,
        gpu: &Gpu,
        plan: &LaunchPlan,
        subject: &mut Runner,
        seed: u64,
        fill: u8,
    ) -> Result<Vec<Vec<u8>>, LaunchError> {
        subject.fill(plan, seed)?;
        outcome(gpu, plan, subject, &self.outputs, fill, "running the kernel a second time")
    }

    /// As [`Beside::compared`] for the inputs of a seed. Where elements hold the fill, another launch from the other one tells those that
    /// nobody wrote from those whose result is the fill: in a large output of 16 bits some are.
    pub(super) fn judged(
        &self,
        gpu: &Gpu,
        plan: &LaunchPlan,
        subject: &mut Runner,
        seed: u64,
        (got, expected): (&[Vec<u8>], &[Vec<u8>]),
        fill: u8,
    ) -> Result<Vec<OutputCheck>, LaunchError> {
        let outputs = self.compared(plan, got, expected, None, fill);
        if outputs.iter().all(|output| output.unwritten == 0) {
            return Ok(outputs);
        }
        let again = self.again(gpu, plan, subject, seed, other_fill(fill))?;
        Ok(self.compared(plan, got, expected, Some(&again), fill))
    }

    /// Every output beside what was expected; `fill` is what it held before.
    fn compared(
        &self,
        plan: &LaunchPlan,
        got: &[Vec<u8>],
        expected: &[Vec<u8>],
        again: Option<&[Vec<u8>]>,
        fill: u8,
    ) -> Vec<OutputCheck> {
        let limits = Limits { tolerance: self.how.tolerance, worst: self.how.worst };
        let one = |(at, position): (usize, &usize)| {
            let again = again.map(|again| again[at].as_slice());
            let buffer = plan.buffer(*position)?;
            Some(difference(buffer, &got[at], &expected[at], again, fill, limits))
        };
        self.outputs.iter().enumerate().filter_map(one).collect()
    }
}

/// What a launch leaves in each output that was filled with a byte.
fn outcome(
    gpu: &Gpu,
    plan: &LaunchPlan,
    runner: &mut Runner,
    outputs: &[usize],
    fill: u8,
    doing: &str,
) -> Result<Vec<Vec<u8>>, LaunchError> {
    runner.buffers.poison(gpu, plan, fill)?;
    runner.reset(gpu, 0)?;
    runner.launch_whole(gpu)?;
    gpu.wait(doing)?;
    outputs.iter().map(|at| runner.buffers.download(gpu, *at)).collect()
}
