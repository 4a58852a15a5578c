//! `audit init`: an audit.toml from what lies here: a subject for each kernel of a report, with its source and its build log.

use super::Failure;
use super::args::Init;
use super::init_build::{self, Cmake, Source};
use super::init_python::{Script, script};
use super::plan::DEFAULT_CONFIG;
use crate::analysis::{self, KernelKey};
use crate::config::{Config, SubjectName};
use crate::evidence::{BuildLog, Want};
use crate::quantity::format;
use crate::render::{Output, write_together};
use crate::source;
use std::collections::BTreeSet;
use std::io::Write;
use std::path::{Path, PathBuf};

/// Folders that are looked through below the first one.
const DEPTH: usize = 3;
/// Folders that are not: what tools make, and what others wrote.
const LEFT_OUT: &str =
    "target node_modules audits third_party site-packages venv __pycache__ build torch_compile_debug";
/// Files that are looked at; a folder with more is not a project's.
const FILES: usize = 2000;
/// Bytes up to which a text can be a source or a build log.
const TEXT: u64 = 4 << 20;
/// Kernels of a report that get a subject of their own, those with the most device time.
const KERNELS: usize = 3;

#[derive(Default)]
struct Found {
    reports: Vec<Report>,
    sources: Vec<Source>,
    cmakes: Vec<Cmake>,
    logs: Vec<(PathBuf, BuildLog)>,
    /// Python sources that define kernels, or launch some.
    scripts: Vec<Script>,
}

/// A report with its kernels, the most device time first.
struct Report {
    path: PathBuf,
    kernels: Vec<KernelKey>,
    /// `sm_90`.
    arch: Option<String>,
}

/// A subject as it is written down.
struct Line<'f> {
    name: String,
    function: &'f str,
    report: Option<&'f Report>,
    /// Other reports of the same function.
    others: Vec<&'f Path>,
}

pub(super) fn run(arguments: &Init, out: &mut dyn Write) -> Result<(), Failure> {
    let path = Path::new(DEFAULT_CONFIG);
    if !arguments.print && path.exists() {
        return Err(Failure::usage(
            "audit.toml is there already, and nothing was written\n  help: `audit init --print` shows what would be written",
        ));
    }
    let mut files = arguments.files.clone();
    if files.is_empty() {
        below(Path::new(""), DEPTH, &mut files);
        files.sort();
    }
    let mut found = Found::default();
    for file in &files {
        let is_meant = !arguments.files.is_empty();
        if !found.take(file) && is_meant {
            return Err(Failure::usage(format!(
                "{} is not a report, a CUDA or Python source with a kernel or a build log\n  help: name .ncu-rep files, .cu and .py files, and what `ptxas -v` printed",
                file.display()
            )));
        }
    }
    let text = found.text()?;
    // What is written is what the program reads.
    let config = Config::parse(path, text.clone())?;
    if arguments.print {
        write!(out, "{text}")?;
        return Ok(());
    }
    write_together(&[Output { path, bytes: text.as_bytes() }])?;
    writeln!(out, "audit.toml: {}", format::counted(config.subjects.len() as u64, "subject"))?;
    for subject in &config.subjects {
        let own = if subject.collect.run.is_empty() { "its source".to_owned() } else { subject.collect.run.join(" ") };
        let from = subject.report.as_ref().map_or(own, |report| report.display().to_string());
        writeln!(out, "  {}: from {from}", subject.name)?;
    }
    let next = match config.subjects.iter().any(|subject| subject.report.is_none() && !subject.collect.run.is_empty()) {
        true => "on a GPU `audit generate --collect`",
        false => "`audit generate`",
    };
    writeln!(out, "Next: state the work of a launch in it, then {next}.")?;
    Ok(())
}

