//! Timing with events: warm-up, L2 flushed before every sample, inputs of two seeds in turn, kernel and reference in turn.

use super::check::Beside;
use super::error::driver;
use super::flush::Flush;
use super::runner::Runner;
use super::{Gpu, Job, refuse};
use crate::{CheckPlan, LaunchError, Program, Reference, ReferencePlan};
use cudarc::driver::result::event;
use cudarc::driver::sys::{CUevent, CUevent_flags};
use launch_facts::{
    BENCHMARK_SCHEMA, Benchmark, Clocks, Completed, FlushedBy, GemmChoice, HeldOutputs, TimedReference, TimingMethod,
};
use std::time::{Duration, Instant};

/// Launches of each side before the first sample.
const WARM_UP: u32 = 10;
/// Pairs of events with nothing between them.
const EMPTY: usize = 20;
/// Samples of each of the library's algorithms, of which the fastest is chosen.
const TRIES: usize = 7;
/// Reads of other memory before a launch on inputs that the host had to make: some milliseconds.
const WARM: u32 = 100;

/// What reads the clocks of a device while its kernel runs.
type Clocked<'a> = &'a (dyn Fn(&str) -> Result<Clocks, String> + Sync);

/// When enough samples were taken, and what else is noted.
pub struct Sampling<'a> {
    /// Fewest samples.
    pub least: usize,
    /// Most samples.
    pub most: usize,
    /// After which no further sample is started, once there are the fewest.
    pub limit: Duration,
    /// Whether some samples settle their median.
    pub is_stable: &'a dyn Fn(&[f64]) -> bool,
    /// Reads the clocks of the device at a place on the PCI bus; the error says why they cannot be read.
    pub clocks: Clocked<'a>,
    /// The work of one launch, as far as it is stated.
    pub work: StatedWork,
}

/// The work of a launch, below whose floor no time is believed.
#[derive(Clone, Copy, Debug, Default)]
pub struct StatedWork {
    /// Floating-point operations.
    pub flop: Option<u64>,
    /// The most of them that a multiprocessor of this device does in a cycle; `None` where it is not known.
    pub flop_per_cycle: Option<u32>,
    /// Bytes that it cannot avoid to move.
    pub bytes: Option<u64>,
}

