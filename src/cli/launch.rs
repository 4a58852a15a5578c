//! `audit launch`: run a subject's kernel on the GPU, check it, or time it.

use super::Failure;
use super::args::Launch;
use super::plan::config_at;
use crate::config::Variant;
use std::io::Write;

pub(super) fn run(arguments: &Launch, out: &mut dyn Write) -> Result<(), Failure> {
    let (_, config) = config_at(arguments.config.as_ref())?;
    // A report or a baseline of the subject need not be there: nothing here reads them.
    let chosen = config.named(std::slice::from_ref(&arguments.subject))?;
    chosen.into_iter().try_for_each(|subject| {
        let Some(name) = &arguments.variant else { return launched(arguments, &config, subject, out) };
        let variant = subject.variants.iter().find(|variant| variant.name == *name || variant.slug() == *name);
        let known = || subject.variants.iter().map(Variant::slug).collect::<Vec<_>>().join(", ");
        let lost = || Failure::usage(format!("{} has no variant {name:?}\n  help: it has {}", subject.name, known()));
        launched(arguments, &config, &subject.of_variant(variant.ok_or_else(lost)?), out)
    })
}

#[cfg(not(feature = "gpu"))]
fn launched(
    _: &Launch,
    _: &crate::config::Config,
    _: &crate::config::Subject,
    _: &mut dyn Write,
) -> Result<(), Failure> {
    let cure = "build it with its default features (`cargo build --features gpu`)";
    Err(Failure::of(super::failure::Status::Tool, format!("this build of audit cannot launch kernels\n  help: {cure}")))
}

#[cfg(feature = "gpu")]
use on_gpu::launched;

#[cfg(feature = "gpu")]
mod on_gpu {
    use super::super::code::places;
    use super::super::failure::{Failure, Status};
    use super::Launch;
    use crate::analysis::Sample;
    use crate::analysis::code::kernel_of;
    use crate::catalog::chip;
    use crate::collect::{Build, Places, clocks, compile};
    use crate::config::{Amount, Code, Config, Subject};
    use crate::evidence::{Benchmark, Correctness, Origin, OutputCheck};
    use crate::render::{Output, write_together};
    use crate::source;
    use audit_launch::gpu::{self, Gpu, Job, Sampling, StatedWork, guarded};
    use audit_launch::{DType, Given, LaunchError, LaunchPlan, Program, Reference, fit};
    use regex::Regex;
    use serde::Serialize;
    use std::io::Write;
    use std::path::{Path, PathBuf};
    use std::time::Duration;

    /// Fewest samples of a benchmark.
    const LEAST: usize = 30;
    /// Time after which no further sample is started.
    const LIMIT: Duration = Duration::from_secs(20);
    /// Confidence of the interval of a median, in percent.
    const CONFIDENCE: f64 = 99.0;
    /// A median is settled when its interval is at most this part of it.
    const SETTLED: f64 = 0.005;