/// The files of a folder that may be evidence, and those below it.
fn below(folder: &Path, depth: usize, into: &mut Vec<PathBuf>) {
    let here = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
    for entry in std::fs::read_dir(here).into_iter().flatten().flatten() {
        let name = entry.file_name();
        let (path, name) = (folder.join(&name), name.to_string_lossy().into_owned());
        let Ok(kind) = entry.file_type() else { continue };
        let is_left_out = name.starts_with('.') || LEFT_OUT.split(' ').any(|other| other == name);
        if kind.is_dir() && depth > 0 && !is_left_out {
            below(&path, depth - 1, into);
        }
        let extension = path.extension().map(|extension| extension.to_string_lossy().into_owned()).unwrap_or_default();
        let is_evidence = ["ncu-rep", "ncu-repz", "cu", "py", "log", "txt", "csv"].contains(&extension.as_str());
        if kind.is_file() && is_evidence && into.len() < FILES {
            into.push(path);
        }
    }
}

impl Found {
    /// Takes a file that is evidence; whether it is.
    fn take(&mut self, path: &Path) -> bool {
        let is_text = std::fs::metadata(path).is_ok_and(|file| file.len() <= TEXT);
        let text = || if is_text { crate::read::text(path).ok() } else { None };
        if path.extension().is_some_and(|extension| extension == "cu") {
            let Some(text) = text() else { return false };
            self.sources.extend(Source::of(path, &text));
            return self.sources.last().is_some_and(|source| source.path == path);
        }
        if path.extension().is_some_and(|extension| extension == "py") {
            let found = text().and_then(|text| script(path, &text));
            let is_any = found.is_some();
            self.scripts.extend(found);
            return is_any;
        }
        if path.file_name().is_some_and(|name| name == "CMakeLists.txt") {
            self.cmakes.extend(text().and_then(|text| Cmake::of(path, &text)));
            return false;
        }
        if is_text && let Ok(log) = source::read_build_log(path) {
            self.logs.push((path.to_owned(), log));
            return true;
        }
        let want = Want { metrics: analysis::brief(), ..Want::default() };
        let Ok(report) = source::read_profile(path, &want) else { return false };
        let capability = report.launches.first().and_then(|launch| launch.device.compute_capability);
        let arch = capability.map(|(major, minor)| format!("sm_{major}{minor}"));
        let kernels: Vec<KernelKey> = analysis::groups(&report).into_iter().map(|group| group.key).collect();
        let is_any = !kernels.is_empty();
        self.reports.extend(is_any.then(|| Report { path: path.to_owned(), kernels, arch }));
        is_any
    }

