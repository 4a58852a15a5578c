//! Timing with events: warm-up, L2 flushed before every sample, kernel and reference in turn.

use super::error::driver;
use super::flush::Flush;
use super::runner::Runner;
use super::{Gpu, Job};
use crate::facts::{
    BENCHMARK_SCHEMA, Benchmark, Clocks, Completed, FlushedBy, GemmChoice, TimedReference, TimingMethod,
};
use crate::{LaunchError, Program, Reference, ReferencePlan};
use cudarc::driver::result::event;
use cudarc::driver::sys::{CUevent, CUevent_flags};
use std::time::{Duration, Instant};

/// Launches of each side before the first sample.
const WARM_UP: u32 = 10;
/// Pairs of events with nothing between them.
const EMPTY: usize = 20;
/// Samples of each of the library's algorithms, of which the fastest is chosen.
const TRIES: usize = 7;

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
}

/// Times the kernel, in turn with the reference where there is one; `program` is the reference's code, where it is a
/// kernel.
///
/// # Errors
/// When something cannot be launched. Clocks that cannot be read are no error.
pub fn time(
    gpu: &Gpu,
    job: &Job<'_>,
    reference: Option<(&ReferencePlan, Option<&Program>)>,
    sampling: &Sampling<'_>,
) -> Result<Benchmark, LaunchError> {
    let mut subject = Runner::subject(gpu, job.program, job.plan)?;
    subject.fill(job.plan, job.seed)?;
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
    for _ in 0..WARM_UP {
        stopwatch.sample(&mut subject)?;
        if let Some(other) = &mut other {
            stopwatch.sample(other)?;
            if then.is_some() {
                stopwatch.sample_whole(other)?;
            }
        }
    }
    let empty_ms = (0..EMPTY).map(|_| stopwatch.between(|_| Ok(()))).collect::<Result<_, _>>()?;
    let before = clocks_under_load(gpu, &mut subject, sampling.clocks)?;
    let (mut samples, mut others, mut whole) = (Vec::new(), Vec::new(), Vec::new());
    let begun = Instant::now();
    let ended_by = loop {
        samples.push(stopwatch.sample(&mut subject)?);
        if let Some(other) = &mut other {
            others.push(stopwatch.sample(other)?);
            if then.is_some() {
                whole.push(stopwatch.sample_whole(other)?);
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
    let after = clocks_under_load(gpu, &mut subject, sampling.clocks)?;
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
            flop: match &plan.reference {
                Reference::Gemm(gemm) => Some(gemm.flop()),
                Reference::Kernel(_) => None,
            },
            choice,
            samples_ms: others,
            completed: then.map(|kernel| Completed {
                by: kernel.kernel.clone().unwrap_or_else(|| kernel.source.display().to_string()),
                samples_ms: whole,
            }),
        }),
    })
}

/// What times one launch.
struct Stopwatch<'g> {
    gpu: &'g Gpu,
    flush: Flush,
    start: Event,
    end: Event,
}

impl Stopwatch<'_> {
    /// Milliseconds of one launch with nothing of its data in L2; of a product alone.
    fn sample(&mut self, runner: &mut Runner) -> Result<f64, LaunchError> {
        runner.reset(self.gpu)?;
        self.between(|gpu| runner.launch(gpu))
    }

    /// The same of a product with the kernel that goes on with it.
    fn sample_whole(&mut self, runner: &mut Runner) -> Result<f64, LaunchError> {
        runner.reset(self.gpu)?;
        self.between(|gpu| runner.launch_whole(gpu))
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
            match self.sample(runner) {
                Ok(sample) => samples.push(sample),
                Err(LaunchError::CublasLt { .. }) => return Ok(None),
                Err(error) => return Err(error),
            }
        }
        // The first one loads the kernel.
        let mut samples = samples.split_off(1);
        samples.sort_by(f64::total_cmp);
        Ok(samples.get(samples.len() / 2).copied())
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
                runner.reset(gpu)?;
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
