//! Builds of a subject: compiled or given, disassembled, and read.

use super::Failure;
use super::evidence::KeptBuild;
use crate::analysis::code::{Checked, CodeFacts, CodeInputs, LaunchShape, Launched, code_facts, unchecked};
use crate::analysis::{KernelKey, short_name};
use crate::collect::{self, Build, Places};
use crate::config::{Code, Subject, Tools, Variant};
use crate::evidence::CodeBuild;
use crate::source::{self, CodeParts, Neutral};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// What the tools took, and how often they ran.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct ToolTime {
    pub(super) runs: u32,
    pub(super) wall: Duration,
}

impl ToolTime {
    fn add(&mut self, wall: Duration) {
        self.runs += 1;
        self.wall += wall;
    }
}

/// Where tools are looked for, from the configuration and the environment.
pub(super) fn places(tools: &Tools, project: &Path) -> Places {
    let folders = |name: &str| std::env::var_os(name).filter(|value| !value.is_empty());
    Places {
        named: tools.named(),
        cuda: tools.cuda().map(Path::to_owned),
        cuda_home: folders("CUDA_HOME").map(PathBuf::from),
        path: folders("PATH").map(|path| std::env::split_paths(&path).collect()).unwrap_or_default(),
        project: project.to_owned(),
        ..Places::default()
    }
}

pub(super) fn kept_build(
    places: &Places,
    folder: &Path,
    source: &Path,
    kept: &KeptBuild,
    time: &mut ToolTime,
) -> Result<Vec<CodeBuild>, Failure> {
    let (cubin, log) = (source::read_unpacked(&kept.cubin)?, source::read_all(&kept.log)?);
    let parts = CodeParts {
        command: &kept.command,
        compiler: &kept.compiler,
        cubin: &cubin,
        log: Some(&log),
        ..CodeParts::default()
    };
    Ok(vec![read(places, source, parts, &Neutral::new(folder, None), time)?])
}

/// The code that a report holds of a kernel, for a page whose source cannot be compiled here; none where it holds none.
pub(super) fn of_report(
    places: &Places,
    report: &Path,
    kernel: &KernelKey,
    input: &Path,
    time: &mut ToolTime,
) -> Result<Vec<CodeBuild>, Failure> {
    for cubin in source::open_report(report, true)?.sources()?.into_iter().filter_map(|data| data.cubin) {
        let Ok(held) = source::cubin::read(&cubin, crate::evidence::Origin::default()) else { continue };
        let is_it =
            |name: &str, demangled: &str| *name == *kernel.mangled || short_name(demangled) == kernel.short_name();
        if held.kernels.iter().any(|held| is_it(&held.mangled, &held.demangled)) {
            let parts = CodeParts { cubin: &cubin, ..CodeParts::default() };
            return Ok(vec![read(places, input, parts, &Neutral::new(Path::new(""), None), time)?]);
        }
    }
    Ok(Vec::new())
}

/// Every build of the code: one for each architecture of a source, one of a cubin. Paths of `code` are relative to `folder`.
pub(super) fn builds(
    places: &Places,
    folder: &Path,
    code: &Code,
    time: &mut ToolTime,
) -> Result<Vec<CodeBuild>, Failure> {
    match code {
        Code::Source { path, archs, flags } => {
            let one = |arch: &String| {
                let what = Build { source: path.clone(), arch: arch.clone(), flags: flags.clone() };
                let compiled = collect::compile(places, folder, &what)?;
                time.add(compiled.wall);
                let parts = CodeParts {
                    command: &compiled.command,
                    compiler: &compiled.tool,
                    cubin: &compiled.cubin,
                    log: Some(&compiled.log),
                    ..CodeParts::default()
                };
                read(places, path, parts, &Neutral::new(folder, Some(&compiled.toolkit)), time)
            };
            archs.iter().map(one).collect()
        }
        Code::Cubin { path } => {
            let file = folder.join(path);
            let bytes = source::read_unpacked(&file)?;
            // The reader says what is wrong with a file that is no cubin before a tool does.
            source::cubin::read(
                &bytes,
                crate::evidence::Origin { path: path.display().to_string(), ..Default::default() },
            )?;
            let parts = CodeParts { cubin: &bytes, ..CodeParts::default() };
            Ok(vec![read(places, path, parts, &Neutral::new(folder, None), time)?])
        }
    }
}

fn read(
    places: &Places,
    input: &Path,
    parts: CodeParts<'_>,
    neutral: &Neutral,
    time: &mut ToolTime,
) -> Result<CodeBuild, Failure> {
    let sass = collect::disassemble(places, parts.cubin)?;
    time.add(sass.wall);
    let input = input.display().to_string();
    Ok(source::read_code(&CodeParts { input: &input, disassembler: &sass.tool, sass: &sass.text, ..parts }, neutral)?)
}

pub(super) struct Builds {
    pub(super) new: Vec<CodeBuild>,
    /// Those of the subject's further variants.
    pub(super) others: Vec<(Variant, CodeBuild)>,
    pub(super) old: Vec<CodeBuild>,
    /// Why there are none, where a tool is missing.
    pub(super) missed: Option<String>,
}

impl Builds {
    /// The facts of every build, each beside the old build of its architecture.
    pub(super) fn facts(&self, subject: &Subject, launched: Option<&Launched>) -> Result<Vec<CodeFacts>, Failure> {
        let first = subject.variants.first();
        let further = self.others.iter().map(|(variant, build)| (Some(variant), build));
        let all = self.new.iter().map(|build| (first, build)).chain(further);
        let one = |(variant, build): (Option<&Variant>, &CodeBuild)| {
            let name = variant.map_or("", |variant| variant.name.as_str());
            let is_for = |only: &str| only.is_empty() || only == name;
            let checks: Vec<_> = subject.code_checks.iter().filter(|check| is_for(&check.variant)).cloned().collect();
            let shared: Vec<_> = subject.shared.iter().filter(|part| is_for(&part.variant)).cloned().collect();
            let dynamic = variant.and_then(|variant| variant.dynamic_shared).or(subject.launch.dynamic_shared);
            Ok(code_facts(&CodeInputs {
                build,
                variant: name,
                old: self.old.iter().find(|old| old.cubin.arch == build.cubin.arch),
                kernel: subject.kernel.as_ref(),
                old_kernel: subject.baseline_kernel.as_ref(),
                launched,
                shape: LaunchShape { dynamic_shared: dynamic, ..subject.launch },
                checks: &checks,
                shared: &shared,
            })?)
        };
        all.map(one).collect()
    }

    /// The checks that the subject states and that none of these facts answers.
    pub(super) fn unchecked(&self, subject: &Subject, facts: &[CodeFacts]) -> Vec<Checked> {
        let why = self.missed.as_deref().unwrap_or("no machine code is at hand");
        unchecked(&subject.code_checks, &subject.shared, facts, why)
    }
}
