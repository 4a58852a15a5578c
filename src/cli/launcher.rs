//! What launches a subject's kernel while evidence is collected: its own program, else `audit launch`.

use super::Failure;
use super::plan::DEFAULT_CONFIG;
use crate::collect::{Launcher, OwnLauncher, Stated, Words, files};
use crate::config::{Code, Subject, Variant};
use audit_launch::{Reference, ReferencePlan};
use std::path::{Path, PathBuf};

pub(super) struct Folders<'f> {
    /// The folder of audit.toml, in which every program starts.
    pub(super) project: &'f Path,
    pub(super) evidence: &'f Path,
    pub(super) config: Option<&'f Path>,
    /// The variant, where it is not the first.
    pub(super) variant: Option<&'f Variant>,
}

/// This program, for commands that start it again; where it is a part of another, that one says what starts it.
pub(super) fn own_program() -> std::io::Result<PathBuf> {
    std::env::var_os("KERNEL_AUDIT_PROGRAM").map_or_else(std::env::current_exe, |path| Ok(path.into()))
}

/// The launcher of a subject; `has_build` says that its cubin is made into the evidence folder.
pub(super) fn of(subject: &Subject, folders: &Folders<'_>, has_build: bool) -> Result<Launcher, Failure> {
    if !subject.collect.run.is_empty() {
        let program: Words = subject.collect.run.iter().collect();
        return Ok(if subject.collect.bench { Launcher::Bench(program) } else { Launcher::Program(program) });
    }
    let (Some(plan), true) = (&subject.plan, subject.code.is_some()) else {
        return Err(Failure::usage(format!(
            "nothing launches the kernel of {}\n  help: name the program in audit.toml, as in run = [\"./bench\", \"--size\", \"4096\"], or give `source`, `arch` and a [subject.launch] with `grid`, `block` and `args`",
            subject.name
        )));
    };
    let program =
        own_program().map_err(|error| Failure::usage(format!("the path of this program cannot be found: {error}")))?;
    let mut words = Words::default();
    words.shown_as(program, "audit");
    words.one("launch");
    words.one(subject.name.as_str());
    if let Some(variant) = folders.variant {
        words.pair("--variant", variant.slug());
    }
    let config = folders.config.and_then(Path::file_name).filter(|name| *name != DEFAULT_CONFIG);
    if let Some(name) = config {
        words.pair("--config", name);
    }
    if has_build {
        let cubin = folders.evidence.join(files::BUILD.1);
        let shown = cubin.strip_prefix(folders.project).unwrap_or(&cubin).display().to_string();
        words.one("--cubin");
        words.shown_as(std::path::absolute(&cubin).unwrap_or(cubin), shown);
    }
    let check = subject.outputs.as_ref().map(|check| stated(format!("{check:?}"), &check.reference));
    let beside = subject.reference.as_ref();
    let of = |plan: &ReferencePlan| stated(format!("{plan:?}"), &plan.reference);
    let reference = beside.filter(|plan| plan.reference.is_one_launch()).map(of);
    // The outputs of timed launches are held against what the check expects.
    let mut time = beside.map(of).unwrap_or_default();
    if let Some(check) = &check {
        time.text.push_str(&check.text);
        time.inputs.extend(check.inputs.iter().cloned());
    }
    Ok(Launcher::Own(Box::new(OwnLauncher { words, stated: format!("{plan:?}"), check, time, reference })))
}

/// Why nothing here launches a subject's kernel; `here` is the architecture of the GPU of this machine, `sm_90`.
pub(super) fn none_for(subject: &Subject, here: Option<&str>) -> Option<String> {
    if !subject.collect.run.is_empty() {
        return None;
    }
    if subject.plan.is_none() || subject.code.is_none() {
        return Some("audit.toml does not say how its kernel is launched".to_owned());
    }
    let digits = |text: &str| text.chars().filter(char::is_ascii_digit).collect::<String>();
    let Some(Code::Source { archs, .. }) = &subject.code else { return None };
    let (here, arch) = (here?, archs.first()?);
    let is_other = subject.collect.prefix.is_empty() && digits(here) != digits(arch);
    is_other.then(|| format!("it is compiled for {arch}, and the GPU here is {here}"))
}

/// The code that this program's launcher loads by itself, where none is built before.
pub(super) fn code(subject: &Subject, launcher: &Launcher, has_build: bool) -> Option<PathBuf> {
    match (launcher, &subject.code) {
        (Launcher::Own(_), Some(Code::Source { path, .. } | Code::Cubin { path })) if !has_build => Some(path.clone()),
        _ => None,
    }
}

fn stated(text: String, reference: &Reference) -> Stated {
    Stated { text, inputs: reference.kernel().map(|kernel| kernel.source.clone()).into_iter().collect() }
}
