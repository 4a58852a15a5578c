//! `audit lint`: the configuration, the files that it names, and every template, without making a page.

use super::args::Lint;
use super::failure::{Failure, Status};
use super::plan::DEFAULT_CONFIG;
use crate::config::Config;
use crate::render::Templates;
use std::io::Write;
use std::path::Path;

pub(super) fn run(arguments: &Lint, out: &mut dyn Write) -> Result<(), Failure> {
    let default = Path::new(DEFAULT_CONFIG);
    let config = match &arguments.config {
        Some(path) => Some((path.as_path(), Config::read(path)?)),
        None if default.is_file() => Some((default, Config::read(default)?)),
        None => None,
    };
    if let Some((path, config)) = &config {
        let every: Vec<String> = config.subjects.iter().map(|subject| subject.name.to_string()).collect();
        config.select(&every)?;
        writeln!(out, "{}: {} subjects, and every file that they name", path.display(), every.len())?;
    }
    let folder = arguments.templates.as_deref().or(config.as_ref().and_then(|(_, config)| config.templates.as_deref()));
    let mut overrides = config.as_ref().map(|(_, config)| config.overrides.clone()).unwrap_or_default();
    overrides.extend(arguments.template_files.iter().cloned());
    let templates = match Templates::lint(folder, &overrides) {
        Ok(templates) => templates,
        Err(faults) => {
            for fault in &faults {
                writeln!(out, "{fault}")?;
            }
            return Err(Failure::verdict(Status::Usage));
        }
    };
    for (name, file) in templates.files() {
        writeln!(out, "{name}: {}", file.display())?;
    }
    let unused = templates.unused();
    for (name, file) in &unused {
        writeln!(out, "{}: no page includes the partial {name:?}", file.display())?;
    }
    writeln!(out, "templates: {} pages, every name in them is known", templates.names().len())?;
    if unused.is_empty() { Ok(()) } else { Err(Failure::verdict(Status::Findings)) }
}