    /// A subject for each function of the reports, else for each kernel of the sources.
    fn subjects(&self) -> Vec<Line<'_>> {
        let mut lines: Vec<Line<'_>> = Vec::new();
        let mut names = BTreeSet::new();
        for report in &self.reports {
            let mut own = BTreeSet::new();
            for function in
                report.kernels.iter().map(|key| &*key.function).filter(|name| own.insert(*name)).take(KERNELS)
            {
                if let Some(known) = lines.iter_mut().find(|line| line.function == function) {
                    known.others.push(&report.path);
                } else if let Some(name) = unused(function, &mut names) {
                    lines.push(Line { name, function, report: Some(report), others: Vec::new() });
                }
            }
        }
        if lines.is_empty() {
            let own = self.sources.iter().filter(|source| !source.is_of_torch);
            for function in own.flat_map(|source| &source.kernels) {
                let name = unused(function, &mut names);
                lines.extend(name.map(|name| Line { name, function, report: None, others: Vec::new() }));
            }
        }
        lines
    }

    fn text(&self) -> Result<String, Failure> {
        let lines = self.subjects();
        let programs = self.programs(&lines);
        if lines.is_empty() && programs.is_empty() {
            let log = match self.logs.first() {
                Some((path, _)) => format!(
                    "; a build log says nothing about a run: name it with a report or a source ({})",
                    path.display()
                ),
                None => String::new(),
            };
            let (what, cure) = match self.without_program() {
                Some((path, kernel)) => (
                    format!("no report, and no Python program here launches {kernel} of {}", path.display()),
                    "write a program that calls `kernel_audit.bench` (the guide's triton.md), or profile what launches it:",
                ),
                None => (
                    "no report, no CUDA or Python source with a kernel".to_owned(),
                    "name files: `audit init FILE…`, or profile first:",
                ),
            };
            return Err(Failure::usage(format!(
                "nothing to write down: {what}{log}\n  help: {cure} `ncu --set full --import-source yes --launch-count 20 -o report APP`, where APP may be `python train.py`"
            )));
        }
        let mut text = String::from(
            "# What `audit generate` makes pages of; `audit lint` checks this file. All keys: configuration.md of its guide.\n\n[audit]\nout = \"audits\"\n",
        );
        for line in &lines {
            text += &self.subject(line);
        }
        text.extend(programs);
        Ok(text)
    }

    /// The subjects that a Python program launches, without those that a report has already: what is given to
    /// `kernel_audit.bench`, else the kernels that a program can be found for.
    fn programs(&self, lines: &[Line<'_>]) -> Vec<String> {
        let mut names: BTreeSet<String> = lines.iter().map(|line| line.name.clone()).collect();
        let is_known = |function: &str| lines.iter().any(|line| line.function == function);
        let mut texts = Vec::new();
        for script in &self.scripts {
            for one in &script.benched {
                // The name is that of the NVTX range, so that another one would find nothing.
                let is_name = SubjectName::from_text(&one.name).is_some_and(|name| *name.as_str() == *one.name);
                if is_name && !one.kernel.as_deref().is_some_and(is_known) && names.insert(one.name.clone()) {
                    texts.push(program(&one.name, one.kernel.as_deref(), script, &script.path, true));
                }
            }
        }
        if !texts.is_empty() {
            return texts;
        }
        let mut launched = |kernels: Vec<(String, String)>, run: &Script, source: &Path| {
            for (filter, function) in kernels.iter().filter(|(_, function)| !is_known(function)) {
                let name = unused(function, &mut names);
                texts.extend(name.map(|name| program(&name, Some(filter), run, source, false)));
            }
        };
        for source in self.scripts.iter().filter(|source| !source.kernels.is_empty()) {
            let by_package = || self.scripts.iter().find(|script| script.runs_package_of(source));
            if let Some(run) = self.scripts.iter().find(|script| script.runs(source)).or_else(by_package) {
                launched(source.kernels.clone(), run, &source.path);
            }
        }
        for source in self.sources.iter().filter(|source| source.is_of_torch) {
            if let Some(run) = self.uses_extension() {
                launched(
                    source.kernels.iter().map(|name| (format!("^{name}"), name.clone())).collect(),
                    run,
                    &source.path,
                );
            }
        }
        for script in self.scripts.iter().filter(|script| script.is_compiled) {
            let stem = script.path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
            launched(vec![(INDUCTOR.to_owned(), stem)], script, &script.path);
        }
        texts
    }

    /// A program or a test that runs what PyTorch builds of the CUDA sources here.
    fn uses_extension(&self) -> Option<&Script> {
        let extensions = self.scripts.iter().flat_map(|script| &script.extensions);
        let names: Vec<&str> = extensions.map(|name| name.split('.').next().unwrap_or(name)).collect();
        let is_user = |script: &&Script| {
            names.iter().any(|name| script.uses(name)) || !script.extensions.is_empty() && script.uses("torch")
        };
        self.scripts.iter().find(is_user)
    }

    /// A kernel that nothing here launches, with its source.
    fn without_program(&self) -> Option<(&Path, &str)> {
        let python =
            self.scripts.iter().find_map(|script| Some((script.path.as_path(), script.kernels.first()?.1.as_str())));
        python.or_else(|| {
            self.sources.iter().find_map(|source| Some((source.path.as_path(), source.kernels.first()?.as_str())))
        })
    }

    fn subject(&self, line: &Line<'_>) -> String {
        let said = |path: &Path| toml::Value::from(path.display().to_string()).to_string();
        let source = self.sources.iter().find(|source| source.kernels.iter().any(|name| name == line.function));
        let log = self.logs.iter().find(|(_, log)| log.records.iter().any(|one| is_of(&one.demangled, line.function)));
        let mut text = format!("\n[[subject]]\nname = \"{}\"\n", line.name);
        let profiled = line.report.and_then(|report| report.arch.clone());
        let place = source.map_or(Path::new(""), |source| &source.path);
        let built = init_build::arch(&self.cmakes, place, profiled.as_deref());
        let arch = built.or(profiled).unwrap_or_else(|| "sm_90".to_owned());
        match line.report {
            Some(report) => {
                let filter = format!("^{}$", regex::escape(line.function));
                text += &format!("kernel = {}\n", toml::Value::from(filter));
                text += &format!("report = {}\n", said(&report.path));
                for other in &line.others {
                    text += &format!("# baseline = {}   # holds this kernel as well\n", said(other));
                }
                if let Some(Source { path, is_of_torch: false, .. }) = source {
                    text += &format!(
                        "# With the source the page also shows what the compiler made of it:\n# source = {}\n# arch = \"{arch}\"\n# flags = [\"-O3\"]\n",
                        said(path)
                    );
                }
            }
            None => {
                text += &format!("kernel = {}\n", toml::Value::from(format!("^{}", regex::escape(line.function))));
                if let Some(Source { path, .. }) = source {
                    let include = if Path::new("include").is_dir() { ", \"-Iinclude\"" } else { "" };
                    let program = init_build::program(&self.cmakes, path).unwrap_or_else(|| "./APP".to_owned());
                    text += &format!(
                        "source = {}\narch = \"{arch}\"   # the chip to compile for\nflags = [\"-O3\"{include}]\n# run = [\"{program}\"]   # what launches it: then `audit generate --collect` on a GPU measures it\n",
                        said(path)
                    );
                }
            }
        }
        if let (Some((path, _)), true) = (log, line.report.is_some()) {
            text += &format!("ptxas = {}\n", said(path));
        }
        text + WORK
    }
}

