//! What makes times no times of the stated work, so that they are refused: a kernel that works only on a first look at its
//! inputs, only where it finds a pattern, or in less time than the device can do the work in.

use super::Gpu;
use super::check::Beside;
use super::runner::Runner;
use super::time::{StatedWork, Stopwatch};
use crate::{FILLS, LaunchError, LaunchPlan, Role};
use launch_facts::OutputCheck;

/// Times a launch on inputs that the kernel never saw may take of the median of those that it did.
const UNSEEN: f64 = 1.25;
/// Milliseconds by which two samples differ anyway: some resolutions of an event.
const NOISE_MS: f64 = 0.002;

/// Refuses times whose median is below what the device needs for the stated work at its peak rates.
pub(super) fn below_floor(
    gpu: &Gpu,
    plan: &LaunchPlan,
    samples_ms: &[f64],
    work: &StatedWork,
) -> Result<(), LaunchError> {
    let is_written = |at: &usize| plan.buffer(*at).is_some_and(|buffer| buffer.role != Role::In);
    let written = (0..plan.arguments.len()).filter(is_written);
    let written: u64 = written.filter_map(|at| plan.buffer(at)).map(|buffer| buffer.bytes()).sum();
    let taken = median(samples_ms.to_vec());
    let floors = [
        work.bytes.zip(gpu.bytes_per_second()).map(|(bytes, rate)| {
            let moved = moved(bytes, written, gpu.facts().l2_bytes);
            (1e3 * moved as f64 / rate, format!("{moved} bytes at {:.0} GB/s", rate / 1e9))
        }),
        work.flop.zip(work.flop_per_cycle).zip(gpu.cycles_per_second()).map(|((flop, each), cycles)| {
            let rate = f64::from(each) * cycles;
            (1e3 * flop as f64 / rate, format!("{flop} operations at {:.0} TFLOP/s", rate / 1e12))
        }),
    ];
    match floors.into_iter().flatten().find(|(floor, _)| taken < *floor) {
        Some((floor, of)) => Err(LaunchError::Refused {
            why: format!(
                "the median of {:.2} µs is below the {:.2} µs that this device needs at its peak for the stated work ({of})",
                1e3 * taken,
                1e3 * floor
            ),
            cure: "correct `bytes`, `flop` or `gemm` of the subject; if they are right, the kernel does not do that work",
        }),
        None => Ok(()),
    }
}

/// Of the stated bytes those that must pass between memory and L2 within the launch: what is written may stay in L2.
fn moved(stated: u64, written: u64, l2: u64) -> u64 {
    stated.saturating_sub(written.min(l2))
}

/// Refuses times where the outputs that the last timed launch left are not those of its inputs, whose seed is given.
pub(super) fn wrong_at_last(
    gpu: &Gpu,
    plan: &LaunchPlan,
    subject: &mut Runner,
    beside: &mut Beside<'_>,
    seed: u64,
    left: &[Vec<u8>],
) -> Result<(), LaunchError> {
    subject.fill(plan, seed)?;
    let expected = beside.expected(gpu, plan, seed)?;
    let outputs = beside.judged(gpu, plan, subject, seed, (left, &expected), FILLS[0])?;
    right(&outputs, "the last timed launch left", &beside.name())
}

/// Times one launch on the inputs of each seed, which the kernel never saw. Refused are times of launches that were much
/// faster than each of these, and outputs that are not those of the new inputs.
pub(super) fn slower_unseen(
    plan: &LaunchPlan,
    subject: &mut Runner,
    beside: &mut Beside<'_>,
    stopwatch: &mut Stopwatch<'_>,
    seeds: [u64; 2],
    samples_ms: &[f64],
) -> Result<Vec<f64>, LaunchError> {
    let mut unseen = Vec::new();
    for seed in seeds {
        subject.fill(plan, seed)?;
        let expected = beside.expected(stopwatch.gpu, plan, seed)?;
        subject.buffers.poison(stopwatch.gpu, plan, FILLS[1])?;
        stopwatch.warm()?;
        unseen.push(stopwatch.sample(subject, 0)?);
        let held = beside.held(stopwatch.gpu, subject)?;
        let outputs = beside.judged(stopwatch.gpu, plan, subject, seed, (&held, &expected), FILLS[1])?;
        right(&outputs, "a timed launch on other inputs left", &beside.name())?;
    }
    let (known, least) = (median(samples_ms.to_vec()), unseen.iter().copied().fold(f64::INFINITY, f64::min));
    if is_slower(known, least) {
        return Err(LaunchError::Refused {
            why: format!(
                "a launch takes {:.2} µs on inputs that the kernel has not seen before, and {:.2} µs on those of a launch before",
                1e3 * least,
                1e3 * known
            ),
            cure: "let the kernel keep nothing between launches: results that are held back for equal inputs are no times of its work",
        });
    }
    Ok(unseen)
}

fn is_slower(known_ms: f64, unseen_ms: f64) -> bool {
    unseen_ms > UNSEEN * known_ms && unseen_ms - known_ms > NOISE_MS
}

fn right(outputs: &[OutputCheck], what: &str, reference: &str) -> Result<(), LaunchError> {
    let Some(wrong) = outputs.iter().find(|output| !output.passed) else { return Ok(()) };
    Err(LaunchError::Refused {
        why: format!(
            "{what} in {} what is not the result of {reference}: {} of {} elements differ",
            wrong.name, wrong.different, wrong.elements
        ),
        cure: "see that the kernel does its work at every launch, whatever its outputs hold before; `audit launch SUBJECT --check` compares all elements",
    })
}

pub(super) fn median(mut samples: Vec<f64>) -> f64 {
    samples.sort_by(f64::total_cmp);
    samples.get(samples.len() / 2).copied().unwrap_or(f64::INFINITY)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_may_stay_in_l2_and_what_is_read_may_not() {
        assert_eq!(moved(100, 0, 60), 100);
        assert_eq!(moved(100, 30, 60), 70);
        assert_eq!(moved(100, 90, 60), 40);
        assert_eq!(moved(20, 90, 60), 0);
    }

    #[test]
    fn a_launch_on_new_inputs_may_take_a_quarter_more() {
        assert!(is_slower(0.1, 0.2) && is_slower(0.005, 0.1));
        assert!(!is_slower(0.1, 0.12) && !is_slower(0.004, 0.0055));
    }
}