    pub(super) fn launched(
        arguments: &Launch,
        config: &Config,
        subject: &Subject,
        out: &mut dyn Write,
    ) -> Result<(), Failure> {
        let name = subject.name.as_str();
        let not_stated = |what, cure| LaunchError::NotStated { subject: name.to_owned(), what, cure };
        let plan = subject.plan.as_ref().ok_or_else(|| {
            not_stated("how it is launched", "add `grid`, `block` and `args` under its [subject.launch]")
        })?;
        let reference = if arguments.check {
            let cure = "add a table [subject.correctness]";
            let how =
                subject.outputs.as_ref().ok_or_else(|| not_stated("what its outputs are checked against", cure))?;
            Some(&how.reference)
        } else if arguments.reference_only {
            let cure = "add a table [subject.reference]";
            let plan = subject.reference.as_ref().ok_or_else(|| not_stated("what it is timed beside", cure))?;
            Some(&plan.reference)
        } else {
            subject.reference.as_ref().filter(|_| arguments.time).map(|plan| &plan.reference)
        };
        let maker = Maker { places: places(&config.tools, &config.folder), config, subject };
        // What needs no device is found wrong without one.
        let held = subject.outputs.as_ref().filter(|_| arguments.time);
        let all = |arch: &str| {
            let (program, beside) = maker.code(arguments, arch, plan, reference)?;
            let held = held.map(|how| maker.reference(&how.reference, arch, plan)).transpose()?;
            Ok::<_, Failure>((program, beside, held.flatten()))
        };
        let early = maker.arch(None).map(|arch| all(&arch)).transpose()?;
        let device = guarded(|| Gpu::open(arguments.device))?;
        let (program, beside, expected) = match early {
            Some(code) => code,
            None => {
                let arch = maker.arch(Some(&device.facts().compute_capability)).unwrap_or_default();
                all(&arch)?
            }
        };
        let tool = format!("audit {}", env!("CARGO_PKG_VERSION"));
        let job = Job { subject: name, tool: &tool, program: &program, plan, seed: arguments.seed };
        writeln!(out, "{name} on {}", device.facts().name)?;
        if let Some(how) = subject.outputs.as_ref().filter(|_| arguments.check) {
            let found = guarded(|| gpu::check(&device, &job, how, beside.as_ref()))?;
            keep(arguments, &found)?;
            tell_check(&found, out)?;
            return if found.passed { Ok(()) } else { Err(Failure::verdict(Status::Findings)) };
        }
        if arguments.time {
            let is_stable = |samples: &[f64]| {
                let interval =
                    Sample::of(samples, CONFIDENCE).and_then(|sample| Some((sample.median, sample.interval?)));
                interval.is_some_and(|(median, (low, high))| high - low <= SETTLED * median)
            };
            let most = arguments.samples.max(LEAST);
            let work = stated_work(subject, &device);
            let sampling = Sampling { least: LEAST, most, limit: LIMIT, is_stable: &is_stable, clocks: &clocks, work };
            let stated = subject.reference.as_ref().map(|plan| (plan, beside.as_ref()));
            let held = held.map(|how| (how, expected.as_ref()));
            let found = guarded(|| gpu::time(&device, &job, stated, held, &sampling))?;
            keep(arguments, &found)?;
            return tell_times(&found, out);
        }
        let times = arguments.times.unwrap_or(1);
        let ran = match reference {
            Some(reference) => {
                let position = position(arguments)?;
                guarded(|| gpu::run_reference(&device, &job, reference, beside.as_ref(), position, times))?
            }
            None => guarded(|| gpu::run(&device, &job, times))?,
        };
        if let Some(launch) = &ran.launch {
            let [x, y, z] = launch.grid;
            writeln!(out, "  {} launched 1 + {times} times, grid {x} x {y} x {z}", launch.kernel)?;
        }
        if let Some(reference) = &ran.reference {
            writeln!(out, "  {reference} launched 1 + {times} times")?;
        }
        Ok(())
    }

    /// The work of a launch with the most that this kind of chip does in a cycle, of whatever type.
    fn stated_work(subject: &Subject, device: &Gpu) -> StatedWork {
        let capability = device.facts().compute_capability.split_once('.');
        let row = capability.and_then(|(major, minor)| chip((major.parse().ok()?, minor.parse().ok()?)));
        let rates = row.and_then(|row| row.tensor.as_ref()).map(|tensor| tensor.dense.values().copied());
        StatedWork {
            flop: subject.work.flop.as_ref().map(Amount::value),
            flop_per_cycle: rates.and_then(Iterator::max),
            bytes: subject.work.bytes.as_ref().map(Amount::value),
        }
    }

    /// The position of the algorithm that a benchmark chose; 0 where there is none.
    fn position(arguments: &Launch) -> Result<usize, Failure> {
        let beside = || Some(arguments.cubin.as_ref()?.with_file_name("benchmark.json")).filter(|path| path.is_file());
        let Some(path) = arguments.benchmark.clone().or_else(beside) else { return Ok(0) };
        let read = source::read_benchmark(&path)?;
        Ok(read.reference.and_then(|reference| reference.choice).map_or(0, |choice| choice.position))
    }

