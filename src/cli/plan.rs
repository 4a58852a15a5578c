//! What to generate: the configuration file and the flags, folded into subjects; and the folder that verbs work in.

use super::Failure;
use super::args::{Folder, Generate, SubjectFlags};
use crate::config::{Config, DEFAULT_OUT, DEFAULT_TEMPLATE, Subject, SubjectName, Tools};
use crate::render::Override;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

#[derive(Debug, Default)]
pub(super) struct Plan {
    pub(super) subjects: Vec<Subject>,
    pub(super) out: PathBuf,
    /// The folder of audits: where the earlier ones of a subject lie.
    pub(super) series: PathBuf,
    pub(super) template: String,
    pub(super) templates: Option<PathBuf>,
    /// The user's templates in place of built-in ones.
    pub(super) overrides: Vec<Override>,
    pub(super) is_without_charts: bool,
    /// Whether the configuration asks for the HTML page beside the page in Markdown.
    pub(super) has_html: bool,
    /// The same as the user states it; it goes before the configuration.
    pub(super) html: Option<bool>,
    pub(super) thresholds: BTreeMap<crate::catalog::Threshold, f64>,
    /// The commit that the user states; it goes before the subjects' own.
    pub(super) commit: Option<String>,
    /// Where git is asked for the commit.
    pub(super) folder: PathBuf,
    /// The configuration file that was read.
    pub(super) file: Option<PathBuf>,
    pub(super) tools: Tools,
    /// The configuration file, when it alone says everything about the subjects.
    pub(super) config: Option<PathBuf>,
    /// What flags say of the one subject, and what the configuration file calls that subject.
    pub(super) flags: Vec<(&'static str, String)>,
    pub(super) named: Option<SubjectName>,
}

pub(super) const DEFAULT_CONFIG: &str = "audit.toml";

pub(super) fn plan(arguments: &Generate) -> Result<Plan, Failure> {
    let needs_no_file =
        arguments.config.is_none() && arguments.subjects.is_empty() && arguments.subject.report.is_some();
    let mut plan = if needs_no_file { from_flags(&arguments.subject)? } else { from_file(arguments)? };
    if let Some(out) = &arguments.out {
        plan.out.clone_from(out);
        // Without a configuration file nothing else says where audits lie.
        if plan.file.is_none() {
            plan.series.clone_from(out);
        }
    }
    let pages = &arguments.pages;
    plan.html = arguments.html.then_some(true);
    plan.thresholds.extend(arguments.thresholds.iter().cloned());
    plan.overrides.extend(pages.template_files.iter().cloned());
    plan.is_without_charts |= arguments.no_charts;
    pages.template.iter().for_each(|name| plan.template.clone_from(name));
    plan.templates = pages.templates.clone().or(plan.templates);
    let is_changed = arguments.no_charts || pages.template.is_some() || pages.templates.is_some();
    if is_changed || !arguments.thresholds.is_empty() || !pages.template_files.is_empty() {
        plan.config = None;
    }
    Ok(plan)
}

/// The folder of audits: as given, else that of the configuration file, else the default.
pub(super) fn out_folder(folder: &Folder) -> Result<PathBuf, Failure> {
    match &folder.out {
        Some(out) => Ok(out.clone()),
        None => Ok(config_of(folder)?.map_or_else(|| DEFAULT_OUT.into(), |config| config.out)),
    }
}

/// Whether a file has that name, even one that nobody can read: a broken link to a configuration is none that is absent.
pub(super) fn is_there(path: &Path) -> bool {
    std::fs::symlink_metadata(path).is_ok()
}

/// The configuration file that is named, else the default one where there is one and no folder is named instead.
pub(super) fn config_of(folder: &Folder) -> Result<Option<Config>, Failure> {
    let default = Path::new(DEFAULT_CONFIG);
    Ok(match &folder.config {
        Some(path) => Some(Config::read(path)?),
        None if folder.out.is_none() && is_there(default) => Some(Config::read(default)?),
        None => None,
    })
}

/// The configuration file that is named, else the default one, which must be there; with its path.
pub(super) fn config_at(named: Option<&PathBuf>) -> Result<(PathBuf, Config), Failure> {
    let path = named.cloned().unwrap_or_else(|| DEFAULT_CONFIG.into());
    let config = Config::read(&path)?;
    Ok((path, config))
}

/// The plan for subjects of a configuration file as they are.
pub(super) fn of_subjects(names: &[String], folder: &Folder) -> Result<Plan, Failure> {
    let (path, config) = config_at(folder.config.as_ref())?;
    let subjects = config.select(names)?.into_iter().cloned().collect();
    let mut plan = of_config(config, path, subjects);
    if let Some(out) = &folder.out {
        (plan.out, plan.series) = (out.clone(), out.clone());
    }
    Ok(plan)
}

/// The plan for subjects of a configuration file, with nothing else stated.
fn of_config(config: Config, path: PathBuf, subjects: Vec<Subject>) -> Plan {
    Plan {
        subjects,
        out: config.out.clone(),
        series: config.out,
        template: config.template,
        templates: config.templates,
        overrides: config.overrides,
        is_without_charts: !config.has_charts,
        has_html: config.has_html,
        thresholds: config.thresholds,
        folder: config.folder,
        file: Some(path.clone()),
        tools: config.tools,
        config: Some(path),
        ..Plan::default()
    }
}

fn from_flags(flags: &SubjectFlags) -> Result<Plan, Failure> {
    let report = flags.report.clone().unwrap_or_default();
    let name = match &flags.name {
        Some(name) => name.clone(),
        None => report
            .file_stem()
            .map(|stem| [Some(stem.to_string_lossy()), flags.kernel.as_ref().map(|kernel| kernel.as_str().into())])
            .and_then(|parts| SubjectName::from_text(&parts.into_iter().flatten().collect::<Vec<_>>().join("-")))
            .ok_or_else(|| Failure::usage("the report's file name gives no subject name\n  help: give --name"))?,
    };
    let mut subject = Subject::new(name.clone(), report);
    let mut given = flags.apply(&mut subject);
    // The name goes without saying only as long as the report is not renamed.
    if flags.name.is_none() {
        given.insert(0, ("--name", name.to_string()));
    }
    Ok(Plan {
        subjects: vec![subject],
        out: DEFAULT_OUT.into(),
        series: DEFAULT_OUT.into(),
        template: DEFAULT_TEMPLATE.into(),
        commit: flags.commit.clone(),
        flags: given,
        ..Plan::default()
    })
}

fn from_file(arguments: &Generate) -> Result<Plan, Failure> {
    let (path, config) = config_at(arguments.config.as_ref())?;
    let every = || config.subjects.iter().map(|subject| subject.name.to_string()).collect();
    let names: Vec<String> = if arguments.all { every() } else { arguments.subjects.clone() };
    // A profile that is to be made need not be there; what the page reads besides is found missing when it is read.
    let chosen = if arguments.collect || arguments.dry_run { config.named(&names)? } else { config.select(&names)? };
    let mut subjects: Vec<Subject> = chosen.into_iter().cloned().collect();
    let mut first = subjects.first().cloned();
    let flags = first.as_mut().map(|subject| arguments.subject.apply(subject)).unwrap_or_default();
    let named = subjects.first().map(|subject| subject.name.clone());
    if let (false, Some(described)) = (flags.is_empty(), first) {
        match subjects.as_mut_slice() {
            [subject] => *subject = described,
            many => {
                let names: Vec<&str> = many.iter().map(|subject| subject.name.as_str()).collect();
                return Err(Failure::usage(format!(
                    "flags that describe a subject need one subject, not {}: {}\n  help: name it, as in `audit generate {}`",
                    names.len(),
                    names.join(", "),
                    names.first().copied().unwrap_or_default(),
                )));
            }
        }
    }
    let mut plan = of_config(config, path, subjects);
    plan.commit.clone_from(&arguments.subject.commit);
    plan.config = plan.config.filter(|_| flags.is_empty());
    (plan.flags, plan.named) = (flags, named);
    Ok(plan)
}

/// Goes to the folder whose `audit.toml` is meant where none is named and none lies here; `paths`, which are relative
/// to the folder that the user stands in, go along. Errors: a folder that cannot be entered.
pub(super) fn enter(config: Option<&Path>, paths: Vec<&mut PathBuf>) -> Result<(), Failure> {
    if config.is_some() || Path::new(DEFAULT_CONFIG).is_file() {
        return Ok(());
    }
    let Ok(here) = std::env::current_dir() else { return Ok(()) };
    let Some(root) = above(&here) else { return Ok(()) };
    std::env::set_current_dir(&root).map_err(|error| {
        Failure::usage(format!(
            "cannot work in {}: {error}\n  help: name the configuration with --config",
            root.display()
        ))
    })?;
    let Ok(inside) = here.strip_prefix(&root) else { return Ok(()) };
    for path in paths.into_iter().filter(|path| path.is_relative()) {
        *path = inside.join(&*path);
    }
    Ok(())
}

/// The nearest folder above with an `audit.toml`, no further than the root of a repository.
fn above(here: &Path) -> Option<PathBuf> {
    let root = here.ancestors().find(|folder| folder.join(".git").exists())?;
    let found = here.ancestors().skip(1).find(|folder| folder.join(DEFAULT_CONFIG).is_file())?;
    found.starts_with(root).then(|| found.to_owned())
}