/// Times the kernel, in turn with the reference where there is one, and holds the outputs of timed launches against those
/// of `check`; each with the code of the reference, where it is a kernel.
///
/// # Errors
/// When something cannot be launched, and [`LaunchError::Refused`] for times that are not those of the stated work. Clocks
/// that cannot be read are no error.
pub fn time(
    gpu: &Gpu,
    job: &Job<'_>,
    reference: Option<(&ReferencePlan, Option<&Program>)>,
    check: Option<(&CheckPlan, Option<&Program>)>,
    sampling: &Sampling<'_>,
) -> Result<Benchmark, LaunchError> {
    let mut subject = Runner::subject(gpu, job.program, job.plan)?;
    subject.fill(job.plan, job.seed)?;
    let mut beside = check.map(|(how, program)| Beside::new(gpu, how, program, job.plan, &subject)).transpose()?;
    let seeds = [job.seed, job.seed.wrapping_add(1)];
    let takes_turns = subject.buffers.take_turns(job.plan, seeds)?;
    let mut other = match reference {
        Some((plan, program)) => {
            let runner = Runner::reference(gpu, &plan.reference, program, job.plan, &subject)?;
            runner.fill(job.plan, job.seed)?;
            Some(runner)
        }
        None => None,
    };
    let then = reference.and_then(|(plan, _)| match &plan.reference {
        Reference::Gemm(gemm) => gemm.then.as_ref(),
        Reference::Kernel(_) => None,
    });
    let mut stopwatch = Stopwatch { gpu, flush: Flush::new(gpu)?, start: Event::new()?, end: Event::new()? };
    let choice = other.as_mut().map(|runner| stopwatch.choose(runner)).transpose()?.flatten();
    for turn in 0..WARM_UP as usize {
        stopwatch.sample(&mut subject, turn)?;
        if let Some(other) = &mut other {
            stopwatch.sample(other, turn)?;
            if then.is_some() {
                stopwatch.sample_whole(other, turn)?;
            }
        }
    }
    let empty_ms = (0..EMPTY).map(|_| stopwatch.between(|_| Ok(()))).collect::<Result<_, _>>()?;
    let before = clocks_under_load(gpu, &mut subject, sampling.clocks)?;
    let (mut samples, mut others, mut whole) = (Vec::new(), Vec::new(), Vec::new());
    let begun = Instant::now();
    let ended_by = loop {
        let turn = samples.len();
        samples.push(stopwatch.sample(&mut subject, turn)?);
        if let Some(other) = &mut other {
            others.push(stopwatch.sample(other, turn)?);
            if then.is_some() {
                whole.push(stopwatch.sample_whole(other, turn)?);
            }
        }
        if samples.len() < sampling.least {
            continue;
        }
        if samples.len() >= sampling.most {
            break "samples";
        }
        if begun.elapsed() >= sampling.limit {
            break "time";
        }
        if (sampling.is_stable)(&samples) && (others.is_empty() || (sampling.is_stable)(&others)) {
            break "stable";
        }
    };
    refuse::below_floor(gpu, job.plan, &samples, &sampling.work)?;
    let left = beside.as_ref().map(|beside| beside.held(gpu, &subject)).transpose()?;
    let after = clocks_under_load(gpu, &mut subject, sampling.clocks)?;
    subject.buffers.end_turns();
    let held = match beside.as_mut().zip(left) {
        Some((beside, left)) => {
            let last = if takes_turns { seeds[(samples.len() - 1) % 2] } else { job.seed };
            refuse::wrong_at_last(gpu, job.plan, &mut subject, beside, last, &left)?;
            let unseen = [2, 3].map(|further| job.seed.wrapping_add(further));
            let unseen_ms = refuse::slower_unseen(job.plan, &mut subject, beside, &mut stopwatch, unseen, &samples)?;
            Some(HeldOutputs { reference: beside.name(), unseen_ms })
        }
        None => None,
    };
    let clocks_missing = before.as_ref().err().or(after.as_ref().err()).cloned().unwrap_or_default();
    Ok(Benchmark {
        schema: BENCHMARK_SCHEMA.to_owned(),
        tool: job.tool.to_owned(),
        subject: job.subject.to_owned(),
        device: gpu.facts().clone(),
        launch: subject.facts(job.program, job.plan),
        method: TimingMethod {
            warm_up: WARM_UP,
            flushed_bytes: stopwatch.flush.bytes(),
            flushed_by: FlushedBy::Reads,
            seed: job.seed,
            other_seed: takes_turns.then_some(seeds[1]),
            held,
            ended_by: ended_by.to_owned(),
        },
        clocks_before: before.ok(),
        clocks_after: after.ok(),
        clocks_missing,
        samples_ms: samples,
        empty_ms,
        reference: other.as_mut().zip(reference).map(|(runner, (plan, _))| TimedReference {
            name: runner.gemm().map_or_else(|| plan.reference.describe(), |gemm| gemm.name().to_owned()),
            note: plan.note.clone(),
            flop: plan.reference.flop(),
            choice,
            samples_ms: others,
            completed: then.map(|kernel| Completed {
                by: kernel.kernel.clone().unwrap_or_else(|| kernel.source.display().to_string()),
                samples_ms: whole,
            }),
        }),
        told: None,
    })
}

/// What times one launch.
pub(super) struct Stopwatch<'g> {
    pub(super) gpu: &'g Gpu,
    flush: Flush,
    start: Event,
    end: Event,
}