    /// What makes code that can be launched.
    struct Maker<'a> {
        places: Places,
        config: &'a Config,
        subject: &'a Subject,
    }

    impl Maker<'_> {
        /// The subject's architecture for a compute capability such as `9.0`; without one the only that it has. Empty for
        /// a subject without a source.
        fn arch(&self, capability: Option<&str>) -> Option<String> {
            let Some(Code::Source { archs, .. }) = &self.subject.code else { return Some(String::new()) };
            let digits = |text: &str| text.chars().filter(char::is_ascii_digit).collect::<String>();
            match (&archs[..], capability) {
                ([one], _) => Some(one.clone()),
                (_, None) => None,
                (several, Some(capability)) => {
                    let own = several.iter().find(|arch| digits(arch) == digits(capability));
                    own.or(several.first()).cloned()
                }
            }
        }

        /// The kernel under audit and the one that the reference launches; the parameters of both fit the plan.
        fn code(
            &self,
            arguments: &Launch,
            arch: &str,
            plan: &LaunchPlan,
            reference: Option<&Reference>,
        ) -> Result<(Program, Option<Program>), Failure> {
            let program = self.program(arguments, arch, plan)?;
            let beside = reference.map(|reference| self.reference(reference, arch, plan)).transpose()?;
            Ok((program, beside.flatten()))
        }

        fn program(&self, arguments: &Launch, arch: &str, plan: &LaunchPlan) -> Result<Program, Failure> {
            let filter = self.subject.kernel.as_ref();
            let program = match (&arguments.cubin, &self.subject.code) {
                (Some(path), _) => read(path, filter)?,
                (None, Some(Code::Cubin { path })) => read(&self.config.folder.join(path), filter)?,
                (None, Some(Code::Source { path, flags, .. })) => self.compiled(path, arch, flags, filter)?,
                (None, None) => {
                    let (subject, what) = (self.subject.name.to_string(), "what code to launch");
                    let cure = "add `source` and `arch`, or give --cubin";
                    return Err(LaunchError::NotStated { subject, what, cure }.into());
                }
            };
            fit_to(&program, &plan.arguments.iter().map(Given::from).collect::<Vec<_>>())?;
            Ok(program)
        }

        /// The code of the kernel that a reference launches; compiled as the subject is.
        fn reference(&self, reference: &Reference, arch: &str, plan: &LaunchPlan) -> Result<Option<Program>, Failure> {
            let Some(kernel) = reference.kernel() else { return Ok(None) };
            let Some(Code::Source { flags, .. }) = &self.subject.code else {
                let (subject, what) = (self.subject.name.to_string(), "how its reference is compiled");
                let cure = "give the subject `source`, `arch` and `flags`; --cubin still says what is launched";
                return Err(LaunchError::NotStated { subject, what, cure }.into());
            };
            let filter = kernel.kernel.as_ref().and_then(|name| Regex::new(&format!("^{}$", regex::escape(name))).ok());
            let program = self.compiled(&kernel.source, arch, flags, filter.as_ref())?;
            fit_to(&program, &kernel.given(plan))?;
            Ok(Some(program))
        }

        fn compiled(
            &self,
            source: &Path,
            arch: &str,
            flags: &[String],
            filter: Option<&Regex>,
        ) -> Result<Program, Failure> {
            let what = Build { source: source.to_owned(), arch: arch.to_owned(), flags: flags.to_vec() };
            let made = compile(&self.places, &self.config.folder, &what)?;
            program(made.cubin, source.to_owned(), filter)
        }
    }

    fn fit_to(program: &Program, given: &[Given]) -> Result<(), LaunchError> {
        program.parameters.as_ref().map_or(Ok(()), |parameters| fit(&program.kernel, parameters, given))
    }

    fn read(path: &Path, filter: Option<&Regex>) -> Result<Program, Failure> {
        program(source::read_unpacked(path)?, path.to_owned(), filter)
    }

    /// The kernel that the filter takes in a cubin or in PTX.
    fn program(image: Vec<u8>, input: PathBuf, filter: Option<&Regex>) -> Result<Program, Failure> {
        let shown = input.display().to_string();
        if !source::ptx::looks_like(&image) {
            let cubin = source::cubin::read(&image, Origin { path: shown.clone(), ..Origin::default() })?;
            let kernel = kernel_of(&cubin, &shown, filter, None)?;
            return Ok(Program {
                kernel: kernel.mangled.to_string(),
                parameters: Some(kernel.parameters.iter().map(|parameter| parameter.bytes).collect()),
                code_sha256: kernel.code_sha256.clone(),
                input,
                image,
            });
        }
        let entries = source::ptx::entries(&String::from_utf8_lossy(&image));
        let base =
            |name: &str| name.split(['(', '<']).next().unwrap_or(name).rsplit(' ').next().unwrap_or(name).to_owned();
        let is_taken = |(mangled, name): &&(String, String)| {
            filter.is_none_or(|filter| filter.is_match(&base(name)) || filter.is_match(mangled))
        };
        match &entries.iter().filter(is_taken).collect::<Vec<_>>()[..] {
            [(mangled, _)] => {
                Ok(Program { kernel: mangled.clone(), parameters: None, code_sha256: String::new(), input, image })
            }
            _ => Err(LaunchError::NoKernel {
                input,
                wanted: filter.map_or("that is the only one".to_owned(), |filter| {
                    format!("that is the only match of /{filter}/")
                }),
                found: entries.iter().map(|(_, name)| name.clone()).collect(),
            }
            .into()),
        }
    }

    /// Writes the outcome where it was asked for.
    fn keep(arguments: &Launch, found: &impl Serialize) -> Result<(), Failure> {
        let Some(path) = &arguments.json_to else { return Ok(()) };
        let mut bytes = serde_json::to_vec_pretty(found)
            .map_err(|error| Failure::usage(format!("the outcome cannot be written as JSON: {error}")))?;
        bytes.push(b'\n');
        Ok(write_together(&[Output { path, bytes: &bytes }])?)
    }

    fn tell_check(found: &Correctness, out: &mut dyn Write) -> Result<(), Failure> {
        writeln!(out, "  against {}, tolerance {}", found.reference, found.tolerance)?;
        for run in &found.runs {
            for output in &run.outputs {
                writeln!(out, "  seed {}: {}", run.seed, told(output))?;
            }
        }
        writeln!(out, "  {}", if found.passed { "correct" } else { "WRONG" })?;
        Ok(())
    }

    fn told(output: &OutputCheck) -> String {
        let norm = output.relative_norm.map_or("no finite norm".to_owned(), |norm| format!("relative norm {norm:.3e}"));
        let mut words = vec![format!("{} {norm}", output.name)];
        if let Some(worst) = &output.worst {
            let error = worst.error.map_or("not finite".to_owned(), |error| format!("{error:.3e}"));
            words.push(format!("worst [{}] {} for {} ({error})", worst.index, worst.got, worst.expected));
        }
        let exact = DType::named(&output.dtype).is_some_and(|dtype| !dtype.is_float());
        words.push(format!(
            "{} of {} {}",
            output.different,
            output.elements,
            if exact { "wrong" } else { "in other bits" }
        ));
        for (count, what) in [
            (output.unwritten, "not written"),
            (output.not_finite, "not finite"),
            (output.expected_not_finite, "not finite in the reference"),
            (output.changed_between_runs.unwrap_or(0), "changed in a second run"),
        ] {
            if count > 0 {
                words.push(format!("{count} {what}"));
            }
        }
        words.join(", ")
    }

    fn tell_times(found: &Benchmark, out: &mut dyn Write) -> Result<(), Failure> {
        let told = |samples: &[f64]| {
            Sample::of(samples, CONFIDENCE).map_or("no samples".to_owned(), |sample| {
                let interval = sample.interval.map_or(String::new(), |(low, high)| format!(" [{low:.5}, {high:.5}]"));
                format!(
                    "median {:.5} ms{interval}, {} samples, {:.5} to {:.5}",
                    sample.median, sample.count, sample.min, sample.max
                )
            })
        };
        writeln!(out, "  kernel     {}", told(&found.samples_ms))?;
        if let Some(reference) = &found.reference {
            writeln!(out, "  reference  {}\n             {}", told(&reference.samples_ms), reference.name)?;
            if let Some(choice) = &reference.choice {
                let ran = choice.tried_ms.iter().flatten().count();
                writeln!(out, "             {} (number {} of {ran})", choice.algorithm, choice.position)?;
            }
            if let Some(both) = &reference.completed {
                writeln!(out, "  with       {}\n             {} behind the product", told(&both.samples_ms), both.by)?;
            }
        }
        writeln!(out, "  nothing    {}", told(&found.empty_ms))?;
        for (when, clocks) in [("before", &found.clocks_before), ("after", &found.clocks_after)] {
            let mhz = clocks.as_ref().and_then(|clocks| clocks.sm_mhz);
            let said = mhz.map_or_else(|| format!("not read: {}", found.clocks_missing), |mhz| format!("{mhz} MHz"));
            writeln!(out, "  SM clock   {said} ({when})")?;
        }
        Ok(())
    }
}