/// What nobody can find in files.
const WORK: &str = "
# [subject.work]             # what one launch has to do: makes rates, and bounds by the hardware
# shape = \"the sizes of this launch\"
# flop = \"2*M*N*K, in numbers\"
# bytes = \"what must be read and written, in numbers\"
";

/// The names of the kernels that PyTorch's Inductor writes.
const INDUCTOR: &str = "^triton_";

/// A subject that a Python program launches; `source` defines its kernel.
fn program(name: &str, kernel: Option<&str>, script: &Script, source: &Path, has_bench: bool) -> String {
    let said = |path: &Path| toml::Value::from(path.display().to_string()).to_string();
    let mut text = format!("\n[[subject]]\nname = \"{name}\"\n");
    if let Some(kernel) = kernel {
        text += &format!("kernel = {}\n", toml::Value::from(kernel));
    }
    text += &format!("run = {}\n\n[subject.collect]\n", toml::Value::from(script.command()));
    let mut inputs = script.inputs();
    if source != script.path && !inputs.iter().any(|path| path == source) {
        inputs.push(source.to_owned());
    }
    let inputs: Vec<String> = inputs.iter().map(|path| said(path)).collect();
    if !inputs.is_empty() {
        text += &format!("inputs = [{}]\n", inputs.join(", "));
    }
    text += match has_bench {
        true => "bench = true   # checks and times come from kernel_audit.bench\n",
        false => "# bench = true   # once the program calls kernel_audit.bench, which checks and times\n",
    };
    text + "sanitizers = [\"memcheck\"]\n" + WORK
}

/// Characters of a subject's name that `init` gives; kernels of libraries are called by a hundred.
const NAME: usize = 40;

/// A name for a subject that none has yet.
fn unused(function: &str, names: &mut BTreeSet<String>) -> Option<String> {
    let mut name = SubjectName::from_text(function)?.to_string();
    if name.len() > NAME {
        // Names are ASCII.
        name.truncate(name[..NAME].rfind(['_', '-']).filter(|at| *at > NAME / 2).unwrap_or(NAME));
    }
    let name = (1..)
        .map(|at| if at == 1 { name.clone() } else { format!("{name}-{at}") })
        .find(|name| !names.contains(name))?;
    names.insert(name.clone());
    Some(name)
}

fn is_of(demangled: &str, function: &str) -> bool {
    let short = analysis::short_name(demangled);
    short.split('<').next().unwrap_or(short).rsplit("::").next()
        == Some(function.rsplit("::").next().unwrap_or(function))
}