impl Stopwatch<'_> {
    /// Milliseconds of one launch with nothing of its data in L2; of a product alone.
    pub(super) fn sample(&mut self, runner: &mut Runner, turn: usize) -> Result<f64, LaunchError> {
        runner.reset(self.gpu, turn)?;
        self.between(|gpu| runner.launch(gpu))
    }

    /// The same of a product with the kernel that goes on with it.
    fn sample_whole(&mut self, runner: &mut Runner, turn: usize) -> Result<f64, LaunchError> {
        runner.reset(self.gpu, turn)?;
        self.between(|gpu| runner.launch_whole(gpu))
    }

    /// Keeps the device at work, so that its clocks are those of the samples.
    pub(super) fn warm(&mut self) -> Result<(), LaunchError> {
        (0..WARM).try_for_each(|_| self.flush.queue(self.gpu))?;
        self.gpu.wait("warming the device up")
    }

    /// Milliseconds between two events, with what `launch` queues between them and an L2 that holds nothing of it.
    fn between(&mut self, launch: impl FnOnce(&Gpu) -> Result<(), LaunchError>) -> Result<f64, LaunchError> {
        // While the device reads, the host queues what follows, so that its own time stays out of the sample.
        self.flush.queue(self.gpu)?;
        self.start.record(self.gpu)?;
        launch(self.gpu)?;
        self.end.record(self.gpu)?;
        self.gpu.wait("timing")?;
        self.start.until(&self.end)
    }

    /// Makes a product use the fastest of the algorithms that the library offers; `None` for a kernel.
    fn choose(&mut self, runner: &mut Runner) -> Result<Option<GemmChoice>, LaunchError> {
        runner.reset(self.gpu, 0)?;
        let Some(count) = runner.gemm().map(|gemm| gemm.algorithms()) else { return Ok(None) };
        let mut tried = Vec::new();
        for position in 0..count {
            if let Some(gemm) = runner.gemm() {
                gemm.choose(position);
            }
            tried.push(self.median(runner)?);
        }
        let fastest = tried.iter().enumerate().filter_map(|(at, median)| Some((at, (*median)?)));
        let best = fastest.min_by(|a, b| a.1.total_cmp(&b.1)).map_or(0, |(at, _)| at);
        Ok(runner.gemm().map(|gemm| {
            gemm.choose(best);
            GemmChoice { position: best, algorithm: gemm.algorithm(), tried_ms: tried }
        }))
    }

    /// Median of a few samples; `None` where the library refuses the algorithm.
    fn median(&mut self, runner: &mut Runner) -> Result<Option<f64>, LaunchError> {
        let mut samples = Vec::new();
        for _ in 0..=TRIES {
            match self.sample(runner, 0) {
                Ok(sample) => samples.push(sample),
                Err(LaunchError::CublasLt { .. }) => return Ok(None),
                Err(error) => return Err(error),
            }
        }
        // The first one loads the kernel.
        Ok(Some(refuse::median(samples.split_off(1))))
    }
}

/// The clocks while the kernel runs over and over; the inner error says why they cannot be read.
fn clocks_under_load(
    gpu: &Gpu,
    runner: &mut Runner,
    clocks: Clocked<'_>,
) -> Result<Result<Clocks, String>, LaunchError> {
    let bus = gpu.bus();
    std::thread::scope(|scope| {
        let reading = scope.spawn(|| clocks(bus));
        while !reading.is_finished() {
            for _ in 0..4 {
                runner.reset(gpu, 0)?;
                runner.launch(gpu)?;
            }
            gpu.wait("running the kernel while clocks are read")?;
        }
        Ok(reading.join().unwrap_or_else(|_| Err("the reading ended early".to_owned())))
    })
}

/// An event that is given back when dropped.
struct Event(CUevent);

impl Event {
    fn new() -> Result<Event, LaunchError> {
        event::create(CUevent_flags::CU_EVENT_DEFAULT).map(Event).map_err(driver("creating an event"))
    }

    fn record(&self, gpu: &Gpu) -> Result<(), LaunchError> {
        // SAFETY: event and stream are alive.
        unsafe { event::record(self.0, gpu.stream) }.map_err(driver("recording an event"))
    }

    /// Milliseconds to a later event that has happened.
    fn until(&self, later: &Event) -> Result<f64, LaunchError> {
        // SAFETY: both events are alive.
        unsafe { event::elapsed(self.0, later.0) }.map(shortest).map_err(driver("reading the time between two events"))
    }
}

/// The shortest decimal that is the same single-precision number: what the driver knows, and no digits beside it.
fn shortest(single: f32) -> f64 {
    single.to_string().parse().unwrap_or_else(|_| f64::from(single))
}

impl Drop for Event {
    fn drop(&mut self) {
        // SAFETY: made once, used by nobody after this.
        let _ = unsafe { event::destroy(self.0) };
    }
}
